#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN float sum_float4(float4 v4) {
  float2 v2 = v4.xy + v4.zw;
  return (float)(v2.x + v2.y);
}

// row_sum: 4 chunks, 0 flops, 0 bytes
//   p1: float32[4,64]
//   p0: float32[4], written
struct row_sum_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void row_sum(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    constant row_sum_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    float4 acc0 = float4(0.0f);
    for (int r1 = 0; r1 < 16; ++r1) {
      const float4 x0 = *(const device float4*)(p1 + at0 * 64 + r1 * 4);
      acc0 = acc0 + x0;
    }
    p0[at0] = sum_float4(acc0);
  }
}
