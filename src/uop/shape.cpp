// Text and products of extents; see shape.h.
#include "uop/shape.h"

#include "support/check.h"
#include "tg/ir/uop.h"

namespace tg {

std::string format_shape(std::span<const Dim> shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

Dim numel(std::span<const Dim> shape) {
  constexpr Dim kLimit = Dim{1} << 62;
  Dim n = 1;
  for (Dim d : shape) {
    if (d < 0)
      user_error<ShapeError>("shape",
                             fmt::format("sizes must not be negative: {}", format_shape(shape)));
    n = saturating_mul(n, d);
  }
  if (n >= kLimit) {
    user_error<ShapeError>("shape", fmt::format("too many elements: {}", format_shape(shape)),
                           "Hint: at most 2^62 elements can be addressed.");
  }
  return n;
}

std::vector<Dim> strides_of(std::span<const Dim> shape) {
  std::vector<Dim> s(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) s[i - 1] = s[i] * shape[i];
  return s;
}

int64_t extent_of(const UOp& range) { return range.src(0).arg(0); }

}  // namespace tg
