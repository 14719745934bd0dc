// Programs that are no CUDA C or no MSL: what the vendors' compilers refuse, the emulator refuses
// too. For CUDA the vendor's compiler is asked itself, where it is installed.
#include "backends/cuda/nvrtc.h"
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
constexpr Invalid kCuda[] = {
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
    return !cuda::find_nvrtc()->compile(text, "sm_80", "a program").bytes.empty();
  } catch (const DeviceError&) {
    return false;
  }
}

TEST_P(InvalidCuda, IsRefusedByTheVendorsCompilerToo) {
  if (cuda::find_nvrtc() == nullptr)
    GTEST_SKIP() << "needs NVRTC: " << cuda::missing_nvrtc_advice();
  Options o = options();
  const TempDir kept_sources("tg-invalid");
  o.temp_dir = kept_sources.path().string();
  const OptionsScope scope(o);
  EXPECT_FALSE(nvrtc_accepts(GetParam().text));
  EXPECT_TRUE(nvrtc_accepts("extern \"C\" __global__ void k(float* p) { p[0] = 1; }"));
}

INSTANTIATE_TEST_SUITE_P(Each, InvalidCuda, testing::ValuesIn(kCuda),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Metal
#define TG_HEAD "#include <metal_stdlib>\nusing namespace metal;\n"
constexpr Invalid kMetal[] = {
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

INSTANTIATE_TEST_SUITE_P(Each, InvalidMetal, testing::ValuesIn(kMetal),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tg::emulator
