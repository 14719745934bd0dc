#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

// small_reverse: 2 chunks, 0 flops, 0 bytes
//   p1: float32[2,12]
//   p0: float32[2,12], written
struct small_reverse_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void small_reverse(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    constant small_reverse_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  alignas(64) threadgroup float a5[12];
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int at1 = at0 * 12;
    for (int r1 = 0; r1 < 3; ++r1) {
      const int at2 = r1 * 4;
      const float4 x0 = float4(*(const device packed_float4*)(p1 + at1 + at2));
      *(threadgroup float4*)(a5 + at2) = x0;
    }
    for (int r2 = 0; r2 < 12; ++r2) {
      const float x1 = a5[-r2 + 11];
      p0[at1 + r2] = x1;
    }
  }
}
