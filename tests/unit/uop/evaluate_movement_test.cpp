// Movement ops in the evaluator against formulas in the index, on random shapes that include empty
// ones.
#include "support/tensors.h"

namespace tg {
namespace {

using test::element;
using test::expect_elements;
using test::Index;
using test::Leaves;

class EvaluateMovement : public testing::TestWithParam<uint64_t> {
 protected:
  EvaluateMovement() : rng(GetParam()) {}
  int below(int64_t n) { return static_cast<int>(rng() % static_cast<uint64_t>(n)); }
  void start(size_t min_rank = 1) {
    value = test::random_tensor(rng, test::random_shape(rng, min_rank), DType::Int32);
    x = leaves.add(value);
  }
  std::mt19937_64 rng;
  Leaves leaves;
  TensorValue value;
  UOp x;
};

TEST_P(EvaluateMovement, ReshapeKeepsTheOrder) {
  start();
  TensorValue y = leaves(reshape(x, {value.numel()}));
  EXPECT_EQ(y.shape, Shape{value.numel()});
  EXPECT_EQ(y.bits, value.bits);
}

TEST_P(EvaluateMovement, PermuteMovesAxes) {
  start();
  std::vector<int64_t> order;
  for (int i = 0; i < x.ndim(); ++i) order.insert(order.begin() + below(i + 1), i);
  expect_elements(leaves(permute(x, order)), [&](const Index& i) {
    Index from(i.size());
    for (size_t a = 0; a < i.size(); ++a) from[static_cast<size_t>(order[a])] = i[a];
    return element(value, from);
  });
}

TEST_P(EvaluateMovement, ExpandRepeats) {
  start();
  const auto axis = static_cast<size_t>(below(x.ndim()));
  value.shape[axis] = 1;
  value = test::random_tensor(rng, value.shape, DType::Int32);
  Shape wide = value.shape;
  wide[axis] = 5;
  expect_elements(leaves(expand(leaves.add(value), wide)), [&](Index i) {
    i[axis] = 0;
    return element(value, i);
  });
}

TEST_P(EvaluateMovement, ExpandToNothingIsEmpty) {
  start();
  TensorValue y = leaves(expand(leaves.add(TensorValue::zeros({1, 3}, DType::Int32)), {0, 3}));
  EXPECT_EQ(y.shape, (Shape{0, 3}));
  EXPECT_TRUE(y.bits.empty());
}

TEST_P(EvaluateMovement, PadFillsTheBorder) {
  start();
  std::vector<int64_t> pairs;
  for (int a = 0; a < 2 * x.ndim(); ++a) pairs.push_back(below(3));
  expect_elements(leaves(pad(x, pairs, Scalar::of_int(77, DType::Int32))), [&](Index i) {
    for (size_t a = 0; a < i.size(); ++a) {
      i[a] -= pairs[2 * a];
      if (i[a] < 0 || i[a] >= value.shape[a]) return 77.0;
    }
    return element(value, i);
  });
}

TEST_P(EvaluateMovement, ShrinkCutsAWindow) {
  start();
  std::vector<int64_t> window;
  for (Dim d : value.shape) {
    const int64_t length = below(d + 1);
    window.push_back(below(d - length + 1));
    window.push_back(length);
  }
  expect_elements(leaves(shrink(x, window)), [&](Index i) {
    for (size_t a = 0; a < i.size(); ++a) i[a] += window[2 * a];
    return element(value, i);
  });
}

TEST_P(EvaluateMovement, FlipReverses) {
  start();
  const std::vector<int64_t> axes = {below(x.ndim())};
  expect_elements(leaves(flip(x, axes)), [&](Index i) {
    const auto a = static_cast<size_t>(axes[0]);
    i[a] = value.shape[a] - 1 - i[a];
    return element(value, i);
  });
}

TEST_P(EvaluateMovement, FlipTwiceIsTheSame) {
  start();
  const std::vector<int64_t> axes = {below(x.ndim())};
  EXPECT_EQ(leaves(flip(flip(x, axes), axes)), value);
}

TEST_P(EvaluateMovement, ShearSlides) {
  start(2);
  const int i = below(x.ndim()), k = (i + 1 + below(x.ndim() - 1)) % x.ndim();
  const int64_t d = below(5) - 2, off = below(5) - 2, length = below(6);
  TensorValue y = leaves(shear(x, i, k, d, off, length, Scalar::of_int(-5, DType::Int32)));
  EXPECT_EQ(y.shape[static_cast<size_t>(i)], length);
  expect_elements(y, [&](Index at) {
    Dim& moved = at[static_cast<size_t>(i)];
    moved += d * at[static_cast<size_t>(k)] + off;
    return moved < 0 || moved >= value.shape[static_cast<size_t>(i)] ? -5.0 : element(value, at);
  });
}

TEST_P(EvaluateMovement, ShearAndItsAdjointAgreeUnderTheInnerProduct) {
  start(2);
  const Scalar zero = Scalar::of_int(0, DType::Int32);
  const int64_t d = below(5) - 2, off = below(5) - 2, length = below(6);
  UOp y = shear(x, 0, 1, d, off, length, zero);
  TensorValue w = test::random_tensor(rng, y.shape_vec(), DType::Int32);
  TensorValue forward = leaves(y),
              backward = leaves(shear(leaves.add(w), 0, 1, -d, -off, value.shape[0], zero));
  double left = 0, right = 0;
  for (int64_t e = 0; e < w.numel(); ++e) left += forward.at(e).as_double() * w.at(e).as_double();
  for (int64_t e = 0; e < value.numel(); ++e)
    right += value.at(e).as_double() * backward.at(e).as_double();
  EXPECT_EQ(left, right);
}

TEST_P(EvaluateMovement, GatherPicks) {
  start();
  const int axis = below(x.ndim());
  Shape shape = value.shape;
  shape[static_cast<size_t>(axis)] = 1 + below(4);
  TensorValue idx = test::random_tensor(rng, shape, DType::Int64, -2, 5);
  expect_elements(leaves(gather(x, leaves.add(idx), axis)), [&](Index i) {
    const auto at = static_cast<Dim>(element(idx, i));
    if (at < 0 || at >= value.shape[static_cast<size_t>(axis)]) return 0.0;
    i[static_cast<size_t>(axis)] = at;
    return element(value, i);
  });
}

TEST_P(EvaluateMovement, IotaCountsAlongItsAxis) {
  const Shape shape = test::random_shape(rng);
  const int axis = below(static_cast<int64_t>(shape.size()));
  expect_elements(leaves(iota(shape, axis, DType::Float32)), [&](const Index& i) {
    return static_cast<double>(i[static_cast<size_t>(axis)]);
  });
}

class EvaluateScatter : public testing::TestWithParam<std::tuple<uint64_t, Combine>> {};

TEST_P(EvaluateScatter, CombinesInIndexOrder) {
  std::mt19937_64 rng(std::get<0>(GetParam()));
  const Combine how = std::get<1>(GetParam());
  const TensorValue base = test::random_tensor(rng, test::random_shape(rng), DType::Int32);
  const auto axis = static_cast<size_t>(rng() % base.shape.size());
  Shape shape = base.shape;
  shape[axis] = static_cast<Dim>(rng() % 7);
  const TensorValue idx = test::random_tensor(rng, shape, DType::Int32, -1, 4),
                    v = test::random_tensor(rng, shape, DType::Int32);
  Leaves leaves;
  const TensorValue y = leaves(
      scatter(leaves.add(base), leaves.add(idx), leaves.add(v), static_cast<int>(axis), how));
  expect_elements(y, [&](const Index& i) {
    double now = element(base, i);
    for (Dim p = 0; p < shape[axis]; ++p) {
      Index at = i;
      at[axis] = p;
      if (element(idx, at) != static_cast<double>(i[axis])) continue;
      const double w = element(v, at);
      now = how == Combine::Set   ? w
            : how == Combine::Add ? now + w
            : how == Combine::Mul ? now * w
                                  : std::max(now, w);
    }
    return now;
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, EvaluateMovement, testing::Range<uint64_t>(1, 13));
INSTANTIATE_TEST_SUITE_P(Seeds, EvaluateScatter,
                         testing::Combine(testing::Range<uint64_t>(1, 9),
                                          testing::Values(Combine::Set, Combine::Add, Combine::Mul,
                                                          Combine::Max)));

}  // namespace
}  // namespace tg
