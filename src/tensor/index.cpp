// Indexing: integers and ranges become SHRINK, FLIP and RESHAPE; integer tensors become GATHER
// along one axis, several of them along the flattened axes that they name (NumPy's advanced
// indexing). Never a one-hot product. A mask is the integer tensors that name its places.
#include <algorithm>

#include "tensor/indexing.h"
#include "tensor/symbolic.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;
using Kind = IndexItem::Kind;

// How many axes of the tensor an item names.
size_t axes_named(const IndexItem& i) {
  if (i.kind == Kind::Rest || i.kind == Kind::New) return 0;
  return is_mask(i) ? static_cast<size_t>(i.tensor->ndim()) : 1;
}

// A mask has axes, and those that it stands for, from `axis` on, are as long as they are.
void check_mask(std::string_view fn, const Tensor& mask, const UOp& x, size_t axis) {
  const Shape sizes = mask.shape(), whole = x.shape_vec();
  const std::span<const Dim> axes = std::span(whole).subspan(axis, sizes.size());
  if (!sizes.empty() && std::ranges::equal(sizes, axes)) return;
  user_error<IndexError>(
      fn, fmt::format("a mask must have the sizes of the axes that it stands for: mask {}, axes {} "
                      "of shape {}",
                      text(sizes), text(axes), text(whole)));
}

// The places of the mask as an index tensor for each of its axes.
std::vector<IndexItem> places_of(const Tensor& mask) {
  const Tensor places = mask.nonzero();
  std::vector<IndexItem> out;
  for (int64_t a = 0; a < mask.ndim(); ++a) out.emplace_back(places.index({Slice(), a}));
  return out;
}

// Python's rules for start, stop and step on an axis of `n`: first place, number of places, step.
struct Range {
  Dim first, count, step;
};
Range range_of(const Slice& s, Dim n) {
  // A step beyond the axis is as good as one to its end.
  const int64_t step = std::clamp<int64_t>(s.step.value_or(1), -n - 1, n + 1);
  const Dim low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  const auto place = [&](int64_t i) { return std::clamp<Dim>(i < 0 ? i + n : i, low, high); };
  const Dim start = s.start ? place(s.start->number()) : (step > 0 ? low : high);
  const Dim stop = s.stop ? place(s.stop->number()) : (step > 0 ? high : low);
  const Dim span = step > 0 ? stop - start : start - stop;
  const Dim size = step > 0 ? step : -step;
  return {start, span <= 0 ? 0 : (span - 1) / size + 1, step};
}

// Every `step`-th place: groups of `step`, of which the first (or, where the axis ends too early,
// the last) is kept.
UOp strided(const UOp& x, int axis, Dim first, Dim count, Dim step) {
  if (step == 1 || count <= 1) return shrink_axis(x, axis, first, count);
  const Dim whole = count * step;
  UOp w;
  Dim kept = 0;
  if (first + whole <= x.dim(axis)) {
    w = shrink_axis(x, axis, first, whole);
  } else if (first - (step - 1) >= 0) {
    w = shrink_axis(x, axis, first - (step - 1), whole);
    kept = step - 1;
  } else {
    w = shrink_axis(x, axis, first, x.dim(axis) - first);
    std::vector<int64_t> border(2 * x.shape().size(), 0);
    border[2 * static_cast<size_t>(axis) + 1] = whole - w.dim(axis);
    w = pad(w, border);
  }
  Shape groups = w.shape_vec(), result = groups;
  groups[static_cast<size_t>(axis)] = result[static_cast<size_t>(axis)] = count;
  groups.insert(groups.begin() + axis + 1, step);
  return reshape(shrink_axis(reshape(w, groups), axis + 1, kept, 1), result);
}

UOp slice_axis(std::string_view fn, const UOp& x, int axis, const Slice& s) {
  if (s.step == 0) user_error<ArgumentError>(fn, "the step of a slice must not be 0");
  const bool plain = (!s.start || s.start->is_number()) && (!s.stop || s.stop->is_number());
  if (x.node()->limit(static_cast<size_t>(axis)) != nullptr || !plain) {
    if (!s.start && !s.stop && s.step.value_or(1) == 1) return x;
    if (s.step.value_or(1) != 1) {
      user_error<ArgumentError>(
          fn, fmt::format("variable sizes need slices of step 1, got {}", *s.step));
    }
    const SymInt size = size_from(size_of(x, axis));
    return symbolic_slice(fn, x, axis, s.start.value_or(0), s.stop.value_or(size));
  }
  const Range r = range_of(s, x.dim(axis));
  if (r.step > 0) return strided(x, axis, r.first, r.count, r.step);
  if (r.count == 0) return shrink_axis(x, axis, 0, 0);
  // Backwards is forwards on the flipped axis.
  UOp flipped = flip(x, {{int64_t{axis}}});
  return strided(flipped, axis, x.dim(axis) - 1 - r.first, r.count, -r.step);
}

