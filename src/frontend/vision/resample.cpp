// Resampling as PIL does it (src/libImaging/Resample.c of Pillow): columns, then rows, each output
// pixel a weighted sum of its neighbours in whole numbers, and rounded in between. Networks were
// trained on such pictures.
#include "frontend/vision/resample.h"

#include <algorithm>
#include <cmath>

namespace tg::images {
namespace {

constexpr int kWeightBits = 22;

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

// Keys' cubic convolution with a = −1/2.
double cubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0;
}

// The neighbours of an output pixel along one axis.
struct Window {
  int64_t begin = 0;
  std::vector<int32_t> weights;  // of 2^kWeightBits
};

std::vector<Window> windows(int64_t from, int64_t to, Filter filter) {
  const bool is_cubic = filter == Filter::Bicubic;
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = std::max(step, 1.0), reach = (is_cubic ? 2 : 1) * stretch;
  std::vector<Window> out;
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * step;
    const auto begin = std::max<int64_t>(0, static_cast<int64_t>(center - reach + 0.5));
    const auto end = std::min(from, static_cast<int64_t>(center + reach + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      const double x = (static_cast<double>(k) - center + 0.5) * (1 / stretch);
      sum += weights.emplace_back(is_cubic ? cubic(x) : triangle(x));
    }
    Window w{.begin = begin, .weights = {}};
    for (const double weight : weights)
      w.weights.push_back(
          static_cast<int32_t>(std::round(weight / (sum != 0 ? sum : 1) * (1 << kWeightBits))));
    out.push_back(std::move(w));
  }
  return out;
}

// The sum of every `stride`-th byte from `first` on, weighted.
uint8_t weighted(const uint8_t* first, size_t stride, const std::vector<int32_t>& weights) {
  int64_t sum = int64_t{1} << (kWeightBits - 1);
  for (const int32_t weight : weights) {
    sum += int64_t{weight} * *first;
    first += stride;
  }
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> kWeightBits, 0, 255));
}

Pixels with_width(const Pixels& in, int64_t width, Filter filter) {
  if (width == in.width) return in;
  const std::vector<Window> each = windows(in.width, width, filter);
  Pixels out{.height = in.height, .width = width, .channels = in.channels, .bytes = {}};
  out.bytes.reserve(static_cast<size_t>(in.height * width * in.channels));
  for (int64_t y = 0; y < in.height; ++y) {
    const uint8_t* row = in.bytes.data() + y * in.width * in.channels;
    for (const Window& w : each)
      for (int64_t c = 0; c < in.channels; ++c)
        out.bytes.push_back(
            weighted(row + w.begin * in.channels + c, static_cast<size_t>(in.channels), w.weights));
  }
  return out;
}

Pixels with_height(const Pixels& in, int64_t height, Filter filter) {
  if (height == in.height) return in;
  const int64_t row_bytes = in.width * in.channels;
  Pixels out{.height = height, .width = in.width, .channels = in.channels, .bytes = {}};
  out.bytes.reserve(static_cast<size_t>(height * row_bytes));
  for (const Window& w : windows(in.height, height, filter))
    for (int64_t x = 0; x < row_bytes; ++x)
      out.bytes.push_back(weighted(in.bytes.data() + w.begin * row_bytes + x,
                                   static_cast<size_t>(row_bytes), w.weights));
  return out;
}

}  // namespace

Pixels resampled(const Pixels& picture, int64_t height, int64_t width, Filter filter) {
  return with_height(with_width(picture, width, filter), height, filter);
}

Pixels resampled_shorter_side(const Pixels& picture, int64_t size, Filter filter) {
  const int64_t shorter = std::min(picture.height, picture.width);
  return resampled(picture, picture.height * size / shorter, picture.width * size / shorter,
                   filter);
}

Pixels cropped(const Pixels& picture, int64_t height, int64_t width, bool rounds_down) {
  const auto half = [&](int64_t n) { return n / 2 + (!rounds_down && n % 4 == 3 ? 1 : 0); };
  const int64_t top = half(picture.height - height), left = half(picture.width - width);
  Pixels out{.height = height, .width = width, .channels = picture.channels, .bytes = {}};
  for (int64_t y = top; y < top + height; ++y) {
    const auto row = picture.bytes.begin() + (y * picture.width + left) * picture.channels;
    out.bytes.insert(out.bytes.end(), row, row + width * picture.channels);
  }
  return out;
}

std::vector<float> channels_first(const Pixels& picture, const PerChannel& mean,
                                  const PerChannel& std) {
  std::vector<float> out;
  out.reserve(picture.bytes.size());
  for (size_t c = 0; c < mean.size(); ++c)
    for (size_t i = c; i < picture.bytes.size(); i += mean.size())
      out.push_back((static_cast<float>(picture.bytes[i]) / 255.0F - static_cast<float>(mean[c])) /
                    static_cast<float>(std[c]));
  return out;
}

}  // namespace tg::images
