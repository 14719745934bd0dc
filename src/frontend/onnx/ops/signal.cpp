// Fourier transforms and what belongs to them. Complex numbers are pairs on a last axis of size 2.
#include <cmath>
#include <numbers>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

DType output_type(const Node& n) {
  const int64_t number = n.integer("output_datatype", 1);
  const auto dtype = dtype_of_onnx(number);
  if (!dtype) n.unsupported("elements of " + onnx_type_name(number));
  return *dtype;
}

// a0 − a1 · cos(2πi / size) + a2 · cos(4πi / size).
Values cosine_window(const Node& n, double a0, double a1, double a2) {
  const int64_t size = n.integer(0);
  n.require(size >= 0 && size < (int64_t{1} << 24), "a size that is negative or too large");
  const auto period = static_cast<double>(n.flag("periodic", true) ? size : size - 1);
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) {
    const double t = 2 * std::numbers::pi * static_cast<double>(i) / period;
    values.push_back(a0 - a1 * std::cos(t) + a2 * std::cos(2 * t));
  }
  return {HostArray{output_type(n), {size}, {}, std::move(values)}};
}

Tensor as_pairs(const Tensor& x) {
  return x.size(-1) == 2 ? x : Tensor::cat({x, x.zeros_like()}, -1);
}

Tensor resized_to(const Tensor& x, int64_t axis, int64_t length) {
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(x.ndim()));
  pads[static_cast<size_t>(axis)] = {0, length - x.size(axis)};
  return length == x.size(axis) ? x : x.pad(pads);
}

Values dft(const Node& n) {
  Tensor x = n.tensor(0);
  n.require(x.ndim() >= 2 && (x.size(-1) == 1 || x.size(-1) == 2),
            "the last axis is not of size 1 or 2");
  int64_t axis = n.version() >= 20 ? (n.has(2) ? n.integer(2) : -2) : n.integer("axis", 1);
  axis = n.axis(axis, x.ndim());
  n.require(axis < x.ndim() - 1, "the axis is that of the pairs");
  const bool onesided = n.flag("onesided"), inverse = n.flag("inverse");
  const std::optional<int64_t> length = n.has(1) ? std::optional(n.integer(1)) : std::nullopt;
  n.require(!length || (*length > 0 && *length < (int64_t{1} << 28)),
            "dft_length is not positive or too large");
  // Half of the frequencies is enough for real numbers, which are as many as the length says.
  if (onesided && inverse) {
    n.require(length || x.size(axis) > 1, "one frequency without dft_length");
    return {as_pairs(x).irfft(length, axis).unsqueeze(-1)};
  }
  if (length) x = resized_to(x, axis, *length);
  if (onesided && x.size(-1) == 1) return {x.squeeze(-1).rfft(axis)};
  const Tensor y = inverse ? as_pairs(x).ifft(axis) : as_pairs(x).fft(axis);
  if (!onesided) return {y};
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (int64_t i = 0; i < y.ndim(); ++i)
    ranges.emplace_back(0, i == axis ? y.size(i) / 2 + 1 : y.size(i));
  return {y.shrink(ranges)};
}

Values stft(const Node& n) {
  Tensor x = n.tensor(0);
  if (x.ndim() == 2) x = x.unsqueeze(-1);
  n.require(x.ndim() == 3 && (x.size(-1) == 1 || x.size(-1) == 2),
            "the signal is not [batch, length, 1 or 2]");
  const int64_t step = n.integer(1);
  n.require(n.has(2) || n.has(3), "neither window nor frame_length");
  const int64_t length = n.has(3) ? n.integer(3) : elements_of(n.shape(2));
  n.require(step > 0 && length > 0 && length <= x.size(1),
            "frame_step and frame_length do not fit the signal");
  Tensor frames = x.unfold(1, length, step);  // [batch, frames, 1 or 2, length]
  if (n.has(2)) frames = frames * n.tensor(2);
  const bool onesided = n.flag("onesided", true);
  if (onesided && x.size(-1) == 1) return {frames.squeeze(2).rfft(-1)};
  const Tensor y = as_pairs(frames.permute({0, 1, 3, 2})).fft(2);
  return {onesided ? y[{Slice(), Slice(), Slice(0, length / 2 + 1)}] : y};
}

Values mel_weights(const Node& n) {
  const int64_t bins = n.integer(0), length = n.integer(1), rate = n.integer(2);
  const double low = n.real(3), high = n.real(4);
  n.require(bins > 0 && bins < 65536 && length > 0 && length < (int64_t{1} << 24) && rate > 0,
            "numbers that are not positive");
  const int64_t spectrum = length / 2 + 1;
  n.require(bins * spectrum < (int64_t{1} << 26), "a matrix that is too large");
  const auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const double first = mel(low), step = (mel(high) - first) / static_cast<double>(bins + 2);
  std::vector<double> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + first) / 2595) - 1);
    edges.push_back(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate)));
  }
  HostArray out{output_type(n),
                {spectrum, bins},
                {},
                std::vector<double>(static_cast<size_t>(spectrum * bins))};
  for (int64_t b = 0; b < bins; ++b) {
    const auto at = static_cast<size_t>(b);
    const double lower = edges[at], centre = edges[at + 1], upper = edges[at + 2];
    for (int64_t s = 0; s < spectrum; ++s) {
      const auto x = static_cast<double>(s);
      double w = 0;
      if (centre == lower && x == centre)
        w = 1;
      else if (x >= lower && x <= centre && centre > lower)
        w = (x - lower) / (centre - lower);
      else if (x >= centre && x < upper)
        w = (upper - x) / (upper - centre);
      out.floats[static_cast<size_t>(s * bins + b)] = w;
    }
  }
  return {std::move(out)};
}

}  // namespace

std::span<const Operator> signal_operators() {
  static const std::vector<Operator> rows = {
      {"BlackmanWindow",
       {17},
       "output_datatype periodic",
       [](const Node& n) { return cosine_window(n, 0.42, 0.5, 0.08); }},
      {"DFT", {17, 20}, "axis inverse onesided", dft},
      {"HammingWindow",
       {17},
       "output_datatype periodic",
       [](const Node& n) { return cosine_window(n, 25.0 / 46, 21.0 / 46, 0); }},
      {"HannWindow",
       {17},
       "output_datatype periodic",
       [](const Node& n) { return cosine_window(n, 0.5, 0.5, 0); }},
      {"MelWeightMatrix", {17}, "output_datatype", mel_weights},
      {"STFT", {17}, "onesided", stft},
  };
  return rows;
}

}  // namespace tg::onnx
