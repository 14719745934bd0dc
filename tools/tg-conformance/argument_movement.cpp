// Rules of movement, joining, indexing and creation; see argument_table.h.
#include <algorithm>

#include "argument_table.h"
#include "arguments.h"
#include "index_tensors.h"

namespace tg::conformance {
namespace {

using Ints = std::vector<int64_t>;

int64_t some_axis(Maker& m, Operand x) { return m.draw.between(0, m.ndim(x) - 1); }
int64_t either_way(Maker& m, Operand x, int64_t axis) {
  return m.draw.chance(0.3) ? axis - m.ndim(x) : axis;
}

// The same number of elements, axes merged and split.
Ints other_shape(Maker& m, Operand x) {
  Ints out;
  for (const int64_t extent : m.shape(x)) {
    if (!out.empty() && m.draw.chance(0.4)) {
      out.back() *= extent;
      continue;
    }
    out.push_back(extent);
  }
  Ints split;
  for (const int64_t extent : out) {
    int64_t factor =
        extent > 1 && m.draw.chance(0.5) ? m.draw.between(2, std::min<int64_t>(extent, 6)) : 1;
    if (extent % factor != 0) factor = 1;
    if (factor > 1 || m.draw.chance(0.1)) split.push_back(factor);
    split.push_back(extent / factor);
  }
  return split;
}

Operand reshape(Maker& m, std::string_view f, Operand x) {
  return m.call(f, {x, other_shape(m, x)});
}

Operand expand(Maker& m, Operand x) {
  const int64_t extent = m.draw.between(1, 5);
  const int64_t at = m.draw.between(0, m.ndim(x));
  const Operand thin = m.call("unsqueeze", {x, at});
  Ints sizes = m.shape(thin);
  for (int64_t& s : sizes) {
    if (s == 1)
      s = extent;
    else if (m.draw.chance(0.3))
      s = -1;
  }
  return m.call("expand", {thin, sizes});
}

Operand permute(Maker& m, Operand x) {
  Ints order;
  for (int64_t a = 0; a < m.ndim(x); ++a)
    order.insert(order.begin() + m.draw.between(0, static_cast<int64_t>(order.size())), a);
  return m.call("permute", {x, order});
}
Operand transpose(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 5);
  return m.call("transpose", {x, either_way(m, x, some_axis(m, x)), some_axis(m, x)});
}
Operand flip(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 5);
  Ints axes = {some_axis(m, x)};
  for (int64_t a = 0; a < m.ndim(x); ++a) {
    if (a != axes[0] && m.draw.chance(0.3)) axes.push_back(a);
  }
  return m.call("flip", {x, axes});
}
Operand shrink(Maker& m, Operand x) {
  Ints ranges;
  for (const int64_t extent : m.shape(x)) {
    const int64_t begin = extent > 1 && m.draw.chance(0.5) ? m.draw.between(0, extent - 1) : 0;
    const int64_t end =
        m.draw.chance(0.5) ? extent : m.draw.between(std::min(begin + 1, extent), extent);
    ranges.insert(ranges.end(), {begin, end});
  }
  return m.call("shrink", {x, ranges});
}
Operand pad(Maker& m, Operand x) {
  const int64_t kind = m.draw.between(0, 4);  // 0, 1: zeros; 2: a value; 3, 4: continued
  Ints padding;
  for (const int64_t extent : m.shape(x)) {
    const int64_t most = kind < 3 ? 3 : std::clamp<int64_t>(extent - 1, 0, 3);
    const int64_t least = kind < 3 && extent > 2 && m.draw.chance(0.2) ? -1 : 0;
    for (int side = 0; side < 2; ++side)
      padding.push_back(m.draw.chance(0.5) ? 0 : m.draw.between(least, most));
  }
  if (kind < 2) return m.call("pad", {x, padding});
  if (kind == 2) {
    if (m.is_float(x)) return m.call("pad", {x, padding, m.draw.real(-2, 2)});
    return m.call("pad", {x, padding, m.draw.between(0, 1)});
  }
  return m.call("pad", {x, padding, std::monostate(), m.draw.between(0, 2)});
}
Operand squeeze(Maker& m, Operand x) {
  const Operand thin = m.call("unsqueeze", {x, m.draw.between(0, m.ndim(x))});
  if (m.draw.chance(0.5)) return m.call("squeeze", {thin});
  return m.call("squeeze", {thin, either_way(m, thin, some_axis(m, thin))});
}
Operand flatten(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 5);
  const int64_t first = some_axis(m, x);
  return m.call("flatten", {x, first, m.draw.between(first, m.ndim(x) - 1)});
}
Operand unflatten(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t axis = some_axis(m, x), n = m.size(x, axis);
  Ints factors;
  for (int64_t f = 1; f <= n; ++f) {
    if (n % f == 0) factors.push_back(f);
  }
  if (factors.empty()) factors = {1};
  const int64_t factor = m.draw.of(factors);
  return m.call("unflatten", {x, axis, Ints{factor, n == 0 ? 0 : -1}});
}
Operand repeat(Maker& m, Operand x) {
  Ints counts;
  if (m.draw.chance(0.2)) counts.push_back(2);
  for (int64_t a = 0; a < m.ndim(x); ++a) counts.push_back(m.draw.between(1, 3));
  return m.call("repeat", {x, counts});
}
Operand pad_to(Maker& m, Operand x) {
  Ints sizes = m.shape(x);
  for (int64_t& s : sizes)
    s = m.draw.chance(0.3)
            ? -1
            : m.draw.between(m.draw.chance(0.2) ? std::min<int64_t>(s, 1) : s, s + 3);
  if (m.draw.chance(0.5)) return m.call("pad_to", {x, sizes});
  return m.call("pad_to", {x, sizes, m.draw.between(0, 1)});
}
Operand shrink_to(Maker& m, Operand x) {
  Ints sizes = m.shape(x);
  for (int64_t& s : sizes) s = m.draw.chance(0.3) ? -1 : m.draw.between(std::min<int64_t>(s, 1), s);
  return m.call("shrink_to", {x, sizes});
}
Operand repeat_interleave(Maker& m, Operand given) {
  const int64_t times = m.draw.between(1, 4);
  if (m.draw.chance(0.3)) return m.call("repeat_interleave", {given, times});
  const Operand x = m.with_rank(given, 1, 4);
  return m.call("repeat_interleave", {x, times, either_way(m, x, some_axis(m, x))});
}
Operand unfold(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t axis = some_axis(m, x), n = m.size(x, axis);
  const int64_t size = m.draw.between(std::min<int64_t>(n, 1), std::min<int64_t>(n, 5));
  return m.call("unfold", {x, either_way(m, x, axis), size, m.draw.between(1, 3)});
}
Operand rearrange(Maker& m, Operand given) {
  switch (m.draw.between(0, 3)) {
    case 0:
      return m.call("rearrange", {m.with_rank(given, 2, 2), std::string("a b -> b a")});
    case 1:
      return m.call("rearrange", {m.with_rank(given, 3, 3), std::string("a b c -> (c a) 1 b")});
    case 2: {
      const Operand x = m.with_rank(given, 1, 4);
      return m.call("rearrange", {x, std::string("... a -> a (...)")});
    }
    default: {
      const Operand x = m.with_rank(given, 1, 3);
      const Operand twice = m.call("cat", {std::vector<Operand>{x, x}, int64_t{-1}});
      return m.call("rearrange", {twice, std::string("... (a b) -> b ... a, a=2")});
    }
  }
}
Operand meshgrid(Maker& m, Operand given) {
  std::vector<Operand> list = {m.with_rank(given, 1, 1)};
  if (m.numel(given) > 500) list[0] = m.call("shrink_to", {list[0], Ints{7}});
  for (int64_t n = m.draw.between(1, 2); n > 0; --n)
    list.push_back(m.input({m.draw.between(1, 5)}, m.dtype(given), 0, 2));
  return m.call("meshgrid", {list, m.draw.between(0, 1)}, static_cast<int>(m.draw.between(0, 1)));
}
Operand interpolate(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const auto mode = m.draw.between(0, static_cast<int64_t>(InterpolateMode::NearestExact));
  Ints sizes;
  for (int64_t a = m.ndim(x) - m.draw.between(1, std::min<int64_t>(m.ndim(x), 2)); a < m.ndim(x);
       ++a) {
    const int64_t n = m.size(x, a);
    sizes.push_back(n == 0 ? 0 : m.draw.chance(0.2) ? 2 * n : m.draw.between(1, 2 * n + 2));
  }
  return m.call("interpolate", {x, sizes, mode, mode == 0 && m.draw.chance(0.4)});
}

