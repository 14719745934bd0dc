// The table of element types and the promotion lattice. The lattice is written as its covering
// pairs and closed at compile time; a static_assert proves that every two types have one least
// upper bound, so promotion is associative. Bits of the small floats are in convert.cpp, values in
// scalar.cpp.
#include "tg/dtype.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "support/check.h"

namespace tg {

namespace {

enum class Kind : uint8_t { None, Bool, Signed, Unsigned, Float };

struct Info {
  std::string_view name;
  Kind kind;
  int size;
};

// In the order of the enumeration.
constexpr std::array<Info, kNumDTypes> kInfo = {{
    {"void", Kind::None, 0},       {"index", Kind::Signed, 0},      {"bool", Kind::Bool, 1},
    {"int8", Kind::Signed, 1},     {"uint8", Kind::Unsigned, 1},    {"int16", Kind::Signed, 2},
    {"uint16", Kind::Unsigned, 2}, {"int32", Kind::Signed, 4},      {"uint32", Kind::Unsigned, 4},
    {"int64", Kind::Signed, 8},    {"uint64", Kind::Unsigned, 8},   {"fp8e4m3", Kind::Float, 1},
    {"fp8e5m2", Kind::Float, 1},   {"fp8e4m3fnuz", Kind::Float, 1}, {"fp8e5m2fnuz", Kind::Float, 1},
    {"float16", Kind::Float, 2},   {"bfloat16", Kind::Float, 2},    {"float32", Kind::Float, 4},
    {"float64", Kind::Float, 8},
}};
static_assert(static_cast<int>(DType::Float64) == kNumDTypes - 1);

constexpr std::pair<std::string_view, DType> kAliases[] = {
    {"half", DType::Float16}, {"float", DType::Float32}, {"double", DType::Float64},
    {"char", DType::Int8},    {"uchar", DType::UInt8},   {"short", DType::Int16},
    {"int", DType::Int32},    {"ushort", DType::UInt16}, {"uint", DType::UInt32},
    {"long", DType::Int64},   {"ulong", DType::UInt64},
};

constexpr const Info& info(DType t) { return kInfo[static_cast<size_t>(t)]; }

// The lattice.

using Set = uint32_t;  // one bit a dtype

// Each type with the next larger ones. A type comes before everything above it in the enumeration.
constexpr std::pair<DType, DType> kCovers[] = {
    {DType::Bool, DType::Int8},           {DType::Bool, DType::UInt8},
    {DType::Int8, DType::Int16},          {DType::UInt8, DType::Int16},
    {DType::UInt8, DType::UInt16},        {DType::Int16, DType::Int32},
    {DType::UInt16, DType::Int32},        {DType::UInt16, DType::UInt32},
    {DType::Int32, DType::Int64},         {DType::UInt32, DType::Int64},
    {DType::UInt32, DType::UInt64},       {DType::Int64, DType::UInt64},
    {DType::UInt64, DType::Fp8E4M3},      {DType::UInt64, DType::Fp8E5M2},
    {DType::UInt64, DType::Fp8E4M3Fnuz},  {DType::UInt64, DType::Fp8E5M2Fnuz},
    {DType::UInt64, DType::BFloat16},     {DType::Fp8E4M3, DType::Float16},
    {DType::Fp8E5M2, DType::Float16},     {DType::Fp8E4M3Fnuz, DType::Float16},
    {DType::Fp8E5M2Fnuz, DType::Float16}, {DType::Float16, DType::Float32},
    {DType::BFloat16, DType::Float32},    {DType::Float32, DType::Float64},
};

// For each type the set of types at or above it; from the top down, so that one sweep closes the
// relation.
constexpr std::array<Set, kNumDTypes> make_upper_sets() {
  std::array<Set, kNumDTypes> up{};
  for (int i = kNumDTypes - 1; i >= static_cast<int>(DType::Bool); --i) {
    up[i] = Set{1} << i;
    for (auto [lower, upper] : kCovers)
      if (static_cast<int>(lower) == i) up[i] |= up[static_cast<size_t>(upper)];
  }
  return up;
}
constexpr std::array<Set, kNumDTypes> kUpper = make_upper_sets();

constexpr DType least_upper_bound(DType a, DType b) {
  Set common = kUpper[static_cast<size_t>(a)] & kUpper[static_cast<size_t>(b)];
  return static_cast<DType>(std::countr_zero(common));
}

// Every pair has an upper bound that lies below all its other upper bounds.
constexpr bool is_lattice() {
  for (int a = static_cast<int>(DType::Bool); a < kNumDTypes; ++a)
    for (int b = static_cast<int>(DType::Bool); b < kNumDTypes; ++b) {
      DType least = least_upper_bound(static_cast<DType>(a), static_cast<DType>(b));
      if (kUpper[static_cast<size_t>(least)] != (kUpper[a] & kUpper[b])) return false;
    }
  return true;
}
static_assert(is_lattice());

void require_data(std::string_view fn, DType t) {
  if (t == DType::Void || t == DType::Index)
    user_error<DTypeError>(fn,
                           fmt::format("{} holds no data and cannot be promoted", info(t).name));
}

}  // namespace

int64_t dtype_size(DType t) { return info(t).size; }

std::string_view dtype_name(DType t) { return info(t).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (kInfo[i].name == name) return static_cast<DType>(i);
  for (auto [alias, dtype] : kAliases)
    if (alias == name) return dtype;
  return std::nullopt;
}

bool is_float(DType t) { return info(t).kind == Kind::Float; }
bool is_int(DType t) { return info(t).kind == Kind::Signed || info(t).kind == Kind::Unsigned; }
bool is_unsigned(DType t) { return info(t).kind == Kind::Unsigned; }
bool is_bool(DType t) { return t == DType::Bool; }

DType promote(DType a, DType b) {
  require_data("promote", a);
  require_data("promote", b);
  return least_upper_bound(a, b);
}

DType promote_weak(DType tensor, bool scalar_is_float) {
  require_data("promote_weak", tensor);
  if (is_float(tensor)) return tensor;
  if (scalar_is_float) return default_float();
  return is_bool(tensor) ? DType::Int32 : tensor;
}

namespace {

// For all threads, as in PyTorch: a tensor that one thread makes and another uses has one dtype.
std::atomic<DType> the_default_float = DType::Float32;

}  // namespace

DType default_float() { return the_default_float.load(std::memory_order_relaxed); }

DType set_default_float(DType t) {
  if (!is_float(t)) {
    user_error<DTypeError>("set_default_float",
                           fmt::format("needs a float dtype, got {}", dtype_name(t)));
  }
  return the_default_float.exchange(t, std::memory_order_relaxed);
}

DType least_float(DType t) { return is_float(t) ? t : default_float(); }

DType sum_dtype(DType t) {
  if (is_float(t) || t == DType::Void || t == DType::Index) return t;
  return least_upper_bound(t, is_unsigned(t) ? DType::UInt32 : DType::Int32);
}

}  // namespace tg
