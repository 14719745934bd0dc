// Models as programs use them: calls and their errors, dynamic sizes, gradients, recording, and
// parameters that are replaced or trained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/jit.h"
#include "tg/nn.h"

namespace tg::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename E>
std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no such error";
}

TEST(OnnxModel, SaysWhatItTakesAndReturns) {
  const Model model = parse_file(layer_model());
  ASSERT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(model.inputs()[0].name, "x");
  EXPECT_EQ(model.inputs()[0].dtype, DType::Float32);
  EXPECT_EQ(model.inputs()[0].shape[0].name, "d0");
  EXPECT_EQ(model.inputs()[0].shape[1].size, 2);
  EXPECT_EQ(model.outputs()[0].name, "y");
  EXPECT_EQ(model.parameters().size(), 2u);
  EXPECT_EQ(model.operators().at("Gemm"), 1);
  EXPECT_TRUE(model.unsupported().empty());
}

TEST(OnnxModel, RunsWithAnySizeOfANamedAxis) {
  const Model model = parse_file(layer_model());
  const auto one = model({{"x", Tensor({{1.0F, 1.0F}})}});
  EXPECT_THAT(one.at("y").to_vector<float>(), ElementsAre(0, 3.25F, 0));
  const auto three = model({{"x", Tensor::ones({3, 2})}});
  EXPECT_EQ(three.at("y").shape(), (Shape{3, 3}));
}

TEST(OnnxModel, InputsThatDoNotFitAreNamed) {
  const Model model = parse_file(layer_model());
  EXPECT_EQ(error_of<ArgumentError>([&] { model({}); }),
            "onnx::Model: input \"x\" is missing. Hint: it is float32 [d0, 2].");
  EXPECT_EQ(error_of<ArgumentError>([&] {
              model({{"x", Tensor::ones({1, 2})}, {"z", 1}});
            }),
            "onnx::Model: there is no input \"z\".");
  EXPECT_EQ(error_of<ShapeError>([&] {
              model({{"x", Tensor::ones({1, 3})}});
            }),
            "onnx::Model: input \"x\" must have shape [d0, 2], got [1, 3].");
  EXPECT_EQ(error_of<DTypeError>([&] {
              model({{"x", Tensor::ones({1, 2}, DType::Int32)}});
            }),
            "onnx::Model: input \"x\" must be float32, got int32.");
}

TEST(OnnxModel, AxesOfOneNameHaveOneSize) {
  file::Model m = empty_model();
  file::Graph& g = *m.mutable_graph();
  set_value(*g.add_input(), "a", {-1});
  set_value(*g.add_input(), "b", {-1});
  set_value(*g.add_output(), "y", {-1});
  add_node(g, "Add", {"a", "b"}, {"y"});
  const Model model = parse_file(m);
  EXPECT_EQ(error_of<ShapeError>([&] {
              model({{"a", Tensor::ones({2})}, {"b", Tensor::ones({1})}});
            }),
            "onnx::Model: input \"b\" has d0 = 1, which is 2 in another input.");
}

TEST(OnnxModel, WhatIsNotSupportedIsListedAndNamedWhenItIsReached) {
  file::Model m = layer_model();
  m.mutable_graph()->mutable_node(1)->set_op_type("Wonder");
  const Model model = parse_file(m);
  ASSERT_EQ(model.unsupported().size(), 1u);
  EXPECT_EQ(model.unsupported()[0].node, "Wonder#1");
  EXPECT_EQ(error_of<ArgumentError>([&] {
              model({{"x", Tensor::ones({1, 2})}});
            }),
            "onnx::Model: node \"Wonder#1\" (Wonder): no such operator is not supported.");
}

TEST(OnnxModel, AttributesAndVersionsThatAreNotKnownAreNotSupported) {
  file::Model m = layer_model();
  add_integer(*m.mutable_graph()->mutable_node(0), "transC", 1);
  EXPECT_EQ(parse_file(m).unsupported().at(0).reason, "attribute \"transC\"");
  m = layer_model();
  m.mutable_opset_import(0)->set_version(99);
  EXPECT_EQ(parse_file(m).unsupported().at(0).reason, "version 99 of the standard: at most 28");
}

TEST(OnnxModel, ErrorsOfAnOperationNameTheNode) {
  file::Model m = layer_model();
  m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  const Model model = parse_file(m);
  EXPECT_THAT(error_of<ShapeError>([&] {
                model({{"x", Tensor::ones({1, 5})}});
              }),
              HasSubstr("onnx::Model: node \"Gemm#0\" (Gemm): "));
}

