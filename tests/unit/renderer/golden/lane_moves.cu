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
typedef Vec<f32, 4> f32x4;
typedef Vec<i32, 4> i32x4;
typedef Vec<f32, 8> f32x8;

FN f32x4 gather_f32x4_i32(const f32* p, i32x4 i) {
  return f32x4(p[i[0]], p[i[1]], p[i[2]], p[i[3]]);
}

// lane_moves: 1 chunk, 0 flops, 0 bytes
//   p0: float32[12], written
//   p1: float32[24]
extern "C" __global__ void __launch_bounds__(1) lane_moves(f32* __restrict__ p0, const f32* __restrict__ p1, i64 end) {
  const f32x4 x0 = *(const f32x4*)(p1);
  const f32x4 x1 = gather_f32x4_i32(p1, (i32)2 + i32x4(0, 3, 6, 9));
  const f32x8 v0 = shuffle<0, 4, 1, 5, 2, 6, 3, 7>(x0, x1);
  *(f32x8*)(p0) = v0;
  const f32 v1 = v0[7];
  const f32 v2 = x0[2];
  const f32 v3 = v1 + 1.0f;
  *(f32x4*)(p0 + 8) = f32x4(v1, v2, 5.0f, v3);
}
