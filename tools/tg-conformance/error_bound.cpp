// See error_bound.h.
#include "error_bound.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "dtype/convert.h"
#include "support/spacing.h"

namespace tg::conformance {
namespace {

constexpr double kTermsGrain = 1024;  // sums of multiples of its inverse can be exact

// The smallest error that a result near zero has: devices may flush what is smaller than normal.
double smallest(DType t) {
  switch (t) {
    case DType::Float64:
      return std::numeric_limits<double>::min();
    case DType::Float16:
      return 0x1p-24;
    default:
      return std::numeric_limits<float>::min();
  }
}

bool representable(double v, DType t) { return round_to_float(v, t) == v; }

Element with(double v, double error, DType t) { return {Scalar::of_double(v, wide(t)), error, 0}; }

// What an operation makes of the errors of its sources, and of its own rounding: `units` of the
// last place, and `absolute` such units of 1. `whole`: v itself is not rounded, and a device's
// operation rounds correctly.
Element rounded(DType t, double v, double propagated, double units, double absolute, bool whole) {
  if (!(propagated < kUnknown)) return unknown_element(t);
  if (!std::isfinite(v)) return propagated == 0 ? with(v, 0, t) : unknown_element(t);
  if (propagated == 0 && whole && representable(v, t)) return with(v, 0, t);
  const double unit = unit_roundoff(t);
  const double error = propagated + unit * (units * std::abs(v) + absolute) + smallest(t);
  if (!std::isfinite(round_to_float(std::abs(v) + error, t))) return unknown_element(t);
  return with(v, error, t);
}

// Whether results in float64 are what mathematics says.
bool is_whole_sum(double x, double y, double v) {
  const double of_y = v - x, of_x = v - of_y;
  return (x - of_x) + (y - of_y) == 0;
}
bool is_whole_product(double x, double y, double v) { return std::fma(x, y, -v) == 0; }

double product_error(const Element& a, const Element& b) {
  const double x = std::abs(a.number()), y = std::abs(b.number());
  if ((x == 0 && a.exact() && b.error < kUnknown) || (y == 0 && b.exact() && a.error < kUnknown))
    return 0;
  const auto part = [](double size, double error) { return error == 0 ? 0.0 : size * error; };
  return part(x, b.error) + part(y, a.error) + part(a.error, b.error);
}

Element quotient(DType t, const Element& a, const Element& b) {
  const double x = a.number(), y = b.number();
  if (a.exact() && b.exact()) return rounded(t, x / y, 0, 2.5, 0, is_whole_product(x / y, y, x));
  if (std::abs(y) <= b.error || !std::isfinite(x / y)) return unknown_element(t);
  const double propagated = (a.error + std::abs(x / y) * b.error) / (std::abs(y) - b.error);
  return rounded(t, x / y, propagated, 2.5, 0, false);
}

Element square_root(DType t, const Element& a) {
  const double x = a.number(), v = std::sqrt(x);
  if (a.exact()) return rounded(t, v, 0, 2.5, 0, is_whole_product(v, v, x));
  if (!(x - a.error >= 0)) return unknown_element(t);
  return rounded(t, v, std::sqrt(x + a.error) - std::sqrt(x - a.error), 2.5, 0, false);
}

Element power_of_two(DType t, const Element& a) {
  const double v = std::exp2(a.number());
  return rounded(t, v, a.exact() ? 0 : v * (std::exp2(a.error) - 1), 8, 0, false);
}

Element logarithm(DType t, const Element& a) {
  const double x = a.number(), v = std::log2(x);
  if (a.exact() && !std::isfinite(v)) return with(v, 0, t);
  if (!(x - a.error > 0)) return unknown_element(t);
  const double propagated = a.exact() ? 0 : v - std::log2(x - a.error);
  return rounded(t, v, propagated, 8, 8, false);
}

Element truncated(DType t, const Element& a) {
  const double x = a.number();
  if (a.exact() || !std::isfinite(x)) return rounded(t, std::trunc(x), a.error, 0, 0, true);
  const double low = std::trunc(x - a.error), high = std::trunc(x + a.error);
  return with(std::trunc(x), std::max(high - std::trunc(x), std::trunc(x) - low), t);
}

bool same(const Element& a, const Element& b) { return a.origin != 0 && a.origin == b.origin; }

Element larger(DType t, const Element& a, const Element& b) {
  const double x = a.number(), y = b.number();
  if (same(a, b)) return a;
  if (a.exact() && b.exact()) {
    const std::array<Scalar, 2> pair = {a.value, b.value};
    return {record(Op::Max).eval(pair, wide(t), {}), 0, 0};
  }
  if (std::isnan(x) || std::isnan(y)) return unknown_element(t);
  if (x - a.error > y + b.error) return a;
  if (y - b.error > x + a.error) return b;
  const double v = std::max(x, y), high = std::max(x + a.error, y + b.error),
               low = std::max(x - a.error, y - b.error);
  return {x >= y ? a.value : b.value, std::max(high - v, v - low), 0};
}

Element certain(bool v) { return {Scalar::of_int(v ? 1 : 0, DType::Bool), 0, 0}; }
Element uncertain(bool v) { return {Scalar::of_int(v ? 1 : 0, DType::Bool), 1, 0}; }

Element compared(Op op, const Element& a, const Element& b, DType sources) {
  const std::array<Scalar, 2> pair = {a.value, b.value};
  const bool v = record(op).eval(pair, DType::Bool, {}).truthy();
  if (a.exact() && b.exact()) return certain(v);
  // What may be NaN is not equal to itself.
  const bool number = !is_float(sources) || (a.error < kUnknown && !std::isnan(a.number()));
  if (same(a, b)) return number ? certain(false) : uncertain(v);
  const double apart = std::abs(a.number() - b.number());
  return apart > 2 * (a.error + b.error) ? certain(v) : uncertain(v);
}

Element of_bools(Op op, const Element& a, const Element& b) {
  const std::array<Scalar, 2> pair = {a.value, b.value};
  const bool v = record(op).eval(pair, DType::Bool, {}).truthy();
  const auto is = [](const Element& e, bool what) { return e.exact() && e.value.truthy() == what; };
  const bool both = op == Op::And || op == Op::Mul,
             one = op == Op::Or || op == Op::Add || op == Op::Max;
  if (a.exact() && b.exact()) return certain(v);
  if (both && (is(a, false) || is(b, false))) return certain(false);
  if (one && (is(a, true) || is(b, true))) return certain(true);
  return uncertain(v);
}

bool fits(double v, DType t) {
  const double bits = 8.0 * static_cast<double>(dtype_size(t));
  const double high = std::exp2(is_unsigned(t) ? bits : bits - 1);
  return v < high && v >= (is_unsigned(t) ? 0 : -high);
}

Element in_range(Element e, DType t) {
  if (e.exact()) return e;
  const bool inside = fits(e.number() - e.error, t) && fits(e.number() + e.error, t);
  return inside ? e : unknown_element(t);
}

Element of_integers(Op op, DType t, const Element& a, const Element& b) {
  const std::array<Scalar, 2> pair = {a.value, b.value};
  Element out{record(op).eval(pair, t, {}), 0, 0};
  if (a.exact() && b.exact()) return out;
  const double x = a.number(), y = b.number();
  if (op == Op::Add) out.error = a.error + b.error;
  if (op == Op::Mul) out.error = product_error(a, b);
  if (op == Op::Max) return larger(t, a, b);
  if (op == Op::IDiv || op == Op::Mod) {
    if (!b.exact() || y <= 0 || a.error == kUnknown) return unknown_element(t);
    const double low = std::floor((x - a.error) / y), high = std::floor((x + a.error) / y);
    const double here = std::floor(x / y);
    if (op == Op::IDiv) out.error = std::max(high - here, here - low);
    if (op == Op::Mod) out.error = low == high ? a.error : y;
  }
  if (out.error == 0) return unknown_element(t);
  return in_range(out, t);
}

Element to_bool(const Element& a) {
  const bool v = a.value.truthy();
  return a.exact() || std::abs(a.number()) > a.error ? certain(v) : uncertain(v);
}

Element converted(DType to, const Element& a, DType from) {
  if (is_bool(to)) return to_bool(a);
  if (is_float(to)) {
    if (a.error == kUnknown) return unknown_element(to);
    const double v = a.value.cast(DType::Float64).f64();
    const bool whole = is_float(from) || Scalar::of_double(v, from) == a.value;
    return rounded(to, v, a.error, 1, 0, whole);
  }
  if (a.exact()) return {a.value.cast(to), 0, 0};
  if (is_float(from)) {
    const Element whole = truncated(DType::Float64, a);
    if (whole.error == kUnknown) return unknown_element(to);
    return in_range({whole.value.cast(to), whole.error, 0}, to);
  }
  const Element same{a.value.cast(to), a.error, 0};
  return same.number() == a.number() ? in_range(same, to) : unknown_element(to);
}

Element of_floats(Op op, DType t, std::span<const Element> src) {
  const double x = src[0].number();
  switch (op) {
    case Op::Add: {
      const double y = src[1].number(), v = x + y;
      return rounded(t, v, src[0].error + src[1].error, 1, 0, is_whole_sum(x, y, v));
    }
    case Op::Mul: {
      const double v = x * src[1].number();
      // Zero times infinity is left out by some ways to compute a sum.
      if (std::isnan(v) && !std::isnan(x) && !std::isnan(src[1].number()))
        return unknown_element(t);
      return rounded(t, v, product_error(src[0], src[1]), 2, 0,
                     is_whole_product(x, src[1].number(), v));
    }
    case Op::FDiv:
      return quotient(t, src[0], src[1]);
    case Op::Sqrt:
      return square_root(t, src[0]);
    case Op::Exp2:
      return power_of_two(t, src[0]);
    case Op::Log2:
      return logarithm(t, src[0]);
    case Op::Sin:
      return rounded(t, std::sin(x), src[0].error, 8, 8, false);
    case Op::Trunc:
      return truncated(t, src[0]);
    case Op::Max:
      return larger(t, src[0], src[1]);
    default:
      return unknown_element(t);
  }
}

Element computed(Op op, DType t, std::span<const Element> src, std::span<const DType> types,
                 std::span<const int64_t> arg) {
  if (op == Op::Where) {
    if (src[0].exact()) return src[0].value.truthy() ? src[1] : src[2];
    return either(t, src[1], src[2]);
  }
  if (op == Op::CmpLt || op == Op::CmpNe) return compared(op, src[0], src[1], types[0]);
  if (op == Op::Cast) return converted(t, src[0], types[0]);
  const bool exact = std::ranges::all_of(src, [](const Element& e) { return e.exact(); });
  if (op == Op::Bitcast) {
    if (!exact) return unknown_element(t);
    const Scalar narrow =
        is_float(types[0]) ? Scalar::of_double(src[0].number(), types[0]) : src[0].value;
    const Scalar bits = narrow.bitcast(t);
    return {is_float(t) ? Scalar::of_double(bits.f64(), DType::Float64) : bits, 0, 0};
  }
  if (is_float(t)) return of_floats(op, t, src);
  if (src.size() == 2 && is_bool(t) && is_bool(types[0])) return of_bools(op, src[0], src[1]);
  if (src.size() == 2 && is_int(t)) return of_integers(op, t, src[0], src[1]);
  if (!exact) return unknown_element(t);
  std::vector<Scalar> values;
  for (const Element& e : src) values.push_back(e.value);
  return {record(op).eval(values, t, arg), 0, 0};
}

}  // namespace

uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15ull + b + 0x7f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

double unit_roundoff(DType t) { return test::spacing(t) / 2; }

Element exact_element(const Scalar& value) { return {value, 0, mixed(1, value.bits())}; }

Element unknown_element(DType t) { return {Scalar::of_int(0, wide(t)), kUnknown, 0}; }

Element either(DType t, const Element& a, const Element& b) {
  if (same(a, b)) return a;
  if (is_bool(t))
    return a.exact() && b.exact() && a.value == b.value ? a : uncertain(a.value.truthy());
  const double apart = std::abs(a.number() - b.number());
  if (a.exact() && b.exact() && a.value == b.value) return a;
  if (!std::isfinite(apart)) return unknown_element(t);
  return {a.value, std::max(a.error, apart + b.error), 0};
}

Element apply(Op op, DType t, std::span<const Element> src, std::span<const DType> types,
              std::span<const int64_t> arg) {
  Element out = computed(op, t, src, types, arg);
  if (out.exact()) {
    out.origin = mixed(1, out.value.bits());
  } else if (out.origin == 0) {
    uint64_t h = mixed(static_cast<uint64_t>(op) + 100, static_cast<uint64_t>(t));
    for (const Element& e : src) h = mixed(h, e.origin);
    for (const int64_t a : arg) h = mixed(h, static_cast<uint64_t>(a));
    out.origin = h;
  }
  return out;
}

void Sum::add(const Element& e) {
  const double x = e.number();
  if (x == 0 && e.exact()) return;
  sum_ += x;
  sizes_ += std::abs(x) + (e.exact() ? 0 : e.error);
  errors_ += e.error;
  ++terms_;
  whole_ = whole_ && e.exact() && x * kTermsGrain == std::trunc(x * kTermsGrain);
  origin_ = e.origin;
}

Element Sum::result(uint64_t origin) const {
  if (terms_ == 0) return exact_element(Scalar::of_double(0, DType::Float64));
  const bool exact = whole_ && sizes_ * kTermsGrain * 2 * unit_roundoff(in_) < 1;
  Element out;
  if (!std::isfinite(sum_) || !(errors_ < kUnknown)) {
    const bool same = std::isinf(sum_) && errors_ == 0;
    out = same ? with(sum_, 0, dtype_) : unknown_element(dtype_);
  } else if (exact && representable(sum_, dtype_)) {
    out = with(sum_, 0, dtype_);
  } else {
    const double added = static_cast<double>(terms_) * unit_roundoff(in_) * sizes_;
    const double propagated = errors_ + (terms_ > 1 ? added + smallest(in_) : 0);
    out = rounded(dtype_, sum_, propagated, 1, 0, terms_ == 1);
  }
  out.origin = out.exact() ? mixed(1, out.value.bits()) : terms_ == 1 ? origin_ : origin;
  return out;
}

void Factors::add(const Element& e) {
  const double most = std::abs(e.number()) + e.error, least = std::abs(e.number()) - e.error;
  large_ += std::log2(std::max(1.0, most));
  if (e.exact() && e.number() == 0) {
    has_zero_ = true;
  } else {
    small_ += std::log2(std::clamp(least, 0.0, 1.0));
  }
}

bool Factors::may_leave(DType t) const {
  if (large_ == 0) return false;
  const bool grows = std::isinf(Scalar::of_double(std::exp2(large_), t).as_double());
  const bool shrinks = !has_zero_ && std::exp2(small_) < smallest(t);
  return grows || shrinks;
}

}  // namespace tg::conformance
