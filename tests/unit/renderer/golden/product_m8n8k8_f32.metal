#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN float2 tg_mma_m8n8k8_f32(float2 a, float2 b, float2 c) {
  simdgroup_matrix<float, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> z;
  x.thread_elements()[0] = a.x;
  x.thread_elements()[1] = a.y;
  y.thread_elements()[0] = b.x;
  y.thread_elements()[1] = b.y;
  z.thread_elements()[0] = c.x;
  z.thread_elements()[1] = c.y;
  simdgroup_multiply_accumulate(z, x, y, z);
  return float2(z.thread_elements()[0], z.thread_elements()[1]);
}

// product_m8n8k8_f32: 3 chunks, 0 flops, 0 bytes
//   p1: float32[3,32,2]
//   p2: float32[3,32,2]
//   p0: float32[3,32,2], written
struct product_m8n8k8_f32_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(32)]]
kernel void product_m8n8k8_f32(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device const float* p2 [[buffer(2)]],
    constant product_m8n8k8_f32_arguments& arguments [[buffer(3)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int r1 = work_item;
    const int at1 = (at0 * 32 + r1) * 2;
    const float2 x0 = float2(*(const device packed_float2*)(p1 + at1));
    const float2 x1 = float2(*(const device packed_float2*)(p2 + at1));
    const float2 v0 = tg_mma_m8n8k8_f32(x0, x1, float2(1.0f));
    *(device packed_float2*)(p0 + at1) = packed_float2(v0);
  }
}
