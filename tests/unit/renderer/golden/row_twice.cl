#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

// row_twice: 3 chunks, 0 flops, 0 bytes
//   p1: float32[3,256]
//   p0: float32[3,256], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void row_twice(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long at0 = r0 * 256;
    float16 acc0 = (float16)(0.0f);
    for (long r1 = 0; r1 < 16; ++r1) {
      const float16 x0 = vload16(0, p1 + at0 + r1 * 16);
      acc0 = acc0 + x0;
    }
    for (long r2 = 0; r2 < 16; ++r2) {
      const long at1 = at0 + r2 * 16;
      const float16 x1 = vload16(0, p1 + at1);
      const float16 v0 = x1 * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f;
      vstore16(v0 * 2.0f * 2.0f * 2.0f * 2.0f * 2.0f + acc0, 0, p0 + at1);
    }
  }
}
