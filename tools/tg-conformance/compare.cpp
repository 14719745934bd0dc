// See compare.h.
#include "compare.h"

#include <fmt/format.h>

#include <cmath>

namespace tg::conformance {
namespace {

bool agree(double got, double want, const Tolerance& t) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (got == want) return got != 0 || !t.zero_signs || std::signbit(got) == std::signbit(want);
  if (std::isinf(got) || std::isinf(want)) return false;
  return std::abs(got - want) <= t.absolute + t.relative * std::abs(want);
}

}  // namespace

std::string difference(const std::vector<double>& got, const std::vector<double>& want,
                       const Tolerance& t) {
  if (got.size() != want.size()) return fmt::format("{} elements, not {}", got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (!agree(got[i], want[i], t))
      return fmt::format("element {} is {}, not {}", i, got[i], want[i]);
  }
  return {};
}

// Integers are compared as they are: doubles do not hold all of 64 bits.
std::string difference(const TensorValue& got, const TensorValue& want, const Tolerance& t) {
  if (got.shape != want.shape || got.dtype != want.dtype)
    return fmt::format("{} elements of {}, not {} of {}", got.numel(), dtype_name(got.dtype),
                       want.numel(), dtype_name(want.dtype));
  if (is_float(want.dtype)) return difference(got.doubles(), want.doubles(), t);
  for (int64_t i = 0; i < got.numel(); ++i) {
    if (got.at(i) != want.at(i))
      return fmt::format("element {} is {}, not {}", i, got.at(i).str(), want.at(i).str());
  }
  return {};
}

}  // namespace tg::conformance
