// Golden cases of the index algebra: expression in, text of the simplified form out; and what must
// vanish altogether.
#include "rules/index.h"

#include <gtest/gtest.h>

#include "tg/ir/text.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Leaves of the cases: ranges of these extents, a variable, an opaque load.
const UOp a = range(4, 0), b = range(6, 1), c = range(3, 2), d = range(8, 3), big = range(100, 4);
const UOp one = range(1, 5);
const UOp n = variable("n", 1, 64);

UOp k(int64_t v) { return index_const(v); }
UOp idx(const UOp& x) { return x; }
UOp opaque() {
  UOp ptr = param(0, {100}, DType::Int32);
  return cast(load(ptr, {{big}}), DType::Index);
}
UOp yes() { return constant(1, DType::Bool); }
UOp no() { return constant(0, DType::Bool); }

struct IndexCase {
  const char* name;
  UOp in;
  const char* out;
};

std::vector<IndexCase> cases() {
  return {
      // sums
      {"LikeTermsJoin", a * k(2) + b + a * k(3), "r0*5 + r1"},
      {"ConstantsStandLast", k(3) + a + k(4), "r0 + 7"},
      {"OppositeTermsVanish", a + b - a, "r1"},
      {"ProductsWithConstantsDistribute", (a + b + k(2)) * k(3), "r0*3 + r1*3 + 6"},
      {"NestedProductsJoin", (a * k(2)) * k(3), "r0*6"},
      {"ProductWithZeroIsZero", a * k(0), "0"},
      {"RangesOrderById", b + a, "r0 + r1"},
      {"VariablesStandAfterRanges", n + a, "r0 + n"},
      {"ProductsOfVariablesSort", (n * k(2)) * a, "r0*n*2"},
      {"ProductsOfProductsSort", (b * n) * a, "r0*r1*n"},
      {"RangeOfExtentOneIsZero", one * k(5) + a, "r0"},
      {"ShiftLeftIsAProduct", shl(a, k(2)), "r0*4"},
      {"ShiftRightIsADivision", shr(big, k(2)), "r4/4"},
      // division
      {"MultipleDivides", idiv(a * k(6), k(3)), "r0*2"},
      {"SmallRestVanishes", idiv(a * k(6) + b, k(6)), "r0"},
      {"DivisionByLargerIsZero", idiv(a, k(4)), "0"},
      {"ConstantMultiplesComeOut", idiv(big + k(12), k(4)), "r4/4 + 3"},
      {"NegativeConstantsFloor", idiv(big - k(1), k(4)), "(r4 + 3)/4 - 1"},
      {"NestedDivisionsJoin", idiv(idiv(big, k(3)), k(5)), "r4/15"},
      {"NestedDivisionsWithOffsetJoin", idiv(idiv(big, k(3)) + k(2), k(5)), "(r4 + 6)/15"},
      {"DivisionsInsideSumsJoin", idiv(idiv(big, k(3)) + a * k(2), k(5)), "(r0*6 + r4)/15"},
      {"CommonFactorsCancel", idiv(big * k(6), k(4)), "r4 + r4/2"},
      {"CommonFactorsOfSumsCancel", idiv(big * k(2) + b * k(2), k(8)), "(r1 + r4)/4"},
      {"RestBelowTheFactorVanishes", idiv(d * k(3) + c, k(6)), "r3/2"},
      {"PartialMultiplesComeOut", idiv(d * k(12) + a, k(8)), "r3 + r3/2"},
      {"RemainderDividesAsRemainderOfQuotient", idiv(mod(big, k(12)), k(4)), "r4/4%3"},
      {"DivisionOfFlippedAxis", idiv(k(7) - d, k(8)), "0"},
      {"DivisionByZeroIsZero", idiv(a, k(0)), "0"},
      {"DivisionByMinusTwoStays", idiv(big, k(-2)), "r4/-2"},
      {"DivisionByVariableStays", idiv(big, n), "r4/n"},
      {"VariableMultiplesDivide", idiv(n * k(4) + a, k(4)), "n"},
      // modulo
      {"MultiplesVanishInModulo", mod(a * k(6) + b, k(6)), "r1"},
      {"ModuloOfSmallIsItself", mod(a, k(4)), "r0"},
      {"ModuloByOneIsZero", mod(big, k(1)), "0"},
      {"ModuloWithinOneBlockSubtracts", mod(a + k(9), k(8)), "r0 + 1"},
      {"NestedModuloJoins", mod(mod(big, k(12)), k(4)), "r4%4"},
      {"NestedModuloInsideSumJoins", mod(mod(big, k(12)) + b, k(4)), "(r1 + r4)%4"},
      {"ModuloFactorsOut", mod(big * k(6), k(4)), "r4%2*2"},
      {"ModuloKeepsSmallRest", mod(d * k(3) + c, k(6)), "r2 + r3%2*3"},
      {"ModuloOfNegativeConstants", mod(big - k(1), k(4)), "(r4 + 3)%4"},
      // division and modulo that belong together
      {"QuotientAndRemainderJoin", idiv(big, k(7)) * k(7) + mod(big, k(7)), "r4"},
      {"QuotientAndRemainderJoinScaled", idiv(big, k(7)) * k(21) + mod(big, k(7)) * k(3), "r4*3"},
      {"ThreeDigitsJoin",
       idiv(big, k(12)) * k(12) + mod(idiv(big, k(4)), k(3)) * k(4) + mod(big, k(4)), "r4"},
      {"DigitsOfASumJoin", idiv(big + b, k(8)) * k(8) + mod(big + b, k(8)), "r1 + r4"},
      {"DigitsOfAMultipleJoin", idiv(big * k(2), k(4)) * k(4) + mod(big * k(2), k(4)), "r4*2"},
      {"ForeignRemainderStays", idiv(big, k(7)) * k(7) + mod(big, k(6)), "r4/7*7 + r4%6"},
      // max, where, casts
      {"MaxIsDecidedByBounds", maximum(a, k(3)), "3"},
      {"MaxWithSmallerConstantVanishes", maximum(a + k(5), b), "r0 + 5"},
      {"MaxStaysWhereBoundsOverlap", maximum(b, a), "max(r0, r1)"},
      {"WhereOfConstantTrue", where(yes(), a, b), "r0"},
      {"WhereOfConstantFalse", where(no(), a, b), "r1"},
      {"WhereOfEqualArms", where(lt(a, k(2)), b, b + k(0)), "r1"},
      {"WhereOfNegationSwapsArms", where(ge(b, k(2)), a, k(9)), "r1 < 2 ? 9 : r0"},
      {"WhereDecidedByBounds", where(lt(a, k(4)), a, b), "r0"},
      {"CastThroughInt32Vanishes", cast(cast(a + b, DType::Int32), DType::Index), "r0 + r1"},
      {"ArithmeticInInt32IsSeenThrough",
       cast(cast(a, DType::Int32) * constant(6, DType::Int32) + cast(b, DType::Int32),
            DType::Index),
       "r0*6 + r1"},
      {"ChoicesOfInt32AreSeenThrough",
       cast(where(lt(b, k(3)), cast(a, DType::Int32), cast(c, DType::Int32)), DType::Index),
       "r1 < 3 ? r0 : r2"},
      {"Int32ThatMayWrapStays",
       cast(cast(big, DType::Int32) * constant(100000000, DType::Int32), DType::Index),
       "index(int32(r4)*100000000)"},
      {"WhatWasReadIsComputedInItsOwnType",
       cast(mod(load(param(0, {100}, DType::Int32), {{big}}), constant(8, DType::Int32)),
            DType::Index),
       "index(load(p0, r4)%8)"},
      {"LoadsAreOpaqueTerms", opaque() * k(2) + opaque(), "index(load(p0, r4))*3"},
      {"Int8BoundsDecide", lt(cast(cast(a, DType::Int8), DType::Index), k(4)), "true"},
      // comparisons
      {"ComparisonDecidedTrue", lt(a, k(4)), "true"},
      {"ComparisonDecidedFalse", lt(a, k(0)), "false"},
      {"ComparisonMovesConstants", lt(b + k(3), k(7)), "r1 < 4"},
      {"ComparisonDividesByFactor", lt(big * k(4), k(10)), "r4 < 3"},
      {"ComparisonDropsSmallRest", lt(big * k(4) + a, k(8)), "r4 < 2"},
      {"ComparisonKeepsRestThatMatters", lt(big * k(4) + a, k(10)), "r0 + r4*4 < 10"},
      {"ComparisonOfSidesSubtracts", lt(a + b, b + k(2)), "r0 < 2"},
      {"ComparisonTurnsNegativeTerms", lt(k(2), b), "!(r1 < 3)"},
      {"ComparisonJoinsDigitsOfBothSides", lt(idiv(big, k(7)) * k(7), k(50) - mod(big, k(7))),
       "r4 < 50"},
      {"InequalityJoinsDigitsOfBothSides", ne(idiv(big, k(7)) * k(7), k(50) - mod(big, k(7))),
       "r4 != 50"},
      {"GreaterOrEqualIsANegation", ge(b, k(2)), "!(r1 < 2)"},
      {"NotEqualOutOfBoundsIsTrue", ne(a, k(9)), "true"},
      {"NotEqualDividesByFactor", ne(big * k(3), k(9)), "r4 != 3"},
      {"NotEqualWithoutSolutionIsTrue", ne(big * k(3), k(8)), "true"},
      {"EqualOfEqualsIsTrue", eq(a + b, b + a), "true"},
      {"CompareOfDivision", lt(idiv(big, k(8)), k(0)), "false"},
      {"Int32ComparisonOfRangesIsSeenThrough", lt(cast(a, DType::Int32), constant(4, DType::Int32)),
       "true"},
      {"Int32ComparisonWithWhatMayWrapStays",
       lt(cast(a, DType::Int32), cast(big, DType::Int32) * constant(100000000, DType::Int32)),
       "int32(r0) < int32(r4)*100000000"},
      // logic
      {"AndWithTrueVanishes", lt(b, k(2)) & yes(), "r1 < 2"},
      {"AndWithFalseIsFalse", lt(b, k(2)) & no(), "false"},
      {"OrWithTrueIsTrue", lt(b, k(2)) | yes(), "true"},
      {"DuplicateConjunctsJoin", lt(b, k(2)) & lt(b + k(1), k(3)), "r1 < 2"},
      {"ComplementsInAndAreFalse", lt(b, k(2)) & ge(b, k(2)), "false"},
      {"ComplementsInOrAreTrue", lt(b, k(2)) | ge(b, k(2)), "true"},
      {"DoubleNegationVanishes", logical_not(logical_not(lt(b, k(2)))), "r1 < 2"},
      {"XorOfEqualsIsFalse", lt(b, k(2)) ^ lt(b, k(2)), "false"},
      {"BoolProductIsAnd", lt(b, k(2)) * yes(), "r1 < 2"},
      {"BoolMaxIsOr", maximum(lt(b, k(2)), no()), "r1 < 2"},
      {"WhereOfBoolsIsItsCondition", where(lt(b, k(2)), yes(), no()), "r1 < 2"},
      {"WhereOfSwappedBoolsIsNegation", where(lt(b, k(2)), no(), yes()), "!(r1 < 2)"},
      {"IndicesInsideLoadsAreSimplified",
       load(param(0, {100}, DType::Float32), {{big + idx(k(0))}}), "load(p0, r4)"},
  };
}

