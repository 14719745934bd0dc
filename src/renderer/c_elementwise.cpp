// Spelling of elementwise ops: scalars as plain C with the casts that narrow integers need, vectors
// as expressions of vectors, bool vectors as masks of 0 and −1.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/c_helpers.h"
#include "renderer/c_value.h"
#include "support/check.h"

namespace tg {
namespace {

struct CSpelling {
  CUnit& u;
  Op op;
  DType dtype;  // of the result
  std::span<const CValue> src;
  bool is_plain;

  const CValue& a() const { return src[0]; }
  const CValue& b() const { return src[1]; }
  int lanes() const { return src[0].lanes; }
  bool vector() const { return lanes() > 1; }
  DType operand() const { return src[0].dtype; }

  CValue value(std::string text, Prec prec = Prec::Atom) const {
    return {.text = std::move(text), .prec = prec, .dtype = dtype, .lanes = lanes()};
  }
  CValue mask(std::string text, Prec prec, int width) const {
    CValue v = value(std::move(text), prec);
    v.mask = width;
    return v;
  }
  CValue value(const CText& t) const { return value(t.text, t.prec); }
  CValue mask(const CText& t, int width) const { return mask(t.text, t.prec, width); }
  const CDialect& d() const { return u.dialect(); }
  std::string vector_type() const { return u.vector(dtype, lanes()); }
  CValue call(const std::string& fn) const {
    std::string args;
    for (const CValue& s : src) args += (args.empty() ? "" : ", ") + s.text;
    return value(fmt::format("{}({})", fn, args));
  }

  // Vectors meet scalars without a splat, but one side must be a real vector, and narrow integers
  // would be promoted.
  std::string operand_text(size_t i, Prec prec) const {
    const CValue& v = src[i];
    const bool other_is_vector = vector() && src[1 - i].uniform.empty();
    if (!v.uniform.empty() && other_is_vector && u.bytes(v.dtype) >= 4) return v.uniform;
    return at_least(v, prec);
  }

  // Integers narrower than int come back from promotion; vectors do not promote.
  CValue narrowed(std::string text, Prec prec) const {
    if (vector() || is_float(dtype) || u.bytes(dtype) >= 4) return value(std::move(text), prec);
    return value(fmt::format("({})({})", u.scalar(dtype), text), Prec::Unary);
  }

  // Two literals would be computed as int.
  std::string left_text(Prec prec) const {
    if (a().is_literal && b().is_literal && !is_float(dtype))
      return fmt::format("({}){}", u.scalar(dtype), at_least(a(), Prec::Unary));
    return operand_text(0, prec);
  }

  // Whether the sum or product must be told to wrap: a signed one that may overflow, or one of
  // 16-bit numbers, whose product overflows the signed int that C makes of them.
  bool must_wrap() const {
    if (d().signed_wraps() || is_plain || is_float(dtype)) return false;
    return !is_unsigned(dtype) || (op == Op::Mul && !vector() && u.bytes(dtype) == 2);
  }

  CValue sum() const {
    if (must_wrap()) return call(helpers::wrapping(u, op, dtype, lanes()));
    const std::string left = left_text(Prec::Sum);
    const Prec right_prec = is_float(dtype) ? Prec::Product : Prec::Sum;
    const std::string right = operand_text(1, right_prec);
    if (right[0] == '-') return narrowed(fmt::format("{} - {}", left, right.substr(1)), Prec::Sum);
    return narrowed(fmt::format("{} + {}", left, right), Prec::Sum);
  }
  static bool is_minus_one(const CValue& v) {
    const std::string& text = v.is_literal ? v.text : v.uniform;
    constexpr std::array<std::string_view, 5> kSpellings = {"-1", "-1.0f", "-1.0", "4294967295u",
                                                            "18446744073709551615ull"};
    return v.is_number && std::ranges::find(kSpellings, text) != kSpellings.end();
  }
  CValue product() const {
    if (must_wrap()) return call(helpers::wrapping(u, op, dtype, lanes()));
    if (is_minus_one(b())) return narrowed("-" + at_least(a(), Prec::Atom), Prec::Unary);
    const std::string left = left_text(Prec::Product);
    return narrowed(fmt::format("{} * {}", left, operand_text(1, Prec::Unary)), Prec::Product);
  }
  CValue fma() const {
    TG_CHECK(dtype != DType::Bool, "fma of bool");
    if (const std::string fn = is_float(dtype) ? d().fma(u, dtype, lanes()) : ""; !fn.empty())
      return call(fn);
    CSpelling mul{u, Op::Mul, dtype, src.first(2), false};
    const std::array<CValue, 2> terms = {mul.product(), src[2]};
    return CSpelling{u, Op::Add, dtype, terms, false}.sum();
  }

