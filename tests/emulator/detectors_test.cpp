// Broken kernels: each kind of mistake is found and named, in CUDA C and in OpenCL C.
#include "emulate.h"

namespace tg::emulator {
namespace {

struct Broken {
  const char* name;
  const char* body;    ///< of k(float* b, const float* a, long long n), 64 work-items, two groups
  const char* wanted;  ///< part of what the emulator must say
};

// Quick to read in a test's list.
std::ostream& operator<<(std::ostream& o, const Broken& b) { return o << b.name; }

class BrokenKernel : public testing::TestWithParam<Broken> {};

TEST_P(BrokenKernel, IsStoppedWithItsMistake) {
  TG_NEEDS(kCuda);
  const std::vector<float> a = counting(128);
  std::vector<float> b(128);
  const std::string said =
      run_text(kCuda,
               "extern \"C\" __global__ void k(float* b, const float* a, long long n) {\n"
               "  const int i = threadIdx.x, g = blockIdx.x * 64;\n" +
                   std::string(GetParam().body) + "\n}\n",
               {out(b), in(a), Argument::value(64)},
               {.group_size = 64, .groups = 2, .limit = std::chrono::milliseconds(300)});
  EXPECT_NE(said.find(GetParam().wanted), std::string::npos) << "it said \"" << said << "\"";
}

constexpr Broken kBroken[] = {
    {"NoBarrier", "__shared__ float t[64]; t[i] = a[i]; b[g + i] = t[63 - i];",
     "reads byte 252 of local array t, which nobody has written"},
    {"NoBarrierBetweenRounds",
     "__shared__ float t[64]; for (int r = 0; r < 2; ++r) { t[i] = a[i]; __syncthreads(); b[g + i] "
     "= t[63 - i]; }",
     "reads byte 124 of local array t, which work-item 31 writes and no barrier between them "
     "orders: a race"},
    {"ReadOfWhatAnotherWorkItemWrites",
     "__shared__ float t[64]; if (i == 0) for (int k = 0; k < 64; ++k) "
     "t[k] = k; b[g + i] = t[i];",
     "work-item 1 of group 0 reads byte 4 of local array t, which work-item 0 writes and no "
     "barrier"},
    {"TwoWorkItemsWriteOnePlace", "b[g + i / 2] = a[i];", "which work-item 0 writes too"},
    {"TwoGroupsWriteOnePlace", "b[i] = a[g + i];",
     "of argument 0, which a work-item of another group writes too, with another value: a race"},
    {"AGroupReadsWhatAnotherWrites", "b[g + i] = a[i]; if (g == 64) a = b, b[g + i] = a[i];",
     "reads byte 0 of argument 0, which a work-item of another group writes"},
    {"AGroupWritesWhatAnotherRead",
     "volatile float x = b[0]; if (g == 64 && i == 0) { x = b[0]; b[0] = x; }",
     "writes byte 0 of argument 0, which a work-item of another group reads"},
    {"RaceOfGlobalMemoryInAGroup", "b[g + i] = a[i]; b[g + i] += b[g + (i + 1) % 64];",
     "writes byte 4 of argument 0, which work-item 0 reads"},
    {"NoAsyncWait",
     "__shared__ __align__(16) float t[64]; if (i < 16) tg_async_copy16(t + 4 * i, a + 4 * i, "
     "true); __syncthreads(); b[g + i] = t[i]; tg_async_wait<0>();",
     "work-item 0 of group 0 reads byte 0 of local array t, which nobody has written"},
    {"NoBarrierBehindTheAsyncWait",
     "__shared__ __align__(16) float t[64]; __syncthreads(); if (i < 16) tg_async_copy16(t + 4 * "
     "i, a + 4 * i, true); tg_async_wait<0>(); b[g + i] = t[i];",
     "work-item 1 of group 0 reads byte 4 of local array t, which work-item 0 writes and no "
     "barrier"},
    {"CopiesThatNobodyWaitsFor",
     "__shared__ float t[64]; tg_async_copy4(t + i, a + i, true); b[g + i] = 0;",
     "ends before all that it copies has arrived"},
    {"CopiesOfUnalignedPlaces",
     "__shared__ float t[64]; if (i == 0) tg_async_copy8(t + 1, a + 1, true); tg_async_wait<0>(); "
     "b[g + i] = 0;",
     "copies 8 bytes between addresses that are no multiples of them"},
    {"OnlyTheWarpMet", "__shared__ float t[64]; t[i] = a[i]; __syncwarp(); b[g + i] = t[i ^ 32];",
     "work-item 0 of group 0 reads byte 128 of local array t, which work-item 32 writes"},
    {"WarpsRaceThoughEachMet",
     "__shared__ float t[64]; t[i] = a[i]; __syncthreads(); t[i] += 1; __syncwarp(); b[g + i] = "
     "t[i ^ "
     "32];",
     "and no barrier between them orders: a race"},
    {"AShuffleOrdersNoMemory",
     "__shared__ float t[32]; if (i < 32) { t[i] = a[i]; const int j = __shfl_xor_sync(0xffffffff, "
     "i, 1); b[g + i] = t[j]; }",
     "a race"},
    {"BarrierInABranch", "if (i < 32) __syncthreads(); b[g + i] = a[i];",
     "the work-items of group 0 part ways: work-items 0 to 31 at the barrier of line 3, work-items "
     "32 to 63 ended"},
    {"TwoBarriers", "if (i < 32) {\n__syncthreads();\n} else {\n__syncthreads();\n}",
     "work-items 0 to 31 at the barrier of line 4, work-items 32 to 63 at the barrier of line 6"},
    {"ALoopOfOneMore", "for (int k = 0; k < 3 + (i == 7); ++k) __syncthreads(); b[g + i] = 0;",
     "work-items 0 to 6 ended, work-item 7 at the barrier of line 3"},
    {"ShuffleInABranch", "if (i < 16) b[g + i] = __shfl_xor_sync(0xffffffff, a[i], 1);",
     "work-items 0 to 15 at the barrier of lanes 0xffffffff"},
    {"ShuffleWithoutOneself", "b[g + i] = __shfl_xor_sync(0xff, a[i], 1);",
     "waits for lanes 0xff in line 3; it is lane 8"},
    {"ReadBehindTheEnd", "b[g + i] = a[i + 65 + g / 2 * 0];",
     "work-item 63 of group 0 reads 4 bytes out of bounds, at byte 512 of argument 1, which has "
     "512"},
    {"ReadBeforeTheBegin", "b[g + i] = a[i - 1];",
     "work-item 0 of group 0 reads 4 bytes out of bounds, at byte -4 of argument 1"},
    {"WriteBehindTheEnd", "b[g + i + 1] = a[i];",
     "work-item 63 of group 1 writes 4 bytes out of bounds, at byte 512 of argument 0"},
    {"WriteFarAway", "b[g + i + (n << 20)] = a[i];",
     "work-item 0 of group 0 writes 4 bytes out of bounds, far from all arrays"},
    {"NullPointer", "float* p = (float*)(n - 64); p[i] = 1;", "out of bounds, far from all arrays"},
    {"VectorAcrossTheEnd",
     "struct alignas(4) V { float v[4]; }; V v = *(const V*)(a + i + 64); b[g + i] = v.v[0] + "
     "v.v[3];",
     "reads "},
    {"VectorAtAnElement",
     "struct alignas(16) V { float v[4]; }; V v = *(const V*)(a + i); b[g + i] = v.v[0];",
     "work-item 1 of group 0 uses byte 4 of argument 1 in line 3, whose address is no multiple of "
     "16"},
    {"WriteToWhatIsRead", "((float*)a)[i] = b[g + i];",
     "writes to byte 0 of argument 1, which may only be read"},
    {"LocalReadBehindTheEnd",
     "__shared__ float t[64], u[64]; t[i] = u[i] = a[i]; __syncthreads(); b[g + i] = t[i + 1] + "
     "u[i + "
     "1];",
     "work-item 63 of group 0 reads 4 bytes out of bounds, at byte 256 of local array"},
    {"LocalWriteBehindTheEnd",
     "__shared__ float t[64], u[64]; t[i + n / 64] = u[i] = a[i]; __syncthreads(); b[g + i] "
     "= t[i] + "
     "u[i];",
     "work-item 63 of group 0 writes 4 bytes out of bounds, at byte 256 of local array t"},
    {"LocalReadOfWhatNobodyWrote",
     "__shared__ float t[64]; if (i < 63) t[i] = a[i]; __syncthreads(); b[g + i] = t[i];",
     "work-item 63 of group 0 reads byte 252 of local array t, which nobody has written"},
    {"LocalMemoryOfTheGroupBefore",
     "__shared__ float t[64]; if (g == 0) t[i] = a[i]; __syncthreads(); b[g + i] = t[i];",
     "work-item 0 of group 1 reads byte 0 of local array t, which nobody has written"},
    {"EndlessLoop", "for (volatile int k = 0; k < n;) k = k * 1; b[g + i] = 1;",
     "hangs: the kernel runs longer than 300 ms"},
};

INSTANTIATE_TEST_SUITE_P(Each, BrokenKernel, testing::ValuesIn(kBroken),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- OpenCL C, where it is not the same: barriers of one kind of memory, wide vectors, address
// spaces; and each detector once more, for another compiler puts the calls into the code.
class BrokenOpenClKernel : public testing::TestWithParam<Broken> {};

TEST_P(BrokenOpenClKernel, IsStoppedWithItsMistake) {
  TG_NEEDS(Language::OpenCl);
  const std::vector<float> a = counting(128);
  std::vector<float> b(128);
  const std::string said =
      run_text(Language::OpenCl,
               "__kernel void k(__global float* b, __global const float* a, long n) {\n"
               "  const int i = get_local_id(0), g = get_group_id(0) * 64;\n" +
                   std::string(GetParam().body) + "\n}\n",
               {out(b), in(a), Argument::value(64)},
               {.group_size = 64, .groups = 2, .limit = std::chrono::milliseconds(300)});
  EXPECT_NE(said.find(GetParam().wanted), std::string::npos) << "it said \"" << said << "\"";
}

constexpr Broken kBrokenOpenCl[] = {
    {"NoBarrier", "__local float t[64]; t[i] = a[i]; b[g + i] = t[63 - i];",
     "reads byte 252 of local array t, which nobody has written"},
    {"NoBarrierBetweenRounds",
     "__local float t[64]; for (int r = 0; r < 2; ++r) { t[i] = a[i]; "
     "barrier(CLK_LOCAL_MEM_FENCE); b[g + i] = t[63 - i]; }",
     "reads byte 124 of local array t, which work-item 31 writes and no barrier between them "
     "orders: a race"},
    {"ReadOfWhatAnotherWorkItemWrites",
     "__local float t[64]; if (i == 0) for (int k = 0; k < 64; ++k) t[k] = k; b[g + i] = t[i];",
     "work-item 1 of group 0 reads byte 4 of local array t, which work-item 0 writes and no "
     "barrier"},
    {"LocalMemoryBehindABarrierOfGlobalMemory",
     "__local float t[64]; t[i] = a[i]; barrier(CLK_GLOBAL_MEM_FENCE); b[g + i] = t[63 - i];",
     "work-item 0 of group 0 reads byte 252 of local array t, which work-item 63 writes and no "
     "barrier"},
    {"GlobalMemoryBehindABarrierOfLocalMemory",
     "b[g + i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); b[g + i] += b[g + 63 - i];",
     "work-item 0 of group 0 reads byte 252 of argument 0, which work-item 63 writes and no "
     "barrier"},
    {"TwoWorkItemsWriteOnePlace", "b[g + i / 2] = a[i];", "which work-item 0 writes too"},
    {"TwoGroupsWriteOnePlace", "b[i] = a[g + i];",
     "of argument 0, which a work-item of another group writes too, with another value: a race"},
    {"AGroupReadsWhatAnotherWrites",
     "b[g + i] = a[i]; if (g == 64) { const float x = b[i]; b[g + i] = x; }",
     "reads byte 0 of argument 0, which a work-item of another group writes"},
    {"VectorsThatOverlap", "vstore8(vload8(0, a), 0, b + i);",
     "work-item 1 of group 0 writes byte 4 of argument 0, which work-item 0 writes too"},
    {"BarrierInABranch", "if (i < 32) barrier(CLK_LOCAL_MEM_FENCE); b[g + i] = a[i];",
     "the work-items of group 0 part ways: work-items 0 to 31 at the barrier of line 3, work-items "
     "32 to 63 ended"},
    {"TwoBarriers",
     "if (i < 32) {\nbarrier(CLK_LOCAL_MEM_FENCE);\n} else {\nbarrier(CLK_LOCAL_MEM_FENCE);\n}",
     "work-items 0 to 31 at the barrier of line 4, work-items 32 to 63 at the barrier of line 6"},
    {"ReadBehindTheEnd", "b[g + i] = a[i + 65];",
     "work-item 63 of group 0 reads 4 bytes out of bounds, at byte 512 of argument 1, which has "
     "512"},
    {"ReadBeforeTheBegin", "b[g + i] = a[i - 1];",
     "work-item 0 of group 0 reads 4 bytes out of bounds, at byte -4 of argument 1"},
    {"WriteBehindTheEnd", "b[g + i + 1] = a[i];",
     "work-item 63 of group 1 writes 4 bytes out of bounds, at byte 512 of argument 0"},
    {"WriteFarAway", "b[g + i + (n << 20)] = a[i];",
     "work-item 0 of group 0 writes 4 bytes out of bounds, far from all arrays"},
    {"VectorOfEightAcrossTheEnd", "vstore8(vload8(0, a + 121 + i), 0, b + g);",
     "work-item 0 of group 0 reads 32 bytes out of bounds, at byte 484 of argument 1, which has "
     "512"},
    {"VectorOfSixteenAcrossTheEnd", "vstore16((float16)(1.0f), 0, b + 116);",
     "work-item 0 of group 0 writes 64 bytes out of bounds, at byte 464 of argument 0, which has "
     "512"},
    {"VectorAtAnElement", "const float4 v = *(__global const float4*)(a + i); b[g + i] = v.s0;",
     "work-item 1 of group 0 uses byte 4 of argument 1 in line 3, whose address is no multiple of "
     "16"},
    {"LocalVectorAtAnElement",
     "__local float t[128] __attribute__((aligned(64))); t[i] = t[i + 64] = a[i]; "
     "barrier(CLK_LOCAL_MEM_FENCE);\n"
     "const float8 v = *(__local const float8*)(t + i); b[g + i] = v.s0;",
     "work-item 1 of group 0 uses byte 4 of local array t in line 4, whose address is no multiple "
     "of 32"},
    {"WriteToWhatIsRead", "((__global float*)a)[i] = b[g + i];",
     "writes to byte 0 of argument 1, which may only be read"},
    {"LocalReadBehindTheEnd",
     "__local float t[64], u[64]; t[i] = u[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); b[g + i] = "
     "t[i + 1] + u[i + 1];",
     "work-item 63 of group 0 reads 4 bytes out of bounds, at byte 256 of local array"},
    {"LocalReadOfWhatNobodyWrote",
     "__local float t[64]; if (i < 63) t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); b[g + i] = t[i];",
     "work-item 63 of group 0 reads byte 252 of local array t, which nobody has written"},
    {"LocalMemoryOfTheGroupBefore",
     "__local float t[64]; if (g == 0) t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); b[g + i] = t[i];",
     "work-item 0 of group 1 reads byte 0 of local array t, which nobody has written"},
    {"EndlessLoop", "for (volatile int k = 0; k < n;) k = k * 1; b[g + i] = 1;",
     "hangs: the kernel runs longer than 300 ms"},
};

INSTANTIATE_TEST_SUITE_P(Each, BrokenOpenClKernel, testing::ValuesIn(kBrokenOpenCl),
                         [](const auto& info) { return std::string(info.param.name); });

// Metal's barriers say what they order, too.
TEST(BrokenMetalKernel, IsStoppedBehindABarrierOfOtherMemory) {
  TG_NEEDS(Language::Metal);
  const std::vector<float> a = counting(64);
  std::vector<float> b(64);
  const auto with = [&](const std::string& flags) {
    return run_text(Language::Metal,
                    "#include <metal_stdlib>\nusing namespace metal;\n"
                    "kernel void k(device float* b [[buffer(0)]], device const float* a "
                    "[[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {\n"
                    "  threadgroup float t[64];\n  t[i] = a[i];\n  threadgroup_barrier(" +
                        flags + ");\n  b[i] = t[63 - i];\n}\n",
                    {out(b), in(a)}, {.group_size = 64});
  };
  constexpr const char* kRace =
      "kernel k: work-item 0 of group 0 reads byte 252 of local array t, which work-item 63 writes "
      "and no barrier between them orders: a race";
  EXPECT_EQ(with("mem_flags::mem_threadgroup"), "");
  EXPECT_EQ(with("mem_flags::mem_device | mem_flags::mem_threadgroup"), "");
  EXPECT_EQ(with("mem_flags::mem_device"), kRace);
  EXPECT_EQ(with("mem_flags::mem_none"), kRace);
}

}  // namespace
}  // namespace tg::emulator
