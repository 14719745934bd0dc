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

FN i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

// fibonacci: 1 chunk, 0 flops, 0 bytes
//   p0: int64[1], written
extern "C" __global__ void __launch_bounds__(1) fibonacci(i64* __restrict__ p0, i64 n_steps_0, i64 end) {
  const i32 at0 = (i32)n_steps_0;
  i64 acc0 = 0;
  i64 acc1 = 1;
  for (i32 r1 = 0; r1 < at0; ++r1) {
    const i64 next0 = acc1;
    const i64 next1 = add_i64(acc0, acc1);
    acc0 = next0;
    acc1 = next1;
  }
  p0[0] = acc0;
}
