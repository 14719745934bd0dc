// How SentencePiece itself changes a text before its model, and makes one of tokens again: its
// library's normalizer.cc and sentencepiece_processor.cc. `tokenizers` does so with other steps,
// which differ in detail (pre_tokenizers.cpp, decoders.cpp). The table of replacements is in
// charsmap.h.
#include <fmt/format.h>

#include "frontend/tokenizer/charsmap.h"
#include "frontend/tokenizer/pipeline.h"

namespace tg::models {
namespace {

constexpr std::string_view kMark = "\u2581";  // a space, in the vocabulary's spelling

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

class SentencePieceText {
 public:
  explicit SentencePieceText(const JsonPart& part)
      : map_(part["precompiled_charsmap"].text_or(""), part["precompiled_charsmap"]),
        space_(part["escape_whitespaces"].flag_or(true) ? kMark : " "),
        prepends_(part["add_dummy_prefix"].flag_or(true)),
        only_at_start_(part["only_at_start"].flag_or(false)),
        removes_spaces_(part["remove_extra_whitespaces"].flag_or(true)),
        as_suffix_(part["treat_whitespace_as_suffix"].flag_or(false)) {
    std::vector<std::pair<std::string, int32_t>> texts;
    for (const JsonPart& p : part["user_defined"].items()) texts.emplace_back(p.text(), 0);
    user_defined_ = PrefixIndex(std::move(texts));
  }

  std::string operator()(std::string_view text, bool at_start) const {
    std::string out;
    const bool prepends = prepends_ && (at_start || !only_at_start_);
    if (removes_spaces_) skip_spaces(text);
    if (text.empty()) return out;
    if (prepends && !as_suffix_) out += space_;
    bool follows_space = removes_spaces_;
    while (!text.empty()) {
      std::string_view part = next(text);
      while (follows_space && take_prefix(part, " ")) {
      }
      if (!part.empty()) follows_space = removes_spaces_ && part.ends_with(' ');
      for (char c : part) {
        if (c == ' ') {
          out += space_;
        } else {
          out += c;
        }
      }
      check_text_size(out.size());
    }
    while (removes_spaces_ && out.ends_with(space_)) out.resize(out.size() - space_.size());
    if (prepends && as_suffix_) out += space_;
    return valid_text(out);
  }

 private:
  // What is written for the beginning of `text`, which moves behind that.
  std::string_view next(std::string_view& text) const {
    size_t bytes = 0;
    std::optional<std::string_view> out;
    if (const auto match = user_defined_.longest_prefix(text)) {
      bytes = match->bytes;
    } else if (const auto entry = map_.longest_prefix(text)) {
      bytes = entry->bytes;
      out = entry->replacement;
    } else {
      next_code_point(text, bytes);
    }
    if (!out) out = text.substr(0, bytes);
    text.remove_prefix(bytes);
    return *out;
  }

  void skip_spaces(std::string_view& text) const {
    while (!text.empty()) {
      std::string_view rest = text;
      if (next(rest) != " ") return;
      text = rest;
    }
  }

  Charsmap map_;
  PrefixIndex user_defined_;
  std::string space_;
  bool prepends_, only_at_start_, removes_spaces_, as_suffix_;
};

// Each valid character of `bytes` as it is, and each byte of none as U+FFFD.
std::string text_of_bytes(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    size_t n = 1;
    while (n < 4 && n < bytes.size() && valid_text(bytes.substr(0, n)) != bytes.substr(0, n)) ++n;
    const std::string_view first = bytes.substr(0, n);
    const bool is_valid = valid_text(first) == first;
    out += is_valid ? first : "\uFFFD";
    bytes.remove_prefix(is_valid ? n : 1);
  }
  return out;
}

class SentencePieceDecoder {
 public:
  explicit SentencePieceDecoder(const JsonPart& part)
      : unknown_(part["unknown"].text_or("")),
        unknown_text_(part["unknown_surface"].text_or("")),
        has_bytes_(part["byte_fallback"].flag_or(false)),
        strips_(part["strips_first_space"].flag_or(true)),
        strips_all_(part["strips_first_spaces"].flag_or(true)) {}

  std::vector<std::string> operator()(const std::vector<std::string>& tokens) const {
    std::string out, bytes;
    bool is_begin = true, stripped = false;
    for (const std::string& t : tokens) {
      if (const auto byte = byte_of(t)) {
        bytes += *byte;
        continue;
      }
      out += text_of_bytes(bytes);
      bytes.clear();
      if (stripped || !out.empty()) is_begin = false;
      stripped = is_begin && strips_ && !strips_all_ && t.starts_with(kMark) && t != unknown_;
      out += text_of(t, is_begin);
      check_text_size(out.size());
    }
    return {out + text_of_bytes(bytes)};
  }

  std::string token_bytes(const std::string& token, bool is_first) const {
    const auto byte = byte_of(token);
    return byte ? std::string(1, *byte) : text_of(token, is_first);
  }

 private:
  std::optional<char> byte_of(std::string_view token) const {
    return has_bytes_ ? named_byte(token) : std::nullopt;
  }

  std::string text_of(std::string_view token, bool is_begin) const {
    if (token == unknown_) return unknown_text_;
    if (is_begin && strips_) take_prefix(token, kMark);
    std::string out;
    while (!token.empty()) {
      const size_t end = std::min(token.find(kMark), token.size());
      out += token.substr(0, end);
      token.remove_prefix(end);
      if (take_prefix(token, kMark)) out += ' ';
    }
    return out;
  }

  std::string unknown_, unknown_text_;
  bool has_bytes_;
  bool strips_, strips_all_;  // a space of the first token, or of each until there is text
};

}  // namespace

PreTokenizer read_sentencepiece_text(const JsonPart& part) {
  return [change = SentencePieceText(part)](std::vector<Piece> pieces) {
    for (Piece& p : pieces) p.text = change(p.text, p.at_start);
    return pieces;
  };
}

Decoder read_sentencepiece_decoder(const JsonPart& part) { return SentencePieceDecoder(part); }

TokenBytes read_sentencepiece_bytes(const JsonPart& part) {
  return [decoder = SentencePieceDecoder(part)](const std::string& token, bool is_first) {
    return decoder.token_bytes(token, is_first);
  };
}

}  // namespace tg::models
