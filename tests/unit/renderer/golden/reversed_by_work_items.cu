#define FN __device__ __forceinline__
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
template <typename R, typename A>
FN R bits(A a) { return __builtin_bit_cast(R, a); }
#ifndef TG_EMULATED
FN f32 fused(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
FN f64 fused(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
#endif

// reversed_by_work_items: 37 chunks, 0 flops, 0 bytes
//   p1: float32[37,8]
//   p0: float32[37,8], written
extern "C" __global__ void __launch_bounds__(8) reversed_by_work_items(f32* __restrict__ p0, const f32* __restrict__ p1, i64 end) {
  __shared__ __align__(64) f32 a5[8];
  for (i64 r0 = blockIdx.x; r0 < end; r0 += gridDim.x) {
    const i32 at0 = (i32)r0;
    const i32 r1 = threadIdx.x / 4;
    const i32 r2 = threadIdx.x % 4;
    const i32 at1 = r1 * 4 + r2;
    const i32 at2 = at0 * 8 + at1;
    const f32 x0 = p1[at2];
    a5[at1] = x0;
    __syncthreads();
    const f32 x1 = a5[-at1 + 7];
    p0[at2] = x1;
    __syncthreads();
  }
}