Operand roll(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 5);
  return m.call("roll", {x, m.draw.between(-5, 5), either_way(m, x, some_axis(m, x))});
}
Operand triangle(Maker& m, std::string_view f, Operand given) {
  const Operand x = m.with_rank(given, 2, 4);
  return m.call(f, {x, m.draw.between(-3, 3)});
}
Operand diagonal(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 2, 2);
  const int64_t n = std::min(m.size(x, 0), m.size(x, 1));
  return m.call("diagonal", {m.call("shrink", {x, Ints{0, n, 0, n}})});
}
Operand cat(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t axis = some_axis(m, x);
  std::vector<Operand> list = {x};
  for (int64_t n = m.draw.between(0, 2); n > 0; --n) {
    Shape s = m.shape(x);
    s[static_cast<size_t>(axis)] = m.draw.between(1, 5);
    if (m.draw.chance(0.4))
      list.insert(list.begin(), x);
    else
      list.push_back(m.input(s, m.dtype(x), 0, 2));
  }
  return m.call("cat", {list, either_way(m, x, axis)});
}
Operand stack(Maker& m, Operand x) {
  std::vector<Operand> list = {x};
  for (int64_t n = m.draw.between(0, 2); n > 0; --n)
    list.push_back(m.draw.chance(0.4) ? x : m.input(m.shape(x), m.dtype(x), 0, 2));
  return m.call("stack", {list, m.draw.between(0, m.ndim(x))});
}
Operand chunk(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  return m.call("chunk", {x, m.draw.between(1, 4), some_axis(m, x)},
                static_cast<int>(m.draw.between(0, 2)));
}
// Pieces of one size, or the axis cut at up to two places.
Operand split(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t axis = some_axis(m, x), n = m.size(x, axis);
  if (m.draw.chance(0.5)) {
    const int64_t size = m.draw.between(1, std::max<int64_t>(1, n));
    const int64_t last = n == 0 ? 0 : (n - 1) / size;
    return m.call("split", {x, size, {}, axis}, static_cast<int>(m.draw.between(0, last)));
  }
  const int64_t first = m.draw.between(0, n), second = m.draw.between(0, n - first);
  return m.call("split", {x, {}, std::vector<int64_t>{first, second, n - first - second}, axis},
                static_cast<int>(m.draw.between(0, 2)));
}

