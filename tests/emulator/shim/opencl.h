// OpenCL C 1.2 for a host compiler that knows the language but has no device: clang brings address
// spaces, vectors and what a program may not do; here are the functions that generated kernels use.
// They are overloaded by exact types, as a driver's are, so a mask of the wrong width is refused.
// Included in front of each program; what programs must not use themselves is poisoned at the end.
#pragma once

#include "emulated.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
typedef uint cl_mem_fence_flags;

#define NAN (__builtin_nanf(""))
#define INFINITY (__builtin_inff())
#define TG_FN static inline __attribute__((overloadable, always_inline))

// ---- vectors, and the same where only elements are aligned
#define TG_VECTOR(T, N)                               \
  typedef __attribute__((ext_vector_type(N))) T T##N; \
  typedef T##N tg_unaligned_##T##N __attribute__((aligned(sizeof(T))));
#define TG_VECTORS(T) TG_VECTOR(T, 2) TG_VECTOR(T, 4) TG_VECTOR(T, 8) TG_VECTOR(T, 16)
TG_VECTORS(char)
TG_VECTORS(uchar)
TG_VECTORS(short)
TG_VECTORS(ushort)
TG_VECTORS(int)
TG_VECTORS(uint)
TG_VECTORS(long)
TG_VECTORS(ulong)
TG_VECTORS(float)
TG_VECTORS(double)
TG_VECTORS(half)

// ---- places in the launch, which is one-dimensional
TG_FN size_t get_local_id(uint d) { return d == 0 ? tg_here.work_item : 0; }
TG_FN size_t get_local_size(uint d) { return d == 0 ? tg_here.group_size : 1; }
TG_FN size_t get_group_id(uint d) { return d == 0 ? tg_here.group : 0; }
TG_FN size_t get_num_groups(uint d) { return d == 0 ? tg_here.groups : 1; }
TG_FN size_t get_global_id(uint d) {
  return d == 0 ? (size_t)tg_here.group * tg_here.group_size + tg_here.work_item : 0;
}
TG_FN size_t get_global_size(uint d) {
  return d == 0 ? (size_t)tg_here.groups * tg_here.group_size : 1;
}

#define CLK_LOCAL_MEM_FENCE ((cl_mem_fence_flags)TG_LOCAL)
#define CLK_GLOBAL_MEM_FENCE ((cl_mem_fence_flags)TG_GLOBAL)
#define barrier(fences) tg_barrier(__LINE__, (int)(cl_mem_fence_flags)(fences))

// ---- memory: the offset counts vectors
#define TG_LOAD(T, N, space)                                    \
  TG_FN T##N vload##N(size_t offset, const space T* p) {        \
    return *(const space tg_unaligned_##T##N*)(p + offset * N); \
  }
#define TG_STORE(T, N, space)                               \
  TG_FN void vstore##N(T##N v, size_t offset, space T* p) { \
    *(space tg_unaligned_##T##N*)(p + offset * N) = v;      \
  }
#define TG_LOADS(T, N) TG_LOAD(T, N, __global) TG_LOAD(T, N, __local) TG_LOAD(T, N, __private)
#define TG_STORES(T, N) TG_STORE(T, N, __global) TG_STORE(T, N, __local) TG_STORE(T, N, __private)

// ---- functions of one element or a vector; M and U are the integers of T's width
#define TG_SELECT(V, M) \
  TG_FN V select(V a, V b, M m) { return m ? b : a; }
#define TG_SELECTS(T, N, M, U) TG_SELECT(T##N, M##N) TG_SELECT(T##N, U##N)
#define TG_LANES(T, N, M, U) TG_LOADS(T, N) TG_STORES(T, N) TG_SELECTS(T, N, M, U)
#define TG_WIDE(T, M, U) TG_LANES(T, 8, M, U) TG_LANES(T, 16, M, U)
#define TG_NARROW(T, M, U) TG_LANES(T, 2, M, U) TG_LANES(T, 4, M, U)
#define TG_TYPE(T, M, U) TG_SELECT(T, M) TG_SELECT(T, U) TG_NARROW(T, M, U) TG_WIDE(T, M, U)
TG_TYPE(char, char, uchar)
TG_TYPE(uchar, char, uchar)
TG_TYPE(short, short, ushort)
TG_TYPE(ushort, short, ushort)
TG_TYPE(int, int, uint)
TG_TYPE(uint, int, uint)
TG_TYPE(long, long, ulong)
TG_TYPE(ulong, long, ulong)
TG_TYPE(float, int, uint)
TG_TYPE(double, long, ulong)

