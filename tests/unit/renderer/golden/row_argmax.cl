#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

// row_argmax: 3 chunks, 0 flops, 0 bytes
//   p1: float32[3,20]
//   p0: int32[3], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void row_argmax(__global int* restrict p0, long o0, __global const float* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    float acc0 = -INFINITY;
    int acc1 = -1;
    for (long r1 = 0; r1 < 20; ++r1) {
      const float x0 = p1[r0 * 20 + r1];
      const bool m0 = acc0 < x0;
      acc0 = m0 ? x0 : acc0;
      acc1 = m0 ? ((int)r1) : acc1;
    }
    p0[r0] = acc1;
  }
}