// ---- indexing
Item range_of(Maker& m, int64_t n) {
  Item i{.kind = IndexItem::Kind::Range};
  if (m.draw.chance(0.5)) i.start = m.draw.between(-n, n);
  if (m.draw.chance(0.5)) i.stop = m.draw.between(-n, n);
  if (m.draw.chance(0.5))
    i.step = m.draw.chance(0.3) ? -m.draw.between(1, 2) : m.draw.between(1, 3);
  return i;
}
std::vector<Item> items_for(Maker& m, Operand x) {
  std::vector<Item> items;
  int picks = 0;
  const int64_t named = m.draw.between(1, m.ndim(x));
  for (int64_t a = 0; a < named; ++a) {
    const int64_t n = m.size(x, a);
    const int64_t kind = m.draw.between(0, 9);
    if (kind < 4 && picks < 2 && n > 0) {
      // Two index tensors are broadcast: a row of one length each fits only as a column.
      Operand at = m.with_rank(index_tensor(m, n), 1, 1);
      if (picks++ == 1) at = m.call("unsqueeze", {at, int64_t{1}});
      Item i{.kind = IndexItem::Kind::Gather};
      i.tensor = at;
      items.push_back(i);
    } else if (kind < 6 && n > 0) {
      items.push_back({.kind = IndexItem::Kind::Integer, .integer = m.draw.between(-n, n - 1)});
    } else {
      items.push_back(range_of(m, n));
    }
    if (m.draw.chance(0.1)) items.push_back({.kind = IndexItem::Kind::New});
  }
  if (named < m.ndim(x) && m.draw.chance(0.2)) items.push_back({.kind = IndexItem::Kind::Rest});
  return items;
}
Operand index(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  return m.call("index", {x, items_for(m, x)});
}
// Of places that are named twice the last wins: any order of different values would show.
Operand set(Maker& m, Operand given) {
  const Operand base = m.call("clone", {m.with_rank(given, 1, 4)});
  const std::vector<Item> items = items_for(m, base);
  const Operand part = m.call("index", {base, items});
  const Shape shape = m.shape(part);
  const DType t = m.dtype(base);
  const Operand value = m.draw.chance(0.3) ? m.input({}, t, 0, 2) : m.input(shape, t, 0, 2);
  return m.call("set", {base, items, value});
}
Operand gather(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t axis = some_axis(m, x), n = m.size(x, axis);
  if (n == 0) throw Redraw{"nothing to gather from an empty axis"};
  Shape s = m.shape(x);
  for (int64_t& extent : s) {
    if (extent > 1 && m.draw.chance(0.2)) extent = m.draw.between(1, extent);
  }
  s[static_cast<size_t>(axis)] = m.draw.between(1, 10);
  return m.call("gather", {x, either_way(m, x, axis), index_of_shape(m, n, s)});
}
// The arguments of a scatter to x: axis, places, and values or a number for all.
struct Scattered {
  int64_t axis;
  Operand at;
  Shape shape;
};
Scattered scattered(Maker& m, Operand x) {
  const int64_t axis = some_axis(m, x), n = m.size(x, axis);
  if (n == 0) throw Redraw{"nothing to scatter to on an empty axis"};
  Shape s = m.shape(x);
  s[static_cast<size_t>(axis)] = m.draw.between(1, 10);
  return {axis, index_of_shape(m, n, s), s};
}
Operand scatter(Maker& m, std::string_view f, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const auto [axis, at, s] = scattered(m, x);
  if (m.draw.chance(0.2)) return m.call(f, {x, axis, at, int64_t{1}});
  return m.call(f, {x, axis, at, m.input(s, m.dtype(x), 0, 2)});
}
Operand one_hot(Maker& m, Operand x) {
  const int64_t classes = m.draw.between(1, 7);
  const bool labels = is_int(m.dtype(x)) && m.draw.chance(0.5);
  const Operand at = labels ? x : index_tensor(m, classes);
  return m.call("one_hot", {at, classes});
}
Operand masked_select(Maker& m, Operand x) {
  const Operand mask = m.draw.chance(0.5) ? m.input(m.shape(x), DType::Bool, 0, 2) : m.as_bool(x);
  return m.call("masked_select", {x, mask, m.draw.between(0, 12), 1.0});
}

