// The rules of value graphs. Every data rule is fuzzed: both sides are built over leaves of every
// combination of dtypes that the ops accept and evaluated at random and at awkward values; they
// must agree to the bit. Rules that compute have cases.
#include "rules/algebra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tg/error.h"
#include "tg/ir/text.h"
#include "unit/rules/expr.h"

namespace tg {
namespace {

UOp leaf(int slot, DType t) { return load(param(slot, {1}, t), {{index_const(0)}}); }

Scalar random_scalar(DType t, std::mt19937_64& rng) {
  const double awkward[] = {0.0,       -0.0, 1,     -1,  2,   0.5,   INFINITY,
                            -INFINITY, NAN,  1e-40, 127, 255, 32767, 1e30};
  const uint64_t bits[] = {0,          1,          2,   ~uint64_t{0}, uint64_t{1} << 63,
                           0x7fffffff, 0x80000000, 128, 63,           64};
  if (is_float(t)) {
    return rng() % 2 == 0 ? Scalar::of_double(awkward[rng() % std::size(awkward)], t)
                          : Scalar::of_double(std::normal_distribution<double>(0, 10)(rng), t);
  }
  return rng() % 2 == 0 ? Scalar::of_uint(bits[rng() % std::size(bits)], t)
                        : Scalar::of_uint(rng() >> (rng() % 64), t);
}

bool needs_constant(int slot) { return slot >= patterns::c0->slot; }

// The rule on leaves of the dtypes that `bools` picks (bit: bool, else t) at many points; false if
// it does not apply to them.
bool check(const Rule& rule, DType t, unsigned bools, std::mt19937_64& rng) {
  bool applied = false;
  for (int round = 0; round < 6; ++round) {
    Match leaves;
    std::vector<UOp> keep;
    for (int s = 0; s < kMaxSlots; ++s) {
      const DType st = (bools >> s & 1) != 0 ? DType::Bool : t;
      keep.push_back(needs_constant(s) ? constant(random_scalar(st, rng)) : leaf(s, st));
      leaves.slots_[static_cast<size_t>(s)] = keep.back().node();
    }
    const UOp root_like = leaf(20, t);
    leaves.root_ = root_like.node();
    UOp left;
    try {
      left = instantiate(rule.lhs(), leaves);
    } catch (const DTypeError&) {
      return false;
    }
    const UOp right = rule.apply(left.node());
    if (!right) return applied;
    applied = true;
    for (int i = 0; i < 16; ++i) {
      test::Point p;
      for (const UOp& u : keep) {
        if (!u.is(Op::Const)) p[u.node()] = random_scalar(u.dtype(), rng);
      }
      const Scalar l = test::evaluate(left, p), r = test::evaluate(right, p);
      EXPECT_EQ(l, r) << rule.print() << "\n"
                      << print_expr(left) << " = " << l.str() << "\n"
                      << print_expr(right) << " = " << r.str();
      if (!(l == r)) return true;
    }
  }
  return applied;
}

std::vector<std::string> data_rules() {
  std::vector<std::string> names;
  for (const Rule& r : simple_rules().rules()) {
    if (r.is_data()) names.push_back(r.name());
  }
  return names;
}

std::string case_name(std::string rule) {
  for (char& c : rule) c = c == '-' ? '_' : c;
  return rule;
}

class DataRule : public testing::TestWithParam<std::string> {};

TEST_P(DataRule, BothSidesEvaluateTheSame) {
  const Rule& rule = *simple_rules().find(GetParam());
  std::mt19937_64 rng(11);
  bool applied = false;
  for (int t = static_cast<int>(DType::Index); t < kNumDTypes; ++t) {
    for (unsigned bools = 0; bools < 16; ++bools)
      applied = check(rule, static_cast<DType>(t), bools, rng) || applied;
  }
  EXPECT_TRUE(applied) << rule.print() << " never applied";
}

INSTANTIATE_TEST_SUITE_P(Simple, DataRule, testing::ValuesIn(data_rules()),
                         [](const auto& info) { return case_name(info.param); });

TEST(DataRuleFuzz, WouldSeeTheSignOfZero) {
  using namespace patterns;
  const Rule wrong = rule("wrong", x + 0, x);
  const UOp f = leaf(0, DType::Float32), sum = f + constant(0.0, DType::Float32);
  const UOp right = wrong.apply(sum.node());
  const test::Point p = {{f.node(), Scalar::of_double(-0.0, DType::Float32)}};
  EXPECT_NE(test::evaluate(sum, p), test::evaluate(right, p));
}

// ---- what simplify does, and what it must leave alone
const UOp i = leaf(0, DType::Int32), j = leaf(1, DType::Int32), f = leaf(2, DType::Float32),
          g = leaf(3, DType::Float32);
const UOp truth = leaf(4, DType::Bool), u8 = leaf(5, DType::UInt8), h = leaf(6, DType::Float16);
UOp fc(double v) { return constant(v, DType::Float32); }
UOp ic(int64_t v) { return constant(v, DType::Int32); }

struct Case {
  const char* name;
  UOp in, out;
};

class Simplify : public testing::TestWithParam<Case> {};

TEST_P(Simplify, Gives) {
  const UOp out = simplify(GetParam().in);
  EXPECT_EQ(out, GetParam().out) << print_expr(out) << "\nwanted " << print_expr(GetParam().out);
  EXPECT_EQ(simplify(out), out);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Simplify,
    testing::Values(
        Case{"FoldsIntegers", ic(3) * ic(4) + ic(5), ic(17)},
        Case{"FoldsFloats", fc(3) / fc(4), fc(0.75)},
        Case{"FoldsComparisons", lt(ic(3), ic(4)), constant(1, DType::Bool)},
        Case{"FoldsCasts", cast(fc(3.9), DType::Int32), ic(3)},
        Case{"FoldsInTheDTypesPrecision", fc(16777216) + fc(1), fc(16777216)},
        Case{"FoldsWrappingSums", ic(2147483647) + ic(1), ic(-2147483648LL)},
        Case{"FoldsShapedConstants",
             full({2, 3}, Scalar::of_int(3, DType::Int32)) +
                 full({2, 3}, Scalar::of_int(4, DType::Int32)),
             full({2, 3}, Scalar::of_int(7, DType::Int32))},
        Case{"FoldsLanes", make(Op::Splat, {fc(2)}, {{4}}) * make(Op::Splat, {fc(3)}, {{4}}),
             make(Op::Splat, {fc(6)}, {{4}})},
        Case{"KeepsWhatIsNotConstant", f + g, f + g},
        Case{"PutsConstantsSecond", ic(3) + i, i + ic(3)},
        Case{"KeepsConstantsFirstWhereOrderCounts", lt(ic(3), i), lt(ic(3), i)},
        Case{"JoinsConstantsOfIntegerSums", (i + ic(3)) + ic(4), i + ic(7)},
        Case{"DoesNotReassociateFloats", (f + fc(3)) + fc(4), (f + fc(3)) + fc(4)},
        Case{"KeepsFloatPlusZero", f + fc(0), f + fc(0)},
        Case{"DropsFloatPlusNegativeZero", f + fc(-0.0), f},
        Case{"KeepsFloatTimesZero", f* fc(0), f* fc(0)},
        Case{"DropsIntegerTimesZero", i* ic(0), ic(0)},
        Case{"KeepsFloatMinusItself", f - f, f + f* fc(-1)},
        Case{"DropsIntegerMinusItself", i - i, ic(0)},
        Case{"KeepsFloatNotEqualItself", ne(f, f), ne(f, f)},
        Case{"DecidesIntegerNotEqualItself", ne(i, i), constant(0, DType::Bool)},
        Case{"KeepsFloatLessThanItself", lt(f, f), lt(f, f)},
        Case{"JoinsExactCasts", cast(cast(h, DType::Float32), DType::Float64),
             cast(h, DType::Float64)},
        Case{"DropsExactRoundTrips", cast(cast(u8, DType::Int32), DType::UInt8), u8},
        Case{"KeepsCastsThatRound", cast(cast(f, DType::Float16), DType::Float32),
             cast(cast(f, DType::Float16), DType::Float32)},
        Case{"KeepsCastsThatWrap", cast(cast(i, DType::UInt8), DType::Int32),
             cast(cast(i, DType::UInt8), DType::Int32)},
        Case{"KeepsTruncatingCasts", cast(cast(f, DType::Int32), DType::Float32),
             cast(cast(f, DType::Int32), DType::Float32)},
        Case{"DropsCastToItself", make(Op::Cast, {f}, {}, DType::Float32), f},
        Case{"CastsConstantArms", cast(where(truth, fc(1), fc(0)), DType::Int32),
             where(truth, ic(1), ic(0))},
        Case{"KeepsCastOfOtherArms", cast(where(truth, f, fc(0)), DType::Int32),
             cast(where(truth, f, fc(0)), DType::Int32)},
        Case{"DropsBitcastRoundTrips", bitcast(bitcast(f, DType::Int32), DType::Float32), f},
        Case{"KeepsBitcastsThroughFloats", bitcast(bitcast(i, DType::Float32), DType::Int32),
             bitcast(bitcast(i, DType::Float32), DType::Int32)},
        Case{"DropsBitcastToItself", make(Op::Bitcast, {f}, {}, DType::Float32), f},
        Case{"SwapsArmsOfNegations", where(logical_not(truth), f, g), where(truth, g, f)},
        Case{"TakesExponentialsOfMasks", make(Op::Exp2, {where(truth, f, fc(-INFINITY))}),
             where(truth, make(Op::Exp2, {f}), fc(0))},
        Case{"ScalesMasks", where(truth, fc(-INFINITY), f) * fc(-2),
             where(truth, fc(INFINITY), f* fc(-2))},
        Case{"KeepsScalesOfOtherChoices", where(truth, fc(3), f) * fc(2),
             where(truth, fc(3), f) * fc(2)},
        Case{"SelectsByConstants", where(lt(ic(3), ic(4)), f, g), f},
        Case{"IntegersDividedByZeroAreZero", idiv(i, ic(0)), ic(0)},
        Case{"SimplifiesUnderReductions",
             reduce(full({4}, Scalar::of_int(1, DType::Int32)) *
                        full({4}, Scalar::of_int(2, DType::Int32)),
                    ReduceOp::Add, {{0}}),
             reduce(full({4}, Scalar::of_int(2, DType::Int32)), ReduceOp::Add, {{0}})}),
    [](const auto& info) { return std::string(info.param.name); });

// A cast is exact when every value comes back.
class ExactCast : public testing::TestWithParam<int> {};

TEST_P(ExactCast, MeansThatEveryValueComesBack) {
  const auto from = static_cast<DType>(GetParam());
  std::mt19937_64 rng(5);
  for (int k = static_cast<int>(DType::Index); k < kNumDTypes; ++k) {
    const auto to = static_cast<DType>(k);
    if (!cast_is_exact(from, to)) continue;
    for (int round = 0; round < 200; ++round) {
      const Scalar v = random_scalar(from, rng);
      EXPECT_EQ(v.cast(to).cast(from), v)
          << dtype_name(from) << " " << dtype_name(to) << " " << v.str();
    }
  }
  EXPECT_TRUE(cast_is_exact(from, from));
}

INSTANTIATE_TEST_SUITE_P(DTypes, ExactCast,
                         testing::Range(static_cast<int>(DType::Index), kNumDTypes),
                         [](const auto& info) {
                           return std::string(dtype_name(static_cast<DType>(info.param)));
                         });

// ---- random graphs as a whole
class GraphFuzz : public testing::TestWithParam<int> {};

UOp random_value(DType t, int depth, std::mt19937_64& rng) {
  if (depth == 0) {
    return rng() % 3 == 0
               ? constant(rng() % 2 == 0 ? Scalar::of_int(static_cast<int64_t>(rng() % 3) - 1, t)
                                         : random_scalar(t, rng))
               : leaf(static_cast<int>(t) * 2 + static_cast<int>(rng() % 2), t);
  }
  constexpr DType kTypes[] = {DType::Int32, DType::UInt8, DType::Float32, DType::Float16,
                              DType::Bool};
  auto sub = [&](DType st) { return random_value(st, depth - 1, rng); };
  const DType other = kTypes[rng() % 5];
  switch (rng() % 8) {
    case 0:
      return sub(t) + sub(t);
    case 1:
      return sub(t) * sub(t);
    case 2:
      return maximum(sub(t), sub(t));
    case 3:
      return where(sub(DType::Bool), sub(t), sub(t));
    case 4:
      return cast(sub(other), t);
    case 5: {
      if (!is_bool(t)) return is_float(t) ? sub(t) / sub(t) : idiv(sub(t), sub(t));
      const UOp a = sub(other), b = sub(other);
      return rng() % 2 == 0 ? lt(a, b) : ne(a, b);
    }
    case 6:
      return is_float(t) ? sqrt(sub(t)) : sub(t) ^ sub(t);
    default:
      return is_float(t) ? -sub(t) : rng() % 2 == 0 ? sub(t) & sub(t) : sub(t) | sub(t);
  }
}

TEST_P(GraphFuzz, SimplifiedGraphsEvaluateTheSame) {
  for (int round = 0; round < 60; ++round) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 100 + static_cast<uint64_t>(round);
    std::mt19937_64 rng(seed);
    constexpr DType kTypes[] = {DType::Int32, DType::UInt8, DType::Float32, DType::Float16,
                                DType::Bool};
    const UOp before = random_value(kTypes[rng() % 5], 2 + static_cast<int>(rng() % 4), rng),
              after = simplify(before);
    EXPECT_EQ(simplify(after), after) << "seed " << seed;
    for (int i = 0; i < 20; ++i) {
      test::Point p;
      for (const Node* n : toposort(before)) {
        if (n->op == Op::Load) p[n] = random_scalar(n->dtype, rng);
      }
      ASSERT_EQ(test::evaluate(after, p), test::evaluate(before, p)) << "seed " << seed << "\n"
                                                                     << print_expr(before) << "\n"
                                                                     << print_expr(after);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GraphFuzz, testing::Range(0, 12));

}  // namespace
}  // namespace tg
