// The elementary functions against the C library in higher precision: as the records evaluate them,
// and as the generated C computes them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "../../renderer/kernels.h"
#include "codegen/decompose/decompose.h"
#include "evaluate.h"
#include "support/check.h"

namespace tg::testing {
namespace {

struct Function {
  const char* name;
  Op op;
  long double (*exact)(long double);
  bool has_fma = false;  ///< of the target
};

long double exact_exp2(long double x) { return std::exp2(x); }
long double exact_log2(long double x) { return std::log2(x); }
long double exact_sin(long double x) { return std::sin(x); }

constexpr Function kFunctions[] = {{"exp2", Op::Exp2, exact_exp2},
                                   {"log2", Op::Log2, exact_log2},
                                   {"sin", Op::Sin, exact_sin},
                                   {"sin_with_fma", Op::Sin, exact_sin, true}};

// Distance in units of the last place of the exact value's binade in the format of T; 0 for equal
// special values.
template <typename T>
double ulps(T got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  const T rounded = static_cast<T>(want);
  if (got == rounded) return want == 0 && std::signbit(got) != std::signbit(want) ? 1e9 : 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return 1e9;
  const int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const int exponent = std::max(std::ilogb(want) - (std::numeric_limits<T>::digits - 1), lowest);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) /
                             std::ldexp(1.0L, exponent));
}

const std::vector<double>& special_values() {
  static const double inf = std::numeric_limits<double>::infinity();
  static const std::vector<double> all = {0.0,
                                          -0.0,
                                          inf,
                                          -inf,
                                          NAN,
                                          1,
                                          -1,
                                          2,
                                          0.5,
                                          -0.5,
                                          0.25,
                                          1e-45,
                                          -1e-45,
                                          1e-40,
                                          1.17549435e-38,
                                          3.4028235e38,
                                          -3.4028235e38,
                                          127,
                                          128,
                                          -126,
                                          -127,
                                          -149,
                                          -150,
                                          -151,
                                          127.99999,
                                          1024,
                                          -1022,
                                          -1074,
                                          -1075,
                                          -1076,
                                          1e-310,
                                          5e-324,
                                          1.7976931348623157e308,
                                          0.7853981633974483,
                                          0.78539819,
                                          1.5707963267948966,
                                          3.141592653589793,
                                          3.1415927,
                                          6.2831853,
                                          1e5,
                                          1e10,
                                          1e20,
                                          1e30,
                                          1e300,
                                          16367173.0 * 0x1p72,
                                          6381956970095103.0 * 0x1p797,
                                          0.99999994,
                                          1.0000001,
                                          0.9999999999999999,
                                          1.0000000000000002,
                                          0.70710678,
                                          1.41421356,
                                          12582912,
                                          4503599627370496.0};
  return all;
}

class Decomposed : public ::testing::TestWithParam<Function> {
 protected:
  static Target with_fma(Target t) {
    t.has_fma = GetParam().has_fma;
    return t;
  }
  static UOp graph(DType t) {
    return decompose(make(GetParam().op, {input(0, t)}), with_fma(plain_target()));
  }
};

TEST_P(Decomposed, HasNoOpThatTheTargetLacks) {
  const UOp root = graph(dtypes::float32);
  for (const Node* n : toposort(root))
    EXPECT_TRUE(plain_target().supports(n->op)) << op_name(n->op);
}

TEST_P(Decomposed, OfFloat32TreatsSpecialValuesExactly) {
  Evaluator f(graph(dtypes::float32));
  for (double v : special_values()) {
    const auto x = static_cast<float>(v);
    const auto got = static_cast<float>(f({Scalar::of_double(x, dtypes::float32)}).f64());
    EXPECT_LE(ulps(got, GetParam().exact(x)), 2.0) << GetParam().name << "(" << x << ") = " << got;
  }
}

