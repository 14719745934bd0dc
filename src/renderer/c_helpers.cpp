// See c_helpers.h. The texts favour forms that compilers turn into one instruction.
#include "renderer/c_helpers.h"

#include <fmt/format.h>

#include "support/check.h"

namespace tg::helpers {
namespace {

std::string mask_type(CUnit& u, DType t, int lanes) {
  return u.vector(c_mask_dtype(u.bytes(t)), lanes);
}

// A vector helper that applies the scalar one to every lane.
std::string by_lane(CUnit& u, const std::string& name, const std::string& scalar, DType t,
                    int lanes) {
  const std::string v = u.vector(t, lanes);
  return u.helper(name, [&] {
    const std::string body =
        u.dialect().return_lanes(v, lanes, [&](const std::string& k) -> std::string {
          return fmt::format("{0}(a{1}, b{1})", scalar, k);
        });
    return fmt::format("FN {0} {1}({0} a, {0} b) {{\n{2}}}\n", v, name, body);
  });
}

DType unsigned_of(DType t) {
  switch (c_bytes(t)) {
    case 1:
      return DType::UInt8;
    case 2:
      return DType::UInt16;
    case 4:
      return DType::UInt32;
    default:
      return DType::UInt64;
  }
}

// Integers that C does not promote to a signed type.
DType unpromoted(DType t) { return c_bytes(t) < 4 ? DType::UInt32 : unsigned_of(t); }

// A loop over n/2, n/4, … 2 lanes: "a + b" of the two halves.
std::string halvings(CUnit& u, DType t, int lanes,
                     FunctionRef<std::string(int, const std::string&, const std::string&)> join) {
  std::string out;
  for (int n = lanes / 2; n >= 2; n /= 2) {
    auto half = [&](int from) {
      std::vector<int64_t> moved;
      for (int i = 0; i < n; ++i) moved.push_back(from + i);
      const std::string v = fmt::format("v{}", 2 * n);
      return u.dialect().shuffle(u.vector(t, n), 2 * n, v, v, moved).text;
    };
    out += fmt::format("  {} v{} = {};\n", u.vector(t, n), n, join(n, half(0), half(n)));
  }
  return out;
}

}  // namespace

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
  const std::string m = mask_type(u, t, lanes);
  std::string chosen = u.dialect().mask_of(m, "a < b").text;
  if (nan_aware) {
    const CText nan = u.dialect().mask_of(m, "b != b");
    if (nan.prec == Prec::Loose)
      chosen = fmt::format("({}) | ({})", chosen, nan.text);
    else
      chosen += " | " + nan.text;
  }
  const std::string choice = u.dialect().select(u, t, lanes, chosen, "b", "a");
  return u.helper(name, [&] {
    return fmt::format("FN {0} {1}({0} a, {0} b) {{ return {2}; }}\n", v, name, choice);
  });
}

std::string divide(CUnit& u, Op op, DType t, int lanes) {
  const std::string s(u.scalar(t));
  const bool quotient = op == Op::IDiv;
  const std::string scalar = u.helper((quotient ? "floor_div_" : "floor_mod_") + s, [&] {
    const std::string head =
        fmt::format("FN {0} floor_{1}_{0}({0} a, {0} b) {{\n  if (b == 0) return 0;\n", s,
                    quotient ? "div" : "mod");
    if (is_unsigned(t))
      return head + fmt::format("  return ({})(a {} b);\n}}\n", s, quotient ? "/" : "%");
    const std::string minus_one =
        fmt::format("  if (b == -1) return {};\n",
                    quotient ? fmt::format("({})(0 - ({})a)", s, u.scalar(unsigned_of(t))) : "0");
    const std::string body =
        quotient ? "  return ({0})(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));\n}}\n"
                 : "  {0} r = ({0})(a % b);\n"
                   "  return ({0})(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n}}\n";
    return head + minus_one + fmt::format(fmt::runtime(body), s);
  });
  if (lanes == 1) return scalar;
  return by_lane(u, fmt::format("{}x{}", scalar, lanes), scalar, t, lanes);
}

