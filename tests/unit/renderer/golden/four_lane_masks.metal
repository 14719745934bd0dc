#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

// four_lane_masks: 2 chunks, 0 flops, 0 bytes
//   p0: bool[8], written
//   p1: float32[8]
//   p2: float32[8]
//   p3: bool[8]
//   p4: int64[8], written
//   p5: int64[8]
struct four_lane_masks_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void four_lane_masks(
    device uchar* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device const float* p2 [[buffer(2)]],
    device const uchar* p3 [[buffer(3)]],
    device long* p4 [[buffer(4)]],
    device const long* p5 [[buffer(5)]],
    constant four_lane_masks_arguments& arguments [[buffer(6)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int at1 = at0 * 4;
    const float4 x0 = float4(*(const device packed_float4*)(p1 + at1));
    const float4 x1 = float4(*(const device packed_float4*)(p2 + at1));
    const char4 x2 = -char4(uchar4(*(const device packed_uchar4*)(p3 + at1)) != uchar4(0));
    const int4 m0 = (-int4(x0 < x1)) ^ int4(x2);
    *(device packed_uchar4*)(p0 + at1) = packed_uchar4(as_type<uchar4>(char4(m0) & char4(1)));
    const long4 x3 = long4(*(const device packed_long4*)(p5 + at1));
    *(device packed_long4*)(p4 + at1) = packed_long4(select(long4(1), x3, bool4(long4(m0))));
  }
}
