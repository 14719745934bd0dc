#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

// small_matmul: 2 chunks, 0 flops, 0 bytes
//   p1: float32[4,16]
//   p2: float32[16,8]
//   p0: float32[4,8], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void small_matmul(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, __global const float* restrict p2, long o2, long end) {
  p0 += o0;
  p1 += o1;
  p2 += o2;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long at0 = r0 * 16;
    float8 acc0 = (float8)(0.0f);
    float8 acc1 = (float8)(0.0f);
    for (long r1 = 0; r1 < 16; ++r1) {
      const long at1 = r0 * 32 + r1;
      const float x0 = p1[at1];
      const float8 x1 = vload8(0, p2 + r1 * 8);
      const float x2 = p1[at1 + 16];
      acc0 = acc0 + x0 * x1;
      acc1 = fma((float8)(x2), x1, acc1);
    }
    vstore8(acc0, 0, p0 + at0);
    vstore8(acc1, 0, p0 + at0 + 8);
  }
}
