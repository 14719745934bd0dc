// Values in the interpreter: every dtype through memory, every elementwise op, lanes.
#include <cmath>
#include <cstring>
#include <numeric>

#include "dtype/convert.h"
#include "interp_run.h"

namespace tg {
namespace {

using test::LinearBuilder;
using test::run;

constexpr DType kStorable[] = {
    DType::Bool,    DType::Int8,        DType::UInt8,       DType::Int16,   DType::UInt16,
    DType::Int32,   DType::UInt32,      DType::Int64,       DType::UInt64,  DType::Fp8E4M3,
    DType::Fp8E5M2, DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz, DType::Float16, DType::BFloat16,
    DType::Float32, DType::Float64};

std::string dtype_param_name(const testing::TestParamInfo<std::tuple<DType, int>>& info) {
  return std::string(dtype_name(std::get<0>(info.param))) + "x" +
         std::to_string(std::get<1>(info.param));
}

class InterpDType : public testing::TestWithParam<std::tuple<DType, int>> {
 protected:
  DType dtype() const { return std::get<0>(GetParam()); }
  int lanes() const { return std::get<1>(GetParam()); }
  size_t bytes() const { return static_cast<size_t>(dtype_size(dtype()) * lanes()); }
  std::vector<unsigned char> memory(auto value_of_lane) const {
    std::vector<unsigned char> m(bytes());
    for (int i = 0; i < lanes(); ++i) {
      const uint64_t raw = Scalar::of_int(value_of_lane(i), dtype()).to_memory();
      const auto size = static_cast<size_t>(dtype_size(dtype()));
      std::memcpy(m.data() + static_cast<size_t>(i) * size, &raw, size);
    }
    return m;
  }
};

TEST_P(InterpDType, ElementsAreCopiedUnchanged) {
  LinearBuilder b;
  UOp from = b.in(dtype(), lanes()), to = b.out(dtype(), lanes());
  b.store(to, b.c(0), b.load(from, b.c(0), {}, lanes()));
  std::vector<unsigned char> in = memory([](int i) { return i % 3; }), out(bytes(), 0xEE);
  run(b.kernel(), {}, in, out);
  EXPECT_EQ(in, out);
}

TEST_P(InterpDType, LanesAreAddedOneByOne) {
  LinearBuilder b;
  UOp from = b.in(dtype(), lanes()), to = b.out(dtype(), lanes());
  UOp v = b.load(from, b.c(0), {}, lanes());
  b.store(to, b.c(0), b.add(v + v));
  std::vector<unsigned char> in = memory([](int i) { return i % 2; }), out(bytes(), 0xEE);
  run(b.kernel(), {}, in, out);
  EXPECT_EQ(out, memory([&](int i) { return is_bool(dtype()) ? i % 2 : 2 * (i % 2); }));
}

INSTANTIATE_TEST_SUITE_P(All, InterpDType,
                         testing::Combine(testing::ValuesIn(kStorable), testing::Values(1, 4, 16)),
                         dtype_param_name);

// ---- elementwise ops against the C++ library
struct FloatCase {
  const char* name;
  UOp (*build)(const UOp&, const UOp&);
  float (*expected)(float, float);
};

const FloatCase kFloatCases[] = {
    {"Add", [](const UOp& a, const UOp& b) { return a + b; },
     [](float a, float b) { return a + b; }},
    {"Mul", [](const UOp& a, const UOp& b) { return a * b; },
     [](float a, float b) { return a * b; }},
    {"FDiv", [](const UOp& a, const UOp& b) { return a / b; },
     [](float a, float b) { return a / b; }},
    {"Max", [](const UOp& a, const UOp& b) { return maximum(a, b); },
     [](float a, float b) { return a < b ? b : a; }},
    {"Sqrt", [](const UOp& a, const UOp&) { return sqrt(a); },
     [](float a, float) { return std::sqrt(a); }},
    {"Trunc", [](const UOp& a, const UOp&) { return trunc(a); },
     [](float a, float) { return std::trunc(a); }},
    {"Exp2", [](const UOp& a, const UOp&) { return exp2(a); },
     [](float a, float) { return static_cast<float>(std::exp2(static_cast<double>(a))); }},
    {"Log2", [](const UOp& a, const UOp&) { return log2(a); },
     [](float a, float) { return static_cast<float>(std::log2(static_cast<double>(a))); }},
    {"Sin", [](const UOp& a, const UOp&) { return sin(a); },
     [](float a, float) { return static_cast<float>(std::sin(static_cast<double>(a))); }},
    {"Fma", [](const UOp& a, const UOp& b) { return fma(a, b, a); },
     [](float a, float b) {
       return static_cast<float>(std::fma(double{a}, double{b}, double{a}));
     }},
};

class InterpFloat : public testing::TestWithParam<FloatCase> {};

TEST_P(InterpFloat, AgreesWithTheLibrary) {
  LinearBuilder k;
  UOp x = k.in(DType::Float32, 8), y = k.in(DType::Float32, 8), to = k.out(DType::Float32, 8);
  UOp a = k.load(x, k.c(0), {}, 8), b = k.load(y, k.c(0), {}, 8);
  k.store(to, k.c(0), k.add(GetParam().build(a, b)));
  std::vector<float> in = {0.5f, 1, 2.75f, 1e-20f, 3e20f, 7, 0.1f, 100},
                     other = {3, -1, 0.3f, 2, 1e10f, 7, -0.1f, 1e-3f}, out(8);
  run(k.kernel(), {}, in, other, out);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], GetParam().expected(in[i], other[i])) << in[i] << " " << other[i];
}