// Whether all lanes of a mask are set: by their highest bits.
#define TG_ALL(M)                                     \
  TG_FN int all(M m) { return m < 0; }                \
  TG_FN int all(M##2 m) { return (m.s0 & m.s1) < 0; } \
  TG_FN int all(M##4 m) { return all(m.lo & m.hi); }  \
  TG_FN int all(M##8 m) { return all(m.lo & m.hi); }  \
  TG_FN int all(M##16 m) { return all(m.lo & m.hi); }
TG_ALL(char)
TG_ALL(short)
TG_ALL(int)
TG_ALL(long)

// Vectors by their halves.
#define TG_HALVES(f, V) \
  TG_FN V f(V x) { return (V)(f(x.lo), f(x.hi)); }
#define TG_ALL_LANES(f, T) \
  TG_HALVES(f, T##2) TG_HALVES(f, T##4) TG_HALVES(f, T##8) TG_HALVES(f, T##16)
TG_FN float trunc(float x) { return __builtin_truncf(x); }
TG_FN double trunc(double x) { return __builtin_trunc(x); }
TG_ALL_LANES(trunc, float)
TG_ALL_LANES(trunc, double)
TG_FN float sqrt(float x) { return __builtin_sqrtf(x); }
TG_FN double sqrt(double x) { return __builtin_sqrt(x); }
TG_ALL_LANES(sqrt, float)
TG_ALL_LANES(sqrt, double)

#define TG_FMA(V) \
  TG_FN V fma(V a, V b, V c) { return (V)(fma(a.lo, b.lo, c.lo), fma(a.hi, b.hi, c.hi)); }
#define TG_FMAS(T) TG_FMA(T##2) TG_FMA(T##4) TG_FMA(T##8) TG_FMA(T##16)
TG_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TG_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
TG_FMAS(float)
TG_FMAS(double)

TG_FN double nan(ulong bits) { return __builtin_nan(""); }

// ---- conversions, by the exact name; of scalars only those to and from half
#define convert_char2(x) __builtin_convertvector(x, char2)
#define convert_char4(x) __builtin_convertvector(x, char4)
#define convert_char8(x) __builtin_convertvector(x, char8)
#define convert_char16(x) __builtin_convertvector(x, char16)
#define convert_uchar2(x) __builtin_convertvector(x, uchar2)
#define convert_uchar4(x) __builtin_convertvector(x, uchar4)
#define convert_uchar8(x) __builtin_convertvector(x, uchar8)
#define convert_uchar16(x) __builtin_convertvector(x, uchar16)
#define convert_short2(x) __builtin_convertvector(x, short2)
#define convert_short4(x) __builtin_convertvector(x, short4)
#define convert_short8(x) __builtin_convertvector(x, short8)
#define convert_short16(x) __builtin_convertvector(x, short16)
#define convert_ushort2(x) __builtin_convertvector(x, ushort2)
#define convert_ushort4(x) __builtin_convertvector(x, ushort4)
#define convert_ushort8(x) __builtin_convertvector(x, ushort8)
#define convert_ushort16(x) __builtin_convertvector(x, ushort16)
#define convert_int2(x) __builtin_convertvector(x, int2)
#define convert_int4(x) __builtin_convertvector(x, int4)
#define convert_int8(x) __builtin_convertvector(x, int8)
#define convert_int16(x) __builtin_convertvector(x, int16)
#define convert_uint2(x) __builtin_convertvector(x, uint2)
#define convert_uint4(x) __builtin_convertvector(x, uint4)
#define convert_uint8(x) __builtin_convertvector(x, uint8)
#define convert_uint16(x) __builtin_convertvector(x, uint16)
#define convert_long2(x) __builtin_convertvector(x, long2)
#define convert_long4(x) __builtin_convertvector(x, long4)
#define convert_long8(x) __builtin_convertvector(x, long8)
#define convert_long16(x) __builtin_convertvector(x, long16)
#define convert_ulong2(x) __builtin_convertvector(x, ulong2)
#define convert_ulong4(x) __builtin_convertvector(x, ulong4)
#define convert_ulong8(x) __builtin_convertvector(x, ulong8)
#define convert_ulong16(x) __builtin_convertvector(x, ulong16)
#define convert_float2(x) __builtin_convertvector(x, float2)
#define convert_float4(x) __builtin_convertvector(x, float4)
#define convert_float8(x) __builtin_convertvector(x, float8)
#define convert_float16(x) __builtin_convertvector(x, float16)
#define convert_double2(x) __builtin_convertvector(x, double2)
#define convert_double4(x) __builtin_convertvector(x, double4)
#define convert_double8(x) __builtin_convertvector(x, double8)
#define convert_double16(x) __builtin_convertvector(x, double16)
#define convert_half2_rte(x) __builtin_convertvector(x, half2)
#define convert_half4_rte(x) __builtin_convertvector(x, half4)
#define convert_half8_rte(x) __builtin_convertvector(x, half8)
#define convert_half16_rte(x) __builtin_convertvector(x, half16)
#define convert_float(x) ((float)(x))
#define convert_half_rte(x) ((half)(x))

// ---- bits as another type of the same size
#define as_char(x) __builtin_astype(x, char)
#define as_char2(x) __builtin_astype(x, char2)
#define as_char4(x) __builtin_astype(x, char4)
#define as_char8(x) __builtin_astype(x, char8)
#define as_char16(x) __builtin_astype(x, char16)
#define as_uchar(x) __builtin_astype(x, uchar)
#define as_uchar2(x) __builtin_astype(x, uchar2)
#define as_uchar4(x) __builtin_astype(x, uchar4)
#define as_uchar8(x) __builtin_astype(x, uchar8)
#define as_uchar16(x) __builtin_astype(x, uchar16)
#define as_short(x) __builtin_astype(x, short)
#define as_short2(x) __builtin_astype(x, short2)
#define as_short4(x) __builtin_astype(x, short4)
#define as_short8(x) __builtin_astype(x, short8)
#define as_short16(x) __builtin_astype(x, short16)
#define as_ushort(x) __builtin_astype(x, ushort)
#define as_ushort2(x) __builtin_astype(x, ushort2)
#define as_ushort4(x) __builtin_astype(x, ushort4)
#define as_ushort8(x) __builtin_astype(x, ushort8)
#define as_ushort16(x) __builtin_astype(x, ushort16)
#define as_int(x) __builtin_astype(x, int)
#define as_int2(x) __builtin_astype(x, int2)
#define as_int4(x) __builtin_astype(x, int4)
#define as_int8(x) __builtin_astype(x, int8)
#define as_int16(x) __builtin_astype(x, int16)
#define as_uint(x) __builtin_astype(x, uint)
#define as_uint2(x) __builtin_astype(x, uint2)
#define as_uint4(x) __builtin_astype(x, uint4)
#define as_uint8(x) __builtin_astype(x, uint8)
#define as_uint16(x) __builtin_astype(x, uint16)
#define as_long(x) __builtin_astype(x, long)
#define as_long2(x) __builtin_astype(x, long2)
#define as_long4(x) __builtin_astype(x, long4)
#define as_long8(x) __builtin_astype(x, long8)
#define as_long16(x) __builtin_astype(x, long16)
#define as_ulong(x) __builtin_astype(x, ulong)
#define as_ulong2(x) __builtin_astype(x, ulong2)
#define as_ulong4(x) __builtin_astype(x, ulong4)
#define as_ulong8(x) __builtin_astype(x, ulong8)
#define as_ulong16(x) __builtin_astype(x, ulong16)
#define as_float(x) __builtin_astype(x, float)
#define as_float2(x) __builtin_astype(x, float2)
#define as_float4(x) __builtin_astype(x, float4)
#define as_float8(x) __builtin_astype(x, float8)
#define as_float16(x) __builtin_astype(x, float16)
#define as_double(x) __builtin_astype(x, double)
#define as_double2(x) __builtin_astype(x, double2)
#define as_double4(x) __builtin_astype(x, double4)
#define as_double8(x) __builtin_astype(x, double8)
#define as_double16(x) __builtin_astype(x, double16)
#define as_half(x) __builtin_astype(x, half)
#define as_half2(x) __builtin_astype(x, half2)
#define as_half4(x) __builtin_astype(x, half4)
#define as_half8(x) __builtin_astype(x, half8)
#define as_half16(x) __builtin_astype(x, half16)

#pragma OPENCL EXTENSION cl_khr_fp16 : disable

#pragma GCC poison __builtin_convertvector __builtin_astype __builtin_shufflevector ext_vector_type
#pragma GCC poison vector_size address_space _Float16 __fp16 asm __asm__ __asm
#pragma GCC poison __shared__ __global__ threadgroup threadIdx blockIdx
