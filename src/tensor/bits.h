// Tensors that are the bits of stored ones under another dtype (bitcast): what is assigned to them
// goes to the storage. Internal to src/tensor; aliases of equal dtype are state.h's.
#pragma once

#include <optional>

#include "tensor/ops.h"

namespace tg::ops_detail {

/// A view of the tensor whose bits `state` shows, as it is now; none if `state` shows nobody's or
/// no tensor that would see the write is alive. O(live tensors) for tensors made by bitcast.
std::optional<Tensor> source_of_bits(const TensorState& state);

/// Puts `value`, of the shape and dtype of `t`, into the storage of `source`, which
/// source_of_bits() gave; `t` and its views show it too. ArgumentError if `t` names elements more
/// than once.
void store_bits(const Tensor& t, const Tensor& source, const UOp& value);

}  // namespace tg::ops_detail