INSTANTIATE_TEST_SUITE_P(Ops, InterpFloat, testing::ValuesIn(kFloatCases),
                         [](const auto& info) { return std::string(info.param.name); });

struct IntCase {
  const char* name;
  UOp (*build)(const UOp&, const UOp&);
  int32_t (*expected)(int32_t, int32_t);
};

const IntCase kIntCases[] = {
    {"Add", [](const UOp& a, const UOp& b) { return a + b; },
     [](int32_t a, int32_t b) {
       return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
     }},
    {"Mul", [](const UOp& a, const UOp& b) { return a * b; },
     [](int32_t a, int32_t b) {
       return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
     }},
    {"IDiv", [](const UOp& a, const UOp& b) { return idiv(a, b); },
     [](int32_t a, int32_t b) {
       return b == 0 ? 0 : static_cast<int32_t>(std::floor(double{1.0} * a / b));
     }},
    {"Mod", [](const UOp& a, const UOp& b) { return mod(a, b); },
     [](int32_t a, int32_t b) {
       return b == 0 ? 0 : static_cast<int32_t>(a - b * std::floor(1.0 * a / b));
     }},
    {"Max", [](const UOp& a, const UOp& b) { return maximum(a, b); },
     [](int32_t a, int32_t b) { return std::max(a, b); }},
    {"And", [](const UOp& a, const UOp& b) { return a & b; },
     [](int32_t a, int32_t b) { return a & b; }},
    {"Or", [](const UOp& a, const UOp& b) { return a | b; },
     [](int32_t a, int32_t b) { return a | b; }},
    {"Xor", [](const UOp& a, const UOp& b) { return a ^ b; },
     [](int32_t a, int32_t b) { return a ^ b; }},
};

class InterpInt : public testing::TestWithParam<IntCase> {};

TEST_P(InterpInt, AgreesWithTheLanguage) {
  LinearBuilder k;
  UOp x = k.in(DType::Int32, 8), y = k.in(DType::Int32, 8), to = k.out(DType::Int32, 8);
  UOp a = k.load(x, k.c(0), {}, 8), b = k.load(y, k.c(0), {}, 8);
  k.store(to, k.c(0), k.add(GetParam().build(a, b)));
  std::vector<int32_t> in = {7, -7, 7, -7, 0, 2147483647, 12345, -1},
                       other = {2, 2, -2, -2, 5, 3, 0, 255}, out(8);
  run(k.kernel(), {}, in, other, out);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], GetParam().expected(in[i], other[i])) << in[i] << " " << other[i];
}

INSTANTIATE_TEST_SUITE_P(Ops, InterpInt, testing::ValuesIn(kIntCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(InterpValues, ShiftsAreArithmeticForSigned) {
  LinearBuilder k;
  UOp x = k.in(DType::Int32, 2), to = k.out(DType::Int32, 4);
  UOp a = k.load(x, k.c(0)), by = k.load(x, k.c(1));
  k.store(to, k.c(0), k.add(shl(a, by)));
  k.store(to, k.c(1), k.add(shr(a, by)));
  std::vector<int32_t> in = {-16, 2}, out(4);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out[0], -64);
  EXPECT_EQ(out[1], -4);
}

TEST(InterpValues, ComparisonChoosesLanes) {
  LinearBuilder k;
  UOp x = k.in(DType::Float32, 4), y = k.in(DType::Float32, 4), to = k.out(DType::Float32, 4);
  UOp a = k.load(x, k.c(0), {}, 4), b = k.load(y, k.c(0), {}, 4);
  k.store(to, k.c(0), k.add(where(k.add(lt(a, b)), a, b)));
  std::vector<float> in = {1, 5, 3, NAN}, other = {2, 4, 3, 1}, out(4);
  run(k.kernel(), {}, in, other, out);
  EXPECT_EQ(out, (std::vector<float>{1, 4, 3, 1}));
}

TEST(InterpValues, NotEqualIsTrueForNaN) {
  LinearBuilder k;
  UOp x = k.in(DType::Float32, 2), to = k.out(DType::Bool, 2);
  UOp a = k.load(x, k.c(0), {}, 2);
  k.store(to, k.c(0), k.add(ne(a, a)));
  std::vector<float> in = {1, NAN};
  std::vector<unsigned char> out(2, 9);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, (std::vector<unsigned char>{0, 1}));
}

