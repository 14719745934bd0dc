#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

FN int add_int(int a, int b) { return (int)((uint)a + (uint)b); }

FN int mul_int(int a, int b) { return (int)((uint)a * (uint)b); }

FN int4 mul_int4(int4 a, int4 b) { return as_type<int4>(as_type<uint4>(a) * as_type<uint4>(b)); }

FN int4 add_int4(int4 a, int4 b) { return as_type<int4>(as_type<uint4>(a) + as_type<uint4>(b)); }

// wrapping_sums: 1 chunk, 0 flops, 0 bytes
//   p0: int32[8], written
//   p1: int32[8]
struct wrapping_sums_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(1)]]
kernel void wrapping_sums(
    device int* p0 [[buffer(0)]],
    device const int* p1 [[buffer(1)]],
    constant wrapping_sums_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  const int x0 = p1[0];
  const int x1 = p1[1];
  p0[0] = add_int(x0, x1);
  p0[1] = mul_int(x0, x1);
  const int4 x2 = int4(*(const device packed_int4*)(p1 + 4));
  *(device packed_int4*)(p0 + 4) = packed_int4(add_int4(mul_int4(x2, x2), x2));
}
