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
typedef i64 i64x4 __attribute__((vector_size(32)));
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef f32x8 f32x8_u __attribute__((may_alias, aligned(1)));

FN f32x4 gather_f32x4_i64(const f32* p, i64x4 i) {
  return (f32x4){p[i[0]], p[i[1]], p[i[2]], p[i[3]]};
}

// lane_moves: 1 chunk, 0 flops, 0 bytes
//   p0: float32[12], written
//   p1: float32[24]
static void lane_moves_body(f32* restrict p0, const f32* restrict p1) {
  const f32x4 x0 = *(const f32x4_u*)(p1);
  const f32x4 x1 = gather_f32x4_i64(p1, (i64)2 + (i64x4){0, 3, 6, 9});
  const f32x8 v0 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5, 2, 6, 3, 7);
  *(f32x8_u*)(p0) = v0;
  const f32 v1 = v0[7];
  const f32 v2 = x0[2];
  const f32 v3 = v1 + 1.0f;
  *(f32x4_u*)(p0 + 8) = (f32x4){v1, v2, 5.0f, v3};
}

void lane_moves(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void lane_moves(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)begin;
  (void)end;
  (void)scratch;
  lane_moves_body(bufs[0], bufs[1]);
}
