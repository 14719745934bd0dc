// Programs that are no CUDA C, no MSL or no OpenCL C: what the vendors' compilers refuse, the
// emulator refuses too. For CUDA the vendor's compiler is asked itself, where it is installed.
#include "backends/nvidia/nvrtc.h"
#include "emulate.h"
#include "support/file.h"
#include "support/options.h"
#include "tg/error.h"

namespace tg::emulator {
namespace {

struct Invalid {
  const char* name;
  const char* text;
  const char* wanted;  ///< part of the refusal
};

// Quick to read in a test's list.
std::ostream& operator<<(std::ostream& o, const Invalid& i) { return o << i.name; }

std::string refusal(Language language, const std::string& text) {
  const Program program{"k", text};
  try {
    const Module module(language, {&program, 1});
    return {};
  } catch (const DeviceError& e) {
    return e.what();
  }
}

void expect_refused(Language language, const std::string& text, const char* wanted) {
  const std::string said = refusal(language, text);
  EXPECT_NE(said.find(wanted), std::string::npos) << "it said \"" << said << "\"";
  EXPECT_FALSE(said.empty());
}

// ---- CUDA
constexpr Invalid kInvalidCuda[] = {
    {"Syntax", "extern \"C\" __global__ void k(float* p) { p[0] = ; }", "refuses kernel k"},
    {"UnknownType", "extern \"C\" __global__ void k(float* p) { half x = 1; p[0] = x; }", "half"},
    {"HeaderOfTheHost", "#include <cmath>\nextern \"C\" __global__ void k(float* p) {}", "cmath"},
    {"StandardLibrary", "extern \"C\" __global__ void k(float* p) { p[0] = std::min(p[1], p[2]); }",
     "std"},
    {"KernelThatReturns", "extern \"C\" __global__ float k(float* p) { return p[0]; }",
     "a __global__ function returns a value"},
    {"SharedWithAValue",
     "extern \"C\" __global__ void k(float* p) { __shared__ float t[2] = {1, 2}; p[0] = t[0]; }",
     "a __shared__ array has an initial value"},
    {"TooMuchSharedMemory",
     "extern \"C\" __global__ void k(float* p) { __shared__ float t[20000]; t[threadIdx.x] = "
     "p[0];\n"
     "  __syncthreads(); p[threadIdx.x] = t[threadIdx.x + 1]; }",
     "its local arrays have 80000 bytes, a group has 49152"},
    {"ArrayOfUnknownSize",
     "extern \"C\" __global__ void k(float* p, int n) { float t[n]; t[n - 1] = 1; p[0] = t[n / 2]; "
     "}",
     "refuses kernel k"},
    {"ThreadLocal",
     "extern \"C\" __global__ void k(float* p) { static thread_local int x; p[0] = x++; }",
     "thread_local"},
    {"Exception", "extern \"C\" __global__ void k(float* p) { if (p[0] > 0) throw 1; }",
     "refuses kernel k"},
    {"TypeInformation",
     "struct A { virtual ~A() {} }; struct B : A {}; extern \"C\" __global__ void k(float* p) { A* "
     "a = (A*)p; "
     "p[1] = dynamic_cast<B*>(a) != 0; }",
     "refuses kernel k"},
    {"WriteToConst", "extern \"C\" __global__ void k(const float* p) { p[0] = 1; }",
     "refuses kernel k"},
    {"ConversionOfVectors",
     "extern \"C\" __global__ void k(float* p) { p[0] = __builtin_convertvector(p[1], float); }",
     "__builtin_convertvector"},
    {"WordOfOpenCl", "extern \"C\" __global__ void k(__global float* p) { p[0] = 1; }", "__global"},
    {"WordOfMetal", "extern \"C\" __global__ void k(device float* p) { p[0] = 1; }", "device"},
    {"FunctionWithoutBody",
     "__device__ float f(float); extern \"C\" __global__ void k(float* p) { p[0] = f(p[1]); }",
     "f"},
    {"UnknownIntrinsic", "extern \"C\" __global__ void k(float* p) { p[0] = __shfl(p[1], 0); }",
     "__shfl"},
    {"WrongNumberOfArguments",
     "extern \"C\" __global__ void k(float* p) { p[0] = __shfl_sync(0xffffffff, p[1]); }",
     "refuses kernel k"},
    {"UnlikeTypes",
     "struct V { float x; }; extern \"C\" __global__ void k(V* p) { p[0] = p[1] + p[2]; }",
     "refuses kernel k"},
};

class InvalidCuda : public testing::TestWithParam<Invalid> {};

TEST_P(InvalidCuda, IsRefused) {
  TG_NEEDS(Language::Cuda);
  expect_refused(Language::Cuda, GetParam().text, GetParam().wanted);
}

bool nvrtc_accepts(const std::string& text) {
  try {
    return !nvidia::find_nvrtc()->compile(text, "sm_80", "a program").bytes.empty();
  } catch (const DeviceError&) {
    return false;
  }
}

TEST_P(InvalidCuda, IsRefusedByTheVendorsCompilerToo) {
  if (nvidia::find_nvrtc() == nullptr)
    GTEST_SKIP() << "needs NVRTC: " << nvidia::missing_nvrtc_advice();
  Options o = options();
  const TempDir kept_sources("tg-invalid");
  o.temp_dir = kept_sources.path().string();
  const OptionsScope scope(o);
  EXPECT_FALSE(nvrtc_accepts(GetParam().text));
  EXPECT_TRUE(nvrtc_accepts("extern \"C\" __global__ void k(float* p) { p[0] = 1; }"));
}

INSTANTIATE_TEST_SUITE_P(Each, InvalidCuda, testing::ValuesIn(kInvalidCuda),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Metal
#define TG_HEAD "#include <metal_stdlib>\nusing namespace metal;\n"
constexpr Invalid kInvalidMetal[] = {
    {"Syntax", TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { p[0] = ; }",
     "refuses kernel k"},
    {"Double",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { double x = p[0]; p[1] = x; }",
     "double"},
    {"PointerToDouble", TG_HEAD "kernel void k(device double* p [[buffer(0)]]) { p[0] = 1; }",
     "double"},
    {"ArgumentWithoutAddressSpace", TG_HEAD "kernel void k(float* p [[buffer(0)]]) { p[0] = 1; }",
     "a pointer has no address space: \"kernel void k(float* p"},
    {"VariableWithoutAddressSpace",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { float* q = p; q[0] = 1; }",
     "a pointer has no address space: \"kernel void k"},
    {"CastWithoutAddressSpace",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) {\n *(float4*)(p) = float4(0.0f); }",
     "a pointer has no address space: \"*(float4*)(p)"},
    {"DevicePointerAsThreadgroup",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { threadgroup float* q = p; q[0] = 1; }",
     "refuses kernel k"},
    {"ThreadgroupPointerAsDevice",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { threadgroup float t[4]; t[0] = 1; "
             "device float* q = t; p[0] = q[0]; }",
     "refuses kernel k"},
    {"ThreadgroupPointerToAFunctionOfDevice",
     TG_HEAD
     "static inline float f(device const float* p) { return p[0]; }\n"
     "kernel void k(device float* p [[buffer(0)]]) { threadgroup float t[4]; t[0] = 1; p[0] "
     "= f(t); }",
     "refuses kernel k"},
    {"ThreadgroupWithAValue",
     TG_HEAD
     "kernel void k(device float* p [[buffer(0)]]) { threadgroup float t[2] = {1, 2}; p[0] = "
     "t[0]; }",
     "refuses kernel k"},
    {"ThreadgroupOutsideOfAKernel",
     TG_HEAD "static inline float f(float x) { threadgroup float t[2]; t[0] = x; return t[0]; }\n"
             "kernel void k(device float* p [[buffer(0)]]) { p[0] = f(1); }",
     "refuses kernel k"},
    {"TooMuchThreadgroupMemory",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) "
             "{ threadgroup float t[10000]; t[i] = 1; "
             "threadgroup_barrier(mem_flags::mem_threadgroup); p[i] = t[i + 1]; }",
     "its local arrays have 40000 bytes, a group has 32768"},
    {"WriteToConstant",
     TG_HEAD "struct A { long n; };\nkernel void k(device float* p [[buffer(0)]], constant A& a "
             "[[buffer(1)]]) { a.n = 1; }",
     "refuses kernel k"},
    {"ArgumentWithoutAttribute", TG_HEAD "kernel void k(device float* p) { p[0] = 1; }",
     "has no attribute that says what it is bound to"},
    {"UnknownAttribute", TG_HEAD "kernel void k(device float* p [[bufer(0)]]) { p[0] = 1; }",
     "bufer"},
    {"UnknownPlace",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]], uint i [[global_id]]) { p[i] = 1; }",
     "global_id"},
    {"PlaceThatIsNoInteger",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]], float i [[thread_position_in_grid]]) { "
             "p[0] = i; }",
     "is a place in the launch and neither uint nor ushort"},
    {"OneBufferTwice",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]], device float* q [[buffer(0)]]) { p[0] = "
             "q[0]; }",
     "is bound to a buffer that another one has"},
    {"TooManyBuffers", TG_HEAD "kernel void k(device float* p [[buffer(31)]]) { p[0] = 1; }",
     "is bound to a buffer behind the 31 that exist"},
    {"BufferThatIsNoPointer", TG_HEAD "kernel void k(device float p [[buffer(0)]]) {}", "buffer"},
    {"ThreadgroupBuffer", TG_HEAD "kernel void k(threadgroup float* p [[buffer(0)]]) { p[0] = 1; }",
     "is a buffer outside the address spaces device and constant"},
    {"KernelThatReturns", TG_HEAD "kernel float k(device float* p [[buffer(0)]]) { return p[0]; }",
     "refuses kernel k"},
    {"NoKernel", TG_HEAD "void k(device float* p) { p[0] = 1; }", "k"},
    {"VectorsOfUnlikeTypes",
     TG_HEAD "kernel void k(device float4* p [[buffer(0)]]) { int4 n = p[0]; p[1] = float4(n); }",
     "refuses kernel k"},
    {"SumOfUnlikeVectors",
     TG_HEAD "kernel void k(device float4* p [[buffer(0)]]) { p[0] = p[1] + int4(1); }",
     "refuses kernel k"},
    {"VectorOfEight",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { float8 v; p[0] = 1; }", "float8"},
    {"LaneThatIsNotThere", TG_HEAD "kernel void k(device float2* p [[buffer(0)]]) { p[0].z = 1; }",
     "refuses kernel k"},
    {"BitsOfAnotherSize",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { p[0] = as_type<float>(1ul); }",
     "as_type keeps the size"},
    {"NamesWithoutTheirNamespace",
     "#include <metal_stdlib>\nkernel void k(device float* p [[buffer(0)]]) { float4 v; p[0] = 1; "
     "}",
     "float4"},
    {"HeaderOfTheHost",
     "#include <vector>\n" TG_HEAD "kernel void k(device float* p [[buffer(0)]]) {}", "vector"},
    {"ArrayOfUnknownSize",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]], uint n [[thread_position_in_grid]]) { "
             "float t[n]; p[0] = t[0]; }",
     "refuses kernel k"},
    {"Exception", TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { throw 1; }", "throw"},
    {"Allocation", TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { auto q = new float; }",
     "new"},
    {"VirtualFunction",
     TG_HEAD "struct A { virtual float f() { return 1; } };\nkernel void k(device float* p "
             "[[buffer(0)]]) { A a; p[0] = a.f(); }",
     "virtual"},
    {"WordOfOpenCl", TG_HEAD "kernel void k(__global float* p [[buffer(0)]]) { p[0] = 1; }",
     "__global"},
    {"FunctionOfOpenCl",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { p[get_global_id(0)] = 1; }",
     "get_global_id"},
    {"WordOfCuda",
     TG_HEAD "kernel void k(device float* p [[buffer(0)]]) { __shared__ float t[4]; }",
     "__shared__"},
};