TEST_P(Decomposed, OfFloat32NeedsNoFloat64) {
  const UOp root =
      decompose(make(GetParam().op, {input(0, dtypes::float32)}), with_fma(single_target()));
  EXPECT_FALSE(uses(root, dtypes::float64));
  Evaluator f(root);
  const auto check = [&](float x) {
    const auto got = static_cast<float>(f({Scalar::of_double(x, dtypes::float32)}).f64());
    EXPECT_LE(ulps(got, GetParam().exact(x)), 2.0) << GetParam().name << "(" << x << ") = " << got;
  };
  for (double v : special_values()) check(static_cast<float>(v));
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 65521 * 3)
    check(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = 1; i < 400; ++i) {  // next to multiples of a quarter turn
    const auto turns = static_cast<float>(i * 1.5707963267948966);
    check(turns);
    check(std::nextafterf(turns, 1e9f));
  }
}

TEST_P(Decomposed, OfFloat64TreatsSpecialValuesExactly) {
  Evaluator f(graph(dtypes::float64));
  for (double x : special_values()) {
    const double got = f({Scalar::of_double(x, dtypes::float64)}).f64();
    EXPECT_LE(ulps(got, GetParam().exact(x)), 4.0) << GetParam().name << "(" << x << ") = " << got;
  }
}

TEST_P(Decomposed, OfFloat32IsAccurateToTwoUlpAsTheRecordsEvaluateIt) {
  Evaluator f(graph(dtypes::float32));
  double worst = 0;
  float at = 0;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 32749) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const double error = ulps(static_cast<float>(f({Scalar::of_double(x, dtypes::float32)}).f64()),
                              GetParam().exact(x));
    if (error > worst) worst = error, at = x;
  }
  EXPECT_LE(worst, 2.0) << "at " << at;
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST_P(Decomposed, OfFloat64IsAccurateToFourUlp) {
  Evaluator f(graph(dtypes::float64));
  constexpr uint64_t kSeed = 4711;
  std::mt19937_64 rng(kSeed);
  double worst = 0, at = 0;
  for (int i = 0; i < 20000; ++i) {
    double x = std::bit_cast<double>(rng());
    if (i % 2 == 0) x = std::ldexp(static_cast<double>(static_cast<int64_t>(rng())), -63) * 50;
    if (i % 4 == 3 && std::isnormal(x)) x = std::ldexp(x, 1 - std::ilogb(x) + i % 34);  // to 2^34
    const double error =
        ulps(f({Scalar::of_double(x, dtypes::float64)}).f64(), GetParam().exact(x));
    if (error > worst) worst = error, at = x;
  }
  EXPECT_LE(worst, 4.0) << "at " << at << ", seed " << kSeed;
  RecordProperty("worst_ulp", std::to_string(worst));
}

// Four million arguments spread over all floats, in the vector code that a kernel would run.
TEST_P(Decomposed, OfFloat32IsAccurateToTwoUlpInGeneratedCode) {
  constexpr int64_t kCount = int64_t{1} << 22;
  constexpr int kLanes = 8;
  for (const char* contract : {"-ffp-contract=off", "-ffp-contract=on"}) {
    const UOp r = chunk_loop(kCount / kLanes, 0);
    const UOp at = r * index_of(kLanes);
    const UOp x = load_lanes(param(1, {kCount}, dtypes::float32), at, kLanes);
    const UOp stored =
        store_lanes(param(0, {kCount}, dtypes::float32), at, make(GetParam().op, {x}));
    const LinearKernel k =
        chunk_kernel("f", r, {decompose(stored, with_fma(plain_target()))}, 0, 2);
    const Compiled code(render_c({&k, 1}), find_program("clang-19") ? "clang-19" : "gcc",
                        {"-march=native", contract});
    ASSERT_TRUE(code.ok()) << code.errors();
    std::vector<float> in(kCount), out(kCount);
    for (int64_t i = 0; i < kCount; ++i)
      in[static_cast<size_t>(i)] = std::bit_cast<float>(static_cast<uint32_t>(i * 1021 + 7));
    const std::vector<void*> buffers = {out.data(), in.data()};
    code.entry("f")(buffers.data(), nullptr, 0, k.chunks, nullptr);
    double worst = 0;
    float where_worst = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const auto exact = static_cast<long double>(
          GetParam().op == Op::Exp2   ? std::exp2(static_cast<double>(in[i]))
          : GetParam().op == Op::Log2 ? std::log2(static_cast<double>(in[i]))
                                      : std::sin(static_cast<double>(in[i])));
      const double error = ulps(out[i], exact);
      if (error > worst) worst = error, where_worst = in[i];
    }
    EXPECT_LE(worst, 2.0) << "at " << where_worst << " " << contract;
    RecordProperty("worst_ulp", std::to_string(worst));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Decomposed, ::testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Threefry, HasTheWordsOfTheRecord) {
  std::mt19937_64 rng(99);
  std::vector<UOp> in;
  for (int i = 0; i < 4; ++i) in.push_back(input(i, dtypes::uint32));
  for (int64_t word : {0, 1}) {
    const UOp whole = make(Op::Threefry, in, {{word}});
    Evaluator want(whole), got(decompose(whole, plain_target()));
    for (int i = 0; i < 1000; ++i) {
      std::vector<Scalar> v;
      for (int k = 0; k < 4; ++k)
        v.push_back(Scalar::of_uint(i < 2 ? (i == 0 ? 0 : ~uint64_t{0}) : rng(), dtypes::uint32));
      ASSERT_EQ(want(v), got(v)) << "case " << i;
    }
  }
}

