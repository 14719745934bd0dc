// The meaning of a tensor graph: evaluates it element by element with the op records' own
// evaluation. Slow and obviously right; scheduler, code generator and devices are tested against
// it. The same for ranged kernels: evaluate_ranged.h.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "uop/tensor_value.h"

namespace tg {

/// Contents of BUFFER nodes before anything is written to them.
using BufferContents = std::unordered_map<const Node*, TensorValue>;

/// The value of `root`. REDUCE accumulates one by one in row-major order in its dtype; SCATTER
/// works in index order; AFTER is the version of a storage that its stores leave. Buffers that
/// `inputs` lacks, and other shapes or dtypes than the buffers', are an ArgumentError; ops that
/// have no place in a tensor graph, and effects as roots, an InternalError. O(sum of all elements).
TensorValue evaluate(const UOp& root, const BufferContents& inputs = {});
/// Several roots at once: what they share is evaluated once. Same order as given.
std::vector<TensorValue> evaluate(std::span<const UOp> roots, const BufferContents& inputs = {});

/// A movement op applied to the elements of its source, whatever the 64-bit words stand for; what
/// lies outside gets `outside`, or else the op's fill. Also used on indices, to find out where a
/// view's elements are.
std::vector<uint64_t> move_elements(const Node* movement, const std::vector<uint64_t>& source,
                                    std::optional<uint64_t> outside = {});

}  // namespace tg
