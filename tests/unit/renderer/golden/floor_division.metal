#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN long floor_div_long(long a, long b) {
  if (b == 0) return 0;
  if (b == -1) return (long)(0 - (ulong)a);
  return (long)(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));
}

FN long floor_mod_long(long a, long b) {
  if (b == 0) return 0;
  if (b == -1) return 0;
  long r = (long)(a % b);
  return (long)(r != 0 && (r < 0) != (b < 0) ? r + b : r);
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
    uint item [[thread_index_in_threadgroup]]) {
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const long at0 = r0 - 10;
    const long at1 = floor_div_long(at0, 4) * 1000 + floor_mod_long(at0, 4) * 100 + r0 / 4 * 10 + r0 % 4;
    p0[r0] = (long)at1;
  }
}
