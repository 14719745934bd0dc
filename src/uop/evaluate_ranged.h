// The meaning of a ranged kernel: SINK of END(STORE(ptr, index…, value, gate?), range…) with REDUCE
// over ranges, STAGE arrays and LOADs with logical indices. Slow and obviously right; scheduling
// decisions and lowering are tested against it. The same for tensor graphs: evaluate_tensor.h.
#pragma once

#include <span>
#include <unordered_map>

#include "uop/tensor_value.h"

namespace tg {

/// Values of VAR nodes.
using VarValues = std::unordered_map<const Node*, int64_t>;

/// Runs the kernel on `params` (by slot), changing those that it stores to. An END runs its effect
/// for every value of its ranges, the last range fastest; REDUCE and STAGE the same; effects of a
/// SINK in order of their sources, those behind an AFTER before what reads it. Throws InternalError
/// for an index outside its axis (where no false gate protects it), a range used outside what
/// closes it, a range opened while it is open, or an op that has no place in a ranged kernel;
/// ArgumentError for params or variables that do not fit the kernel. O(nodes · iterations).
void evaluate_ranged(const UOp& sink, std::span<TensorValue> params, const VarValues& vars = {});

}  // namespace tg