  // Bits: operators of integers, and of masks brought to one width.
  CValue bits(char sign) const {
    if (is_bool(dtype) && vector()) {
      if (sign == '^' && b().is_number && b().uniform == "1") {
        return mask("~" + at_least(a(), Prec::Atom), Prec::Unary, a().mask);
      }
      const int width = a().uniform.empty() ? a().mask : b().mask;
      return mask(fmt::format("{} {} {}", mask_operand(0, width), sign, mask_operand(1, width)),
                  Prec::Loose, width);
    }
    return narrowed(
        fmt::format("{} {} {}", left_text(Prec::Atom), sign, operand_text(1, Prec::Atom)),
        Prec::Loose);
  }
  std::string mask_operand(size_t i, int width) const {
    if (src[i].mask == width) return at_least(src[i], Prec::Atom);
    return as_mask(u, src[i], width);
  }

  CValue compare(std::string_view sign) const {
    if (!is_bool(operand())) {
      const std::string text =
          fmt::format("{} {} {}", operand_text(0, Prec::Sum), sign, operand_text(1, Prec::Sum));
      if (!vector()) return value(text, Prec::Loose);
      const int width = u.bytes(operand());
      return mask(d().mask_of(u.vector(c_mask_dtype(width), lanes()), text), width);
    }
    const bool less = sign == "<";
    if (!vector()) {
      return value(
          less ? fmt::format("!{} & {}", at_least(a(), Prec::Atom), at_least(b(), Prec::Atom))
               : fmt::format("{} != {}", at_least(a(), Prec::Atom), at_least(b(), Prec::Atom)),
          Prec::Loose);
    }
    const int width = a().uniform.empty() ? a().mask : b().mask;
    return mask(fmt::format("{}{} {} {}", less ? "~" : "", mask_operand(0, width), less ? '&' : '^',
                            mask_operand(1, width)),
                Prec::Loose, width);
  }

  CValue where() const {
    if (!vector()) {
      return value(fmt::format("{} ? {} : {}", at_least(src[0], Prec::Atom),
                               at_least(src[1], Prec::Atom), at_least(src[2], Prec::Atom)),
                   Prec::Loose);
    }
    if (is_bool(dtype)) {
      const int width = src[0].mask;
      const DType m = c_mask_dtype(width);
      return mask(d().select(u, m, lanes(), src[0].text, as_mask(u, src[1], width),
                             as_mask(u, src[2], width)),
                  Prec::Atom, width);
    }
    return value(d().select(u, dtype, lanes(), as_mask(u, src[0], u.bytes(dtype)), src[1].text,
                            src[2].text));
  }

  CValue maximum() const {
    if (is_bool(dtype)) return bits('|');
    if (is_float(dtype) && a().is_number && !b().is_number) {
      return value(
          fmt::format("{}({}, {})", helpers::max(u, dtype, lanes(), true), b().text, a().text));
    }
    return call(helpers::max(u, dtype, lanes(), b().is_number));
  }

  CValue divide() const {
    if (is_bool(dtype)) {
      if (op == Op::IDiv) return bits('&');
      const std::array<CValue, 2> same = {a(), a()};
      return CSpelling{u, Op::Xor, dtype, same, false}.bits('^');
    }
    if (!is_plain) return call(helpers::divide(u, op, dtype, lanes()));
    const char sign = op == Op::IDiv ? '/' : '%';
    const std::string left = left_text(Prec::Product);
    return narrowed(fmt::format("{} {} {}", left, sign, operand_text(1, Prec::Unary)),
                    Prec::Product);
  }

  CValue shift() const {
    if (is_bool(dtype)) {
      if (op == Op::Shl) return a();
      const std::array<CValue, 2> reversed = {b(), a()};  // a >> b is a and not b, which is b < a
      return CSpelling{u, Op::CmpLt, dtype, reversed, false}.compare("<");
    }
    const std::string& by = vector() ? b().uniform : b().text;
    const bool literal = b().is_number && (vector() ? !by.empty() : b().is_literal);
    const bool inside = literal && by[0] != '-' && by[0] != '(' &&
                        std::stoull(by) < 8u * static_cast<unsigned>(u.bytes(dtype));
    if (!inside && !is_plain) return call(helpers::shift(u, op, dtype, lanes()));
    const std::string left =
        a().is_literal ? fmt::format("({}){}", u.scalar(dtype), at_least(a(), Prec::Unary))
                       : at_least(a(), Prec::Atom);
    const bool broadcasts = inside && (!vector() || u.bytes(dtype) >= 4);
    const std::string right = broadcasts ? by : at_least(b(), Prec::Atom);
    return narrowed(fmt::format("{} {} {}", left, op == Op::Shl ? "<<" : ">>", right), Prec::Loose);
  }

  CValue cast_from_mask() const {
    const DType as_int = c_mask_dtype(u.bytes(dtype));
    const Scalar one = Scalar::of_int(1, dtype);
    const std::string bits = is_float(dtype) ? fmt::format("{:#x}", one.to_memory()) : "1";
    const std::string m = as_mask(u, a(), u.bytes(dtype));
    const std::string wide = m == a().text ? at_least(a(), Prec::Atom) : m;
    const std::string literal =
        u.bytes(dtype) >= 4 ? bits : d().splat(u, as_int, lanes(), bits).text;
    return value(
        d().reinterpret(vector_type(), {fmt::format("{} & {}", wide, literal), Prec::Loose}));
  }

