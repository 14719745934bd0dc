// Hand-written CUDA kernels, as a person or the renderer would write them, give right numbers.
#include <cmath>
#include <numeric>

#include "emulate.h"

namespace tg::emulator {
namespace {

TEST(EmulatedCuda, AddsArrays) {
  TG_NEEDS(kCuda);
  const std::vector<float> a = counting(100), b = counting(100, 7);
  std::vector<float> c(100);
  EXPECT_EQ(run_text(kCuda, R"(
extern "C" __global__ void __launch_bounds__(32) k(float* __restrict__ c, const float* __restrict__ a,
                                                   const float* __restrict__ b, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i] + b[i];
})",
                     {out(c), in(a), in(b), Argument::value(100)}, {.group_size = 32, .groups = 2}),
            "");
  for (size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], a[i] + b[i]) << i;
}

TEST(EmulatedCuda, ReversesThroughSharedMemory) {
  TG_NEEDS(kCuda);
  const std::vector<float> a = counting(192);
  std::vector<float> b(192);
  EXPECT_EQ(run_text(kCuda, R"(
extern "C" __global__ void k(float* b, const float* a) {
  __shared__ __align__(64) float tile[64];
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = a[round * 64 + threadIdx.x];
    __syncthreads();
    b[round * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
})",
                     {out(b), in(a)}, {.group_size = 64}),
            "");
  for (size_t i = 0; i < 192; ++i) EXPECT_EQ(b[i], a[i / 64 * 64 + 63 - i % 64]) << i;
}

TEST(EmulatedCuda, MultipliesMatricesByTiles) {
  TG_NEEDS(kCuda);
  constexpr size_t n = 32;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (size_t i = 0; i < n * n; ++i)
    a[i] = static_cast<float>(i % 7) - 3, b[i] = static_cast<float>(i % 5) - 2;
  EXPECT_EQ(run_text(kCuda, R"(
extern "C" __global__ void k(float* c, const float* a, const float* b, int n) {
  __shared__ float ta[8][8], tb[8][8];
  const int y = threadIdx.x / 8, x = threadIdx.x % 8, row = blockIdx.x / (n / 8) * 8, col = blockIdx.x % (n / 8) * 8;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    ta[y][x] = a[(row + y) * n + k + x];
    tb[y][x] = b[(k + y) * n + col + x];
    __syncthreads();
    for (int j = 0; j < 8; ++j) sum += ta[y][j] * tb[j][x];
    __syncthreads();
  }
  c[(row + y) * n + col + x] = sum;
})",
                     {out(c), in(a), in(b), Argument::value(n)}, {.group_size = 64, .groups = 16}),
            "");
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      float want = 0;
      for (size_t k = 0; k < n; ++k) want += a[i * n + k] * b[k * n + j];
      EXPECT_EQ(c[i * n + j], want) << i << " " << j;
    }
  }
}

TEST(EmulatedCuda, SumsAWarpByShuffles) {
  TG_NEEDS(kCuda);
  const std::vector<float> a = counting(64);
  std::vector<float> sums(2);
  EXPECT_EQ(run_text(kCuda, R"(
extern "C" __global__ void k(float* sums, const float* a) {
  float v = a[threadIdx.x];
  for (int bits = 16; bits > 0; bits /= 2) v += __shfl_xor_sync(0xffffffff, v, bits);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
})",
                     {out(sums), in(a)}, {.group_size = 64}),
            "");
  EXPECT_EQ(sums, (std::vector<float>{496, 1520}));
}

struct ShuffleCase {
  const char* name;
  const char* call;
  int (*want)(int lane);
};
class Shuffle : public testing::TestWithParam<ShuffleCase> {};

TEST_P(Shuffle, TakesTheLaneThatCudaTakes) {
  TG_NEEDS(kCuda);
  std::vector<int> got(32);
  const std::string text = std::string(
                               "extern \"C\" __global__ void k(int* got) {\n"
                               "  const int lane = threadIdx.x;\n  got[lane] = ") +
                           GetParam().call + ";\n}\n";
  EXPECT_EQ(run_text(kCuda, text, {out(got)}, {.group_size = 32}), "");
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(got[static_cast<size_t>(lane)], GetParam().want(lane)) << lane;
}

