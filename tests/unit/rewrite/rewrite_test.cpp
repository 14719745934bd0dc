// The pattern engine: what matches, what is built, how sets are indexed, and the two drivers.
#include <gtest/gtest.h>

#include "tg/error.h"
#include "tg/ir/rewrite.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

using namespace patterns;

UOp i32(int64_t v) { return constant(v, DType::Int32); }
UOp leaf(int slot, DType t = DType::Int32) { return load(param(slot, {1}, t), {{index_const(0)}}); }
const UOp a = leaf(0), b = leaf(1), c = leaf(2);
const UOp f = leaf(3, DType::Float32), t = leaf(4, DType::Bool);

bool matches(Pattern p, const UOp& u) {
  Match m;
  return match(p, u.node(), m);
}

TEST(Pattern, PlaceholderMatchesAnything) {
  EXPECT_TRUE(matches(x + y, a + b));
  EXPECT_TRUE(matches(x + y, i32(1) + a * b));
}
TEST(Pattern, OpsMustAgree) { EXPECT_FALSE(matches(x + y, a * b)); }
TEST(Pattern, ARepeatedNameIsTheSameNode) {
  EXPECT_TRUE(matches(x + x, a + a));
  EXPECT_FALSE(matches(x + x, a + b));
}
TEST(Pattern, CommutativeOpsTryBothOrders) {
  EXPECT_TRUE(matches(x + c0, i32(1) + a));
  EXPECT_TRUE(matches(c0 + x, a + i32(1)));
  EXPECT_TRUE(matches((x ^ y) ^ y, b ^ (a ^ b)));
  EXPECT_TRUE(matches((x ^ y) ^ y, b ^ (b ^ a)));
}
TEST(Pattern, OtherOpsKeepTheirOrder) {
  EXPECT_FALSE(matches(lt(x, c0), lt(i32(1), a)));
  EXPECT_FALSE(matches(idiv(x, c0), idiv(i32(1), a)));
}
TEST(Pattern, BacktracksIntoEarlierChoices) {
  // The first order of the inner sum binds x to a, and only the second one fits the outer operand.
  EXPECT_TRUE(matches((x + y) * x, (a + b) * b));
  EXPECT_TRUE(matches((x + y) * (z + x), (a + b) * (b + c)));
  EXPECT_FALSE(matches((x + y) * x, (a + b) * c));
}
TEST(Pattern, FailureLeavesNoBinding) {
  Match m;
  const UOp whole = (a + b) * c;
  EXPECT_FALSE(match((x + y) * x, whole.node(), m));
  EXPECT_FALSE(m[x]);
}
TEST(Pattern, ConstantPlaceholderNeedsAConstant) {
  EXPECT_TRUE(matches(x + c0, a + i32(7)));
  EXPECT_FALSE(matches(x + c0, a + b));
}
TEST(Pattern, ConstantsAreSeenThroughShapes) {
  const UOp v = full({2, 3}, Scalar::of_int(0, DType::Int32));
  EXPECT_TRUE(matches(x + 0, v + v));
  EXPECT_TRUE(matches(x + 0, make(Op::Splat, {a}, {{4}}) + make(Op::Splat, {i32(0)}, {{4}})));
}
TEST(Pattern, LiteralsMatchByValueInEveryDType) {
  EXPECT_TRUE(matches(x * 1, a * i32(1)));
  EXPECT_TRUE(matches(x * 1, f * constant(1.0, DType::Float32)));
  EXPECT_TRUE(matches(x & 1, t & constant(1, DType::Bool)));
  EXPECT_FALSE(matches(x * 1, a * i32(2)));
}
TEST(Pattern, ZeroAndNegativeZeroDiffer) {
  EXPECT_TRUE(matches(x + 0, f + constant(0.0, DType::Float32)));
  EXPECT_FALSE(matches(x + 0, f + constant(-0.0, DType::Float32)));
  EXPECT_TRUE(matches(x + -0.0, f + constant(-0.0, DType::Float32)));
  EXPECT_FALSE(matches(x + -0.0, a + i32(0)));
}
TEST(Pattern, FractionsDoNotMatchIntegers) { EXPECT_FALSE(matches(x * 0.5, a * i32(0))); }
TEST(Pattern, NegationIsXorWithTrue) { EXPECT_TRUE(matches(!x, logical_not(t))); }
TEST(Pattern, GroupsMatchWhateverTheSources) {
  EXPECT_TRUE(matches(any_in(kElementwise), where(t, a, b)));
  EXPECT_FALSE(matches(any_in(kElementwise), a));
  EXPECT_TRUE(matches(any_of({Op::Add, Op::Mul}), a * b));
}
TEST(Pattern, AsBindsAnInnerNode) {
  Match m;
  const UOp whole = sqrt(f * f);
  ASSERT_TRUE(match(op(Op::Sqrt, {(x * y).as(z)}), whole.node(), m));
  EXPECT_EQ(m[z], f * f);
}
TEST(Pattern, DTypeOfTheResultCanBeAsked) {
  EXPECT_TRUE(matches(op(Op::Cast, {x}).of(DType::Float64), cast(f, DType::Float64)));
  EXPECT_FALSE(matches(op(Op::Cast, {x}).of(DType::Float64), cast(f, DType::Int32)));
}
TEST(Pattern, PrintsAsWritten) {
  EXPECT_EQ(print((x ^ y) ^ y), "(x ^ y) ^ y");
  EXPECT_EQ(print(where(x, y * 2, c0)), "where(x, y * 2, c0)");
  EXPECT_EQ(print(any_of({Op::Add, Op::Mul})), "add|mul(…)");
}

