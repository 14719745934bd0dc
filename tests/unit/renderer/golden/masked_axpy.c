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
typedef i64 i64x8 __attribute__((vector_size(64)));
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef f32 f32x8 __attribute__((vector_size(32)));

FN i64x8 splat_i64x8(i64 x) { return (i64x8){x, x, x, x, x, x, x, x}; }

FN f32x8 load_mask_f32x8(const f32* p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
  return (f32x8)(__builtin_ia32_loadups256_mask((const void*)p, (f32x8){0}, __builtin_ia32_cvtd2mask256(m)));
#elif defined(__AVX__)
  return (f32x8)__builtin_ia32_maskloadps256((const void*)p, m);
#else
  f32x8 r = {0};
  for (int k = 0; k < 8; ++k) {
    if (m[k]) r[k] = p[k];
  }
  return r;
#endif
}

FN f32x8 splat_f32x8(f32 x) { return (f32x8){x, x, x, x, x, x, x, x}; }

FN void store_mask_f32x8(f32* p, i32x8 m, f32x8 v) {
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
  __builtin_ia32_storeups256_mask((void*)p, (f32x8)v, __builtin_ia32_cvtd2mask256(m));
#elif defined(__AVX__)
  __builtin_ia32_maskstoreps256((void*)p, m, (f32x8)v);
#else
  for (int k = 0; k < 8; ++k) {
    if (m[k]) p[k] = v[k];
  }
#endif
}

// masked_axpy: 3 chunks, 0 flops, 0 bytes
//   p0: float32[21], written
//   p1: float32[21]
//   p2: float32[21]
static void masked_axpy_body(f32* restrict p0, const f32* restrict p1, const f32* restrict p2, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    const i64 at0 = r0 * 8;
    const i64x8 m0 = (i64x8)(at0 + (i64x8){0, 1, 2, 3, 4, 5, 6, 7} < 21);
    const f32x8 x0 = load_mask_f32x8(p1 + at0, __builtin_convertvector(m0, i32x8));
    const f32x8 x1 = load_mask_f32x8(p2 + at0, __builtin_convertvector(m0, i32x8));
    store_mask_f32x8(p0 + at0, __builtin_convertvector(m0, i32x8), x0 + x1 * 2.0f);
  }
}

void masked_axpy(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void masked_axpy(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  masked_axpy_body(bufs[0], bufs[1], bufs[2], begin, end);
}
