// Operators that ONNX's test data of version 17 do not have: those of later versions and of
// com.microsoft, against the same computed by hand or by the tensors' own functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "frontend/onnx/table.h"
#include "tg/error.h"
#include "tg/random.h"

namespace tg::onnx {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

// One node whose inputs "i0", "i1", … are given; its output 0.
struct OneNode {
  file::Model model;
  file::Node* node;
  std::map<std::string, Tensor> given;

  OneNode(const std::string& op, const std::vector<Tensor>& inputs, int64_t version = 18,
          const std::string& domain = "")
      : model(empty_model(version)) {
    file::Graph& g = *model.mutable_graph();
    std::vector<std::string> names;
    for (size_t i = 0; i < inputs.size(); ++i) {
      names.push_back("i" + std::to_string(i));
      auto* value = g.add_input();
      value->set_name(names.back());
      value->mutable_type()->mutable_tensor_type();
      given.emplace(names.back(), inputs[i]);
    }
    set_value(*g.add_output(), "y", {});
    node = &add_node(g, op, names, {"y"});
    node->set_domain(domain);
    if (domain.empty()) return;
    auto* set = model.add_opset_import();
    set->set_domain(domain);
    set->set_version(1);
  }
  Tensor run() const { return parse_file(model)(given).at("y"); }
};

std::vector<float> numbers(const Tensor& t) { return t.to_vector<float>(); }

TEST(OnnxOperators, RowsAreSortedAndHaveVersions) {
  const auto rows = all_operators();
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LT(rows[i - 1]->name, rows[i]->name);
  for (const Operator* row : rows) {
    EXPECT_FALSE(row->since.empty()) << row->name;
    EXPECT_TRUE(std::is_sorted(row->since.begin(), row->since.end())) << row->name;
  }
}

TEST(OnnxOperators, ReductionsTakeAxesAsInputFromVersion18On) {
  const OneNode mean("ReduceMean",
                     {Tensor({{1.0F, 3.0F}, {5.0F, 7.0F}}), Tensor(std::vector<int64_t>{1})});
  EXPECT_THAT(numbers(mean.run()), ElementsAre(2, 6));
}

TEST(OnnxOperators, BitwiseOperatorsWorkOnIntegers) {
  const Tensor a({12, 10}), b({10, 6});
  EXPECT_THAT(numbers(OneNode("BitwiseAnd", {a, b}).run()), ElementsAre(8, 2));
  EXPECT_THAT(numbers(OneNode("BitwiseXor", {a, b}).run()), ElementsAre(6, 12));
}

TEST(OnnxOperators, GroupNormalizationHasANumberAGroupOrAChannel) {
  const Tensor x = Tensor::arange(8).reshape({1, 4, 2}).cast(DType::Float32);
  const Tensor expected = x.group_norm(2);
  OneNode groups("GroupNormalization", {x, Tensor::full({2}, 2.0F), Tensor::zeros({2})}, 18);
  add_integer(*groups.node, "num_groups", 2);
  EXPECT_THAT(numbers(groups.run()), Pointwise(FloatNear(1e-5F), numbers(expected * 2)));
  OneNode channels("GroupNormalization", {x, Tensor::full({4}, 2.0F), Tensor::zeros({4})}, 21);
  add_integer(*channels.node, "num_groups", 2);
  EXPECT_THAT(numbers(channels.run()), Pointwise(FloatNear(1e-5F), numbers(expected * 2)));
}

TEST(OnnxOperators, GeluIsExactUnlessTheTanhFormIsNamed) {
  const Tensor x({-1.0F, 0.5F, 2.0F});
  EXPECT_THAT(numbers(OneNode("Gelu", {x}, 20).run()),
              Pointwise(FloatNear(1e-6F), numbers(x.gelu(GeluForm::Erf))));
  EXPECT_THAT(numbers(OneNode("FastGelu", {x}, 18, "com.microsoft").run()),
              Pointwise(FloatNear(1e-6F), numbers(x.gelu())));
  EXPECT_THAT(
      numbers(OneNode("BiasGelu", {x, Tensor({1.0F, 1.0F, 1.0F})}, 18, "com.microsoft").run()),
      Pointwise(FloatNear(1e-6F), numbers((x + 1).gelu(GeluForm::Erf))));
}

TEST(OnnxOperators, FusedMatMulTransposesAndScales) {
  const Tensor a({{1.0F, 2.0F}}), b({{3.0F, 4.0F}, {5.0F, 6.0F}});
  OneNode product("FusedMatMul", {a, b}, 18, "com.microsoft");
  add_integer(*product.node, "transB", 1);
  auto* alpha = product.node->add_attribute();
  alpha->set_name("alpha");
  alpha->set_type(1);
  alpha->set_f(0.5F);
  EXPECT_THAT(numbers(product.run()), ElementsAre(5.5F, 8.5F));
}

TEST(OnnxOperators, SkipLayerNormalizationAddsBeforeItNormalises) {
  const Tensor x({{1.0F, 2.0F, 4.0F}}), skip({{0.5F, 0.0F, -1.0F}}), scale({1.0F, 2.0F, 3.0F}),
      shift({0.1F, 0.2F, 0.3F});
  const OneNode norm("SkipLayerNormalization", {x, skip, scale, shift}, 18, "com.microsoft");
  EXPECT_THAT(
      numbers(norm.run()),
      Pointwise(FloatNear(1e-5F),
                numbers((x + skip).layer_norm({.weight = &scale, .bias = &shift, .eps = 1e-12}))));
}

TEST(OnnxOperators, AttentionIsThatOfTheTensors) {
  manual_seed(5);
  const Tensor x = Tensor::randn({2, 3, 4}).realize(), w = Tensor::randn({4, 24}).realize(),
               b = Tensor::randn({24}).realize();
  OneNode attention("Attention", {x, w, b}, 18, "com.microsoft");
  add_integer(*attention.node, "num_heads", 2);
  const auto parts = (x.matmul(w) + b).chunk(3, 2);
  const auto heads = [](const Tensor& t) { return t.reshape({2, 3, 2, 4}).permute({0, 2, 1, 3}); };
  const Tensor expected = heads(parts[0])
                              .scaled_dot_product_attention(heads(parts[1]), heads(parts[2]))
                              .permute({0, 2, 1, 3})
                              .reshape({2, 3, 8});
  EXPECT_THAT(numbers(attention.run()), Pointwise(FloatNear(1e-4F), numbers(expected)));
}

TEST(OnnxOperators, MatMulNBitsUnpacksBlocksOfFourBits) {
  // One column of 16 weights: q = 8 + (i % 4), scale 0.5, so the weights are 0, 0.5, 1, 1.5, ….
  std::vector<uint8_t> packed;
  for (int i = 0; i < 16; i += 2)
    packed.push_back(static_cast<uint8_t>((8 + i % 4) | (8 + (i + 1) % 4) << 4));
  OneNode product("MatMulNBits", {Tensor::ones({1, 16}), Tensor(packed, {1, 1, 8}), Tensor({0.5F})},
                  18, "com.microsoft");
  add_integer(*product.node, "K", 16);
  add_integer(*product.node, "N", 1);
  add_integer(*product.node, "block_size", 16);
  EXPECT_THAT(numbers(product.run()), ElementsAre(12));
}

TEST(OnnxOperators, CentersAreCroppedOrPadded) {
  const Tensor x({{1.0F, 2.0F, 3.0F, 4.0F}});
  EXPECT_THAT(numbers(OneNode("CenterCropPad", {x, Tensor(std::vector<int64_t>{3, 2})}).run()),
              ElementsAre(0, 0, 2, 3, 0, 0));
}

TEST(OnnxOperators, Col2ImAddsTheWindowsUp) {
  // Two windows of two elements over three places: the middle one is in both.
  const Tensor x = Tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}).reshape({1, 2, 2});
  const OneNode image("Col2Im",
                      {x, Tensor(std::vector<int64_t>{3}), Tensor(std::vector<int64_t>{2})});
  EXPECT_THAT(numbers(image.run()), ElementsAre(1, 5, 4));
}

TEST(OnnxOperators, OperandsOfDifferentDtypesAreAnErrorThatNamesTheNode) {
  const OneNode sum("Add", {Tensor({1.0F}), Tensor({1})});
  try {
    sum.run();
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(
        error.what(),
        "onnx::Model: node \"Add#0\" (Add, version 18): the operands have different dtypes.");
  }
}

}  // namespace
}  // namespace tg::onnx