UOp integer_axis(std::string_view fn, const UOp& x, int axis, const SymInt& place,
                 const Shape& whole) {
  if (!place.is_number() || x.node()->limit(static_cast<size_t>(axis)) != nullptr) {
    return reshape(symbolic_element(fn, x, axis, place),
                   without_axes(x.shape(), {{int64_t{axis}}}));
  }
  const Dim n = x.dim(axis);
  const int64_t i = place.number();
  if (i < -n || i >= n) {
    user_error<IndexError>(fn, fmt::format("{} is out of bounds for an axis of size {} of shape {}",
                                           i, n, text(whole)));
  }
  return reshape(shrink_axis(x, axis, i < 0 ? i + n : i, 1),
                 without_axes(x.shape(), {{int64_t{axis}}}));
}

UOp new_axis(const UOp& x, int axis) {
  Shape s = x.shape_vec();
  s.insert(s.begin() + axis, 1);
  return reshape(x, s);
}

UOp integer_index(std::string_view fn, const Tensor& index) {
  UOp i = node_of(index, fn);
  if (is_int(i.dtype())) return i;
  user_error<IndexError>(
      fn, fmt::format("index tensors must hold integers or bool, got {}", dtype_name(i.dtype())),
      "Hint: cast the index to int32.");
}

// All indices as one flat index over the axes they name; −1, which reads 0, where one of them is
// outside its axis.
UOp flat_index(std::string_view fn, const std::vector<Pick>& picks, const UOp& view,
               const Shape& shape) {
  UOp flat, inside;
  for (const Pick& p : picks) {
    const Dim n = view.dim(p.axis);
    UOp i = broadcast_to(cast(normalized_index(fn, p.index, n), DType::Int64), shape);
    UOp valid = ge(i, const_like(i, int64_t{0})) & lt(i, const_like(i, n));
    inside = inside ? inside & valid : valid;
    flat = flat ? flat * n + i : i;
  }
  return where(inside, flat, const_like(flat, int64_t{-1}));
}

// The places as one axis; of those that do not exist none.
UOp places_in_a_row(const UOp& index) {
  return reshape(delimited(index, Scalar::of_int(-1, index.dtype())), {index.numel()});
}
// What was picked, whose axes from `at` on are those of the places: it exists where they do.
UOp existing(const UOp& picked, int at, const UOp& places) {
  UOp out = picked;
  for (int a = 0; a < places.ndim(); ++a) {
    if (const UOp size = size_of(places, a); !size.is(Op::Const)) out = limited(out, at + a, size);
  }
  return out;
}

UOp pick_one(const ParsedIndex& p) {
  const Pick& pick = p.picks[0];
  UOp i = normalized_index("index", pick.index, p.view.dim(pick.axis));
  UOp taken = take(p.view, places_in_a_row(i), pick.axis);
  Shape out = p.view.shape_vec();
  out.erase(out.begin() + pick.axis);
  const int at = p.apart ? 0 : pick.axis;
  const auto index_shape = pick.index.shape_vec();
  if (at != pick.axis) {
    std::vector<int64_t> order = {pick.axis};
    for (int a = 0; a < p.view.ndim(); ++a) {
      if (a != pick.axis) order.push_back(a);
    }
    taken = permute(taken, order);
  }
  out.insert(out.begin() + at, index_shape.begin(), index_shape.end());
  return existing(reshape(taken, out), at, i);
}

// The picked axes become one, so all of their elements have to exist.
UOp pick_many(ParsedIndex p) {
  for (const Pick& pick : p.picks)
    p.view = delimited(p.view, pick.axis, Scalar::of_int(0, p.view.dtype()));
  const FlatPicks f = flat_picks("index", p);
  UOp taken = take(f.table, places_in_a_row(f.index), 0);
  Shape out = f.rest;
  out.insert(out.begin() + f.before, f.shape.begin(), f.shape.end());
  return existing(reshape(permute(taken, f.back), out), f.before, f.index);
}

UOp shrunk_to(const UOp& x, const UOp& index, int axis, std::string_view fn) {
  bool fits = x.ndim() == index.ndim();
  std::vector<int64_t> window;
  for (int i = 0; fits && i < x.ndim(); ++i) {
    fits = i == axis || index.dim(i) <= x.dim(i);
    window.insert(window.end(), {0, i == axis ? x.dim(i) : index.dim(i)});
  }
  if (!fits) {
    user_error<ShapeError>(
        fn, fmt::format("the index must have as many axes, none longer except axis {}: {} "
                        "and index {}",
                        axis, text(x.shape()), text(index.shape())));
  }
  return shrink(x, window);
}

