// Movement: other shapes, orders and windows of the same elements. Joining and splitting: join.cpp;
// indices: index.cpp.
#include <algorithm>
#include <numeric>

#include "tensor/ops.h"
#include "tensor/symbolic.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

// Replaces one −1 by what the number of elements asks for.
Shape inferred(std::string_view fn, std::span<const Dim> from, const Shape& shape) {
  Shape out = shape;
  Dim known = 1, unknown = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && unknown < 0) {
      unknown = static_cast<Dim>(i);
    } else if (shape[i] < 0) {
      user_error<ShapeError>(fn, fmt::format("sizes must not be negative, but for one -1: {} to {}",
                                             text(from), text(shape)));
    } else {
      known = saturating_mul(known, shape[i]);
    }
  }
  const Dim total = numel(from);
  if (unknown >= 0) {
    if (known == 0 || total % known != 0) {
      user_error<ShapeError>(
          fn, fmt::format("-1 cannot be inferred: {} has {} elements, {} needs a multiple of {}",
                          text(from), total, text(shape), known));
    }
    out[static_cast<size_t>(unknown)] = total / known;
  } else if (known != total) {
    user_error<ShapeError>(
        fn, fmt::format("the number of elements must stay the same: {} has {}, {} has {}",
                        text(from), total, text(shape), known));
  }
  return out;
}

// Keeps elements where row − column compares with the diagonal as asked, zero elsewhere.
Tensor triangle(std::string_view fn, const Tensor& t, int64_t diagonal, bool lower) {
  UOp x = node_of(t, fn);
  if (x.ndim() < 2) {
    user_error<ShapeError>(fn, fmt::format("needs at least 2 axes, got shape {}", text(x.shape())));
  }
  UOp row = iota(x.shape_vec(), x.ndim() - 2, DType::Int64);
  UOp column = iota(x.shape_vec(), x.ndim() - 1, DType::Int64);
  UOp above = lt(row + const_like(row, diagonal), column);  // strictly above the diagonal
  UOp zero = const_like(x, int64_t{0});
  if (lower) return wrap(where(above, zero, x));
  UOp below = lt(column, row + const_like(row, diagonal));
  return wrap(where(below, zero, x));
}

// A border has one value.
void check_fill(std::string_view fn, const UOp& fill) {
  if (numel(fill.shape()) == 1) return;
  user_error<ArgumentError>(
      fn, fmt::format("the value must be a number, got a tensor of shape {}", text(fill.shape())));
}
// True for each element.
Tensor ones_of(const UOp& x) { return wrap(tg::cast(const_like(x, int64_t{1}), DType::Bool)); }

// Rolled along an axis of variable size: each place asks where its element was.
UOp rolled(const UOp& x, int axis, int64_t shift) {
  const SymInt size = size_from(size_of(x, axis));
  const auto wide = [&](const SymInt& number) {
    return broadcast_to(cast(index_node(number), DType::Int64), x.shape_vec());
  };
  const UOp from = iota(x.shape_vec(), axis, DType::Int64) + wide(SymInt(-shift) % size);
  return with_limits_of(gather(x, mod(from, wide(size)), axis), x.node());
}

// Plain numbers, if all are.
bool all_numbers(const Sizes& sizes, Shape& shape) {
  for (const SymInt& s : sizes.list()) {
    if (!s.is_number()) return false;
    shape.push_back(s.number());
  }
  return true;
}

// Sizes of which those of axes `first` to `last` are one.
std::vector<SymInt> merged_sizes(std::vector<SymInt> sizes, int first, int last) {
  const auto begin = sizes.begin() + first, end = sizes.begin() + last;
  for (auto s = begin + 1; s <= end; ++s) *begin = *begin * *s;
  sizes.erase(begin + 1, end + 1);
  return sizes;
}

}  // namespace

Tensor Tensor::reshape(const Sizes& sizes) const {
  UOp x = node_of(*this, "reshape");
  Shape shape;
  if (!all_numbers(sizes, shape) || !has_plain_sizes(x)) {
    return view_of(*this, symbolic_reshape(x, sizes.list()));
  }
  return view_of(*this, tg::reshape(x, inferred("reshape", x.shape(), shape)));
}

