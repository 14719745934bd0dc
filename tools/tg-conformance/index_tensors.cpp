// See index_tensors.h.
#include "index_tensors.h"

#include <algorithm>

namespace tg::conformance {
namespace {

using Items = std::vector<Item>;

Item gathered(Operand index) {
  Item i{.kind = IndexItem::Kind::Gather};
  i.tensor = index;
  return i;
}
Item whole() { return Item{.kind = IndexItem::Kind::Range}; }

// x[:, …, index] at `axis`.
Operand picked(Maker& m, Operand x, int64_t axis, Operand index) {
  Items items(static_cast<size_t>(axis), whole());
  items.push_back(gathered(index));
  return m.call("index", {x, items});
}

Operand counted(Maker& m, int64_t n) { return m.call("arange", {static_cast<double>(n)}); }
Operand counted(Maker& m, int64_t n, DType t) {
  return m.call("arange", {static_cast<double>(n), 0.0, 1.0, t});
}

// (arange(count) * a) // b, the last one below n.
Operand resampled(Maker& m, int64_t n) {
  const int64_t count = m.draw.between(1, 12);
  int64_t a = n, b = count;
  if (m.draw.chance(0.5)) {
    b = m.draw.between(1, 6);
    a = m.draw.between(1, std::max<int64_t>(1, (n * b - 1) / std::max<int64_t>(count - 1, 1)));
  }
  const int64_t most = (count - 1) * a / b;
  const Operand at = m.call("floordiv", {m.call("mul", {counted(m, count), a}), b});
  return most < n ? at : m.call("minimum", {at, n - 1});
}

// arange(count)[:, None] * step + arange(size): windows, which overlap if step < size.
Operand windows(Maker& m, int64_t n, int64_t size, int64_t step) {
  const int64_t count = (n - size) / step + 1;
  const Operand starts =
      m.call("mul", {m.call("unsqueeze", {counted(m, count), int64_t{1}}), step});
  return m.call("add", {starts, m.call("unsqueeze", {counted(m, size), int64_t{0}})});
}
Operand windows(Maker& m, int64_t n) {
  const int64_t size = m.draw.between(1, std::min<int64_t>(n, 5));
  return windows(m, n, size, m.draw.between(1, 3));
}

Operand constant_places(Maker& m, int64_t n) {
  return m.call("full", {Shape{m.draw.between(1, 6)}, m.draw.between(0, n - 1), DType::Int32});
}
Operand mirrored(Maker& m, int64_t n) {
  if (m.draw.chance(0.5)) return m.call("flip", {counted(m, n), std::vector<int64_t>{0}});
  return m.call("add", {m.call("mul", {counted(m, n), int64_t{-1}}), n - 1});
}
Operand strided(Maker& m, int64_t n) {
  const int64_t step = m.draw.between(1, 3), first = m.draw.between(0, n - 1);
  const Operand at = counted(m, (n - 1 - first) / step + 1);
  return m.call("add", {m.call("mul", {at, step}), first});
}
Operand strided_beyond(Maker& m, int64_t n) {
  const Operand at = m.call("mul", {counted(m, m.draw.between(1, 10)), m.draw.between(1, 4)});
  return m.call("mod", {at, n});
}

// ((arange(count) + 0.5) * (n / count) - 0.5) limited to the axis, rounded down.
Operand from_floats(Maker& m, int64_t n) {
  const int64_t count = m.draw.between(1, 12);
  const double scale = static_cast<double>(n) / static_cast<double>(count);
  const Operand middle = m.call("add", {counted(m, count, DType::Float32), 0.5});
  const Operand at = m.call("sub", {m.call("mul", {middle, scale}), 0.5});
  const Operand inside = m.call("clamp", {at, int64_t{0}, n - 1});
  return m.cast(m.call("floor", {inside}), DType::Int32);
}

Operand repeated(Maker& m, int64_t n) {
  const int64_t times = m.draw.between(1, 4);
  const Operand column = m.call("unsqueeze", {counted(m, n), int64_t{1}});
  return m.reshaped(m.expanded(column, {n, times}), {n * times});
}
Operand squares(Maker& m, int64_t n) {
  const Operand at = counted(m, m.draw.between(1, 9));
  return m.call("mod", {m.call("mul", {at, at}), n});
}
Operand drawn(Maker& m, int64_t n) {
  Shape shape{m.draw.between(1, 9)};
  if (m.draw.chance(0.3)) shape.push_back(m.draw.between(1, 4));
  const bool negative = m.draw.chance(0.2);
  const DType t = m.draw.chance(0.2) ? DType::Int64 : DType::Int32;
  return m.input(shape, t, negative ? -static_cast<double>(n) : 0, static_cast<double>(n));
}

// ---- composed functions, as programs write them
int64_t some_axis(Maker& m, Operand x) { return m.draw.between(0, m.ndim(x) - 1); }

// Windows of an axis as a new last axis.
Operand unfolded(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 3);
  const int64_t axis = some_axis(m, x), n = m.size(x, axis);
  const int64_t size = m.draw.between(1, std::min<int64_t>(n, 5)), step = m.draw.between(1, 3);
  const Operand at = picked(m, x, axis, windows(m, n, size, step));
  std::vector<int64_t> order;
  for (int64_t i = 0; i < m.ndim(at); ++i) {
    if (i != axis + 1) order.push_back(i);
  }
  order.push_back(axis + 1);
  return m.call("permute", {at, order});
}

int64_t resized(Maker& m, int64_t n) {
  return m.draw.chance(0.2) ? 2 * n : m.draw.between(1, 2 * n + 2);
}

Operand interpolated_nearest(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t axis = m.ndim(x) - 1, n = m.size(x, axis), count = resized(m, n);
  const Operand at = m.call("floordiv", {m.call("mul", {counted(m, count), n}), count});
  return picked(m, x, axis, at);
}

Operand interpolated(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 1, 4));
  const int64_t axis = some_axis(m, x), n = m.size(x, axis), count = resized(m, n);
  const double scale = static_cast<double>(n) / static_cast<double>(count);
  Operand at = m.call("add", {counted(m, count, DType::Float32), 0.5});
  at = m.call("sub", {m.call("mul", {at, scale}), 0.5});
  at = m.call("clamp", {at, int64_t{0}, n - 1});
  const Operand floor = m.call("floor", {at}), weight = m.call("sub", {at, floor});
  const Operand low = m.cast(floor, DType::Int32);
  const Operand high = m.call("minimum", {m.call("add", {low, int64_t{1}}), n - 1});
  Shape column(static_cast<size_t>(m.ndim(x)), 1);
  column[static_cast<size_t>(axis)] = count;
  return m.call("lerp",
                {picked(m, x, axis, low), picked(m, x, axis, high), m.reshaped(weight, column)});
}

