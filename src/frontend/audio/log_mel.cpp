// The spectrogram that Whisper reads, as WhisperFeatureExtractor of `transformers` computes it. The
// Fourier transform of 400 samples is a product with its matrix: 400 is no power of two, and such a
// product is what devices are fastest at. Sound of any length goes through pieces of one size, so
// that there is one set of kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "frontend/audio/samples.h"
#include "support/check.h"
#include "tg/autograd.h"
#include "tg/models/audio.h"

namespace tg::audio {
namespace {

constexpr int64_t kWindow = 400, kHop = 160, kFrequencies = kWindow / 2 + 1;
constexpr int64_t kPiece = 3000;  // frames: 30 seconds
constexpr int64_t kMostBins = 512;
constexpr double kLeastPower = 1e-10;
constexpr float kRange = 8;  // powers of ten

// Slaney's mel scale (Auditory Toolbox, 1998): linear up to 1000 Hz, where 15 mels are, and
// logarithmic above.
constexpr double kLinearHertz = 200.0 / 3, kLogHertz = 1000, kLogMel = 15;
const double kLogStep = std::log(6.4) / 27;

double mel_of(double hertz) {
  return hertz < kLogHertz ? hertz / kLinearHertz
                           : kLogMel + std::log(hertz / kLogHertz) / kLogStep;
}
double hertz_of(double mel) {
  return mel < kLogMel ? mel * kLinearHertz : kLogHertz * std::exp(kLogStep * (mel - kLogMel));
}

// Triangles over the frequencies, [frequencies, bins]: each of the same area.
std::vector<float> mel_bands(int64_t bins) {
  const double highest = mel_of(kSpeechRate / 2.0);
  const auto corner = [&](int64_t i) {
    return hertz_of(highest * static_cast<double>(i) / static_cast<double>(bins + 1));
  };
  std::vector<float> out;
  for (int64_t f = 0; f < kFrequencies; ++f) {
    const double hertz = static_cast<double>(f) * kSpeechRate / kWindow;
    for (int64_t b = 0; b < bins; ++b) {
      const double left = corner(b), middle = corner(b + 1), right = corner(b + 2);
      const double rising = (hertz - left) / (middle - left);
      const double falling = (right - hertz) / (right - middle);
      const double height = std::max(0.0, std::min(rising, falling));
      out.push_back(static_cast<float>(height * 2 / (right - left)));
    }
  }
  return out;
}

// Cosines, then sines, of all frequencies under a Hann window: [window, 2 · frequencies].
std::vector<float> fourier_matrix() {
  std::vector<float> out;
  for (int64_t i = 0; i < kWindow; ++i) {
    const auto angle = [&](int64_t turns) {
      return 2 * std::numbers::pi * static_cast<double>(turns % kWindow) / kWindow;
    };
    const double window = 0.5 - 0.5 * std::cos(angle(i));
    for (int64_t f = 0; f < kFrequencies; ++f)
      out.push_back(static_cast<float>(window * std::cos(angle(i * f))));
    for (int64_t f = 0; f < kFrequencies; ++f)
      out.push_back(static_cast<float>(window * std::sin(angle(i * f))));
  }
  return out;
}

// [n] with half a window at each end, continued by reflection.
std::vector<float> reflected(const std::vector<float>& samples) {
  constexpr auto kHalf = size_t{kWindow / 2};
  const size_t n = samples.size();
  std::vector<float> out;
  out.reserve(n + kWindow);
  for (size_t i = 0; i < kHalf; ++i) out.push_back(samples[kHalf - i]);
  out.insert(out.end(), samples.begin(), samples.end());
  for (size_t i = 0; i < kHalf; ++i) out.push_back(samples[n - 2 - i]);
  return out;
}

// Decimal logarithms of the bands of a piece: [samples of a piece] to [bins, frames].
class PieceOfMel {
 public:
  PieceOfMel(int64_t bins, std::string device)
      : device_(std::move(device)),
        fourier_(fourier_matrix(), {kWindow, 2 * kFrequencies}, {.device = device_}),
        bands_(mel_bands(bins), {kFrequencies, bins}, {.device = device_}) {}

  std::vector<float> operator()(std::vector<float> samples) const {
    samples.resize(kPiece * kHop + kWindow - kHop);
    const Tensor frames =
        Tensor(samples, TensorOptions{.device = device_}).unfold(0, kWindow, kHop);
    const Tensor waves = frames.matmul(fourier_).contiguous();
    const Tensor cosines = waves[{Slice(), Slice(0, kFrequencies)}];
    const Tensor sines = waves[{Slice(), Slice(kFrequencies, 2 * kFrequencies)}];
    const Tensor power = (cosines * cosines + sines * sines).contiguous();
    const Tensor bands = power.matmul(bands_).maximum(kLeastPower);
    return bands.log10().transpose().to_vector<float>();
  }

 private:
  std::string device_;
  Tensor fourier_, bands_;
};

}  // namespace

Tensor log_mel(const Tensor& samples, const LogMelOptions& o) {
  if (o.bins < 1 || o.bins > kMostBins)
    user_error<ArgumentError>("log_mel",
                              fmt::format("bins are 1 to {}, got {}", kMostBins, o.bins));
  const std::vector<float> host = samples_of("log_mel", samples);
  if (std::ssize(host) <= kWindow / 2) {
    user_error<ShapeError>(
        "log_mel", fmt::format("takes more than {} samples, got {}", kWindow / 2, host.size()),
        "Hint: put zeros behind them.");
  }
  const NoGradScope no_gradients;
  const std::vector<float> padded = reflected(host);
  const int64_t frames = std::ssize(host) / kHop;
  const PieceOfMel piece_of(o.bins, samples.device());
  std::vector<float> out(static_cast<size_t>(o.bins * frames));
  for (int64_t begin = 0; begin < frames; begin += kPiece) {
    const int64_t count = std::min(kPiece, frames - begin);
    const auto first = padded.begin() + begin * kHop;
    const int64_t rest = std::min<int64_t>(padded.end() - first, kPiece * kHop + kWindow - kHop);
    const std::vector<float> piece = piece_of({first, first + rest});
    for (int64_t b = 0; b < o.bins; ++b)
      std::copy_n(piece.begin() + b * kPiece, count, out.begin() + b * frames + begin);
  }
  const float least = out.empty() ? 0 : *std::ranges::max_element(out) - kRange;
  for (float& x : out) x = (std::max(x, least) + 4) / 4;
  return {out, {o.bins, frames}, {.device = samples.device()}};
}

}  // namespace tg::audio
