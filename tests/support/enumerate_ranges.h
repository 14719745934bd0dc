// The values of index expressions in all iterations of some loops, for tests that compare what is
// proved of an expression with what it is.
#pragma once

#include <vector>

#include "tg/ir/uop.h"
#include "uop/evaluate_ranged.h"

namespace tg::test {

/// By iteration, the last range fastest: the values of `expressions` (Index or bool).
inline std::vector<std::vector<int64_t>> enumerate(std::span<const UOp> expressions,
                                                   std::span<const UOp> ranges) {
  Shape shape;
  for (const UOp& r : ranges) shape.push_back(r.src(0).arg(0));
  std::vector<UOp> stores;
  std::vector<TensorValue> results;
  for (const UOp& e : expressions) {
    const int slot = static_cast<int>(results.size());
    results.push_back(TensorValue::zeros(shape, DType::Int64));
    const UOp store = store_at(param(slot, shape, DType::Int64), ranges, cast(e, DType::Int64));
    stores.push_back(ranges.empty() ? store : end(store, ranges));
  }
  evaluate_ranged(sink(stores), results);
  std::vector<std::vector<int64_t>> out(static_cast<size_t>(results[0].numel()));
  for (size_t i = 0; i < out.size(); ++i) {
    for (const TensorValue& r : results) out[i].push_back(r.at(static_cast<int64_t>(i)).i64());
  }
  return out;
}

}  // namespace tg::test
