// See tg/models/whisper.h. Sound is heard in windows: each begins where the last one's segments
// end, as transcribe() of openai/whisper (transcribe.py) does it.
#include "tg/models/whisper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "frontend/audio/samples.h"
#include "frontend/language/memory.h"
#include "frontend/speech/speech_model.h"
#include "frontend/speech/token_rules.h"
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
  SpeechTokens tokens;
  Tokenizer tokenizer;
  SpeechModel model;

  Tensor hear(std::string_view fn, const Tensor& features);
  std::string likeliest_language();
  void check(std::string_view fn, const TranscribeOptions& o) const;
  std::vector<int32_t> prompt(const TranscribeOptions& o) const;
  std::vector<int32_t> generate(const TranscribeOptions& o);
  std::string text_of(std::span<const int32_t> made) const;
  // A segment of the window that begins at the frame `begin`.
  void add(const WindowSegment& part, int64_t begin, Transcript& out) const;
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
  return model.hear(features.to(model.device()).contiguous().realize());
}

std::string Whisper::State::likeliest_language() {
  if (tokens.languages.empty()) return {};
  const std::vector<float> logits = model.read(std::span(&tokens.start, 1));
  const auto by_logit = [&](const auto& language) {
    return logits[static_cast<size_t>(language.second)];
  };
  return std::ranges::max_element(tokens.languages, {}, by_logit)->first;
}

void Whisper::State::check(std::string_view fn, const TranscribeOptions& o) const {
  const bool is_english_only = tokens.languages.empty();
  if (is_english_only && o.translates)
    user_error<ArgumentError>(fn, "the model knows English only, and translates nothing");
  const bool is_known =
      is_english_only ? o.language == "en" : tokens.languages.contains(o.language);
  if (o.language.empty() || is_known) return;
  user_error<ArgumentError>(
      fn, fmt::format("the model does not know the language \"{}\"", o.language),
      fmt::format("Hint: it knows {}.",
                  is_english_only ? "en" : fmt::format("{}", fmt::join(info.languages, ", "))));
}

std::vector<int32_t> Whisper::State::prompt(const TranscribeOptions& o) const {
  std::vector<int32_t> out = {tokens.start};
  if (!tokens.languages.empty()) {
    out.push_back(tokens.languages.at(o.language));
    out.push_back(o.translates ? *tokens.translate : *tokens.transcribe);
  }
  if (!o.timestamps) out.push_back(tokens.no_times);
  return out;
}

// The likeliest tokens of the window that was heard; half the context at most, as published.
std::vector<int32_t> Whisper::State::generate(const TranscribeOptions& o) {
  std::vector<int32_t> made;
  std::vector<float> logits = model.read(prompt(o));
  while (true) {
    forbid_tokens(tokens, o.timestamps, made, logits);
    const auto next = static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
    if (next == tokens.end) break;
    made.push_back(next);
    if (std::ssize(made) == info.context / 2) break;
    logits = model.read({&next, 1});
  }
  return made;
}

std::string Whisper::State::text_of(std::span<const int32_t> made) const {
  std::vector<int32_t> words;
  std::ranges::copy_if(made, std::back_inserter(words), [&](int32_t t) { return t < tokens.end; });
  return tokenizer.decode(words);
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
  return Whisper(
      std::shared_ptr<State>(new State{info_of(file), file.tokens(), std::move(tokenizer),
                                       SpeechModel(file.config(), std::move(weights))}));
}

const WhisperInfo& Whisper::info() const { return state_->info; }
const Tokenizer& Whisper::tokenizer() const { return state_->tokenizer; }

std::string Whisper::language(const Tensor& features) {
  state_->hear("language", features);
  return state_->likeliest_language();
}

std::vector<int32_t> Whisper::generate(const Tensor& features, const TranscribeOptions& o) {
  State& s = *state_;
  s.check("generate", o);
  s.hear("generate", features);
  TranscribeOptions chosen = o;
  if (o.language.empty()) chosen.language = s.likeliest_language();
  s.model.forget();
  return s.generate(chosen);
}

Tensor Whisper::states(const Tensor& features) {
  State& s = *state_;
  // The recorded call's own result would be written over by the next one.
  const auto states = s.hear("states", features).to_vector<float>();
  return {states, {s.info.frames / 2, s.info.width}, {.device = s.model.device()}};
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
  return {s.model.read_each(tokens), shape, {.device = s.model.device()}};
}

// ---- sound of any length

namespace {

// The spectrogram of sound with silence behind it, so that the last window is a whole one.
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
    const int64_t columns = std::ssize(values_) / bins_;
    std::vector<float> part;
    for (int64_t b = 0; b < bins_; ++b) {
      const auto first = values_.begin() + b * columns + begin;
      part.insert(part.end(), first, first + frames_);
    }
    return {part, {bins_, frames_}, {.device = device_}};
  }

 private:
  std::string device_;
  int64_t bins_, frames_, sound_;
  std::vector<float> values_;  // [bins, columns]
};

}  // namespace

void Whisper::State::add(const WindowSegment& part, int64_t begin, Transcript& out) const {
  out.segments.push_back({.begin = static_cast<double>(begin + part.begin) * kFrameSeconds,
                          .end = static_cast<double>(begin + part.end) * kFrameSeconds,
                          .text = text_of(part.tokens),
                          .tokens = {part.tokens.begin(), part.tokens.end()}});
  out.text += out.segments.back().text;
}

Transcript Whisper::transcribe(
    const Tensor& samples, const TranscribeOptions& o,
    const std::function<void(std::span<const SpeechSegment>, double)>& on_window) {
  State& s = *state_;
  s.check("transcribe", o);
  const Windows windows(audio::samples_of("transcribe", samples), s.info, s.model.device());
  TranscribeOptions chosen = o;
  Transcript out;
  for (int64_t begin = 0; begin < windows.sound();) {
    s.model.hear(windows.from(begin));
    if (chosen.language.empty()) {
      chosen.language = s.likeliest_language();
      s.model.forget();
    }
    const std::vector<int32_t> made = s.generate(chosen);
    const int64_t sound = std::min(s.info.frames, windows.sound() - begin);
    DividedWindow parts{.segments = {{.begin = 0, .end = sound, .tokens = made}}, .frames = sound};
    if (o.timestamps) parts = divided(s.tokens, made, sound);
    const size_t before = out.segments.size();
    for (const WindowSegment& part : parts.segments) s.add(part, begin, out);
    begin += parts.frames;
    if (on_window) {
      on_window(std::span(out.segments).subspan(before),
                static_cast<double>(std::min(begin, windows.sound())) * kFrameSeconds);
    }
  }
  out.language = s.tokens.languages.empty() ? "" : chosen.language;
  return out;
}

}  // namespace tg::models
