// See text_stream.h. The text is decoded from its beginning each time: what a token says may depend
// on those before it.
#include "frontend/language/text_stream.h"

namespace tg::models {

std::string TextStream::give(const std::string& text) {
  if (text.size() <= given_.size()) return {};
  std::string piece = text.substr(given_.size());
  given_ = text;
  return piece;
}

std::string TextStream::add(int32_t token) {
  tokens_.push_back(token);
  const std::string text = tokenizer_.decode(tokens_);
  return text.ends_with("\uFFFD") ? std::string() : give(text);
}

std::string TextStream::finish() { return give(tokenizer_.decode(tokens_)); }

}  // namespace tg::models
