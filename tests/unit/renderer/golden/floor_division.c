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

FN i64 floor_div_i64(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return (i64)(0 - (u64)a);
  return (i64)(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));
}

FN i64 floor_mod_i64(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return 0;
  i64 r = (i64)(a % b);
  return (i64)(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}

// floor_division: 20 chunks, 0 flops, 0 bytes
//   p0: int64[20], written
static void floor_division_body(i64* restrict p0, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    const i64 at0 = r0 - 10;
    const i64 at1 = floor_div_i64(at0, 4) * 1000 + floor_mod_i64(at0, 4) * 100 + r0 / 4 * 10 + r0 % 4;
    p0[r0] = (i64)at1;
  }
}

void floor_division(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void floor_division(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  floor_division_body(bufs[0], begin, end);
}
