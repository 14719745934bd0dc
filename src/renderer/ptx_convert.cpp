// See ptx_ops.h: conversions between types. Half is converted by instructions of all processors;
// other small floats are converted by integer arithmetic before they come here.
#include <fmt/format.h>

#include "renderer/ptx_ops.h"
#include "support/check.h"

namespace tg {
namespace {

std::string convert(PtxBlock& b, std::string_view types, const std::string& result,
                    const std::string& x) {
  b.emit(fmt::format("cvt.{}", types), result, {x});
  return result;
}

std::string from_bool(PtxBlock& b, const std::string& result, DType to, const std::string& x) {
  const std::string one = ptx_literal(Scalar::of_int(1, to)),
                    zero = ptx_literal(Scalar::of_int(0, to));
  b.emit(fmt::format("selp.{}", ptx_bits(ptx_kind(to))), result, {one, zero, x});
  return result;
}

// Saturates at 64 bits, NaN giving 0; then the value wraps. The instruction saturates, and gives
// something else for NaN.
std::string from_float(PtxBlock& b, const std::string& result, DType from, DType to,
                       const std::string& x) {
  const std::string_view type = ptx_type(from);
  const DType wide = is_unsigned(to) ? DType::UInt64 : DType::Int64;
  const std::string nan = b.temp(fmt::format("setp.nan.{}", type), DType::Bool, {x, x});
  std::string whole = b.temp(fmt::format("cvt.rzi.s64.{}", type), wide, {x});
  if (is_unsigned(to)) {
    const std::string zero = ptx_literal(Scalar::of_int(0, from));
    const std::string below = b.temp(fmt::format("setp.lt.{}", type), DType::Bool, {x, zero});
    const std::string large = b.temp(fmt::format("cvt.rzi.u64.{}", type), wide, {x});
    whole = b.temp("selp.b64", wide, {whole, large, below});
  }
  if (ptx_bytes(to) == 8) {
    b.emit("selp.b64", result, {"0", whole, nan});
    return result;
  }
  return ptx_cast(b, result, wide, to, b.temp("selp.b64", wide, {"0", whole, nan}));
}

// Numbers of 8 bits are those of 16 that they are extended to.
std::string between_integers(PtxBlock& b, const std::string& result, DType from, DType to,
                             const std::string& x) {
  const int have = ptx_bytes(from), want = ptx_bytes(to);
  if (want == have && want > 1) return x;
  if (want == 1) {
    if (have <= 2) {
      ptx_extend(b, to, result, x);
      return result;
    }
    const std::string low = b.temp(fmt::format("cvt.u16.u{}", 8 * have), to, {x});
    ptx_extend(b, to, result, low);
    return result;
  }
  if (have == 1 && want == 2) return x;
  if (want < have) return convert(b, fmt::format("u{}.u{}", 8 * want, 8 * have), result, x);
  const char sign = is_unsigned(from) ? 'u' : 's';
  return convert(b, fmt::format("{0}{1}.{0}{2}", sign, 8 * want, have == 1 ? 16 : 8 * have), result,
                 x);
}

}  // namespace

void ptx_extend(PtxBlock& b, DType t, std::string_view result, std::string_view x) {
  if (is_unsigned(t)) return b.emit("and.b16", result, {x, "255"});
  b.emit("cvt.s16.s8", result, {x});
}

std::string ptx_cast(PtxBlock& b, const std::string& result, DType from, DType to,
                     const std::string& x) {
  if (from == to) return x;
  if (is_bool(from)) return from_bool(b, result, to, x);
  if (from == DType::Float16 || to == DType::Float16) {
    TG_CHECK(from == DType::Float32 || to == DType::Float32, "cast of {} to {}", dtype_name(from),
             dtype_name(to));
    return convert(b, from == DType::Float16 ? "f32.f16" : "rn.f16.f32", result, x);
  }
  TG_CHECK(ptx_computes(from) && ptx_computes(to), "cast of {} to {}", dtype_name(from),
           dtype_name(to));
  if (is_bool(to)) {
    const std::string zero = ptx_literal(Scalar::of_int(0, from));
    b.emit(fmt::format("{}.{}", is_float(from) ? "setp.neu" : "setp.ne", ptx_type(from)), result,
           {x, zero});
    return result;
  }
  if (is_float(from) && is_float(to))
    return convert(b, to == DType::Float64 ? "f64.f32" : "rn.f32.f64", result, x);
  if (is_float(from)) return from_float(b, result, from, to, x);
  if (is_float(to))
    return convert(b, fmt::format("rn.{}.{}", ptx_type(to), ptx_type(from)), result, x);
  return between_integers(b, result, from, to, x);
}

std::string ptx_bitcast(PtxBlock& b, const std::string& result, DType from, DType to,
                        const std::string& x) {
  TG_CHECK(ptx_bytes(from) == ptx_bytes(to), "bitcast of {} to {}", dtype_name(from),
           dtype_name(to));
  if (from == to) return x;
  if (is_bool(from)) return from_bool(b, result, to, x);
  if (is_bool(to)) {
    b.emit("setp.ne.u16", result, {x, "0"});
    return result;
  }
  // Those of 8 bits that are no signed integers are extended by zeros.
  if (ptx_bytes(from) == 1) {
    if ((from == DType::Int8) == (to == DType::Int8)) return x;
    if (to == DType::Int8) return convert(b, "s16.s8", result, x);
    b.emit("and.b16", result, {x, "255"});
    return result;
  }
  if (ptx_kind(from) == ptx_kind(to)) return x;
  b.emit(fmt::format("mov.b{}", 8 * ptx_bytes(to)), result, {x});
  return result;
}

}  // namespace tg