Operand one_hot_product(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 2, 2));
  const Operand flat = m.with_rank(index_tensor(m, m.size(x, 0)), 1, 1);
  const Operand places = m.call("mod", {flat, m.size(x, 0)});
  const Operand rows = m.cast(m.call("one_hot", {places, m.size(x, 0)}), m.dtype(x));
  return m.call("matmul", {rows, x});
}

Operand attention(Maker& m, Operand given) {
  const Operand x = m.limited(m.as_float(m.with_rank(given, 2, 3)), 3);
  const int64_t n = m.size(x, -2);
  const Operand turned = m.call("transpose", {x, int64_t{-1}, int64_t{-2}});
  Operand scores = m.call("mul", {m.call("matmul", {x, turned}), 0.375});
  if (m.draw.chance(0.5)) {
    const Operand future =
        m.as_bool(m.call("triu", {m.call("ones", {Shape{n, n}, DType::Int32}), int64_t{1}}));
    scores = m.call("masked_fill", {scores, future, -1000.0});
  }
  return m.call("matmul", {m.call("softmax", {scores, int64_t{-1}}), x});
}

// Two indices, against each other as column and row or element by element, with or without a whole
// axis between them.
Operand picked_together(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 2, 4);
  const int64_t second = m.ndim(x) > 2 && m.draw.chance(0.3) ? 2 : 1;
  const Operand a = m.with_rank(index_tensor(m, m.size(x, 0)), 1, 1);
  Operand b = m.with_rank(index_tensor(m, m.size(x, second)), 1, 1);
  if (m.draw.chance(0.5) || m.numel(a) != m.numel(b)) b = m.call("unsqueeze", {b, int64_t{1}});
  Items items = {gathered(a)};
  if (second == 2) items.push_back(whole());
  items.push_back(gathered(b));
  return m.call("index", {x, items});
}