TEST(Threefry, SharesTheRoundsOfBothWords) {
  std::vector<UOp> in;
  for (int i = 0; i < 4; ++i) in.push_back(input(i, dtypes::uint32));
  const std::vector<UOp> both = {make(Op::Threefry, in, {{0}}), make(Op::Threefry, in, {{1}})};
  const std::vector<UOp> out = decompose(both, plain_target());
  const size_t together = toposort(out).size(), one = toposort(out[0]).size();
  EXPECT_LT(together, one + 10);
}

TEST(Decompose, LeavesWhatTheTargetHas) {
  const UOp x = input(0, dtypes::float32);
  const UOp root = sqrt(x * x + x);
  EXPECT_EQ(decompose(root, plain_target()), root);
}

TEST(Decompose, WritesMaxAndFmaInOtherOps) {
  Target t = plain_target();
  t.ops.reset(static_cast<size_t>(Op::Max));
  t.ops.reset(static_cast<size_t>(Op::Fma));
  const UOp a = input(0, dtypes::float32), b = input(1, dtypes::float32);
  Evaluator max_of(decompose(maximum(a, b), t)), fma_of(decompose(fma(a, b, a), t));
  const std::vector<double> values = {0, -1, 2.5, NAN, std::numeric_limits<double>::infinity()};
  for (double p : values) {
    for (double q : values) {
      const std::vector<Scalar> in = {Scalar::of_double(p, dtypes::float32),
                                      Scalar::of_double(q, dtypes::float32)};
      EXPECT_EQ(max_of(in), record(Op::Max).eval(in, dtypes::float32, {})) << p << " " << q;
      EXPECT_EQ(fma_of(in).str(), Scalar::of_double(p * q + p, dtypes::float32).str());
    }
  }
}

TEST(Decompose, RefusesByNameWhatNothingReplaces) {
  Target t = plain_target();
  t.ops.reset(static_cast<size_t>(Op::Sqrt));
  try {
    decompose(sqrt(input(0, dtypes::float32)), t);
    FAIL() << "nothing was thrown";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("sqrt"), std::string::npos) << e.what();
  }
}

TEST(Decompose, RefusesADtypeWithoutArithmetic) {
  Target t = plain_target();
  t.dtypes.reset(static_cast<size_t>(DType::Float64));
  EXPECT_THROW(decompose(input(0, dtypes::float64) * input(1, dtypes::float64), t), InternalError);
}

TEST(Decompose, WalksAMillionNodes) {
  UOp x = input(0, dtypes::float32);
  for (int i = 0; i < 1000000; ++i) x = x + x;
  EXPECT_EQ(decompose(x, plain_target()), x);
}

}  // namespace
}  // namespace tg::testing