class InvalidMetal : public testing::TestWithParam<Invalid> {};

TEST_P(InvalidMetal, IsRefused) {
  TG_NEEDS(Language::Metal);
  expect_refused(Language::Metal, GetParam().text, GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(Each, InvalidMetal, testing::ValuesIn(kInvalidMetal),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- OpenCL C
#define TG_K "__kernel void k(__global float* p) "
constexpr Invalid kInvalidOpenCl[] = {
    {"Syntax", TG_K "{ p[0] = ; }", "refuses kernel k"},
    {"PointerWithoutAddressSpace", "__kernel void k(float* p) { p[0] = 1; }",
     "pointer arguments to kernel functions must reside in"},
    {"GlobalPointerAsLocal", TG_K "{ __local float* q = p; q[0] = 1; }", "address space"},
    {"GlobalPointerAsPrivate", TG_K "{ float* q = p; q[0] = 1; }", "address space"},
    {"LocalPointerAsGlobal",
     TG_K "{ __local float t[4]; t[0] = 1; __global float* q = t; p[0] = q[0]; }", "address space"},
    {"LocalPointerToAFunctionOfGlobal",
     "static inline float f(__global const float* p) { return p[0]; }\n" TG_K
     "{ __local float t[4]; t[0] = 1; p[0] = f(t); }",
     "address space"},
    {"CastToAnotherAddressSpace", TG_K "{ *(__local float*)(p) = 1; }", "address space"},
    {"LocalWithAValue", TG_K "{ __local float t[2] = {1, 2}; p[0] = t[0]; }", "initializer"},
    {"LocalInAFunction",
     "static float f(float x) { __local float t[2]; t[0] = x; return t[0]; }\n" TG_K
     "{ p[0] = f(1); }",
     "__local"},
    {"LocalInABranch", TG_K "{ if (p[0] > 0) { __local float t[2]; t[0] = 1; p[0] = t[0]; } }",
     "__local"},
    {"GlobalVariable", "float x = 1;\n" TG_K "{ p[0] = x; }", "constant"},
    {"StaticVariable", TG_K "{ static int x = 1; p[0] = x++; }", "static"},
    {"TooMuchLocalMemory",
     TG_K "{ __local float t[10000]; t[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); "
          "p[0] = t[1]; }",
     "its local arrays have 40000 bytes, a group has 32768"},
    {"WriteToConst", "__kernel void k(__global const float* p) { p[0] = 1; }", "const"},
    {"WriteToConstant", "__kernel void k(__constant float* p) { p[0] = 1; }", "const"},
    {"HalfWithoutItsExtension", TG_K "{ half x = p[0]; p[0] = x; }",
     "half without cl_khr_fp16: \"__kernel"},
    {"HalfVectorsWithoutTheirExtension", TG_K "{ p[0] = convert_float(as_half((ushort)1)); }",
     "half without cl_khr_fp16"},
    {"HalfBeforeItsExtension",
     "static float f(ushort x) { return convert_float(as_half(x)); }\n"
     "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" TG_K "{ p[0] = f(1); }",
     "half without cl_khr_fp16"},
    {"HalfAsAnArgument",
     "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
     "__kernel void k(__global float* p, half x) { p[0] = x; }",
     "half x"},
    {"BoolAsAnArgument", "__kernel void k(__global float* p, bool x) { p[0] = x; }", "bool"},
    {"PointerToBool", "__kernel void k(__global bool* p) { p[0] = 1; }",
     "is of bool, whose size only the device knows"},
    {"SizeAsAnArgument", "__kernel void k(__global float* p, size_t n) { p[0] = n; }", "size_t"},
    {"PointerToPointers", "__kernel void k(__global float* __global* p) { p[0][0] = 1; }",
     "pointer"},
    {"LocalArgument", "__kernel void k(__global float* p, __local float* t) { p[0] = t[0]; }",
     "is local memory of the launch, which is not emulated"},
    {"FloatAsAnArgument", "__kernel void k(__global float* p, float x) { p[0] = x; }",
     "is neither a pointer nor an integer"},
    {"KernelThatReturns", "__kernel float k(__global float* p) { return p[0]; }",
     "refuses kernel k"},
    {"NoKernel", "void k(__global float* p) { p[0] = 1; }",
     "OpenCL C has no function \"__kernel void k(\""},
    {"UnknownAttribute",
     "__attribute__((required_work_group_size(8, 1, 1)))\n" TG_K "{ p[0] = 1; }",
     "required_work_group_size"},
    {"AttributeOfAnotherFunction",
     "__attribute__((reqd_work_group_size(8, 1, 1))) static void f(void) {}\n" TG_K
     "{ f(); p[0] = 1; }",
     "refuses kernel k"},
    {"GroupOfNoWorkItems", "__attribute__((reqd_work_group_size(0, 1, 1)))\n" TG_K "{ p[0] = 1; }",
     "reqd_work_group_size"},
    {"GroupOfTwoDimensions",
     "__attribute__((reqd_work_group_size(8, 2, 1)))\n" TG_K "{ p[0] = 1; }",
     "is no size of a group in one dimension"},
    {"VectorsOfUnlikeTypes", TG_K "{ int4 n = vload4(0, p); vstore4(convert_float4(n), 0, p); }",
     "refuses kernel k"},
    {"SumOfUnlikeVectors", TG_K "{ vstore4(vload4(0, p) + (int4)(1), 0, p); }", "refuses kernel k"},
    {"VectorOfSixLanes", TG_K "{ float6 v; p[0] = 1; }", "float6"},
    {"LaneThatIsNotThere", TG_K "{ float2 v = vload2(0, p); p[0] = v.s2; }", "refuses kernel k"},
    {"SelectByAMaskOfAnotherWidth",
     TG_K "{ vstore4(select(vload4(0, p), (float4)(0.0f), (char4)(-1)), 0, p); }",
     "no matching function for call to 'select'"},
    {"SelectByAComparisonOfFloats",
     TG_K "{ vstore4(select(vload4(0, p), (float4)(0.0f), vload4(0, p)), 0, p); }",
     "no matching function for call to 'select'"},
    {"AllOfFloats", TG_K "{ p[0] = all(vload4(0, p)); }", "no matching function for call to 'all'"},
    {"BitsOfAnotherSize", TG_K "{ p[0] = as_float(1ul); }", "refuses kernel k"},
    {"ConversionOfOtherLanes", TG_K "{ vstore8(convert_float8(vload4(0, p)), 0, p); }",
     "refuses kernel k"},
    {"LoadOfAnotherType", TG_K "{ int4 n = vload4(0, p); p[0] = n.s0; }", "refuses kernel k"},
    {"StoreOfAnotherType", TG_K "{ vstore4((int4)(1), 0, p); }", "incompatible pointer types"},
    {"UnknownFunction", TG_K "{ p[0] = tgamma2(p[1]); }", "tgamma2"},
    {"FunctionWithoutBody", "float f(float);\n" TG_K "{ p[0] = f(p[1]); }", "f"},
    {"FunctionPointer",
     "static float f(float x) { return x; }\n" TG_K "{ float (*g)(float) = f; p[0] = g(p[1]); }",
     "refuses kernel k"},
    {"VariableArguments", "static void f(int n, ...) {}\n" TG_K "{ f(1, 2); p[0] = 1; }",
     "refuses kernel k"},
    {"ArrayOfUnknownSize", "__kernel void k(__global float* p, int n) { float t[n]; p[0] = t[0]; }",
     "refuses kernel k"},
    {"HeaderOfTheHost", "#include <math.h>\n" TG_K "{ p[0] = 1; }", "math.h"},
    {"ClassOfTheHost", "struct A { float f() { return 1; } };\n" TG_K "{ p[0] = 1; }",
     "refuses kernel k"},
    {"WordOfCuda", TG_K "{ __shared__ float t[4]; p[0] = 1; }", "__shared__"},
    {"WordOfMetal", TG_K "{ threadgroup float t[4]; p[0] = 1; }", "threadgroup"},
    {"Assembly", TG_K "{ asm(\"nop\"); p[0] = 1; }", "asm"},
};

class InvalidOpenCl : public testing::TestWithParam<Invalid> {};

TEST_P(InvalidOpenCl, IsRefused) {
  TG_NEEDS(Language::OpenCl);
  expect_refused(Language::OpenCl, GetParam().text, GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(Each, InvalidOpenCl, testing::ValuesIn(kInvalidOpenCl),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(InvalidOpenClProgram, TakesMoreBytesOfArgumentsThanADeviceMustGive) {
  TG_NEEDS(Language::OpenCl);
  std::string list = "__global float* p";
  for (int i = 1; i < 129; ++i) list += ", long n" + std::to_string(i);
  expect_refused(Language::OpenCl, "__kernel void k(" + list + ") { p[0] = 1; }",
                 "is the last of 1032 bytes, and a kernel is given at most 1024");
}

}  // namespace
}  // namespace tg::emulator
