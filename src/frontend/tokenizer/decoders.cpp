// The kinds of decoders: how the texts of tokens become one text again. See pipeline.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/tokenizer/byte_letters.h"
#include "frontend/tokenizer/pipeline.h"

namespace tg::models {
namespace {

std::string concatenated(const std::vector<std::string>& tokens) {
  std::string out;
  for (const std::string& t : tokens) out += t;
  return out;
}

// The bytes of a token's letters, or its own where one stands for no byte.
std::string bytes_of(const std::string& token) {
  std::string out;
  for (size_t at = 0; at < token.size();) {
    const auto byte = byte_of_letter(next_code_point(token, at));
    if (!byte) return token;
    out += *byte;
  }
  return out;
}

std::vector<std::string> from_byte_letters(const std::vector<std::string>& tokens) {
  std::string bytes;
  for (const std::string& t : tokens) bytes += bytes_of(t);
  return {valid_text(bytes)};
}

// Changes each token's text.
template <typename F>
Decoder changing_each(F change) {
  return [change = std::move(change)](std::vector<std::string> tokens) {
    size_t bytes = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      change(tokens[i], i, tokens.size());
      bytes += tokens[i].size();
      check_text_size(bytes);
    }
    return tokens;
  };
}

Decoder from_metaspaces(const JsonPart& part) {
  const JsonPart scheme = part["prepend_scheme"];
  const bool prepended = scheme.is_null() ? part["add_prefix_space"].flag_or(true)
                                          : scheme.text() != "never";
  const std::string mark = part["replacement"].text_or("\u2581");
  const Pattern marks(mark, true, part.place());
  return changing_each([=](std::string& token, size_t i, size_t) {
    token = marks.replace(token, i == 0 && prepended ? "" : " ");
  });
}

// English as BERT's tokenizer spells it, and as one writes it.
void clean_up(std::string& text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kSpellings = {
      {{" .", "."},
       {" ?", "?"},
       {" !", "!"},
       {" ,", ","},
       {" ' ", "'"},
       {" n't", "n't"},
       {" 'm", "'m"},
       {" do not", " don't"},
       {" 's", "'s"},
       {" 've", "'ve"},
       {" 're", "'re"}}};
  for (const auto& [from, to] : kSpellings) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
}

Decoder word_piece(const JsonPart& part) {
  const std::string prefix = part["prefix"].text_or("##");
  const bool cleans = part["cleanup"].flag_or(true);
  return changing_each([=](std::string& token, size_t i, size_t) {
    if (i > 0 && token.starts_with(prefix)) {
      token.erase(0, prefix.size());
    } else if (i > 0) {
      token.insert(0, 1, ' ');
    }
    if (cleans) clean_up(token);
  });
}

// Bytes that are no text are U+FFFD each.
std::vector<std::string> from_named_bytes(const std::vector<std::string>& tokens) {
  std::vector<std::string> out;
  std::string bytes;
  const auto end_bytes = [&] {
    if (bytes.empty()) return;
    if (valid_text(bytes) == bytes) {
      out.push_back(bytes);
    } else {
      out.insert(out.end(), bytes.size(), "\uFFFD");
    }
    bytes.clear();
  };
  for (const std::string& t : tokens) {
    if (const auto byte = named_byte(t)) {
      bytes += *byte;
    } else {
      end_bytes();
      out.push_back(t);
    }
  }
  end_bytes();
  return out;
}

// At most `start` of `content` from the beginning of each token, `stop` from its end.
Decoder strip(const JsonPart& part) {
  const std::string content = part["content"].text();
  if (content.empty()) part["content"].fail("is empty");
  const double start = part["start"].number(), stop = part["stop"].number();
  return changing_each([=](std::string& token, size_t, size_t) {
    for (double n = 0; n < start && token.starts_with(content); ++n) token.erase(0, content.size());
    for (double n = 0; n < stop && token.ends_with(content); ++n)
      token.resize(token.size() - content.size());
  });
}

// What joins tokens changes none: what follows it sees the whole text, of which a token that is not
// the first is no beginning.
TokenBytes token_bytes_in_order(const JsonPart& part) {
  std::vector<TokenBytes> before, after;
  for (const JsonPart& p : part["decoders"].items()) {
    if (p["type"].text() == "Fuse" && after.empty()) {
      after.emplace_back([](std::string token, bool) { return token; });
    } else {
      (after.empty() ? before : after).push_back(read_token_bytes(p));
    }
  }
  return [=](std::string token, bool is_first) {
    for (const TokenBytes& step : before) token = step(std::move(token), is_first);
    if (!is_first) return token;
    for (const TokenBytes& step : after) token = step(std::move(token), is_first);
    return token;
  };
}

Decoder decoders_in_order(const JsonPart& part) {
  std::vector<Decoder> steps;
  for (const JsonPart& p : part["decoders"].items()) steps.push_back(read_decoder(p));
  return [steps = std::move(steps)](std::vector<std::string> tokens) {
    for (const Decoder& step : steps) {
      if (step) tokens = step(std::move(tokens));
    }
    return tokens;
  };
}

}  // namespace

std::optional<char> named_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return {};
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const auto digit = [&](char c) {
    return kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
  };
  const size_t high = digit(token[3]), low = digit(token[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return {};
  return static_cast<char>(high << 4 | low);
}

Decoder read_decoder(const JsonPart& part) {
  if (part.is_null()) return {};
  const std::string& type = part["type"].text();
  if (type == "Sequence") return decoders_in_order(part);
  if (type == "ByteLevel") return from_byte_letters;
  if (type == "ByteFallback") return from_named_bytes;
  if (type == "Metaspace") return from_metaspaces(part);
  if (type == "WordPiece") return word_piece(part);
  if (type == "Strip") return strip(part);
  if (type == "SentencePiece") return read_sentencepiece_decoder(part);
  if (type == "Fuse") {
    return [](const std::vector<std::string>& tokens) {
      return std::vector<std::string>{concatenated(tokens)};
    };
  }
  if (type == "BPEDecoder") {
    const Pattern suffix(part["suffix"].text_or("</w>"), true, part.place());
    return changing_each([=](std::string& token, size_t i, size_t n) {
      token = suffix.replace(token, i + 1 == n ? "" : " ");
    });
  }
  if (type == "Replace") {
    return changing_each(
        [pattern = read_pattern(part["pattern"]), content = part["content"].text()](
            std::string& token, size_t, size_t) { token = pattern.replace(token, content); });
  }
  part.fail(fmt::format("is a decoder of the unknown kind \"{}\"", type));
}

TokenBytes read_token_bytes(const JsonPart& part) {
  if (part.is_null()) {
    return [](std::string token, bool is_first) { return is_first ? token : " " + token; };
  }
  const std::string& type = part["type"].text();
  if (type == "Sequence") return token_bytes_in_order(part);
  if (type == "ByteLevel") return [](const std::string& token, bool) { return bytes_of(token); };
  if (type == "SentencePiece") return read_sentencepiece_bytes(part);
  if (type == "Fuse") return [](std::string token, bool) { return token; };
  if (type == "ByteFallback") {
    return [](std::string token, bool) {
      const auto byte = named_byte(token);
      return byte ? std::string(1, *byte) : std::move(token);
    };
  }
  // Between others, so that it is neither the first nor the last one of a text by its place alone.
  return [step = read_decoder(part)](std::string token, bool is_first) {
    if (is_first) return step({std::move(token), ""}).front();
    return step({"", std::move(token), ""}).at(1);
  };
}

}  // namespace tg::models