std::string shift(CUnit& u, Op op, DType t, int lanes) {
  const std::string s(u.scalar(t)), name = (op == Op::Shl ? "shift_left_" : "shift_right_") + s;
  const std::string_view wide = u.scalar(DType::UInt64);
  const int bits = 8 * u.bytes(t);
  const std::string scalar = u.helper(name, [&] {
    const std::string by = fmt::format("({})b > {}", wide, bits - 1);
    if (op == Op::Shl)
      return fmt::format("FN {0} {1}({0} a, {0} b) {{ return {2} ? 0 : ({0})(({3})a << b); }}\n", s,
                         name, by, wide);
    if (is_unsigned(t))
      return fmt::format("FN {0} {1}({0} a, {0} b) {{ return {2} ? 0 : ({0})(a >> b); }}\n", s,
                         name, by);
    return fmt::format("FN {0} {1}({0} a, {0} b) {{ return ({0})(a >> ({2} ? {3} : b)); }}\n", s,
                       name, by, bits - 1);
  });
  if (lanes == 1) return scalar;
  return by_lane(u, fmt::format("{}x{}", name, lanes), scalar, t, lanes);
}

std::string wrapping(CUnit& u, Op op, DType t, int lanes) {
  const std::string v = u.type(t, lanes), name = (op == Op::Add ? "add_" : "mul_") + v;
  const char sign = op == Op::Add ? '+' : '*';
  return u.helper(name, [&] {
    if (lanes == 1) {
      return fmt::format("FN {0} {1}({0} a, {0} b) {{ return ({0})(({2})a {3} ({2})b); }}\n", v,
                         name, u.scalar(unpromoted(t)), sign);
    }
    const std::string wide = u.vector(unsigned_of(t), lanes);
    const CDialect& d = u.dialect();
    const std::string a = d.reinterpret(wide, {"a"}).text, b = d.reinterpret(wide, {"b"}).text;
    const CText sum{fmt::format("{} {} {}", a, sign, b), Prec::Sum};
    return fmt::format("FN {0} {1}({0} a, {0} b) {{ return {2}; }}\n", v, name,
                       d.reinterpret(v, sum).text);
  });
}

namespace {

// Scalar conversion to 64 bits.
std::string float_to_long(CUnit& u, DType from, bool to_unsigned) {
  const std::string_view f = u.scalar(from), i = u.scalar(DType::Int64),
                         n = u.scalar(DType::UInt64);
  const char* suffix = from == DType::Float32 ? "f" : "";
  const std::string to_signed = u.helper(fmt::format("{}_of_{}", i, f), [&] {
    return fmt::format(
        "FN {1} {1}_of_{0}({0} x) {{\n  if (x != x) return 0;\n"
        "  if (x < -0x1p63{3}) return ({1})(({2})1 << 63);\n"
        "  return x < 0x1p63{3} ? ({1})x : ({1})(~({2})0 >> 1);\n}}\n",
        f, i, n, suffix);
  });
  if (!to_unsigned) return to_signed;
  return u.helper(fmt::format("{}_of_{}", n, f), [&] {
    return fmt::format(
        "FN {1} {1}_of_{0}({0} x) {{\n  if (x != x || x < 0) return ({1}){2}(x);\n"
        "  return x < 0x1p64{3} ? ({1})x : ~({1})0;\n}}\n",
        f, n, to_signed, suffix);
  });
}

}  // namespace

