// Operators that move elements without computing with them: shapes, joins, pieces, pads. Picking
// by indices: indexing.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

Values shape_op(const Node& n) {
  const Shape shape = n.shape(0);
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t start = n.integer("start", 0), end = n.integer("end", rank);
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, 0, rank);
  if (end < start) end = start;
  return {host_vector({shape.begin() + start, shape.begin() + end})};
}

Values size_op(const Node& n) {
  return {HostArray{DType::Int64, {}, {elements_of(n.shape(0))}, {}}};
}

Values reshape(const Node& n) {
  const Tensor x = n.tensor(0);
  std::vector<int64_t> to;
  if (n.version() >= 5)
    to = n.integers(1);
  else
    to = n.integers("shape").value_or(std::vector<int64_t>{});
  const bool zeros = n.flag("allowzero");
  int64_t known = 1;
  size_t open = to.size();
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !zeros) {
      n.require(i < x.shape().size(), "a size of 0 copies an axis that the input does not have");
      to[i] = x.shape()[i];
    }
    n.require(to[i] >= -1, fmt::format("a size of {}", to[i]));
    if (to[i] == -1) {
      n.require(open == to.size(), "two sizes are open");
      open = i;
    } else {
      n.require(to[i] == 0 || known <= std::numeric_limits<int64_t>::max() / to[i],
                "the sizes are too large");
      known *= to[i];
    }
  }
  if (open < to.size()) {
    n.require(known > 0 ? x.numel() % known == 0 : x.numel() == 0,
              "the sizes do not divide the number of elements");
    to[open] = known > 0 ? x.numel() / known : 0;
  }
  return {x.reshape(to)};
}

Values flatten(const Node& n) {
  const Tensor x = n.tensor(0);
  int64_t axis = n.integer("axis", 1);
  n.require(axis >= -x.ndim() && axis <= x.ndim(), "the axis is outside the tensor");
  if (axis < 0) axis += x.ndim();
  const Shape shape = x.shape();
  return {x.reshape({elements_of({shape.begin(), shape.begin() + axis}),
                     elements_of({shape.begin() + axis, shape.end()})})};
}

Values squeeze(const Node& n) {
  const Tensor x = n.tensor(0);
  const auto axes = axes_of(n, 1);
  Shape out;
  const std::vector<int64_t> dropped = axes ? n.axes(*axes, x.ndim()) : std::vector<int64_t>{};
  for (int64_t i = 0; i < x.ndim(); ++i) {
    const bool drop = axes ? std::ranges::find(dropped, i) != dropped.end() : x.size(i) == 1;
    if (drop) n.require(x.size(i) == 1, fmt::format("axis {} has size {}, not 1", i, x.size(i)));
    if (!drop) out.push_back(x.size(i));
  }
  return {x.reshape(out)};
}

Values unsqueeze(const Node& n) {
  const Tensor x = n.tensor(0);
  const auto given = axes_of(n, 1);
  n.require(given.has_value(), "no axes");
  const int64_t rank = x.ndim() + static_cast<int64_t>(given->size());
  std::vector<int64_t> axes = n.axes(*given, rank);
  std::ranges::sort(axes);
  Shape out = x.shape();
  for (const int64_t a : axes) out.insert(out.begin() + a, 1);
  return {x.reshape(out)};
}

Values transpose(const Node& n) {
  const Tensor x = n.tensor(0);
  std::vector<int64_t> order(static_cast<size_t>(x.ndim()));
  std::iota(order.rbegin(), order.rend(), 0);
  if (const auto perm = n.integers("perm")) order = n.axes(*perm, x.ndim());
  n.require(static_cast<int64_t>(order.size()) == x.ndim(), "perm does not name all axes");
  return {x.permute(order)};
}

Values expand(const Node& n) {
  const Tensor x = n.tensor(0);
  std::vector<int64_t> to = n.integers(1);
  Shape from = x.shape();
  if (to.size() < from.size()) to.insert(to.begin(), from.size() - to.size(), 1);
  from.insert(from.begin(), to.size() - from.size(), 1);
  for (size_t i = 0; i < to.size(); ++i) {
    n.require(to[i] >= 0, "a negative size");
    if (to[i] == 1) to[i] = from[i];
  }
  return {x.reshape(from).expand(to)};
}

Values concat(const Node& n) {
  std::vector<Tensor> parts;
  for (size_t i = 0; i < n.inputs(); ++i) {
    parts.push_back(n.tensor(i));
    n.require(parts[i].dtype() == parts[0].dtype(), "the inputs have different dtypes");
  }
  n.require(!parts.empty(), "no inputs");
  const int64_t axis = n.version() < 4 ? n.integer("axis", 1) : n.required_integer("axis");
  return {Tensor::cat(parts, n.axis(axis, parts[0].ndim()))};
}

