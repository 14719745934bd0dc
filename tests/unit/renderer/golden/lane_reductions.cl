#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN int sum_mask_int8(int8 v8) {
  int4 v4 = v8.s0123 | v8.s4567;
  int2 v2 = v4.s01 | v4.s23;
  return (int)(v2.s0 | v2.s1);
}

FN int product_mask_int8(int8 v8) {
  int4 v4 = v8.s0123 & v8.s4567;
  int2 v2 = v4.s01 & v4.s23;
  return (int)(v2.s0 & v2.s1);
}

FN float4 max_float4(float4 a, float4 b) { return select(a, b, (a < b) | (b != b)); }

FN float2 max_float2(float2 a, float2 b) { return select(a, b, (a < b) | (b != b)); }

FN float max_float(float a, float b) { return a < b || b != b ? b : a; }

FN float maximum_float8(float8 v8) {
  float4 v4 = max_float4(v8.s0123, v8.s4567);
  float2 v2 = max_float2(v4.s01, v4.s23);
  return (float)(max_float(v2.s0, v2.s1));
}

FN float product_float8(float8 v8) {
  float4 v4 = v8.s0123 * v8.s4567;
  float2 v2 = v4.s01 * v4.s23;
  return (float)(v2.s0 * v2.s1);
}

// lane_reductions: 1 chunk, 0 flops, 0 bytes
//   p0: bool[2], written
//   p1: float32[8]
//   p2: float32[2], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void lane_reductions(__global uchar* restrict p0, long o0, __global const float* restrict p1, long o1, __global float* restrict p2, long o2, long end) {
  p0 += o0;
  p1 += o1;
  p2 += o2;
  const float8 x0 = vload8(0, p1);
  const int8 m0 = 1.0f < x0;
  p0[0] = sum_mask_int8(m0) != 0;
  p0[1] = product_mask_int8(m0) != 0;
  p2[0] = maximum_float8(x0);
  p2[1] = product_float8(x0);
}
