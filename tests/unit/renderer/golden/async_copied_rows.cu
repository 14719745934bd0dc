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

#ifndef TG_EMULATED
FN void tg_async_copy16(void* to, const void* from, bool whether) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
      :: "r"(u32(__cvta_generic_to_shared(to))), "l"(from), "r"(whether ? 16 : 0)
      : "memory");
}
#endif

#ifndef TG_EMULATED
template <int batches>
FN void tg_async_wait() {
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group %0;" :: "n"(batches) : "memory");
}
#endif

// async_copied_rows: 37 chunks, 0 flops, 0 bytes
//   p1: float32[37,128]
//   p0: float32[37,32], written
extern "C" __global__ void __launch_bounds__(32) async_copied_rows(f32* __restrict__ p0, const f32* __restrict__ p1, i64 end) {
  __shared__ __align__(64) f32 a5[128];
  for (i64 r0 = blockIdx.x; r0 < end; r0 += gridDim.x) {
    const i32 at0 = (i32)r0;
    const i32 r1 = threadIdx.x;
    const i32 at1 = r1 * 4;
    tg_async_copy16(a5 + at1, p1 + at0 * 128 + at1, true);
    tg_async_wait<0>();
    __syncthreads();
    const f32 x0 = a5[-r1 + 124];
    const f32 v0 = __shfl_xor_sync(0xffffffffu, x0, 1);
    p0[at0 * 32 + r1] = x0 + v0 * 2.0f;
    __syncthreads();
  }
}
