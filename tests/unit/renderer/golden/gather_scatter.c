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
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef i32x8 i32x8_u __attribute__((may_alias, aligned(1)));
typedef i64 i64x8 __attribute__((vector_size(64)));
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef f32x8 f32x8_u __attribute__((may_alias, aligned(1)));

FN i32x8 splat_i32x8(i32 x) { return (i32x8){x, x, x, x, x, x, x, x}; }

FN f32x8 gather_mask_f32x8_i64(const f32* p, i64x8 i, i32x8 m) {
  return (f32x8){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0};
}

FN i64x8 splat_i64x8(i64 x) { return (i64x8){x, x, x, x, x, x, x, x}; }

// gather_scatter: 2 chunks, 0 flops, 0 bytes
//   p0: float32[16], written
//   p1: float32[10]
//   p2: int32[16]
//   p3: float32[20], written
static void gather_scatter_body(f32* restrict p0, const f32* restrict p1, const i32* restrict p2, f32* restrict p3, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    const i64 at0 = r0 * 8;
    const i32x8 x0 = *(const i32x8_u*)(p2 + at0);
    const i64x8 at1 = __builtin_convertvector(x0, i64x8);
    const i32x8 m0 = (i32x8)(-1 < x0);
    const f32x8 x1 = gather_mask_f32x8_i64(p1, at1, m0);
    *(f32x8_u*)(p0 + at0) = x1;
    const i64x8 at2 = at1 + (r0 * 10);
    for (int k = 0; k < 8; ++k) if (m0[k]) p3[at2[k]] = p3[at2[k]] + x1[k];
  }
}

void gather_scatter(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void gather_scatter(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  gather_scatter_body(bufs[0], bufs[1], bufs[2], bufs[3], begin, end);
}
