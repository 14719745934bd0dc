#define FN __device__ __forceinline__
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
template <typename R, typename A>
FN R bits(A a) { return __builtin_bit_cast(R, a); }
#ifndef TG_EMULATED
FN f32 fused(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
FN f64 fused(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
#endif

#define LANES for (int k = 0; k < N; ++k)
#define COMPUTE(op) \
  friend FN Vec operator op(Vec a, Vec b) { LANES a[k] = T(a[k] op b[k]); return a; }
#define COMPARE(op) \
  friend FN Mask operator op(Vec a, Vec b) { Mask m; LANES m[k] = a[k] op b[k] ? -1 : 0; return m; }
template <int bytes> struct MaskOf { typedef i8 Lane; };
template <> struct MaskOf<2> { typedef i16 Lane; };
template <> struct MaskOf<4> { typedef i32 Lane; };
template <> struct MaskOf<8> { typedef i64 Lane; };
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vec {
  typedef T Lane;
  typedef Vec<typename MaskOf<sizeof(T)>::Lane, N> Mask;
  T lanes[N];
  Vec() = default;
  FN Vec(T x) { LANES lanes[k] = x; }
  template <typename... X>
  FN Vec(T a, T b, X... x) : lanes{a, b, T(x)...} {}
  FN T& operator[](int k) { return lanes[k]; }
  FN const T& operator[](int k) const { return lanes[k]; }
  friend FN Vec operator-(Vec a) { LANES a[k] = T(-a[k]); return a; }
  friend FN Vec operator~(Vec a) { LANES a[k] = T(~a[k]); return a; }
  COMPUTE(+) COMPUTE(-) COMPUTE(*) COMPUTE(/) COMPUTE(%)
  COMPUTE(&) COMPUTE(|) COMPUTE(^) COMPUTE(<<) COMPUTE(>>)
  COMPARE(<) COMPARE(>) COMPARE(!=)
};
template <typename T, int N>
FN Vec<T, N> select(typename Vec<T, N>::Mask m, Vec<T, N> a, Vec<T, N> b) {
  LANES a[k] = m[k] ? a[k] : b[k];
  return a;
}
template <typename T, int N>
FN Vec<T, N> fused(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) {
  LANES a[k] = fused(a[k], b[k], c[k]);
  return a;
}
template <typename T, int N>
FN bool all_set(Vec<T, N> m) {
  T all = -1;
  LANES all &= m[k];
  return all != 0;
}
template <typename R, typename T, int N>
FN R convert(Vec<T, N> v) {
  R r;
  LANES r[k] = typename R::Lane(v[k]);
  return r;
}
template <int... K, typename T, int N>
FN Vec<T, sizeof...(K)> shuffle(Vec<T, N> a, Vec<T, N> b) {
  return Vec<T, sizeof...(K)>((K < N ? a[K % N] : b[K % N])...);
}
typedef Vec<u16, 4> u16x4;
typedef Vec<u16, 2> u16x2;
typedef Vec<f32, 4> f32x4;
typedef Vec<u32, 2> u32x2;

#ifndef TG_EMULATED
FN f32x4 tg_mma_m16n8k8_f16(u16x4 a, u16x2 b, f32x4 c) {
  const u32x2 x_a = bits<u32x2>(a);
  const u32 x_b[1] = {bits<u32>(b)};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(x_a[0]), "r"(x_a[1]), "r"(x_b[0]));
  return c;
}
#endif

// product_m16n8k8_f16: 3 chunks, 0 flops, 0 bytes
//   p1: float16[3,32,4]
//   p2: float16[3,32,2]
//   p0: float32[3,32,4], written
extern "C" __global__ void __launch_bounds__(32) product_m16n8k8_f16(f32* __restrict__ p0, const u16* __restrict__ p1, const u16* __restrict__ p2, i64 end) {
  for (i64 r0 = blockIdx.x; r0 < end; r0 += gridDim.x) {
    const i32 at0 = (i32)r0;
    const i32 r1 = threadIdx.x;
    const i32 at1 = at0 * 32 + r1;
    const i32 at2 = at1 * 4;
    const u16x4 x0 = *(const u16x4*)(p1 + at2);
    const u16x2 x1 = *(const u16x2*)(p2 + at1 * 2);
    const f32x4 v0 = tg_mma_m16n8k8_f16(x0, x1, f32x4(1.0f));
    *(f32x4*)(p0 + at2) = v0;
  }
}
