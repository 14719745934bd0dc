typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define FN static inline __attribute__((always_inline, unused))
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef f32x8 f32x8_u __attribute__((may_alias, aligned(1)));

FN f32x8 splat_f32x8(f32 x) { return (f32x8){x, x, x, x, x, x, x, x}; }

FN f32 fma_f32(f32 a, f32 b, f32 c) {
#if defined(__FMA__) || !defined(__x86_64__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

FN f32x8 fma_f32x8(f32x8 a, f32x8 b, f32x8 c) {
#if defined(__clang__) && __has_builtin(__builtin_elementwise_fma) && (defined(__FMA__) || !defined(__x86_64__))
  return __builtin_elementwise_fma(a, b, c);
#elif !defined(__FMA__)
  return a * b + c;
#else
  union { f32x8 all; f32x8 piece[1]; } x = {a}, y = {b}, z = {c};
  z.piece[0] = __builtin_ia32_vfmaddps256(x.piece[0], y.piece[0], z.piece[0]);
  return z.all;
#endif
}

// small_matmul: 2 chunks, 0 flops, 0 bytes
//   p1: float32[4,16]
//   p2: float32[16,8]
//   p0: float32[4,8], written
static void small_matmul_body(f32* restrict p0, const f32* restrict p1, const f32* restrict p2, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    const i64 at0 = r0 * 16;
    f32x8 acc0 = splat_f32x8(0.0f);
    f32x8 acc1 = splat_f32x8(0.0f);
    for (i64 r1 = 0; r1 < 16; ++r1) {
      const i64 at1 = r0 * 32 + r1;
      const f32 x0 = p1[at1];
      const f32x8 x1 = *(const f32x8_u*)(p2 + r1 * 8);
      const f32 x2 = p1[at1 + 16];
      acc0 = acc0 + x0 * x1;
      acc1 = fma_f32x8(splat_f32x8(x2), x1, acc1);
    }
    *(f32x8_u*)(p0 + at0) = acc0;
    *(f32x8_u*)(p0 + at0 + 8) = acc1;
  }
}

void small_matmul(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void small_matmul(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  small_matmul_body(bufs[0], bufs[1], bufs[2], begin, end);
}