Tensor Tensor::expand(const Sizes& sizes) const {
  UOp x = node_of(*this, "expand");
  Shape shape;
  if (!all_numbers(sizes, shape) || !has_plain_sizes(x)) {
    return view_of(*this, symbolic_expand(x, sizes.list()));
  }
  const auto from = x.shape();
  Shape to = shape;
  bool fits = to.size() >= from.size();
  const size_t added = fits ? to.size() - from.size() : 0;
  for (size_t i = 0; fits && i < to.size(); ++i) {
    const Dim old = i < added ? 1 : from[i - added];
    if (to[i] == -1 && i >= added) to[i] = old;
    fits = to[i] >= 0 && (old == 1 || old == to[i]);
  }
  if (!fits) {
    user_error<ShapeError>("expand", fmt::format("only axes of size 1 can be stretched: {} to {}",
                                                 text(from), text(shape)));
  }
  tg::numel(to);
  return view_of(*this, broadcast_to(x, to));
}

Tensor Tensor::permute(const std::vector<int64_t>& order) const {
  UOp x = node_of(*this, "permute");
  std::vector<int64_t> axes;
  for (int64_t a : order) axes.push_back(axis_of("permute", a, x.shape()));
  auto sorted = axes;
  std::ranges::sort(sorted);
  std::vector<int64_t> each(x.shape().size());
  std::iota(each.begin(), each.end(), 0);
  if (sorted != each) {
    user_error<ArgumentError>(
        "permute", fmt::format("order must name each axis once: {} for shape {}", text(order),
                               text(x.shape())));
  }
  return view_of(*this, tg::permute(x, axes));
}

Tensor Tensor::transpose(int64_t axis0, int64_t axis1) const {
  UOp x = node_of(*this, "transpose");
  const int a = axis_of("transpose", axis0, x.shape()), b = axis_of("transpose", axis1, x.shape());
  std::vector<int64_t> order(x.shape().size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(a)], order[static_cast<size_t>(b)]);
  return view_of(*this, tg::permute(x, order));
}

Tensor Tensor::flip(const Axes& axes) const {
  UOp x = node_of(*this, "flip");
  const std::vector<int64_t> turned = axes_of("flip", axes, x.shape());
  std::vector<SymInt> missing(x.shape().size(), 0);  // elements, before the first that exists
  for (const int64_t a : turned) {
    const auto axis = static_cast<int>(a);
    missing[static_cast<size_t>(a)] =
        size_from(index_const(x.dim(axis))) - size_from(size_of(x, axis));
    x = limited(x, axis, index_const(x.dim(axis)));
  }
  UOp out = tg::flip(x, turned);
  for (const int64_t a : turned) {
    const SymInt& first = missing[static_cast<size_t>(a)];
    const auto axis = static_cast<int>(a);
    if (!first.is_number()) out = symbolic_slice("flip", out, axis, first, out.dim(axis));
  }
  return view_of(*this, out);
}

Tensor Tensor::shrink(const std::vector<std::pair<int64_t, int64_t>>& ranges) const {
  UOp x = node_of(*this, "shrink");
  if (ranges.size() != x.shape().size()) {
    user_error<ArgumentError>("shrink", fmt::format("needs one range an axis: {} for shape {}",
                                                    ranges.size(), text(x.shape())));
  }
  std::vector<int64_t> window;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto [begin, end] = ranges[i];
    if (begin < 0 || end < begin || end > x.shape()[i]) {
      user_error<IndexError>("shrink", fmt::format("[{}, {}) is outside axis {} of shape {}", begin,
                                                   end, i, text(x.shape())));
    }
    const auto axis = static_cast<int>(i);
    const bool has_variable_size = !size_of(x, axis).is(Op::Const);
    if (has_variable_size && (begin != 0 || end != x.dim(axis)))
      x = symbolic_slice("shrink", x, axis, begin, end);
    window.push_back(has_variable_size ? 0 : begin);
    window.push_back(has_variable_size ? x.dim(axis) : end - begin);
  }
  return view_of(*this, tg::shrink(x, window));
}

Tensor Tensor::pad(const std::vector<std::pair<int64_t, int64_t>>& padding,
                   const Tensor& value) const {
  UOp x = node_of(*this, "pad");
  if (padding.size() != x.shape().size()) {
    user_error<ArgumentError>(
        "pad", fmt::format("needs one (before, after) an axis: {} for shape {}", padding.size(),
                           text(x.shape())));
  }
  const UOp fill = node_as(value, x.dtype(), "pad");
  check_fill("pad", fill);
  if (!fill.is(Op::Const)) {
    const Tensor there = ones_of(x).pad(padding, false);
    return there.where(pad(padding, 0), wrap(tg::reshape(fill, {})));
  }
  std::vector<int64_t> crop, border;
  for (size_t i = 0; i < padding.size(); ++i) {
    const auto [before, after] = padding[i];
    const Dim n = x.shape()[i];
    const Dim kept = before < -n || after < -n
                         ? -1
                         : n + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    if (kept < 0) {
      user_error<ShapeError>("pad", fmt::format("({}, {}) crops more than axis {} of shape {} has",
                                                before, after, i, text(x.shape())));
    }
    crop.insert(crop.end(), {std::max<int64_t>(-before, 0), kept});
    border.insert(border.end(), {std::max<int64_t>(before, 0), std::max<int64_t>(after, 0)});
  }
  return wrap(tg::pad(tg::shrink(x, crop), border, fill.scalar()));
}

