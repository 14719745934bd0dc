#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN float sum_float8(float8 v8) {
  float4 v4 = v8.s0123 + v8.s4567;
  float2 v2 = v4.s01 + v4.s23;
  return (float)(v2.s0 + v2.s1);
}

// row_sum: 4 chunks, 0 flops, 0 bytes
//   p1: float32[4,64]
//   p0: float32[4], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void row_sum(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    float8 acc0 = (float8)(0.0f);
    for (long r1 = 0; r1 < 8; ++r1) {
      const float8 x0 = *(const __global float8*)(p1 + r0 * 64 + r1 * 8);
      acc0 = acc0 + x0;
    }
    p0[r0] = sum_float8(acc0);
  }
}
