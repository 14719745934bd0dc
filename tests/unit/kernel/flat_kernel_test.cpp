// Which kernels have a form without their size, and that equal forms mean kernels that differ in
// nothing else.
#include "kernel/flat_kernel.h"

#include <gtest/gtest.h>

#include "support/kernel_names.h"

namespace tg {
namespace {

using test::kFloat;

constexpr int64_t kCached = 1 << 16;

UOp read_flat(int slot, int64_t n, const UOp& at, const UOp& gate = {}) {
  const std::vector<UOp> place = {at};
  return load(param(slot, {n}, kFloat), place, gate);
}
UOp kernel_of(int64_t n, const UOp& value, const UOp& i, const UOp& at) {
  const std::vector<UOp> place = {at}, closed = {i};
  const std::vector<UOp> roots = {end(store_at(param(0, {n}, kFloat), place, value), closed)};
  return sink(roots);
}
// p0[i] = f(p1[i])
template <typename Fn>
UOp map(int64_t n, const Fn& f) {
  const UOp i = range(n, 0);
  return kernel_of(n, f(read_flat(1, n, i), i), i, i);
}
UOp plus_one(int64_t n) {
  return map(n, [](const UOp& x, const UOp&) { return x + constant(1, kFloat); });
}

TEST(FlatKernel, IsTheSameForAllSizes) {
  const auto a = flat_form(plus_one(7), kCached), b = flat_form(plus_one(50'000), kCached);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->kernel, b->kernel);
  EXPECT_EQ(a->size, b->size);
  EXPECT_EQ(a->value, 7);
  EXPECT_EQ(b->value, 50'000);
}
TEST(FlatKernel, DoesNotNumberItsRange) {
  const UOp i = range(7, 5);
  EXPECT_EQ(
      flat_form(kernel_of(7, read_flat(1, 7, i) + constant(1, kFloat), i, i), kCached)->kernel,
      flat_form(plus_one(8), kCached)->kernel);
}
TEST(FlatKernel, IsAnotherForArraysBeyondTheCache) {
  const auto small = flat_form(plus_one(kCached), kCached);
  const auto large = flat_form(plus_one(kCached + 1), kCached);
  ASSERT_TRUE(small && large);
  EXPECT_NE(small->kernel, large->kernel);
  EXPECT_EQ(large->kernel, flat_form(plus_one(1 << 30), kCached)->kernel);
}
TEST(FlatKernel, KeepsWhatIsComputedApart) {
  const UOp doubled = map(7, [](const UOp& x, const UOp&) { return x * constant(2, kFloat); });
  EXPECT_NE(flat_form(plus_one(7), kCached)->kernel, flat_form(doubled, kCached)->kernel);
}
TEST(FlatKernel, MayReadOneElementOfOtherArrays) {
  const auto scaled = [](int64_t n) {
    return map(n, [](const UOp& x, const UOp&) { return x * read_flat(2, 1, index_const(0)); });
  };
  ASSERT_TRUE(flat_form(scaled(7), kCached));
  EXPECT_EQ(flat_form(scaled(7), kCached)->kernel, flat_form(scaled(8), kCached)->kernel);
}
TEST(FlatKernel, MayReadWhatItWrites) {
  const UOp i = range(9, 0);
  EXPECT_TRUE(flat_form(kernel_of(9, read_flat(0, 9, i) + read_flat(1, 9, i), i, i), kCached));
}

TEST(FlatKernel, IsNoneForReductions) {
  const UOp i = range(7, 0), r = range(5, 1);
  const std::vector<UOp> place = {i, r}, reduced = {r};
  const UOp sum = reduce_ranges(load(param(1, {7, 5}, kFloat), place), ReduceOp::Add, reduced);
  EXPECT_FALSE(flat_form(kernel_of(7, sum, i, i), kCached));
}
TEST(FlatKernel, IsNoneForPartsOfArrays) {
  const UOp i = range(7, 0);
  EXPECT_FALSE(flat_form(kernel_of(7, read_flat(1, 9, i), i, i), kCached));
  EXPECT_FALSE(flat_form(kernel_of(9, read_flat(1, 7, i), i, i), kCached));
}
TEST(FlatKernel, IsNoneForOtherPlaces) {
  const UOp i = range(7, 0);
  EXPECT_FALSE(flat_form(kernel_of(7, read_flat(1, 7, i * -1 + 6), i, i), kCached));
  EXPECT_FALSE(flat_form(kernel_of(7, read_flat(1, 7, index_const(3)), i, i), kCached));
  EXPECT_FALSE(flat_form(kernel_of(7, read_flat(1, 7, i), i, i * -1 + 6), kCached));
}
TEST(FlatKernel, IsNoneWhereTheRangeIsAValue) {
  const UOp numbered = map(7, [](const UOp& x, const UOp& i) { return x + cast(i, kFloat); });
  EXPECT_FALSE(flat_form(numbered, kCached));
}
TEST(FlatKernel, IsNoneWithGates) {
  const UOp i = range(7, 0);
  EXPECT_FALSE(flat_form(kernel_of(7, read_flat(1, 7, i, lt(i, index_const(5))), i, i), kCached));
}
TEST(FlatKernel, IsNoneForTwoRanges) {
  const UOp i = range(7, 0), k = range(3, 1);
  const std::vector<UOp> place = {i, k};
  const std::vector<UOp> roots = {
      end(store_at(param(0, {7, 3}, kFloat), place, constant(1, kFloat)), place)};
  EXPECT_FALSE(flat_form(sink(roots), kCached));
}
TEST(FlatKernel, IsNoneWithVariables) {
  const UOp n = variable("n", 1, 7);
  const UOp scaled = map(7, [&](const UOp& x, const UOp&) { return x * cast(n, kFloat); });
  EXPECT_FALSE(flat_form(scaled, kCached));
}

}  // namespace
}  // namespace tg
