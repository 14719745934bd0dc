// One text of an engine: what was asked for, the tokens so far, and the result that other threads
// wait for. Who computes the tokens: text_engine.cpp.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>

#include "frontend/language/stop_texts.h"
#include "frontend/language/text_stream.h"
#include "frontend/language/token_choice.h"
#include "tg/models/text_engine.h"

namespace tg::models {

/// The engine's thread owns everything but what is marked.
struct RunningText::State {
  /// `tokenizer`: null if there is none; `index`: of its tokens, null if there is no grammar.
  /// ArgumentError for options out of range.
  State(TextRequest asked, const Tokenizer* tokenizer, const std::vector<int32_t>& stops,
        const TokenIndex* index);

  /// Takes a token that follows, and hands it out. Whether the text goes on.
  bool take(int32_t token);
  /// Hands out the rest of the text, and wakes those that wait.
  void finish(StopReason reason);
  void fail(std::exception_ptr error);

  /// Tokens not computed yet, the next of which is at the position `known`.
  std::span<const int32_t> rest() const { return std::span(tokens).subspan(known); }

  TextRequest request;
  std::vector<int32_t> stop_tokens;
  TokenChoice choice;
  std::optional<TextStream> stream;  // of the answer's text, where there is a tokenizer
  StopTexts stop_texts;
  std::vector<int32_t> tokens;  // the prompt, then the answer
  size_t known = 0;             // of the tokens: keys and values are in the slot
  int64_t slot = -1;
  double submitted, started = 0, first = 0;  // seconds
  GeneratedText made;

  std::atomic<bool> is_cancelled = false;  // by any thread

 private:
  bool give(std::string_view piece);
  void end();

  friend class RunningText;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool has_ended_ = false;    // under the mutex
  std::exception_ptr error_;  // other threads' once it has ended, as `made` is
};

}  // namespace tg::models