TEST(Instantiate, LiteralsTakeTheSiblingsType) {
  Match m;
  const UOp whole = (f + f);
  ASSERT_TRUE(match(x + y, whole.node(), m));
  EXPECT_EQ(instantiate(x * 2, m), f * constant(2.0, DType::Float32));
}
TEST(Instantiate, ARootLiteralTakesTheRootsTypeAndShape) {
  const UOp v = full({2, 3}, Scalar::of_int(5, DType::Int32));
  Match m;
  const UOp whole = (v + v);
  ASSERT_TRUE(match(x + y, whole.node(), m));
  EXPECT_EQ(instantiate(0, m), full({2, 3}, Scalar::of_int(0, DType::Int32)));
}
TEST(Instantiate, UnboundPlaceholdersAreAnInternalError) {
  Match m;
  const UOp whole = (a + a);
  ASSERT_TRUE(match(x + x, whole.node(), m));
  EXPECT_THROW(instantiate(z, m), InternalError);
}

TEST(Rule, AppliesAndCounts) {
  const Rule r = rule("add-zero", x + 0, x);
  EXPECT_EQ(r.apply((a + i32(0)).node()), a);
  EXPECT_FALSE(r.apply((a + i32(1)).node()));
  EXPECT_EQ(r.hits(), 1);
}
TEST(Rule, ConditionsAskTheDType) {
  const Rule r = rule("mul-zero", x * 0, 0).when(is_integer(x));
  EXPECT_EQ(r.apply((a * i32(0)).node()), i32(0));
  EXPECT_FALSE(r.apply((f * constant(0.0, DType::Float32)).node()));
}
TEST(Rule, PredicatesSeeTheMatch) {
  const Rule r = rule("even", x * c0, x).when([](const Match& m) { return m[c0].arg(0) % 2 == 0; });
  EXPECT_TRUE(r.apply((a * i32(4)).node()));
  EXPECT_FALSE(r.apply((a * i32(3)).node()));
}
TEST(Rule, FunctionsMayDecline) {
  const Rule r = rule("never", x + y, [](const Match&) { return UOp{}; });
  EXPECT_FALSE(r.apply((a + b).node()));
  EXPECT_EQ(r.hits(), 0);
}
TEST(Rule, AResultEqualToTheNodeIsNoApplication) {
  EXPECT_FALSE(rule("same", x + y, x + y).apply((a + b).node()));
}
TEST(Rule, PrintsNameAndSides) {
  EXPECT_EQ(rule("mul-zero", x * 0, 0).print(), "mul-zero: x * 0 -> 0");
  EXPECT_EQ(rule("f", x + y, [](const Match& m) { return m[x]; }).print(),
            "f: x + y -> (computed)");
}

TEST(RuleSet, NamesMustDiffer) {
  EXPECT_THROW((RuleSet{rule("one", x + 0, x), rule("one", x * 1, x)}), InternalError);
  const RuleSet s{rule("one", x + 0, x)};
  EXPECT_THROW(s + s, InternalError);
}
TEST(RuleSet, RulesMustStartWithAnOp) { EXPECT_THROW((RuleSet{rule("all", x, x)}), InternalError); }
TEST(RuleSet, TheFirstRuleThatAppliesWins) {
  const RuleSet s{rule("first", x + y, x), rule("second", x + y, y)};
  const Rule* by = nullptr;
  EXPECT_EQ(s.apply((a + b).node(), &by), a);
  EXPECT_EQ(by->name(), "first");
}
TEST(RuleSet, SumsKeepBothInOrder) {
  const RuleSet s = RuleSet{rule("mul", x * y, x)} + RuleSet{rule("add", x + y, y)};
  EXPECT_EQ(s.apply((a + b).node()), b);
  EXPECT_EQ(s.apply((a * b).node()), a);
  EXPECT_NE(s.find("add"), nullptr);
  EXPECT_EQ(s.find("sub"), nullptr);
}
TEST(RuleSet, RulesThatNeedAnotherSourceOpAreSkipped) {
  const RuleSet s{rule("nested", (x * y) + z, z)};
  EXPECT_FALSE(s.apply((a + b).node()));
  EXPECT_EQ(s.apply((a * b + c).node()), c);
  EXPECT_EQ(s.apply((c + a * b).node()), c);
}