// ---- order
// Of numbers that were computed rounding decides which comes first, and between values that
// rounding makes equal, which place: data are what they are. Few different ones, so that many are
// equal.
Operand data_of_shape(Maker& m, Operand given) {
  const DType t = m.dtype(given);
  const Operand x = m.with_rank(given, 1, 4);
  if (m.is_float(x)) return m.input(m.shape(x), t);
  return m.input(m.shape(x), t, is_bool(t) || is_unsigned(t) ? 0 : -4, is_bool(t) ? 2 : 5);
}
Operand ordered(Maker& m, std::string_view f, Operand given) {
  const Operand x = data_of_shape(m, given);
  const int pick = f == "sort" ? static_cast<int>(m.draw.between(0, 1)) : -1;
  return m.call(f, {x, either_way(m, x, some_axis(m, x)), m.draw.chance(0.5)}, pick);
}
// Which of several is the largest, or equal to it, is a matter of order.
Operand scatter_reduce(Maker& m, Operand given) {
  const Operand x = data_of_shape(m, given);
  const auto [axis, at, s] = scattered(m, x);
  const auto reduction = m.draw.between(0, static_cast<int64_t>(ScatterReduction::Min));
  return m.call("scatter_reduce",
                {x, axis, at, m.input(s, m.dtype(x), 0, 2), reduction, m.draw.chance(0.5)});
}
Operand nonzero(Maker& m, Operand given) {
  return m.call("nonzero", {data_of_shape(m, given), m.draw.between(0, 12), 2.0});
}
Operand topk(Maker& m, Operand given) {
  const Operand x = data_of_shape(m, given);
  const int64_t axis = some_axis(m, x), n = m.size(x, axis);
  const int64_t k = m.draw.between(std::min<int64_t>(n, 1), n);
  return m.call("topk", {x, k, either_way(m, x, axis), m.draw.chance(0.5)},
                static_cast<int>(m.draw.between(0, 1)));
}
Operand unique(Maker& m, Operand given) {
  return m.call("unique", {data_of_shape(m, given), m.draw.between(0, 12), 1.0});
}

