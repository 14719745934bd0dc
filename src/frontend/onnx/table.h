// The operators: one row each, with the versions of the standard in which it changed and that are
// understood, its attributes and its function. The rows stand beside the functions, in ops/: a new
// operator is a function and a row there (docs/onnx.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/node.h"

namespace tg::onnx {

struct Operator {
  std::string_view name;   ///< with the domain if that is not ai.onnx: "com.microsoft.Gelu"
  std::vector<int> since;  ///< versions in which it changed; older ones than the first are refused
  std::string_view attributes;  ///< names with blanks between; another one is not supported
  Values (*run)(const Node& node);
};

/// A model of a newer version of ai.onnx may mean something else by its operators.
inline constexpr int64_t kNewestVersion = 28;

struct Lookup {
  const Operator* function = nullptr;
  std::string reason;  ///< why there is none
};
Lookup look_up(const std::string& domain, const std::string& op, int64_t version);
bool takes_attribute(const Operator& op, std::string_view name);
/// All rows, sorted by name.
std::span<const Operator* const> all_operators();

// The rows of each file in ops/.
std::span<const Operator> elementwise_operators();
std::span<const Operator> logic_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> shape_operators();
std::span<const Operator> indexing_operators();
std::span<const Operator> creation_operators();
std::span<const Operator> product_operators();
std::span<const Operator> convolution_operators();
std::span<const Operator> pooling_operators();
std::span<const Operator> resize_operators();
std::span<const Operator> normalisation_operators();
std::span<const Operator> recurrent_operators();
std::span<const Operator> quantised_operators();
std::span<const Operator> detection_operators();
std::span<const Operator> sampling_operators();
std::span<const Operator> control_operators();
std::span<const Operator> loss_operators();
std::span<const Operator> signal_operators();
std::span<const Operator> training_operators();
std::span<const Operator> attention_operators();
std::span<const Operator> microsoft_operators();
std::span<const Operator> microsoft_attention_operators();
std::span<const Operator> microsoft_quantised_operators();

}  // namespace tg::onnx