INSTANTIATE_TEST_SUITE_P(
    All, Shuffle,
    testing::Values(
        ShuffleCase{"OfOneLane", "__shfl_sync(0xffffffff, lane * 3, 5)", [](int) { return 15; }},
        ShuffleCase{"OfEachLane", "__shfl_sync(0xffffffff, lane * 3, 31 - lane)",
                    [](int lane) { return (31 - lane) * 3; }},
        ShuffleCase{"OfHalves", "__shfl_sync(0xffffffff, lane, 1, 16)",
                    [](int lane) { return lane < 16 ? 1 : 17; }},
        ShuffleCase{"Down", "__shfl_down_sync(0xffffffff, lane, 4)",
                    [](int lane) { return lane < 28 ? lane + 4 : lane; }},
        ShuffleCase{"DownInQuarters", "__shfl_down_sync(0xffffffff, lane, 3, 8)",
                    [](int lane) { return lane % 8 < 5 ? lane + 3 : lane; }},
        ShuffleCase{"Up", "__shfl_up_sync(0xffffffff, lane, 2)",
                    [](int lane) { return lane < 2 ? lane : lane - 2; }},
        ShuffleCase{"UpInHalves", "__shfl_up_sync(0xffffffff, lane, 1, 16)",
                    [](int lane) { return lane % 16 == 0 ? lane : lane - 1; }},
        ShuffleCase{"Butterfly", "__shfl_xor_sync(0xffffffff, lane, 7)",
                    [](int lane) { return lane ^ 7; }},
        ShuffleCase{"TwiceInOneLine",
                    "__shfl_xor_sync(0xffffffff, __shfl_xor_sync(0xffffffff, lane, 1), 2)",
                    [](int lane) { return lane ^ 3; }}),
    [](const auto& info) { return info.param.name; });

TEST(EmulatedCuda, ShufflesAmongSomeLanes) {
  TG_NEEDS(kCuda);
  std::vector<int> got(32, -1);
  EXPECT_EQ(run_text(kCuda, R"(
extern "C" __global__ void k(int* got) {
  if (threadIdx.x < 8) got[threadIdx.x] = __shfl_sync(0xff, (int)threadIdx.x, 7 - threadIdx.x);
})",
                     {out(got)}, {.group_size = 32}),
            "");
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(got[static_cast<size_t>(lane)], lane < 8 ? 7 - lane : -1);
}

TEST(EmulatedCuda, LanesSeeWhatOthersWroteBeforeTheWarpMet) {
  TG_NEEDS(kCuda);
  std::vector<int> got(64);
  EXPECT_EQ(run_text(kCuda, R"(
extern "C" __global__ void k(int* got) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  got[threadIdx.x] = tile[threadIdx.x ^ 31];
})",
                     {out(got)}, {.group_size = 64}),
            "");
  for (int i = 0; i < 64; ++i) EXPECT_EQ(got[static_cast<size_t>(i)], i ^ 31);
}

// How an instruction of a matrix unit is emulated: a function that each lane gives its fragments.
TEST(EmulatedCuda, MultipliesFragmentsOfAWarp) {
  TG_NEEDS(kCuda);
  const std::vector<float> a = counting(64), b = counting(64, -30);
  std::vector<float> c(64);
  EXPECT_EQ(run_text(kCuda, R"(
struct Fragment { float a[2], b[2]; };  // of row lane / 4, columns lane % 4 * 2 and the next
inline void multiply_8x8(float* c, const float* a, const float* b) {
  const Fragment mine = {{a[0], a[1]}, {b[0], b[1]}};
  const char* table = tg_subgroup_barrier(&mine, sizeof mine, ~0ul, 0, __LINE__);
  const int lane = tg_here.lane, row = lane / 4, column = lane % 4 * 2;
  for (int k = 0; k < 8; ++k) {
    const Fragment* of_a = (const Fragment*)(table + (row * 4 + k / 2) * TG_SLOT_BYTES);
    const Fragment* of_b = (const Fragment*)(table + (k * 4 + column / 2) * TG_SLOT_BYTES);
    for (int j = 0; j < 2; ++j) c[j] += of_a->a[k % 2] * of_b->b[j];
  }
}
extern "C" __global__ void k(float* c, const float* a, const float* b) {
  float sums[2] = {0, 0};
  multiply_8x8(sums, a + threadIdx.x * 2, b + threadIdx.x * 2);
  c[threadIdx.x * 2] = sums[0];
  c[threadIdx.x * 2 + 1] = sums[1];
})",
                     {out(c), in(a), in(b)}, {.group_size = 32}),
            "");
  for (size_t i = 0; i < 8; ++i) {
    for (size_t j = 0; j < 8; ++j) {
      float want = 0;
      for (size_t k = 0; k < 8; ++k) want += a[i * 8 + k] * b[k * 8 + j];
      EXPECT_EQ(c[i * 8 + j], want) << i << " " << j;
    }
  }
}

