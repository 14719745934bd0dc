// See text_tokens.h.
#include "frontend/embedding/text_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace tg::models {

std::vector<int32_t> tokens_within(std::string_view fn, const Tokenizer* tokenizer,
                                   std::string_view text, int64_t most) {
  if (tokenizer == nullptr) {
    user_error<ArgumentError>(fn, "the model has no tokenizer",
                              "Hint: put its tokenizer.json beside it.");
  }
  std::vector<int32_t> out = tokenizer->encode(text);
  const auto limit = static_cast<size_t>(most);
  if (out.size() <= limit) return out;
  // The special tokens at the ends stay, and the text between them gives way.
  const std::vector<int32_t> bare = tokenizer->encode(text, false);
  const auto found = std::ranges::search(out, bare);
  const size_t added = out.size() - bare.size();
  if (found.empty() || added >= limit) {
    out.resize(limit);
    return out;
  }
  const auto first = found.begin() + static_cast<std::ptrdiff_t>(limit - added);
  out.erase(first, found.end());
  return out;
}

void check_tokens(std::string_view fn, std::span<const int32_t> tokens, const std::string& name,
                  int64_t most, int64_t vocabulary) {
  if (std::ssize(tokens) > most) {
    user_error<ArgumentError>(
        fn, fmt::format("{} has {} tokens, and may have {}", name, tokens.size(), most));
  }
  for (const int32_t t : tokens) {
    if (t < 0 || t >= vocabulary) {
      user_error<ArgumentError>(
          fn, fmt::format("{} has the token {}, and the vocabulary {}", name, t, vocabulary));
    }
  }
}

}  // namespace tg::models
