#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

// masks: 2 chunks, 0 flops, 0 bytes
//   p0: bool[16], written
//   p1: float32[16]
//   p2: float32[16]
//   p3: bool[16]
//   p4: float64[16], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void masks(__global uchar* restrict p0, long o0, __global const float* restrict p1, long o1, __global const float* restrict p2, long o2, __global const uchar* restrict p3, long o3, __global double* restrict p4, long o4, long end) {
  p0 += o0;
  p1 += o1;
  p2 += o2;
  p3 += o3;
  p4 += o4;
  for (long r0 = get_group_id(0); r0 < end; r0 += get_num_groups(0)) {
    const long at0 = r0 * 8;
    const float8 x0 = vload8(0, p1 + at0);
    const float8 x1 = vload8(0, p2 + at0);
    const char8 x2 = vload8(0, p3 + at0) != (uchar8)(0);
    const int8 m0 = (x0 < x1) ^ convert_int8(x2);
    vstore8(as_uchar8(convert_char8(m0) & (char8)(1)), 0, p0 + at0);
    const double8 v0 = select((double8)(1.0), convert_double8(x0), convert_long8(m0)) + as_double8(convert_long8(m0) & 0x3ff0000000000000);
    vstore8(v0, 0, p4 + at0);
  }
}
