// What becomes a kernel of its own and what is made where it is read: shapes of graphs that a walk
// must end on, and sums of scatters. Any choice gives the same values: choices_test.cpp.
#include <gtest/gtest.h>

#include "support/run_schedule.h"
#include "support/same_numbers.h"
#include "support/tensors.h"

namespace tg {
namespace {

// Sums of a value with itself, a hundred times: 2^100 ways lead from the result to the data.
TEST(SharedValues, AreLookedAtOnce) {
  std::mt19937_64 rng(7);
  test::Leaves leaves;
  UOp x = leaves.add(test::random_tensor(rng, {4, 6}, DType::Int32));
  const UOp data = x;
  for (int i = 0; i < 100; ++i) x = maximum(x, x + data);
  const std::vector<UOp> roots = {reshape(x, {24})};
  const std::vector<TensorValue> got =
      test::run_schedule(make_schedule(roots, Target{}), roots, leaves.contents);
  EXPECT_TRUE(test::same_numbers(got[0], evaluate(roots, leaves.contents)[0]));
}

// As the gradient of linear resampling along two axes: each half is a scatter, and their sum is
// read by the two halves of the next axis. The kernel that stores the sum makes the halves.
TEST(Halves, AreMadeWhereTheirSumIsStored) {
  std::mt19937_64 rng(7);
  test::Leaves leaves;
  const Dim rows = 64, columns = 512;
  const auto halved = [](const UOp& x, int axis) {
    const Shape shape = {x.dim(0), x.dim(1)};
    Shape fewer = shape;
    fewer[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)] / 2 + 1;
    const UOp i = iota(shape, axis, DType::Int32);
    const auto half = [&](int64_t first) {
      const UOp place = idiv(i + const_like(i, first), const_like(i, int64_t{2}));
      return scatter(full(fewer, Scalar::of_int(0, x.dtype())), place, x, axis, Combine::Add);
    };
    return half(0) + half(1);
  };
  const UOp x = leaves.add(test::random_tensor(rng, {rows, columns}, DType::Int32));
  const std::vector<UOp> roots = {halved(halved(x, 0), 1)};
  const Schedule s = make_schedule(roots, Target{});
  const std::vector<TensorValue> got = test::run_schedule(s, roots, leaves.contents);
  EXPECT_TRUE(test::same_numbers(got[0], evaluate(roots, leaves.contents)[0]));
  ASSERT_EQ(s.items.size(), 2u);
  EXPECT_EQ(s.items[0].kernel.n_src(), 1);
}

// As the layers of a decoder: each of many kernels asks whether a place exists. What it asks ends
// their loops, which a condition in memory could not.
TEST(Masks, OfPlacesAreNeverStored) {
  constexpr int kReaders = 24;
  std::mt19937_64 rng(7);
  test::Leaves leaves;
  const Shape shape = {8, 64};
  const UOp exists =
      lt(iota(shape, 1, DType::Int32), full(shape, Scalar::of_int(40, DType::Int32)));
  const std::vector<int64_t> axes = {1};
  std::vector<UOp> roots;
  for (int i = 0; i < kReaders; ++i) {
    const UOp x = leaves.add(test::random_tensor(rng, shape, DType::Int32));
    roots.push_back(reduce(where(exists, x, const_like(x, int64_t{0})), ReduceOp::Add, axes));
  }
  const Schedule s = make_schedule(roots, Target{});
  EXPECT_EQ(s.items.size(), static_cast<size_t>(kReaders));
  const std::vector<TensorValue> got = test::run_schedule(s, roots, leaves.contents),
                                 want = evaluate(roots, leaves.contents);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(test::same_numbers(got[i], want[i]));
}

// Sums over what only one factor has: many of them are faster behind a contraction than in its
// place, few are not worth a kernel. Sums over what both have are terms like the others.
TEST(SumsOfProducts, AreMadeBehindThemWhereRowsAreUsedAgain) {
  const auto kernels = [](Dim rows, Dim shared, Dim columns, bool over_both) {
    std::mt19937_64 rng(7);
    test::Leaves leaves;
    const Shape all = {rows, shared, columns};
    const auto factor = [&](Shape shape) {
      return expand(leaves.add(test::random_tensor(rng, std::move(shape), DType::Float32)), all);
    };
    const UOp product = factor({rows, shared, 1}) * factor({over_both ? rows : 1, shared, columns});
    const std::vector<int64_t> terms = {1}, outer = {0};
    const std::vector<UOp> roots = {
        reduce(reduce(product, ReduceOp::Add, terms), ReduceOp::Add, outer)};
    return make_schedule(roots, Target{}).items.size();
  };
  EXPECT_EQ(kernels(512, 256, 128, false), 2u);
  EXPECT_EQ(kernels(4, 4, 4, false), 1u);
  EXPECT_EQ(kernels(512, 256, 128, true), 1u);
}

}  // namespace
}  // namespace tg
