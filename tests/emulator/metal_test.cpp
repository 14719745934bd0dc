// Hand-written Metal kernels, as a person or the renderer would write them, give right numbers.
#include "emulate.h"

namespace tg::emulator {
namespace {

constexpr Language kMetal = Language::Metal;

const std::string kHead = "#include <metal_stdlib>\nusing namespace metal;\n";

TEST(EmulatedMetal, AddsArrays) {
  TG_NEEDS(kMetal);
  const std::vector<float> a = counting(100), b = counting(100, 7);
  std::vector<float> c(100);
  EXPECT_EQ(run_text(kMetal, kHead + R"(
struct k_arguments { long n; };
[[max_total_threads_per_threadgroup(32)]]
kernel void k(device float* c [[buffer(0)]], device const float* a [[buffer(1)]],
              device const float* b [[buffer(2)]], constant k_arguments& arguments [[buffer(3)]],
              uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
              uint work_item [[thread_index_in_threadgroup]],
              uint group_size [[threads_per_threadgroup]]) {
  for (long i = group * group_size + work_item; i < arguments.n; i += groups * group_size)
    c[i] = a[i] + b[i];
})",
                     {out(c), in(a), in(b), in(std::vector<int64_t>{100})},
                     {.group_size = 32, .groups = 2}),
            "");
  for (size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], a[i] + b[i]) << i;
}

TEST(EmulatedMetal, BindsBuffersByTheirNumbers) {
  TG_NEEDS(kMetal);
  const std::vector<float> a = {3};
  std::vector<float> b(1);
  EXPECT_EQ(run_text(kMetal, kHead + R"(
kernel void k(device const float* a [[buffer(1)]], device float* b [[buffer(0)]]) { *b = *a; })",
                     {out(b), in(a)}, {}),
            "");
  EXPECT_EQ(b[0], 3);
}

TEST(EmulatedMetal, ReversesThroughThreadgroupMemory) {
  TG_NEEDS(kMetal);
  const std::vector<float> a = counting(64);
  std::vector<float> b(64);
  EXPECT_EQ(run_text(kMetal, kHead + R"(
kernel void k(device float* b [[buffer(0)]], device const float* a [[buffer(1)]],
              uint work_item [[thread_index_in_threadgroup]]) {
  alignas(64) threadgroup float tile[64];
  tile[work_item] = a[work_item];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  b[work_item] = tile[63 - work_item];
})",
                     {out(b), in(a)}, {.group_size = 64}),
            "");
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(b[i], a[63 - i]) << i;
}

TEST(EmulatedMetal, SumsASimdgroupByShuffles) {
  TG_NEEDS(kMetal);
  const std::vector<float> a = counting(64);
  std::vector<float> sums(2);
  EXPECT_EQ(run_text(kMetal, kHead + R"(
kernel void k(device float* sums [[buffer(0)]], device const float* a [[buffer(1)]],
              uint work_item [[thread_index_in_threadgroup]],
              uint lane [[thread_index_in_simdgroup]],
              uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  float v = a[work_item];
  for (ushort bits = 16; bits > 0; bits /= 2) v += simd_shuffle_xor(v, bits);
  if (lane == 0) sums[simdgroup] = v;
})",
                     {out(sums), in(a)}, {.group_size = 64}),
            "");
  EXPECT_EQ(sums, (std::vector<float>{496, 1520}));
}

struct Expression {
  const char* name;
  const char* text;  ///< a float4 of v = (1, −2, 3.5, 4) and n = int4(v)
  std::vector<float> want;
};
class MetalVectors : public testing::TestWithParam<Expression> {};

