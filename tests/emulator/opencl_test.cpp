// Hand-written OpenCL C kernels, as a person or the renderer would write them, give right numbers;
// and what OpenCL itself refuses of a launch.
#include "emulate.h"
#include "support/file.h"
#include "support/source_dir.h"

namespace tg::emulator {
namespace {

constexpr Language kOpenCl = Language::OpenCl;

TEST(EmulatedOpenCl, AddsArrays) {
  TG_NEEDS(kOpenCl);
  const std::vector<float> a = counting(100), b = counting(100, 7);
  std::vector<float> c(100);
  EXPECT_EQ(run_text(kOpenCl, R"(
__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void k(__global float* restrict c, __global const float* restrict a,
                __global const float* restrict b, long n) {
  for (long i = get_global_id(0); i < n; i += get_global_size(0)) c[i] = a[i] + b[i];
})",
                     {out(c), in(a), in(b), Argument::value(100)}, {.group_size = 32, .groups = 2}),
            "");
  for (size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], a[i] + b[i]) << i;
}

TEST(EmulatedOpenCl, BeginsArraysAtTheirPlaceInABuffer) {
  TG_NEEDS(kOpenCl);
  const std::vector<float> a = counting(12);
  std::vector<float> b(8);
  EXPECT_EQ(run_text(kOpenCl, R"(
kernel void k(global float* restrict p0, long o0, global const float* restrict p1, long o1) {
  p0 += o0;
  p1 += o1;
  vstore4(vload4(1, p1), 0, p0);
})",
                     {out(b), Argument::value(2), in(a), Argument::value(3)}, {}),
            "");
  EXPECT_EQ(b, (std::vector<float>{0, 0, 7, 8, 9, 10, 0, 0}));
}

