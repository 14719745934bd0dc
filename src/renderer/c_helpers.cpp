// See c_helpers.h. The texts favour forms that both compilers turn into one instruction; loops over
// lanes have constant bounds and disappear.
#include "renderer/c_helpers.h"

#include <fmt/format.h>

#include "support/check.h"

namespace tg::helpers {
namespace {

std::string repeat(int n, FunctionRef<std::string(int)> item) {
  std::string out;
  for (int i = 0; i < n; ++i) out += (i == 0 ? "" : ", ") + item(i);
  return out;
}

std::string mask_type(CUnit& u, DType t, int lanes) {
  return u.vector(c_mask_dtype(c_bytes(t)), lanes);
}

// A vector helper that applies the scalar one to every lane.
std::string by_lane(CUnit& u, const std::string& name, const std::string& scalar, DType result,
                    DType arg, int lanes, bool binary) {
  const std::string r = u.vector(result, lanes), a = u.vector(arg, lanes);
  return u.helper(name, [&] {
    return fmt::format(
        "FN {0} {1}({2} a{3}) {{\n  {0} r;\n  for (int k = 0; k < {4}; ++k) r[k] = {5}(a[k]{6});\n"
        "  return r;\n}}\n",
        r, name, a, binary ? ", " + a + " b" : "", lanes, scalar, binary ? ", b[k]" : "");
  });
}

}  // namespace

std::string splat(CUnit& u, DType t, int lanes) {
  const std::string v = u.vector(t, lanes), name = "splat_" + v;
  return u.helper(name, [&] {
    return fmt::format("FN {0} {1}({2} x) {{ return ({0}){{{3}}}; }}\n", v, name, c_storage(t),
                       repeat(lanes, [](int) { return std::string("x"); }));
  });
}

std::string select(CUnit& u, DType t, int lanes) {
  const std::string v = u.vector(t, lanes), m = mask_type(u, t, lanes), name = "select_" + v;
  return u.helper(name, [&] {
    return fmt::format(
        "FN {0} {1}({2} m, {0} a, {0} b) {{ return ({0})((m & ({2})a) | (~m & ({2})b)); }}\n", v,
        name, m);
  });
}

std::string max(CUnit& u, DType t, int lanes, bool b_is_number) {
  const std::string v = u.type(t, lanes);
  const bool nan_aware = is_float(t) && !b_is_number;
  const std::string name = (is_float(t) && b_is_number ? "max_number_" : "max_") + v;
  if (lanes == 1) {
    return u.helper(name, [&] {
      return fmt::format("FN {0} {1}({0} a, {0} b) {{ return a < b{2} ? b : a; }}\n", v, name,
                         nan_aware ? " || b != b" : "");
    });
  }
  const std::string choose = select(u, t, lanes);
  return u.helper(name, [&] {
    return fmt::format("FN {0} {1}({0} a, {0} b) {{ return {2}(({4})(a < b){3}, b, a); }}\n", v,
                       name, choose, nan_aware ? " | (" + mask_type(u, t, lanes) + ")(b != b)" : "",
                       mask_type(u, t, lanes));
  });
}

std::string divide(CUnit& u, Op op, DType t, int lanes) {
  const std::string s(c_scalar(t));
  const bool quotient = op == Op::IDiv;
  const std::string scalar = u.helper((quotient ? "floor_div_" : "floor_mod_") + s, [&] {
    const std::string head =
        fmt::format("FN {0} floor_{1}_{0}({0} a, {0} b) {{\n  if (b == 0) return 0;\n", s,
                    quotient ? "div" : "mod");
    if (is_unsigned(t))
      return head + fmt::format("  return ({})(a {} b);\n}}\n", s, quotient ? "/" : "%");
    const std::string minus_one =
        fmt::format("  if (b == -1) return {};\n", quotient ? "(" + s + ")(0 - a)" : "0");
    const std::string body =
        quotient ? "  return ({0})(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));\n}}\n"
                 : "  {0} r = ({0})(a % b);\n"
                   "  return ({0})(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n}}\n";
    return head + minus_one + fmt::format(fmt::runtime(body), s);
  });
  if (lanes == 1) return scalar;
  return by_lane(u, fmt::format("{}x{}", scalar, lanes), scalar, t, t, lanes, true);
}

std::string shift(CUnit& u, Op op, DType t, int lanes) {
  const std::string s(c_scalar(t)), name = (op == Op::Shl ? "shift_left_" : "shift_right_") + s;
  const int bits = 8 * c_bytes(t);
  const std::string scalar = u.helper(name, [&] {
    const std::string by = fmt::format("(u64)b > {}", bits - 1);
    if (op == Op::Shl)
      return fmt::format("FN {0} {1}({0} a, {0} b) {{ return {2} ? 0 : ({0})((u64)a << b); }}\n", s,
                         name, by);
    if (is_unsigned(t))
      return fmt::format("FN {0} {1}({0} a, {0} b) {{ return {2} ? 0 : ({0})(a >> b); }}\n", s,
                         name, by);
    return fmt::format("FN {0} {1}({0} a, {0} b) {{ return ({0})(a >> ({2} ? {3} : b)); }}\n", s,
                       name, by, bits - 1);
  });
  if (lanes == 1) return scalar;
  return by_lane(u, fmt::format("{}x{}", name, lanes), scalar, t, t, lanes, true);
}

// Without SSE 4.1 there is no rounding instruction: through an integer, where the value is small
// enough to have a fraction.
std::string trunc(CUnit& u, DType t, int lanes) {
  const bool f32 = t == DType::Float32;
  const std::string s(c_scalar(t)), builtin = f32 ? "__builtin_truncf" : "__builtin_trunc";
  const std::string sign = f32 ? "__builtin_copysignf" : "__builtin_copysign";
  const std::string scalar = u.helper("trunc_" + s, [&] {
    return fmt::format(
        "FN {0} trunc_{0}({0} x) {{\n#if defined(__SSE4_1__) || !defined(__x86_64__)\n  return "
        "{1}(x);\n#else\n"
        "  {0} size = x < 0 ? -x : x;\n  return size < {2} ? {3}(({0})({4})x, x) : "
        "x;\n#endif\n}}\n",
        s, builtin, f32 ? "0x1p23f" : "0x1p52", sign, f32 ? "i32" : "i64");
  });
  if (lanes == 1) return scalar;
  const std::string v = u.vector(t, lanes), name = "trunc_" + v;
  return u.helper(name, [&] {
    return fmt::format(
        "FN {0} {1}({0} x) {{\n#if defined(__clang__) && (defined(__SSE4_1__) || "
        "!defined(__x86_64__))\n"
        "  return __builtin_elementwise_trunc(x);\n#else\n  {0} r;\n"
        "  for (int k = 0; k < {2}; ++k) r[k] = {3}(x[k]);\n  return r;\n#endif\n}}\n",
        v, name, lanes, scalar);
  });
}

std::string sqrt(CUnit& u, DType t, int lanes) {
  const std::string builtin = t == DType::Float32 ? "__builtin_sqrtf" : "__builtin_sqrt";
  if (lanes == 1) return builtin;
  const std::string v = u.vector(t, lanes), name = "sqrt_" + v;
  return u.helper(name, [&] {
    return fmt::format(
        "FN {0} {1}({0} x) {{\n#if defined(__clang__) && "
        "__has_builtin(__builtin_elementwise_sqrt)\n"
        "  return __builtin_elementwise_sqrt(x);\n#else\n  {0} r;\n"
        "  for (int k = 0; k < {2}; ++k) r[k] = {3}(x[k]);\n  return r;\n#endif\n}}\n",
        v, name, lanes, builtin);
  });
}

std::string float_to_int(CUnit& u, DType from, DType to, int lanes) {
  const bool to_unsigned = is_unsigned(to);
  const std::string wide = u.helper("i64_of_f64", [] {
    return std::string(
        "FN i64 i64_of_f64(f64 x) {\n  if (x != x) return 0;\n  if (x < -0x1p63) return "
        "(i64)((u64)1 << 63);\n"
        "  return x < 0x1p63 ? (i64)x : (i64)(~(u64)0 >> 1);\n}\n");
  });
  std::string scalar = wide;
  if (to_unsigned) {
    scalar = u.helper("u64_of_f64", [] {
      return std::string(
          "FN u64 u64_of_f64(f64 x) {\n  if (x != x || x < 0) return (u64)i64_of_f64(x);\n"
          "  return x < 0x1p64 ? (u64)x : ~(u64)0;\n}\n");
    });
  }
  if (lanes == 1) return scalar;
  const std::string a = u.vector(from, lanes), r = u.vector(to, lanes), name = r + "_of_" + a;
  const std::string m = mask_type(u, from, lanes);
  const bool direct = from == DType::Float32 && to == DType::Int32;
  return u.helper(name, [&] {
    std::string quick;
    if (direct) {
      quick = fmt::format(
          "  {0} inside = ({0})(x > -0x1p31f) & ({0})(x < 0x1p31f);\n  i32 all = -1;\n"
          "  for (int k = 0; k < {1}; ++k) all &= inside[k];\n"
          "  if (all) return __builtin_convertvector(x, {2});\n",
          m, lanes, r);
    }
    return fmt::format(
        "FN {0} {1}({2} x) {{\n{3}  {0} r;\n  for (int k = 0; k < {4}; ++k) r[k] = "
        "({5}){6}(x[k]);\n"
        "  return r;\n}}\n",
        r, name, a, quick, lanes, c_scalar(to), scalar);
  });
}

std::string bitcast(CUnit& u, DType from, DType to) {
  const std::string a(c_storage(from)), r(c_storage(to)), name = r + "_bits_" + a;
  return u.helper(name, [&] {
    return fmt::format(
        "FN {0} {1}({2} x) {{\n  union {{\n    {2} a;\n    {0} r;\n  }} u = {{x}};\n  return "
        "u.r;\n}}\n",
        r, name, a);
  });
}

std::string half_to_float(CUnit& u, int lanes) {
  const std::string scalar = u.helper("f32_of_half", [] {
    return std::string(
        "FN f32 f32_of_half(u16 h) {\n  union {\n    u32 i;\n    f32 f;\n  } u;\n"
        "  u32 sign = (u32)(h & 0x8000) << 16, size = h & 0x7fff;\n"
        "  if (size < 0x400) u.f = (f32)size * 0x1p-24f;\n"
        "  else u.i = (size << 13) + (size < 0x7c00 ? 0x38000000 : 0x70000000);\n  u.i |= sign;\n  "
        "return u.f;\n}\n");
  });
  if (lanes == 1) return scalar;
  const std::string h = u.vector(DType::Float16, lanes), f = u.vector(DType::Float32, lanes);
  const std::string name = f + "_of_half";
  return u.helper(name, [&] {
    return fmt::format(
        "FN {0} {1}({2} h) {{\n#if defined(__F16C__) && defined(__clang__) && __clang_major__ >= "
        "15\n"
        "  typedef _Float16 half_vector __attribute__((vector_size({3})));\n"
        "  return __builtin_convertvector((half_vector)h, {0});\n#else\n  {0} r;\n"
        "  for (int k = 0; k < {4}; ++k) r[k] = {5}(h[k]);\n  return r;\n#endif\n}}\n",
        f, name, h, 2 * lanes, lanes, scalar);
  });
}

// Nearest even: normal values add half of the last kept place with its parity; subnormal ones let
// the float adder round.
std::string float_to_half(CUnit& u, int lanes) {
  const std::string scalar = u.helper("half_of_f32", [] {
    return std::string(
        "FN u16 half_of_f32(f32 x) {\n  union {\n    f32 f;\n    u32 i;\n  } u = {x};\n"
        "  u32 sign = u.i >> 16 & 0x8000, size = u.i & 0x7fffffff, r;\n  u.i = size;\n"
        "  if (size > 0x7f800000) return 0x7e00;\n  if (size >= 0x47800000) r = 0x7c00;\n"
        "  else if (size < 0x38800000) {\n    u.f += 0.5f;\n    r = u.i - 0x3f000000;\n"
        "  } else r = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;\n  return (u16)(sign | "
        "r);\n}\n");
  });
  if (lanes == 1) return scalar;
  const std::string h = u.vector(DType::Float16, lanes), f = u.vector(DType::Float32, lanes);
  const std::string name = "half_of_" + f;
  return u.helper(name, [&] {
    return fmt::format(
        "FN {0} {1}({2} x) {{\n#if defined(__F16C__) && defined(__clang__) && __clang_major__ >= "
        "15\n"
        "  typedef _Float16 half_vector __attribute__((vector_size({3})));\n"
        "  return ({0})__builtin_convertvector(x, half_vector);\n#else\n  {0} r;\n"
        "  for (int k = 0; k < {4}; ++k) r[k] = {5}(x[k]);\n  return r;\n#endif\n}}\n",
        h, name, f, 2 * lanes, lanes, scalar);
  });
}

std::string vreduce(CUnit& u, ReduceOp op, DType t, int lanes, bool is_mask) {
  const std::string_view word = op == ReduceOp::Add   ? "sum"
                                : op == ReduceOp::Mul ? "product"
                                                      : "maximum";
  const std::string v = u.vector(t, lanes),
                    name = fmt::format("{}_{}{}", word, is_mask ? "mask_" : "", v);
  auto combine = [&](int n, const std::string& a, const std::string& b) {
    if (is_mask) return a + (op == ReduceOp::Mul ? " & " : " | ") + b;
    if (op == ReduceOp::Max) return fmt::format("{}({}, {})", max(u, t, n, false), a, b);
    return a + (op == ReduceOp::Add ? " + " : " * ") + b;
  };
  return u.helper(name, [&] {
    std::string out = fmt::format("FN {} {}({} v{}) {{\n", c_scalar(t), name, v, lanes);
    for (int n = lanes / 2; n >= 2; n /= 2) {
      auto half = [&](int from) {
        return fmt::format("__builtin_shufflevector(v{0}, v{0}, {1})", 2 * n,
                           repeat(n, [&](int i) { return std::to_string(from + i); }));
      };
      out += fmt::format("  {} v{} = {};\n", u.vector(t, n), n, combine(n, half(0), half(n)));
    }
    return out + fmt::format("  return ({})({});\n}}\n", c_scalar(t), combine(1, "v2[0]", "v2[1]"));
  });
}

}  // namespace tg::helpers