// What does not exist of an axis of variable size is as good as beyond its end.
Tensor Tensor::pad_to(const Shape& sizes, const Tensor& value) const {
  UOp x = node_of(*this, "pad_to");
  if (sizes.size() != x.shape().size()) {
    user_error<ArgumentError>("pad_to", fmt::format("needs one size an axis: {} for shape {}",
                                                    text(sizes), text(x.shape())));
  }
  const UOp fill = node_as(value, x.dtype(), "pad_to");
  check_fill("pad_to", fill);
  if (!fill.is(Op::Const)) {
    const Tensor there = ones_of(x).pad_to(sizes, false);
    return there.where(pad_to(sizes, 0), wrap(tg::reshape(fill, {})));
  }
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < -1) {
      user_error<ArgumentError>(
          "pad_to", fmt::format("sizes must not be negative, but for -1: {}", text(sizes)));
    }
    const bool keeps = sizes[i] == -1;
    if (!keeps) x = delimited(x, static_cast<int>(i), fill.scalar());
    padding.emplace_back(0, keeps ? 0 : sizes[i] - x.shape()[i]);
  }
  return wrap(x).pad(padding, value);
}

Tensor Tensor::shrink_to(const Sizes& sizes) const {
  UOp x = node_of(*this, "shrink_to");
  const auto& list = sizes.list();
  if (list.size() != x.shape().size()) {
    user_error<ArgumentError>("shrink_to", fmt::format("needs one size an axis: {} for shape {}",
                                                       list.size(), text(x.shape())));
  }
  std::vector<int64_t> window;
  for (size_t i = 0; i < list.size(); ++i) {
    const auto axis = static_cast<int>(i);
    const bool keeps = list[i].is_number() && list[i].number() == -1;
    const bool is_plain = list[i].is_number() && size_of(x, axis).is(Op::Const);
    if (is_plain && !keeps && (list[i].number() < 0 || list[i].number() > x.dim(axis))) {
      user_error<IndexError>("shrink_to",
                             fmt::format("axis {} of shape {} has not the first {} elements", i,
                                         text(x.shape()), list[i].number()));
    }
    if (!keeps && !is_plain) x = symbolic_slice("shrink_to", x, axis, 0, list[i]);
    window.push_back(0);
    window.push_back(!keeps && is_plain ? list[i].number() : x.dim(axis));
  }
  return view_of(*this, tg::shrink(x, window));
}

Tensor Tensor::squeeze() const {
  Shape kept;
  for (Dim d : shape()) {
    if (d != 1) kept.push_back(d);
  }
  return view_of(*this, tg::reshape(node_of(*this, "squeeze"), kept));
}

Tensor Tensor::squeeze(int64_t axis) const {
  UOp x = node_of(*this, "squeeze");
  const int a = scanned_axis_of("squeeze", axis, x.shape());
  return x.ndim() == 0 || x.dim(a) != 1
             ? *this
             : view_of(*this, tg::reshape(x, without_axes(x.shape(), {{int64_t{a}}})));
}

Tensor Tensor::unsqueeze(int64_t axis) const {
  UOp x = node_of(*this, "unsqueeze");
  const int64_t n = x.ndim();
  if (axis < -n - 1 || axis > n) {
    user_error<IndexError>("unsqueeze", fmt::format("axis {} is outside {} to {} for shape {}",
                                                    axis, -n - 1, n, text(x.shape())));
  }
  Shape wider = x.shape_vec();
  wider.insert(wider.begin() + (axis < 0 ? axis + n + 1 : axis), 1);
  return view_of(*this, tg::reshape(x, wider));
}

