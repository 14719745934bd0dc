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
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef i32 i32x2 __attribute__((vector_size(8)));
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef f32 f32x2 __attribute__((vector_size(8)));

FN f32x8 splat_f32x8(f32 x) { return (f32x8){x, x, x, x, x, x, x, x}; }

FN i32 sum_mask_i32x8(i32x8 v8) {
  i32x4 v4 = __builtin_shufflevector(v8, v8, 0, 1, 2, 3) | __builtin_shufflevector(v8, v8, 4, 5, 6, 7);
  i32x2 v2 = __builtin_shufflevector(v4, v4, 0, 1) | __builtin_shufflevector(v4, v4, 2, 3);
  return (i32)(v2[0] | v2[1]);
}

FN i32 product_mask_i32x8(i32x8 v8) {
  i32x4 v4 = __builtin_shufflevector(v8, v8, 0, 1, 2, 3) & __builtin_shufflevector(v8, v8, 4, 5, 6, 7);
  i32x2 v2 = __builtin_shufflevector(v4, v4, 0, 1) & __builtin_shufflevector(v4, v4, 2, 3);
  return (i32)(v2[0] & v2[1]);
}

FN f32x4 select_f32x4(i32x4 m, f32x4 a, f32x4 b) { return (f32x4)((m & (i32x4)a) | (~m & (i32x4)b)); }

FN f32x4 max_f32x4(f32x4 a, f32x4 b) { return select_f32x4((i32x4)(a < b) | (i32x4)(b != b), b, a); }

FN f32x2 select_f32x2(i32x2 m, f32x2 a, f32x2 b) { return (f32x2)((m & (i32x2)a) | (~m & (i32x2)b)); }

FN f32x2 max_f32x2(f32x2 a, f32x2 b) { return select_f32x2((i32x2)(a < b) | (i32x2)(b != b), b, a); }

FN f32 max_f32(f32 a, f32 b) { return a < b || b != b ? b : a; }

FN f32 maximum_f32x8(f32x8 v8) {
  f32x4 v4 = max_f32x4(__builtin_shufflevector(v8, v8, 0, 1, 2, 3), __builtin_shufflevector(v8, v8, 4, 5, 6, 7));
  f32x2 v2 = max_f32x2(__builtin_shufflevector(v4, v4, 0, 1), __builtin_shufflevector(v4, v4, 2, 3));
  return (f32)(max_f32(v2[0], v2[1]));
}

FN f32 product_f32x8(f32x8 v8) {
  f32x4 v4 = __builtin_shufflevector(v8, v8, 0, 1, 2, 3) * __builtin_shufflevector(v8, v8, 4, 5, 6, 7);
  f32x2 v2 = __builtin_shufflevector(v4, v4, 0, 1) * __builtin_shufflevector(v4, v4, 2, 3);
  return (f32)(v2[0] * v2[1]);
}

// lane_reductions: 1 chunk, 0 flops, 0 bytes
//   p0: bool[2], written
//   p1: float32[8]
//   p2: float32[2], written
static void lane_reductions_body(u8* restrict p0, const f32* restrict p1, f32* restrict p2) {
  const f32x8 x0 = *(const f32x8_u*)(p1);
  const i32x8 m0 = (i32x8)(1.0f < x0);
  p0[0] = sum_mask_i32x8(m0) != 0;
  p0[1] = product_mask_i32x8(m0) != 0;
  p2[0] = maximum_f32x8(x0);
  p2[1] = product_f32x8(x0);
}

void lane_reductions(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void lane_reductions(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)begin;
  (void)end;
  (void)scratch;
  lane_reductions_body(bufs[0], bufs[1], bufs[2]);
}
