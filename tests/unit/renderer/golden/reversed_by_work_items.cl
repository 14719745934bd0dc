#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

// reversed_by_work_items: 37 chunks, 0 flops, 0 bytes
//   p1: float32[37,8]
//   p0: float32[37,8], written
__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void reversed_by_work_items(__global float* restrict p0, long o0, __global const float* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  __local float a5[8] __attribute__((aligned(64)));
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long r1 = get_local_id(0) / 4;
    const long r2 = get_local_id(0) % 4;
    const long at0 = r1 * 4 + r2;
    const long at1 = r0 * 8 + at0;
    const float x0 = p1[at1];
    a5[at0] = x0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float x1 = a5[-at0 + 7];
    p0[at1] = x1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
