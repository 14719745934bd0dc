// See arithmetic.h.
#include "ptx/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "tg/ir/scalar.h"

namespace tg::emulator::ptx {
namespace {

uint64_t low(uint64_t x, int bits) { return bits == 64 ? x : x & ((uint64_t{1} << bits) - 1); }
int64_t extended(uint64_t x, int bits) {
  return static_cast<int64_t>(x << (64 - bits)) >> (64 - bits);
}
float f32(uint64_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x)); }
double f64(uint64_t x) { return std::bit_cast<double>(x); }
double real(uint64_t x, Type t) { return t.bits == 32 ? f32(x) : f64(x); }
uint64_t bits_of(float v) { return std::bit_cast<uint32_t>(v); }
uint64_t bits_of(double v) { return std::bit_cast<uint64_t>(v); }

[[noreturn]] void unknown(const Instruction& i) { throw Wrong("not understood: " + i.text); }

void needs(const Instruction& i, std::string_view part) {
  if (!i.has(part)) throw Wrong(fmt::format("does not say .{}: {}", part, i.text));
}

// ---- floats
template <typename T>
uint64_t floating(const Instruction& i, std::span<const uint64_t> x, T (*value)(uint64_t)) {
  const auto v = [&](size_t k) { return value(x[k]); };
  if (i.name == Name::Neg) return bits_of(-v(0));
  needs(i, "rn");
  switch (i.name) {
    case Name::Add:
      return bits_of(v(0) + v(1));
    case Name::Mul:
      return bits_of(v(0) * v(1));
    case Name::Div:
      return bits_of(v(0) / v(1));
    case Name::Fma:
      return bits_of(std::fma(v(0), v(1), v(2)));
    case Name::Sqrt:
      return bits_of(std::sqrt(v(0)));
    default:
      unknown(i);
  }
}

// ---- integers
uint64_t divided(const Instruction& i, uint64_t a, uint64_t b) {
  const int n = i.type.bits;
  if (low(b, n) == 0) throw Wrong("divides by zero: " + i.text);
  if (i.type.kind == 'u')
    return i.name == Name::Div ? low(a, n) / low(b, n) : low(a, n) % low(b, n);
  const int64_t x = extended(a, n), y = extended(b, n);
  if (y == -1) return i.name == Name::Div ? 0 - static_cast<uint64_t>(x) : 0;
  return static_cast<uint64_t>(i.name == Name::Div ? x / y : x % y);
}

// By at most the width.
uint64_t shifted(const Instruction& i, uint64_t a, uint64_t by) {
  const int n = i.type.bits;
  const auto k = std::min<uint64_t>(low(by, 32), static_cast<uint64_t>(n));
  if (i.name == Name::Shl) return k >= 64 ? 0 : a << k;
  if (i.type.kind == 's') return static_cast<uint64_t>(extended(a, n) >> std::min<uint64_t>(k, 63));
  return k >= 64 ? 0 : low(a, n) >> k;
}

bool less(Type t, uint64_t a, uint64_t b) {
  return t.kind == 's' ? extended(a, t.bits) < extended(b, t.bits)
                       : low(a, t.bits) < low(b, t.bits);
}

uint64_t multiplied(const Instruction& i, std::span<const uint64_t> x) {
  const int n = i.type.bits;
  const uint64_t add = i.name == Name::Mad ? x[2] : 0;
  if (i.has("lo")) return x[0] * x[1] + add;
  if (n != 32) unknown(i);
  const bool is_signed = i.type.kind == 's';
  const auto wide = [&](uint64_t v) {
    return is_signed ? static_cast<uint64_t>(extended(v, 32)) : low(v, 32);
  };
  const uint64_t product = wide(x[0]) * wide(x[1]);
  if (i.has("wide")) return product + add;
  if (!i.has("hi") || is_signed || add != 0) unknown(i);
  return product >> 32;
}

uint64_t integer(const Instruction& i, std::span<const uint64_t> x) {
  switch (i.name) {
    case Name::Add:
      return x[0] + x[1];
    case Name::Sub:
      return x[0] - x[1];
    case Name::Neg:
      return 0 - x[0];
    case Name::Mul:
    case Name::Mad:
      return multiplied(i, x);
    case Name::Div:
    case Name::Rem:
      return divided(i, x[0], x[1]);
    case Name::Min:
      return less(i.type, x[1], x[0]) ? x[1] : x[0];
    case Name::Max:
      return less(i.type, x[0], x[1]) ? x[1] : x[0];
    case Name::Shl:
    case Name::Shr:
      return shifted(i, x[0], x[1]);
    case Name::And:
      return x[0] & x[1];
    case Name::Or:
      return x[0] | x[1];
    case Name::Xor:
      return x[0] ^ x[1];
    case Name::Not:
      return ~x[0];
    case Name::Selp:
      return (x[2] & 1) != 0 ? x[0] : x[1];
    default:
      unknown(i);
  }
}

// ---- comparisons
bool compared(const Instruction& i, uint64_t a, uint64_t b) {
  const std::string& how = i.parts[0];
  if (i.type.kind != 'f') {
    const bool equal = low(a, i.type.bits) == low(b, i.type.bits), is_less = less(i.type, a, b);
    if (how == "lt") return is_less;
    if (how == "ge") return !is_less;
    if (how == "eq") return equal;
    if (how == "ne") return !equal;
    unknown(i);
  }
  const double x = real(a, i.type), y = real(b, i.type);
  if (how == "lt") return x < y;
  if (how == "neu") return !(x == y);
  if (how == "nan") return std::isnan(x) || std::isnan(y);
  unknown(i);
}

