// Op records: complete, consistent with each other, and their interval rules true for every value
// in small intervals.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "tg/error.h"
#include "tg/ir/op.h"
#include "uop/ops/eval.h"

namespace tg {
namespace {

class EveryRecord : public testing::TestWithParam<int> {
 protected:
  const OpRecord& r = record(static_cast<Op>(GetParam()));
};

TEST_P(EveryRecord, StandsAtItsOp) { EXPECT_EQ(static_cast<int>(r.op), GetParam()); }
TEST_P(EveryRecord, HasNameDocAndTypeRule) {
  EXPECT_FALSE(r.name.empty());
  EXPECT_TRUE(r.doc.ends_with('.')) << r.doc;
  EXPECT_NE(r.type, nullptr);
}
TEST_P(EveryRecord, IsFoundByItsName) { EXPECT_EQ(find_op(r.name), GetParam()); }
TEST_P(EveryRecord, HasAnEvaluationExactlyIfElementwise) {
  EXPECT_EQ(r.eval != nullptr, (r.groups & kElementwise) != 0);
}
TEST_P(EveryRecord, HasAGradientFunctionExactlyIfItIsARule) {
  EXPECT_EQ(r.grad.kind == GradRule::Kind::Rule, r.grad.fn != nullptr);
}
TEST_P(EveryRecord, KeepsItsGroupsConsistent) {
  if (r.groups & kCommutative) {
    EXPECT_EQ(r.arity, 2);
  }
  if (r.groups & kAssociative) {
    EXPECT_TRUE(r.groups & kElementwise);
  }
  if (r.groups & kComparison) {
    EXPECT_EQ(r.grad.kind, GradRule::Kind::Zero);
  }
  if (r.groups & kLowered) {
    EXPECT_EQ(r.grad.kind, GradRule::Kind::NotDifferentiable);
  }
  EXPECT_FALSE((r.groups & kFloatOnly) && (r.groups & kIntOnly));
  if (r.groups & kElementwise) {
    EXPECT_GE(r.arity, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryRecord, testing::Range(0, kNumOps), [](const auto& i) {
  return std::string(op_name(static_cast<Op>(i.param)));
});

TEST(Records, NamesDiffer) {
  std::set<std::string_view> names;
  for (int i = 0; i < kNumOps; ++i) EXPECT_TRUE(names.insert(op_name(static_cast<Op>(i))).second);
}
TEST(Records, UnknownNamesAreNotFound) { EXPECT_EQ(find_op("matmul"), -1); }

// The record's claims about algebra hold for its evaluation.
class Algebra : public testing::TestWithParam<int> {};
TEST_P(Algebra, OfTheRecordHoldsForItsEvaluation) {
  const OpRecord& r = record(static_cast<Op>(GetParam()));
  for (int64_t a = -5; a <= 5; ++a) {
    for (int64_t b = -5; b <= 5; ++b) {
      const Scalar x = Scalar::of_int(a, DType::Int8), y = Scalar::of_int(b, DType::Int8),
                   z = Scalar::of_int(3, DType::Int8);
      auto f = [&](const Scalar& p, const Scalar& q) {
        return r.eval(std::array{p, q}, r.groups & kComparison ? DType::Bool : DType::Int8, {});
      };
      if (r.groups & kCommutative) {
        EXPECT_EQ(f(x, y), f(y, x));
      }
      if (r.groups & kAssociative) {
        EXPECT_EQ(f(f(x, y), z), f(x, f(y, z)));
      }
    }
  }
}
std::vector<int> algebraic() {
  std::vector<int> ops;
  for (int i = 0; i < kNumOps; ++i) {
    if (in_group(static_cast<Op>(i), kCommutative | kAssociative)) ops.push_back(i);
  }
  return ops;
}
INSTANTIATE_TEST_SUITE_P(Ops, Algebra, testing::ValuesIn(algebraic()), [](const auto& i) {
  return std::string(op_name(static_cast<Op>(i.param)));
});

// ---- intervals against brute force
class IntervalRule : public testing::TestWithParam<Op> {};
TEST_P(IntervalRule, ContainsEveryResult) {
  const OpRecord& r = record(GetParam());
  const DType t = r.groups & kComparison ? DType::Bool : DType::Index;
  for (int64_t alo = -4; alo <= 4; ++alo) {
    for (int64_t ahi = alo; ahi <= 5; ++ahi) {
      for (int64_t blo = -4; blo <= 4; ++blo) {
        for (int64_t bhi = blo; bhi <= 5; ++bhi) {
          const Interval i = r.interval(std::array{Interval{alo, ahi}, Interval{blo, bhi}}, {});
          for (int64_t a = alo; a <= ahi; ++a) {
            for (int64_t b = blo; b <= bhi; ++b) {
              const std::array src = {Scalar::of_int(a, DType::Index),
                                      Scalar::of_int(b, DType::Index)};
              ASSERT_TRUE(i.contains(r.eval(src, t, {}).i64()))
                  << r.name << " of " << a << ", " << b << " outside [" << i.lo << ", " << i.hi
                  << "]";
            }
          }
        }
      }
    }
  }
}
TEST_P(IntervalRule, SurvivesOpenEnds) {
  const OpRecord& r = record(GetParam());
  const Interval open, from{3, Interval::kMax}, to{Interval::kMin, -2}, some{2, 7};
  for (const Interval& a : {open, from, to, some}) {
    for (const Interval& b : {open, from, to, some}) {
      const Interval i = r.interval(std::array{a, b}, {});
      EXPECT_LE(i.lo, i.hi) << r.name;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Binary, IntervalRule,
                         testing::Values(Op::Add, Op::Mul, Op::Max, Op::CmpLt, Op::CmpNe, Op::And,
                                         Op::Or, Op::Xor, Op::IDiv, Op::Mod),
                         [](const auto& i) { return std::string(op_name(i.param)); });

TEST(IntervalArithmetic, Saturates) {
  EXPECT_EQ(saturating_add(Interval::kMax, 1), Interval::kMax);
  EXPECT_EQ(saturating_add(Interval::kMin, -1), Interval::kMin);
  EXPECT_EQ(saturating_mul(Interval::kMax, 2), Interval::kMax);
  EXPECT_EQ(saturating_mul(Interval::kMax, -2), Interval::kMin);
  EXPECT_EQ(saturating_mul(Interval::kMin, -1), Interval::kMax);
}
TEST(IntervalArithmetic, DivisionRoundsTowardsMinusInfinity) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b : {-7, -3, -1, 1, 2, 5}) {
      const int64_t q = floor_div(a, b), m = floor_mod(a, b);
      EXPECT_EQ(q * b + m, a);
      EXPECT_TRUE(m == 0 || (m < 0) == (b < 0)) << a << " mod " << b;
      EXPECT_LT(std::abs(m), std::abs(b));
    }
  }
  EXPECT_EQ(floor_div(Interval::kMin, -1), Interval::kMax);
}

// ---- evaluation where the meaning had to be settled
Scalar eval(Op op, std::initializer_list<Scalar> src, DType t) {
  return record(op).eval(std::vector<Scalar>(src), t, {});
}
Scalar f(double v) { return Scalar::of_double(v, DType::Float32); }
Scalar i(int64_t v) { return Scalar::of_int(v, DType::Int32); }

TEST(Evaluation, DivisionByZeroIsZero) {
  EXPECT_EQ(eval(Op::IDiv, {i(7), i(0)}, DType::Int32), i(0));
  EXPECT_EQ(eval(Op::Mod, {i(7), i(0)}, DType::Int32), i(0));
}
TEST(Evaluation, TheLowestIntegerDividedByMinusOneWraps) {
  EXPECT_EQ(eval(Op::IDiv, {i(INT32_MIN), i(-1)}, DType::Int32), i(INT32_MIN));
}
TEST(Evaluation, MaxKeepsNaNFromEitherSide) {
  EXPECT_TRUE(std::isnan(eval(Op::Max, {f(NAN), f(1)}, DType::Float32).f64()));
  EXPECT_TRUE(std::isnan(eval(Op::Max, {f(1), f(NAN)}, DType::Float32).f64()));
}
TEST(Evaluation, NaNComparesUnequalAndNotLess) {
  EXPECT_TRUE(eval(Op::CmpNe, {f(NAN), f(NAN)}, DType::Bool).truthy());
  EXPECT_FALSE(eval(Op::CmpLt, {f(NAN), f(1)}, DType::Bool).truthy());
}
TEST(Evaluation, ZerosCompareEqual) {
  EXPECT_FALSE(eval(Op::CmpNe, {f(0.0), f(-0.0)}, DType::Bool).truthy());
}
TEST(Evaluation, ShiftsByTheWidthGiveZeroOrTheSign) {
  EXPECT_EQ(eval(Op::Shl, {i(1), i(64)}, DType::Int32), i(0));
  EXPECT_EQ(eval(Op::Shr, {i(-8), i(100)}, DType::Int32), i(-1));
  EXPECT_EQ(eval(Op::Shl, {i(1), i(32)}, DType::Int32), i(0));
}
TEST(Evaluation, UnsignedSixtyFourBitsCompareAsUnsigned) {
  const Scalar big = Scalar::of_uint(~uint64_t{0}, DType::UInt64),
               one = Scalar::of_uint(1, DType::UInt64);
  EXPECT_TRUE(eval(Op::CmpLt, {one, big}, DType::Bool).truthy());
  EXPECT_EQ(eval(Op::Max, {one, big}, DType::UInt64), big);
}
TEST(Evaluation, BoolSumsAreOrAndProductsAnd) {
  const Scalar yes = Scalar::of_int(1, DType::Bool), no = Scalar::of_int(0, DType::Bool);
  EXPECT_EQ(eval(Op::Add, {yes, yes}, DType::Bool), yes);
  EXPECT_EQ(eval(Op::Mul, {yes, no}, DType::Bool), no);
}
TEST(Evaluation, ThreefryMatchesThePublishedVectors) {
  // Random123's known answers for threefry2x32_20.
  EXPECT_EQ(ops::threefry2x32({0, 0}, {0, 0}), (std::array<uint32_t, 2>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(ops::threefry2x32({~0u, ~0u}, {~0u, ~0u}),
            (std::array<uint32_t, 2>{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(ops::threefry2x32({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}),
            (std::array<uint32_t, 2>{0xc4923a9c, 0x483df7a0}));
}

TEST(ReduceOps, HaveIdentitiesInEveryDType) {
  for (int d = static_cast<int>(DType::Bool); d < kNumDTypes; ++d) {
    const auto t = static_cast<DType>(d);
    for (ReduceOp op : {ReduceOp::Add, ReduceOp::Mul, ReduceOp::Max}) {
      const Scalar id = reduce_identity(op, t), v = Scalar::of_int(1, t);
      EXPECT_EQ(record(reduce_alu(op)).eval(std::array{v, id}, t, {}), v) << dtype_name(t);
      const Scalar zero = Scalar::of_int(0, t);
      EXPECT_EQ(record(reduce_alu(op)).eval(std::array{zero, id}, t, {}), zero) << dtype_name(t);
    }
  }
}

}  // namespace
}  // namespace tg
