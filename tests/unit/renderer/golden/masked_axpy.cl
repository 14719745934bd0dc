#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN float8 load_mask_float8__global(const __global float* p, int8 m) {
  return (float8)(m.s0 ? p[0] : 0, m.s1 ? p[1] : 0, m.s2 ? p[2] : 0, m.s3 ? p[3] : 0,
      m.s4 ? p[4] : 0, m.s5 ? p[5] : 0, m.s6 ? p[6] : 0, m.s7 ? p[7] : 0);
}

FN void store_mask_float8__global(__global float* p, int8 m, float8 v) {
  if (m.s0) p[0] = v.s0;
  if (m.s1) p[1] = v.s1;
  if (m.s2) p[2] = v.s2;
  if (m.s3) p[3] = v.s3;
  if (m.s4) p[4] = v.s4;
  if (m.s5) p[5] = v.s5;
  if (m.s6) p[6] = v.s6;
  if (m.s7) p[7] = v.s7;
}

// masked_axpy: 3 chunks, 0 flops, 0 bytes
//   p0: float32[21], written
//   p1: float32[21]
//   p2: float32[21]
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void masked_axpy(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, __global const float* restrict p2, long o2, long end) {
  p0 += o0;
  p1 += o1;
  p2 += o2;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long at0 = r0 * 8;
    const long8 m0 = at0 + (long8)(0, 1, 2, 3, 4, 5, 6, 7) < 21;
    const float8 x0 = load_mask_float8__global(p1 + at0, convert_int8(m0));
    const float8 x1 = load_mask_float8__global(p2 + at0, convert_int8(m0));
    store_mask_float8__global(p0 + at0, convert_int8(m0), x0 + x1 * 2.0f);
  }
}