uint64_t predicate(const Instruction& i, std::span<const uint64_t> x) {
  const bool holds = compared(i, x[0], x[1]);
  if (i.has("and")) return holds && (x[2] & 1) != 0 ? 1 : 0;
  if (i.has("or")) return holds || (x[2] & 1) != 0 ? 1 : 0;
  return holds ? 1 : 0;
}

// ---- conversions
// Truncated, saturated; NaN is what the manual says for 64 bits, which is no useful number.
uint64_t whole(const Instruction& i, double v) {
  needs(i, "rzi");
  if (i.type.bits != 64) unknown(i);
  if (std::isnan(v)) return uint64_t{1} << 63;
  if (i.type.kind == 's') {
    if (v < -0x1p63) return uint64_t{1} << 63;
    return v < 0x1p63 ? static_cast<uint64_t>(static_cast<int64_t>(v)) : ~uint64_t{0} >> 1;
  }
  if (v <= 0) return 0;
  return v < 0x1p64 ? static_cast<uint64_t>(v) : ~uint64_t{0};
}

// Ten bits behind the first are kept, halves rounded away from zero.
uint64_t tf32(uint64_t x) { return (x + 0x1000) & 0xffffe000; }

uint64_t between_floats(const Instruction& i, uint64_t x) {
  if (i.type.kind == 't') return tf32(x);
  if (i.type == i.from) {
    needs(i, "rzi");
    return i.type.bits == 32 ? bits_of(std::trunc(f32(x))) : bits_of(std::trunc(f64(x)));
  }
  if (i.from.bits == 16)
    return bits_of(static_cast<float>(Scalar::from_memory(low(x, 16), DType::Float16).f64()));
  if (i.type.bits == 64) return bits_of(static_cast<double>(f32(x)));
  needs(i, "rn");
  if (i.type.bits == 16) return Scalar::of_double(f32(x), DType::Float16).to_memory();
  return bits_of(static_cast<float>(f64(x)));
}

uint64_t converted(const Instruction& i, uint64_t x) {
  const Type from = i.from;
  if (from.kind == 'f' && i.type.kind != 's' && i.type.kind != 'u') return between_floats(i, x);
  if (from.kind == 'f') return whole(i, real(x, from));
  const bool is_signed = from.kind == 's';
  if (i.type.kind != 'f') {
    return is_signed ? static_cast<uint64_t>(extended(x, from.bits)) : low(x, from.bits);
  }
  needs(i, "rn");
  const int64_t s = extended(x, from.bits);
  const uint64_t u = low(x, from.bits);
  if (i.type.bits == 32) return bits_of(is_signed ? static_cast<float>(s) : static_cast<float>(u));
  return bits_of(is_signed ? static_cast<double>(s) : static_cast<double>(u));
}

// ---- matrices
// Where an element lies: in register `reg` of work-item `lane`, as its part `half` where two share
// one.
struct Place {
  size_t lane, reg, half;
};

struct Layout {
  Place (*a)(size_t row, size_t k);
  Place (*b)(size_t k, size_t col);
  size_t k;
};

constexpr Layout kHalves16 = {
    [](size_t row, size_t k) { return Place{row % 8 * 4 + k % 8 / 2, row / 8 + k / 8 * 2, k % 2}; },
    [](size_t k, size_t col) { return Place{col * 4 + k % 8 / 2, k / 8, k % 2}; }, 16};
constexpr Layout kHalves8 = {
    [](size_t row, size_t k) { return Place{row % 8 * 4 + k / 2, row / 8, k % 2}; },
    [](size_t k, size_t col) { return Place{col * 4 + k / 2, 0, k % 2}; }, 8};
constexpr Layout kWords8 = {
    [](size_t row, size_t k) { return Place{row % 8 * 4 + k % 4, row / 8 + k / 4 * 2, 0}; },
    [](size_t k, size_t col) { return Place{col * 4 + k % 4, k / 4, 0}; }, 8};

float element(const Instruction& i, uint64_t word, size_t half) {
  const uint64_t bits = low(word >> (16 * half), 16);
  if (i.has("bf16")) return f32(bits << 16);
  if (i.has("f16")) return static_cast<float>(Scalar::from_memory(bits, DType::Float16).f64());
  return f32(word & 0xffffe000);
}

}  // namespace

uint64_t evaluate(const Instruction& i, std::span<const uint64_t> x) {
  const int n = i.has("wide") ? 64 : i.type.bits;
  if (i.name == Name::Setp) return predicate(i, x);
  if (i.name == Name::Cvt) return converted(i, x[0]);
  const bool moves = i.name == Name::Mov || i.name == Name::Cvta;
  if (moves) return low(x[0], n);
  if (i.type.kind == 'f' && i.name != Name::Selp)
    return i.type.bits == 32 ? floating(i, x, f32) : floating(i, x, f64);
  return low(integer(i, x), n);
}

std::vector<uint64_t> multiply(const Instruction& i, std::span<const Fragments> work_items,
                               size_t lane) {
  const Layout& layout = i.has("tf32") ? kWords8 : i.has("m16n8k8") ? kHalves8 : kHalves16;
  if (!i.has("tf32") && !i.has("m16n8k8") && !i.has("m16n8k16")) unknown(i);
  std::vector<uint64_t> out;
  for (size_t r = 0; r < 4; ++r) {
    const size_t row = lane / 4 + r / 2 * 8, col = lane % 4 * 2 + r % 2;
    float sum = f32(work_items[lane].c[r]);
    for (size_t k = 0; k < layout.k; ++k) {
      const Place a = layout.a(row, k), b = layout.b(k, col);
      sum += element(i, work_items[a.lane].a[a.reg], a.half) *
             element(i, work_items[b.lane].b[b.reg], b.half);
    }
    out.push_back(bits_of(sum));
  }
  return out;
}

}  // namespace tg::emulator::ptx