TEST_P(MetalVectors, HaveTheLanguagesMeaning) {
  TG_NEEDS(kMetal);
  const std::vector<float> v = {1, -2, 3.5, 4};
  std::vector<float> r(4);
  EXPECT_EQ(run_text(kMetal,
                     kHead +
                         "kernel void k(device float* r [[buffer(0)]], device const float* p "
                         "[[buffer(1)]]) {\n  const float4 v = *(const device float4*)(p);\n"
                         "  const int4 n = int4(v);\n  *(device float4*)(r) = " +
                         GetParam().text + ";\n}\n",
                     {out(r), in(v)}, {}),
            "");
  EXPECT_EQ(r, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, MetalVectors,
    testing::Values(
        Expression{"Splat", "float4(7.0f)", {7, 7, 7, 7}},
        Expression{"Swizzle", "v.wzyx", {4, 3.5, -2, 1}},
        Expression{"Parts", "float4(v.zw, v.xx)", {3.5, 4, 1, 1}},
        Expression{"ScalarAndVector", "2.0f * v + 1.0f", {3, -3, 8, 9}},
        Expression{"Conversion", "float4(n)", {1, -2, 3, 4}},
        Expression{"ComparisonGivesOnes", "float4(int4(v > 0.0f))", {1, 0, 1, 1}},
        Expression{"MaskOfComparison", "float4(-int4(v > 0.0f) & int4(6))", {6, 0, 6, 6}},
        Expression{"Select", "select(v, float4(9.0f), n == 3)", {1, -2, 9, 4}},
        Expression{"All", "all(v != 0.0f) ? v : float4(0.0f)", {1, -2, 3.5, 4}},
        Expression{
            "LoadOrZero", "p[0] > 0 ? *(const device float4*)(p) : float4(0.0f)", {1, -2, 3.5, 4}},
        Expression{"Bits", "as_type<float4>(as_type<uint4>(v) & 0x7fffffffu)", {1, 2, 3.5, 4}},
        Expression{"Half", "float4(half4(v * 1.0001f))", {1, -2, 3.5, 4}},
        Expression{"Fused", "fma(v, v, float4(1.0f))", {2, 5, 13.25, 17}},
        Expression{"Rounding", "trunc(-v)", {-1, 2, -3, -4}},
        Expression{"Root", "precise::sqrt(v * v)", {1, 2, 3.5, 4}},
        Expression{"Shift", "float4(n << 2 >> 1)", {2, -4, 6, 8}},
        Expression{"Negation", "float4(~n)", {-2, 1, -4, -5}},
        Expression{"Packed", "float4(*(const device packed_float4*)(p))", {1, -2, 3.5, 4}},
        Expression{"TwoLanes", "float4(float2(v.x, v.y) * 2.0f, v.zw)", {2, -4, 3.5, 4}},
        Expression{"Chars", "float4(char4(n) * (char)2)", {2, -4, 6, 8}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(EmulatedMetal, FindsRacesToo) {
  TG_NEEDS(kMetal);
  const std::vector<float> a = counting(64);
  std::vector<float> b(64);
  const auto with = [&](const std::string& body) {
    return run_text(kMetal,
                    kHead +
                        "kernel void k(device float* b [[buffer(0)]], device const float* a "
                        "[[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {\n"
                        "  threadgroup float t[64], u[64];\n" +
                        body + "\n}\n",
                    {out(b), in(a)}, {.group_size = 64});
  };
  constexpr const char* kBarrier = "threadgroup_barrier(mem_flags::mem_threadgroup); ";
  EXPECT_EQ(with(std::string("t[i] = u[i] = a[i]; ") + kBarrier + "b[i] = t[63 - i] + u[i];"), "");
  EXPECT_NE(with("t[i] = u[i] = a[i]; b[i] = t[63 - i] + u[i];").find("nobody has written"),
            std::string::npos);
  EXPECT_NE(with(std::string("t[i] = u[i] = a[i]; ") + kBarrier + "b[i] = t[i] + u[i + 1];")
                .find("out of bounds, at byte 256 of local array u"),
            std::string::npos);
  EXPECT_NE(
      with(std::string("t[i] = u[i] = 0; b[i] = 0; if (i < 7) ") + kBarrier).find("part ways"),
      std::string::npos);
  EXPECT_NE(with(std::string("t[i] = u[i] = 0; ") + kBarrier + "u[i] = t[i]; b[i] = u[i ^ 1];")
                .find("a race"),
            std::string::npos);
}

}  // namespace
}  // namespace tg::emulator
