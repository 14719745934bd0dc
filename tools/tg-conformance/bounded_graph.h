// The meaning of a tensor graph in float64 with a bound, for each element, of what a device's
// rounding may make of it; and the judgement of what a device computed. The rules for single
// elements: error_bound.h. The evaluator without bounds: uop/evaluate_tensor.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "error_bound.h"
#include "support/check.h"
#include "uop/tensor_value.h"

namespace tg::conformance {

/// A tensor of such elements, row-major.
struct BoundedValue {
  Shape shape;
  DType dtype = DType::Void;
  std::vector<uint64_t> bits;  ///< of integers and bool as in a TensorValue, of floats the double
  std::vector<double> error;
  std::vector<uint64_t> origin;

  int64_t numel() const { return static_cast<int64_t>(bits.size()); }
  Element at(int64_t i) const {
    const auto k = static_cast<size_t>(i);
    return {Scalar::of_bits(bits[k], wide(dtype)), error[k], origin[k]};
  }
  void set(int64_t i, const Element& e) {
    TG_CHECK(e.origin != 0, "bounded: an element without an origin would be equal to all others");
    const auto k = static_cast<size_t>(i);
    bits[k] = e.value.bits(), error[k] = e.error, origin[k] = e.origin;
  }
};

/// What a storage holds before anything is written to it.
using ContentsOf = std::function<TensorValue(const Node* buffer)>;

/// The values of all roots. Storage that is read is asked for once. InternalError for an op that
/// has no place in a tensor graph.
std::vector<BoundedValue> evaluate_bounded(std::span<const UOp> roots, const ContentsOf& contents);

/// What became of a comparison.
struct Judgement {
  std::string difference;  ///< empty if all elements lie within their bounds
  int64_t judged = 0;
  int64_t unknown = 0;  ///< elements of which nothing can be said
};
/// Compares with what a device computed.
Judgement judge(const TensorValue& got, const BoundedValue& want);

}  // namespace tg::conformance