Tensor Tensor::flatten(int64_t first, int64_t last) const {
  UOp x = node_of(*this, "flatten");
  if (x.ndim() == 0) return view_of(*this, tg::reshape(x, {1}));
  const int a = axis_of("flatten", first, x.shape()), b = axis_of("flatten", last, x.shape());
  if (a > b) {
    user_error<ArgumentError>("flatten", fmt::format("axis {} stands after axis {} in shape {}",
                                                     first, last, text(x.shape())));
  }
  if (!has_plain_sizes(x)) return view_of(*this, symbolic_reshape(x, merged_sizes(sizes(), a, b)));
  const auto s = x.shape();
  Shape out(s.begin(), s.begin() + a);
  out.push_back(tg::numel(s.subspan(static_cast<size_t>(a), static_cast<size_t>(b - a + 1))));
  out.insert(out.end(), s.begin() + b + 1, s.end());
  return view_of(*this, tg::reshape(x, out));
}

Tensor Tensor::unflatten(int64_t axis, const Shape& sizes) const {
  UOp x = node_of(*this, "unflatten");
  const int a = axis_of("unflatten", axis, x.shape());
  const Shape split = inferred("unflatten", x.shape().subspan(static_cast<size_t>(a), 1), sizes);
  Shape out = x.shape_vec();
  out.erase(out.begin() + a);
  out.insert(out.begin() + a, split.begin(), split.end());
  return view_of(*this, tg::reshape(x, out));
}

// [d] → [1, d] → [r, d] → [r·d] on every axis.
Tensor Tensor::repeat(const std::vector<int64_t>& repeats) const {
  UOp x = node_of(*this, "repeat");
  if (repeats.size() < x.shape().size() ||
      std::ranges::any_of(repeats, [](int64_t r) { return r < 0; })) {
    user_error<ArgumentError>(
        "repeat", fmt::format("needs a count of at least 0 for each axis: {} for shape {}",
                              text(repeats), text(x.shape())));
  }
  Shape base(repeats.size() - x.shape().size(), 1), ones, tiled, out;
  base.insert(base.end(), x.shape().begin(), x.shape().end());
  for (size_t i = 0; i < base.size(); ++i) {
    ones.insert(ones.end(), {1, base[i]});
    tiled.insert(tiled.end(), {repeats[i], base[i]});
    out.push_back(saturating_mul(repeats[i], base[i]));
  }
  tg::numel(out);
  return wrap(tg::reshape(tg::expand(tg::reshape(x, ones), tiled), out));
}

Tensor Tensor::roll(int64_t shift, int64_t axis) const {
  UOp x = node_of(*this, "roll");
  const int a = axis_of("roll", axis, x.shape());
  const Dim n = x.dim(a);
  if (n == 0) return *this;
  if (!size_of(x, a).is(Op::Const)) return wrap(rolled(x, a, shift));
  const Dim cut = n - ((shift % n) + n) % n;
  if (cut == n) return *this;
  const auto parts = split(std::vector<int64_t>{cut, n - cut}, a);
  return cat({parts[1], parts[0]}, a);
}

Tensor Tensor::tril(int64_t diagonal) const { return triangle("tril", *this, diagonal, true); }
Tensor Tensor::triu(int64_t diagonal) const { return triangle("triu", *this, diagonal, false); }

// Rows of n + 1 elements, after a border of n: their first column is the diagonal.
Tensor Tensor::diagonal() const {
  UOp x = node_of(*this, "diagonal");
  if (x.ndim() != 2 || x.dim(0) != x.dim(1)) {
    user_error<ShapeError>("diagonal",
                           fmt::format("needs a square matrix, got shape {}", text(x.shape())));
  }
  const Dim n = x.dim(0);
  if (n == 0) return view_of(*this, tg::reshape(x, {0}));
  UOp padded = tg::pad(tg::reshape(x, {n * n}), {{0, n}});
  return view_of(*this,
                 tg::reshape(tg::shrink(tg::reshape(padded, {n, n + 1}), {{0, n, 0, 1}}), {n}));
}

// The same backwards.
Tensor Tensor::diag() const {
  UOp x = node_of(*this, "diag");
  if (x.ndim() != 1)
    user_error<ShapeError>("diag", fmt::format("needs a vector, got shape {}", text(x.shape())));
  need_plain_axis("diag", x, 0);
  const Dim n = x.dim(0);
  const Dim all = tg::numel(Shape{n, n + 1});
  UOp padded = tg::pad(tg::reshape(x, {n, 1}), {{0, 0, 0, n}});
  return wrap(tg::reshape(tg::shrink(tg::reshape(padded, {all}), {{0, n * n}}), {n, n}));
}

}  // namespace tg
