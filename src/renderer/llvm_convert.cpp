// See llvm_ops.h: conversions between types, and rounding, where processors differ most. Half is
// converted, and trunc computed, by integer arithmetic where there is no instruction, because LLVM
// would call a library.
#include <array>

#include "renderer/llvm_ops.h"
#include "support/check.h"

namespace tg {
namespace {

bool llvm_computes(DType t) { return !is_float(t) || t == DType::Float32 || t == DType::Float64; }

LlvmValue number(double v, const LlvmValue& like) {
  return llvm_constant(Scalar::of_double(v, like.dtype), like.lanes);
}

LlvmValue from_bool(LlvmBlock& b, const LlvmValue& v, DType to) {
  if (!is_float(to)) return b.convert("zext", v, to);
  return b.select(v, llvm_constant(Scalar::of_int(1, to), v.lanes), llvm_int(0, to, v.lanes));
}

// Through saturated 64-bit integers, NaN giving 0; then the value wraps.
LlvmValue saturated(LlvmBlock& b, const LlvmValue& v, DType to) {
  const bool to_unsigned = is_unsigned(to);
  const DType wide = to_unsigned ? DType::UInt64 : DType::Int64;
  const std::string types =
      fmt::format("{}.{}", llvm_suffix(wide, v.lanes), llvm_suffix(v.dtype, v.lanes));
  LlvmValue out = b.call("llvm.fptosi.sat." + types, wide, v.lanes, {v});
  if (to_unsigned) {
    const LlvmValue large = b.call("llvm.fptoui.sat." + types, wide, v.lanes, {v});
    out = b.select(b.compare("fcmp olt", v, number(0, v)), out, large);
  }
  return llvm_bytes(to) == 8 ? out : b.convert("trunc", out, to);
}

LlvmValue renamed(LlvmValue v, DType to) {
  v.dtype = to;
  v.constant.reset();
  return v;
}

// If all lanes are inside int32, as nearly always, there is an instruction for all of them.
LlvmValue lanes_to_int(LlvmBlock& b, const LlvmValue& v, DType to) {
  constexpr double kLimit = 2147483648.0;
  const LlvmValue inside = b.binary("and", b.compare("fcmp ogt", v, number(-kLimit, v)),
                                    b.compare("fcmp olt", v, number(kLimit, v)));
  const auto at_once = [&] {
    const LlvmValue a = b.convert("fptosi", v, DType::Int32);
    return llvm_bytes(to) < 4 ? b.convert("trunc", a, to) : renamed(a, to);
  };
  return llvm_if_all_lanes(b, inside, at_once, [&] { return saturated(b, v, to); });
}

LlvmValue half_to_float(LlvmBlock& b, const LlvmValue& v) {
  const int lanes = v.lanes;
  if (b.machine().has_half_casts) {
    // Behind a bare fpext LLVM would move a comparison with the selection by it, and make minima of
    // half numbers: it takes vectors apart for those, and calls fminf for one number. So one is
    // widened by an intrinsic, and vectors behind a fence, which costs nothing.
    if (lanes == 1) return b.call("llvm.convert.from.fp16.f32", DType::Float32, 1, {v});
    const std::string half =
        b.make(DType::Float16, lanes, "bitcast {} to {}", typed(v), llvm_type("half", lanes)).text;
    const LlvmValue wide = b.make(DType::Float32, lanes, "fpext {} {} to {}",
                                  llvm_type("half", lanes), half, llvm_type(DType::Float32, lanes));
    return llvm_fence(b, wide);
  }
  auto u32 = [&](int64_t x) { return llvm_int(x, DType::UInt32, lanes); };
  const LlvmValue bits = b.convert("zext", v, DType::UInt32);
  const LlvmValue sign = b.binary("shl", b.binary("and", bits, u32(0x8000)), u32(16));
  const LlvmValue size = b.binary("and", bits, u32(0x7fff));
  const LlvmValue counted = b.convert("uitofp", size, DType::Float32);
  const LlvmValue subnormal = b.binary("fmul", counted, number(0x1p-24, counted));
  const LlvmValue bias =
      b.select(b.compare("icmp ult", size, u32(0x7c00)), u32(0x38000000), u32(0x70000000));
  const LlvmValue normal = b.binary("add", b.binary("shl", size, u32(13)), bias);
  const LlvmValue small = llvm_bitcast(b, subnormal, DType::UInt32);
  const LlvmValue value = b.select(b.compare("icmp ult", size, u32(0x400)), small, normal);
  return llvm_bitcast(b, b.binary("or", value, sign), DType::Float32);
}

// Nearest even: normal values add half of the last kept place with its parity; subnormal ones let
// the float adder round.
LlvmValue float_to_half(LlvmBlock& b, const LlvmValue& v) {
  const int lanes = v.lanes;
  if (b.machine().has_half_casts) {
    const std::string half =
        b.make(DType::Float16, lanes, "fptrunc {} to {}", typed(v), llvm_type("half", lanes)).text;
    return b.make(DType::Float16, lanes, "bitcast {} {} to {}", llvm_type("half", lanes), half,
                  llvm_type(DType::Float16, lanes));
  }
  auto u32 = [&](int64_t x) { return llvm_int(x, DType::UInt32, lanes); };
  const LlvmValue bits = llvm_bitcast(b, v, DType::UInt32);
  const LlvmValue sign = b.binary("and", b.binary("lshr", bits, u32(16)), u32(0x8000));
  const LlvmValue size = b.binary("and", bits, u32(0x7fffffff));
  const LlvmValue magnitude = llvm_bitcast(b, size, DType::Float32);
  const LlvmValue shifted = b.binary("fadd", magnitude, number(0.5, magnitude));
  const LlvmValue subnormal =
      b.binary("sub", llvm_bitcast(b, shifted, DType::UInt32), u32(0x3f000000));
  const LlvmValue parity = b.binary("and", b.binary("lshr", size, u32(13)), u32(1));
  const LlvmValue biased = b.binary("add", size, u32(0xfff - 0x38000000));
  const LlvmValue normal = b.binary("lshr", b.binary("add", biased, parity), u32(13));
  LlvmValue r = b.select(b.compare("icmp ult", size, u32(0x38800000)), subnormal, normal);
  r = b.select(b.compare("icmp uge", size, u32(0x47800000)), u32(0x7c00), r);
  r = b.select(b.compare("icmp ugt", size, u32(0x7f800000)), u32(0x7e00), r);
  return b.convert("trunc", b.binary("or", r, sign), DType::Float16);
}

}  // namespace

LlvmValue llvm_cast(LlvmBlock& b, const LlvmValue& v, DType to) {
  const DType from = v.dtype;
  if (from == to) return v;
  if (is_bool(from)) return from_bool(b, v, to);
  if (from == DType::Float16 || to == DType::Float16) {
    TG_CHECK(from == DType::Float32 || to == DType::Float32, "cast of {} to {}", dtype_name(from),
             dtype_name(to));
    return from == DType::Float16 ? half_to_float(b, v) : float_to_half(b, v);
  }
  TG_CHECK(llvm_computes(from) && llvm_computes(to), "cast of {} to {}", dtype_name(from),
           dtype_name(to));
  if (is_bool(to)) {
    const LlvmValue zero = llvm_int(0, from, v.lanes);
    return b.compare(is_float(from) ? "fcmp une" : "icmp ne", v, zero);
  }
  if (is_float(from) && is_float(to))
    return b.convert(llvm_bytes(to) > llvm_bytes(from) ? "fpext" : "fptrunc", v, to);
  if (is_float(from)) {
    return v.lanes > 1 && llvm_bytes(to) <= 4 ? lanes_to_int(b, v, to) : saturated(b, v, to);
  }
  if (is_float(to)) return b.convert(is_unsigned(from) ? "uitofp" : "sitofp", v, to);
  if (llvm_bytes(from) == llvm_bytes(to)) return renamed(v, to);
  if (llvm_bytes(from) > llvm_bytes(to)) return b.convert("trunc", v, to);
  return b.convert(is_unsigned(from) ? "zext" : "sext", v, to);
}

LlvmValue llvm_bitcast(LlvmBlock& b, const LlvmValue& v, DType to) {
  const DType from = v.dtype;
  TG_CHECK(llvm_bytes(from) == llvm_bytes(to), "bitcast of {} to {}", dtype_name(from),
           dtype_name(to));
  if (from == to) return v;
  if (is_bool(from)) return b.convert("zext", v, to);
  if (is_bool(to)) return b.compare("icmp ne", v, llvm_int(0, from, v.lanes));
  if (llvm_scalar(from) == llvm_scalar(to)) return renamed(v, to);
  return b.convert("bitcast", v, to);
}

LlvmValue llvm_fence(LlvmBlock& b, const LlvmValue& v) {
  return b.call("llvm.arithmetic.fence." + llvm_suffix(v.dtype, v.lanes), v.dtype, v.lanes, {v});
}

LlvmValue llvm_trunc(LlvmBlock& b, const LlvmValue& v) {
  const std::string suffix = llvm_suffix(v.dtype, v.lanes);
  if (b.machine().has_rounding) return b.call("llvm.trunc." + suffix, v.dtype, v.lanes, {v});
  // Through an integer, where the value is small enough to have a fraction.
  const bool single = v.dtype == DType::Float32;
  const LlvmValue size = b.call("llvm.fabs." + suffix, v.dtype, v.lanes, {v});
  const LlvmValue has_fraction = b.compare("fcmp olt", size, number(single ? 0x1p23 : 0x1p52, v));
  const LlvmValue whole = b.convert("fptosi", v, single ? DType::Int32 : DType::Int64);
  const LlvmValue back = b.convert("sitofp", whole, v.dtype);
  const LlvmValue with_sign = b.call("llvm.copysign." + suffix, v.dtype, v.lanes, {back, v});
  return b.select(has_fraction, with_sign, v);
}

}  // namespace tg