std::string float_to_int(CUnit& u, DType from, DType to, int lanes) {
  const std::string scalar = float_to_long(u, from, is_unsigned(to));
  if (lanes == 1) return scalar;
  const std::string a = u.vector(from, lanes), r = u.vector(to, lanes), name = r + "_of_" + a;
  const std::string m = mask_type(u, from, lanes);
  const CDialect& d = u.dialect();
  return u.helper(name, [&] {
    std::string quick;
    if (from == DType::Float32 && to == DType::Int32) {
      const CText above = d.mask_of(m, "x > -0x1p31f"), below = d.mask_of(m, "x < 0x1p31f");
      const bool bare = above.prec == Prec::Loose;
      quick = fmt::format(
          fmt::runtime(bare ? "  {0} inside = ({1}) & ({2});\n" : "  {0} inside = {1} & {2};\n"), m,
          above.text, below.text);
      const std::string all = d.all_set("inside");
      if (all.empty()) {
        quick += fmt::format("  {} all = -1;\n  for (int k = 0; k < {}; ++k) all &= inside[k];\n",
                             u.scalar(DType::Int32), lanes);
      }
      quick += fmt::format("  if ({}) return {};\n", all.empty() ? "all" : all, d.convert(r, "x"));
    }
    const std::string body = d.return_lanes(r, lanes, [&](const std::string& k) -> std::string {
      return fmt::format("({}){}(x{})", u.scalar(to), scalar, k);
    });
    return fmt::format("FN {0} {1}({2} x) {{\n{3}{4}}}\n", r, name, a, quick, body);
  });
}

std::string vreduce(CUnit& u, ReduceOp op, DType t, int lanes, bool is_mask) {
  const std::string_view word = op == ReduceOp::Add   ? "sum"
                                : op == ReduceOp::Mul ? "product"
                                                      : "maximum";
  const std::string v = u.vector(t, lanes),
                    name = fmt::format("{}_{}{}", word, is_mask ? "mask_" : "", v);
  const bool wraps = !is_float(t) && !is_mask && !u.dialect().signed_wraps();
  auto combine = [&](int n, const std::string& a, const std::string& b) -> std::string {
    if (is_mask) return a + (op == ReduceOp::Mul ? " & " : " | ") + b;
    if (op == ReduceOp::Max) return fmt::format("{}({}, {})", max(u, t, n, false), a, b);
    const bool sum = op == ReduceOp::Add;
    if (wraps) return fmt::format("{}({}, {})", wrapping(u, sum ? Op::Add : Op::Mul, t, n), a, b);
    return a + (sum ? " + " : " * ") + b;
  };
  return u.helper(name, [&] {
    const std::string first = "v2" + u.dialect().lane(0), second = "v2" + u.dialect().lane(1);
    const std::string halves = halvings(u, t, lanes, combine);
    return fmt::format("FN {0} {1}({2} v{3}) {{\n{4}  return ({0})({5});\n}}\n", u.scalar(t), name,
                       v, lanes, halves, combine(1, first, second));
  });
}

std::string gather(CUnit& u, Space space, DType t, DType index, int lanes, bool masked) {
  const std::string v = u.vector(t, lanes), i = u.vector(index, lanes);
  const std::string_view where = u.dialect().qualifier(space);
  std::string name = fmt::format("gather_{}{}_{}", masked ? "mask_" : "", v, u.scalar(index));
  for (char c : where) {
    if (c != ' ') name += c;
  }
  return u.helper(name, [&] {
    std::string items;
    for (int k = 0; k < lanes; ++k) {
      const std::string at = u.dialect().lane(k);
      items += k == 0 ? "" : k % 8 == 0 ? ",\n             " : ", ";
      items += masked ? fmt::format("m{0} ? p[i{0}] : 0", at) : fmt::format("p[i{}]", at);
    }
    const std::string mask = masked ? ", " + mask_type(u, t, lanes) + " m" : "";
    return fmt::format("FN {0} {1}(const {2}{3}* p, {4} i{5}) {{\n  return {6};\n}}\n", v, name,
                       where, u.storage(t), i, mask, u.dialect().list(v, items));
  });
}

}  // namespace tg::helpers
