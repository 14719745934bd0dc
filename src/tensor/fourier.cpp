// Fourier transforms by mixed radices: n = r · m numbers are m transforms of r numbers, factors of
// modulus one, and r transforms of m numbers (Cooley and Tukey, 1965), each step's results in the
// order that the next one reads them in (Stockham, 1966). Those of r are products with a matrix;
// primes too large for that are convolutions of a power of two (Bluestein, 1970). Complex numbers
// are pairs on the last axis; between steps the transforms done so far, of p numbers, are halves of
// [rows, n / p, 2, p].
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <ranges>
#include <utility>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr int64_t kRadix = 32, kMostRadix = 48;    // small factors are taken together up to here
constexpr int64_t kMostMatrix = 64;                // primes up to here are a product with a matrix
constexpr int64_t kMostTurned = int64_t{1} << 16;  // complex elements of matrices that turn, too
constexpr int64_t kMostLength = int64_t{1} << 24;  // its factors are made by the host

// The sign of the exponent: that of the transform, or of its inverse.
enum class Direction { Forward, Inverse };

// e^(−2πi · t / n), or its conjugate; exact at quarters of a turn.
std::pair<double, double> turn(int64_t t, int64_t n, Direction d) {
  if (d == Direction::Inverse) t = n - t % n;
  const int64_t quarter = 4 * (t % n) / n, rest = 4 * (t % n) - quarter * n;
  const double angle = std::numbers::pi / 2 * static_cast<double>(rest) / static_cast<double>(n);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarter) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

// All of them, by t.
std::vector<std::pair<double, double>> turns_of(int64_t n, Direction d) {
  std::vector<std::pair<double, double>> out;
  for (int64_t t = 0; t < n; ++t) out.push_back(turn(t, n, d));
  return out;
}

// Rounded here: not every device has float64 to round from.
Tensor table(const std::vector<double>& values, const Shape& shape, const Tensor& like) {
  const TensorOptions options = {.dtype = like.dtype(), .device = like.device()};
  if (like.dtype() == DType::Float64) return Tensor(values, shape, options);
  return Tensor(std::vector<float>(values.begin(), values.end()), shape, options);
}

// Factors whose product is n: its primes, small ones multiplied together to as few factors as their
// size allows, and of much the same size.
std::vector<int64_t> radices_of(int64_t n) {
  std::vector<int64_t> out, primes;
  int64_t together = 1;
  for (int64_t p = 2; n > 1; ++p) {
    if (p * p > n) p = n;
    for (; n % p == 0; n /= p) {
      (p > kMostRadix ? out : primes).push_back(p);
      together *= p > kMostRadix ? 1 : p;
    }
  }
  if (together == 1) return out;
  size_t count = 1;
  for (int64_t most = kRadix; most < together; most *= kRadix) ++count;
  std::vector<int64_t> products;
  for (bool fits = false; !fits; ++count) {
    products.assign(count, 1);
    for (const int64_t p : primes | std::views::reverse) *std::ranges::min_element(products) *= p;
    fits = std::ranges::max(products) <= kMostRadix;
  }
  out.insert(out.end(), products.begin(), products.end());
  return out;
}

// Products of complex numbers, whose parts stand on `axis`, broadcast.
Tensor times(const Tensor& a, const Tensor& b, int axis) {
  Shape pair(static_cast<size_t>(b.ndim()), 1);
  pair[static_cast<size_t>(axis)] = 2;
  const Tensor signs = (Tensor::arange(2, {.device = a.device()}) * 2 - 1).reshape(pair);  // −1, 1
  const std::vector<Tensor> parts = b.split(1, axis);
  const Tensor &real = parts[0], &imaginary = parts[1];
  return a * real + a.flip(axis) * (imaginary * signs);
}

Tensor transformed(const Tensor& x, Direction d);

// A step's matrices of real numbers, [turned, parts · r, 2 · r]: they map r complex numbers, or
// real ones if they have one part, and turn the results by e^(−2πi · j · k / (turned · r)).
Tensor matrices(int64_t r, int64_t turned, int64_t parts, Direction d, const Tensor& like) {
  const auto turns = turns_of(turned * r, d);
  std::vector<double> m(static_cast<size_t>(turned * parts * r * 2 * r));
  for (int64_t j = 0; j < turned; ++j) {
    for (int64_t i = 0; i < r; ++i) {
      for (int64_t k = 0; k < r; ++k) {
        const auto [c, s] = turns[static_cast<size_t>((i * turned + j) * k % (turned * r))];
        const auto at = [&](int64_t part, int64_t to) -> double& {
          return m[static_cast<size_t>((((j * parts + part) * r + i) * 2 + to) * r + k)];
        };
        at(0, 0) = c, at(0, 1) = s;
        if (parts == 2) at(1, 0) = -s, at(1, 1) = c;
      }
    }
  }
  return table(m, {turned, parts * r, 2 * r}, like);
}