Tensor scattered(std::string_view fn, const Tensor& base, int64_t axis, const Tensor& index,
                 const Tensor& src, Combine how) {
  UOp x = node_of(base, fn);
  const int a = axis_of(fn, axis, x.shape());
  UOp i = normalized_index(fn, node_of(index, fn), x.dim(a)), v = node_as(src, x.dtype(), fn);
  common_device(fn, {x, i, v});
  if (v.shape().empty()) v = broadcast_to(v, i.shape_vec());
  if (shrunk_to(x, i, a, fn).shape_vec() != Shape{} && !std::ranges::equal(v.shape(), i.shape())) {
    user_error<ShapeError>(fn, fmt::format("index and values differ in shape: {} and {}",
                                           text(i.shape()), text(v.shape())));
  }
  // An index smaller than the tensor elsewhere gets places outside, which are dropped.
  std::vector<int64_t> border;
  for (int d = 0; d < x.ndim(); ++d)
    border.insert(border.end(), {0, d == a ? 0 : x.dim(d) - i.dim(d)});
  i = pad(i, border, Scalar::of_int(-1, i.dtype()));
  return wrap(tg::scatter(x, i, pad(v, border), a, how));
}

}  // namespace

bool ops_detail::is_mask(const IndexItem& i) {
  return i.kind == Kind::Gather && is_bool(i.tensor->dtype());
}

std::vector<IndexItem> ops_detail::items_of_all_axes(std::string_view fn,
                                                     const std::vector<IndexItem>& items,
                                                     const UOp& x) {
  size_t named = 0, rests = 0;
  for (const IndexItem& i : items) {
    rests += i.kind == Kind::Rest;
    named += axes_named(i);
  }
  if (rests > 1) user_error<IndexError>(fn, "only a single ellipsis is allowed");
  if (named > x.shape().size()) {
    user_error<IndexError>(
        fn, fmt::format("too many indices: {} for shape {}", named, text(x.shape())));
  }
  const size_t left = x.shape().size() - named;
  std::vector<IndexItem> out;
  size_t axis = 0;
  for (const IndexItem& i : items) {
    if (is_mask(i)) check_mask(fn, *i.tensor, x, axis);
    if (i.kind == Kind::Rest) {
      out.insert(out.end(), left, IndexItem(Slice()));
      axis += left;
    } else {
      out.push_back(i);
      axis += axes_named(i);
    }
  }
  if (rests == 0) out.insert(out.end(), left, IndexItem(Slice()));
  return out;
}

ParsedIndex ops_detail::parse_index(std::string_view fn, const std::vector<IndexItem>& given,
                                    const UOp& x) {
  std::vector<IndexItem> items;
  for (const IndexItem& i : items_of_all_axes(fn, given, x)) {
    const auto same = is_mask(i) ? places_of(*i.tensor) : std::vector<IndexItem>{i};
    items.insert(items.end(), same.begin(), same.end());
  }
  ParsedIndex p{.view = x};
  int axis = 0, groups = 0;
  bool inside = false;  // among tensors that are neighbours; integers are as if they were not there
  for (const IndexItem& i : items) {
    const bool picks = i.kind == Kind::Gather;
    if (picks && !inside && ++groups == 1) p.first = axis;
    if (i.kind != Kind::Integer) inside = picks;
    switch (i.kind) {
      case Kind::Integer:
        p.view = integer_axis(fn, p.view, axis, i.integer, x.shape_vec());
        break;
      case Kind::Range:
        p.view = slice_axis(fn, p.view, axis++, i.slice);
        break;
      case Kind::New:
        p.view = new_axis(p.view, axis++);
        break;
      case Kind::Gather:
        p.picks.push_back({axis, integer_index(fn, *i.tensor)}), ++axis;
        common_device(fn, {x, p.picks.back().index});
        break;
      case Kind::Rest:
        break;
    }
  }
  p.apart = groups > 1;
  return p;
}

