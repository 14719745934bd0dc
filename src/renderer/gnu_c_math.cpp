// See gnu_c.h: functions of numbers for which C with GNU vectors has no operator. Each is a helper,
// one for scalars and one for each vector type that a unit uses.
#include <fmt/format.h>

#include "renderer/gnu_c.h"

namespace tg {

// Without SSE 4.1 there is no rounding instruction: through an integer, where the value is small
// enough to have a fraction.
std::string GnuC::trunc(CUnit& u, DType t, int lanes) const {
  const bool f32 = t == DType::Float32;
  const std::string s(scalar(t)), builtin = f32 ? "__builtin_truncf" : "__builtin_trunc";
  const std::string sign = f32 ? "__builtin_copysignf" : "__builtin_copysign";
  const std::string one = u.helper("trunc_" + s, [&] {
    return fmt::format(
        "FN {0} trunc_{0}({0} x) {{\n#if defined(__SSE4_1__) || !defined(__x86_64__)\n  return "
        "{1}(x);\n#else\n"
        "  {0} size = x < 0 ? -x : x;\n  return size < {2} ? {3}(({0})({4})x, x) : "
        "x;\n#endif\n}}\n",
        s, builtin, f32 ? "0x1p23f" : "0x1p52", sign, f32 ? "i32" : "i64");
  });
  if (lanes == 1) return one;
  const std::string v = u.vector(t, lanes);
  return u.helper("trunc_" + v, [&] {
    return fmt::format(
        "FN {0} trunc_{0}({0} x) {{\n#if defined(__clang__) && (defined(__SSE4_1__) || "
        "!defined(__x86_64__))\n"
        "  return __builtin_elementwise_trunc(x);\n#else\n{1}#endif\n}}\n",
        v, return_lanes(v, lanes, [&](const std::string& k) { return one + "(x" + k + ")"; }));
  });
}

std::string GnuC::sqrt(CUnit& u, DType t, int lanes) const {
  const std::string builtin = t == DType::Float32 ? "__builtin_sqrtf" : "__builtin_sqrt";
  if (lanes == 1) return builtin;
  const std::string v = u.vector(t, lanes);
  return u.helper("sqrt_" + v, [&] {
    return fmt::format(
        "FN {0} sqrt_{0}({0} x) {{\n#if defined(__clang__) && "
        "__has_builtin(__builtin_elementwise_sqrt)\n"
        "  return __builtin_elementwise_sqrt(x);\n#else\n{1}#endif\n}}\n",
        v, return_lanes(v, lanes, [&](const std::string& k) { return builtin + "(x" + k + ")"; }));
  });
}

// No compiler is left the choice: gcc does not fuse what it knows before the program runs, nor a
// product that has another use, clang not one whose factors it knows. Both are given the
// instruction, where clang has no name for it in pieces as wide as the machine has them.
std::string GnuC::fma(CUnit& u, DType t, int lanes) const {
  const bool f32 = t == DType::Float32;
  const std::string one = u.helper(fmt::format("fma_{}", scalar(t)), [&] {
    return fmt::format(
        "FN {0} fma_{0}({0} a, {0} b, {0} c) {{\n#if defined(__FMA__) || !defined(__x86_64__)\n"
        "  return {1}(a, b, c);\n#else\n  return a * b + c;\n#endif\n}}\n",
        scalar(t), f32 ? "__builtin_fmaf" : "__builtin_fma");
  });
  if (lanes == 1) return one;
  const std::string v = u.vector(t, lanes);
  return u.helper("fma_" + v, [&] {
    return fmt::format(
        "FN {0} fma_{0}({0} a, {0} b, {0} c) {{\n#if defined(__clang__) && "
        "__has_builtin(__builtin_elementwise_fma) && (defined(__FMA__) || !defined(__x86_64__))\n"
        "  return __builtin_elementwise_fma(a, b, c);\n#elif !defined(__FMA__)\n"
        "  return a * b + c;\n{1}}}\n",
        v, fma_pieces(u, t, lanes));
  });
}

// What follows for other compilers, up to the end of the condition.
std::string GnuC::fma_pieces(CUnit& u, DType t, int lanes) const {
  const auto name = [&](int bytes) {
    return fmt::format("__builtin_ia32_vfmaddp{}{}", t == DType::Float32 ? "s" : "d",
                       bytes == 64   ? "512_mask"
                       : bytes == 32 ? "256"
                                     : "");
  };
  const int size = c_bytes(t), bytes = lanes * size;
  const auto pieces_of = [&](int piece) {
    std::string text;
    const std::string type = u.vector(t, piece / size);
    text += fmt::format("  union {{ {} all; {} piece[{}]; }} x = {{a}}, y = {{b}}, z = {{c}};\n",
                        u.vector(t, lanes), type, bytes / piece);
    for (int k = 0; k < bytes / piece; ++k) {
      text += fmt::format("  z.piece[{0}] = {1}(x.piece[{0}], y.piece[{0}], z.piece[{0}]{2});\n", k,
                          name(piece), piece == 64 ? ", -1, 4" : "");
    }
    return text + "  return z.all;\n";
  };
  if (bytes < 16 || bytes % 16 != 0) {
    return fmt::format("#else\n{}#endif\n",
                       return_lanes(u.vector(t, lanes), lanes, [&](const std::string& k) {
                         return fmt::format("fma_{0}(a{1}, b{1}, c{1})", scalar(t), k);
                       }));
  }
  std::string text;
  if (bytes % 64 == 0) text += "#elif defined(__AVX512F__)\n" + pieces_of(64);
  return text + "#else\n" + pieces_of(bytes % 32 == 0 ? 32 : 16) + "#endif\n";
}

std::string GnuC::half_to_float(CUnit& u, int lanes) const {
  const std::string one = u.helper("f32_of_half", [] {
    return std::string(
        "FN f32 f32_of_half(u16 h) {\n  union {\n    u32 i;\n    f32 f;\n  } u;\n"
        "  u32 sign = (u32)(h & 0x8000) << 16, size = h & 0x7fff;\n"
        "  if (size < 0x400) u.f = (f32)size * 0x1p-24f;\n"
        "  else u.i = (size << 13) + (size < 0x7c00 ? 0x38000000 : 0x70000000);\n  u.i |= sign;\n  "
        "return u.f;\n}\n");
  });
  if (lanes == 1) return one;
  const std::string h = u.vector(DType::Float16, lanes), f = u.vector(DType::Float32, lanes);
  return u.helper(f + "_of_half", [&] {
    return fmt::format(
        "FN {0} {0}_of_half({1} h) {{\n#if defined(__F16C__) && defined(__clang__) && "
        "__clang_major__ >= 15\n"
        "  typedef _Float16 half_vector __attribute__((vector_size({2})));\n"
        "  return __builtin_convertvector((half_vector)h, {0});\n#else\n{3}#endif\n}}\n",
        f, h, 2 * lanes,
        return_lanes(f, lanes, [&](const std::string& k) { return one + "(h" + k + ")"; }));
  });
}

// Nearest even: normal values add half of the last kept place with its parity; subnormal ones let
// the float adder round.
std::string GnuC::float_to_half(CUnit& u, int lanes) const {
  const std::string one = u.helper("half_of_f32", [] {
    return std::string(
        "FN u16 half_of_f32(f32 x) {\n  union {\n    f32 f;\n    u32 i;\n  } u = {x};\n"
        "  u32 sign = u.i >> 16 & 0x8000, size = u.i & 0x7fffffff, r;\n  u.i = size;\n"
        "  if (size > 0x7f800000) return 0x7e00;\n  if (size >= 0x47800000) r = 0x7c00;\n"
        "  else if (size < 0x38800000) {\n    u.f += 0.5f;\n    r = u.i - 0x3f000000;\n"
        "  } else r = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;\n  return (u16)(sign | "
        "r);\n}\n");
  });
  if (lanes == 1) return one;
  const std::string h = u.vector(DType::Float16, lanes), f = u.vector(DType::Float32, lanes);
  return u.helper("half_of_" + f, [&] {
    return fmt::format(
        "FN {0} half_of_{1}({1} x) {{\n#if defined(__F16C__) && defined(__clang__) && "
        "__clang_major__ >= 15\n"
        "  typedef _Float16 half_vector __attribute__((vector_size({2})));\n"
        "  return ({0})__builtin_convertvector(x, half_vector);\n#else\n{3}#endif\n}}\n",
        h, f, 2 * lanes,
        return_lanes(h, lanes, [&](const std::string& k) { return one + "(x" + k + ")"; }));
  });
}

}  // namespace tg