// [rows, r, m, parts, done] to [rows, m, 2, r, done], turned for each j below `turned`, m or 1.
Tensor by_matrix(const Tensor& x, int64_t turned, Direction d) {
  const int64_t r = x.size(1);
  const Tensor by = matrices(r, turned, x.size(3), d, x).transpose(1, 2);
  return by.matmul(x.permute({0, 2, 3, 1, 4}).flatten(2, 3)).unflatten(2, {2, r});
}

// Of [rows, r, 2] with j · k = (j² + k² − (k − j)²) / 2: a convolution with a chirp.
Tensor by_chirp(const Tensor& x, Direction d) {
  const int64_t r = x.size(1);
  const auto whole = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * r - 1)));
  std::vector<double> chirp(static_cast<size_t>(2 * r)), kernel(static_cast<size_t>(2 * whole));
  for (int64_t j = 0; j < r; ++j) {
    const auto [c, s] = turn(j * j % (2 * r), 2 * r, d);
    chirp[static_cast<size_t>(2 * j)] = c, chirp[static_cast<size_t>(2 * j + 1)] = s;
    for (const int64_t at : {j, (whole - j) % whole}) {
      kernel[static_cast<size_t>(2 * at)] = c;
      kernel[static_cast<size_t>(2 * at + 1)] = -s;
    }
  }
  const Tensor factor = table(chirp, {1, r, 2}, x);
  const Tensor kernels = transformed(table(kernel, {1, whole, 2}, x), Direction::Forward);
  const Tensor longer = times(x, factor, 2).pad({{0, 0}, {0, whole - r}, {0, 0}});
  const Tensor parts = transformed(longer, Direction::Forward);
  const Tensor sums =
      transformed(times(parts, kernels, 2), Direction::Inverse) / static_cast<double>(whole);
  return times(sums.index({Slice(), Slice(0, r)}), factor, 2);
}

// e^(−2πi · j · k / (m · r)), or its conjugate, as [1, m, 2, r, 1].
Tensor turns_between(int64_t m, int64_t r, Direction d, const Tensor& like) {
  std::vector<double> values(static_cast<size_t>(2 * m * r));
  for (int64_t j = 0; j < m; ++j) {
    for (int64_t k = 0; k < r; ++k) {
      const auto [c, s] = turn(j * k, m * r, d);
      values[static_cast<size_t>(2 * j * r + k)] = c;
      values[static_cast<size_t>((2 * j + 1) * r + k)] = s;
    }
  }
  return table(values, {1, m, 2, r, 1}, like);
}

// One step: [rows, r, m, parts, done] to [rows, m, 2, r, done].
Tensor step(const Tensor& x, Direction d) {
  const int64_t rows = x.size(0), r = x.size(1), m = x.size(2), done = x.size(4);
  if (r <= kMostMatrix && r * r * m <= kMostTurned) return by_matrix(x, m, d);
  Tensor y;
  if (r <= kMostMatrix) {
    y = by_matrix(x, 1, d);
  } else {
    const Tensor pairs = x.size(3) == 2 ? x : Tensor::cat({x, x * 0}, 3);
    const Tensor each = pairs.permute({0, 2, 4, 1, 3}).reshape({rows * m * done, r, 2});
    y = by_chirp(each, d).reshape({rows, m, done, r, 2}).permute({0, 1, 4, 3, 2});
  }
  return m > 1 ? times(y, turns_between(m, r, d, x), 2) : y;
}

// Of [rows, n, parts], with one part real numbers: [rows, n, 2].
Tensor transformed(const Tensor& x, Direction d) {
  const int64_t rows = x.size(0), n = x.size(1);
  if (n == 1) return x.size(2) == 2 ? x : Tensor::cat({x, x * 0}, 2);
  Tensor y = x.unsqueeze(-1);
  int64_t left = n, done = 1;
  for (const int64_t r : radices_of(n)) {
    left /= r;
    y = step(y.reshape({rows, r, left, y.size(2), done}), d);
    done *= r;
    y = y.reshape({rows, left, 2, done});
    if (left > 1) y = y.contiguous();
  }
  return y.squeeze(1).transpose(1, 2);
}

