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
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef f32x4 f32x4_u __attribute__((may_alias, aligned(1)));
typedef i32 i32x4 __attribute__((vector_size(16)));

FN f32x4 select_f32x4(i32x4 m, f32x4 a, f32x4 b) { return (f32x4)((m & (i32x4)a) | (~m & (i32x4)b)); }

FN f32x4 max_f32x4(f32x4 a, f32x4 b) { return select_f32x4((i32x4)(a < b) | (i32x4)(b != b), b, a); }

// shifted: 12 chunks, 0 flops, 0 bytes
//   p0: float32[12], written
//   p1: float32[12]
//   p2: float32[48], written
static void shifted_body(f32* restrict p0, const f32* restrict p1, f32* restrict p2, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    const f32 x0 = (1 < r0) ? p1[r0 - 2] : 0;
    p0[r0] = x0;
    const f32x4 x1 = (3 < r0) ? (f32x4)*(const f32x4_u*)(p1 + r0 - 4) : (f32x4){0};
    if (r0 < 9) *(f32x4_u*)(p2 + r0 * 4) = max_f32x4(*(const f32x4_u*)(p2 + r0 * 4), x1);
  }
}

void shifted(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void shifted(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  shifted_body(bufs[0], bufs[1], bufs[2], begin, end);
}
