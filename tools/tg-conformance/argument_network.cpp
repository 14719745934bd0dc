// Rules of products, convolutions, pools, normalisation and losses; see argument_table.h.
#include <algorithm>

#include "argument_table.h"
#include "arguments.h"
#include "index_tensors.h"

namespace tg::conformance {
namespace {

using Ints = std::vector<int64_t>;

Operand numbers(Maker& m, const Shape& shape, DType t) {
  if (is_float(t)) return m.input(shape, t, -1, 1);
  return m.input(shape, t, is_bool(t) || is_unsigned(t) ? 0 : -5, is_bool(t) ? 2 : 6);
}
// A tensor or none.
Argument perhaps(Maker& m, const Shape& shape, DType t) {
  if (m.draw.chance(0.5)) return std::monostate();
  return numbers(m, shape, t);
}

Operand product(Maker& m, std::string_view f, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  const int64_t inner = m.size(x, -1);
  if (m.ndim(x) >= 2 && m.draw.chance(0.3))  // with itself
    return m.call(f, {x, m.call("transpose", {x, int64_t{-1}, int64_t{-2}})});
  Shape s = {inner};
  if (m.draw.chance(0.8)) s.push_back(m.draw.between(1, 9));
  if (s.size() == 2 && m.ndim(x) > 2 && m.draw.chance(0.5)) s.insert(s.begin(), m.size(x, -3));
  return m.call(f, {x, numbers(m, s, m.dtype(x))});
}

Operand einsum(Maker& m, Operand given) {
  const DType t = m.dtype(given);
  switch (m.draw.between(0, 5)) {
    case 0: {
      const Operand x = m.with_rank(given, 2, 2);
      const Operand y = numbers(m, {m.size(x, 1), m.draw.between(1, 6)}, t);
      return m.call("einsum", {std::string("ij,jk->ik"), std::vector<Operand>{x, y}});
    }
    case 1: {
      const Operand x = m.with_rank(given, 2, 2);
      return m.call("einsum", {std::string("ij->ji"), std::vector<Operand>{x}});
    }
    case 2: {
      const Operand x = m.with_rank(given, 3, 3);
      const Operand y = numbers(m, {m.size(x, 0), m.draw.between(1, 5), m.size(x, 2)}, t);
      return m.call("einsum", {std::string("bik,bjk->bij"), std::vector<Operand>{x, y}});
    }
    case 3: {
      const Operand x = m.with_rank(given, 1, 1);
      const Operand y = numbers(m, {m.draw.between(1, 9)}, t);
      return m.call("einsum", {std::string("i,j->ij"), std::vector<Operand>{x, y}});
    }
    case 4: {
      const Operand x = m.with_rank(given, 2, 2);
      const int64_t n = std::min(m.size(x, 0), m.size(x, 1));
      const Operand square = m.call("shrink", {x, Ints{0, n, 0, n}});
      return m.call("einsum", {std::string("ii->i"), std::vector<Operand>{square}});
    }
    default: {
      const Operand x = m.with_rank(given, 2, 4);
      const Operand y = numbers(m, {m.size(x, -1)}, t);
      return m.call("einsum", {std::string("...i,i->..."), std::vector<Operand>{x, y}});
    }
  }
}

Operand linear(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  if (m.draw.chance(0.2))
    return m.call("linear", {x, numbers(m, {m.size(x, -1)}, m.dtype(x)),
                             perhaps(m, {m.size(x, -1)}, m.dtype(x))});
  const int64_t out = m.draw.between(1, 9);
  return m.call("linear",
                {x, numbers(m, {m.size(x, -1), out}, m.dtype(x)), perhaps(m, {out}, m.dtype(x))});
}

// What a window does on the spatial axes.
struct Window {
  Ints kernel, stride, dilation, padding;
};
Window window_for(Maker& m, const Shape& spatial) {
  Window w;
  for (const int64_t extent : spatial) {
    const int64_t kernel = m.draw.between(1, std::clamp<int64_t>(extent, 1, 4));
    const int64_t before = m.draw.chance(0.5) ? 0 : m.draw.between(0, 2);
    const int64_t after = m.draw.chance(0.7) ? before : m.draw.between(0, 2);
    const int64_t most = kernel > 1 ? (extent + before + after - 1) / (kernel - 1) : 3;
    w.kernel.push_back(kernel);
    w.stride.push_back(m.draw.between(1, 3));
    w.dilation.push_back(m.draw.chance(0.7) ? 1
                                            : m.draw.between(1, std::clamp<int64_t>(most, 1, 3)));
    w.padding.insert(w.padding.end(), {before, after});
  }
  return w;
}

// [batch, channels, one or two spatial axes].
Operand image(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 3, 4);
  return m.numel(x) == 0 ? throw Redraw{"windows need elements"} : x;
}
Shape spatial_of(Maker& m, Operand x) {
  const Shape s = m.shape(x);
  return {s.begin() + 2, s.end()};
}

Operand conv2d(Maker& m, Operand given) {
  const Operand x = image(m, given);
  const Window w = window_for(m, spatial_of(m, x));
  const int64_t in = m.size(x, 1);
  Ints divisors;
  for (int64_t d = 1; d <= in; ++d) {
    if (in % d == 0) divisors.push_back(d);
  }
  const int64_t groups = m.draw.chance(0.5) ? 1 : m.draw.of(divisors);
  const int64_t out = groups * m.draw.between(1, groups > 3 ? 1 : 3);
  Shape weight = {out, in / groups};
  weight.insert(weight.end(), w.kernel.begin(), w.kernel.end());
  const DType t = m.dtype(x);
  return m.call("conv2d", {x, numbers(m, weight, t), perhaps(m, {out}, t), groups, w.stride,
                           w.dilation, w.padding});
}

Operand conv_transpose2d(Maker& m, Operand given) {
  const Operand x = image(m, given);
  const Shape spatial = spatial_of(m, x);
  Shape weight = {m.size(x, 1), m.draw.between(1, 3)};
  Ints stride, more, padding;
  for (size_t i = 0; i < spatial.size(); ++i) {
    const int64_t kernel = m.draw.between(1, 3);
    weight.push_back(kernel);
    stride.push_back(m.draw.between(1, 3));
    more.push_back(m.draw.between(0, stride.back() - 1));
    padding.push_back(m.draw.between(0, spatial[i] > 1 ? (kernel - 1) / 2 : 0));
  }
  const DType t = m.dtype(x);
  return m.call("conv_transpose2d", {x, numbers(m, weight, t), perhaps(m, {weight[1]}, t),
                                     int64_t{1}, stride, int64_t{1}, padding, more});
}

Operand pool(Maker& m, std::string_view f, Operand given, int pick = -1) {
  const Operand x = m.with_rank(given, 1, 4);
  if (m.numel(x) == 0) throw Redraw{"windows need elements"};
  const Shape s = m.shape(x);
  const auto axes = std::min<size_t>(s.size(), static_cast<size_t>(m.draw.between(1, 2)));
  Window w = window_for(m, {s.end() - static_cast<std::ptrdiff_t>(axes), s.end()});
  // A window of nothing but padding has no maximum.
  for (size_t i = 0; i < w.padding.size(); ++i)
    w.padding[i] = std::min(w.padding[i], w.kernel[i / 2] / 2);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t room = s[s.size() - axes + i] + w.padding[2 * i] + w.padding[2 * i + 1];
    if (w.dilation[i] * (w.kernel[i] - 1) + 1 > room) w.dilation[i] = 1;
  }
  std::vector<Argument> arguments = {x,         w.kernel,           w.stride,          w.dilation,
                                     w.padding, m.draw.chance(0.3), m.draw.chance(0.5)};
  if (m.draw.chance(0.4)) arguments[2] = std::monostate();
  return m.call(f, arguments, pick);
}

