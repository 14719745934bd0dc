#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN float4 gather_float4_long__global(const __global float* p, long4 i) {
  return (float4)(p[i.s0], p[i.s1], p[i.s2], p[i.s3]);
}

// lane_moves: 1 chunk, 0 flops, 0 bytes
//   p0: float32[12], written
//   p1: float32[24]
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void lane_moves(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  const float4 x0 = vload4(0, p1);
  const float4 x1 = gather_float4_long__global(p1, (long)2 + (long4)(0, 3, 6, 9));
  const float8 v0 = (float8)(x0.s0, x1.s0, x0.s1, x1.s1, x0.s2, x1.s2, x0.s3, x1.s3);
  vstore8(v0, 0, p0);
  const float v1 = v0.s7;
  const float v2 = x0.s2;
  const float v3 = v1 + 1.0f;
  vstore4((float4)(v1, v2, 5.0f, v3), 0, p0 + 8);
}
