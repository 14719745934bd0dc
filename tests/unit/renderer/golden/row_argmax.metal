#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

// row_argmax: 3 chunks, 0 flops, 0 bytes
//   p1: float32[3,20]
//   p0: int32[3], written
struct row_argmax_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void row_argmax(
    device int* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    constant row_argmax_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    float acc0 = -INFINITY;
    int acc1 = -1;
    for (int r1 = 0; r1 < 20; ++r1) {
      const float x0 = p1[at0 * 20 + r1];
      const bool m0 = acc0 < x0;
      acc0 = m0 ? x0 : acc0;
      acc1 = m0 ? ((int)r1) : acc1;
    }
    p0[at0] = acc1;
  }
}
