// One node of com.microsoft as a model, and what the tests of those operators compare with.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "builders.h"

namespace tg::onnx {

using Inputs = std::vector<std::optional<Tensor>>;

/// A node of com.microsoft with these inputs, some left out, and outputs "o0", "o1", ….
class MicrosoftNode {
 public:
  MicrosoftNode(const std::string& op, const Inputs& inputs, size_t outputs = 1)
      : model_(empty_model(18)), outputs_(outputs) {
    file::Graph& g = *model_.mutable_graph();
    auto* set = model_.add_opset_import();
    set->set_domain("com.microsoft");
    set->set_version(1);
    std::vector<std::string> in, out;
    for (size_t i = 0; i < inputs.size(); ++i) {
      in.push_back(inputs[i] ? "i" + std::to_string(i) : "");
      if (!inputs[i]) continue;
      auto* value = g.add_input();
      value->set_name(in.back());
      value->mutable_type()->mutable_tensor_type();
      given_.emplace(in.back(), *inputs[i]);
    }
    for (size_t i = 0; i < outputs; ++i) {
      out.push_back("o" + std::to_string(i));
      set_value(*g.add_output(), out.back(), {});
    }
    add_node(g, op, in, out).set_domain("com.microsoft");
  }
  MicrosoftNode& with(const std::string& name, int64_t value) {
    add_integer(node(), name, value);
    return *this;
  }
  MicrosoftNode& with_real(const std::string& name, double value) {
    auto* a = node().add_attribute();
    a->set_name(name);
    a->set_type(1);
    a->set_f(static_cast<float>(value));
    return *this;
  }
  MicrosoftNode& with_text(const std::string& name, const std::string& value) {
    auto* a = node().add_attribute();
    a->set_name(name);
    a->set_type(3);
    a->set_s(value);
    return *this;
  }
  MicrosoftNode& with_list(const std::string& name, const std::vector<int64_t>& values) {
    auto* a = node().add_attribute();
    a->set_name(name);
    a->set_type(7);
    for (const int64_t v : values) a->add_ints(v);
    return *this;
  }
  std::vector<Tensor> all() const {
    const auto results = parse_file(model_)(given_);
    std::vector<Tensor> out;
    for (size_t i = 0; i < outputs_; ++i) out.push_back(results.at("o" + std::to_string(i)));
    return out;
  }
  Tensor run() const { return all()[0]; }

 private:
  file::Node& node() { return *model_.mutable_graph()->mutable_node(0); }

  file::Model model_;
  std::map<std::string, Tensor> given_;
  size_t outputs_;
};

inline std::vector<float> values_of(const Tensor& t) { return t.to_vector<float>(); }

inline auto like(const Tensor& expected, float tolerance = 1e-4F) {
  return testing::Pointwise(testing::FloatNear(tolerance), values_of(expected));
}
inline auto near(const std::vector<float>& expected) {
  return testing::Pointwise(testing::FloatNear(1e-5F), expected);
}

}  // namespace tg::onnx
