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
typedef f32x8 f32x8_a __attribute__((may_alias));
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef f32 f32x2 __attribute__((vector_size(8)));

FN f32x8 splat_f32x8(f32 x) { return (f32x8){x, x, x, x, x, x, x, x}; }

FN f32 sum_f32x8(f32x8 v8) {
  f32x4 v4 = __builtin_shufflevector(v8, v8, 0, 1, 2, 3) + __builtin_shufflevector(v8, v8, 4, 5, 6, 7);
  f32x2 v2 = __builtin_shufflevector(v4, v4, 0, 1) + __builtin_shufflevector(v4, v4, 2, 3);
  return (f32)(v2[0] + v2[1]);
}

// row_sum: 4 chunks, 0 flops, 0 bytes
//   p1: float32[4,64]
//   p0: float32[4], written
static void row_sum_body(f32* restrict p0, const f32* restrict p1, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    f32x8 acc0 = splat_f32x8(0.0f);
    for (i64 r1 = 0; r1 < 8; ++r1) {
      const f32x8 x0 = *(const f32x8_a*)(p1 + r0 * 64 + r1 * 8);
      acc0 = acc0 + x0;
    }
    p0[r0] = sum_f32x8(acc0);
  }
}

void row_sum(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void row_sum(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  row_sum_body(bufs[0], bufs[1], begin, end);
}
