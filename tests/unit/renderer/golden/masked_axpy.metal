#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN float4 load_mask_float4_device(const device float* p, int4 m) {
  return float4(m.x != 0 ? p[0] : (float)0, m.y != 0 ? p[1] : (float)0, m.z != 0 ? p[2] : (float)0, m.w != 0 ? p[3] : (float)0);
}

FN void store_mask_float4_device(device float* p, int4 m, float4 v) {
  if (m.x != 0) p[0] = v.x;
  if (m.y != 0) p[1] = v.y;
  if (m.z != 0) p[2] = v.z;
  if (m.w != 0) p[3] = v.w;
}

// masked_axpy: 6 chunks, 0 flops, 0 bytes
//   p0: float32[21], written
//   p1: float32[21]
//   p2: float32[21]
struct masked_axpy_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void masked_axpy(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device const float* p2 [[buffer(2)]],
    constant masked_axpy_arguments& arguments [[buffer(3)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int at1 = at0 * 4;
    const int4 m0 = -int4(at1 + int4(0, 1, 2, 3) < 21);
    const float4 x0 = load_mask_float4_device(p1 + at1, m0);
    const float4 x1 = load_mask_float4_device(p2 + at1, m0);
    store_mask_float4_device(p0 + at1, m0, x0 + x1 * 2.0f);
  }
}
