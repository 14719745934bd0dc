#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

// small_reverse: 2 chunks, 0 flops, 0 bytes
//   p1: float32[2,12]
//   p0: float32[2,12], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void small_reverse(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  __local float a5[12] __attribute__((aligned(64)));
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long at0 = r0 * 12;
    for (long r1 = 0; r1 < 3; ++r1) {
      const long at1 = r1 * 4;
      const float4 x0 = vload4(0, p1 + at0 + at1);
      *(__local float4*)(a5 + at1) = x0;
    }
    for (long r2 = 0; r2 < 12; ++r2) {
      const float x1 = a5[-r2 + 11];
      p0[at0 + r2] = x1;
    }
  }
}