TEST(EmulatedCuda, CompilesSeveralKernelsAtOnce) {
  TG_NEEDS(kCuda);
  const auto text = [](const std::string& name, const std::string& by) {
    return "__device__ __forceinline__ int helper() { return " + by +
           "; }\nextern \"C\" __global__ void " + name +
           "(int* p) {\n  __shared__ int a[4];\n  a[threadIdx.x] = helper();\n  __syncthreads();\n"
           "  p[threadIdx.x] = a[3 - threadIdx.x];\n}\n";
  };
  const std::vector<Program> programs = {{"one", text("one", "1")}, {"two", text("two", "2")}};
  const Module module(kCuda, programs);
  std::vector<int> p(4);
  ASSERT_EQ(module.kernels().size(), 2u);
  for (int k = 0; k < 2; ++k) {
    const Argument argument = out(p);
    EXPECT_EQ(run(module.kernels()[static_cast<size_t>(k)], {&argument, 1}, {.group_size = 4}), "");
    EXPECT_EQ(p, std::vector<int>(4, k + 1));
    ASSERT_EQ(module.kernels()[static_cast<size_t>(k)].locals.size(), 1u);
    EXPECT_EQ(module.kernels()[static_cast<size_t>(k)].locals[0].bytes, 16);
  }
}

TEST(EmulatedCuda, LetsGroupsWriteTheSameValueToOnePlace) {
  TG_NEEDS(kCuda);
  const std::vector<float> a = counting(8);
  std::vector<float> b(8);
  EXPECT_EQ(run_text(kCuda,
                     "extern \"C\" __global__ void k(float* b, const float* a) {\n"
                     "  b[threadIdx.x] = a[threadIdx.x];\n}\n",
                     {out(b), in(a)}, {.group_size = 8, .groups = 3}),
            "");
  EXPECT_EQ(b, a);
}

TEST(EmulatedCuda, GivesGroupsTheSharedMemoryOfTheLaunch) {
  TG_NEEDS(kCuda);
  const std::string text = R"(
extern "C" __global__ void k(float* b, const float* a) {
  extern __shared__ __align__(64) char scratch[];
  float* t = (float*)(scratch + 64);
  t[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = t[63 - threadIdx.x];
})";
  const std::vector<float> a = counting(64);
  std::vector<float> b(64);
  const auto with = [&](int64_t bytes) {
    return run_text(kCuda, text, {out(b), in(a)}, {.group_size = 64, .local_bytes = bytes});
  };
  EXPECT_EQ(with(64 + 64 * 4), "");
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(b[i], a[63 - i]) << i;
  EXPECT_EQ(with(200 << 10), "");
  EXPECT_EQ(
      with(64 + 63 * 4),
      "kernel k: work-item 63 of group 0 writes 4 bytes out of bounds, at byte 316 of local array "
      "scratch, which has 316");
  EXPECT_EQ(with(256 << 10),
            "kernel k: launched with 262144 bytes of local memory, a group has 232448");
}

TEST(EmulatedCuda, PassesManyArguments) {
  TG_NEEDS(kCuda);
  std::string list = "int* p", body;
  std::vector<int> p(1);
  std::vector<Argument> arguments = {out(p)};
  for (int i = 0; i < 40; ++i) {
    list += ", long long n" + std::to_string(i);
    body += " + n" + std::to_string(i) + " * " + std::to_string(i + 1);
    arguments.push_back(Argument::value(i - 20));
  }
  EXPECT_EQ(run_text(kCuda, "extern \"C\" __global__ void k(" + list + ") { *p = 0" + body + "; }",
                     arguments, {}),
            "");
  int want = 0;
  for (int i = 0; i < 40; ++i) want += (i - 20) * (i + 1);
  EXPECT_EQ(p[0], want);
}

}  // namespace
}  // namespace tg::emulator
