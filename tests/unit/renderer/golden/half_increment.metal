#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN float4 float4_of_half(ushort4 x) { return float4(as_type<half4>(x)); }

FN ushort4 half_of_float4(float4 x) {
  return select(as_type<ushort4>(half4(x)), ushort4(0x7e00), x != x);
}

// half_increment: 1 chunk, 0 flops, 0 bytes
//   p1: float16[4]
//   p0: float16[4], written
struct half_increment_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void half_increment(
    device ushort* p0 [[buffer(0)]],
    device const ushort* p1 [[buffer(1)]],
    constant half_increment_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  const ushort4 x0 = ushort4(*(const device packed_ushort4*)(p1));
  const float4 v0 = float4_of_half(x0);
  int4 acc0 = int4(-(int)0);
  for (int r0 = 0; r0 < 3; ++r0) {
    acc0 = acc0 | (-int4((float)r0 < v0));
  }
  *(device packed_ushort4*)(p0) = packed_ushort4(half_of_float4(select(float4(0.0f), v0 + 1.0f, bool4(acc0))));
}
