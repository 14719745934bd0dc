// See text_stream.h. A token's text is what it adds to the text of the tokens before it, of which
// the last ones that gave something are enough: a decoder looks at neighbours, and treats the first
// token of all in a way of its own.
#include "frontend/language/text_stream.h"

namespace tg::models {
namespace {

// Tokens that a letter may lack bytes for: it has four bytes at most, and what waits longer is
// none.
constexpr size_t kMostWaiting = 32;

}  // namespace

std::string TextStream::decoded(size_t begin, size_t end) const {
  return tokenizer_.decode(std::span(tokens_).subspan(begin, end - begin));
}

// What the tokens that are not told yet add. Bytes may turn out to be no letters after all: what
// was given out stays, and what follows is read by itself.
std::string TextStream::news() const {
  const std::string before = decoded(context_, told_);
  const std::string text = decoded(context_, tokens_.size());
  return text.starts_with(before) ? text.substr(before.size()) : decoded(told_, tokens_.size());
}

std::string TextStream::give(std::string piece) {
  if (piece.empty()) return piece;
  context_ = told_;
  told_ = tokens_.size();
  given_ += piece;
  return piece;
}

std::string TextStream::add(int32_t token) {
  const std::span<const int32_t> one(&token, 1);
  const bool is_silent =
      tokenizer_.decode(one).empty() && !tokenizer_.decode(one, true).empty();  // special
  if (is_silent) return {};
  tokens_.push_back(token);
  std::string piece = news();
  const bool may_change = piece.ends_with("\uFFFD") && tokens_.size() - told_ < kMostWaiting;
  return may_change ? std::string() : give(std::move(piece));
}

std::string TextStream::finish() { return give(news()); }

}  // namespace tg::models