void need_length(std::string_view fn, const UOp& x, int axis, int64_t n) {
  if (n == 0) {
    user_error<ShapeError>(
        fn, fmt::format("axis {} of shape {} has no elements", axis, text(x.shape())));
  }
  if (n > kMostLength) {
    user_error<ArgumentError>(
        fn, fmt::format("at most {} numbers are transformed together, got {}", kMostLength, n));
  }
}

// The axis of the complex numbers, of which the last axis is no part.
int complex_axis(std::string_view fn, const UOp& x, int64_t axis) {
  if (x.ndim() < 2 || x.dim(x.ndim() - 1) != 2) {
    user_error<ShapeError>(
        fn,
        fmt::format("needs complex numbers as pairs on a last axis of size 2, got shape {}",
                    text(x.shape())),
        "Hint: rfft takes real numbers.");
  }
  need_plain_axes(fn, x);
  const int a = axis_of(fn, axis, x.shape().first(x.shape().size() - 1));
  need_length(fn, x, a, x.dim(a));
  return a;
}

// [rows, n, parts] of numbers that stand on `axis` of [..., parts], and back.
Tensor rows_along(const Tensor& x, int axis) {
  return x.transpose(axis, -2).reshape({-1, x.size(axis), x.size(-1)});
}
Tensor from_rows(const Tensor& rows, Shape shape, int axis) {
  const auto last = shape.size() - 2;
  std::swap(shape[static_cast<size_t>(axis)], shape[last]);
  shape[last] = rows.size(1);
  return rows.reshape(shape).transpose(axis, -2);
}

// The transform of pairs along any axis but the last.
Tensor along(const Tensor& x, int axis, Direction d) {
  return from_rows(transformed(rows_along(x, axis), d), x.shape(), axis);
}

}  // namespace

Tensor Tensor::fft(int64_t axis) const {
  const int a = complex_axis("fft", node_of(*this, "fft"), axis);
  const DType result = least_float(dtype());
  return along(cast(compute_float(result)), a, Direction::Forward).cast(result);
}

Tensor Tensor::ifft(int64_t axis) const {
  const int a = complex_axis("ifft", node_of(*this, "ifft"), axis);
  const DType result = least_float(dtype());
  const Tensor sums = along(cast(compute_float(result)), a, Direction::Inverse);
  return (sums / static_cast<double>(size(a))).cast(result);
}

Tensor Tensor::rfft(int64_t axis) const {
  const UOp x = node_of(*this, "rfft");
  need_plain_axes("rfft", x);
  const int a = axis_of("rfft", axis, x.shape());
  need_length("rfft", x, a, x.dim(a));
  const DType result = least_float(dtype());
  const Tensor real = cast(compute_float(result)).unsqueeze(-1);
  const Tensor all = transformed(rows_along(real, a), Direction::Forward);
  Shape shape = this->shape();
  shape.push_back(2);
  return from_rows(all.index({Slice(), Slice(0, size(a) / 2 + 1)}), shape, a).cast(result);
}

// The numbers behind the middle are the conjugates of those before it, so the result is real.
Tensor Tensor::irfft(std::optional<int64_t> size, int64_t axis) const {
  constexpr std::string_view kName = "irfft";
  const UOp x = node_of(*this, kName);
  const int a = complex_axis(kName, x, axis);
  const int64_t n = size.value_or(2 * (x.dim(a) - 1));
  if (n < 1) {
    user_error<ArgumentError>(
        kName, fmt::format("the size must be at least 1, got {} for {}", n, text(x.shape())));
  }
  need_length(kName, x, a, n);
  const DType result = least_float(dtype());
  std::vector<std::pair<int64_t, int64_t>> border(x.shape().size());
  border[static_cast<size_t>(a)] = {0, n / 2 + 1 - x.dim(a)};
  const Tensor half = cast(compute_float(result)).pad(border);
  std::vector<IndexItem> inner(static_cast<size_t>(a), IndexItem(Slice()));
  inner.emplace_back(Slice(1, (n + 1) / 2));
  const Tensor signs = 1 - Tensor::arange(2, {.device = half.device()}) * 2;  // of conjugates
  const Tensor all = cat({half, (half.index(inner) * signs).flip(a)}, a);
  const Tensor sums = along(all, a, Direction::Inverse).index({Ellipsis, 0});
  return (sums / static_cast<double>(n)).cast(result);
}

}  // namespace tg
