// Scalars as text and back. Floats print with the fewest digits that read back to the same value in
// their own dtype, so float32 0.1 is "0.1" and not the seventeen digits of its double. Independent
// of the locale.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "dtype/convert.h"
#include "support/check.h"
#include "tg/ir/scalar.h"

namespace tg {

namespace {

template <typename T>
std::string shortest(T value) {
  std::array<char, 32> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  TG_CHECK(error == std::errc(), "a number does not fit 32 characters");
  return std::string(buffer.data(), end);
}

double read_double(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The 8- and 16-bit floats have at most five significant digits: take the first count that reads
// back.
std::string shortest_small_float(double value, DType t) {
  for (int digits = 0; digits < 5; ++digits) {
    std::array<char, 32> buffer;
    auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                      std::chars_format::scientific, digits);
    TG_CHECK(error == std::errc(), "a number does not fit 32 characters");
    double read = read_double({buffer.data(), static_cast<size_t>(end - buffer.data())});
    if (round_to_float(read, t) == value) return shortest(read);
  }
  return shortest(value);
}

[[noreturn]] void bad_text(std::string_view text, DType t, std::string_view why) {
  user_error<ArgumentError>("Scalar::parse", fmt::format("\"{}\" {} {}", text, why, dtype_name(t)));
}

template <typename T>
T read_all(std::string_view text, DType t) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size())
    bad_text(text, t, "is out of the range of");
  if (error != std::errc() || end != text.data() + text.size())
    bad_text(text, t, "is not a value of");
  return value;
}

double read_float(std::string_view text, DType t) {
  double value = read_all<double>(text, t);
  double rounded = round_to_float(value, t);
  if (t == DType::Float32) {
    // Through the double one would round twice.
    float direct = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), direct);
    if (error == std::errc()) rounded = direct;
  }
  if (std::isfinite(value) && !std::isfinite(rounded)) bad_text(text, t, "is out of the range of");
  if (std::isinf(value) && !std::isinf(rounded)) bad_text(text, t, "is out of the range of");
  return rounded;
}

bool read_bool(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  bad_text(text, DType::Bool, "is not a value of");
}

}  // namespace

std::string Scalar::str() const {
  if (dtype_ == DType::Void) return "void";
  if (is_bool(dtype_)) return bits_ != 0 ? "true" : "false";
  if (is_unsigned(dtype_)) return shortest(u64());
  if (is_int(dtype_)) return shortest(i64());
  if (std::isnan(f64())) return "nan";
  if (!std::isfinite(f64()) || f64() == 0 || dtype_ == DType::Float64) return shortest(f64());
  if (dtype_ == DType::Float32) return shortest(static_cast<float>(f64()));
  return shortest_small_float(f64(), dtype_);
}

Scalar Scalar::parse(const std::string& text, DType t) {
  if (t == DType::Void) bad_text(text, t, "is not a value of");
  if (is_bool(t)) return of_uint(read_bool(text) ? 1 : 0, t);
  if (is_float(t)) return of_double(read_float(text, t), t);
  if (is_unsigned(t)) {
    uint64_t value = read_all<uint64_t>(text, t);
    Scalar s = of_uint(value, t);
    if (s.u64() != value) bad_text(text, t, "is out of the range of");
    return s;
  }
  int64_t value = read_all<int64_t>(text, t);
  Scalar s = of_int(value, t);
  if (s.i64() != value) bad_text(text, t, "is out of the range of");
  return s;
}

}  // namespace tg