// Which of several is the largest is a matter of rounding unless they are data.
Operand indexed_pool(Maker& m, Operand given) {
  const Operand x = m.input(m.shape(m.with_rank(given, 1, 4)), m.dtype(given), 0, 5);
  return pool(m, "max_pool2d_with_indices", x, static_cast<int>(m.draw.between(0, 1)));
}

// Values at places that are drawn.
Operand unpool(Maker& m, Operand given) {
  const Operand x = m.with_rank(given, 1, 4);
  if (m.numel(x) == 0) throw Redraw{"windows need elements"};
  const auto axes = std::min<int64_t>(m.ndim(x), m.draw.between(1, 2));
  Ints kernel;
  double count = 1;
  for (int64_t a = m.ndim(x) - axes; a < m.ndim(x); ++a) {
    kernel.push_back(m.draw.between(1, 3));
    count *= static_cast<double>(kernel.back() * m.size(x, a));
  }
  return m.call("max_unpool2d", {x, m.input(m.shape(x), DType::Int32, 0, count), kernel});
}

Operand attention(Maker& m, Operand given) {
  const Operand x = m.limited(m.as_float(m.with_rank(given, 2, 4)), 3);
  const Shape s = m.shape(x);
  const DType t = m.dtype(x);
  const int64_t keys = m.draw.between(1, 7);
  const bool shared = s.size() > 2 && s[s.size() - 3] > 1 && m.draw.chance(0.4);
  Shape k = s, v = s;
  if (shared) k[s.size() - 3] = v[s.size() - 3] = 1;
  k[s.size() - 2] = v[s.size() - 2] = keys;
  v.back() = m.draw.between(1, 5);
  const Operand key = numbers(m, k, t), value = numbers(m, v, t);
  const int64_t how = m.draw.between(0, 2);
  const Argument mask =
      how == 1 ? Argument(numbers(m, {s[s.size() - 2], keys}, t)) : std::monostate();
  return m.call("scaled_dot_product_attention", {x, key, value, mask, 0.0, how == 2, shared});
}

