// Random plain tensors, and a comparison with a formula in the index, for tests of the evaluators.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "uop/evaluate_tensor.h"
#include "uop/shape.h"

namespace tg::test {

using Index = std::vector<Dim>;

/// Shapes of one test: rank 1–4, extents 1–4, now and then one of 0.
inline Shape random_shape(std::mt19937_64& rng, size_t min_rank = 1) {
  Shape s(min_rank + rng() % (5 - min_rank));
  for (Dim& d : s) d = rng() % 12 == 0 ? 0 : static_cast<Dim>(1 + rng() % 4);
  return s;
}

inline TensorValue random_tensor(std::mt19937_64& rng, Shape shape, DType t, int lo = -9,
                                 int hi = 9) {
  TensorValue v = TensorValue::zeros(std::move(shape), t);
  for (int64_t i = 0; i < v.numel(); ++i) {
    v.set(i, Scalar::of_int(lo + static_cast<int>(rng() % static_cast<uint64_t>(hi - lo + 1)), t));
  }
  return v;
}

/// The element at a multi-index.
inline double element(const TensorValue& x, const Index& index) {
  Dim flat = 0;
  for (size_t a = 0; a < index.size(); ++a) flat = flat * x.shape[a] + index[a];
  return x.at(flat).as_double();
}

/// Every element of `y` is formula(index).
void expect_elements(const TensorValue& y, auto&& formula) {
  for (Dim flat = 0; flat < y.numel(); ++flat) {
    Index index(y.shape.size());
    Dim rest = flat;
    for (size_t a = index.size(); a-- > 0; rest /= y.shape[a]) index[a] = rest % y.shape[a];
    ASSERT_EQ(y.at(flat).as_double(), formula(index))
        << "at " << format_shape(index) << " of " << format_shape(y.shape);
  }
}

/// Leaves of one test, with contents.
struct Leaves {
  BufferContents contents;
  UOp add(const TensorValue& v) {
    UOp b = buffer(v.shape, v.dtype, 0, nullptr);
    contents.emplace(b.node(), v);
    keep.push_back(b);
    return b;
  }
  TensorValue operator()(const UOp& u) const { return evaluate(u, contents); }
  std::vector<UOp> keep;
};

}  // namespace tg::test
