// See ptx_ops.h: arithmetic, comparisons, bits, lane by lane. Every rounding is spelled (".rn"): a
// sum or product that says how it rounds is fused with nothing.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "renderer/ptx_ops.h"
#include "support/check.h"

namespace tg {
namespace {

// One lane of an op.
struct Lane {
  PtxBlock& b;
  Op op;
  DType dtype;  // of the result
  DType from;   // of the first operand
  std::span<const std::string> src;
  const PtxValue& second;  // the second operand, for what is known of it
  bool is_plain;
  const std::string& result;

  const std::string& x() const { return src[0]; }
  const std::string& y() const { return src[1]; }
  bool real() const { return is_float(from); }
  std::string_view type() const { return ptx_type(from); }
  std::string_view bits() const { return ptx_bits(ptx_kind(dtype)); }
  std::string number(int64_t v) const { return ptx_literal(Scalar::of_int(v, from)); }

  // The last instruction, in the type of the operands.
  std::string last(std::string_view name, std::initializer_list<std::string_view> operands) const {
    b.emit(name, result, operands);
    return result;
  }
  // The same for arithmetic that may leave 8 bits.
  std::string wrapped(std::string_view name,
                      std::initializer_list<std::string_view> operands) const {
    if (is_float(dtype) || ptx_bytes(dtype) > 1) return last(name, operands);
    ptx_extend(b, dtype, result, b.temp(name, dtype, operands));
    return result;
  }
  std::string compare(std::string_view how, const std::string& p, const std::string& q) const {
    return b.temp(fmt::format("setp.{}.{}", how, type()), DType::Bool, {p, q});
  }
  std::string select(const std::string& m, std::string_view yes, std::string_view no) const {
    return last(fmt::format("selp.{}", bits()), {yes, no, m});
  }
  std::string bitwise(std::string_view name) const {
    return last(fmt::format("{}.{}", name, bits()), {x(), y()});
  }

  std::string sum() const {
    if (is_bool(dtype)) return bitwise("or");
    return wrapped(fmt::format("{}.{}", real() ? "add.rn" : "add", type()), {x(), y()});
  }
  std::string product() const {
    if (is_bool(dtype)) return bitwise("and");
    if (second.constant && *second.constant == Scalar::of_int(-1, dtype) && !is_unsigned(dtype))
      return wrapped(fmt::format("neg.{}", type()), {x()});
    return wrapped(fmt::format("{}.{}", real() ? "mul.rn" : "mul.lo", type()), {x(), y()});
  }
  std::string fma() const {
    return wrapped(fmt::format("{}.{}", real() ? "fma.rn" : "mad.lo", type()), {x(), y(), src[2]});
  }

  // NaN if either is NaN; of equal numbers the first. max.NaN is of later processors, and orders
  // zeros by their sign.
  std::string maximum() const {
    if (is_bool(dtype)) return bitwise("or");
    if (!real()) return last(fmt::format("max.{}", type()), {x(), y()});
    std::string second_wins = compare("lt", x(), y());
    if (!second.constant || second.constant->f64() != second.constant->f64()) {
      second_wins =
          b.temp(fmt::format("setp.nan.or.{}", type()), DType::Bool, {y(), y(), second_wins});
    }
    return select(second_wins, y(), x());
  }

  std::string less() const {
    if (!is_bool(from)) return last(fmt::format("setp.lt.{}", type()), {x(), y()});
    return last("and.pred", {b.temp("not.pred", DType::Bool, {x()}), y()});
  }
  std::string different() const {
    if (is_bool(from)) return last("xor.pred", {x(), y()});
    return last(fmt::format("{}.{}", real() ? "setp.neu" : "setp.ne", type()), {x(), y()});
  }

  std::string where() const {
    if (!is_bool(dtype)) return select(x(), y(), src[2]);
    const std::string yes = b.temp("and.pred", dtype, {x(), y()});
    const std::string no = b.temp("and.pred", dtype, {b.temp("not.pred", dtype, {x()}), src[2]});
    return last("or.pred", {yes, no});
  }

