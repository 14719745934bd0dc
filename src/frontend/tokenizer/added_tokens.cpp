// See added_tokens.h.
#include "frontend/tokenizer/added_tokens.h"

#include <algorithm>

namespace tg::models {
namespace {

bool begins_with_word(std::string_view text) {
  size_t at = 0;
  return !text.empty() && is_word(next_code_point(text, at));
}

// Where the last code point of a text that is not empty begins.
size_t last_code_point(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

bool ends_with_word(std::string_view text) {
  return !text.empty() && begins_with_word(text.substr(last_code_point(text)));
}

// Bytes of the white space at the beginning.
size_t space_at_begin(std::string_view text) {
  size_t end = 0;
  for (size_t at = 0; at < text.size(); end = at)
    if (!is_white_space(next_code_point(text, at))) break;
  return end;
}

// Where the white space at the end begins.
size_t space_at_end(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0) {
    const size_t last = last_code_point(text.substr(0, begin));
    size_t at = last;
    if (!is_white_space(next_code_point(text, at))) break;
    begin = last;
  }
  return begin;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalise)
    : tokens_(std::move(tokens)) {
  std::vector<std::pair<std::string, int32_t>> raw, normalised;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const AddedToken& t = tokens_[i];
    if (t.is_special) special_.insert(t.id);
    const auto n = static_cast<int32_t>(i);
    if (t.normalised) {
      normalised.emplace_back(normalise(t.content), n);
    } else {
      raw.emplace_back(t.content, n);
    }
  }
  raw_ = PrefixIndex(std::move(raw));
  normalised_ = PrefixIndex(std::move(normalised));
}

std::vector<FoundPart> AddedTokens::find(const PrefixIndex& index, std::string_view text) const {
  std::vector<FoundPart> out;
  size_t done = 0;
  for (size_t at = 0; at < text.size() && !index.empty();) {
    const auto match = index.longest_prefix(text.substr(at));
    if (!match) {
      ++at;
      continue;
    }
    const AddedToken& t = tokens_[static_cast<size_t>(match->id)];
    size_t begin = at, end = at + match->bytes;
    at = end;
    if (t.is_word && (ends_with_word(text.substr(0, begin)) || begins_with_word(text.substr(end))))
      continue;
    if (t.takes_left) begin = std::max(space_at_end(text.substr(0, begin)), done);
    if (t.takes_right) end += space_at_begin(text.substr(end));
    if (done < begin) out.push_back({{done, begin}, {}});
    out.push_back({{begin, end}, t.id});
    done = end;
    at = std::max(at, end);
  }
  if (done < text.size()) out.push_back({{done, text.size()}, {}});
  return out;
}

AddedTokens read_added_tokens(const JsonPart& part, const Normalizer& normalise) {
  std::vector<AddedToken> tokens;
  for (const JsonPart& p : part.items()) {
    AddedToken t;
    t.id = p["id"].token_id();
    t.content = p["content"].text();
    t.is_special = p["special"].flag_or(false);
    t.is_word = p["single_word"].flag_or(false);
    t.takes_left = p["lstrip"].flag_or(false);
    t.takes_right = p["rstrip"].flag_or(false);
    t.normalised = p["normalized"].flag_or(!t.is_special);
    tokens.push_back(std::move(t));
  }
  return {std::move(tokens), normalise};
}

}  // namespace tg::models
