// Shape computations on the host: the operators that exporters use to compute sizes, for numbers
// that are known. Everything else, and every longer array, is computed by the operators' functions.
#pragma once

#include <optional>
#include <vector>

#include "frontend/onnx/node.h"

namespace tg::onnx {

/// The outputs of a node whose inputs are all known on the host; none if this operator, or this
/// form of it, is not computed here.
std::optional<std::vector<HostArray>> compute_on_host(const Node& node);

}  // namespace tg::onnx