  // By the width or more: 0, or the sign, which is what the instructions do with amounts of 32
  // bits. Amounts are unsigned.
  std::string shift() const {
    const bool left = op == Op::Shl;
    if (is_bool(dtype)) {
      if (left) return last("mov.pred", {x()});
      return last("and.pred", {x(), b.temp("not.pred", dtype, {y()})});
    }
    const std::string by = amount();
    if (left) return wrapped(fmt::format("shl.{}", bits()), {x(), by});
    return last(fmt::format("shr.{}", type()), {x(), by});
  }
  std::string amount() const {
    const int bytes = ptx_bytes(dtype);
    if (second.constant) {
      const uint64_t by = second.constant->to_memory();
      return fmt::format("{}", std::min<uint64_t>(by, 64));
    }
    if (bytes == 4) return y();
    if (bytes < 4) return b.temp(fmt::format("cvt.u32.{}", type()), DType::UInt32, {y()});
    const std::string near = is_plain ? y() : b.temp("min.u64", DType::UInt64, {y(), "64"});
    return b.temp("cvt.u32.u64", DType::UInt32, {near});
  }

  // Towards minus infinity; 0 for a zero divisor, and the most negative number by −1 is itself.
  std::string divide() const {
    const bool quotient = op == Op::IDiv;
    if (is_bool(dtype)) {
      if (quotient) return bitwise("and");
      return last("mov.pred", {"0"});
    }
    if (const int64_t by = known_divisor();
        by > 0 && std::has_single_bit(static_cast<uint64_t>(by)))
      return divide_by_power(quotient, by);
    if (is_plain || is_unsigned(dtype)) return divide_naturals(quotient);
    const bool positive = known_divisor() > 0;
    const std::string by = positive ? y() : safe_divisor();
    if (positive) return floored(by, quotient, result);
    const std::string rounded = floored(by, quotient, b.fresh("t", dtype));
    const std::string minus = compare("eq", y(), "-1"), zero = compare("eq", y(), "0");
    const std::string negated = quotient ? negative() : "0";
    const std::string chosen =
        b.temp(fmt::format("selp.{}", bits()), dtype, {negated, rounded, minus});
    return select(zero, "0", chosen);
  }
  int64_t known_divisor() const { return second.constant ? second.constant->i64() : 0; }
  // Shifts round towards minus infinity, and the low bits are what is left then.
  std::string divide_by_power(bool quotient, int64_t by) const {
    const std::string low = fmt::format("{}", by - 1);
    if (!quotient) return last(fmt::format("and.{}", bits()), {x(), low});
    const std::string amount = fmt::format("{}", std::countr_zero(static_cast<uint64_t>(by)));
    return last(fmt::format("shr.{}", type()), {x(), amount});
  }
  std::string negative() const {
    const std::string n = b.temp(fmt::format("neg.{}", type()), dtype, {x()});
    if (ptx_bytes(dtype) > 1) return n;
    const std::string out = b.fresh("t", dtype);
    ptx_extend(b, dtype, out, n);
    return out;
  }
  std::string divide_naturals(bool quotient) const {
    const int width = std::max(8 * ptx_bytes(dtype), 16);
    const std::string natural = fmt::format("{}.u{}", quotient ? "div" : "rem", width);
    const bool known = known_divisor() > 0;
    if (known && is_plain && width == 32 && !is_unsigned(dtype))
      return ptx_divide_index(b, result, quotient, x(), second.constant->i64());
    if (known || is_plain) return last(natural, {x(), y()});
    const std::string zero = compare("eq", y(), "0");
    const std::string by = b.temp(fmt::format("selp.{}", bits()), dtype, {"1", y(), zero});
    return select(zero, "0", b.temp(natural, dtype, {x(), by}));
  }
  std::string safe_divisor() const {
    const std::string zero = compare("eq", y(), "0"), minus = compare("eq", y(), "-1");
    const std::string either = b.temp("or.pred", DType::Bool, {zero, minus});
    return b.temp(fmt::format("selp.{}", bits()), dtype, {"1", y(), either});
  }
  std::string floored(const std::string& by, bool quotient, const std::string& to) const {
    const std::string rest = b.temp(fmt::format("rem.{}", type()), dtype, {x(), by});
    const std::string signs =
        compare("lt", b.temp(fmt::format("xor.{}", bits()), dtype, {rest, by}), "0");
    const std::string correct =
        b.temp(fmt::format("setp.ne.and.{}", type()), DType::Bool, {rest, "0", signs});
    const std::string add = fmt::format("add.{}", type()), choose = fmt::format("selp.{}", bits());
    if (quotient) {
      const std::string whole = b.temp(fmt::format("div.{}", type()), dtype, {x(), by});
      b.emit(add, to, {whole, b.temp(choose, dtype, {"-1", "0", correct})});
    } else {
      b.emit(add, to, {rest, b.temp(choose, dtype, {by, "0", correct})});
    }
    return to;
  }

