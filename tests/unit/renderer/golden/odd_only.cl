#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN int add_int(int a, int b) { return (int)((uint)a + (uint)b); }

// odd_only: 9 chunks, 0 flops, 0 bytes
//   p0: int32[9], written
//   p1: int32[9]
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void odd_only(__global int* restrict p0, long o0, __global const int* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    if (r0 % 2 != 0) {
      const int x0 = p1[r0];
      p0[r0] = add_int(x0, 1);
    }
  }
}