  CValue cast_to_bool() const {
    if (!vector()) return value(fmt::format("{} != 0", at_least(a(), Prec::Atom)), Prec::Loose);
    const int width = u.bytes(operand());
    const std::string zero = d().list(u.vector(operand(), lanes()), "0");
    return mask(d().mask_of(u.vector(c_mask_dtype(width), lanes()),
                            fmt::format("{} != {}", at_least(a(), Prec::Atom), zero)),
                width);
  }

  CValue cast() const {
    const DType from = operand(), to = dtype;
    if (from == to) return a();
    if (is_bool(from) && vector()) return cast_from_mask();
    if (is_bool(from) && to == DType::Float16)
      return value(fmt::format("{} ? 0x3c00 : 0", at_least(a(), Prec::Atom)), Prec::Loose);
    if (from == DType::Float16 || to == DType::Float16) {
      TG_CHECK(from == DType::Float32 || to == DType::Float32, "cast of {} to {}", dtype_name(from),
               dtype_name(to));
      return call(from == DType::Float16 ? d().half_to_float(u, lanes())
                                         : d().float_to_half(u, lanes()));
    }
    TG_CHECK(c_supports_arithmetic(from) && c_supports_arithmetic(to), "cast of {} to {}",
             dtype_name(from), dtype_name(to));
    if (is_bool(to)) return cast_to_bool();
    if (is_float(from) && !is_float(to)) {
      const std::string fn = helpers::float_to_int(u, from, to, lanes());
      if (vector()) return call(fn);
      return value(fmt::format("({}){}({})", u.scalar(to), fn, a().text), Prec::Unary);
    }
    if (!vector())
      return value(fmt::format("({}){}", u.scalar(to), at_least(a(), Prec::Unary)), Prec::Unary);
    if (!is_float(from) && !is_float(to) && u.bytes(from) == u.bytes(to))
      return value(d().reinterpret(vector_type(), {a().text, a().prec}));
    return value(d().convert(vector_type(), a().text));
  }

  static bool c_supports_arithmetic(DType t) {
    return !is_float(t) || t == DType::Float32 || t == DType::Float64;
  }

  CValue bitcast() const {
    const DType from = operand();
    if (from == dtype) return a();
    if (is_bool(from) || is_bool(dtype)) {
      TG_CHECK(u.bytes(from) == u.bytes(dtype), "bitcast of {} to {}", dtype_name(from),
               dtype_name(dtype));
      return is_bool(from) && vector() ? cast_from_mask()
             : is_bool(from)
                 ? value(fmt::format("({}){}", u.scalar(dtype), at_least(a(), Prec::Unary)),
                         Prec::Unary)
                 : cast_to_bool();
    }
    if (u.scalar(from) == u.scalar(dtype)) return value(a().text, a().prec);
    if (vector()) return value(d().reinterpret(vector_type(), {a().text, a().prec}));
    if (!is_float(from) && !is_float(dtype)) {
      return value(fmt::format("({}){}", u.scalar(dtype), at_least(a(), Prec::Unary)), Prec::Unary);
    }
    return value(d().scalar_bits(u, from, dtype, a().text));
  }

  CValue spell() const {
    const bool moves = op == Op::Where || op == Op::Cast || op == Op::Bitcast;
    TG_CHECK(moves || c_supports_arithmetic(operand()), "{} of {} cannot be written in C",
             op_name(op), dtype_name(operand()));
    switch (op) {
      case Op::Add:
        return is_bool(dtype) ? bits('|') : sum();
      case Op::Mul:
        return is_bool(dtype) ? bits('&') : product();
      case Op::Fma:
        return fma();
      case Op::Max:
        return maximum();
      case Op::CmpLt:
        return compare("<");
      case Op::CmpNe:
        return compare("!=");
      case Op::Xor:
        return bits('^');
      case Op::And:
        return bits('&');
      case Op::Or:
        return bits('|');
      case Op::Shl:
      case Op::Shr:
        return shift();
      case Op::IDiv:
      case Op::Mod:
        return divide();
      case Op::FDiv:
        return value(
            fmt::format("{} / {}", operand_text(0, Prec::Product), operand_text(1, Prec::Unary)),
            Prec::Product);
      case Op::Sqrt:
        return call(d().sqrt(u, dtype, lanes()));
      case Op::Trunc:
        return call(d().trunc(u, dtype, lanes()));
      case Op::Where:
        return where();
      case Op::Cast:
        return cast();
      case Op::Bitcast:
        return bitcast();
      default:
        break;
    }
    TG_CHECK(false, "{} cannot be written in C: it must be decomposed", op_name(op));
    return {};
  }
};

}  // namespace

CValue c_elementwise(CUnit& u, Op op, DType dtype, std::span<const CValue> src, bool is_plain) {
  return CSpelling{u, op, dtype, src, is_plain}.spell();
}

}  // namespace tg
