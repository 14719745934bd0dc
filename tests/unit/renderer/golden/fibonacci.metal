#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN long add_long(long a, long b) { return (long)((ulong)a + (ulong)b); }

// fibonacci: 1 chunk, 0 flops, 0 bytes
//   p0: int64[1], written
struct fibonacci_arguments {
  long n_steps_0;
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void fibonacci(
    device long* p0 [[buffer(0)]],
    constant fibonacci_arguments& arguments [[buffer(1)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  const long n_steps_0 = arguments.n_steps_0;
  const int at0 = (int)n_steps_0;
  long acc0 = 0;
  long acc1 = 1;
  for (int r1 = 0; r1 < at0; ++r1) {
    const long next0 = acc1;
    const long next1 = add_long(acc0, acc1);
    acc0 = next0;
    acc1 = next1;
  }
  p0[0] = acc0;
}
