// See c_value.h: literals, grouping, masks and splats. The operations are in c_elementwise.cpp.
#include "renderer/c_value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "renderer/c_helpers.h"

namespace tg {
namespace {

std::string float_literal(double v, bool single) {
  const std::string_view f = single ? "f" : "";
  if (std::isnan(v)) return fmt::format("__builtin_nan{}(\"\")", f);
  if (std::isinf(v)) return fmt::format("{}__builtin_inf{}()", v < 0 ? "-" : "", f);
  std::string text = single ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + std::string(f);
}

std::string int_literal(const Scalar& s) {
  const DType t = s.dtype();
  if (is_bool(t)) return s.truthy() ? "1" : "0";
  if (t == DType::UInt64) return fmt::format("{}ull", s.u64());
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

CValue c_literal(const Scalar& s) {
  const DType t = s.dtype();
  CValue v{.dtype = t, .is_literal = true};
  if (t == DType::Float32 || t == DType::Float64) {
    v.text = float_literal(s.f64(), t == DType::Float32);
    v.is_number = !std::isnan(s.f64());
  } else {
    v.text = is_float(t) ? fmt::format("{:#x}", s.to_memory()) : int_literal(s);
    v.is_number = true;
  }
  v.prec = v.text[0] == '-' ? Prec::Unary : Prec::Atom;
  return v;
}

std::string as_mask(CUnit& u, const CValue& v, int width) {
  if (v.mask == width) return v.text;
  const DType m = c_mask_dtype(width);
  if (!v.uniform.empty())
    return fmt::format("{}(-({}){})", helpers::splat(u, m, v.lanes), c_scalar(m), v.uniform);
  return fmt::format("__builtin_convertvector({}, {})", v.text, u.vector(m, v.lanes));
}

CValue c_splat(CUnit& u, const CValue& v, int lanes, int mask_width) {
  if (lanes == 1) return v;
  CValue out{.dtype = v.dtype,
             .lanes = lanes,
             .uniform = at_least(v, Prec::Unary),
             .is_number = v.is_number};
  if (is_bool(v.dtype)) {
    const DType m = c_mask_dtype(mask_width);
    out.text = fmt::format("{}(-({}){})", helpers::splat(u, m, lanes), c_scalar(m), out.uniform);
    out.mask = mask_width;
  } else {
    out.text = fmt::format("{}({})", helpers::splat(u, v.dtype, lanes), v.text);
  }
  return out;
}

}  // namespace tg
