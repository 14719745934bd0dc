// Log-probabilities of tokens as OpenAI's API spells them, of chats and of completions.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "frontend/server/request.h"
#include "tg/models/tokenizer.h"

namespace tg::server {

/// Writes those of the tokens of one choice, in their order. A value: it knows where it is.
class LogprobsWriter {
 public:
  /// The tokenizer outlives this.
  LogprobsWriter(const models::Tokenizer& tokenizer, Endpoint endpoint)
      : tokenizer_(&tokenizer), endpoint_(endpoint) {}

  /// Of the tokens that follow. A chat: {"content": [{"token", "logprob", "bytes",
  /// "top_logprobs"}, …], "refusal": null}; a completion: {"tokens", "token_logprobs",
  /// "top_logprobs", "text_offset"}, lists of equal lengths, offsets in characters.
  nlohmann::json next(std::span<const models::TokenLogprobs> tokens);

 private:
  std::string text_of(int32_t token) const;
  nlohmann::json chat_entry(const models::TokenLogprob& token) const;

  const models::Tokenizer* tokenizer_;
  Endpoint endpoint_;
  bool is_first_ = true;
  int64_t offset_ = 0;
};

}  // namespace tg::server
