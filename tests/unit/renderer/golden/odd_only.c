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

// odd_only: 9 chunks, 0 flops, 0 bytes
//   p0: int32[9], written
//   p1: int32[9]
static void odd_only_body(i32* restrict p0, const i32* restrict p1, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    if (r0 % 2 != 0) {
      const i32 x0 = p1[r0];
      p0[r0] = x0 + 1;
    }
  }
}

void odd_only(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void odd_only(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  odd_only_body(bufs[0], bufs[1], begin, end);
}
