// Speech to text: Whisper (Radford et al., 2022), from the folders that models are published as
// (config.json, generation_config.json, model.safetensors, tokenizer.json). Link
// `tinygrad::models`.
//
//   tg::models::Whisper model = tg::models::Whisper::load("whisper-tiny");
//   std::cout << model.transcribe(tg::audio::read("talk.flac").samples).text << '\n';
//
// Reading sound: audio.h. What a folder has to hold, and how long sound is divided: docs/audio.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/models/tokenizer.h"
#include "tg/tensor.h"

namespace tg::models {

/// Of Whisper::load.
struct WhisperOptions {
  std::string device = {};  ///< where it computes; empty: the default device
  /// Bytes that the model may take; 0: what the system says is free, where it does.
  uint64_t memory = 0;
  /// Called while weights are read: bytes so far, and of all.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// What a model is.
struct WhisperInfo {
  int64_t encoder_layers = 0, decoder_layers = 0;
  int64_t width = 0;                        ///< numbers for each position
  int64_t vocabulary = 0;                   ///< tokens
  int64_t bins = 0;                         ///< bands of the spectrogram that it reads
  int64_t frames = 0;                       ///< of a window, 10 ms each: 3000
  int64_t context = 0;                      ///< tokens of a window, those of the prompt included
  std::vector<std::string> languages = {};  ///< "de", "en", …; none: English only
  uint64_t weight_bytes = 0;                ///< of its files
};

/// Of Whisper::transcribe and Whisper::generate.
struct TranscribeOptions {
  std::string language = {};  ///< of the speech, as the model calls it; empty: found out
  bool translates = false;    ///< to English, instead of writing down what is said
  /// The model says when each segment begins and ends, and a window begins where the last one's
  /// segments end; else each window is one segment.
  bool timestamps = true;

  // What follows is of Whisper::transcribe alone, named and set as in transcribe.py of
  // openai/whisper.

  /// Tried one after the other until the text is no longer doubtful: 0 takes the likeliest token,
  /// more draws one, the more freely the higher. {0} tries once.
  std::vector<double> temperatures = {0, 0.2, 0.4, 0.6, 0.8, 1};
  double compression_ratio_threshold = 2.4;  ///< above it a text is doubtful: it repeats itself
  double logprob_threshold = -1;             ///< below it a text is doubtful: it is unlikely
  /// Above it a window whose text is unlikely is silence, and has no segments. 1: none is.
  double no_speech_threshold = 0.6;
  /// The text so far goes before each window's, so that names and style stay the same; not that of
  /// a temperature above 0.5.
  bool condition_on_previous_text = true;
  std::string prompt = {};  ///< goes before the first window's text: names, say, or a topic
  uint64_t seed = 0;        ///< equal seeds draw equal tokens
};

/// How a window was written down, and how sure of it the model is. As in openai/whisper.
struct SpeechConfidence {
  double temperature = 0;        ///< that of TranscribeOptions::temperatures which was taken
  double avg_logprob = 0;        ///< natural logarithm of the probability of a token, the mean
  double compression_ratio = 0;  ///< bytes of the text, by those that zlib needs for them
  double no_speech_prob = 0;     ///< how probable it is that nobody speaks
};

/// A part of a text, usually a sentence.
struct SpeechSegment {
  double begin = 0, end = 0;         ///< seconds
  std::string text = {};             ///< mostly with a space before it
  std::vector<int32_t> tokens = {};  ///< those of its times included
  SpeechConfidence confidence = {};  ///< of its window
};

/// What Whisper::transcribe makes of speech.
struct Transcript {
  std::string language = {};  ///< of the speech; empty where the model knows one only
  std::string text = {};      ///< of all segments
  std::vector<SpeechSegment> segments = {};
};

/// An encoder of sound and a decoder of text with their weights. Copies are names for one model;
/// only one thread at a time may use it. Tokens are chosen under the rules that are published with
/// the model (openai/whisper, decoding.py).
class TG_API Whisper {
 public:
  /// From a folder. FileError, naming file and key or tensor, for what is missing, damaged or not
  /// supported; ArgumentError if it needs more memory than there is.
  static Whisper load(const std::filesystem::path& folder, const WhisperOptions& options = {});

  const WhisperInfo& info() const;
  const Tokenizer& tokenizer() const;

  /// The text of sound at 16 kHz, float32 [samples] of any length. `on_window` is called after each
  /// window of 30 seconds with its segments, and the seconds of the sound that are done.
  /// A text that repeats itself or is unlikely is written a second time at a higher temperature,
  /// and so on; a window of silence has no segments. ShapeError and DTypeError for other tensors;
  /// ArgumentError for a language that the model does not know, a translation by one that knows
  /// English only, or options out of range; CancelledError if the program's interrupt hook asks for
  /// it, after which the model can be used as before.
  Transcript transcribe(const Tensor& samples, const TranscribeOptions& options = {},
                        const std::function<void(std::span<const SpeechSegment> made,
                                                 double seconds)>& on_window = {});

  /// For the functions below: a window of audio::log_mel, float32 [bins, frames]. ShapeError and
  /// DTypeError for others.

  /// The likeliest language of a window; empty if the model knows English only.
  std::string language(const Tensor& features);
  /// The likeliest tokens of a window, without those of the prompt and that of the end.
  std::vector<int32_t> generate(const Tensor& features, const TranscribeOptions& options = {});
  /// What the encoder makes of a window, float32 [frames / 2, width].
  Tensor states(const Tensor& features);
  /// After each of 1 to `context` tokens the logits of the next, float32 [tokens, vocabulary].
  /// ArgumentError for others, or one that is not in the vocabulary.
  Tensor logits(const Tensor& features, std::span<const int32_t> tokens);

 private:
  struct State;
  explicit Whisper(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// Whether a folder's config.json says that it holds a Whisper. False also for what cannot be read.
TG_API bool is_whisper(const std::filesystem::path& folder);

}  // namespace tg::models