class IndexGolden : public testing::TestWithParam<IndexCase> {};

TEST_P(IndexGolden, Simplifies) {
  const UOp out = simplify_index(GetParam().in);
  EXPECT_EQ(print_expr(out), GetParam().out);
  EXPECT_EQ(simplify_index(out), out);
}

INSTANTIATE_TEST_SUITE_P(Table, IndexGolden, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- reshape round trips
UOp flatten(const std::vector<UOp>& index, const Shape& shape) {
  UOp flat = k(0);
  const std::vector<Dim> strides = strides_of(shape);
  for (size_t i = 0; i < shape.size(); ++i) flat = flat + index[i] * k(strides[i]);
  return flat;
}

std::vector<UOp> split(const UOp& flat, const Shape& shape, IndexSimplifier& simplify) {
  std::vector<UOp> index;
  const std::vector<Dim> strides = strides_of(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    index.push_back(simplify(mod(idiv(flat, k(strides[i])), k(shape[i]))));
  }
  return index;
}

std::vector<UOp> ranges_of(const Shape& shape) {
  std::vector<UOp> r;
  for (size_t i = 0; i < shape.size(); ++i) r.push_back(range(shape[i], static_cast<int64_t>(i)));
  return r;
}

bool divides(const UOp& u) { return print_expr(u).find_first_of("/%") != std::string::npos; }

struct Trip {
  Shape from, through;
  bool without_division;  // of the indices inside `through`
};

class RoundTrip : public testing::TestWithParam<Trip> {};

TEST_P(RoundTrip, ReshapeThereAndBackIsTheIdentity) {
  const auto& [from, through, without_division] = GetParam();
  IndexSimplifier simplify;
  const std::vector<UOp> r = ranges_of(from);
  const std::vector<UOp> there = split(flatten(r, from), through, simplify);
  bool divided = false;
  for (const UOp& u : there) divided = divided || divides(u);
  EXPECT_EQ(divided, !without_division);
  const std::vector<UOp> back = split(flatten(there, through), from, simplify);
  for (size_t i = 0; i < r.size(); ++i)
    EXPECT_EQ(print_expr(back[i]), from[i] == 1 ? "0" : print_expr(r[i]));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RoundTrip,
    testing::Values(Trip{{4, 6}, {24}, true}, Trip{{2, 3, 4}, {24}, true},
                    Trip{{2, 3, 4}, {6, 4}, true}, Trip{{2, 3, 4}, {2, 12}, true},
                    Trip{{6, 4}, {2, 3, 4}, false}, Trip{{24}, {2, 3, 4}, false},
                    Trip{{4, 6}, {8, 3}, false}, Trip{{8, 3}, {4, 6}, false},
                    Trip{{4, 6}, {6, 4}, false}, Trip{{6, 10, 15}, {10, 90}, false},
                    Trip{{6, 10, 15}, {15, 6, 10}, false}, Trip{{5, 7}, {7, 5}, false},
                    Trip{{64, 28, 28}, {64, 784}, true}, Trip{{16, 4, 4}, {4, 4, 16}, false},
                    Trip{{3, 1, 5}, {15}, true}, Trip{{2, 2, 2, 2}, {4, 4}, true},
                    Trip{{512, 32, 24, 24}, {512, 32, 12, 2, 12, 2}, false}));

TEST(IndexSimplifier, SharesItsMemoAcrossCalls) {
  IndexSimplifier simplify;
  const UOp e = idiv(big * k(6) + a, k(4));
  EXPECT_EQ(simplify(e), simplify(e));
  EXPECT_EQ(simplify(simplify(e)), simplify(e));
}

TEST(IndexSimplifier, SimplifiesVeryDeepChains) {
  UOp x = a;
  for (int i = 0; i < 200000; ++i) x = x + k(1);
  EXPECT_EQ(print_expr(simplify_index(x)), "r0 + 200000");
}

TEST(IndexSimplifier, KeepsSumsThatAreTooWide) {
  UOp x = a;
  for (int i = 0; i < 300; ++i) x = x + range(7, 100 + i);
  const UOp y = simplify_index(x);
  EXPECT_EQ(bounds(y), bounds(x));
}

TEST(IndexSimplifier, KeepsCoefficientsThatWouldOverflow) {
  const int64_t huge = int64_t{1} << 61;
  const UOp x = a * k(huge) * k(huge);
  EXPECT_EQ(print_expr(simplify_index(x)), "r0*2305843009213693952*2305843009213693952");
}

TEST(IndexSimplifier, RebuildsFloatGraphsAroundIndices) {
  const UOp p = param(0, {100}, DType::Float32);
  const UOp v = where(lt(a, k(4)), load(p, {{big + k(0)}}), constant(0.0, DType::Float32));
  EXPECT_EQ(print_expr(simplify_index(v)), "load(p0, r4)");
}

TEST(IndexSimplifier, LeavesLoopsOfExtentOneOnTheirEnds) {
  const UOp v = constant(1.0, DType::Float32);
  const UOp sum = reduce_ranges(v, ReduceOp::Add, {{one}});
  EXPECT_EQ(simplify_index(sum), sum);
}

TEST(Conjuncts, AreTheOperandsOfNestedAnds) {
  const UOp p = lt(a, k(2)), q = lt(b, k(2)), r = lt(c, k(2));
  EXPECT_EQ(conjuncts((p & q) & r), (std::vector<UOp>{p, q, r}));
  EXPECT_TRUE(conjuncts(yes()).empty());
  EXPECT_EQ(conjuncts(p), std::vector<UOp>{p});
}

TEST(Conjunction, OrdersAndJoins) {
  const UOp p = lt(a, k(2)), q = lt(b, k(2));
  EXPECT_EQ(conjunction({p, q, p}), conjunction({q, p}));
  EXPECT_EQ(conjunction({}), yes());
}

}  // namespace
}  // namespace tg
