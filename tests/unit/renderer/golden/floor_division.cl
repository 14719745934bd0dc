#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN long floor_div_long(long a, long b) {
  if (b == 0) return 0;
  if (b == -1) return (long)(0 - (ulong)a);
  return (long)(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));
}

FN long floor_mod_long(long a, long b) {
  if (b == 0) return 0;
  if (b == -1) return 0;
  long r = (long)(a % b);
  return (long)(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}

// floor_division: 20 chunks, 0 flops, 0 bytes
//   p0: int64[20], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void floor_division(__global long* restrict p0, long o0, long end) {
  p0 += o0;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long at0 = r0 - 10;
    const long at1 = floor_div_long(at0, 4) * 1000 + floor_mod_long(at0, 4) * 100 + r0 / 4 * 10 + r0 % 4;
    p0[r0] = (long)at1;
  }
}
