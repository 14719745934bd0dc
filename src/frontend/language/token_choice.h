// The next token of a text: by its logits and the options, from what a grammar allows; with
// log-probabilities if they are asked for. How one is drawn: sampling.h; grammars:
// tg/models/grammar.h.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/language/sampling.h"
#include "tg/models/grammar.h"

namespace tg::models {

class TokenChoice {
 public:
  /// `stop_tokens`: those that end a text; `tokens`: null if the options have no grammar.
  /// ArgumentError for options out of range.
  TokenChoice(const GenerateOptions& options, const std::vector<int32_t>& stop_tokens,
              const TokenIndex* tokens);

  /// ArgumentError if no token is left, or in too many ways.
  int32_t next(std::span<const float> logits);
  /// The text goes on by a token, which next() has given.
  void take(int32_t token);
  /// Whether a grammar's text is complete.
  bool must_end();

  /// Of the token that next() gave last, if they are asked for.
  const std::optional<TokenLogprobs>& logprobs() const { return logprobs_; }

 private:
  Sampler sampler_;
  std::optional<TokenConstraint> constraint_;
  std::optional<int64_t> top_logprobs_;
  std::optional<TokenLogprobs> logprobs_;
};

/// A model's tokens by their bytes, made when a grammar first needs them. Any thread may ask.
class IndexForGrammars {
 public:
  /// Null if the options have no grammar. ArgumentError, by the function `fn`, if they have one and
  /// `tokenizer` is null.
  const TokenIndex* of(std::string_view fn, const GenerateOptions& options,
                       const Tokenizer* tokenizer);

 private:
  std::mutex mutex_;
  std::optional<TokenIndex> index_;
};

/// A model at the end of a text: whether it can take no more tokens, and the logits after one more.
struct TextEnd {
  std::function<bool()> is_full;
  std::function<std::vector<float>(int32_t token)> after;
};

/// Goes on with a text whose next token has these logits until it ends, as `options` say, one of
/// `stop` comes, or `on_token` gives false; fills the tokens of `out`, and why it ended.
void go_on(const TextEnd& text, std::vector<float> logits, TokenChoice& choice,
           const GenerateOptions& options, const std::vector<int32_t>& stop,
           const std::function<bool(int32_t)>& on_token, Generated& out);

/// The log-probability of a token by the softmax of the logits, and the `top` likeliest ones.
TokenLogprobs logprobs_of(std::span<const float> logits, int32_t token, int64_t top);

}  // namespace tg::models
