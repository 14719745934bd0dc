// See llvm_ops.h: arithmetic, comparisons, bits. Scalars and vectors are written alike.
#include "renderer/llvm_ops.h"
#include "support/check.h"

namespace tg {
namespace {

struct LlvmSpelling {
  LlvmBlock& b;
  Op op;
  DType dtype;  // of the result
  std::span<const LlvmValue> src;
  bool is_plain;

  const LlvmValue& x() const { return src[0]; }
  const LlvmValue& y() const { return src[1]; }
  bool real() const { return is_float(x().dtype); }
  std::string_view sign() const { return is_unsigned(x().dtype) ? "u" : "s"; }
  LlvmValue same(int64_t v) const { return llvm_int(v, x().dtype, x().lanes); }

  // LLVM fuses nothing by itself: see codegen/decompose/fuse_products.h.
  LlvmValue sum() const {
    if (is_bool(dtype)) return b.binary("or", x(), y());
    LlvmValue v = b.binary(real() ? "fadd" : "add", x(), y());
    v.known = x().known.plus(y().known);
    return v;
  }
  LlvmValue product() const {
    if (is_bool(dtype)) return b.binary("and", x(), y());
    if (y().constant && *y().constant == Scalar::of_int(-1, dtype)) {
      if (real()) return b.make(dtype, x().lanes, "fneg {}", typed(x()));
      return b.binary("sub", same(0), x());
    }
    LlvmValue v = b.binary(real() ? "fmul" : "mul", x(), y());
    if (y().constant && x().known) v.known = x().known.times(y().constant->i64());
    return v;
  }
  LlvmValue fma() const {
    if (!real()) return b.binary("add", b.binary("mul", x(), y()), src[2]);
    // fmuladd leaves LLVM the choice, and it would round the product of what it knows by itself.
    const bool once = b.machine().has_fma && (dtype == DType::Float32 || dtype == DType::Float64);
    return b.call((once ? "llvm.fma." : "llvm.fmuladd.") + llvm_suffix(dtype, x().lanes), dtype,
                  x().lanes, {x(), y(), src[2]});
  }

  // NaN if either is NaN; where one operand cannot be, one comparison does.
  LlvmValue maximum() const {
    if (is_bool(dtype)) return b.binary("or", x(), y());
    if (!real()) return b.select(b.compare(fmt::format("icmp {}lt", sign()), x(), y()), y(), x());
    if (y().is_number()) return b.select(b.compare("fcmp olt", x(), y()), y(), x());
    if (x().is_number()) return b.select(b.compare("fcmp olt", y(), x()), x(), y());
    // The first selection is one instruction of processors, and leaves a NaN of x alone. Without
    // the fence LLVM would join both selections, for which there is none.
    const LlvmValue greater = llvm_fence(b, b.select(b.compare("fcmp olt", x(), y()), y(), x()));
    return b.select(b.compare("fcmp uno", y(), y()), y(), greater);
  }

  LlvmValue less() const {
    if (real()) return b.compare("fcmp olt", x(), y());
    // Of bools: not x and y, for a true i1 is −1 as a signed number.
    return b.compare(is_bool(x().dtype) ? "icmp ult" : fmt::format("icmp {}lt", sign()), x(), y());
  }

  // By the width or more: 0, or the sign. Amounts are unsigned.
  LlvmValue shift() const {
    if (is_bool(dtype)) {
      if (op == Op::Shl) return x();
      return b.compare("icmp ult", y(), x());  // x and not y
    }
    const bool left = op == Op::Shl, arithmetic = !left && !is_unsigned(dtype);
    const std::string_view name = left ? "shl" : arithmetic ? "ashr" : "lshr";
    const int64_t bits = 8 * llvm_bytes(dtype);
    const bool inside = y().constant && y().constant->i64() >= 0 && y().constant->i64() < bits;
    if (inside || is_plain) return b.binary(name, x(), y());
    const LlvmValue fits = b.compare("icmp ult", y(), same(bits));
    const LlvmValue by = b.select(fits, y(), same(bits - 1));
    const LlvmValue shifted = b.binary(name, x(), by);
    return arithmetic ? shifted : b.select(fits, shifted, same(0));
  }

