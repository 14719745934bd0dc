// Random index expressions and gates over small ranges: the simplified form has the same value at
// every point, is a fixed point, and its bounds hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "rules/index.h"
#include "tg/ir/text.h"
#include "unit/rules/expr.h"
#include "uop/shape.h"

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

// ---- reshapes there and back
Shape random_shape(std::vector<int64_t>& primes, std::mt19937_64& rng) {
  std::shuffle(primes.begin(), primes.end(), rng);
  Shape shape;
  for (size_t i = 0; i < primes.size();) {
    shape.push_back(1);
    for (uint64_t n = 1 + rng() % 3; n > 0 && i < primes.size(); --n) shape.back() *= primes[i++];
  }
  return shape;
}

std::vector<UOp> reshaped(const std::vector<UOp>& index, const Shape& from, const Shape& to,
                          IndexSimplifier& simplify) {
  UOp flat = index_const(0);
  const std::vector<Dim> in = strides_of(from), out = strides_of(to);
  for (size_t i = 0; i < from.size(); ++i) flat = flat + index[i] * index_const(in[i]);
  std::vector<UOp> result;
  for (size_t i = 0; i < to.size(); ++i) {
    result.push_back(simplify(mod(idiv(flat, index_const(out[i])), index_const(to[i]))));
  }
  return result;
}

class ReshapeFuzz : public testing::TestWithParam<int> {};

TEST_P(ReshapeFuzz, ChainsThatReturnToTheirShapeVanish) {
  std::mt19937_64 rng(static_cast<uint64_t>(GetParam()));
  constexpr int64_t kPrimes[] = {2, 2, 2, 3, 3, 5, 7};
  for (int round = 0; round < 50; ++round) {
    std::vector<int64_t> primes;
    for (uint64_t n = 2 + rng() % 5; n > 0; --n) primes.push_back(kPrimes[rng() % 7]);
    const Shape first = random_shape(primes, rng);
    std::vector<UOp> ranges;
    for (Dim d : first) ranges.push_back(range(d, static_cast<int64_t>(ranges.size())));
    IndexSimplifier simplify;
    std::vector<UOp> index = ranges;
    Shape at = first;
    std::string path = format_shape(first);
    for (uint64_t steps = 1 + rng() % 3; steps > 0; --steps) {
      const Shape next = random_shape(primes, rng);
      index = reshaped(index, at, next, simplify);
      at = next;
      path += " " + format_shape(next);
    }
    EXPECT_EQ(reshaped(index, at, first, simplify), ranges)
        << "seed " << GetParam() << ": " << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReshapeFuzz, testing::Range(0, 8));

}  // namespace
}  // namespace tg