TEST(EmulatedOpenCl, ReversesThroughLocalMemory) {
  TG_NEEDS(kOpenCl);
  const std::vector<float> a = counting(192);
  std::vector<float> b(192);
  EXPECT_EQ(run_text(kOpenCl, R"(
__kernel void k(__global float* b, __global const float* a) {
  __local float tile[64] __attribute__((aligned(64)));
  for (int round = 0; round < 3; ++round) {
    tile[get_local_id(0)] = a[round * 64 + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[round * 64 + get_local_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
})",
                     {out(b), in(a)}, {.group_size = 64}),
            "");
  for (size_t i = 0; i < 192; ++i) EXPECT_EQ(b[i], a[i / 64 * 64 + 63 - i % 64]) << i;
}

TEST(EmulatedOpenCl, ExchangesThroughGlobalScratchOfEachGroup) {
  TG_NEEDS(kOpenCl);
  const std::vector<int> a = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int> b(8), scratch(8);
  EXPECT_EQ(run_text(kOpenCl, R"(
__kernel void k(__global int* b, __global const int* a, __global char* scratch) {
  __global int* t = (__global int*)(scratch + get_group_id(0) * 16);
  const long i = get_local_id(0), g = get_group_id(0) * 4;
  t[i] = a[g + i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  b[g + i] = t[3 - i];
})",
                     {out(b), in(a), out(scratch)}, {.group_size = 4, .groups = 2}),
            "");
  EXPECT_EQ(b, (std::vector<int>{4, 3, 2, 1, 8, 7, 6, 5}));
}

TEST(EmulatedOpenCl, CompilesSeveralKernelsWithHelpersOfOneName) {
  TG_NEEDS(kOpenCl);
  const auto text = [](const std::string& name, const std::string& by) {
    return "#define FN static inline\nFN int helper(void) { return " + by + "; }\n__kernel void " +
           name +
           "(__global int* p) {\n  __local int a[4];\n  a[get_local_id(0)] = helper();\n"
           "  barrier(CLK_LOCAL_MEM_FENCE);\n  p[get_local_id(0)] = a[3 - get_local_id(0)];\n}\n";
  };
  const std::vector<Program> programs = {{"one", text("one", "1")}, {"two", text("two", "2")}};
  const Module module(kOpenCl, programs);
  std::vector<int> p(4);
  ASSERT_EQ(module.kernels().size(), 2u);
  for (int k = 0; k < 2; ++k) {
    const Code& code = module.kernels()[static_cast<size_t>(k)];
    const Argument argument = out(p);
    EXPECT_EQ(run(code, {&argument, 1}, {.group_size = 4}), "");
    EXPECT_EQ(p, std::vector<int>(4, k + 1));
    ASSERT_EQ(code.locals.size(), 1u);
    EXPECT_EQ(code.locals[0].name, "a");
    EXPECT_EQ(code.locals[0].bytes, 16);
  }
}

TEST(EmulatedOpenCl, PassesAsManyArgumentsAsEveryDeviceTakes) {
  TG_NEEDS(kOpenCl);
  std::string list = "__global int* p", body;
  std::vector<int> p(1);
  std::vector<Argument> arguments = {out(p)};
  int want = 0;
  for (int i = 1; i < 128; ++i) {
    list += ", long n" + std::to_string(i);
    body += " + n" + std::to_string(i) + " * " + std::to_string(i + 1);
    arguments.push_back(Argument::value(i - 20));
    want += (i - 20) * (i + 1);
  }
  EXPECT_EQ(
      run_text(kOpenCl, "__kernel void k(" + list + ") { *p = 0" + body + "; }", arguments, {}),
      "");
  EXPECT_EQ(p[0], want);
}

// ---- values
struct OpenClExpression {
  const char* name;
  const char* text;  ///< a float4 of v = (1, −2, 3.5, 4) and n = convert_int4(v), p points to v
  std::vector<float> want;
};
class OpenClVectors : public testing::TestWithParam<OpenClExpression> {};

TEST_P(OpenClVectors, HaveTheLanguagesMeaning) {
  TG_NEEDS(kOpenCl);
  const std::vector<float> v = {1, -2, 3.5, 4};
  std::vector<float> r(4);
  EXPECT_EQ(run_text(kOpenCl,
                     "#pragma OPENCL FP_CONTRACT OFF\n"
                     "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                     "__kernel void k(__global float* r, __global const float* p) {\n"
                     "  const float4 v = *(const __global float4*)(p);\n"
                     "  const int4 n = convert_int4(v);\n  *(__global float4*)(r) = " +
                         std::string(GetParam().text) + ";\n}\n",
                     {out(r), in(v)}, {}),
            "");
  EXPECT_EQ(r, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, OpenClVectors,
    testing::Values(
        OpenClExpression{"Splat", "(float4)(7.0f)", {7, 7, 7, 7}},
        OpenClExpression{"Swizzle", "v.s3210", {4, 3.5, -2, 1}},
        OpenClExpression{"Parts", "(float4)(v.s23, v.s00)", {3.5, 4, 1, 1}},
        OpenClExpression{"SixteenLanes", "(float4)((float16)(v, v, v, v).scd01)", {1, -2, 1, -2}},
        OpenClExpression{"ScalarAndVector", "2.0f * v + 1.0f", {3, -3, 8, 9}},
        OpenClExpression{"Conversion", "convert_float4(n)", {1, -2, 3, 4}},
        OpenClExpression{"ComparisonGivesAllBits", "convert_float4(v > 0.0f)", {-1, 0, -1, -1}},
        OpenClExpression{"MaskOfComparison", "convert_float4((v > 0.0f) & 6)", {6, 0, 6, 6}},
        OpenClExpression{"SelectByHighestBit",
                         "select(v, (float4)(9.0f), (int4)(1, -1, 0x7fffffff, 0x80000000))",
                         {1, 9, 3.5, 9}},
        OpenClExpression{"SelectOfScalars",
                         "(float4)(select(1.0f, 2.0f, n.s0), select(1.0f, 2.0f, 0), "
                         "select((char)3, (char)4, (char)-1), 0)",
                         {2, 1, 4, 0}},
        OpenClExpression{"AllOfAMask", "all(v != 0.0f) ? v : (float4)(0.0f)", {1, -2, 3.5, 4}},
        OpenClExpression{"NotAllOfAMask", "all(v > 0.0f) ? v : (float4)(0.0f)", {0, 0, 0, 0}},
        OpenClExpression{"Bits", "as_float4(as_uint4(v) & 0x7fffffff)", {1, 2, 3.5, 4}},
        OpenClExpression{
            "BitsOfOtherLanes", "(float4)(as_float(as_ushort2(v.s2)), 0, 0, 0)", {3.5, 0, 0, 0}},
        OpenClExpression{"Half", "convert_float4(convert_half4_rte(v * 1.0001f))", {1, -2, 3.5, 4}},
        OpenClExpression{"HalfOfBits",
                         "(float4)(convert_float(as_half((ushort)0x3c00)), 0, 0, 0)",
                         {1, 0, 0, 0}},
        OpenClExpression{"BitsOfHalf",
                         "(float4)(as_ushort(convert_half_rte(v.s2)), 0, 0, 0)",
                         {0x4300, 0, 0, 0}},
        OpenClExpression{"Double", "convert_float4(convert_double4(v) * 2.0)", {2, -4, 7, 8}},
        OpenClExpression{"NotANumber", "convert_float4(v * NAN == v * NAN)", {0, 0, 0, 0}},
        OpenClExpression{"Infinity", "select(v, v * 0.5f, v < INFINITY)", {0.5, -1, 1.75, 2}},
        OpenClExpression{"Fused", "fma(v, v, (float4)(1.0f))", {2, 5, 13.25, 17}},
        OpenClExpression{"Rounding", "trunc(-v)", {-1, 2, -3, -4}},
        OpenClExpression{"Root", "sqrt(v * v)", {1, 2, 3.5, 4}},
        OpenClExpression{"Shift", "convert_float4(n << 2 >> 1)", {2, -4, 6, 8}},
        OpenClExpression{"Negation", "convert_float4(~n)", {-2, 1, -4, -5}},
        OpenClExpression{
            "FromAnywhere", "(float4)(vload2(0, p + 1), vload2(1, p))", {-2, 3.5, 3.5, 4}},
        OpenClExpression{
            "CharsWrap", "convert_float4(convert_char4(n) * (char)100)", {100, 56, 44, -112}}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- a kernel of the renderer
// The kernel of docs/opencl.md without its first or second barrier: what docs/emulator.md says.
std::string without_barrier(int number) {
  constexpr std::string_view kBarrier = "barrier(CLK_LOCAL_MEM_FENCE);";
  std::string text =
      read_file(test::source_dir() / "tests/unit/renderer/golden/reversed_by_work_items.cl");
  size_t at = text.find(kBarrier);
  for (int i = 1; i < number; ++i) at = text.find(kBarrier, at + 1);
  if (number > 0) text.erase(at, kBarrier.size());
  const Program program{"reversed_by_work_items", text};
  const Module module(kOpenCl, {&program, 1});
  const std::vector<float> a = counting(37 * 8);
  std::vector<float> b(37 * 8);
  const std::vector<Argument> arguments = {out(b), Argument::value(0), in(a), Argument::value(0),
                                           Argument::value(37)};
  return run(module.kernels()[0], arguments, {.group_size = 8, .groups = 19});
}

TEST(EmulatedOpenCl, FindsWhatTheDocumentSaysInAKernelOfTheRenderer) {
  TG_NEEDS(kOpenCl);
  const std::string document = read_file(test::source_dir() / "docs/emulator.md");
  EXPECT_EQ(without_barrier(0), "");
  for (int number : {1, 2}) {
    const std::string said = without_barrier(number);
    EXPECT_TRUE(said.starts_with("kernel reversed_by_work_items: work-item "));
    EXPECT_NE(document.find(said), std::string::npos) << said;
  }
}

// ---- launches
std::string launched(const std::vector<Argument>& arguments, const Shape& shape) {
  return run_text(kOpenCl,
                  "__attribute__((reqd_work_group_size(8, 1, 1)))\n"
                  "__kernel void k(__global float* p, long n) { p[get_local_id(0)] = n; }",
                  arguments, shape);
}

TEST(EmulatedOpenCl, RefusesALaunchOfAnotherSizeThanTheKernels) {
  TG_NEEDS(kOpenCl);
  std::vector<float> p(8);
  EXPECT_EQ(launched({out(p), Argument::value(1)}, {.group_size = 8}), "");
  EXPECT_EQ(launched({out(p), Argument::value(1)}, {.group_size = 4}),
            "kernel k: launched with 4 work-items, and it wants 8");
}

TEST(EmulatedOpenCl, RefusesArgumentsOfTheWrongKind) {
  TG_NEEDS(kOpenCl);
  std::vector<float> p(8);
  EXPECT_EQ(launched({Argument::value(1), out(p)}, {.group_size = 8}),
            "kernel k: argument 0 is a value, and it wants an array");
  EXPECT_EQ(launched({out(p), out(p)}, {.group_size = 8}),
            "kernel k: argument 1 is an array, and it wants a value");
  EXPECT_EQ(launched({out(p)}, {.group_size = 8}), "kernel k: it wants argument 1, there are 1");
}

}  // namespace
}  // namespace tg::emulator
