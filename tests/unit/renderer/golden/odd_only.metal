#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN int add_int(int a, int b) { return (int)((uint)a + (uint)b); }

// odd_only: 9 chunks, 0 flops, 0 bytes
//   p0: int32[9], written
//   p1: int32[9]
struct odd_only_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void odd_only(
    device int* p0 [[buffer(0)]],
    device const int* p1 [[buffer(1)]],
    constant odd_only_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    if (at0 % 2 != 0) {
      const int x0 = p1[at0];
      p0[at0] = add_int(x0, 1);
    }
  }
}