  std::string spell() const {
    switch (op) {
      case Op::Add:
        return sum();
      case Op::Mul:
        return product();
      case Op::Fma:
        return fma();
      case Op::Max:
        return maximum();
      case Op::CmpLt:
        return less();
      case Op::CmpNe:
        return different();
      case Op::Xor:
        return bitwise("xor");
      case Op::And:
        return bitwise("and");
      case Op::Or:
        return bitwise("or");
      case Op::Shl:
      case Op::Shr:
        return shift();
      case Op::IDiv:
      case Op::Mod:
        return divide();
      case Op::FDiv:
        return last(fmt::format("div.rn.{}", type()), {x(), y()});
      case Op::Sqrt:
        return last(fmt::format("sqrt.rn.{}", type()), {x()});
      case Op::Trunc:
        return last(fmt::format("cvt.rzi.{0}.{0}", type()), {x()});
      case Op::Where:
        return where();
      case Op::Cast:
        return ptx_cast(b, result, from, dtype, x());
      case Op::Bitcast:
        return ptx_bitcast(b, result, from, dtype, x());
      default:
        break;
    }
    TG_CHECK(false, "{} cannot be written in PTX: it must be decomposed", op_name(op));
    return {};
  }
};

// Which operands an instruction takes as registers only. Of two literals the first is one.
bool wants_register(Op op, size_t i, const PtxValue& v, std::span<const PtxValue> src) {
  if (is_bool(v.dtype) || src.size() == 1) return true;
  return i == 0 && op != Op::Where && src[1].constant.has_value();
}

}  // namespace

// With magic numbers, because the assembler divides by a constant as by any number: for x < 2³¹,
// ⌊x / d⌋ = ⌊x · m / 2^(31 + l)⌋ with l = ⌈log₂ d⌉ and m = ⌊2^(31 + l) / d⌋ + 1 (Granlund and
// Montgomery, "Division by invariant integers using multiplication").
std::string ptx_divide_index(PtxBlock& b, const std::string& result, bool quotient,
                             const std::string& x, int64_t by) {
  const auto d = static_cast<uint64_t>(by);
  if (quotient && d == 1) return x;
  if (std::has_single_bit(d)) {
    const std::string amount = fmt::format("{}", std::countr_zero(d)),
                      low = fmt::format("{}", d - 1);
    b.emit(quotient ? "shr.u32" : "and.b32", result, {x, quotient ? amount : low});
    return result;
  }
  const int l = std::bit_width(d);
  const std::string magic = fmt::format("{}", (uint64_t{1} << (31 + l)) / d + 1),
                    amount = fmt::format("{}", l - 1);
  const std::string high = b.temp("mul.hi.u32", DType::UInt32, {x, magic});
  if (quotient) {
    b.emit("shr.u32", result, {high, amount});
  } else {
    const std::string whole = b.temp("shr.u32", DType::UInt32, {high, amount});
    b.emit("mad.lo.s32", result, {whole, fmt::format("-{}", by), x});
  }
  return result;
}

PtxValue ptx_elementwise(PtxBlock& b, Op op, DType dtype, std::span<const PtxValue> src,
                         bool is_plain, std::string_view prefix) {
  if (is_bool(dtype)) prefix = "m";
  const bool moves = op == Op::Where || op == Op::Cast || op == Op::Bitcast;
  const DType from = src[0].dtype;
  TG_CHECK(moves || ptx_computes(from), "{} of {} cannot be written in PTX", op_name(op),
           dtype_name(from));
  const int lanes = src[0].count();
  const std::vector<std::string> results = b.fresh_lanes(prefix, dtype, lanes);
  PtxValue out{.dtype = dtype};
  std::vector<std::string> operands(src.size());
  for (size_t k = 0; k < static_cast<size_t>(lanes); ++k) {
    for (size_t i = 0; i < src.size(); ++i) {
      operands[i] = src[i].lanes.at(k);
      if (wants_register(op, i, src[i], src)) operands[i] = b.reg(src[i].dtype, operands[i]);
    }
    const PtxValue& second = src[src.size() > 1 ? 1 : 0];
    out.lanes.push_back(Lane{b, op, dtype, from, operands, second, is_plain, results[k]}.spell());
  }
  if (out.lanes != results) b.give_back(prefix, dtype, results);
  return out;
}

}  // namespace tg
