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
inline OneNode microsoft_node(const std::string& op, const Inputs& inputs, int outputs = 1) {
  return OneNode(op, inputs, 18, "com.microsoft", outputs);
}

inline std::vector<float> values_of(const Tensor& t) { return t.to_vector<float>(); }

inline auto like(const Tensor& expected, float tolerance = 1e-4F) {
  return testing::Pointwise(testing::FloatNear(tolerance), values_of(expected));
}
inline auto near(const std::vector<float>& expected) {
  return testing::Pointwise(testing::FloatNear(1e-5F), expected);
}

}  // namespace tg::onnx
