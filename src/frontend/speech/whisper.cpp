// See tg/models/whisper.h. Sound is heard in windows: each begins where the last one's segments
// end, as transcribe() of openai/whisper (transcribe.py) does it. The text of one: window_writer.h.
#include "tg/models/whisper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/audio/samples.h"
#include "frontend/language/memory.h"
#include "frontend/speech/speech_confidence.h"
#include "frontend/speech/token_rules.h"
#include "frontend/speech/window_writer.h"
#include "support/check.h"
#include "tg/models/audio.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFrameSamples = 160;  // of audio::log_mel
constexpr double kFrameSeconds = 0.01;

void require_memory_for(const fs::path& folder, const SpeechConfig& c, uint64_t weight_bytes,
                        uint64_t limit) {
  const auto positions = static_cast<uint64_t>(c.positions);
  const uint64_t caches = cache_bytes(c.decoder, c.decoder.context + c.positions);
  const uint64_t scores =
      static_cast<uint64_t>(c.encoder.heads) * positions * positions * sizeof(float);
  require_memory(kLoadWhisper, folder.string(),
                 std::to_array<MemoryPart>({{"weights", weight_bytes},
                                            {"keys and values", caches},
                                            {"attention of a window", scores}}),
                 limit, "Hint: choose a smaller model.");
}

WhisperInfo info_of(const WhisperFolder& folder) {
  const SpeechConfig& c = folder.config();
  WhisperInfo out{.encoder_layers = c.encoder.layers,
                  .decoder_layers = c.decoder.layers,
                  .width = c.decoder.width,
                  .vocabulary = c.decoder.vocabulary,
                  .bins = c.bins,
                  .frames = c.frames(),
                  .context = c.decoder.context,
                  .weight_bytes = folder.weight_bytes()};
  for (const auto& [code, token] : folder.tokens().languages) out.languages.push_back(code);
  return out;
}

}  // namespace

struct Whisper::State {
  WhisperInfo info;
  WindowWriter writer;

  Tensor hear(std::string_view fn, const Tensor& features);
  void check(std::string_view fn, const TranscribeOptions& o) const;
  // The options with a language: that of the window that was heard, if none is named.
  TranscribeOptions with_language(TranscribeOptions o);
  // A segment of the window that begins at the frame `begin`.
  SpeechSegment segment(const WindowSegment& part, int64_t begin, const SpeechConfidence& c) const;
};

// ---- one window

Tensor Whisper::State::hear(std::string_view fn, const Tensor& features) {
  if (features.dtype() != DType::Float32) {
    user_error<DTypeError>(
        fn, fmt::format("features are float32, got {}", dtype_name(features.dtype())));
  }
  if (features.shape() != Shape{info.bins, info.frames}) {
    user_error<ShapeError>(fn, fmt::format("features are [{}, {}], got [{}]", info.bins,
                                           info.frames, fmt::join(features.shape(), ", ")));
  }
  SpeechModel& model = writer.model();
  return model.hear(features.to(model.device()).contiguous().realize());
}

void Whisper::State::check(std::string_view fn, const TranscribeOptions& o) const {
  const auto& languages = writer.tokens().languages;
  const bool is_english_only = languages.empty();
  if (is_english_only && o.translates)
    user_error<ArgumentError>(fn, "the model knows English only, and translates nothing");
  const bool is_known = is_english_only ? o.language == "en" : languages.contains(o.language);
  if (o.language.empty() || is_known) return;
  user_error<ArgumentError>(
      fn, fmt::format("the model does not know the language \"{}\"", o.language),
      fmt::format("Hint: it knows {}.",
                  is_english_only ? "en" : fmt::format("{}", fmt::join(info.languages, ", "))));
}

TranscribeOptions Whisper::State::with_language(TranscribeOptions o) {
  if (o.language.empty()) o.language = writer.language();
  return o;
}

Whisper::Whisper(std::shared_ptr<State> state) : state_(std::move(state)) {}

Whisper Whisper::load(const fs::path& folder, const WhisperOptions& o) {
  const WhisperFolder file(folder);
  require_memory_for(folder, file.config(), file.weight_bytes(), o.memory);
  Tokenizer tokenizer = file.tokenizer();
  uint64_t done = 0;
  SpeechWeights weights = file.weights(o.device, [&](uint64_t bytes) {
    done += bytes;
    if (o.progress) o.progress(done, std::max(done, file.weight_bytes()));
  });
  return Whisper(std::shared_ptr<State>(
      new State{info_of(file), WindowWriter(file, std::move(tokenizer), std::move(weights))}));
}

const WhisperInfo& Whisper::info() const { return state_->info; }
const Tokenizer& Whisper::tokenizer() const { return state_->writer.tokenizer(); }

std::string Whisper::language(const Tensor& features) {
  state_->hear("language", features);
  return state_->writer.language();
}

std::vector<int32_t> Whisper::generate(const Tensor& features, const TranscribeOptions& o) {
  State& s = *state_;
  s.check("generate", o);
  s.hear("generate", features);
  return s.writer.write(s.with_language(o), 0, o.seed, {}).tokens;
}

Tensor Whisper::states(const Tensor& features) {
  State& s = *state_;
  // The recorded call's own result would be written over by the next one.
  const auto states = s.hear("states", features).to_vector<float>();
  return {states, {s.info.frames / 2, s.info.width}, {.device = s.writer.model().device()}};
}

