// Sliding windows, the common ground of convolutions and pools. A window is EXPAND along a new
// axis, then SHEAR: its index stays o·stride + k·dilation − padding, without divisions, forwards
// and backwards. Padding is the SHEAR's fill.
#include "tensor/ops.h"
#include "tensor/symbolic.h"
#include "tg/ir/interval.h"
#include "uop/limits.h"

namespace tg::ops_detail {
namespace {

constexpr int64_t kMost = int64_t{1} << 31;  // so that products of two can be counted

}  // namespace

std::vector<int64_t> per_axis(std::string_view fn, std::string_view parameter, const PerAxis& given,
                              size_t n, int64_t least) {
  if (given.list.size() != 1 && given.list.size() != n) {
    user_error<ArgumentError>(
        fn, fmt::format("{} needs 1 or {} numbers, got {}", parameter, n, text(given.list)));
  }
  for (int64_t v : given.list) {
    if (v < least) {
      user_error<ArgumentError>(
          fn, fmt::format("{} must be at least {}, got {}", parameter, least, text(given.list)));
    }
    if (v > kMost) {
      user_error<ArgumentError>(
          fn, fmt::format("{} must be at most {}, got {}", parameter, kMost, text(given.list)));
    }
  }
  return given.list.size() == n ? given.list : std::vector<int64_t>(n, given.list[0]);
}

std::vector<int64_t> per_axis_pairs(std::string_view fn, const PerAxis& given, size_t n) {
  if (given.list.size() == 2 * n && n > 0) return per_axis(fn, "padding", given, 2 * n, 0);
  std::vector<int64_t> out;
  for (int64_t p : per_axis(fn, "padding", given, n, 0)) out.insert(out.end(), {p, p});
  return out;
}

namespace {

// Number of windows that start in the padded axis; with ceil_mode also one that hangs over the end,
// if it starts inside the axis or the padding before it.
Dim window_count(std::string_view fn, Dim size, const WindowSpec& s, size_t i) {
  const Dim before = s.pad[2 * i], after = s.pad[2 * i + 1];
  const Dim reach = s.dilation[i] * (s.kernel[i] - 1) + 1;
  const Dim room = saturating_add(saturating_add(size, before), after) - reach;
  if (room < 0) {
    user_error<ShapeError>(
        fn, fmt::format("the window is larger than the padded input: window {} (kernel {}, "
                        "dilation {}) on axis of size {} padded by ({}, {})",
                        reach, s.kernel[i], s.dilation[i], size, before, after));
  }
  Dim n = room / s.stride[i] + 1;
  if (s.ceil_mode && room % s.stride[i] != 0 && n * s.stride[i] < size + before) ++n;
  return n;
}

// Windows that do not overlap are a split of the axis, padded or cut to whole steps.
UOp tiled_axis(const UOp& x, int axis, Dim n, const WindowSpec& s, size_t i, const Scalar& fill) {
  const auto a = static_cast<size_t>(axis);
  const Dim step = s.stride[i], before = s.pad[2 * i];
  std::vector<Dim> around(2 * static_cast<size_t>(x.ndim()));
  around[2 * a] = before;
  around[2 * a + 1] = std::max<Dim>(0, n * step - before - x.dim(axis));
  const UOp steps = shrink_axis(pad(x, around, fill), axis, 0, n * step);
  Shape split = x.shape_vec();
  split[a] = n;
  split.insert(split.begin() + axis + 1, step);
  std::vector<int64_t> order;
  for (int d = 0; d < static_cast<int>(split.size()); ++d) {
    if (d != axis + 1) order.push_back(d);
  }
  order.push_back(axis + 1);
  return permute(shrink_axis(reshape(steps, split), axis + 1, 0, s.kernel[i]), order);
}

// [lead…, size, tail…] with a window axis added at the end: → [lead…, out, tail…, kernel].
UOp window_axis(std::string_view fn, const UOp& x, int axis, const WindowSpec& s, size_t i,
                const Scalar& fill) {
  const Dim n = s.count.empty() ? window_count(fn, x.dim(axis), s, i) : s.count[i],
            step = s.stride[i];
  const bool overlaps = s.dilation[i] * (s.kernel[i] - 1) >= step;
  if (!overlaps && s.dilation[i] == 1 && step > 1) return tiled_axis(x, axis, n, s, i, fill);
  Shape wide = x.shape_vec();
  wide.push_back(1);
  UOp w = reshape(x, wide);
  wide.back() = s.kernel[i];
  w = shear(expand(w, wide), axis, static_cast<int>(wide.size()) - 1, s.dilation[i], -s.pad[2 * i],
            n * step, fill);
  if (step == 1) return w;
  Shape grouped = w.shape_vec();
  grouped[static_cast<size_t>(axis)] = n;
  const Shape result = grouped;
  grouped.insert(grouped.begin() + axis + 1, step);
  std::vector<int64_t> firsts;
  for (size_t a = 0; a < grouped.size(); ++a) {
    firsts.insert(firsts.end(), {0, static_cast<int>(a) == axis + 1 ? 1 : grouped[a]});
  }
  return reshape(shrink(reshape(w, grouped), firsts), result);
}

// How many windows start in an axis of variable size: an expression of it.
SymInt window_count(std::string_view fn, const UOp& x, int axis, const WindowSpec& s, size_t i) {
  const SymInt size = size_from(size_of(x, axis));
  if (s.ceil_mode) {
    user_error<ArgumentError>(
        fn, fmt::format("ceil_mode on axis {} of variable size {}", axis, size.str()),
        "Hint: pad the axis and leave ceil_mode out.");
  }
  const Dim reach = s.dilation[i] * (s.kernel[i] - 1) + 1;
  const SymInt room = size + (s.pad[2 * i] + s.pad[2 * i + 1] - reach);
  if (room.min() < 0) {
    user_error<ShapeError>(
        fn,
        fmt::format("the window may be larger than the padded input: window {} on axis of size "
                    "{}, which is {} or more, padded by ({}, {})",
                    reach, size.str(), size.min(), s.pad[2 * i], s.pad[2 * i + 1]),
        "Hint: give the variable a larger minimum.");
  }
  return room / s.stride[i] + 1;
}

}  // namespace

// What does not exist of an axis is as good as the padding behind it.
UOp windows(std::string_view fn, const UOp& x, const WindowSpec& spec, const Scalar& fill) {
  const int first = x.ndim() - static_cast<int>(spec.kernel.size());
  UOp w = x;
  for (size_t i = 0; i < spec.kernel.size(); ++i) {
    const int axis = first + static_cast<int>(i);
    const bool varies = !size_of(x, axis).is(Op::Const);
    const SymInt count = varies ? window_count(fn, x, axis, spec, i) : SymInt(0);
    w = window_axis(fn, delimited(w, axis, fill), axis, spec, i, fill);
    if (varies) w = limited(w, axis, index_node(count));
  }
  return w;
}

}  // namespace tg::ops_detail
