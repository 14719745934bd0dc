// The small floats: every bit pattern through conversion, and arithmetic on all or many pairs,
// against the records' evaluation.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "codegen/decompose/decompose.h"
#include "codegen/decompose/small_float.h"
#include "dtype/convert.h"
#include "evaluate.h"
#include "support/check.h"

namespace tg::testing {
namespace {

int64_t patterns(DType t) { return int64_t{1} << (8 * dtype_size(t)); }
Scalar pattern(int64_t i, DType t) { return Scalar::from_memory(static_cast<uint64_t>(i), t); }

bool same(const Scalar& a, const Scalar& b) {
  return a == b || (std::isnan(a.f64()) && std::isnan(b.f64()));
}

class SmallFloat : public ::testing::TestWithParam<DType> {};

TEST_P(SmallFloat, WidensEveryPattern) {
  const DType t = GetParam();
  Evaluator widen(widen_small_float(input(0, t)));
  for (int64_t i = 0; i < patterns(t); ++i) {
    const Scalar want = pattern(i, t).cast(dtypes::float32), got = widen({pattern(i, t)});
    ASSERT_TRUE(same(got, want)) << "pattern " << i << ": got " << got.str() << ", want "
                                 << want.str();
  }
}

TEST_P(SmallFloat, NarrowsBackEveryPattern) {
  const DType t = GetParam();
  Evaluator around(narrow_small_float(widen_small_float(input(0, t)), t));
  for (int64_t i = 0; i < patterns(t); ++i) {
    ASSERT_TRUE(same(around({pattern(i, t)}), pattern(i, t))) << "pattern " << i;
  }
}

// Around every representable value and every midpoint, and all over the floats.
TEST_P(SmallFloat, RoundsFloat32ToNearestEven) {
  const DType t = GetParam();
  Evaluator round(round_small_float(input(0, dtypes::float32), t));
  auto check = [&](float x) {
    const Scalar in = Scalar::of_double(x, dtypes::float32), got = round({in});
    const Scalar want = in.cast(t).cast(dtypes::float32);
    ASSERT_TRUE(same(got, want)) << in.str() << ": got " << got.str() << ", want " << want.str();
  };
  const int64_t step = patterns(t) > 256 ? 7 : 1;
  for (int64_t i = 0; i + 1 < patterns(t); i += step) {
    const double a = pattern(i, t).f64(), b = pattern(i + 1, t).f64();
    const auto middle = static_cast<float>((a + b) / 2);
    for (float x : {static_cast<float>(a), middle, std::nextafterf(middle, -INFINITY),
                    std::nextafterf(middle, INFINITY)})
      check(x);
  }
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 65521 * 3)
    check(std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

TEST_P(SmallFloat, RoundsOtherDtypesOnce) {
  const DType t = GetParam();
  constexpr uint64_t kSeed = 1234;
  std::mt19937_64 rng(kSeed);
  for (DType from : {dtypes::float64, dtypes::int64, dtypes::uint64, dtypes::int32, dtypes::uint32,
                     dtypes::int16, dtypes::uint8, dtypes::bool_}) {
    Evaluator convert(decompose(cast(cast(input(0, from), t), dtypes::float32), plain_target()));
    for (int i = 0; i < 3000; ++i) {
      Scalar x = Scalar::of_uint(rng() >> (rng() % 64), from);
      if (is_float(from)) {
        // A midpoint of the format, and just beside it by less than float32 can see.
        const double a =
            pattern(static_cast<int64_t>(rng() % static_cast<uint64_t>(patterns(t))), t).f64();
        const double b =
            float_from_bits((float_to_bits(a, t) + 1) % static_cast<uint64_t>(patterns(t)), t);
        const double middle = (a + b) / 2;
        x = Scalar::of_double(
            i % 3 == 0 ? middle : std::nextafter(middle, i % 3 == 1 ? INFINITY : -INFINITY), from);
      } else if (i % 2 == 0) {
        const int high = static_cast<int>(rng() % 60) + 2;
        x = Scalar::of_uint((uint64_t{257} << high >> 8) + (rng() % 3) - 1, from);
      }
      const Scalar want = x.cast(t).cast(dtypes::float32), got = convert({x});
      ASSERT_TRUE(same(got, want)) << dtype_name(from) << " " << x.str() << ": got " << got.str()
                                   << ", want " << want.str() << ", seed " << kSeed;
    }
  }
}

TEST_P(SmallFloat, OfIntegersNeedsNoFloat64) {
  for (DType from : {dtypes::int64, dtypes::uint64, dtypes::int32, dtypes::uint32, dtypes::int16})
    EXPECT_FALSE(
        uses(decompose(cast(input(0, from), GetParam()), single_target()), dtypes::float64))
        << dtype_name(from);
}

TEST_P(SmallFloat, ConvertsToOtherDtypesExactly) {
  const DType t = GetParam();
  for (DType to : {dtypes::float64, dtypes::float32, dtypes::int32, dtypes::bool_}) {
    Evaluator convert(decompose(cast(input(0, t), to), plain_target()));
    for (int64_t i = 0; i < patterns(t); i += patterns(t) / 256) {
      const Scalar want = pattern(i, t).cast(to), got = convert({pattern(i, t)});
      ASSERT_TRUE(got == want || (is_float(to) && same(got, want))) << "pattern " << i;
    }
  }
}

TEST_P(SmallFloat, ComputesAsTheRecordsDo) {
  const DType t = GetParam();
  constexpr uint64_t kSeed = 77;
  std::mt19937_64 rng(kSeed);
  const bool all = patterns(t) == 256;
  const UOp a = input(0, t), b = input(1, t);
  for (Op op : {Op::Add, Op::Mul, Op::FDiv, Op::Max}) {
    Evaluator f(decompose(make(op, {a, b}), plain_target()));
    for (int64_t i = 0; i < (all ? 65536 : 20000); i += all ? 3 : 1) {
      const int64_t p = all ? i / 256 : static_cast<int64_t>(rng() % 65536),
                    q = all ? i % 256 : static_cast<int64_t>(rng() % 65536);
      const std::vector<Scalar> in = {pattern(p, t), pattern(q, t)};
      const Scalar want = record(op).eval(in, t, {}), got = f(in);
      ASSERT_TRUE(same(got, want))
          << op_name(op) << " " << in[0].str() << " " << in[1].str() << ": got " << got.str()
          << ", want " << want.str() << ", seed " << kSeed;
    }
  }
}

TEST_P(SmallFloat, ComparesAsTheRecordsDo) {
  const DType t = GetParam();
  std::mt19937_64 rng(5);
  const UOp a = input(0, t), b = input(1, t);
  for (Op op : {Op::CmpLt, Op::CmpNe}) {
    Evaluator f(decompose(make(op, {a, b}), plain_target()));
    for (int i = 0; i < 5000; ++i) {
      const auto n = static_cast<uint64_t>(patterns(t));
      const std::vector<Scalar> in = {pattern(static_cast<int64_t>(rng() % n), t),
                                      pattern(static_cast<int64_t>(rng() % n), t)};
      ASSERT_EQ(f(in), record(op).eval(in, dtypes::bool_, {})) << in[0].str() << " " << in[1].str();
    }
  }
}

TEST_P(SmallFloat, HasSquareRootsOfEveryPattern) {
  const DType t = GetParam();
  Evaluator f(decompose(sqrt(input(0, t)), plain_target()));
  for (int64_t i = 0; i < patterns(t); ++i) {
    const std::vector<Scalar> in = {pattern(i, t)};
    ASSERT_TRUE(same(f(in), record(Op::Sqrt).eval(in, t, {}))) << in[0].str();
  }
}

UOp magnitude_of(const UOp& x) { return maximum(x, -x) + const_like(x, 0.0); }

// In the format itself, and in float32 between two conversions, from which the result is stored.
struct KeptOrNot {
  std::string_view name;
  std::function<UOp(const UOp&)> of;
};
const std::vector<KeptOrNot>& kept() {
  static const std::vector<KeptOrNot> all = {
      {"sign", [](const UOp& x) { return -x; }},
      {"trunc", [](const UOp& x) { return trunc(x); }},
      {"size", magnitude_of},
      {"limit", [](const UOp& x) { return maximum(x, const_like(x, 0.5)); }},
      {"choice", [](const UOp& x) { return where(lt(x, -x), trunc(-x), const_like(x, -2.0)); }},
  };
  return all;
}
const std::vector<KeptOrNot>& rounded() {
  static const std::vector<KeptOrNot> all = {
      {"product", [](const UOp& x) { return x * const_like(x, 1.375); }},
      {"sum", [](const UOp& x) { return x + const_like(x, 1.0); }},
      {"half of it", [](const UOp& x) { return x * const_like(x, 0.5); }},
      {"limit", [](const UOp& x) { return maximum(x, const_like(x, 0.3)); }},
      {"choice", [](const UOp& x) { return where(lt(x, -x), sqrt(-x), x); }},
  };
  return all;
}

TEST_P(SmallFloat, IsNotRoundedWhereItHoldsTheResult) {
  const DType t = GetParam();
  const UOp x = input(0, t);
  for (const auto* functions : {&kept(), &rounded()}) {
    for (const KeptOrNot& f : *functions) {
      for (const UOp& y : {f.of(x), cast(f.of(cast(x, dtypes::float32)), t)}) {
        Evaluator want(y), got(decompose(y, plain_target()));
        for (int64_t i = 0; i < patterns(t); ++i)
          ASSERT_TRUE(same(got({pattern(i, t)}), want({pattern(i, t)})))
              << f.name << " of " << pattern(i, t).str() << ": got " << got({pattern(i, t)}).str()
              << ", want " << want({pattern(i, t)}).str();
      }
    }
  }
}

// A rounding of bfloat16 adds 0x7fff; constants are shared nodes.
TEST(HeldFormats, LeaveTheRoundingOut) {
  const UOp x = input(0, dtypes::bfloat16), wide = cast(x, dtypes::float32);
  const auto roundings = [](const UOp& y) {
    int out = 0;
    const UOp done = decompose(y, plain_target());
    for (const Node* n : toposort(done))
      out += n->op == Op::Const && n->dtype == DType::UInt32 && n->arg()[0] == 0x7fff;
    return out;
  };
  for (const KeptOrNot& f : kept()) {
    EXPECT_EQ(roundings(f.of(x)), 0) << f.name;
    EXPECT_EQ(roundings(cast(f.of(wide), dtypes::bfloat16)), 0) << f.name;
  }
  for (const KeptOrNot& f : rounded()) {
    // A limit of bfloat16 is rounded when the graph is made.
    EXPECT_EQ(roundings(f.of(x)), f.name == "limit" ? 0 : 1) << f.name;
    EXPECT_EQ(roundings(cast(f.of(wide), dtypes::bfloat16)), 1) << f.name;
  }
}

TEST_P(SmallFloat, IsStoredInItsOwnBits) {
  const DType t = GetParam();
  const UOp at = index_const(0), target = param(1, {1}, t);
  const UOp effect = store_at(target, std::vector<UOp>{at}, input(0, t) + constant(1.0, t));
  const UOp out = decompose(effect, plain_target());
  EXPECT_EQ(out.op(), Op::Store);
  EXPECT_EQ(out.src(2).dtype(), t);
  for (const Node* n : toposort(out)) {
    const bool arithmetic = in_group(n->op, kElementwise) && n->op != Op::Cast &&
                            n->op != Op::Bitcast && n->op != Op::Where;
    if (!arithmetic || !is_float(n->dtype)) continue;
    EXPECT_EQ(n->dtype, dtypes::float32) << op_name(n->op);
  }
}

TEST_P(SmallFloat, IsAddedInMemoryThroughFloat32) {
  const DType t = GetParam();
  const UOp effect =
      store_at(param(1, {1}, t), std::vector<UOp>{index_const(0)}, input(0, t), {}, Combine::Add);
  const UOp out = decompose(effect, plain_target());
  EXPECT_EQ(static_cast<Combine>(out.arg(0)), Combine::Set);
  Evaluator f(out.src(2));
  for (int64_t i = 0; i < 256; ++i) {
    const std::vector<Scalar> in = {pattern(i * (patterns(t) / 256), t), pattern(77, t)};
    EXPECT_TRUE(same(f(in), record(Op::Add).eval(in, t, {}))) << in[0].str();
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallFloat,
                         ::testing::Values(dtypes::bfloat16, dtypes::float16, dtypes::fp8e4m3,
                                           dtypes::fp8e5m2, dtypes::fp8e4m3fnuz,
                                           dtypes::fp8e5m2fnuz),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tg::testing
