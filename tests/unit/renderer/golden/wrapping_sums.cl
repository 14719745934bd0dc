#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN int add_int(int a, int b) { return (int)((uint)a + (uint)b); }

FN int mul_int(int a, int b) { return (int)((uint)a * (uint)b); }

FN int4 mul_int4(int4 a, int4 b) { return as_int4(as_uint4(a) * as_uint4(b)); }

FN int4 add_int4(int4 a, int4 b) { return as_int4(as_uint4(a) + as_uint4(b)); }

// wrapping_sums: 1 chunk, 0 flops, 0 bytes
//   p0: int32[8], written
//   p1: int32[8]
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void wrapping_sums(__global int* restrict p0, long o0, __global const int* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  const int x0 = p1[0];
  const int x1 = p1[1];
  p0[0] = add_int(x0, x1);
  p0[1] = mul_int(x0, x1);
  const int4 x2 = vload4(0, p1 + 4);
  vstore4(add_int4(mul_int4(x2, x2), x2), 0, p0 + 4);
}
