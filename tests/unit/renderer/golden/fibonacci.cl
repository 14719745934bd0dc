#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN long add_long(long a, long b) { return (long)((ulong)a + (ulong)b); }

// fibonacci: 1 chunk, 0 flops, 0 bytes
//   p0: int64[1], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void fibonacci(__global long* restrict p0, long o0, long n_steps_0, long end) {
  p0 += o0;
  long acc0 = 0;
  long acc1 = 1;
  for (long r1 = 0; r1 < n_steps_0; ++r1) {
    const long next0 = acc1;
    const long next1 = add_long(acc0, acc1);
    acc0 = next0;
    acc1 = next1;
  }
  p0[0] = acc0;
}
