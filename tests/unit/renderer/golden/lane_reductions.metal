#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN int sum_mask_int4(int4 v4) {
  int2 v2 = v4.xy | v4.zw;
  return (int)(v2.x | v2.y);
}

FN int product_mask_int4(int4 v4) {
  int2 v2 = v4.xy & v4.zw;
  return (int)(v2.x & v2.y);
}

FN float2 max_float2(float2 a, float2 b) { return select(a, b, bool2(-int2(a < b) | -int2(b != b))); }

FN float max_float(float a, float b) { return a < b || b != b ? b : a; }

FN float maximum_float4(float4 v4) {
  float2 v2 = max_float2(v4.xy, v4.zw);
  return (float)(max_float(v2.x, v2.y));
}

FN float product_float4(float4 v4) {
  float2 v2 = v4.xy * v4.zw;
  return (float)(v2.x * v2.y);
}

// lane_reductions: 1 chunk, 0 flops, 0 bytes
//   p0: bool[2], written
//   p1: float32[4]
//   p2: float32[2], written
struct lane_reductions_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void lane_reductions(
    device uchar* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device float* p2 [[buffer(2)]],
    constant lane_reductions_arguments& arguments [[buffer(3)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  const float4 x0 = float4(*(const device packed_float4*)(p1));
  const int4 m0 = -int4(1.0f < x0);
  p0[0] = sum_mask_int4(m0) != 0;
  p0[1] = product_mask_int4(m0) != 0;
  p2[0] = maximum_float4(x0);
  p2[1] = product_float4(x0);
}
