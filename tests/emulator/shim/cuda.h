// The words of CUDA C that generated kernels may use, for a host compiler: a block's shared arrays
// are variables of the module, each thread is a fiber that the emulator runs. Functions that stand
// for instructions are in cuda_functions.inc. Words that CUDA does not know are poisoned, so what
// NVRTC refuses does not compile here either.
#pragma once

#include "emulated.h"

#define __global__
#define __device__
#define __shared__ static
// Instead, where the launch gives the memory: behind `extern`, and an error elsewhere.
#define TG_SHARED_BY_LAUNCH __attribute__((visibility("default")))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct tg_uint3 {
  unsigned x, y, z;
};
#define threadIdx (tg_uint3{tg_here.work_item, 0, 0})
#define blockIdx (tg_uint3{tg_here.group, 0, 0})
#define blockDim (tg_uint3{tg_here.group_size, 1, 1})
#define gridDim (tg_uint3{tg_here.groups, 1, 1})
#define warpSize 32

inline void __syncthreads(int line = __builtin_LINE()) { tg_barrier(line, TG_ALL_MEMORY); }
inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  tg_subgroup_barrier(&mask, 0, mask == 0xffffffffu ? ~0ul : mask, TG_ALL_MEMORY, line);
}

// What lane `from` brought.
template <typename T>
inline T tg_shuffle(unsigned mask, T mine, unsigned from, int line) {
  const char* table =
      tg_subgroup_barrier(&mine, sizeof mine, mask == 0xffffffffu ? ~0ul : mask, 0, line);
  return *reinterpret_cast<const T*>(table + from * TG_SLOT_BYTES);
}

template <typename T>
inline T __shfl_sync(unsigned mask, T mine, int lane, int width = 32, int line = __builtin_LINE()) {
  const unsigned base = tg_here.lane / width * width;
  return tg_shuffle(mask, mine, base + unsigned(lane) % width, line);
}
template <typename T>
inline T __shfl_xor_sync(unsigned mask, T mine, int bits, int width = 32,
                         int line = __builtin_LINE()) {
  const unsigned from = tg_here.lane ^ bits;
  return tg_shuffle(mask, mine, from / width > tg_here.lane / width ? tg_here.lane : from, line);
}
template <typename T>
inline T __shfl_down_sync(unsigned mask, T mine, unsigned by, int width = 32,
                          int line = __builtin_LINE()) {
  const unsigned from = tg_here.lane + by;
  return tg_shuffle(mask, mine, from / width == tg_here.lane / width ? from : tg_here.lane, line);
}
template <typename T>
inline T __shfl_up_sync(unsigned mask, T mine, unsigned by, int width = 32,
                        int line = __builtin_LINE()) {
  const unsigned inside = tg_here.lane % width;
  return tg_shuffle(mask, mine, inside >= by ? tg_here.lane - by : tg_here.lane, line);
}

// A half as its bits.
inline float tg_float_of_half(unsigned short bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
inline unsigned short tg_half_of_float(float x) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
}

#pragma GCC poison thread_local __builtin_convertvector __builtin_shuffle __builtin_shufflevector
#pragma GCC poison ext_vector_type __float128 _Float16 __fp16
#pragma GCC poison device kernel threadgroup __kernel __local
