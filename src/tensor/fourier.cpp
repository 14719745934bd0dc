// Fourier transforms by mixed radices: n = r · m numbers are m transforms of r numbers, factors of
// modulus one, and r transforms of m numbers (Cooley and Tukey, 1965). Those of r are products with
// a matrix; primes too large for that are convolutions of a power of two (Bluestein, 1970). Complex
// numbers are pairs on the last axis.
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr int64_t kMostRadix = 16;                 // small factors are taken together up to here
constexpr int64_t kMostMatrix = 64;                // primes up to here are a product with a matrix
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

// Rounded here: not every device has float64 to round from.
Tensor table(const std::vector<double>& values, const Shape& shape, const Tensor& like) {
  const TensorOptions options = {.dtype = like.dtype(), .device = like.device()};
  if (like.dtype() == DType::Float64) return Tensor(values, shape, options);
  return Tensor(std::vector<float>(values.begin(), values.end()), shape, options);
}

// Factors whose product is n: its primes, small ones multiplied together.
std::vector<int64_t> radices_of(int64_t n) {
  std::vector<int64_t> out;
  int64_t together = 1;
  for (int64_t p = 2; n > 1; ++p) {
    if (p * p > n) p = n;
    for (; n % p == 0; n /= p) {
      if (together * p > kMostRadix && together > 1) out.push_back(std::exchange(together, 1));
      together *= p;
    }
  }
  if (together > 1) out.push_back(together);
  return out;
}

// Products of complex numbers, broadcast.
Tensor times(const Tensor& a, const Tensor& b) {
  const Tensor real = b.index({Ellipsis, Slice(0, 1)}),
               imaginary = b.index({Ellipsis, Slice(1, 2)});
  const Tensor signs = Tensor::arange(2, {.device = a.device()}) * 2 - 1;  // −1, 1
  return a * real + a.flip(-1) * (imaginary * signs);
}
Tensor conjugate(const Tensor& a) {
  return a * (1 - Tensor::arange(2, {.device = a.device()}) * 2);
}

Tensor transformed(const Tensor& x, Direction d);

// [..., r, 2] by the matrix of real numbers that maps the pairs of r complex ones.
Tensor by_matrix(const Tensor& x, int64_t r, Direction d) {
  std::vector<double> m(static_cast<size_t>(4 * r * r));
  for (int64_t j = 0; j < r; ++j) {
    for (int64_t k = 0; k < r; ++k) {
      const auto [c, s] = turn(j * k, r, d);
      double* const real = &m[static_cast<size_t>(2 * j * 2 * r + 2 * k)];
      double* const imaginary = real + 2 * r;
      real[0] = c, real[1] = s, imaginary[0] = -s, imaginary[1] = c;
    }
  }
  return x.flatten(-2).matmul(table(m, {2 * r, 2 * r}, x)).unflatten(-1, {r, 2});
}

// [..., r, 2] with j · k = (j² + k² − (k − j)²) / 2: a convolution with a chirp.
Tensor by_chirp(const Tensor& x, int64_t r, Direction d) {
  const auto whole = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * r - 1)));
  std::vector<double> chirp, kernel(static_cast<size_t>(2 * whole));
  for (int64_t j = 0; j < r; ++j) {
    const auto [c, s] = turn(j * j % (2 * r), 2 * r, d);
    chirp.insert(chirp.end(), {c, s});
    for (const int64_t at : {j, (whole - j) % whole}) {
      kernel[static_cast<size_t>(2 * at)] = c;
      kernel[static_cast<size_t>(2 * at + 1)] = -s;
    }
  }
  const Tensor factor = table(chirp, {r, 2}, x);
  std::vector<std::pair<int64_t, int64_t>> border(static_cast<size_t>(x.ndim()));
  border[border.size() - 2] = {0, whole - r};
  const Tensor kernels = transformed(table(kernel, {whole, 2}, x), Direction::Forward);
  const Tensor parts = transformed(times(x, factor).pad(border), Direction::Forward);
  const Tensor sums =
      transformed(times(parts, kernels), Direction::Inverse) / static_cast<double>(whole);
  return times(sums.index({Ellipsis, Slice(0, r), Slice()}), factor);
}

// e^(−2πi · j · k / (m · r)), or its conjugate, as [m, r, 2].
Tensor turns_between(int64_t m, int64_t r, Direction d, const Tensor& like) {
  std::vector<double> values;
  for (int64_t j = 0; j < m; ++j) {
    for (int64_t k = 0; k < r; ++k) {
      const auto [c, s] = turn(j * k, m * r, d);
      values.insert(values.end(), {c, s});
    }
  }
  return table(values, {m, r, 2}, like);
}

// The transform along the last but one axis of [..., n, 2]. Digit i of a result's place, counted in
// the radices from the lowest on, is what step i gives: in the end they stand in opposite order.
Tensor transformed(const Tensor& x, Direction d) {
  const Shape shape = x.shape();
  const int64_t n = x.size(-2);
  const std::vector<int64_t> radices = radices_of(n);
  const auto digits = static_cast<int64_t>(radices.size());
  int64_t rows = 1;
  for (auto size = shape.begin(); size != shape.end() - 2; ++size) rows *= *size;
  Shape parts = {rows};
  std::vector<int64_t> order = {0};
  for (int64_t i = 0; i < digits; ++i) {
    parts.push_back(radices[static_cast<size_t>(i)]);
    order.push_back(digits - i);
  }
  parts.push_back(2), order.push_back(digits + 1);
  Tensor y = x;
  int64_t left = n;
  for (const int64_t r : radices) {
    left /= r;
    y = y.reshape({rows, r, left, 2}).transpose(1, 2);
    y = r > kMostMatrix ? by_chirp(y, r, d) : by_matrix(y, r, d);
    if (left > 1) y = times(y, turns_between(left, r, d, x));
    y = y.transpose(1, 2).contiguous();
    rows *= r;
  }
  return y.reshape(parts).permute(order).reshape(shape);
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

// The transform of pairs along any axis but the last.
Tensor along(const Tensor& x, int axis, Direction d) {
  return transformed(x.transpose(axis, -2), d).transpose(axis, -2);
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
  std::vector<std::pair<int64_t, int64_t>> border(static_cast<size_t>(ndim() + 1));
  border.back() = {0, 1};
  const Tensor pairs = cast(compute_float(result)).unsqueeze(-1).pad(border);
  std::vector<IndexItem> half(static_cast<size_t>(a), IndexItem(Slice()));
  half.emplace_back(Slice(0, size(a) / 2 + 1));
  return along(pairs, a, Direction::Forward).index(half).cast(result);
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
  const Tensor all = cat({half, conjugate(half.index(inner)).flip(a)}, a);
  const Tensor sums = along(all, a, Direction::Inverse).index({Ellipsis, 0});
  return (sums / static_cast<double>(n)).cast(result);
}

}  // namespace tg
