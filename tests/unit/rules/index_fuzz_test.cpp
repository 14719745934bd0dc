// Random index expressions and gates over small ranges: the simplified form has the same value at
// every point, is a fixed point, and its bounds hold.
#include <gtest/gtest.h>

#include <random>

#include "rules/index.h"
#include "unit/rules/expr.h"
#include "uop/text.h"

namespace tg {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed) {
    const int n = pick(1, 3);
    for (int i = 0; i < n; ++i) ranges_.push_back(range(pick(1, 12), i));
  }

  const std::vector<UOp>& ranges() const { return ranges_; }

  UOp index(int depth) {
    if (depth == 0)
      return pick(0, 3) == 0 ? index_const(pick(-9, 30))
                             : ranges_[size_t(pick(0, int(ranges_.size()) - 1))];
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2:
        return index(depth - 1) + index(depth - 1);
      case 3:
        return index(depth - 1) * index_const(pick(-4, 12));
      case 4:
      case 5:
        return idiv(index(depth - 1), index_const(factor()));
      case 6:
      case 7:
        return mod(index(depth - 1), index_const(factor()));
      case 8:
        return maximum(index(depth - 1), index(depth - 1));
      default:
        return where(gate(depth - 1), index(depth - 1), index(depth - 1));
    }
  }

  UOp gate(int depth) {
    if (depth <= 0) return lt(index(0), index(0));
    switch (pick(0, 5)) {
      case 0:
        return gate(depth - 1) & gate(depth - 1);
      case 1:
        return gate(depth - 1) | gate(depth - 1);
      case 2:
        return logical_not(gate(depth - 1));
      case 3:
        return ne(index(depth - 1), index(depth - 1));
      case 4:
        return gate(depth - 1) ^ gate(depth - 1);
      default:
        return lt(index(depth - 1), index(depth - 1));
    }
  }

 private:
  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng_); }
  int factor() {
    constexpr int kFactors[] = {1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 8, 12, 12, 24};
    return kFactors[pick(0, 13)];
  }

  std::mt19937_64 rng_;
  std::vector<UOp> ranges_;
};

void for_each_point(const std::vector<UOp>& ranges, auto&& visit) {
  std::vector<int64_t> at(ranges.size(), 0);
  while (true) {
    test::Point p;
    for (size_t i = 0; i < ranges.size(); ++i)
      p[ranges[i].node()] = Scalar::of_int(at[i], DType::Index);
    visit(p);
    size_t axis = 0;
    while (axis < at.size() && ++at[axis] == ranges[axis].src_node(0)->arg()[0]) at[axis++] = 0;
    if (axis == at.size()) return;
  }
}

class IndexFuzz : public testing::TestWithParam<int> {};

TEST_P(IndexFuzz, SimplifiedFormsKeepTheirValueAtEveryPoint) {
  for (int i = 0; i < 250; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1000 + static_cast<uint64_t>(i);
    Generator g(seed);
    const UOp before = i % 3 == 0 ? g.gate(3) : g.index(2 + i % 4);
    const UOp after = simplify_index(before);
    SCOPED_TRACE(testing::Message() << "seed " << seed << "\nbefore " << print_expr(before)
                                    << "\nafter  " << print_expr(after));
    const UOp again = simplify_index(after);
    ASSERT_EQ(again, after) << "not a fixed point: " << print_expr(again);
    const Interval b = bounds(before), a = bounds(after);
    for_each_point(g.ranges(), [&](const test::Point& p) {
      const int64_t v = test::evaluate(before, p).i64();
      ASSERT_EQ(test::evaluate(after, p).i64(), v);
      ASSERT_TRUE(b.contains(v) && a.contains(v))
          << v << " outside [" << b.lo << "," << b.hi << "]";
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexFuzz, testing::Range(0, 16));

}  // namespace
}  // namespace tg
