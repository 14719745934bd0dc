#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

// small_matmul: 2 chunks, 0 flops, 0 bytes
//   p1: float32[4,16]
//   p2: float32[16,4]
//   p0: float32[4,4], written
struct small_matmul_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void small_matmul(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device const float* p2 [[buffer(2)]],
    constant small_matmul_arguments& arguments [[buffer(3)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int at1 = at0 * 8;
    float4 acc0 = float4(0.0f);
    float4 acc1 = float4(0.0f);
    for (int r1 = 0; r1 < 16; ++r1) {
      const int at2 = at0 * 32 + r1;
      const float x0 = p1[at2];
      const float4 x1 = float4(*(const device packed_float4*)(p2 + r1 * 4));
      const float x2 = p1[at2 + 16];
      acc0 = acc0 + x0 * x1;
      acc1 = fma(float4(x2), x1, acc1);
    }
    *(device packed_float4*)(p0 + at1) = packed_float4(acc0);
    *(device packed_float4*)(p0 + at1 + 4) = packed_float4(acc1);
  }
}
