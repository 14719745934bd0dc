// See c_unit.h.
#include "renderer/c_unit.h"

#include <fmt/format.h>

#include "support/check.h"

namespace tg {
namespace {

constexpr std::string_view kScalars = R"(typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef __INT64_TYPE__ i64;
typedef __UINT64_TYPE__ u64;
typedef float f32;
typedef double f64;
#define FN static inline __attribute__((always_inline, unused))
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
)";

}  // namespace

std::string_view c_scalar(DType t) {
  switch (t) {
    case DType::Void:
      return "void";
    case DType::Bool:
      return "_Bool";
    case DType::Int8:
      return "i8";
    case DType::UInt8:
    case DType::Fp8E4M3:
    case DType::Fp8E5M2:
    case DType::Fp8E4M3Fnuz:
    case DType::Fp8E5M2Fnuz:
      return "u8";
    case DType::Int16:
      return "i16";
    case DType::UInt16:
    case DType::Float16:
    case DType::BFloat16:
      return "u16";
    case DType::Int32:
      return "i32";
    case DType::UInt32:
      return "u32";
    case DType::Index:
    case DType::Int64:
      return "i64";
    case DType::UInt64:
      return "u64";
    case DType::Float32:
      return "f32";
    case DType::Float64:
      return "f64";
  }
  return "void";
}

std::string_view c_storage(DType t) { return is_bool(t) ? "u8" : c_scalar(t); }

int c_bytes(DType t) { return t == DType::Index ? 8 : static_cast<int>(dtype_size(t)); }

DType c_mask_dtype(int bytes) {
  switch (bytes) {
    case 1:
      return DType::Int8;
    case 2:
      return DType::Int16;
    case 4:
      return DType::Int32;
    default:
      return DType::Int64;
  }
}

std::string CUnit::vector(DType t, int lanes, Layout layout) {
  TG_CHECK(lanes > 1 && (lanes & (lanes - 1)) == 0, "vectors have a power of two of lanes, not {}",
           lanes);
  const std::string base = fmt::format("{}x{}", c_storage(t), lanes);
  if (known_.insert(base).second) {
    types_.push_back(fmt::format("typedef {} {} __attribute__((vector_size({})));\n", c_storage(t),
                                 base, lanes * c_bytes(t)));
  }
  if (layout == Layout::Value) return base;
  const bool aligned = layout == Layout::Aligned;
  std::string name = base + (aligned ? "_a" : "_u");
  if (known_.insert(name).second) {
    types_.push_back(fmt::format("typedef {} {} __attribute__((may_alias{}));\n", base, name,
                                 aligned ? "" : ", aligned(1)"));
  }
  return name;
}

std::string CUnit::type(DType t, int lanes) {
  return lanes == 1 ? std::string(c_scalar(t)) : vector(t, lanes);
}

std::string CUnit::helper(std::string name, FunctionRef<std::string()> text) {
  if (known_.insert(name).second) {
    std::string body = text();
    helpers_.push_back(std::move(body));
  }
  return name;
}

std::string CUnit::preamble() const {
  std::string out(kScalars);
  for (const std::string& t : types_) out += t;
  for (const std::string& h : helpers_) out += "\n" + h;
  return out;
}

}  // namespace tg
