// See logprobs.h.
#include "frontend/server/logprobs.h"

#include <algorithm>

namespace tg::server {

using nlohmann::json;

// Special tokens have their names.
std::string LogprobsWriter::text_of(int32_t token) const {
  if (auto bytes = tokenizer_->bytes_of(token, is_first_)) return *std::move(bytes);
  return tokenizer_->token_of(token).value_or("");
}

json LogprobsWriter::chat_entry(const models::TokenLogprob& token) const {
  const std::string text = text_of(token.token);
  json bytes = json::array();
  for (const char c : text) bytes.push_back(static_cast<uint8_t>(c));
  return {{"token", text}, {"logprob", token.logprob}, {"bytes", std::move(bytes)}};
}

json LogprobsWriter::next(std::span<const models::TokenLogprobs> tokens) {
  json content = json::array();
  json texts = json::array(), numbers = json::array(), tops = json::array(),
       offsets = json::array();
  for (const models::TokenLogprobs& t : tokens) {
    json list = json::array(), table = json::object();
    for (const models::TokenLogprob& top : t.likeliest) {
      list.push_back(chat_entry(top));
      // Two tokens may have one text: the likelier one stands for both.
      table.emplace(text_of(top.token), top.logprob);
    }
    const std::string text = text_of(t.token);
    if (endpoint_ == Endpoint::Chat) {
      content.push_back(chat_entry(t));
      content.back()["top_logprobs"] = std::move(list);
    }
    texts.push_back(text);
    numbers.push_back(t.logprob);
    tops.push_back(std::move(table));
    offsets.push_back(offset_);
    offset_ += std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
    is_first_ = false;
  }
  if (endpoint_ == Endpoint::Chat) return {{"content", std::move(content)}, {"refusal", nullptr}};
  return {{"tokens", std::move(texts)},
          {"token_logprobs", std::move(numbers)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

}  // namespace tg::server
