// How far a device may be away from the exact value of one element: every operation on numbers with
// a bound of their error. Rounding counts as much as the dtype rounds, sums as much as what was
// summed, so that a difference in which everything cancels is no false alarm. Whole graphs:
// bounded_graph.h.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "tg/ir/op.h"
#include "tg/ir/scalar.h"

namespace tg::conformance {

/// The bound of an element of which nothing can be said.
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// One element as computed without rounding, and what a device may have in its place.
struct Element {
  Scalar value;         ///< of floats the double that is not rounded to the dtype of the node
  double error = 0;     ///< |device − value| is at most this; of bool 0: certain, else uncertain
  uint64_t origin = 0;  ///< elements of equal origin have equal bits on the device; 0: none yet

  double number() const { return value.as_double(); }
  bool exact() const { return error == 0; }
};

/// The dtype in which the values of `t` are kept here: floats as float64.
inline DType wide(DType t) { return is_float(t) ? DType::Float64 : t; }
/// Half the distance of neighbours of 1.
double unit_roundoff(DType t);

/// An element that every device has as it is.
Element exact_element(const Scalar& value);
Element unknown_element(DType t);
/// The result of an elementwise operation of dtype `t`; `types` are those of the sources.
Element apply(Op op, DType t, std::span<const Element> src, std::span<const DType> types,
              std::span<const int64_t> arg);
/// One of both, it is not certain which.
Element either(DType t, const Element& a, const Element& b);

/// The sum of any number of floats in any order, added up in dtype `in` and rounded once to `t`.
class Sum {
 public:
  Sum(DType t, DType in) : dtype_(t), in_(in) {}
  void add(const Element& e);
  /// `origin`: a number of its own.
  Element result(uint64_t origin) const;

 private:
  DType dtype_, in_;
  double sum_ = 0, sizes_ = 0, errors_ = 0;
  int64_t terms_ = 0;    // that are not exactly zero
  bool whole_ = true;    // all terms are multiples of one small power of two
  uint64_t origin_ = 0;  // of the last term
};

/// The factors of one product, which are multiplied in any order.
class Factors {
 public:
  void add(const Element& e);
  /// Whether a product of some of them may leave the normal numbers of `t` though that of all does
  /// not: then the order decides, and 0 · inf is no number.
  bool may_leave(DType t) const;

 private:
  double large_ = 0, small_ = 0;  // log2 of the product of those above 1, and of those below
  bool has_zero_ = false;
};

/// The dtype in which a reduction adds up: small floats in float32.
inline DType accumulator(DType t) { return dtype_size(t) < 4 ? DType::Float32 : t; }
/// One number of several.
uint64_t mixed(uint64_t a, uint64_t b);

}  // namespace tg::conformance
