// Sound files are read whatever their format; other sampling rates keep tones and remove what they
// cannot hold; spectrograms are those of `transformers` (tests/reference/speech, made by
// make_speech.py there); what is damaged is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "support/error_text.h"
#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/models/audio.h"
#include "tg/state.h"

namespace tg::audio {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

fs::path speech_reference() { return test::source_dir() / "tests/reference/speech"; }

std::vector<float> tone(double hertz, int64_t rate, int64_t count, double height = 0.5) {
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i) {
    const double turns = hertz * static_cast<double>(i) / static_cast<double>(rate);
    out.push_back(static_cast<float>(height * std::sin(2 * std::numbers::pi * turns)));
  }
  return out;
}

// Of the middle: at the ends there are zeros around the samples.
double largest_difference(const std::vector<float>& a, const std::vector<float>& b, size_t ends) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (size_t i = ends; i + ends < std::min(a.size(), b.size()); ++i) {
    const double d = std::abs(double{a[i]} - double{b[i]});
    worst = d <= worst ? worst : d;  // NaN is the worst
  }
  return worst;
}

// ---- files

// Each holds 440 Hz on the left and 1000 Hz on the right, 0.25 s at 44.1 kHz.
class SoundFiles : public testing::TestWithParam<std::string> {
 protected:
  fs::path file() const { return speech_reference() / ("tone." + GetParam()); }
  bool is_exact() const { return GetParam() != "ogg" && GetParam() != "mp3"; }
  static std::vector<float> wanted(int64_t rate, int64_t count) {
    std::vector<float> left = tone(440, rate, count), right = tone(1000, rate, count);
    for (size_t i = 0; i < left.size(); ++i) left[i] = (left[i] + right[i]) / 2;
    return left;
  }
};

TEST_P(SoundFiles, AreReadAsOneChannel) {
  const Sound s = read(file(), {.rate = 0});
  EXPECT_EQ(s.rate, 44100);
  const auto samples = s.samples.to_vector<float>();
  if (GetParam() != "mp3") {  // which has silence at its ends
    ASSERT_EQ(samples.size(), 11025U);
    EXPECT_LT(largest_difference(samples, wanted(44100, 11025), 1000), is_exact() ? 1e-4 : 0.05);
  }
  const double most = *std::ranges::max_element(samples);
  EXPECT_GT(most, 0.45);
  EXPECT_LT(most, 0.55);
}

TEST_P(SoundFiles, AreReadAtTheRateOfSpeech) {
  const Sound s = read(file());
  EXPECT_EQ(s.rate, kSpeechRate);
  const auto samples = s.samples.to_vector<float>();
  if (!is_exact()) return;
  EXPECT_LT(largest_difference(samples, wanted(16000, 4000), 40), 3e-4);
}