Values split(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer("axis", 0), x.ndim());
  std::vector<int64_t> sizes;
  if (n.has(1))
    sizes = n.integers(1);
  else if (const auto given = n.integers("split"))
    sizes = *given;
  const int64_t parts = n.integer("num_outputs", static_cast<int64_t>(n.outputs()));
  n.require(parts > 0 && parts == static_cast<int64_t>(n.outputs()),
            "as many outputs as num_outputs");
  if (sizes.empty()) {
    const int64_t each = (x.size(axis) + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      sizes.push_back(std::clamp<int64_t>(x.size(axis) - i * each, 0, each));
  }
  int64_t total = 0;
  for (const int64_t s : sizes) {
    n.require(s >= 0 && s <= x.size(axis), "a size outside the axis");
    total += s;
  }
  n.require(total == x.size(axis), "the sizes do not add up to the axis");
  const std::vector<Tensor> pieces = x.split(sizes, axis);
  return {pieces.begin(), pieces.end()};
}

struct Cut {
  std::vector<int64_t> starts, ends, axes, steps;
};

Values slice(const Node& n) {
  const Tensor x = n.tensor(0);
  Cut c;
  if (n.version() >= 10) {
    c = {n.integers(1), n.integers(2), n.has(3) ? n.integers(3) : std::vector<int64_t>{},
         n.has(4) ? n.integers(4) : std::vector<int64_t>{}};
  } else {
    c = {n.integers("starts").value_or(std::vector<int64_t>{}),
         n.integers("ends").value_or(std::vector<int64_t>{}),
         n.integers("axes").value_or(std::vector<int64_t>{}),
         {}};
  }
  if (c.axes.empty()) {
    c.axes.resize(c.starts.size());
    std::iota(c.axes.begin(), c.axes.end(), 0);
  }
  if (c.steps.empty()) c.steps.assign(c.starts.size(), 1);
  c.axes = n.axes(c.axes, x.ndim());
  n.require(c.starts.size() == c.ends.size() && c.starts.size() == c.axes.size() &&
                c.starts.size() == c.steps.size(),
            "starts, ends, axes and steps have different lengths");
  std::vector<IndexItem> items(static_cast<size_t>(x.ndim()), IndexItem(Slice()));
  for (size_t i = 0; i < c.axes.size(); ++i) {
    const int64_t size = x.size(c.axes[i]), step = c.steps[i];
    n.require(step != 0, "a step of 0");
    // The largest numbers stand for "to the end"; with a negative step the least stand for "to the
    // beginning", which as a slice is no end at all.
    const int64_t start = std::clamp<int64_t>(c.starts[i], -size - 1, size);
    const int64_t end = std::clamp<int64_t>(c.ends[i], -size - 1, size);
    std::optional<SymInt> stop = end;
    if (step < 0 && end == -size - 1) stop.reset();
    const int64_t bounded = std::clamp<int64_t>(step, -size - 1, size + 1);
    items[static_cast<size_t>(c.axes[i])] = IndexItem(Slice(start, stop, bounded));
  }
  return {x.index(items)};
}

Values tile(const Node& n) {
  const std::vector<int64_t> repeats = n.integers(1);
  n.require(static_cast<int64_t>(repeats.size()) == n.rank(0), "repeats does not name all axes");
  for (const int64_t r : repeats) n.require(r >= 0, "a negative repeat");
  return {n.tensor(0).repeat(repeats)};
}

// A value that is computed takes the places where a padded mask is false.
Tensor padded(const Tensor& x, const std::vector<std::pair<int64_t, int64_t>>& pairs,
              const Tensor& value) {
  const Tensor inside =
      Tensor::full(x.shape(), Tensor(true), {.dtype = DType::Bool, .buffer = false})
          .pad(pairs, Tensor(false));
  return inside.where(x.pad(pairs), value.cast(x.dtype()));
}

