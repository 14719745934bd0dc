// Indices under gates: golden cases, and the fuzz that compares wherever the gate holds.
#include "rules/valid.h"

#include <gtest/gtest.h>

#include <random>

#include "tg/ir/text.h"
#include "unit/rules/expr.h"

namespace tg {
namespace {

const UOp i = range(10, 0), j = range(12, 1), r = range(100, 2);
UOp k(int64_t v) { return index_const(v); }
UOp between(const UOp& x, int64_t lo, int64_t hi) { return ge(x, k(lo)) & lt(x, k(hi)); }

struct Case {
  const char* name;
  UOp gate, index;
  const char* out;
};

class UnderGate : public testing::TestWithParam<Case> {};

TEST_P(UnderGate, Simplifies) {
  const Case& c = GetParam();
  const UOp out = simplify_under(c.gate, c.index);
  EXPECT_EQ(print_expr(out), c.out);
  EXPECT_EQ(simplify_under(c.gate, out), out);
}

INSTANTIATE_TEST_SUITE_P(
    Table, UnderGate,
    testing::Values(
        Case{"UpperBoundRemovesModulo", lt(r, k(7)), mod(r, k(7)), "r2"},
        Case{"LowerBoundRemovesDivision", ge(r, k(96)), idiv(r, k(8)), "12"},
        Case{"EqualityGivesAConstant", eq(r, k(5)), r* k(2), "10"},
        Case{"BoundsOfASumAreKnown", between(i + j, 4, 8), idiv(i + j, k(4)), "1"},
        Case{"BoundsOfAQuotientAndMoreAreKnown", between(r - i * 2, -1, 79),
             mod(idiv(r + k(1), k(2)) - i, k(40)), "r0*-1 + (r2 + 1)/2"},
        Case{"BoundsOfANegatedSumAreKnown", between(i - j, 0, 4), idiv(j - i + k(3), k(4)), "0"},
        Case{"BoundsOfADividendAreKnown", between(i - j, 0, 8), mod(idiv(i - j, k(2)), k(4)),
             "(r0 + r1*-1)/2"},
        Case{"BoundsOfAShiftedSumAreKnown", between(i + j - k(1), 0, 8), mod(i + j + k(7), k(8)),
             "r0 + r1 - 1"},
        Case{"ScaledSumBoundsEachTerm", lt(r* k(10) + i, k(20)), idiv(r, k(2)), "0"},
        Case{"ScaledSumBoundsEachFactor", lt(r* k(10) + j * k(10), k(25)), maximum(r, k(2)), "2"},
        Case{"NegativeTermsAreBounded", lt(k(90), r), maximum(r, k(90)), "r2"},
        Case{"FalseGateChangesNothing", lt(r, k(0)), mod(r, k(7)), "r2%7"},
        Case{"TrueGateChangesNothing", lt(r, k(100)), mod(r, k(7)), "r2%7"},
        Case{"DisjunctionsAreIgnored", lt(r, k(5)) | lt(k(50), r), mod(r, k(7)), "r2%7"}),
    [](const auto& info) { return std::string(info.param.name); });

struct GateCase {
  const char* name;
  UOp gate;
  const char* out;
};

class GateGolden : public testing::TestWithParam<GateCase> {};

TEST_P(GateGolden, Simplifies) {
  const UOp out = simplify_gate(GetParam().gate);
  EXPECT_EQ(print_expr(out), GetParam().out);
  EXPECT_EQ(simplify_gate(out), out);
}

INSTANTIATE_TEST_SUITE_P(
    Table, GateGolden,
    testing::Values(GateCase{"WeakerUpperBoundsAreDropped", lt(r, k(7)) & lt(r, k(9)), "r2 < 7"},
                    GateCase{"WeakerLowerBoundsAreDropped", ge(r, k(7)) & ge(r, k(9)), "!(r2 < 9)"},
                    GateCase{"BothEndsStay", between(r, 3, 9), "r2 < 9 & !(r2 < 3)"},
                    GateCase{"ContradictionsAreFalse", ge(r, k(9)) & lt(r, k(3)), "false"},
                    GateCase{"BoundsDropConjuncts", lt(i, k(10)) & lt(r, k(3)), "r2 < 3"},
                    GateCase{"ImpliedSumsAreDropped", lt(i, k(3)) & lt(j, k(3)) & lt(i + j, k(5)),
                             "r0 < 3 & r1 < 3"},
                    GateCase{"InequalityOutsideTheBoundIsDropped", lt(r, k(7)) & ne(r, k(8)),
                             "r2 < 7"},
                    GateCase{"ConstantsStay", constant(1, DType::Bool), "true"}),
    [](const auto& info) { return std::string(info.param.name); });

class GateFuzz : public testing::TestWithParam<int> {};

TEST_P(GateFuzz, FormsAgreeWhereverTheGateHolds) {
  for (int round = 0; round < 60; ++round) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 100 + static_cast<uint64_t>(round);
    std::mt19937_64 rng(seed);
    auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
    const UOp x = range(pick(2, 12), 0), y = range(pick(2, 12), 1);
    auto sum = [&] { return x * k(pick(-3, 5)) + y * k(pick(-3, 5)) + k(pick(-10, 10)); };
    UOp gate = lt(sum(), k(pick(-5, 20)));
    for (int more = pick(0, 3); more > 0; --more) {
      gate = gate & (pick(0, 1) != 0   ? ge(sum(), k(pick(-5, 20)))
                     : pick(0, 3) == 0 ? eq(sum(), sum())
                                       : lt(sum(), sum()));
    }
    UOp index = idiv(sum(), k(pick(2, 8))) + mod(sum(), k(pick(2, 8))) * k(pick(1, 4));
    if (pick(0, 1) != 0) index = mod(index, k(pick(2, 12)));
    const UOp simple_gate = simplify_gate(gate), simple_index = simplify_under(gate, index);
    SCOPED_TRACE(testing::Message() << "seed " << seed << "\ngate  " << print_expr(gate)
                                    << "\n   -> " << print_expr(simple_gate) << "\nindex "
                                    << print_expr(index) << "\n   -> " << print_expr(simple_index));
    for (int64_t p = 0; p < x.src(0).arg(0); ++p) {
      for (int64_t q = 0; q < y.src(0).arg(0); ++q) {
        const test::Point at = {{x.node(), Scalar::of_int(p, DType::Index)},
                                {y.node(), Scalar::of_int(q, DType::Index)}};
        const bool holds = test::evaluate(gate, at).truthy();
        ASSERT_EQ(test::evaluate(simple_gate, at).truthy(), holds);
        if (holds) {
          ASSERT_EQ(test::evaluate(simple_index, at).i64(), test::evaluate(index, at).i64());
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GateFuzz, testing::Range(0, 20));

TEST(ValidLoads, LeavesTheGateOfALoadInsideTheIndexAlone) {
  const UOp i = range(8, 0), gate = lt(i, index_const(3));
  const UOp table = param(0, {3}, DType::Int64);
  const UOp looked_up = cast(load(table, std::vector<UOp>{i}, gate), DType::Index);
  EXPECT_EQ(simplify_under(gate, looked_up), looked_up) << "it runs where the gate is false too";
}

}  // namespace
}  // namespace tg
