// Sampling rates by windowed sincs, as a polyphase filter: output k stands at the input's time
// k · from / to, and all outputs at the same distance from an input have the same weights. Own code
// rather than a library: it is one product of numbers a sample, for any two rates, and what it does
// is written down here. Source of the method: J. O. Smith, "Digital Audio Resampling Home Page",
// https://ccrma.stanford.edu/~jos/resample/.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "frontend/audio/sound_file.h"

namespace tg::audio {
namespace {

constexpr double kCrossings = 64;       // of zero, on each side
constexpr double kKept = 0.95;          // of half of the lower rate: the middle of the slope
constexpr double kKaiserShape = 9;      // side lobes about 90 dB down
constexpr int64_t kBlockCycles = 1024;  // outputs of a phase in a block
constexpr int64_t kLeastBlock = 1 << 14;

// The modified Bessel function of the first kind, order 0: Σ ((x/2)^k / k!)².
double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-12 * sum; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

double windowed_sinc(double x) {
  const double share = x / kCrossings;
  if (std::abs(share) >= 1) return 0;
  static const double middle = bessel_i0(kKaiserShape);
  const double window = bessel_i0(kKaiserShape * std::sqrt(1 - share * share)) / middle;
  const double angle = std::numbers::pi * x;
  return x == 0 ? 1 : window * std::sin(angle) / angle;
}

// The inputs that an output at `time` (in inputs) is made of.
struct Taps {
  int64_t first = 0;
  std::vector<float> weights;

  Taps(double time, double scale) {
    const double reach = kCrossings / scale;
    first = static_cast<int64_t>(std::ceil(time - reach));
    const auto last = static_cast<int64_t>(std::floor(time + reach));
    for (int64_t i = first; i <= last; ++i) {
      const double x = scale * (time - static_cast<double>(i));
      weights.push_back(static_cast<float>(scale * windowed_sinc(x)));
    }
  }

  // With zeros around the samples; the taps moved on by `shift`.
  float of(std::span<const float> samples, int64_t shift) const {
    const int64_t begin = first + shift;
    const int64_t from = std::max<int64_t>(0, -begin);
    const int64_t to = std::min(std::ssize(weights), std::ssize(samples) - begin);
    if (from >= to) return 0;
    const float* w = weights.data() + from;
    const float* x = samples.data() + (begin + from);
    const auto count = static_cast<size_t>(to - from);
    // Sums side by side, which the compiler may put into one vector.
    constexpr size_t kLanes = 16;
    std::array<float, kLanes> sums{};
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
      for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += w[i + lane] * x[i + lane];
    for (; i < count; ++i) sums[0] += w[i] * x[i];
    return std::accumulate(sums.begin(), sums.end(), 0.0F);
  }
};

}  // namespace

uint64_t resampled_count(uint64_t count, int64_t from, int64_t to) {
  const auto f = static_cast<uint64_t>(from), t = static_cast<uint64_t>(to);
  return count / f * t + (count % f * t + f - 1) / f;
}

std::vector<float> resampled(std::span<const float> samples, int64_t from, int64_t to) {
  if (from == to) return {samples.begin(), samples.end()};
  const int64_t common = std::gcd(from, to), step = from / common, phases = to / common;
  const double scale = kKept * std::min(1.0, static_cast<double>(to) / static_cast<double>(from));
  const auto count = static_cast<int64_t>(resampled_count(samples.size(), from, to));
  std::vector<float> out(static_cast<size_t>(count));
  // A block holds whole cycles of the phases, so that its inputs stay in the processor's cache.
  const int64_t cycles = std::max(kBlockCycles, kLeastBlock / phases);
  for (int64_t block = 0; block < count; block += cycles * phases) {
    const int64_t end = std::min(count, block + cycles * phases);
    for (int64_t phase = 0; phase < phases && block + phase < end; ++phase) {
      const Taps taps(
          static_cast<double>(phase) * static_cast<double>(step) / static_cast<double>(phases),
          scale);
      for (int64_t k = block + phase; k < end; k += phases)
        out[static_cast<size_t>(k)] = taps.of(samples, k / phases * step);
    }
  }
  return out;
}

}  // namespace tg::audio