  // Towards minus infinity; 0 for a zero divisor, and the most negative number by −1 is itself.
  LlvmValue divide() const {
    const bool quotient = op == Op::IDiv;
    if (is_bool(dtype)) {
      if (quotient) return b.binary("and", x(), y());
      return llvm_int(0, dtype, x().lanes);
    }
    if (is_plain) return b.binary(quotient ? "udiv" : "urem", x(), y());
    const bool positive =
        y().constant && (is_unsigned(dtype) ? y().constant->u64() != 0 : y().constant->i64() > 0);
    const LlvmValue divisor = positive ? y() : safe_divisor();
    const LlvmValue result = is_unsigned(dtype) ? b.binary(quotient ? "udiv" : "urem", x(), divisor)
                                                : floored(divisor, quotient);
    if (positive) return result;
    return b.select(b.compare("icmp eq", y(), same(0)), same(0),
                    is_unsigned(dtype) ? result : by_minus_one(result, quotient));
  }
  LlvmValue safe_divisor() const {
    const LlvmValue zero = b.compare("icmp eq", y(), same(0));
    if (is_unsigned(dtype)) return b.select(zero, same(1), y());
    const LlvmValue minus = b.compare("icmp eq", y(), same(-1));
    return b.select(b.binary("or", zero, minus), same(1), y());
  }
  LlvmValue by_minus_one(const LlvmValue& otherwise, bool quotient) const {
    const LlvmValue minus = b.compare("icmp eq", y(), same(-1));
    return b.select(minus, quotient ? b.binary("sub", same(0), x()) : same(0), otherwise);
  }
  LlvmValue floored(const LlvmValue& divisor, bool quotient) const {
    const LlvmValue rest = b.binary("srem", x(), divisor);
    const LlvmValue some = b.compare("icmp ne", rest, same(0));
    const LlvmValue signs = b.compare("icmp slt", b.binary("xor", rest, divisor), same(0));
    const LlvmValue correct = b.binary("and", some, signs);
    if (!quotient) return b.binary("add", rest, b.select(correct, divisor, same(0)));
    return b.binary("add", b.binary("sdiv", x(), divisor), b.convert("sext", correct, dtype));
  }

  static bool computes(DType t) {
    return !is_float(t) || t == DType::Float32 || t == DType::Float64;
  }

  LlvmValue spell() const {
    const bool moves = op == Op::Where || op == Op::Cast || op == Op::Bitcast;
    TG_CHECK(moves || computes(x().dtype), "{} of {} cannot be written in LLVM IR", op_name(op),
             dtype_name(x().dtype));
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
        return b.compare(real() ? "fcmp une" : "icmp ne", x(), y());
      case Op::Xor:
        return b.binary("xor", x(), y());
      case Op::And:
        return b.binary("and", x(), y());
      case Op::Or:
        return b.binary("or", x(), y());
      case Op::Shl:
      case Op::Shr:
        return shift();
      case Op::IDiv:
      case Op::Mod:
        return divide();
      case Op::FDiv:
        return b.binary("fdiv", x(), y());
      case Op::Sqrt:
        return b.call("llvm.sqrt." + llvm_suffix(dtype, x().lanes), dtype, x().lanes, {x()});
      case Op::Trunc:
        return llvm_trunc(b, x());
      case Op::Where:
        return b.select(x(), src[1], src[2]);
      case Op::Cast:
        return llvm_cast(b, x(), dtype);
      case Op::Bitcast:
        return llvm_bitcast(b, x(), dtype);
      default:
        break;
    }
    TG_CHECK(false, "{} cannot be written in LLVM IR: it must be decomposed", op_name(op));
    return {};
  }
};

}  // namespace

LlvmValue llvm_elementwise(LlvmBlock& b, Op op, DType dtype, std::span<const LlvmValue> src,
                           bool is_plain) {
  return LlvmSpelling{b, op, dtype, src, is_plain}.spell();
}

}  // namespace tg
