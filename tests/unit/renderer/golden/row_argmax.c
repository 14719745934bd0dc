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

// row_argmax: 3 chunks, 0 flops, 0 bytes
//   p1: float32[3,20]
//   p0: int32[3], written
static void row_argmax_body(i32* restrict p0, const f32* restrict p1, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    f32 acc0 = -__builtin_inff();
    i32 acc1 = -1;
    for (i64 r1 = 0; r1 < 20; ++r1) {
      const f32 x0 = p1[r0 * 20 + r1];
      const _Bool m0 = acc0 < x0;
      acc0 = m0 ? x0 : acc0;
      acc1 = m0 ? ((i32)r1) : acc1;
    }
    p0[r0] = acc1;
  }
}

void row_argmax(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void row_argmax(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  row_argmax_body(bufs[0], bufs[1], begin, end);
}
