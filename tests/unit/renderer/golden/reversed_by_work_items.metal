#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

// reversed_by_work_items: 37 chunks, 0 flops, 0 bytes
//   p1: float32[37,8]
//   p0: float32[37,8], written
struct reversed_by_work_items_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(8)]]
kernel void reversed_by_work_items(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    constant reversed_by_work_items_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  alignas(64) threadgroup float a5[8];
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int r1 = work_item / 4;
    const int r2 = work_item % 4;
    const int at1 = r1 * 4 + r2;
    const int at2 = at0 * 8 + at1;
    const float x0 = p1[at2];
    a5[at1] = x0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float x1 = a5[-at1 + 7];
    p0[at2] = x1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
