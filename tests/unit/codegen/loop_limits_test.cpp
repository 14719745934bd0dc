// Which part of a loop matters: what gates of loads and stores say about a range, through products
// and over the places of other ranges.
#include "codegen/loop_limits.h"

#include <gtest/gtest.h>

#include "support/kernel_names.h"

namespace tg {
namespace {

using test::kFloat;

constexpr int64_t kSize = 64;

class Limits : public testing::Test {
 protected:
  UOp row() const { return range(kSize, 0); }
  UOp column() const { return range(kSize, 1); }
  UOp from(int slot, const UOp& gate = {}) const {
    const std::vector<UOp> place = {column()};
    return load(param(slot, {kSize}, kFloat), place, gate);
  }
  // p0[row] = Σ_column value
  UOp sum(const UOp& value) const {
    const std::vector<UOp> reduced = {column()}, place = {row()};
    const UOp total = reduce_ranges(value, ReduceOp::Add, reduced);
    const std::vector<UOp> roots = {
        make(Op::End, {store_at(param(0, {kSize}, kFloat), place, total), row()})};
    return sink(roots);
  }
  LoopLimits of_column(const UOp& kernel) const {
    const KernelSchedule plain = plain_schedule(kernel);
    return loop_limits(kernel, plain)[static_cast<size_t>(plain.find_base(column()))];
  }
};

TEST_F(Limits, OfATriangleAreItsDiagonal) {
  const LoopLimits limits = of_column(sum(from(1, lt(column(), row() + 1))));
  ASSERT_TRUE(limits.limit);
  EXPECT_FALSE(limits.first);
  EXPECT_EQ(limits.limit->by, 1);
  EXPECT_EQ(limits.limit->over.constant, 1);
  ASSERT_EQ(limits.limit->over.terms.size(), 1u);
  EXPECT_EQ(limits.limit->over.terms[0].term, row());
}
TEST_F(Limits, ComeFromEitherFactor) {
  const UOp gate = lt(column(), row());
  EXPECT_TRUE(of_column(sum(from(1, gate) * from(2))));
  EXPECT_TRUE(of_column(sum(from(1) * from(2, gate))));
}
TEST_F(Limits, DoNotComeFromOneOfTwoTerms) {
  EXPECT_FALSE(of_column(sum(from(1, lt(column(), row())) + from(2))));
}
TEST_F(Limits, AreNoneWhereLittleIsSaved) {
  EXPECT_FALSE(of_column(sum(from(1, lt(column(), row() + (kSize - 2))))));
}
// As the triangle of a matrix is written: a choice, by integers, in either order.
TEST_F(Limits, ComeFromChoicesByPlaces) {
  const UOp zero = constant(0.0, kFloat);
  const auto number = [](const UOp& r) { return cast(r, DType::Int64); };
  const UOp later = lt(number(row()), number(column()));
  const UOp below = lt(number(column()), number(row()) + 1);
  const LoopLimits limits = of_column(sum(from(1, lt(column(), row() + 1))));
  EXPECT_EQ(of_column(sum(where(later, zero, from(1)) * from(2))), limits);
  EXPECT_EQ(of_column(sum(where(below, from(1), zero) * from(2))), limits);
  EXPECT_EQ(of_column(sum(where(later ^ constant(1, DType::Bool), from(1), zero))), limits);
}
TEST_F(Limits, AreNotSaidByNumbersThatWrap) {
  const UOp r = cast(row(), DType::Int8), c = cast(column() * 4, DType::Int8);
  EXPECT_FALSE(of_column(sum(where(lt(c, r), from(1), constant(0.0, kFloat)))));
}
// A power by repeated squares is one node a square, but as many factors as its exponent.
TEST_F(Limits, AreFoundThroughHighPowers) {
  UOp power = from(1);
  for (int i = 0; i < 60; ++i) power = make(Op::Mul, {power, power});
  EXPECT_FALSE(of_column(sum(power)));
  EXPECT_TRUE(of_column(sum(power * from(2, lt(column(), row())))));
}

}  // namespace
}  // namespace tg
