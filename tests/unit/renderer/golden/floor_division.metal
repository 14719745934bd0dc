#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN int floor_div_int(int a, int b) {
  if (b == 0) return 0;
  if (b == -1) return (int)(0 - (ulong)a);
  return (int)(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));
}

FN int floor_mod_int(int a, int b) {
  if (b == 0) return 0;
  if (b == -1) return 0;
  int r = (int)(a % b);
  return (int)(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}

// floor_division: 20 chunks, 0 flops, 0 bytes
//   p0: int64[20], written
struct floor_division_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void floor_division(
    device long* p0 [[buffer(0)]],
    constant floor_division_arguments& arguments [[buffer(1)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int at1 = at0 - 10;
    const int at2 = floor_div_int(at1, 4) * 1000 + floor_mod_int(at1, 4) * 100 + at0 / 4 * 10 + at0 % 4;
    p0[at0] = (long)at2;
  }
}
