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

// fibonacci: 1 chunk, 0 flops, 0 bytes
//   p0: int64[1], written
static void fibonacci_body(i64* restrict p0, i64 n_steps_0) {
  i64 acc0 = 0;
  i64 acc1 = 1;
  for (i64 r1 = 0; r1 < n_steps_0; ++r1) {
    const i64 next0 = acc1;
    const i64 next1 = acc0 + acc1;
    acc0 = next0;
    acc1 = next1;
  }
  p0[0] = acc0;
}

void fibonacci(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void fibonacci(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)begin;
  (void)end;
  (void)scratch;
  fibonacci_body(bufs[0], vars[0]);
}