const RuleSet& small() {
  static const RuleSet set{rule("add-zero", x + 0, x), rule("mul-one", x * 1, x),
                           rule("sub-self", x + x * -1, 0)};
  return set;
}

TEST(RewriteFixpoint, RevisitsItsResults) {
  EXPECT_EQ(rewrite_fixpoint((a * i32(1) + i32(0)) * i32(1), small()), a);
  EXPECT_EQ(rewrite_fixpoint(b + (a + a * i32(-1)), small()), b);
}
TEST(RewriteFixpoint, LeavesOthersAlone) { EXPECT_EQ(rewrite_fixpoint(a + b, small()), a + b); }
TEST(RewriteFixpoint, VisitsSourcesOfReplacements) {
  const RuleSet s{rule("wrap", op(Op::Sqrt, {x}),
                       [](const Match& m) { return (m[x] * const_like(m[x], 1.0)) + m[x]; }),
                  rule("mul-one", x * 1, x)};
  EXPECT_EQ(rewrite_fixpoint(sqrt(f), s), f + f);
}
TEST(RewriteFixpoint, NamesTheRulesThatAlternate) {
  const RuleSet s{rule("to-mul", x + y, x * y), rule("to-add", x * y, x + y),
                  rule("idle", x ^ 0, x)};
  try {
    rewrite_fixpoint(a + b, s);
    FAIL() << "it ended";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("the rules to-add, to-mul keep rewriting"),
              std::string::npos)
        << e.what();
  }
}
TEST(RewriteFixpoint, StopsRulesThatGrowForever) {
  const RuleSet s{rule("grow", op(Op::Sqrt, {x}), [](const Match& m) { return sqrt(m.root()); })};
  EXPECT_THROW(rewrite_fixpoint(sqrt(f), s), InternalError);
}
TEST(RewriteFixpoint, TracesEachApplication) {
  std::vector<std::string> seen;
  const RewriteOptions options{.trace = [&](const Rule& r, const UOp& before, const UOp& after) {
    seen.push_back(r.name() + " " + print_expr(before) + " -> " + print_expr(after));
  }};
  rewrite_fixpoint(i32(7) * i32(1) + i32(0), small(), options);
  EXPECT_EQ(seen, (std::vector<std::string>{"mul-one 7*1 -> 7", "add-zero 7 + 0 -> 7"}));
}
TEST(RewriteFixpoint, RewritesAMillionDeepChain) {
  UOp u = a;
  for (int i = 0; i < 1000000; ++i) u = (i % 2 == 0) ? u + i32(0) : u * b;
  UOp expected = a;
  for (int i = 0; i < 500000; ++i) expected = expected * b;
  EXPECT_EQ(rewrite_fixpoint(u, small()), expected);
}

TEST(RewriteOnce, DoesNotRevisitItsResults) {
  const RuleSet s{rule("step", op(Op::Sqrt, {x}), [](const Match& m) { return exp2(sqrt(m[x])); })};
  EXPECT_EQ(rewrite_once(sqrt(sqrt(f)), s), exp2(sqrt(exp2(sqrt(f)))));
}
TEST(RewriteOnce, SeesRewrittenSources) {
  EXPECT_EQ(rewrite_once((a + i32(0)) + (b * i32(1)), small()), a + b);
}
TEST(RewriteOnce, RewritesDeepChains) {
  UOp u = a;
  for (int i = 0; i < 200000; ++i) u = u + i32(0);
  EXPECT_EQ(rewrite_once(a * b, small()), a * b);
  EXPECT_EQ(rewrite_once(u, small()), a);
}

TEST(Rewrite, LeavesNothingAlive) {
  const int64_t before = interner_stats().live_nodes;
  rewrite_fixpoint((leaf(9) + i32(0)) * i32(1), small());
  EXPECT_EQ(interner_stats().live_nodes, before);
}

}  // namespace
}  // namespace tg
