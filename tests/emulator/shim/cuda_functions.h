// What the renderer's CUDA C leaves to a host under TG_EMULATED: functions that stand for one
// instruction. Included once for each kernel, inside the namespace of its text, which may overload
// the names; so there is no include guard.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float trunc_f32(float x) { return __builtin_truncf(x); }
inline double trunc_f64(double x) { return __builtin_trunc(x); }
inline float sqrt_f32(float x) { return __builtin_sqrtf(x); }
inline double sqrt_f64(double x) { return __builtin_sqrt(x); }
inline float f32_of_half(unsigned short x) { return tg_float_of_half(x); }
inline unsigned short half_of_f32(float x) { return tg_half_of_float(x); }
