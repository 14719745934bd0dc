#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN float8 gather_mask_float8_long__global(const __global float* p, long8 i, int8 m) {
  return (float8)(m.s0 ? p[i.s0] : 0, m.s1 ? p[i.s1] : 0, m.s2 ? p[i.s2] : 0, m.s3 ? p[i.s3] : 0, m.s4 ? p[i.s4] : 0, m.s5 ? p[i.s5] : 0, m.s6 ? p[i.s6] : 0, m.s7 ? p[i.s7] : 0);
}

// gather_scatter: 2 chunks, 0 flops, 0 bytes
//   p0: float32[16], written
//   p1: float32[10]
//   p2: int32[16]
//   p3: float32[20], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void gather_scatter(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, __global const int* restrict p2, long o2, __global float* restrict p3, long o3, long end) {
  p0 += o0;
  p1 += o1;
  p2 += o2;
  p3 += o3;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long at0 = r0 * 8;
    const int8 x0 = vload8(0, p2 + at0);
    const long8 at1 = convert_long8(x0);
    const int8 m0 = -1 < x0;
    const float8 x1 = gather_mask_float8_long__global(p1, at1, m0);
    vstore8(x1, 0, p0 + at0);
    const long8 at2 = at1 + (r0 * 10);
    if (m0.s0) p3[at2.s0] = p3[at2.s0] + x1.s0;
    if (m0.s1) p3[at2.s1] = p3[at2.s1] + x1.s1;
    if (m0.s2) p3[at2.s2] = p3[at2.s2] + x1.s2;
    if (m0.s3) p3[at2.s3] = p3[at2.s3] + x1.s3;
    if (m0.s4) p3[at2.s4] = p3[at2.s4] + x1.s4;
    if (m0.s5) p3[at2.s5] = p3[at2.s5] + x1.s5;
    if (m0.s6) p3[at2.s6] = p3[at2.s6] + x1.s6;
    if (m0.s7) p3[at2.s7] = p3[at2.s7] + x1.s7;
  }
}