// ---- matrices and transforms
// A product with its transpose, and something on the diagonal.
Operand cholesky(Maker& m, Operand given) {
  const DType t = m.dtype(m.as_float(given));
  const int64_t n = m.draw.between(1, 5);
  const Operand x = m.input({m.draw.between(1, 2), n, n}, t, -1, 1);
  const Operand square = m.call("matmul", {x, m.call("transpose", {x, int64_t{-1}, int64_t{-2}})});
  const Operand one = m.call("eye", {n, n, t});
  return m.call("cholesky", {m.call("add", {square, one}), m.draw.chance(0.3)});
}
Operand solve_triangular(Maker& m, Operand given) {
  const DType t = m.dtype(m.as_float(given));
  const int64_t n = m.draw.between(1, 5), k = m.draw.between(1, 4), batch = m.draw.between(1, 2);
  const bool upper = m.draw.chance(0.5), left = m.draw.chance(0.6);
  const Operand part = m.input({batch, n, n}, t, -0.5, 0.5);
  const Operand matrix =
      m.call("add", {part, m.call("mul", {m.call("eye", {n, n, t}), int64_t{2}})});
  const Operand b = m.input(left ? Shape{n, k} : Shape{k, n}, t, -1, 1);
  return m.call("solve_triangular", {matrix, b, upper, left, m.draw.chance(0.2)});
}
Operand affine_grid(Maker& m, Operand given) {
  const int64_t axes = m.draw.between(1, 2);
  Ints size;
  for (int64_t a = 0; a < axes; ++a) size.push_back(m.draw.between(1, 5));
  const DType t = m.dtype(m.as_float(given));
  return m.call("affine_grid", {m.input({m.draw.between(1, 3), axes, axes + 1}, t, -1, 1), size,
                                m.draw.chance(0.5)});
}
// Lengths of small factors, and now and then a prime by a convolution.
Operand fourier(Maker& m, std::string_view f, Operand given) {
  const DType t = m.dtype(m.as_float(given));
  const int64_t n = m.draw.chance(0.1) ? 67 : m.draw.between(1, 24);
  const Shape pairs = {m.draw.between(1, 3), n, 2};
  if (f == "rfft") return m.call(f, {m.input({pairs[0], n}, t, -1, 1), int64_t{-1}});
  const Operand x = m.input(pairs, t, -1, 1);
  if (f == "irfft") return m.call(f, {x, m.draw.between(1, 24), int64_t{1}});
  return m.call(f, {x, m.draw.between(0, 1)});
}

Operand batch_norm(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 2, 4));
  const Shape c = {m.size(x, 1)};
  const DType t = m.dtype(x);
  const bool training = m.draw.chance(0.5);
  std::vector<Argument> arguments = {x, perhaps(m, c, t), perhaps(m, c, t)};
  if (training)
    arguments.resize(5);
  else
    arguments.insert(arguments.end(), {numbers(m, c, t), m.input(c, t, 0.5, 2)});
  arguments.insert(arguments.end(), {training, 0.125, 0.0625, int64_t{1}});
  return m.call("batch_norm", arguments);
}
Operand layer_norm(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 1, 4));
  const Shape c = {m.size(x, -1)};
  return m.call("layer_norm",
                {x, Ints{-1}, perhaps(m, c, m.dtype(x)), perhaps(m, c, m.dtype(x)), 0.0625});
}
Operand rms_norm(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 1, 4));
  return m.call("rms_norm", {x, Ints{-1}, perhaps(m, {m.size(x, -1)}, m.dtype(x)), 0.0625});
}
Operand group_norm(Maker& m, Operand given) {
  const Operand x = m.as_float(m.with_rank(given, 2, 4));
  const int64_t c = m.size(x, 1);
  Ints divisors;
  for (int64_t d = 1; d <= c; ++d) {
    if (c % d == 0) divisors.push_back(d);
  }
  if (divisors.empty()) throw Redraw{"groups of no channels"};
  return m.call("group_norm", {x, m.draw.of(divisors), perhaps(m, {c}, m.dtype(x)),
                               perhaps(m, {c}, m.dtype(x)), 0.0625});
}

