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
typedef f32 f32x16 __attribute__((vector_size(64)));
typedef f32x16 f32x16_u __attribute__((may_alias, aligned(1)));

FN f32x16 splat_f32x16(f32 x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

FN void stream_f32x16(f32* p, f32x16 v) {
#if defined(__clang__)
  if (((__UINTPTR_TYPE__)p & 63) == 0) {
    __builtin_nontemporal_store(v, (f32x16*)p);
    return;
  }
#endif
  *(f32x16_u*)p = v;
}

FN void streams_end(void) {
#if defined(__clang__) && defined(__SSE__)
  __builtin_ia32_sfence();
#elif defined(__clang__)
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

// streamed_rows: 5 chunks, 0 flops, 0 bytes
//   p0: float32[5,24], written
//   p1: float32[5,24]
static void streamed_rows_body(f32* restrict p0, const f32* restrict p1, i64 begin, i64 end) {
  for (i64 r0 = begin; r0 < end; ++r0) {
    const i64 at0 = r0 * 24;
    const f32x16 x0 = *(const f32x16_u*)(p1 + at0);
    stream_f32x16(p0 + at0, x0 + 1.0f);
  }
  streams_end();
}

void streamed_rows(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);
void streamed_rows(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {
  (void)vars;
  (void)scratch;
  streamed_rows_body(bufs[0], bufs[1], begin, end);
}
