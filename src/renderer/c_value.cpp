// See c_value.h: literals, grouping, masks and splats. The operations are in c_elementwise.cpp.
#include "renderer/c_value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tg {
namespace {

std::string float_literal(const CDialect& d, double v, DType t) {
  if (std::isnan(v)) return d.nan(t);
  if (std::isinf(v)) return (v < 0 ? "-" : "") + d.infinity(t);
  const bool single = t == DType::Float32;
  std::string text = single ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + (single ? "f" : "");
}

std::string int_literal(const CDialect& d, const Scalar& s) {
  const DType t = s.dtype();
  if (is_bool(t)) return s.truthy() ? "1" : "0";
  if (t == DType::UInt64) return fmt::format("{}{}", s.u64(), d.u64_suffix());
  if (t == DType::UInt32) return fmt::format("{}u", s.u64());
  if (s.i64() == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807 - 1)";
  if (t == DType::Int32 && s.i64() == std::numeric_limits<int32_t>::min())
    return "(-2147483647 - 1)";
  return fmt::format("{}", s.i64());
}

}  // namespace

std::string at_least(const CValue& v, Prec prec) {
  return v.prec < prec ? "(" + v.text + ")" : v.text;
}

CValue c_literal(const CUnit& u, const Scalar& s) {
  const DType t = s.dtype();
  CValue v{.dtype = t, .is_literal = true};
  if (t == DType::Float32 || t == DType::Float64) {
    v.text = float_literal(u.dialect(), s.f64(), t);
    v.is_number = !std::isnan(s.f64());
  } else {
    v.text = is_float(t) ? fmt::format("{:#x}", s.to_memory()) : int_literal(u.dialect(), s);
    v.is_number = true;
  }
  v.prec = v.text[0] == '-' ? Prec::Unary : Prec::Atom;
  return v;
}

namespace {

// Bool `x`, which binds tightly, in every lane of a mask.
CText mask_of_bool(CUnit& u, DType m, int lanes, const std::string& x) {
  return u.dialect().splat(u, m, lanes, fmt::format("-({}){}", u.scalar(m), x));
}

}  // namespace

std::string as_mask(CUnit& u, const CValue& v, int width) {
  if (v.mask == width) return v.text;
  const DType m = c_mask_dtype(width);
  if (!v.uniform.empty()) return mask_of_bool(u, m, v.lanes, v.uniform).text;
  return u.dialect().convert(u.vector(m, v.lanes), v.text);
}

CValue c_splat(CUnit& u, const CValue& v, int lanes, int mask_width) {
  if (lanes == 1) return v;
  const std::string uniform = at_least(v, Prec::Unary);
  const bool is_mask = is_bool(v.dtype);
  CText text = is_mask ? mask_of_bool(u, c_mask_dtype(mask_width), lanes, uniform)
                       : u.dialect().splat(u, v.dtype, lanes, v.text);
  return {.text = std::move(text.text),
          .prec = text.prec,
          .dtype = v.dtype,
          .lanes = lanes,
          .mask = is_mask ? mask_width : 0,
          .uniform = uniform,
          .is_number = v.is_number};
}

}  // namespace tg