Argument reduction(Maker& m) { return m.draw.between(0, 2); }

// Labels of the shape of x without its classes.
Operand labels(Maker& m, Operand x, int64_t axis) {
  Shape s = m.shape(x);
  const int64_t classes = m.size(x, axis);
  s.erase(s.begin() + (axis < 0 ? axis + m.ndim(x) : axis));
  if (classes == 0) throw Redraw{"labels of no classes"};
  return index_of_shape(m, classes, s);
}
Operand labelled(Maker& m, std::string_view f, Operand given, int64_t axis) {
  const Operand x = m.as_float(m.with_rank(given, 2, 4));
  const Operand target = labels(m, x, axis);
  if (f == "nll_loss") return m.call(f, {x, target, reduction(m), int64_t{0}});
  std::vector<Argument> arguments = {x, target, reduction(m), m.draw.chance(0.5) ? 0.0 : 0.125};
  if (m.draw.chance(0.4)) {
    arguments.emplace_back(int64_t{1});
    if (m.draw.chance(0.5)) arguments.emplace_back(m.input({m.size(x, axis)}, m.dtype(x), 0.5, 2));
  }
  return m.call(f, arguments);
}
Operand cross_entropy(Maker& m, Operand given) {
  if (m.draw.chance(0.7)) return labelled(m, "cross_entropy", given, 1);
  const Operand x = m.as_float(m.with_rank(given, 2, 4));
  return m.call("cross_entropy", {x, m.input(m.shape(x), m.dtype(x), 0, 1), reduction(m)});
}
Operand binary(Maker& m, std::string_view f, Operand given, bool logits) {
  Operand x = m.as_float(given);
  if (!logits) x = m.call("clip", {m.call("sigmoid", {x}), 0.0625, 0.9375});
  return m.call(f, {x, m.input(m.shape(x), m.dtype(x), 0, 1), reduction(m)});
}

#define TG_RULE(name, body)                                   \
  {                                                           \
    name, [](Maker& m, Operand x) -> Operand { return body; } \
  }

}  // namespace

const std::vector<ArgumentRule>& network_rules() {
  static const std::vector<ArgumentRule> rules = {
      TG_RULE("matmul", product(m, "matmul", x)),
      TG_RULE("dot", product(m, "dot", x)),
      TG_RULE("einsum", einsum(m, x)),
      TG_RULE("linear", linear(m, x)),
      TG_RULE("conv2d", conv2d(m, x)),
      TG_RULE("conv_transpose2d", conv_transpose2d(m, x)),
      TG_RULE("max_pool2d", pool(m, "max_pool2d", x)),
      TG_RULE("avg_pool2d", pool(m, "avg_pool2d", x)),
      TG_RULE("max_pool2d_with_indices", indexed_pool(m, x)),
      TG_RULE("max_unpool2d", unpool(m, x)),
      TG_RULE("scaled_dot_product_attention", attention(m, x)),
      TG_RULE("cholesky", cholesky(m, x)),
      TG_RULE("solve_triangular", solve_triangular(m, x)),
      TG_RULE("affine_grid", affine_grid(m, x)),
      TG_RULE("fft", fourier(m, "fft", x)),
      TG_RULE("ifft", fourier(m, "ifft", x)),
      TG_RULE("rfft", fourier(m, "rfft", x)),
      TG_RULE("irfft", fourier(m, "irfft", x)),
      TG_RULE("batch_norm", batch_norm(m, x)),
      TG_RULE("layer_norm", layer_norm(m, x)),
      TG_RULE("rms_norm", rms_norm(m, x)),
      TG_RULE("group_norm", group_norm(m, x)),
      TG_RULE("cross_entropy", cross_entropy(m, x)),
      TG_RULE("sparse_categorical_crossentropy",
              labelled(m, "sparse_categorical_crossentropy", x, -1)),
      TG_RULE("nll_loss", labelled(m, "nll_loss", x, 1)),
      TG_RULE("binary_crossentropy", binary(m, "binary_crossentropy", x, false)),
      TG_RULE("binary_crossentropy_logits", binary(m, "binary_crossentropy_logits", x, true)),
  };
  return rules;
}

}  // namespace tg::conformance