Tensor Whisper::logits(const Tensor& features, std::span<const int32_t> tokens) {
  State& s = *state_;
  if (tokens.empty() || std::ssize(tokens) > s.info.context) {
    user_error<ArgumentError>("logits", fmt::format("takes 1 to {} tokens, the context, got {}",
                                                    s.info.context, tokens.size()));
  }
  for (const int32_t t : tokens) {
    if (t < 0 || t >= s.info.vocabulary) {
      user_error<ArgumentError>("logits", fmt::format("there is no token {}: the vocabulary has {}",
                                                      t, s.info.vocabulary));
    }
  }
  s.hear("logits", features);
  const Shape shape = {std::ssize(tokens), s.info.vocabulary};
  SpeechModel& model = s.writer.model();
  return {model.read_each(tokens), shape, {.device = model.device()}};
}

// ---- sound of any length

namespace {

// The spectrogram of sound, computed with silence behind it as published; behind the sound, the
// last window is zeros.
class Windows {
 public:
  Windows(std::vector<float> samples, const WhisperInfo& info, std::string device)
      : device_(std::move(device)),
        bins_(info.bins),
        frames_(info.frames),
        sound_(std::ssize(samples) / kFrameSamples) {
    samples.resize(samples.size() + static_cast<size_t>(frames_ * kFrameSamples));
    values_ = audio::log_mel(Tensor(samples, TensorOptions{.device = device_}), {.bins = bins_})
                  .to_vector<float>();
  }

  int64_t sound() const { return sound_; }  ///< frames, without the silence
  /// float32 [bins, frames of a window]
  Tensor from(int64_t begin) const {
    const int64_t columns = std::ssize(values_) / bins_, count = std::min(frames_, sound_ - begin);
    std::vector<float> part(static_cast<size_t>(bins_ * frames_));
    for (int64_t b = 0; b < bins_; ++b)
      std::copy_n(values_.begin() + b * columns + begin, count, part.begin() + b * frames_);
    return {part, {bins_, frames_}, {.device = device_}};
  }

 private:
  std::string device_;
  int64_t bins_, frames_, sound_;
  std::vector<float> values_;  // [bins, columns]
};

// Silence is one window without segments.
DividedWindow divided_text(const SpeechTokens& tokens, const WindowText& text,
                           const TranscribeOptions& o, int64_t sound) {
  if (is_silence(text.confidence, o)) return {.segments = {}, .frames = sound};
  if (o.timestamps) return divided(tokens, text.tokens, sound);
  return {.segments = {{.begin = 0, .end = sound, .tokens = text.tokens}}, .frames = sound};
}

void require_tries(const TranscribeOptions& o) {
  if (o.temperatures.empty()) {
    user_error<ArgumentError>("transcribe", "there are no temperatures to try",
                              "Hint: {0} takes the likeliest tokens.");
  }
  for (const double t : o.temperatures) {
    if (!(t >= 0 && std::isfinite(t)))
      user_error<ArgumentError>("transcribe", fmt::format("temperatures are 0 or more, got {}", t));
  }
  const auto is_number = [](double x) { return !std::isnan(x); };
  if (!is_number(o.compression_ratio_threshold) || !is_number(o.logprob_threshold) ||
      !is_number(o.no_speech_threshold))
    user_error<ArgumentError>("transcribe", "a threshold is no number");
}

}  // namespace

SpeechSegment Whisper::State::segment(const WindowSegment& part, int64_t begin,
                                      const SpeechConfidence& c) const {
  return {.begin = static_cast<double>(begin + part.begin) * kFrameSeconds,
          .end = static_cast<double>(begin + part.end) * kFrameSeconds,
          .text = writer.text_of(part.tokens),
          .tokens = {part.tokens.begin(), part.tokens.end()},
          .confidence = c};
}

Transcript Whisper::transcribe(
    const Tensor& samples, const TranscribeOptions& o,
    const std::function<void(std::span<const SpeechSegment>, double)>& on_window) {
  constexpr double kWildest = 0.5;  // temperature whose text the next window may be misled by
  State& s = *state_;
  s.check("transcribe", o);
  require_tries(o);
  const Windows windows(audio::samples_of("transcribe", samples), s.info,
                        s.writer.model().device());
  TranscribeOptions chosen = o;
  Transcript out;
  std::vector<int32_t> said = s.writer.prompt_tokens(o.prompt);
  uint64_t seed = o.seed;
  for (int64_t begin = 0; begin < windows.sound();) {
    s.writer.model().hear(windows.from(begin));
    chosen = s.with_language(std::move(chosen));
    const WindowText text = s.writer.write(chosen, seed++, said);
    const int64_t sound = std::min(s.info.frames, windows.sound() - begin);
    const DividedWindow parts = divided_text(s.writer.tokens(), text, o, sound);
    const size_t before = out.segments.size();
    for (const WindowSegment& part : parts.segments) {
      const SpeechSegment& made =
          out.segments.emplace_back(s.segment(part, begin, text.confidence));
      out.text += made.text;
      if (made.begin < made.end && !without_blanks(made.text).empty())
        said.insert(said.end(), made.tokens.begin(), made.tokens.end());
    }
    const bool is_read_next =
        o.condition_on_previous_text && text.confidence.temperature <= kWildest;
    if (!is_read_next && !is_silence(text.confidence, o)) said.clear();
    begin += parts.frames;
    if (on_window) {
      on_window(std::span(out.segments).subspan(before),
                static_cast<double>(std::min(begin, windows.sound())) * kFrameSeconds);
    }
  }
  out.language = s.writer.tokens().languages.empty() ? "" : chosen.language;
  return out;
}

}  // namespace tg::models
