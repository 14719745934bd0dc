// See instruction_loops.h. Twelve accumulators hide the latency of every multiply-add on two units.
// Registers 0 and 1 hold the operands, 2 and 3 intermediate results, 4 to 15 accumulate, so that
// the same text serves SSE, AVX2 and AVX-512. One bit pattern serves all element types: read as any
// of them it is an ordinary positive number, so nothing is slow because it is zero or denormal.
#include "cli/instruction_loops.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "target/matrix_unit.h"

namespace tg::cli {
namespace {

constexpr int kAccumulators = 12;

#if defined(__x86_64__) && defined(__GNUC__)

constexpr uint32_t kPattern = 0x3f7f3f7f;  // 0.997, as int8 63 and 127

#define TG_CLOBBERS                                                                               \
  "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
      "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

#define TG_TWELVE(STEP) \
  STEP("4")             \
  STEP("5")             \
  STEP("6")             \
  STEP("7") STEP("8") STEP("9") STEP("10") STEP("11") STEP("12") STEP("13") STEP("14") STEP("15")

// A function that runs STEP on every accumulator, `turns` times.
#define TG_AVX_LOOP(NAME, V, STEP)                                                        \
  void NAME(int64_t turns) {                                                              \
    asm volatile("vbroadcastss %1, %%" V "0\n\tvmovaps %%" V "0, %%" V "1\n\t" TG_TWELVE( \
                     TG_CLEAR) "1:\n\t" TG_TWELVE(STEP) "dec %0\n\tjnz 1b\n\tvzeroupper"  \
                 : "+r"(turns)                                                            \
                 : "m"(kPattern)                                                          \
                 : TG_CLOBBERS);                                                          \
  }
#define TG_SSE_LOOP(NAME, STEP)                                                 \
  void NAME(int64_t turns) {                                                    \
    asm volatile(                                                               \
        "movss %1, %%xmm0\n\tshufps $0, %%xmm0, %%xmm0\n\t"                     \
        "movaps %%xmm0, %%xmm1\n\t" TG_TWELVE(TG_CLEAR_SSE) "1:\n\t" TG_TWELVE( \
            STEP) "dec %0\n\tjnz 1b"                                            \
        : "+r"(turns)                                                           \
        : "m"(kPattern)                                                         \
        : TG_CLOBBERS);                                                         \
  }
#define TG_CLEAR(N) "vxorps %%xmm" N ", %%xmm" N ", %%xmm" N "\n\t"
#define TG_CLEAR_SSE(N) "xorps %%xmm" N ", %%xmm" N "\n\t"
// One instruction with an accumulator; a product and its addition.
#define TG_FUSED(I, V, N) I " %%" V "1, %%" V "0, %%" V N "\n\t"
#define TG_PAIR(I, J, V, N) \
  I " %%" V "1, %%" V "0, %%" V "3\n\t" J " %%" V "3, %%" V N ", %%" V N "\n\t"
#define TG_PAIR_SSE(I, J, N) \
  "movaps %%xmm0, %%xmm3\n\t" I " %%xmm1, %%xmm3\n\t" J " %%xmm3, %%xmm" N "\n\t"

#define TG_FMA_PS_512(N) TG_FUSED("vfmadd231ps", "zmm", N)
#define TG_FMA_PD_512(N) TG_FUSED("vfmadd231pd", "zmm", N)
#define TG_DOT_BF16(N) TG_FUSED("vdpbf16ps", "zmm", N)
#define TG_DOT_INT8(N) TG_FUSED("vpdpbusd", "zmm", N)
#define TG_INT16_512(N) TG_PAIR("vpmaddwd", "vpaddd", "zmm", N)
#define TG_INT32_512(N) TG_PAIR("vpmulld", "vpaddd", "zmm", N)
#define TG_FMA_PS_256(N) TG_FUSED("vfmadd231ps", "ymm", N)
#define TG_FMA_PD_256(N) TG_FUSED("vfmadd231pd", "ymm", N)
#define TG_INT16_256(N) TG_PAIR("vpmaddwd", "vpaddd", "ymm", N)
#define TG_INT32_256(N) TG_PAIR("vpmulld", "vpaddd", "ymm", N)
#define TG_PS_128(N) TG_PAIR_SSE("mulps", "addps", N)
#define TG_PD_128(N) TG_PAIR_SSE("mulpd", "addpd", N)
#define TG_INT16_128(N) TG_PAIR_SSE("pmaddwd", "paddd", N)
#define TG_INT32_128(N) TG_PAIR_SSE("pmulld", "paddd", N)

TG_AVX_LOOP(fma_ps_512, "zmm", TG_FMA_PS_512)
TG_AVX_LOOP(fma_pd_512, "zmm", TG_FMA_PD_512)
TG_AVX_LOOP(dot_bf16_512, "zmm", TG_DOT_BF16)
TG_AVX_LOOP(dot_int8_512, "zmm", TG_DOT_INT8)
TG_AVX_LOOP(int16_512, "zmm", TG_INT16_512)
TG_AVX_LOOP(int32_512, "zmm", TG_INT32_512)
TG_AVX_LOOP(fma_ps_256, "ymm", TG_FMA_PS_256)
TG_AVX_LOOP(fma_pd_256, "ymm", TG_FMA_PD_256)
TG_AVX_LOOP(int16_256, "ymm", TG_INT16_256)
TG_AVX_LOOP(int32_256, "ymm", TG_INT32_256)
TG_SSE_LOOP(ps_128, TG_PS_128)
TG_SSE_LOOP(pd_128, TG_PD_128)
TG_SSE_LOOP(int16_128, TG_INT16_128)
TG_SSE_LOOP(int32_128, TG_INT32_128)

// Four sums and four factors in tile registers of 16 rows of 64 bytes. Compilers may not know the
// names of these registers, and nothing else uses them.
struct alignas(64) TileShapes {
  std::array<uint8_t, 16> palette{1};
  std::array<uint16_t, 16> row_bytes{64, 64, 64, 64, 64, 64, 64, 64};
  std::array<uint8_t, 16> rows{16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileShapes kTileShapes;

#define TG_TILE_LOOP(NAME, I)                                                          \
  void NAME(int64_t turns) {                                                           \
    asm volatile(                                                                      \
        "ldtilecfg %1\n\ttilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\t"    \
        "tilezero %%tmm3\n\ttilezero %%tmm4\n\ttilezero %%tmm5\n\ttilezero %%tmm6\n\t" \
        "tilezero %%tmm7\n\t1:\n\t" I " %%tmm6, %%tmm4, %%tmm0\n\t" I                  \
        " %%tmm7, %%tmm4, %%tmm1\n\t" I " %%tmm6, %%tmm5, %%tmm2\n\t" I                \
        " %%tmm7, %%tmm5, %%tmm3\n\tdec %0\n\tjnz 1b\n\ttilerelease"                   \
        : "+r"(turns)                                                                  \
        : "m"(kTileShapes)                                                             \
        : "cc", "memory");                                                             \
  }
TG_TILE_LOOP(tiles_of_bf16, "tdpbf16ps")
TG_TILE_LOOP(tiles_of_int8, "tdpbssd")

// Loads or stores of eight registers in a row.
#define TG_EIGHT(STEP, BYTES) \
  STEP("0", "4")              \
  STEP(BYTES "*1", "5")       \
  STEP(BYTES "*2", "6")       \
  STEP(BYTES "*3", "7")       \
  STEP(BYTES "*4", "8") STEP(BYTES "*5", "9") STEP(BYTES "*6", "10") STEP(BYTES "*7", "11")
#define TG_MEMORY_LOOP(NAME, BYTES, LOADS, STORES, END)                                        \
  void NAME([[maybe_unused]] const char* from, [[maybe_unused]] char* to, int64_t bytes) {     \
    int64_t at = 0;                                                                            \
    asm volatile("1:\n\t" LOADS STORES "add $(" BYTES "*8), %0\n\tcmp %3, %0\n\tjb 1b\n\t" END \
                 : "+r"(at)                                                                    \
                 : "r"(from), "r"(to), "r"(bytes)                                              \
                 : TG_CLOBBERS);                                                               \
  }
#define TG_LOAD_512(AT, N) "vmovaps " AT "(%1,%0), %%zmm" N "\n\t"
#define TG_STORE_512(AT, N) "vmovaps %%zmm" N ", " AT "(%2,%0)\n\t"
#define TG_STREAM_512(AT, N) "vmovntps %%zmm" N ", " AT "(%2,%0)\n\t"
#define TG_LOAD_256(AT, N) "vmovaps " AT "(%1,%0), %%ymm" N "\n\t"
#define TG_STORE_256(AT, N) "vmovaps %%ymm" N ", " AT "(%2,%0)\n\t"
#define TG_STREAM_256(AT, N) "vmovntps %%ymm" N ", " AT "(%2,%0)\n\t"
#define TG_LOAD_128(AT, N) "movaps " AT "(%1,%0), %%xmm" N "\n\t"
#define TG_STORE_128(AT, N) "movaps %%xmm" N ", " AT "(%2,%0)\n\t"
#define TG_STREAM_128(AT, N) "movntps %%xmm" N ", " AT "(%2,%0)\n\t"
#define TG_MEMORY_LOOPS(WIDTH, BYTES, END)                                                        \
  TG_MEMORY_LOOP(read_##WIDTH, BYTES, TG_EIGHT(TG_LOAD_##WIDTH, BYTES), "", END)                  \
  TG_MEMORY_LOOP(write_##WIDTH, BYTES, "", TG_EIGHT(TG_STORE_##WIDTH, BYTES), END)                \
  TG_MEMORY_LOOP(stream_##WIDTH, BYTES, "", TG_EIGHT(TG_STREAM_##WIDTH, BYTES), "sfence\n\t" END) \
  TG_MEMORY_LOOP(copy_##WIDTH, BYTES, TG_EIGHT(TG_LOAD_##WIDTH, BYTES),                           \
                 TG_EIGHT(TG_STORE_##WIDTH, BYTES), END)                                          \
  TG_MEMORY_LOOP(copy_stream_##WIDTH, BYTES, TG_EIGHT(TG_LOAD_##WIDTH, BYTES),                    \
                 TG_EIGHT(TG_STREAM_##WIDTH, BYTES), "sfence\n\t" END)

TG_MEMORY_LOOPS(512, "64", "vzeroupper")
TG_MEMORY_LOOPS(256, "32", "vzeroupper")
TG_MEMORY_LOOPS(128, "16", "")

struct Features {
  bool bf16 = false, int8 = false;  // dot products
};

// Levels of the architecture contain no dot products: only "native" may use them.
Features features_of(const Target& target) {
  __builtin_cpu_init();
  const bool may = target.arch == "native" && target.vector_bytes == 64;
  return {.bf16 = may && __builtin_cpu_supports("avx512bf16") != 0,
          .int8 = may && __builtin_cpu_supports("avx512vnni") != 0};
}

// Tile registers that take factors of this type; null if the processor has none.
const MatrixUnit* tile_unit(const Target& target, DType t) {
  const auto found = std::ranges::find_if(target.matrix_units, [t](const MatrixUnit* unit) {
    return unit->is_tile() && unit->input == t && unit->second == t;
  });
  return found == target.matrix_units.end() ? nullptr : *found;
}

// Of one turn of a loop of tile registers.
double work(const MatrixUnit& unit) { return 4.0 * 2 * unit.m * unit.n * unit.k; }

// Multiplications and additions of one turn, if an instruction does `each` multiply-adds a lane of
// 32 bits.
double work(int vector_bytes, double each) {
  return 2 * kAccumulators * each * static_cast<double>(vector_bytes) / 4;
}

#else

constexpr int kLanes = 16;

// What the compiler of this library makes of plain loops over whole vectors.
template <typename T>
void plain_loop(int64_t turns) {
  std::array<std::array<T, kLanes>, kAccumulators> sums{};
  volatile T once = static_cast<T>(3);
  const T a = once;
  for (int64_t i = 0; i < turns; ++i) {
    for (auto& sum : sums) {
      for (T& s : sum) s = static_cast<T>(s * a + a);
    }
  }
  T all{};
  for (const auto& sum : sums) {
    for (const T s : sum) all = static_cast<T>(all + s);
  }
  once = all;
}

void plain_read(const char* from, char*, int64_t bytes) {
  const auto* words = reinterpret_cast<const uint64_t*>(from);
  uint64_t sum = 0;
  for (int64_t i = 0; i < bytes / 8; ++i) sum += words[i];
  volatile uint64_t kept = sum;
  static_cast<void>(kept);
}
void plain_write(const char*, char* to, int64_t bytes) { std::fill(to, to + bytes, char{1}); }
void plain_copy(const char* from, char* to, int64_t bytes) { std::copy(from, from + bytes, to); }

#endif

void add(std::vector<ArithmeticLoop>& loops, std::initializer_list<DType> dtypes,
         std::string_view instructions, double operations, void (*run)(int64_t)) {
  for (const DType t : dtypes) loops.push_back({t, std::string(instructions), operations, run});
}

// Types whose sums are defined in float32.
void add_float32(std::vector<ArithmeticLoop>& loops, std::string_view instructions,
                 double operations, void (*run)(int64_t)) {
  add(loops,
      {DType::Float32, DType::Float16, DType::BFloat16, DType::Fp8E4M3, DType::Fp8E5M2,
       DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz},
      instructions, operations, run);
}

}  // namespace

std::vector<ArithmeticLoop> arithmetic_loops([[maybe_unused]] const Target& target) {
  std::vector<ArithmeticLoop> all;
#if defined(__x86_64__) && defined(__GNUC__)
  const int bytes = target.vector_bytes;
  const auto [bf16, int8] = features_of(target);
  if (bytes == 64) {
    add_float32(all, "vfmadd231ps zmm", work(64, 1), fma_ps_512);
    add(all, {DType::Float64}, "vfmadd231pd zmm", work(64, 0.5), fma_pd_512);
    add(all, {DType::Int32}, "vpmulld + vpaddd zmm", work(64, 1), int32_512);
    add(all, {DType::Int8, DType::Int16}, "vpmaddwd + vpaddd zmm", work(64, 2), int16_512);
  } else if (bytes == 32 && target.has_fma) {
    add_float32(all, "vfmadd231ps ymm", work(32, 1), fma_ps_256);
    add(all, {DType::Float64}, "vfmadd231pd ymm", work(32, 0.5), fma_pd_256);
    add(all, {DType::Int32}, "vpmulld + vpaddd ymm", work(32, 1), int32_256);
    add(all, {DType::Int8, DType::Int16}, "vpmaddwd + vpaddd ymm", work(32, 2), int16_256);
  } else {
    add_float32(all, "mulps + addps", work(16, 1), ps_128);
    add(all, {DType::Float64}, "mulpd + addpd", work(16, 0.5), pd_128);
    add(all, {DType::Int8, DType::Int16}, "pmaddwd + paddd", work(16, 2), int16_128);
    if (__builtin_cpu_supports("sse4.1") != 0)
      add(all, {DType::Int32}, "pmulld + paddd", work(16, 1), int32_128);
  }
  if (bf16) {
    add(all,
        {DType::BFloat16, DType::Fp8E4M3, DType::Fp8E5M2, DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz},
        "vdpbf16ps zmm", work(64, 2), dot_bf16_512);
  }
  if (int8) add(all, {DType::Int8}, "vpdpbusd zmm", work(64, 4), dot_int8_512);
  if (const MatrixUnit* unit = tile_unit(target, DType::BFloat16)) {
    add(all,
        {DType::BFloat16, DType::Fp8E4M3, DType::Fp8E5M2, DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz},
        "tdpbf16ps", work(*unit), tiles_of_bf16);
  }
  if (const MatrixUnit* unit = tile_unit(target, DType::Int8))
    add(all, {DType::Int8}, "tdpbssd", work(*unit), tiles_of_int8);
#else
  constexpr double kWork = 2.0 * kAccumulators * kLanes;
  add_float32(all, "plain loop", kWork, plain_loop<float>);
  add(all, {DType::Float64}, "plain loop", kWork, plain_loop<double>);
  add(all, {DType::Int32, DType::Int16, DType::Int8}, "plain loop", kWork, plain_loop<uint32_t>);
#endif
  return all;
}

std::vector<MemoryLoop> memory_loops([[maybe_unused]] const Target& target) {
  using enum MemoryLoop::Kind;
#if defined(__x86_64__) && defined(__GNUC__)
  if (target.vector_bytes == 64) {
    return {{Read, false, read_512},
            {Write, false, write_512},
            {Write, true, stream_512},
            {Copy, false, copy_512},
            {Copy, true, copy_stream_512}};
  }
  if (target.vector_bytes == 32) {
    return {{Read, false, read_256},
            {Write, false, write_256},
            {Write, true, stream_256},
            {Copy, false, copy_256},
            {Copy, true, copy_stream_256}};
  }
  return {{Read, false, read_128},
          {Write, false, write_128},
          {Write, true, stream_128},
          {Copy, false, copy_128},
          {Copy, true, copy_stream_128}};
#else
  return {{Read, false, plain_read}, {Write, false, plain_write}, {Copy, false, plain_copy}};
#endif
}

}  // namespace tg::cli
