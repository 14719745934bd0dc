// The kinds of normalizers. See pipeline.h; the table of SentencePiece's is in charsmap.h.
#include <fmt/format.h>

#include "frontend/tokenizer/byte_letters.h"
#include "frontend/tokenizer/charsmap.h"
#include "frontend/tokenizer/pipeline.h"

namespace tg::models {
namespace {

template <typename F>
std::string without(std::string_view text, F unwanted) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (!unwanted(next_code_point(text, at))) out += text.substr(begin, at - begin);
  }
  return out;
}

std::string stripped(std::string_view text, bool left, bool right) {
  size_t begin = 0, end = 0, first = text.size();
  for (size_t at = 0; at < text.size();) {
    begin = at;
    if (is_white_space(next_code_point(text, at))) continue;
    first = std::min(first, begin);
    end = at;
  }
  if (!left) first = 0;
  if (!right) end = text.size();
  return first < end ? std::string(text.substr(first, end - first)) : std::string();
}

// BERT's: controls leave, white space becomes a space, Chinese characters stand alone.
std::string cleaned(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool is_line = c == '\t' || c == '\n' || c == '\r';
    if (!is_line && (c == 0 || c == 0xfffd || is_control_or_format(c))) continue;
    append_code_point(out, is_line || is_white_space(c) ? U' ' : c);
  }
  return out;
}

std::string with_spaces_around_chinese(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool alone = is_chinese(c);
    if (alone) out += ' ';
    append_code_point(out, c);
    if (alone) out += ' ';
  }
  return out;
}

Normalizer bert(const JsonPart& part) {
  const bool clean = part["clean_text"].flag_or(true);
  const bool chinese = part["handle_chinese_chars"].flag_or(true);
  const bool lower = part["lowercase"].flag_or(true);
  const bool strip = part["strip_accents"].flag_or(lower);
  return [=](std::string text) {
    if (clean) text = cleaned(text);
    if (chinese) text = with_spaces_around_chinese(text);
    if (strip) text = without(normal_form(text, NormalForm::Nfd), is_nonspacing_mark);
    return lower ? lowercase(text) : text;
  };
}

// SentencePiece's rules for neural translation, which its table leaves out.
std::string for_translation(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool unwanted = (c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) ||
                          c == 0x7f || c == 0x8f || c == 0x9f;
    if (unwanted) continue;
    const bool space = c == 0x09 || c == 0x0a || c == 0x0c || c == 0x0d || c == 0x1680 ||
                       (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                       c == 0xfeff || c == 0xfffd;
    append_code_point(out, space ? U' ' : c);
  }
  return out;
}

Normalizer form(NormalForm f) {
  return [f](const std::string& text) { return normal_form(text, f); };
}

Normalizer normalizers_in_order(const JsonPart& part) {
  std::vector<Normalizer> steps;
  for (const JsonPart& p : part["normalizers"].items()) steps.push_back(read_normalizer(p));
  return [steps = std::move(steps)](std::string text) {
    for (const Normalizer& step : steps) {
      text = step(std::move(text));
      check_text_size(text.size());
    }
    return text;
  };
}

}  // namespace

Normalizer read_normalizer(const JsonPart& part) {
  if (part.is_null()) return [](std::string text) { return text; };
  const std::string& type = part["type"].text();
  if (type == "Sequence") return normalizers_in_order(part);
  if (type == "BertNormalizer") return bert(part);
  if (type == "NFC") return form(NormalForm::Nfc);
  if (type == "NFD") return form(NormalForm::Nfd);
  if (type == "NFKC") return form(NormalForm::Nfkc);
  if (type == "NFKD") return form(NormalForm::Nfkd);
  if (type == "Lowercase") return [](const std::string& text) { return lowercase(text); };
  if (type == "StripAccents") return [](const std::string& text) { return without(text, is_mark); };
  if (type == "Nmt") return [](const std::string& text) { return for_translation(text); };
  if (type == "ByteLevel") return [](const std::string& text) { return byte_letters(text); };
  if (type == "Strip") {
    const bool left = part["strip_left"].flag_or(true), right = part["strip_right"].flag_or(true);
    return [=](const std::string& text) { return stripped(text, left, right); };
  }
  if (type == "Prepend") {
    return [prefix = part["prepend"].text()](std::string text) {
      return text.empty() ? text : prefix + text;
    };
  }
  if (type == "Replace") {
    return [pattern = read_pattern(part["pattern"]),
            content = part["content"].text()](const std::string& text) {
      return pattern.replace(text, content);
    };
  }
  if (type == "Precompiled") {
    return [map = Charsmap::from_base64_of(part["precompiled_charsmap"])](const std::string& text) {
      return map.normalise(text);
    };
  }
  part.fail(fmt::format("is a normalizer of the unknown kind \"{}\"", type));
}

Pattern read_pattern(const JsonPart& part) {
  const JsonPart literal = part["String"];
  if (!literal.is_null()) return {literal.text(), true, literal.place()};
  const JsonPart regex = part["Regex"];
  return {regex.text(), false, regex.place()};
}

}  // namespace tg::models
