// Bounds of integer, index and bool expressions against brute force: what an expression evaluates
// to lies within its bounds, and the bounds are as narrow as the record's rule promises. The rules
// alone, without dtypes and graphs: tests/unit/uop/record_test.cpp.
#include "rules/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tg/ir/text.h"
#include "unit/rules/expr.h"

namespace tg {
namespace {

constexpr int64_t kMin = Interval::kMin, kMax = Interval::kMax;
constexpr DType kIntegers[] = {DType::Index,  DType::Int8,   DType::UInt8,
                               DType::Int16,  DType::UInt16, DType::Int32,
                               DType::UInt32, DType::Int64,  DType::UInt64};

std::string text(Interval i) {
  return "[" + std::to_string(i.lo) + ", " + std::to_string(i.hi) + "]";
}

UOp value(int slot, DType t) { return load(param(slot, {1}, t), {{index_const(0)}}); }

// The number that an interval speaks of: all values from 2⁶³ on are its open end.
int64_t number(const Scalar& v) {
  return v.dtype() == DType::UInt64 ? static_cast<int64_t>(std::min(v.u64(), uint64_t{kMax}))
                                    : v.i64();
}

// At most six values, where the values of the dtype end, at powers of two, around zero, anywhere.
Interval small_interval(DType t, std::mt19937_64& rng) {
  if (is_bool(t)) {
    const auto lo = static_cast<int64_t>(rng() % 2);
    return {lo, std::max(lo, static_cast<int64_t>(rng() % 2))};
  }
  const Interval all = dtype_interval(t);
  const int64_t power = int64_t{1} << (rng() % 63), any = static_cast<int64_t>(rng());
  const int64_t anchors[] = {0, 0, 0, all.lo, all.hi, power, -power, any};
  const int64_t anchor = std::clamp(anchors[rng() % std::size(anchors)], all.lo, all.hi);
  const auto below = static_cast<int64_t>(rng() % 3), above = static_cast<int64_t>(rng() % 4);
  return {anchor < all.lo + below ? all.lo : anchor - below,
          anchor > all.hi - above ? all.hi : anchor + above};
}

std::vector<Scalar> values_of(Interval i, DType t) {
  std::vector<Scalar> values;
  for (auto v = static_cast<uint64_t>(i.lo); v != static_cast<uint64_t>(i.hi) + 1; ++v)
    values.push_back(Scalar::of_uint(v, t));
  if (t == DType::UInt64 && i.hi == kMax) {
    values.push_back(Scalar::of_uint(uint64_t{1} << 63, t));
    values.push_back(Scalar::of_uint(~uint64_t{0}, t));
  }
  return values;
}

// Sums and products as numbers, which the dtype may not hold; where int64 does not either, its end.
int64_t result_number(Op op, const Scalar& x, const Scalar& y, const Scalar& result) {
  if (is_bool(x.dtype())) return number(result);
  if (op == Op::Add) return saturating_add(number(x), number(y));
  return op == Op::Mul ? saturating_mul(number(x), number(y)) : number(result);
}

struct BoundsOf : testing::TestWithParam<Op> {
  // The bounds of op(x, y) for x in `a` and y in `b`.
  static Interval bounds_of(Op op, DType t, Interval a, Interval b) {
    const UOp x = value(0, t), y = value(1, t);
    Bounds bounds;
    bounds.assume(x, a);
    bounds.assume(y, b);
    return bounds(make(op, {x, y}));
  }
  static void for_each_result(DType t, Interval a, Interval b, auto&& check) {
    const DType result = in_group(GetParam(), kComparison) ? DType::Bool : t;
    for (const Scalar& x : values_of(a, t)) {
      for (const Scalar& y : values_of(b, t))
        check(x, y, record(GetParam()).eval(std::array{x, y}, result, {}));
    }
  }
  // `check` with random small intervals of all dtypes.
  static void for_each_pair(bool bools, auto&& check) {
    std::mt19937_64 rng(5);
    for (int i = 0; i < 20000; ++i) {
      const auto n = rng() % (std::size(kIntegers) + (bools ? 1 : 0));
      const DType t = n == std::size(kIntegers) ? DType::Bool : kIntegers[n];
      const Interval a = small_interval(t, rng), b = small_interval(t, rng);
      SCOPED_TRACE(testing::Message()
                   << op_name(GetParam()) << " of " << dtype_name(t) << " in " << text(a) << " and "
                   << text(b) << " is in " << text(bounds_of(GetParam(), t, a, b)));
      check(t, a, b);
      if (testing::Test::HasFailure()) return;
    }
  }
};

TEST_P(BoundsOf, ContainEveryResult) {
  const bool bools = GetParam() != Op::IDiv && GetParam() != Op::Mod;
  for_each_pair(bools, [](DType t, Interval a, Interval b) {
    const Interval i = bounds_of(GetParam(), t, a, b);
    for_each_result(t, a, b, [&](const Scalar& x, const Scalar& y, const Scalar& v) {
      // What an index overflows to is not said.
      const int64_t n = t == DType::Index ? result_number(GetParam(), x, y, v) : number(v);
      ASSERT_TRUE(i.contains(n)) << x.str() << " and " << y.str() << " give " << v.str();
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Binary, BoundsOf,
                         testing::Values(Op::Add, Op::Mul, Op::Max, Op::CmpLt, Op::CmpNe, Op::And,
                                         Op::Or, Op::Xor, Op::IDiv, Op::Mod),
                         [](const auto& i) { return std::string(op_name(i.param)); });

// ---- no wider than need be
using NarrowBoundsOf = BoundsOf;

TEST_P(NarrowBoundsOf, AreTheResultsOrAllOfTheDTypeWhereOneMayWrap) {
  for_each_pair(true, [](DType t, Interval a, Interval b) {
    Interval hull{kMax, kMin};
    bool wraps = false;
    for_each_result(t, a, b, [&](const Scalar& x, const Scalar& y, const Scalar& v) {
      const int64_t n = result_number(GetParam(), x, y, v);
      hull = {std::min(hull.lo, n), std::max(hull.hi, n)};
      wraps = wraps || (t != DType::Index && n != number(v));
    });
    // What reaches the limits of int64 may be more than they say.
    if (dtype_size(t) == 8 && !hull.bounded()) return;
    EXPECT_EQ(bounds_of(GetParam(), t, a, b), wraps ? dtype_interval(t) : hull) << text(hull);
  });
}

INSTANTIATE_TEST_SUITE_P(Binary, NarrowBoundsOf,
                         testing::Values(Op::Add, Op::Mul, Op::Max, Op::CmpLt, Op::CmpNe),
                         [](const auto& i) { return std::string(op_name(i.param)); });

using PositiveBoundsOf = BoundsOf;

// The record's own promise: quotients to the number, remainders below the divisor, an and below
// both, no bit above the highest of an or.
TEST_P(PositiveBoundsOf, KeepThePromiseOfTheirRule) {
  for_each_pair(false, [](DType t, Interval a, Interval b) {
    if (b.lo <= 0 || !a.bounded() || !b.bounded()) return;
    const Interval i = bounds_of(GetParam(), t, a, b);
    Interval hull{kMax, kMin};
    for_each_result(t, a, b, [&](const Scalar&, const Scalar&, const Scalar& v) {
      hull = {std::min(hull.lo, number(v)), std::max(hull.hi, number(v))};
    });
    if (GetParam() == Op::IDiv) {
      EXPECT_EQ(i, hull);
    } else if (GetParam() == Op::Mod) {
      const bool one_block = b.is_point() && floor_div(a.lo, b.lo) == floor_div(a.hi, b.lo);
      const bool whole = a.lo >= 0 && a.hi < b.lo;
      EXPECT_EQ(i, one_block || whole ? hull : (Interval{0, b.hi - 1}));
    } else if (a.lo >= 0 && GetParam() == Op::And) {
      EXPECT_EQ(i, (Interval{0, std::min(a.hi, b.hi)}));
    } else if (a.lo >= 0 && std::max(a.hi, b.hi) <= kMax / 2) {
      const int64_t most = std::max(a.hi, b.hi);
      EXPECT_EQ(i.lo, 0);
      EXPECT_TRUE(i.hi >= most && i.hi / 2 < most) << "one bit too many";
      EXPECT_EQ(i.hi & (i.hi + 1), 0) << "all bits below the highest";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Binary, PositiveBoundsOf,
                         testing::Values(Op::And, Op::Or, Op::Xor, Op::IDiv, Op::Mod),
                         [](const auto& i) { return std::string(op_name(i.param)); });

// ---- selections, conversions, constants, leaves
TEST(Bounds, OfASelectionAreThoseOfBothArms) {
  std::mt19937_64 rng(6);
  for (int round = 0; round < 2000; ++round) {
    const DType t = kIntegers[rng() % std::size(kIntegers)];
    const Interval a = small_interval(t, rng), b = small_interval(t, rng);
    const UOp x = value(0, t), y = value(1, t);
    Bounds bounds;
    bounds.assume(x, a);
    bounds.assume(y, b);
    const Interval i = bounds(where(value(2, DType::Bool), x, y));
    const Interval both{std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    SCOPED_TRACE(testing::Message() << dtype_name(t) << text(a) << text(b) << text(i));
    ASSERT_TRUE(i.contains(both.lo) && i.contains(both.hi));
    if (both.bounded()) {
      ASSERT_EQ(i, both);
    }
  }
}

TEST(Bounds, OfACastAreTheSourcesWhereTheDTypeHoldsThemElseAllOfTheDType) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 20000; ++round) {
    const DType from = kIntegers[rng() % std::size(kIntegers)];
    const DType to = kIntegers[rng() % std::size(kIntegers)];
    if (from == to) continue;
    const Interval a = small_interval(from, rng);
    const UOp x = value(0, from);
    Bounds bounds;
    bounds.assume(x, a);
    const Interval i = bounds(cast(x, to));
    SCOPED_TRACE(testing::Message() << dtype_name(from) << " in " << text(a) << " as "
                                    << dtype_name(to) << " is in " << text(i));
    bool wraps = false;
    for (const Scalar& v : values_of(a, from)) {
      ASSERT_TRUE(i.contains(number(v.cast(to)))) << v.str();
      wraps = wraps || number(v.cast(to)) != number(v);
    }
    if (wraps || a.bounded()) {
      ASSERT_EQ(i, wraps ? dtype_interval(to) : a);
    }
  }
}

TEST(Bounds, OfACastOfWhatIsNoIntegerAreAllOfTheDType) {
  for (DType t : kIntegers) {
    EXPECT_EQ(bounds(cast(value(0, DType::Float32), t)), dtype_interval(t)) << dtype_name(t);
    EXPECT_EQ(bounds(cast(value(0, DType::Bool), t)), (Interval{0, 1})) << dtype_name(t);
  }
  EXPECT_EQ(bounds(cast(constant(7, DType::Int32), DType::Bool)), (Interval{0, 1}));
}

TEST(Bounds, OfADTypeEndWhereItsValuesWrap) {
  for (DType t : kIntegers) {
    if (t == DType::Index || dtype_size(t) == 8) continue;
    const Interval i = dtype_interval(t);
    EXPECT_EQ(Scalar::of_int(i.lo, t).i64(), i.lo) << dtype_name(t);
    EXPECT_EQ(Scalar::of_int(i.hi, t).i64(), i.hi) << dtype_name(t);
    EXPECT_EQ(Scalar::of_int(i.lo - 1, t).i64(), i.hi) << dtype_name(t);
    EXPECT_EQ(Scalar::of_int(i.hi + 1, t).i64(), i.lo) << dtype_name(t);
  }
  EXPECT_EQ(dtype_interval(DType::Bool), (Interval{0, 1}));
  EXPECT_EQ(dtype_interval(DType::UInt64), (Interval{0, kMax}));
  for (DType t : {DType::Index, DType::Int64, DType::Float32, DType::Fp8E4M3})
    EXPECT_EQ(dtype_interval(t), Interval{}) << dtype_name(t);
}

TEST(Bounds, OfConstantsAreTheirValue) {
  for (DType t : kIntegers) {
    for (int64_t v : {int64_t{0}, int64_t{100}, dtype_interval(t).lo, dtype_interval(t).hi}) {
      if (t == DType::UInt64 && v == kMax) continue;
      EXPECT_EQ(bounds(constant(v, t)), (Interval{v, v})) << dtype_name(t);
    }
  }
  EXPECT_EQ(bounds(constant(1, DType::Bool)), (Interval{1, 1}));
  EXPECT_EQ(bounds(constant(1.0, DType::Float32)), Interval{});
}

// A point would say that all of them are one.
TEST(Bounds, OfUInt64BeyondInt64AreNoPoint) {
  for (uint64_t v : {uint64_t{kMax}, uint64_t{1} << 63, ~uint64_t{0}}) {
    const UOp c = constant(Scalar::of_uint(v, DType::UInt64));
    EXPECT_EQ(bounds(c).hi, kMax);
    EXPECT_FALSE(bounds(c).is_point());
    EXPECT_EQ(bounds(lt(c, value(0, DType::UInt64))), (Interval{0, 1}));
    EXPECT_EQ(bounds(lt(constant(5, DType::UInt64), c)), (Interval{1, 1}));
  }
}

TEST(Bounds, OfLeavesAreWhatTheyDeclare) {
  const UOp n = variable("n", -3, 9), positive = variable("m", 2, 9);
  EXPECT_EQ(bounds(n), (Interval{-3, 9}));
  EXPECT_EQ(bounds(bind(n, 4)), (Interval{-3, 9})) << "plans are made for every value";
  EXPECT_EQ(bounds(range(12, 0)), (Interval{0, 11}));
  EXPECT_EQ(bounds(range(positive, 0)), (Interval{0, 8}));
  EXPECT_EQ(bounds(range(value(0, DType::Index), 0)), (Interval{0, kMax}));
  for (DType t : kIntegers) EXPECT_EQ(bounds(value(0, t)), dtype_interval(t)) << dtype_name(t);
}

TEST(Bounds, OfOperationsWithoutARuleAreAllOfTheDType) {
  const UOp one = constant(1, DType::UInt8);
  EXPECT_EQ(bounds(shl(one, one)), (Interval{0, 255}));
  EXPECT_EQ(bounds(fma(one, one, one)), (Interval{0, 255}));
  EXPECT_EQ(bounds(lt(value(0, DType::Float32), value(1, DType::Float32))), (Interval{0, 1}));
  EXPECT_EQ(bounds(value(0, DType::Float32) + value(1, DType::Float32)), Interval{});
}

// ---- what is assumed
TEST(Bounds, TakeAllThatIsAssumedTogether) {
  const UOp x = value(0, DType::Int32);
  Bounds bounds;
  EXPECT_EQ(bounds(x * 2), dtype_interval(DType::Int32));
  bounds.assume(x, {0, 100});
  EXPECT_EQ(bounds(x * 2), (Interval{0, 200})) << "what was answered before is forgotten";
  bounds.assume(x, {-5, 9});
  EXPECT_EQ(bounds(x * 2), (Interval{0, 18}));
  bounds.assume(x * 2, {4, kMax});
  EXPECT_EQ(bounds(x * 2 + x), (Interval{4, 27})) << "of inner nodes too";
}

// ---- graphs
// A random expression over values, variables and constants, of a random dtype.
class Expressions {
 public:
  explicit Expressions(uint64_t seed) : rng_(seed) {
    for (DType t : kIntegers) {
      for (int k = 0; k < 2; ++k)
        leaf(value(2 * static_cast<int>(t) + k, t), small_interval(t, rng_));
    }
    const Interval i = small_interval(DType::Int16, rng_);
    leaf(variable("n", i.lo, i.hi), i);
    leaf(value(40, DType::Bool), {0, 1});
  }

  UOp of(DType t, int depth) {
    if (depth == 0 || rng_() % 8 == 0) return any_leaf(t);
    const auto sub = [&] { return of(t, depth - 1); };
    const UOp a = sub(), b = sub();
    switch (rng_() % (is_bool(t) ? 8 : 10)) {
      case 0:
        return a + b;
      case 1:
        return a * b;
      case 2:
        return maximum(a, b);
      case 3:
        return where(of(DType::Bool, depth - 1), a, b);
      case 4:
        return rng_() % 2 == 0 ? a & b : a | b;
      case 5:
        return a ^ b;
      case 6:
      case 7: {
        const DType other = kIntegers[rng_() % std::size(kIntegers)];
        const UOp x = of(other, depth - 1);
        return is_bool(t) ? rng_() % 2 == 0 ? lt(x, of(other, depth - 1)) : ne(x, any_leaf(other))
                          : cast(x, t);
      }
      case 8:
        return idiv(a, b);
      default:
        return mod(a, b);
    }
  }

  test::Point point() {
    test::Point p;
    for (const auto& [leaf, interval] : leaves_) {
      const std::vector<Scalar> values = values_of(interval, leaf.dtype());
      p[leaf.node()] = values[rng_() % values.size()];
    }
    return p;
  }

  void tell(Bounds& bounds) const {
    for (const auto& [leaf, interval] : leaves_) bounds.assume(leaf, interval);
  }

 private:
  void leaf(const UOp& u, Interval i) { leaves_.emplace_back(u, i); }
  UOp any_leaf(DType t) {
    if (rng_() % 3 == 0) return constant(static_cast<int64_t>(rng_() % 9) - 2, t);
    while (true) {
      const UOp& u = leaves_[rng_() % leaves_.size()].first;
      if (u.dtype() == t) return u;
    }
  }

  std::mt19937_64 rng_;
  std::vector<std::pair<UOp, Interval>> leaves_;
};

// The nodes before the first whose value Index does not hold: what it overflows to is not said.
std::vector<const Node*> meaningful(const UOp& e, const auto& value_of) {
  std::vector<const Node*> out;
  for (const Node* n : toposort(e)) {
    const auto v = value_of.find(n);
    if (v == value_of.end()) continue;
    if (n->dtype == DType::Index && (n->op == Op::Add || n->op == Op::Mul)) {
      const Scalar &x = value_of.at(n->src()[0]), &y = value_of.at(n->src()[1]);
      if (result_number(n->op, x, y, v->second) != v->second.i64()) break;
    }
    out.push_back(n);
  }
  return out;
}

class BoundsFuzz : public testing::TestWithParam<int> {};

TEST_P(BoundsFuzz, ContainTheValueOfEveryNode) {
  for (int round = 0; round < 400; ++round) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1000 + static_cast<uint64_t>(round);
    Expressions expressions(seed);
    const UOp e = expressions.of(kIntegers[seed % std::size(kIntegers)], 4);
    Bounds bounds;
    expressions.tell(bounds);
    for (int i = 0; i < 10; ++i) {
      const auto value_of = test::evaluate_all(e, expressions.point());
      for (const Node* n : meaningful(e, value_of)) {
        const Scalar v = value_of.at(n);
        ASSERT_TRUE(bounds(n).contains(number(v)))
            << "seed " << seed << ": " << v.str() << " outside " << text(bounds(n)) << "\n"
            << print_expr(UOp::share(n));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BoundsFuzz, testing::Range(0, 12));

TEST(Bounds, OfVeryDeepChainsAreFound) {
  UOp x = range(4, 0);
  for (int i = 0; i < 200000; ++i) x = x + index_const(1);
  EXPECT_EQ(bounds(x), (Interval{200000, 200003}));
}

}  // namespace
}  // namespace tg