// Elements put in order along an axis, by counting the smaller ones.
Operand sorted(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 1);
  const int64_t n = m.size(x, 0);
  const Operand column = m.call("unsqueeze", {x, int64_t{1}});
  const Operand row = m.call("unsqueeze", {x, int64_t{0}});
  const Operand before = m.call("tril", {m.call("ones", {Shape{n, n}, DType::Int32}), int64_t{-1}});
  const Operand earlier = m.call("logical_and", {m.call("eq", {row, column}), before});
  const Operand rank = m.call("sum", {m.call("logical_or", {m.call("lt", {row, column}), earlier}),
                                      std::vector<int64_t>{1}});
  const Operand blank = m.call("zeros", {Shape{n}, m.dtype(x)});
  return m.call("scatter", {blank, int64_t{0}, rank, x});
}

Operand pooled_by_index(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 1, 2));
  const int64_t axis = m.ndim(x) - 1, n = m.size(x, axis);
  const Operand w = picked(m, x, axis, windows(m, n));
  return m.call(m.draw.chance(0.5) ? "max" : "mean", {w, std::vector<int64_t>{-1}});
}

Operand padded_interpolated(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 3);
  const Operand turned = m.call("flip", {x, std::vector<int64_t>{m.ndim(x) - 1}});
  const Operand wide =
      m.draw.chance(0.5) ? interpolated_nearest(m, turned) : interpolated(m, turned);
  std::vector<int64_t> padding(static_cast<size_t>(2 * m.ndim(wide)), 0);
  padding[padding.size() - 2] = m.draw.between(0, 2), padding.back() = m.draw.between(0, 2);
  const Operand bordered = m.call("pad", {wide, padding});
  return m.call("cat", {std::vector<Operand>{bordered, bordered}, some_axis(m, bordered)});
}

struct Composed {
  std::string_view name;
  Operand (*call)(Maker& m, Operand x);
};
constexpr Composed kComposed[] = {{"unfold", unfolded},
                                  {"interpolate_nearest", interpolated_nearest},
                                  {"interpolate_linear", interpolated},
                                  {"one_hot_product", one_hot_product},
                                  {"attention", attention},
                                  {"index_by_two", picked_together},
                                  {"sort", sorted},
                                  {"pool_by_index", pooled_by_index},
                                  {"interpolate_pad_cat", padded_interpolated}};

using Places = Operand (*)(Maker&, int64_t);
constexpr Places kPlaces[] = {resampled,
                              [](Maker& m, int64_t n) { return windows(m, n); },
                              constant_places,
                              mirrored,
                              strided,
                              strided_beyond,
                              from_floats,
                              repeated,
                              squares,
                              drawn,
                              drawn};

}  // namespace

Operand index_tensor(Maker& m, int64_t n) {
  return kPlaces[m.draw.between(0, static_cast<int64_t>(std::size(kPlaces)) - 1)](m, n);
}

Operand index_of_shape(Maker& m, int64_t n, const Shape& shape) {
  if (shape.empty() || m.draw.chance(0.3))
    return m.input(shape, DType::Int32, 0, static_cast<double>(n));
  // Computed along one axis, the same along the others.
  const auto axis = static_cast<size_t>(m.draw.between(0, static_cast<int64_t>(shape.size()) - 1));
  Operand at = m.with_rank(index_tensor(m, n), 1, 1);
  const int64_t wanted = shape[axis];
  at = m.call("repeat", {at, std::vector<int64_t>{wanted / std::max<int64_t>(m.numel(at), 1) + 1}});
  at = m.call("shrink", {at, std::vector<int64_t>{0, wanted}});
  Shape column(shape.size(), 1);
  column[axis] = wanted;
  return m.expanded(m.reshaped(at, column), shape);
}

Operand picked_among_many(Maker& m, Operand x) {
  int64_t longest = 0;
  for (int64_t a = 1; a < m.ndim(x); ++a) longest = m.size(x, a) > m.size(x, longest) ? a : longest;
  return picked(m, x, longest, index_tensor(m, m.draw.between(1, 7)));
}

std::string_view composed_name(int which) { return kComposed[which].name; }
int num_composed_functions() { return static_cast<int>(std::size(kComposed)); }
Operand composed_function(Maker& m, Operand x, int which) {
  if (m.numel(x) == 0) throw Redraw{"a composed function needs elements"};
  return kComposed[which].call(m, x);
}
Operand composed_function(Maker& m, Operand x) {
  return composed_function(m, x, static_cast<int>(m.draw.between(0, num_composed_functions() - 1)));
}

}  // namespace tg::conformance
