#pragma OPENCL FP_CONTRACT OFF
#define FN static inline

FN float float_of_half(ushort h) {
  uint sign = (uint)(h & 0x8000) << 16, size = h & 0x7fff;
  uint bits = size < 0x400 ? as_uint((float)size * 0x1p-24f)
                           : (size << 13) + (size < 0x7c00 ? 0x38000000 : 0x70000000);
  return as_float(bits | sign);
}

FN float16 float16_of_half(ushort16 x) {
  return (float16)(float_of_half(x.s0), float_of_half(x.s1), float_of_half(x.s2), float_of_half(x.s3),
      float_of_half(x.s4), float_of_half(x.s5), float_of_half(x.s6), float_of_half(x.s7),
      float_of_half(x.s8), float_of_half(x.s9), float_of_half(x.sa), float_of_half(x.sb),
      float_of_half(x.sc), float_of_half(x.sd), float_of_half(x.se), float_of_half(x.sf));
}

FN ushort half_of_float(float x) {
  uint bits = as_uint(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff, r;
  if (size > 0x7f800000) return 0x7e00;
  if (size >= 0x47800000) r = 0x7c00;
  else if (size < 0x38800000) r = as_uint(as_float(size) + 0.5f) - 0x3f000000;
  else r = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
  return (ushort)(sign | r);
}

FN ushort16 half_of_float16(float16 x) {
  return (ushort16)(half_of_float(x.s0), half_of_float(x.s1), half_of_float(x.s2), half_of_float(x.s3),
      half_of_float(x.s4), half_of_float(x.s5), half_of_float(x.s6), half_of_float(x.s7),
      half_of_float(x.s8), half_of_float(x.s9), half_of_float(x.sa), half_of_float(x.sb),
      half_of_float(x.sc), half_of_float(x.sd), half_of_float(x.se), half_of_float(x.sf));
}

// half_increment: 1 chunk, 0 flops, 0 bytes
//   p1: float16[16]
//   p0: float16[16], written
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void half_increment(__global ushort* restrict p0, long o0, __global const ushort* restrict p1, long o1, long end) {
  p0 += o0;
  p1 += o1;
  const ushort16 x0 = vload16(0, p1);
  const float16 v0 = float16_of_half(x0);
  int16 acc0 = (int16)(-(int)0);
  for (long r0 = 0; r0 < 3; ++r0) {
    acc0 = acc0 | ((float)r0 < v0);
  }
  vstore16(half_of_float16(select((float16)(0.0f), v0 + 1.0f, acc0)), 0, p0);
}
