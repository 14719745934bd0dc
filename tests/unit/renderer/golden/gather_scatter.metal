#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN float4 gather_mask_float4_longdevice(const device float* p, long4 i, int4 m) {
  return float4(m.x ? p[i.x] : 0, m.y ? p[i.y] : 0, m.z ? p[i.z] : 0, m.w ? p[i.w] : 0);
}

// gather_scatter: 4 chunks, 0 flops, 0 bytes
//   p0: float32[16], written
//   p1: float32[10]
//   p2: int32[16]
//   p3: float32[40], written
struct gather_scatter_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void gather_scatter(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device const int* p2 [[buffer(2)]],
    device float* p3 [[buffer(3)]],
    constant gather_scatter_arguments& arguments [[buffer(4)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const long at0 = r0 * 4;
    const int4 x0 = int4(*(const device packed_int4*)(p2 + at0));
    const long4 at1 = long4(x0);
    const int4 m0 = -int4(-1 < x0);
    const float4 x1 = gather_mask_float4_longdevice(p1, at1, m0);
    *(device packed_float4*)(p0 + at0) = packed_float4(x1);
    const long4 at2 = at1 + (r0 * 10);
    if (m0.x) p3[at2.x] = p3[at2.x] + x1.x;
    if (m0.y) p3[at2.y] = p3[at2.y] + x1.y;
    if (m0.z) p3[at2.z] = p3[at2.z] + x1.z;
    if (m0.w) p3[at2.w] = p3[at2.w] + x1.w;
  }
}
