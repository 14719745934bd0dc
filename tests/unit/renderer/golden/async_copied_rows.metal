#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline

// async_copied_rows: 37 chunks, 0 flops, 0 bytes
//   p1: float32[37,128]
//   p0: float32[37,32], written
struct async_copied_rows_arguments {
  long end;
};
[[max_total_threads_per_threadgroup(32)]]
kernel void async_copied_rows(
    device float* p0 [[buffer(0)]],
    device const float* p1 [[buffer(1)]],
    constant async_copied_rows_arguments& arguments [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
    uint work_item [[thread_index_in_threadgroup]]) {
  alignas(64) threadgroup float a5[128];
  for (long r0 = group; r0 < arguments.end; r0 += groups) {
    const int at0 = (int)r0;
    const int r1 = work_item;
    const int at1 = r1 * 4;
    *(threadgroup packed_float4*)(a5 + at1) = packed_float4(float4(*(const device packed_float4*)(p1 + at0 * 128 + at1)));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float x0 = a5[-r1 + 124];
    const float v0 = simd_shuffle_xor(x0, ushort(1));
    p0[at0 * 32 + r1] = x0 + v0 * 2.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
