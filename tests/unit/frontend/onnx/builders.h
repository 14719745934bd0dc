// Small models for tests, built with the messages of the file format. Tests of what files do wrong:
// hostile_test.cpp.
#pragma once

#include <map>
#include <optional>
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

inline void add_real(file::Node& node, const std::string& name, float value) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(1);
  a->set_f(value);
}

inline void add_text(file::Node& node, const std::string& name, const std::string& value) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(3);
  a->set_s(value);
}

inline void add_list(file::Node& node, const std::string& name,
                     const std::vector<int64_t>& values) {
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(7);
  for (const int64_t v : values) a->add_ints(v);
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

/// One node whose inputs "i0", "i1", … are given, and left out where they are none; its outputs are
/// "o0", "o1", ….
struct OneNode {
  file::Model model;
  std::map<std::string, Tensor> given;

  OneNode(const std::string& op, const std::vector<std::optional<Tensor>>& inputs,
          int64_t version = 18, const std::string& domain = "", int outputs = 1)
      : model(empty_model(version)) {
    file::Graph& g = *model.mutable_graph();
    std::vector<std::string> names, results;
    for (size_t i = 0; i < inputs.size(); ++i) {
      names.push_back(inputs[i] ? "i" + std::to_string(i) : "");
      if (!inputs[i]) continue;
      auto* value = g.add_input();
      value->set_name(names.back());
      value->mutable_type()->mutable_tensor_type();
      given.emplace(names.back(), *inputs[i]);
    }
    for (int i = 0; i < outputs; ++i) {
      results.push_back("o" + std::to_string(i));
      set_value(*g.add_output(), results.back(), {});
    }
    add_node(g, op, names, results).set_domain(domain);
    if (domain.empty()) return;
    auto* set = model.add_opset_import();
    set->set_domain(domain);
    set->set_version(1);
  }
  file::Node& node() { return *model.mutable_graph()->mutable_node(0); }
  OneNode& integer(const std::string& name, int64_t value) {
    add_integer(node(), name, value);
    return *this;
  }
  OneNode& real(const std::string& name, float value) {
    add_real(node(), name, value);
    return *this;
  }
  OneNode& text(const std::string& name, const std::string& value) {
    add_text(node(), name, value);
    return *this;
  }
  OneNode& list(const std::string& name, const std::vector<int64_t>& values) {
    add_list(node(), name, values);
    return *this;
  }
  Tensor run(int output = 0) const {
    return parse_file(model)(given).at("o" + std::to_string(output));
  }
  std::vector<Tensor> all() const {
    const auto results = parse_file(model)(given);
    std::vector<Tensor> out;
    for (int i = 0; i < model.graph().node(0).output_size(); ++i)
      out.push_back(results.at("o" + std::to_string(i)));
    return out;
  }
};

inline std::vector<float> numbers(const Tensor& t) { return t.to_vector<float>(); }

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