Values pad(const Node& n) {
  const Tensor x = n.tensor(0);
  std::vector<int64_t> pads;
  Tensor value(0);
  if (n.version() >= 11) {
    pads = n.integers(1);
    if (n.has(2)) {
      n.require(n.dtype(2) == x.dtype(), "the value has another dtype");
      n.require(n.tensor(2).numel() == 1, "the value is not one number");
      value = n.tensor(2).reshape(Shape{});
    }
  } else {
    pads = (n.has_attribute("pads") ? n.integers("pads") : n.integers("paddings"))
               .value_or(std::vector<int64_t>{});
    value = Tensor(n.real("value", 0));
  }

  std::vector<int64_t> axes(static_cast<size_t>(x.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  if (n.has(3)) axes = n.axes(n.integers(3), x.ndim());
  n.require(pads.size() == 2 * axes.size(), "pads does not have two numbers an axis");
  std::vector<std::pair<int64_t, int64_t>> pairs(static_cast<size_t>(x.ndim()));
  for (size_t i = 0; i < axes.size(); ++i)
    pairs[static_cast<size_t>(axes[i])] = {pads[i], pads[axes.size() + i]};
  const std::string mode = n.text("mode", "constant");
  const bool zero = !n.has(2) || (n.value(2).is_host_only() && n.numbers(2).real(0) == 0);
  if (mode == "constant" && n.version() >= 11 && zero) return {x.pad(pairs)};
  if (mode == "constant") return {padded(x, pairs, value)};
  if (mode == "reflect") return {x.pad(pairs, PadMode::Reflect)};
  if (mode == "edge") return {x.pad(pairs, PadMode::Replicate)};
  if (mode == "wrap") return {x.pad(pairs, PadMode::Circular)};
  n.wrong("unknown mode \"" + mode + "\"");
}

Values depth_to_space(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t b = n.required_integer("blocksize");
  n.require(x.ndim() == 4 && b > 0 && b < 65536 && x.size(1) % (b * b) == 0,
            "channels that are no multiple of blocksize²");
  const int64_t c = x.size(1) / (b * b), h = x.size(2), w = x.size(3);
  const bool crd = n.text("mode", "DCR") == "CRD";
  const Tensor y = crd ? x.reshape({x.size(0), c, b, b, h, w}).permute({0, 1, 4, 2, 5, 3})
                       : x.reshape({x.size(0), b, b, c, h, w}).permute({0, 3, 4, 1, 5, 2});
  return {y.reshape({x.size(0), c, h * b, w * b})};
}

Values space_to_depth(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t b = n.required_integer("blocksize");
  n.require(x.ndim() == 4 && b > 0 && b < 65536 && x.size(2) % b == 0 && x.size(3) % b == 0,
            "sizes that are no multiples of blocksize");
  const int64_t c = x.size(1), h = x.size(2) / b, w = x.size(3) / b;
  const std::string mode = n.text("mode", "DCR");
  n.require(mode == "DCR" || mode == "CRD", "unknown mode \"" + mode + "\"");
  const std::vector<int64_t> order = mode == "CRD" ? std::vector<int64_t>{0, 1, 3, 5, 2, 4}
                                                   : std::vector<int64_t>{0, 3, 5, 1, 2, 4};
  return {
      x.reshape({x.size(0), c, h, b, w, b}).permute(order).reshape({x.size(0), c * b * b, h, w})};
}

Values trilu(const Node& n) {
  const int64_t k = n.has(1) ? n.integer(1) : 0;
  const Tensor x = n.tensor(0);
  const int64_t most = std::max<int64_t>(1, x.numel()) + 1;
  const int64_t diagonal = std::clamp(k, -most, most);
  return {n.flag("upper", true) ? x.triu(diagonal) : x.tril(diagonal)};
}

Values identity(const Node& n) { return {n.value(0)}; }

// The middle of each axis, cropped or continued by 0.
Values center_crop_pad(const Node& n) {
  Tensor x = n.tensor(0);
  const std::vector<int64_t> sizes = n.integers(1);
  std::vector<int64_t> axes(static_cast<size_t>(x.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto given = n.integers("axes")) axes = n.axes(*given, x.ndim());
  n.require(axes.size() == sizes.size(), "as many sizes as axes");
  std::vector<std::pair<int64_t, int64_t>> pairs(static_cast<size_t>(x.ndim()));
  for (size_t i = 0; i < axes.size(); ++i) {
    n.require(sizes[i] >= 0, "a negative size");
    const int64_t more = sizes[i] - x.size(axes[i]);
    const int64_t before = more >= 0 ? more / 2 : -((-more) / 2);
    pairs[static_cast<size_t>(axes[i])] = {before, more - before};
  }
  return {x.pad(pairs)};
}

}  // namespace

std::span<const Operator> shape_operators() {
  static const std::vector<Operator> rows = {
      {"CenterCropPad", {18}, "axes", center_crop_pad},
      {"Concat", {1, 4, 11, 13}, "axis", concat},
      {"DepthToSpace", {1, 11, 13, 28}, "blocksize mode", depth_to_space},
      {"Expand", {8, 13}, "", expand},
      {"Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, "axis", flatten},
      {"Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, "", identity},
      {"Pad", {1, 2, 11, 13, 18, 19, 21, 23, 24, 25}, "mode pads paddings value", pad},
      {"Reshape", {1, 5, 13, 14, 19, 21, 23, 24, 25}, "shape allowzero consumed_inputs", reshape},
      {"Shape", {1, 13, 15, 19, 21, 23, 24, 25}, "start end", shape_op},
      {"Size", {1, 13, 19, 21, 23, 24, 25}, "", size_op},
      {"Slice", {1, 10, 11, 13}, "starts ends axes", slice},
      {"SpaceToDepth", {1, 13, 28}, "blocksize mode", space_to_depth},
      {"Split", {2, 11, 13, 18}, "axis split num_outputs", split},
      {"Squeeze", {1, 11, 13, 21, 23, 24, 25}, "axes", squeeze},
      {"Tile", {6, 13}, "", tile},
      {"Transpose", {1, 13, 21, 23, 24, 25}, "perm", transpose},
      {"Trilu", {14}, "upper", trilu},
      {"Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, "axes", unsqueeze},
  };
  return rows;
}

}  // namespace tg::onnx
