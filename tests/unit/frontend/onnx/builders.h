// Small models for tests, built with the messages of the file format. Tests of what files do wrong:
// hostile_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "frontend/onnx/onnx_subset.pb.h"
#include "tg/models/onnx.h"

namespace tg::onnx {

namespace file = tg_onnx_file;

inline file::Model empty_model(int64_t version = 17) {
  file::Model model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(version);
  model.mutable_graph()->set_name("g");
  return model;
}

/// A float input or output; sizes of −1 are named after their place, "d0".
inline void set_value(file::Value& value, const std::string& name,
                      const std::vector<int64_t>& shape, int type = 1) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (size_t i = 0; i < shape.size(); ++i) {
    auto* d = tensor->mutable_shape()->add_dim();
    if (shape[i] >= 0)
      d->set_dim_value(shape[i]);
    else
      d->set_dim_param("d" + std::to_string(i));
  }
}

inline file::Node& add_node(file::Graph& graph, const std::string& op,
                            const std::vector<std::string>& inputs,
                            const std::vector<std::string>& outputs) {
  auto* node = graph.add_node();
  node->set_op_type(op);
  for (const auto& i : inputs) node->add_input(i);
  for (const auto& o : outputs) node->add_output(o);
  return *node;
}

inline void add_integer(file::Node& node, const std::string& name, int64_t value) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(2);
  a->set_i(value);
}

inline file::Tensor& add_floats(file::Graph& graph, const std::string& name,
                                const std::vector<int64_t>& shape,
                                const std::vector<float>& values) {
  auto* t = graph.add_initializer();
  t->set_name(name);
  t->set_data_type(1);
  for (const int64_t s : shape) t->add_dims(s);
  for (const float v : values) t->add_float_data(v);
  return *t;
}

inline file::Tensor& add_integers(file::Graph& graph, const std::string& name,
                                  const std::vector<int64_t>& values) {
  auto* t = graph.add_initializer();
  t->set_name(name);
  t->set_data_type(7);
  t->add_dims(static_cast<int64_t>(values.size()));
  for (const int64_t v : values) t->add_int64_data(v);
  return *t;
}

inline Model parse_file(const file::Model& model, const LoadOptions& options = {}) {
  const std::string bytes = model.SerializeAsString();
  return parse(std::as_bytes(std::span(bytes)), options, "m.onnx");
}

/// y = relu(x · w + b), x [batch, 2], w [2, 3].
inline file::Model layer_model() {
  file::Model model = empty_model();
  file::Graph& g = *model.mutable_graph();
  set_value(*g.add_input(), "x", {-1, 2});
  set_value(*g.add_output(), "y", {-1, 3});
  add_floats(g, "w", {2, 3}, {1, -2, 3, -4, 5, -6});
  add_floats(g, "b", {3}, {0.5F, 0.25F, -0.5F});
  add_node(g, "Gemm", {"x", "w", "b"}, {"h"});
  add_node(g, "Relu", {"h"}, {"y"});
  return model;
}

}  // namespace tg::onnx
