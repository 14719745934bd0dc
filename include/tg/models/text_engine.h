// Several texts at once by one language model: each step computes the next token of all of them,
// and new texts join between two steps. A thread of the engine computes; any thread asks. For one
// text at a time there is language_model.h. Link `tinygrad::models`.
//
//   tg::models::TextEngine engine = tg::models::TextEngine::load("SmolLM2-135M", {}, {.slots = 4});
//   tg::models::RunningText text = engine.submit({.prompt = engine.tokenizer()->encode("Once")});
//   std::cout << text.result().text;
//
// How it works, and the HTTP server on top of it: docs/serving.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tg/error.h"
#include "tg/export.h"
#include "tg/models/language_model.h"

namespace tg::models {

/// As many texts are waiting as may wait, or the engine is ending.
class TG_API BusyError : public Error {
 public:
  using Error::Error;
  ~BusyError() override;
};

/// Of TextEngine::load.
struct TextEngineOptions {
  int64_t slots = 8;     ///< texts that are computed at once, 1 to 256
  int64_t waiting = 64;  ///< most texts that wait for a slot, 0 or more
  /// Compile everything before load() returns; else the first texts wait for it.
  bool warms_up = false;
};

/// A text to go on with.
struct TextRequest {
  std::vector<int32_t> prompt;
  GenerateOptions options = {};
  /// The text ends before the first of these. ArgumentError for an empty one, or without a
  /// tokenizer.
  std::vector<std::string> stop_texts = {};
  /// Gets each token as it comes and ends the text by returning false. All are called by the
  /// engine's thread, which waits for them, and must not call the engine. What they throw ends the
  /// text, and result() throws it.
  std::function<bool(int32_t)> on_token = {};
  /// Before that, how likely it was, if the options ask for it.
  std::function<void(const TokenLogprobs&)> on_logprobs = {};
  /// The same of the text, whole characters, without stop texts. Needs a tokenizer.
  std::function<bool(std::string_view)> on_text = {};
  /// Called once, when the text has ended and result() does not wait.
  std::function<void()> on_end = {};
};

/// What a TextEngine made of a request.
struct GeneratedText {
  std::vector<int32_t> tokens;  ///< with those of a stop text
  std::string text;             ///< without it; empty if the model has no tokenizer
  StopReason reason = StopReason::MaxTokens;
  int64_t reused = 0;         ///< tokens of the prompt that were known from other texts
  double waited_seconds = 0;  ///< for a slot
  double prompt_seconds = 0;  ///< from then to the first token
  double answer_seconds = 0;  ///< from then to the end
  /// Of each token, if top_logprobs asks for it.
  std::vector<TokenLogprobs> logprobs = {};
};

/// A request on its way. Copies are names for one. Thread-safe.
class TG_API RunningText {
 public:
  /// Ends the text before its next token; the tokens so far are its result.
  void cancel() const;
  /// Whether it has ended; waits so long for it.
  bool ended(std::chrono::milliseconds wait = std::chrono::milliseconds(0)) const;
  /// Waits for the end. Throws what went wrong: DeviceError, or what a callback threw.
  GeneratedText result() const;

 private:
  friend class TextEngine;
  struct State;
  explicit RunningText(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// Counts since the engine began, and how it stands.
struct TextEngineStats {
  int64_t slots = 0;
  int64_t running = 0;        ///< texts in slots
  int64_t waiting = 0;        ///< texts without one
  int64_t texts = 0;          ///< that have ended
  int64_t cancelled = 0;      ///< of them by cancel()
  int64_t prompt_tokens = 0;  ///< computed
  int64_t reused_tokens = 0;  ///< of prompts, taken from other texts
  int64_t answer_tokens = 0;  ///< made
  int64_t steps = 0;          ///< calls that made tokens, one of each text
  double busy_seconds = 0;    ///< computing
};

/// A model with slots for texts, and a thread that computes them. Thread-safe. Texts do not change
/// each other; but sums are ordered by the number of texts in a step, so that logits may differ in
/// their last bits.
class TG_API TextEngine {
 public:
  /// As LanguageModel::load, with keys and values for all slots. ArgumentError for options out of
  /// range.
  static TextEngine load(const std::filesystem::path& path, const LanguageModelOptions& model = {},
                         const TextEngineOptions& options = {});
  /// As end(0 s), and waits until the thread has ended.
  ~TextEngine();
  TextEngine(TextEngine&&) noexcept;
  TextEngine& operator=(TextEngine&&) noexcept;

  const LanguageModelInfo& info() const;  ///< cache_bytes: of all slots
  /// Null if there is none beside the model, or in it.
  const Tokenizer* tokenizer() const;
  const std::vector<int32_t>& stop_tokens() const;

  /// Puts a text into the queue. ArgumentError as of LanguageModel::generate, BusyError.
  RunningText submit(TextRequest request);

  /// Takes no more texts, lets those there are go on for so long, then cancels them. Returns when
  /// all have ended.
  void end(std::chrono::milliseconds limit);

  TextEngineStats stats() const;

 private:
  struct State;
  explicit TextEngine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tg::models
