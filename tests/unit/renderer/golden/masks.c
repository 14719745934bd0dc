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
typedef u8 u8x8 __attribute__((vector_size(8)));
typedef u8x8 u8x8_u __attribute__((may_alias, aligned(1)));
typedef i8 i8x8 __attribute__((vector_size(8)));
typedef f64 f64x8 __attribute__((vector_size(64)));
typedef i64 i64x8 __attribute__((vector_size(64)));
typedef f64x8 f64x8_u __attribute__((may_alias, aligned(1)));

FN i8x8 splat_i8x8(i8 x) { return (i8x8){x, x, x, x, x, x, x, x}; }

FN f64x8 splat_f64x8(f64 x) { return (f64x8){x, x, x, x, x, x, x, x}; }

FN f64x8 select_f64x8(i64x8 m, f64x8 a, f64x8 b) { return (f64x8)((m & (i64x8)a) | (~m & (i64x8)b)); }

// masks: 2 chunks, 0 flops, 0 bytes
//   p0: bool[16], written
//   p1: float32[16]
//   p2: float32[16]
//   p3: bool[16]
//   p4: float64[16], written
static void masks_body(u8* restrict p0, const f32* restrict p1, const f32* restrict p2, const u8* restrict p3, f64* restrict p4, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    const i64 at0 = r0 * 8;
    const f32x8 x0 = *(const f32x8_u*)(p1 + at0);
    const f32x8 x1 = *(const f32x8_u*)(p2 + at0);
    const i8x8 x2 = (i8x8)((*(const u8x8_u*)(p3 + at0)) != (u8x8){0});
    const i32x8 m0 = ((i32x8)(x0 < x1)) ^ __builtin_convertvector(x2, i32x8);
    *(u8x8_u*)(p0 + at0) = (u8x8)(__builtin_convertvector(m0, i8x8) & splat_i8x8(1));
    const f64x8 v0 = select_f64x8(__builtin_convertvector(m0, i64x8), __builtin_convertvector(x0, f64x8), splat_f64x8(1.0));
    *(f64x8_u*)(p4 + at0) = v0 + (f64x8)(__builtin_convertvector(m0, i64x8) & 0x3ff0000000000000);
  }
}

void masks(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void masks(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  masks_body(bufs[0], bufs[1], bufs[2], bufs[3], bufs[4], begin, end);
}
