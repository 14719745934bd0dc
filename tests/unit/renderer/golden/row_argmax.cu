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

// row_argmax: 3 chunks, 0 flops, 0 bytes
//   p1: float32[3,20]
//   p0: int32[3], written
extern "C" __global__ void __launch_bounds__(1) row_argmax(i32* __restrict__ p0, const f32* __restrict__ p1, i64 end) {
  for (i64 r0 = blockIdx.x; r0 < end; r0 += gridDim.x) {
    const i32 at0 = (i32)r0;
    f32 acc0 = -bits<f32>(0x7f800000);
    i32 acc1 = -1;
    for (i32 r1 = 0; r1 < 20; ++r1) {
      const f32 x0 = p1[at0 * 20 + r1];
      const bool m0 = acc0 < x0;
      acc0 = m0 ? x0 : acc0;
      acc1 = m0 ? ((i32)r1) : acc1;
    }
    p0[at0] = acc1;
  }
}
