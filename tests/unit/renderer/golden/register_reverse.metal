#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

// register_reverse: 2 chunks, 0 flops, 0 bytes
//   p1: float32[2,12]
//   p0: float32[2,12], written
struct register_reverse_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void register_reverse(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    constant register_reverse_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint item [[thread_index_in_threadgroup]]) {
  alignas(64) float a5[12];
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const long at0 = r0 * 12;
    for (long r1 = 0; r1 < 3; ++r1) {
      const long at1 = r1 * 4;
      const float4 x0 = float4(*(const device packed_float4*)(p1 + at0 + at1));
      *(thread float4*)(a5 + at1) = x0;
    }
    for (long r2 = 0; r2 < 12; ++r2) {
      const float x1 = a5[-r2 + 11];
      p0[at0 + r2] = x1;
    }
  }
}
