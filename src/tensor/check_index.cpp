// See check_index.h.
#include "tensor/check_index.h"

#include <algorithm>

#include "engine/recorder.h"
#include "support/options.h"
#include "tensor/ops.h"
#include "tensor/symbolic.h"

namespace tg::ops_detail {
namespace {

// The place of element `flat` of an array.
Shape place_of(int64_t flat, std::span<const Dim> shape) {
  Shape out(shape.begin(), shape.end());
  for (size_t a = shape.size(); a-- > 0;) {
    out[a] = flat % shape[a];
    flat /= shape[a];
  }
  return out;
}

}  // namespace

void check_index(std::string_view fn, std::string_view what, const UOp& index, Dim low, Dim high) {
  if (!options().check_index || Recorder::current() != nullptr || !has_plain_sizes(index)) return;
  const std::vector<int64_t> values = wrap(cast(index, DType::Int64)).to_vector<int64_t>();
  const auto outside =
      std::ranges::find_if(values, [&](int64_t i) { return i < low || i >= high; });
  if (outside == values.end()) return;
  user_error<IndexError>(
      fn,
      fmt::format("{} {} at {} is outside [{}, {}]", what, *outside,
                  text(place_of(outside - values.begin(), index.shape())), low, high - 1),
      "Hint: without CHECK_INDEX it reads 0, or is left out of what is written.");
}

}  // namespace tg::ops_detail