TEST_P(SoundFiles, AreTheSameAsBytesInMemory) {
  const std::string bytes = read_file(file());
  const Sound s = decode(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(s.samples.to_vector<float>(), read(file()).samples.to_vector<float>());
}

TEST_P(SoundFiles, ThatAreCutOffOrDamagedAreReadOrRefused) {
  const std::string bytes = read_file(file());
  for (size_t length = 0; length < bytes.size(); length += 1 + length / 3) {
    std::string part = bytes.substr(0, length);
    test::error_text([&] { decode(std::as_bytes(std::span(part))); });
    part = bytes;
    for (size_t i = length; i < std::min(length + 4, part.size()); ++i) part[i] = '\xFF';
    test::error_text([&] { decode(std::as_bytes(std::span(part)), {.most_samples = 1 << 16}); });
  }
}

INSTANTIATE_TEST_SUITE_P(All, SoundFiles, testing::Values("wav", "flac", "ogg", "mp3", "aiff"),
                         [](const auto& info) { return info.param; });

TEST(Sounds, ThatAreNoneAreErrorsWithTheFile) {
  const TempDir folder("sounds");
  const auto with = [&](const std::string& bytes) {
    write_file(folder.path() / "x.wav", bytes);
    return test::error_text([&] { read(folder.path() / "x.wav"); });
  };
  const std::string name = "audio::read: \"" + (folder.path() / "x.wav").string() + "\" ";
  EXPECT_EQ(test::error_text([&] { read(folder.path() / "x.wav"); }), name + "cannot be read.");
  EXPECT_THAT(with(""), HasSubstr(name + "is no sound file: "));
  EXPECT_THAT(with("hello"), HasSubstr(name + "is no sound file: "));
  EXPECT_THAT(test::error_text([&] { read(folder.path()); }), HasSubstr("is no sound file: "));
  const std::string whole = read_file(speech_reference() / "tone.wav");
  EXPECT_EQ(with(whole.substr(0, 44)), name + "has no samples.");
  std::string slow = whole;
  slow.replace(24, 4, std::string("\x01\0\0\0", 4));
  EXPECT_EQ(with(slow), name + "has 1 samples a second, and there may be 1000 to 768000.");
}

TEST(Sounds, OfAHeaderThatClaimsMoreThanThereIsAreWhatThereIs) {
  std::string bytes = read_file(speech_reference() / "tone.wav");
  bytes.replace(40, 4, std::string("\xF0\xFF\xFF\x7F", 4));  // bytes of samples
  const Sound s = decode(std::as_bytes(std::span(bytes)), {.rate = 0});
  EXPECT_EQ(s.samples.size(0), 11025);
}

TEST(Sounds, ThatAreTooLongAreRefused) {
  const fs::path file = speech_reference() / "tone.wav";
  EXPECT_THAT(test::error_text([&] { read(file, {.most_samples = 11024}); }),
              HasSubstr("tone.wav\" has more than 11024 samples."));
  EXPECT_EQ(read(file, {.rate = 44100, .most_samples = 11025}).samples.size(0), 11025);
  EXPECT_THAT(test::error_text([&] { read(file, {.rate = 48000, .most_samples = 11999}); }),
              HasSubstr("tone.wav\" has 12000 samples at 48000 a second, of at most 11999."));
  EXPECT_EQ(test::error_text([&] { read(file, {.rate = 999}); }),
            "audio::read: a rate is 1000 to 768000 samples a second, got 999.");
}

// ---- sampling rates

TEST(Resampling, KeepsTonesThatBothRatesHold) {
  for (const auto& [from, to] : std::vector<std::pair<int64_t, int64_t>>{
           {44100, 16000}, {48000, 16000}, {8000, 16000}, {16000, 44100}, {44101, 16000}}) {
    const auto got = resample(Tensor(tone(1000, from, from / 2)), from, to).to_vector<float>();
    EXPECT_LT(largest_difference(got, tone(1000, to, std::ssize(got)), 250), 1e-4)
        << from << " to " << to;
    EXPECT_EQ(std::ssize(got), (from / 2 * to + from - 1) / from);
  }
}

// The edges of what is promised: 90 % and all of half the lower rate.
TEST(Resampling, HasASteepEdge) {
  const auto lowered = [](double hertz) {
    return resample(Tensor(tone(hertz, 44100, 44100)), 44100, 16000).to_vector<float>();
  };
  EXPECT_LT(largest_difference(lowered(7200), tone(7200, 16000, 16000), 250), 1e-4);
  for (const double hertz : {8000.0, 9000.0, 20000.0})
    EXPECT_LT(largest_difference(lowered(hertz), std::vector<float>(16000), 250), 1e-4) << hertz;
  const auto raised = resample(Tensor(tone(3600, 8000, 4000)), 8000, 16000).to_vector<float>();
  EXPECT_LT(largest_difference(raised, tone(3600, 16000, 8000), 250), 1e-4);
}

TEST(Resampling, RefusesWhatIsNoSound) {
  const Tensor two = Tensor::zeros({2, 8});
  EXPECT_EQ(test::error_text([&] { resample(two, 8000, 16000); }),
            "resample: samples have one axis, got [2, 8]. Hint: mean(0) makes one channel of "
            "several.");
  EXPECT_EQ(test::error_text([&] { resample(two.cast(DType::Int16), 8000, 16000); }),
            "resample: samples are float32, got int16.");
  EXPECT_EQ(test::error_text([&] { resample(Tensor::zeros({8}), 8000, 0); }),
            "resample: a rate is 1000 to 768000 samples a second, got 0.");
  EXPECT_EQ(resample(Tensor::zeros({0}), 8000, 16000).size(0), 0);
}

// ---- spectrograms

TEST(Spectrograms, AreThoseOfTransformers) {
  const nn::StateDict wanted = nn::load(speech_reference() / "spectrograms.safetensors");
  const Tensor samples = wanted.at("samples").cast(DType::Float32) / 32768;
  for (const int64_t bins : {80, 128}) {
    const Tensor& x = wanted.at("bins_" + std::to_string(bins));
    const Tensor got = log_mel(samples, {.bins = bins});
    EXPECT_EQ(got.shape(), (Shape{bins, 100}));
    EXPECT_LT(largest_difference(got.to_vector<float>(), x.to_vector<float>(), 0), 1e-4) << bins;
  }
}

// Frames depend on what is around them only, but for the largest of all: a click sets that.
TEST(Spectrograms, OfLongSoundAreThoseOfItsParts) {
  constexpr int64_t kRate = kSpeechRate, kSeconds = 65, kBegin = 29, kLength = 3;
  Tensor samples = Tensor(tone(700, kRate, kSeconds * kRate, 0.1)) +
                   Tensor(tone(3.3, kRate, kSeconds * kRate, 0.01));
  const Tensor is_click = Tensor::arange(kSeconds * kRate) == (kBegin + 1) * kRate;
  samples = is_click.where(1.0F, samples).contiguous();
  const Tensor whole = log_mel(samples);
  EXPECT_EQ(whole.shape(), (Shape{80, kSeconds * 100}));
  const Tensor part = log_mel(samples[{Slice(kBegin * kRate, (kBegin + kLength) * kRate)}]);
  const auto middle = [](const Tensor& t, int64_t begin) {
    return t[{Slice(), Slice(begin + 2, begin + kLength * 100 - 2)}].to_vector<float>();
  };
  EXPECT_LT(largest_difference(middle(whole, kBegin * 100), middle(part, 0), 0), 1e-4);
}

TEST(Spectrograms, RefuseTooLittleSoundAndTooManyBands) {
  EXPECT_EQ(test::error_text([&] { log_mel(Tensor::zeros({200})); }),
            "log_mel: takes more than 200 samples, got 200. Hint: put zeros behind them.");
  EXPECT_EQ(log_mel(Tensor::zeros({201})).shape(), (Shape{80, 1}));
  EXPECT_EQ(test::error_text([&] { log_mel(Tensor::zeros({400}), {.bins = 0}); }),
            "log_mel: bins are 1 to 512, got 0.");
}

}  // namespace
}  // namespace tg::audio
