#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN float4 max_float4(float4 a, float4 b) { return select(a, b, (a < b) | (b != b)); }

// shifted: 12 chunks, 0 flops, 0 bytes
//   p0: float32[12], written
//   p1: float32[12]
//   p2: float32[48], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void shifted(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, __global float* restrict p2, long o2, long end) {
  p0 += o0;
  p1 += o1;
  p2 += o2;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const float x0 = (1 < r0) ? p1[r0 - 2] : 0;
    p0[r0] = x0;
    const float4 x1 = (3 < r0) ? vload4(0, p1 + r0 - 4) : (float4)(0);
    if (r0 < 9) vstore4(max_float4(vload4(0, p2 + r0 * 4), x1), 0, p2 + r0 * 4);
  }
}