// ---- creation
DType some_float(Maker& m) { return m.draw.of(m.floats); }
Operand made(Maker& m, std::string_view f) {
  return m.call(f, {random_shape(m.draw, 0, 3), some_float(m)});
}
Operand of_matrix(Maker& m, std::string_view f) {
  return m.call(f, {random_shape(m.draw, 2, 3), DType::Float32});
}
Operand arange(Maker& m) {
  const double start = static_cast<double>(m.draw.between(-4, 4)), step = m.draw.real(0.5, 2);
  return m.call("arange", {start + step * static_cast<double>(m.draw.between(1, 12)), start, step});
}

#define TG_RULE(name, body)                    \
  {                                            \
    name, [](Maker& m, Operand x) -> Operand { \
      (void)x;                                 \
      return body;                             \
    }                                          \
  }

}  // namespace

const std::vector<ArgumentRule>& movement_rules() {
  static const std::vector<ArgumentRule> rules = {
      TG_RULE("reshape", reshape(m, "reshape", x)),
      TG_RULE("view", reshape(m, "view", x)),
      TG_RULE("expand", expand(m, x)),
      TG_RULE("permute", permute(m, x)),
      TG_RULE("transpose", transpose(m, x)),
      TG_RULE("T", m.call("T", {m.with_rank(x, 2, 4)})),
      TG_RULE("flip", flip(m, x)),
      TG_RULE("shrink", shrink(m, x)),
      TG_RULE("pad", pad(m, x)),
      TG_RULE("squeeze", squeeze(m, x)),
      TG_RULE("unsqueeze", m.call("unsqueeze", {x, m.draw.between(-1, m.ndim(x))})),
      TG_RULE("flatten", flatten(m, x)),
      TG_RULE("unflatten", unflatten(m, x)),
      TG_RULE("repeat", repeat(m, x)),
      TG_RULE("pad_to", pad_to(m, x)),
      TG_RULE("shrink_to", shrink_to(m, x)),
      TG_RULE("repeat_interleave", repeat_interleave(m, x)),
      TG_RULE("unfold", unfold(m, x)),
      TG_RULE("rearrange", rearrange(m, x)),
      TG_RULE("meshgrid", meshgrid(m, x)),
      TG_RULE("interpolate", interpolate(m, x)),
      TG_RULE("diag",
              m.call("diag", {m.call("shrink_to", {m.with_rank(x, 1, 1),
                                                   Ints{std::min<int64_t>(m.numel(x), 40)}})})),
      TG_RULE("roll", roll(m, x)),
      TG_RULE("tril", triangle(m, "tril", x)),
      TG_RULE("triu", triangle(m, "triu", x)),
      TG_RULE("diagonal", diagonal(m, x)),
      TG_RULE("cat", cat(m, x)),
      TG_RULE("stack", stack(m, x)),
      TG_RULE("chunk", chunk(m, x)),
      TG_RULE("split", split(m, x)),
      TG_RULE("index", index(m, x)),
      TG_RULE("set", set(m, x)),
      TG_RULE("gather", gather(m, x)),
      TG_RULE("scatter", scatter(m, "scatter", x)),
      TG_RULE("scatter_add", scatter(m, "scatter_add", x)),
      TG_RULE("scatter_reduce", scatter_reduce(m, x)),
      TG_RULE("one_hot", one_hot(m, x)),
      TG_RULE("masked_select", masked_select(m, x)),
      TG_RULE("nonzero", nonzero(m, x)),
      TG_RULE("sort", ordered(m, "sort", x)),
      TG_RULE("argsort", ordered(m, "argsort", x)),
      TG_RULE("topk", topk(m, x)),
      TG_RULE("unique", unique(m, x)),
  };
  return rules;
}

