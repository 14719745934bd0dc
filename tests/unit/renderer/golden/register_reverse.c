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
typedef f32x4 f32x4_a __attribute__((may_alias));

// register_reverse: 2 chunks, 0 flops, 0 bytes
//   p1: float32[2,12]
//   p0: float32[2,12], written
static void register_reverse_body(f32* restrict p0, const f32* restrict p1, i64 begin, i64 end) {
  f32 a5[12] __attribute__((aligned(64)));
  for (i64 r0 = begin; r0 < end; ++r0) {
    const i64 at0 = r0 * 12;
    for (i64 r1 = 0; r1 < 3; ++r1) {
      const i64 at1 = r1 * 4;
      const f32x4 x0 = *(const f32x4_u*)(p1 + at0 + at1);
      *(f32x4_a*)(a5 + at1) = x0;
    }
    for (i64 r2 = 0; r2 < 12; ++r2) {
      const f32 x1 = a5[-r2 + 11];
      p0[at0 + r2] = x1;
    }
  }
}

void register_reverse(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void register_reverse(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  register_reverse_body(bufs[0], bufs[1], begin, end);
}