FlatPicks ops_detail::flat_picks(std::string_view fn, const ParsedIndex& p) {
  FlatPicks f;
  Dim picked = 1;
  for (const Pick& pick : p.picks) {
    f.shape = broadcast_shape(fn, f.shape, pick.index.shape());
    f.order.push_back(pick.axis);
    picked *= p.view.dim(pick.axis);
  }
  for (int a = 0; a < p.view.ndim(); ++a) {
    if (std::ranges::find(f.order, a) != f.order.end()) continue;
    f.order.push_back(a);
    f.rest.push_back(p.view.dim(a));
  }
  Shape flat = f.rest;
  flat.insert(flat.begin(), picked);
  f.table = tg::reshape(tg::permute(p.view, f.order), flat);
  f.index = flat_index(fn, p.picks, p.view, f.shape);
  f.before = p.apart ? 0 : p.first;
  for (int i = 1; i <= f.before; ++i) f.back.push_back(i);
  f.back.push_back(0);
  for (int i = f.before + 1; i <= static_cast<int>(f.rest.size()); ++i) f.back.push_back(i);
  return f;
}

IndexItem::IndexItem(const Tensor& t) : kind(Kind::Gather), tensor(std::make_shared<Tensor>(t)) {}

Tensor Tensor::index(const std::vector<IndexItem>& items) const {
  const ParsedIndex p = parse_index("index", items, node_of(*this, "index"));
  if (p.picks.empty()) return view_of(*this, p.view);
  return wrap(p.picks.size() == 1 ? pick_one(p) : pick_many(p));
}

Tensor Tensor::gather(int64_t axis, const Tensor& index) const {
  UOp x = node_of(*this, "gather");
  const int a = axis_of("gather", axis, x.shape());
  UOp i = normalized_index("gather", node_of(index, "gather"), x.dim(a));
  common_device("gather", {x, i});
  return wrap(tg::gather(shrunk_to(x, i, a, "gather"), i, a));
}

Tensor Tensor::scatter(int64_t axis, const Tensor& index, const Tensor& src) const {
  return scattered("scatter", *this, axis, index, src, Combine::Set);
}

Tensor Tensor::scatter_add(int64_t axis, const Tensor& index, const Tensor& src) const {
  return scattered("scatter_add", *this, axis, index, src, Combine::Add);
}

Tensor Tensor::scatter_reduce(int64_t axis, const Tensor& index, const Tensor& src,
                              ScatterReduction reduction, bool include_self) const {
  constexpr std::string_view kFn = "scatter_reduce";
  if (src.dtype() != dtype() && !src.state()->is_number())
    user_error<DTypeError>(kFn,
                           fmt::format("values must have the dtype of what they meet: {} and {}",
                                       dtype_name(src.dtype()), dtype_name(dtype())));
  if (reduction == ScatterReduction::Min) {  // the largest in the opposite order
    const auto reversed = [&](const Tensor& t) {
      return wrap(order_reversed(node_as(t, dtype(), kFn)));
    };
    return reversed(reversed(*this).scatter_reduce(axis, index, reversed(src),
                                                   ScatterReduction::Max, include_self));
  }
  const bool is_max = reduction == ScatterReduction::Max,
             is_prod = reduction == ScatterReduction::Prod;
  const ReduceOp op = is_max ? ReduceOp::Max : is_prod ? ReduceOp::Mul : ReduceOp::Add;
  const Combine how = is_max ? Combine::Max : is_prod ? Combine::Mul : Combine::Add;
  const auto arrived = [&] {
    return scattered(kFn, zeros_like().cast(DType::Int32), axis, index, 1, Combine::Add);
  };
  const UOp x = node_of(*this, kFn);
  const Tensor neutral = wrap(const_like(x, reduce_identity(op, dtype())));
  const Tensor start = include_self ? *this : (arrived() > 0).where(neutral, *this);
  const Tensor all = scattered(kFn, start, axis, index, src, how);
  if (reduction != ScatterReduction::Mean) return all;
  const Tensor count = include_self ? arrived() + 1 : arrived().clamp_min(1);
  return all.div(count, is_floating_point() ? Rounding::None : Rounding::Floor).cast(dtype());
}

Tensor Tensor::one_hot(int64_t classes) const {
  UOp label = node_of(*this, "one_hot");
  if (!is_int(label.dtype())) {
    user_error<DTypeError>(
        "one_hot", fmt::format("labels must be integers, got {}", dtype_name(label.dtype())));
  }
  if (classes < 0) {
    user_error<ArgumentError>(
        "one_hot", fmt::format("the number of classes must not be negative: {}", classes));
  }
  Shape shape = label.shape_vec(), column = shape;
  shape.push_back(classes);
  column.push_back(1);
  UOp wide = tg::expand(tg::reshape(tg::cast(label, DType::Int64), column), shape);
  return wrap(tg::cast(tg::eq(wide, iota(shape, static_cast<int>(column.size()) - 1, DType::Int64)),
                       DType::Int32));
}

}  // namespace tg
