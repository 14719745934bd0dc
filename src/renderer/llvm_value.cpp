// See llvm_value.h.
#include "renderer/llvm_value.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "renderer/c_unit.h"

namespace tg {
namespace {

// The IR writes floats of both widths as the bits of a double: every value is exact.
std::string literal(const Scalar& s) {
  const DType t = s.dtype();
  if (t == DType::Float32 || t == DType::Float64) {
    const double v = std::isnan(s.f64()) ? std::nan("") : s.f64();
    return fmt::format("0x{:016X}", std::bit_cast<uint64_t>(v));
  }
  if (is_bool(t)) return s.truthy() ? "true" : "false";
  return is_float(t) ? fmt::format("{}", s.to_memory()) : fmt::format("{}", s.i64());
}

}  // namespace

LlvmLanesKnown LlvmLanesKnown::plus(const LlvmLanesKnown& other) const {
  if (steps.size() != other.steps.size()) return {};
  LlvmLanesKnown out = *this;
  out.terms.insert(out.terms.end(), other.terms.begin(), other.terms.end());
  for (size_t k = 0; k < steps.size(); ++k) out.steps[k] += other.steps[k];
  return out;
}

LlvmLanesKnown LlvmLanesKnown::times(int64_t factor) const {
  LlvmLanesKnown out = *this;
  for (Term& t : out.terms) t.factor *= factor;
  for (int64_t& s : out.steps) s *= factor;
  return out;
}

bool LlvmValue::is_number() const {
  return constant && !(is_float(dtype) && std::isnan(constant->f64()));
}

std::string_view llvm_scalar(DType t) {
  if (is_bool(t)) return "i1";
  if (t == DType::Float32) return "float";
  if (t == DType::Float64) return "double";
  switch (c_bytes(t)) {
    case 1:
      return "i8";
    case 2:
      return "i16";
    case 4:
      return "i32";
    default:
      return "i64";
  }
}

std::string_view llvm_storage(DType t) { return is_bool(t) ? "i8" : llvm_scalar(t); }

std::string llvm_type(std::string_view element, int lanes) {
  return lanes == 1 ? std::string(element) : fmt::format("<{} x {}>", lanes, element);
}

bool fills_tile(DType t, int lanes) {
  constexpr int kTileBytes = 1024;
  return lanes > 1 && llvm_bytes(t) * lanes == kTileBytes;
}

std::string llvm_type(DType t, int lanes) {
  return fills_tile(t, lanes) ? "x86_amx" : llvm_type(llvm_scalar(t), lanes);
}

std::string typed(const LlvmValue& v) {
  return fmt::format("{} {}", llvm_type(v.dtype, v.lanes), v.text);
}

LlvmValue llvm_constant(const Scalar& s, int lanes) {
  LlvmValue v{.text = literal(s), .dtype = s.dtype(), .lanes = lanes, .constant = s};
  if (lanes == 1) return v;
  if (s.dtype() == DType::Index) v.known.steps.assign(static_cast<size_t>(lanes), s.i64());
  if (s.to_memory() == 0) {
    v.text = "zeroinitializer";
    return v;
  }
  const std::string item = fmt::format("{} {}", llvm_scalar(s.dtype()), v.text);
  v.text = "<";
  for (int k = 0; k < lanes; ++k) v.text += (k == 0 ? "" : ", ") + item;
  v.text += ">";
  return v;
}

LlvmValue llvm_int(int64_t v, DType t, int lanes) {
  return llvm_constant(Scalar::of_int(v, t), lanes);
}

std::string llvm_lanes(std::string_view type, std::span<const int64_t> values) {
  std::string out = "<";
  for (size_t k = 0; k < values.size(); ++k)
    out += fmt::format("{}{} {}", k == 0 ? "" : ", ", type, values[k]);
  return out + ">";
}

int llvm_bytes(DType t) { return c_bytes(t); }

}  // namespace tg