TEST(OnnxModel, GradientsAgreeWithDifferences) {
  const Model model = parse_file(layer_model());
  file::Model m = empty_model();
  file::Graph& g = *m.mutable_graph();
  set_value(*g.add_input(), "x", {2, 3}, 11);
  set_value(*g.add_output(), "y", {2, 3}, 11);
  add_node(g, "Tanh", {"x"}, {"t"});
  add_node(g, "Softmax", {"t"}, {"s"});
  add_node(g, "Mul", {"s", "x"}, {"y"});
  const Model smooth = parse_file(m);
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& in) {
        return smooth({{"x", in[0]}}).at("y");
      },
      {Tensor({{0.1F, -0.7F, 1.3F}, {0.5F, 0.9F, -0.2F}})});
  EXPECT_TRUE(report) << report.message;
  EXPECT_EQ(report.checked, 6);
}

TEST(OnnxModel, ParametersCanBeReplaced) {
  Model model = parse_file(layer_model());
  model.parameters()["w"] = Tensor::ones({2, 3});
  EXPECT_THAT(model({{"x", Tensor({{1.0F, 2.0F}})}}).at("y").to_vector<float>(),
              ElementsAre(3.5F, 3.25F, 2.5F));
  model.parameters()["w"] = Tensor::ones({2, 2});
  EXPECT_EQ(error_of<ShapeError>([&] {
              model({{"x", Tensor::ones({1, 2})}});
            }),
            "onnx::Model: parameter \"w\" must have shape [2, 3], it was replaced by [2, 2].");
  model.parameters().erase("w");
  EXPECT_EQ(error_of<ArgumentError>([&] {
              model({{"x", Tensor::ones({1, 2})}});
            }),
            "onnx::Model: parameter \"w\" was taken away.");
}

TEST(OnnxModel, ParametersCanBeTrained) {
  Model model = parse_file(layer_model());
  const Tensor& b = model.parameters().at("b").is_param_();
  nn::SGD sgd({b}, {.lr = 0.5});
  const Tensor x({{1.0F, 1.0F}});
  const auto loss = [&] { return (model({{"x", x}}).at("y") - 1).square().mean(); };
  const float before = loss().item<float>();
  for (int i = 0; i < 5; ++i) sgd.step(loss());
  EXPECT_LT(loss().item<float>(), before * 0.9F);
}

TEST(OnnxModel, CallsCanBeRecorded) {
  const Model model = parse_file(layer_model());
  int calls = 0;
  TinyJit jit([&](const Tensor& x) {
    ++calls;
    return model({{"x", x}}).at("y");
  });
  for (int i = 0; i < 5; ++i) {
    const auto n = static_cast<float>(i);
    const Tensor x(std::vector<float>{n, 1}, {1, 2});
    EXPECT_THAT(jit(x).to_vector<float>(),
                ElementsAre(std::max(0.0F, n - 3.5F), std::max(0.0F, 5.25F - 2 * n),
                            std::max(0.0F, 3 * n - 6.5F)));
  }
  EXPECT_EQ(calls, 2);
}

TEST(OnnxModel, ShapeComputationsRunNoKernels) {
  // y = x reshaped to [size of axis 0 · 2, −1], as exporters write it.
  file::Model m = empty_model();
  file::Graph& g = *m.mutable_graph();
  set_value(*g.add_input(), "x", {-1, -1});
  set_value(*g.add_output(), "y", {-1, -1});
  add_integers(g, "zero", {0});
  add_integers(g, "two", {2});
  add_integers(g, "open", {-1});
  add_node(g, "Shape", {"x"}, {"s"});
  add_node(g, "Gather", {"s", "zero"}, {"n"});
  add_node(g, "Mul", {"n", "two"}, {"n2"});
  add_integer(add_node(g, "Concat", {"n2", "open"}, {"to"}), "axis", 0);
  add_node(g, "Reshape", {"x", "to"}, {"y"});
  const Model model = parse_file(m);
  const Tensor x = Tensor::empty({3, 4});
  const Tensor y = model({{"x", x}}).at("y");
  EXPECT_EQ(y.shape(), (Shape{6, 2}));
  EXPECT_EQ(y.graph().find("add"), std::string::npos);
}

TEST(OnnxModel, FunctionsOfTheModelTakeAttributes) {
  file::Model m = empty_model();
  auto* f = m.add_functions();
  f->set_name("first");
  f->set_domain("own");
  f->add_input("x");
  f->add_output("y");
  f->add_attribute("which");
  f->add_opset_import()->set_version(17);
  auto* node = f->add_node();
  node->set_op_type("Softmax");
  node->add_input("x");
  node->add_output("y");
  auto* a = node->add_attribute();
  a->set_name("axis");
  a->set_type(2);
  a->set_ref_attr_name("which");
  file::Graph& g = *m.mutable_graph();
  set_value(*g.add_input(), "x", {2, 2});
  set_value(*g.add_output(), "y", {2, 2});
  auto& call = add_node(g, "first", {"x"}, {"y"});
  call.set_domain("own");
  add_integer(call, "which", 0);
  const Tensor x({{0.0F, 1.0F}, {0.0F, 1.0F}});
  EXPECT_THAT(parse_file(m)({{"x", x}}).at("y").to_vector<float>(),
              ElementsAre(0.5F, 0.5F, 0.5F, 0.5F));
}

}  // namespace
}  // namespace tg::onnx
