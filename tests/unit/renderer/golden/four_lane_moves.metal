#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN float4 gather_float4_intdevice(const device float* p, int4 i) {
  return float4(p[i.x], p[i.y], p[i.z], p[i.w]);
}

// four_lane_moves: 1 chunk, 0 flops, 0 bytes
//   p0: float32[8], written
//   p1: float32[24]
//   p2: float32[2], written
struct four_lane_moves_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void four_lane_moves(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device float* p2 [[buffer(2)]],
    constant four_lane_moves_arguments& arguments [[buffer(3)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  const float4 x0 = float4(*(const device packed_float4*)(p1));
  const float4 x1 = gather_float4_intdevice(p1, (int)2 + int4(0, 3, 6, 9));
  const float4 v0 = float4(x0.xy, x1.zw);
  *(device packed_float4*)(p0) = packed_float4(v0);
  const float v1 = v0.w;
  const float v2 = x0.z;
  const float v3 = v1 + 1.0f;
  *(device packed_float4*)(p0 + 4) = packed_float4(float4(v1, v2, 5.0f, v3));
  *(device packed_float2*)(p2) = packed_float2(x0.yx);
}
