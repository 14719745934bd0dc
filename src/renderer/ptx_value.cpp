// See ptx_value.h.
#include "renderer/ptx_value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "renderer/c_unit.h"

namespace tg {

PtxKind ptx_kind(DType t) {
  if (is_bool(t)) return PtxKind::Pred;
  if (t == DType::Float32) return PtxKind::F32;
  if (t == DType::Float64) return PtxKind::F64;
  const int bytes = c_bytes(t);
  return bytes <= 2 ? PtxKind::B16 : bytes == 4 ? PtxKind::B32 : PtxKind::B64;
}

std::string_view ptx_bits(PtxKind kind) {
  switch (kind) {
    case PtxKind::Pred:
      return "pred";
    case PtxKind::B16:
      return "b16";
    case PtxKind::B32:
      return "b32";
    case PtxKind::B64:
      return "b64";
    case PtxKind::F32:
      return "f32";
    case PtxKind::F64:
      return "f64";
  }
  return "b64";
}

std::string_view ptx_type(DType t) {
  const PtxKind kind = ptx_kind(t);
  if (kind == PtxKind::Pred || is_float(t)) return ptx_bits(kind);
  const bool natural = is_unsigned(t);
  if (kind == PtxKind::B16) return natural ? "u16" : "s16";
  if (kind == PtxKind::B32) return natural ? "u32" : "s32";
  return natural ? "u64" : "s64";
}

std::string_view ptx_memory_type(DType t) {
  if (c_bytes(t) == 1) return t == DType::Int8 ? "s8" : "u8";
  return ptx_bits(ptx_kind(t));
}

int ptx_bytes(DType t) { return c_bytes(t); }

std::string ptx_literal(const Scalar& s) {
  const DType t = s.dtype();
  if (t == DType::Float32) {
    const uint64_t bits = std::isnan(s.f64()) ? 0x7fc00000 : s.to_memory();
    return fmt::format("0f{:08X}", bits);
  }
  if (t == DType::Float64) {
    const uint64_t bits = std::isnan(s.f64()) ? 0x7ff8000000000000 : s.to_memory();
    return fmt::format("0d{:016X}", bits);
  }
  if (is_bool(t)) return s.truthy() ? "1" : "0";
  if (is_float(t)) return fmt::format("{}", s.to_memory());
  // The language's decimal numbers are not negative: the last one cannot be negated.
  if (s.i64() == std::numeric_limits<int64_t>::min() || (is_unsigned(t) && s.i64() < 0))
    return fmt::format("{:#x}", s.to_memory());
  return fmt::format("{}", s.i64());
}

}  // namespace tg