TEST(InterpValues, CastTruncatesAndBitcastKeepsBits) {
  LinearBuilder k;
  UOp x = k.in(DType::Float32, 2), to = k.out(DType::Int32, 4);
  UOp a = k.load(x, k.c(0), {}, 2);
  k.store(to, k.c(0), k.add(cast(a, DType::Int32)));
  k.store(to, k.c(2), k.add(bitcast(a, DType::Int32)));
  std::vector<float> in = {-2.9f, 1.0f};
  std::vector<int32_t> out(4);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, (std::vector<int32_t>{-2, 1, std::bit_cast<int32_t>(-2.9f), 0x3f800000}));
}

TEST(InterpValues, ThreefryGivesThePublishedWords) {
  LinearBuilder k;
  UOp to = k.out(DType::UInt32, 2), zero = k.c(Scalar::of_int(0, DType::UInt32));
  k.store(to, k.c(0), k.add(threefry(zero, zero, zero, zero, 0)));
  k.store(to, k.c(1), k.add(threefry(zero, zero, zero, zero, 1)));
  std::vector<uint32_t> out(2);
  run(k.kernel(), {}, out);
  EXPECT_EQ(out, (std::vector<uint32_t>{0x6b200159u, 0x99ba4efeu}));
}

// ---- lanes
class InterpLanes : public testing::TestWithParam<int> {};

TEST_P(InterpLanes, RampCountsWithItsStep) {
  LinearBuilder k;
  const int n = GetParam();
  UOp to = k.out(DType::Int64, n);
  k.store(to, k.c(0), k.add(cast(k.ramp(k.c(5), n, -3), DType::Int64)));
  std::vector<int64_t> out(static_cast<size_t>(n));
  run(k.kernel(), {}, out);
  for (int i = 0; i < n; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], 5 - 3 * i);
}

TEST_P(InterpLanes, SplatRepeats) {
  LinearBuilder k;
  const int n = GetParam();
  UOp to = k.out(DType::Float32, n);
  k.store(to, k.c(0), k.splat(k.c(Scalar::of_double(2.5, DType::Float32)), n));
  std::vector<float> out(static_cast<size_t>(n));
  run(k.kernel(), {}, out);
  EXPECT_EQ(out, std::vector<float>(static_cast<size_t>(n), 2.5f));
}

TEST_P(InterpLanes, VReduceSumsAll) {
  LinearBuilder k;
  const int n = GetParam();
  UOp from = k.in(DType::Int32, n), to = k.out(DType::Int32, 3);
  UOp v = k.load(from, k.c(0), {}, n);
  for (int64_t op = 0; op < 3; ++op) k.store(to, k.c(op), k.add(make(Op::VReduce, {v}, {{op}})));
  std::vector<int32_t> in(static_cast<size_t>(n)), out(3);
  int32_t product = 1;
  for (int i = 0; i < n; ++i)
    in[static_cast<size_t>(i)] = (i * 7) % 5 - 2, product *= (i * 7) % 5 - 2;
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 0));
  EXPECT_EQ(out[1], product);
  EXPECT_EQ(out[2], *std::ranges::max_element(in));
}

TEST_P(InterpLanes, StackAndExtractAreInverse) {
  LinearBuilder k;
  const int n = GetParam();
  UOp from = k.in(DType::Int32, n), to = k.out(DType::Int32, n);
  UOp v = k.load(from, k.c(0), {}, n);
  std::vector<UOp> reversed;
  for (int64_t i = n - 1; i >= 0; --i) reversed.push_back(k.add(make(Op::Extract, {v}, {{i}})));
  k.store(to, k.c(0), k.add(make(Op::Stack, std::span<const UOp>(reversed))));
  std::vector<int32_t> in(static_cast<size_t>(n)), out(static_cast<size_t>(n));
  std::iota(in.begin(), in.end(), 10);
  run(k.kernel(), {}, in, out);
  EXPECT_EQ(out, std::vector<int32_t>(in.rbegin(), in.rend()));
}

TEST_P(InterpLanes, ShufflePicksFromBothVectors) {
  LinearBuilder k;
  const int n = GetParam();
  UOp from = k.in(DType::Int32, 2 * n), to = k.out(DType::Int32, n);
  UOp a = k.load(from, k.c(0), {}, n), b = k.load(from, k.c(n), {}, n);
  std::vector<int64_t> lanes;
  for (int i = 0; i < n; ++i) lanes.push_back((i * 5 + 1) % (2 * n));
  k.store(to, k.c(0), k.add(make(Op::Shuffle, {a, b}, lanes)));
  std::vector<int32_t> in(static_cast<size_t>(2 * n)), out(static_cast<size_t>(n));
  std::iota(in.begin(), in.end(), 100);
  run(k.kernel(), {}, in, out);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(out[static_cast<size_t>(i)], 100 + lanes[static_cast<size_t>(i)]);
}

INSTANTIATE_TEST_SUITE_P(Widths, InterpLanes, testing::Values(1, 2, 3, 4, 8, 16, 32));

}  // namespace
}  // namespace tg
