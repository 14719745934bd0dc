#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN float4 max_float4(float4 a, float4 b) { return select(a, b, bool4(-int4(a < b) | -int4(b != b))); }

// shifted: 12 chunks, 0 flops, 0 bytes
//   p0: float32[12], written
//   p1: float32[12]
//   p2: float32[48], written
struct shifted_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void shifted(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    device float* p2 [[buffer(2)]],
    constant shifted_arguments& arguments [[buffer(3)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const float x0 = (1 < at0) ? p1[at0 - 2] : 0;
    p0[at0] = x0;
    const float4 x1 = (3 < at0) ? float4(*(const device packed_float4*)(p1 + at0 - 4)) : float4(0);
    if (at0 < 9) *(device packed_float4*)(p2 + at0 * 4) = packed_float4(max_float4(float4(*(const device packed_float4*)(p2 + at0 * 4)), x1));
  }
}
