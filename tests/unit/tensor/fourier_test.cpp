// Fourier transforms against their sums, for lengths of small factors, primes and large primes,
// along every axis; inverses, halves, gradients, dtypes.
#include <numbers>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

// The transform of pairs, in doubles, with the sign of the exponent.
Doubles by_sums(const Doubles& x, double sign) {
  const size_t n = x.size() / 2;
  Doubles out(x.size());
  for (size_t k = 0; k < n; ++k) {
    for (size_t j = 0; j < n; ++j) {
      const double angle =
          sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      const double c = std::cos(angle), s = std::sin(angle);
      out[2 * k] += x[2 * j] * c - x[2 * j + 1] * s;
      out[2 * k + 1] += x[2 * j] * s + x[2 * j + 1] * c;
    }
  }
  return out;
}

// Powers, products of primes, a prime by a matrix, one and a multiple by a convolution.
const std::vector<int64_t> kLengths = {1,  2,  3,  4,  5,  6,  7,  8,   9,   12,  16, 17,
                                       30, 32, 49, 60, 61, 64, 67, 100, 134, 210, 256};

TEST(Fft, IsTheSum) {
  Random random(1);
  for (const int64_t n : kLengths) {
    SCOPED_TRACE(n);
    const Doubles x = random.reals(2 * n);
    expect_values(Tensor(x, {n, 2}).fft(), {n, 2}, by_sums(x, -1), 1e-9);
    Doubles inverse = by_sums(x, 1);
    for (double& v : inverse) v /= static_cast<double>(n);
    expect_values(Tensor(x, {n, 2}).ifft(), {n, 2}, inverse, 1e-9);
  }
}
TEST(Fft, OfRealsIsTheFirstHalf) {
  Random random(2);
  for (const int64_t n : kLengths) {
    SCOPED_TRACE(n);
    const Doubles x = random.reals(n);
    Doubles pairs;
    for (const double v : x) pairs.insert(pairs.end(), {v, 0});
    Doubles half = by_sums(pairs, -1);
    half.resize(static_cast<size_t>(2 * (n / 2 + 1)));
    const Tensor spectrum = Tensor(x).rfft();
    expect_values(spectrum, {n / 2 + 1, 2}, half, 1e-9);
    expect_values(spectrum.irfft(n), {n}, x, 1e-9);
  }
}
TEST(Fft, CropsAndContinuesTheHalf) {
  const Tensor spectrum = Tensor{1., 2., 4., 8.}.rfft();
  expect_values(spectrum.irfft(), {4}, {1, 2, 4, 8});
  const Tensor more = spectrum.pad({{0, 1}, {0, 0}}), less = spectrum[{Slice(0, 2)}];
  expect_values(spectrum.irfft(6), {6}, more.irfft(6).to_vector<double>());
  expect_values(spectrum.irfft(3), {3}, less.irfft(3).to_vector<double>());
  expect_values(spectrum.irfft(1), {1}, {15});
  // Imaginary parts at both ends belong to no real numbers.
  const Tensor odd = Tensor({{0., 5.}, {0., 0.}, {0., 7.}});
  expect_values(odd.irfft(), {4}, {0, 0, 0, 0});
}
TEST(Fft, GoesAlongAnyAxis) {
  Random random(3);
  const Tensor x = random.tensor({3, 4, 5, 2}).realize();
  for (int64_t axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE(axis);
    const Tensor last = x.transpose(axis, 2).fft().transpose(axis, 2);
    expect_values(x.fft(axis), x.shape(), last.to_vector<double>(), 1e-9);
    expect_values(x.fft(axis - 3), x.shape(), last.to_vector<double>(), 1e-9);
    expect_values(x.fft(axis).ifft(axis), x.shape(), x.to_vector<double>(), 1e-9);
    const Tensor reals = x[{Ellipsis, 0}];
    const Tensor half = reals.rfft(axis);
    Shape shape = {3, 4, 5, 2};
    shape[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)] / 2 + 1;
    EXPECT_EQ(half.shape(), shape);
    expect_values(half.irfft(reals.size(axis), axis), reals.shape(), reals.to_vector<double>(),
                  1e-9);
  }
}
TEST(Fft, OfAShiftedPulseIsATurningPointer) {
  Doubles pulse(16);
  pulse[2] = 1;  // one at place 1
  Doubles want;
  for (int k = 0; k < 8; ++k)
    want.insert(want.end(),
                {std::cos(k * std::numbers::pi / 4), -std::sin(k * std::numbers::pi / 4)});
  expect_values(Tensor(pulse, {8, 2}).fft(), {8, 2}, want, 1e-12);
}
TEST(Fft, OfFloatsIsExactToTheirPrecision) {
  Random random(4);
  for (const int64_t n : {1024, 1000, 1009}) {
    SCOPED_TRACE(n);
    const Doubles x = random.reals(2 * n);
    const Tensor small(x, {n, 2}, {.dtype = DType::Float32});
    double largest = 0;
    const Doubles want = by_sums(small.to_vector<double>(), -1);
    const auto got = small.fft().to_vector<double>();
    for (size_t i = 0; i < want.size(); ++i)
      largest = std::max(largest, std::abs(got[i] - want[i]));
    EXPECT_LT(largest, 1e-6 * std::sqrt(static_cast<double>(n)) * 4);
  }
}
TEST(Fft, HasGradients) {
  Random random(5);
  for (const int64_t n : {4, 6, 67}) {
    const GradcheckOptions loose = {.atol = 1e-4};
    expect_gradients([](const auto& x) { return x[0].fft(); }, {random.tensor({n, 2})}, loose);
  }
  expect_gradients([](const auto& x) { return x[0].ifft(0); }, {random.tensor({6, 2, 2})});
  expect_gradients([](const auto& x) { return x[0].rfft(); }, {random.tensor({2, 7})});
  expect_gradients([](const auto& x) { return x[0].irfft(7); }, {random.tensor({2, 4, 2})});
}
TEST(Fft, TakesIntegersSmallFloatsAndEmptyBatches) {
  EXPECT_EQ(Tensor({{1, 0}, {3, 0}}).fft().dtype(), DType::Float32);
  EXPECT_EQ((Tensor{1, 3}.rfft().dtype()), DType::Float32);
  const Tensor half = Tensor{1., 3.}.cast(DType::Float16).rfft();
  EXPECT_EQ(half.dtype(), DType::Float16);
  expect_values(half, {2, 2}, {4, 0, -2, 0});
  EXPECT_EQ(Tensor::zeros({0, 6, 2}).fft().shape(), (Shape{0, 6, 2}));
  EXPECT_EQ(Tensor::zeros({0, 6}).rfft().shape(), (Shape{0, 4, 2}));
}
// A convolution is a product of transforms.
TEST(Fft, TurnsConvolutionsIntoProducts) {
  Random random(6);
  const Doubles a = random.reals(12), b = random.reals(12);
  Doubles want(12);
  for (size_t i = 0; i < 12; ++i)
    for (size_t j = 0; j < 12; ++j) want[(i + j) % 12] += a[i] * b[j];
  const Tensor x = Tensor(a).rfft(), y = Tensor(b).rfft();
  const Tensor xr = x[{Ellipsis, 0}], xi = x[{Ellipsis, 1}], yr = y[{Ellipsis, 0}],
               yi = y[{Ellipsis, 1}];
  const Tensor product = Tensor::stack({xr * yr - xi * yi, xr * yi + xi * yr}, -1);
  expect_values(product.irfft(12), {12}, want, 1e-9);
}

}  // namespace
}  // namespace tg