const std::vector<ArgumentRule>& creation_rules() {
  static const std::vector<ArgumentRule> rules = {
      TG_RULE("full", m.call("full", {random_shape(m.draw, 0, 3), m.draw.real(-2, 2)})),
      TG_RULE("zeros", made(m, "zeros")),
      TG_RULE("ones", made(m, "ones")),
      TG_RULE("arange", arange(m)),
      TG_RULE("linspace",
              m.call("linspace", {m.draw.real(-2, 0), m.draw.real(1, 3), m.draw.between(1, 12)})),
      TG_RULE("eye", m.call("eye", {m.draw.between(1, 7), m.draw.between(-1, 9)})),
      TG_RULE("full_like", m.call("full_like", {x, m.draw.between(0, 3)})),
      TG_RULE("rand", made(m, "rand")),
      TG_RULE("randn", made(m, "randn")),
      TG_RULE("randint", m.call("randint", {random_shape(m.draw, 0, 3), m.draw.between(-5, 0),
                                            m.draw.between(1, 9)})),
      TG_RULE("randperm", m.call("randperm", {m.draw.between(0, 40)})),
      TG_RULE("uniform", m.call("uniform", {random_shape(m.draw, 0, 3), -1.0, m.draw.real(0, 2)})),
      TG_RULE("normal", m.call("normal", {random_shape(m.draw, 0, 3), 0.5, m.draw.real(0, 2)})),
      TG_RULE("scaled_uniform", made(m, "scaled_uniform")),
      TG_RULE("glorot_uniform", of_matrix(m, "glorot_uniform")),
      TG_RULE("kaiming_uniform",
              m.call("kaiming_uniform", {random_shape(m.draw, 2, 3), m.draw.real(0, 1)})),
      TG_RULE("kaiming_normal",
              m.call("kaiming_normal", {random_shape(m.draw, 2, 3), m.draw.real(0, 1)})),
      TG_RULE("rand_like", m.call("rand_like", {m.as_float(x)})),
      TG_RULE("randn_like", m.call("randn_like", {m.as_float(x)})),
      TG_RULE("dropout", m.call("dropout", {m.as_float(x), m.draw.real(0, 0.875)})),
  };
  return rules;
}

}  // namespace tg::conformance
