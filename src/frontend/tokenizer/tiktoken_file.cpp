// See tiktoken_file.h. A token's number is the rank of its merge, so the vocabulary is all that the
// model needs (scored_bpe.cpp).
#include "frontend/tokenizer/tiktoken_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <unordered_map>

#include "frontend/tokenizer/base64.h"
#include "frontend/tokenizer/byte_letters.h"
#include "frontend/tokenizer/lines.h"
#include "frontend/tokenizer/scored_pieces.h"
#include "frontend/tokenizer/tiktoken_encodings.h"
#include "support/check.h"

namespace tg::models {
namespace {

using nlohmann::json;

// Numbers below the largest that no token has: p50k_base has one.
constexpr int32_t kMostTiktokenGaps = 1024;

struct RankedToken {
  std::string bytes;
  int32_t rank;
};

// "IGE= 257"; an empty token, as Whisper's last one, is "=".
std::optional<RankedToken> token_of_line(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return {};
  const std::string_view text = line.substr(0, space), number = line.substr(space + 1);
  if (text.empty() || (text.size() % 4 != 0 && text != "=")) return {};
  auto bytes = from_base64(text);
  if (!bytes || (bytes->empty() && text != "=")) return {};
  int32_t rank = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
  if (error != std::errc() || end != number.data() + number.size() || rank < 0) return {};
  return RankedToken{std::move(*bytes), rank};
}

class TiktokenFile {
 public:
  TiktokenFile(std::string_view content, const std::string& name) : name_(name) {
    size_t number = 0;
    for (const std::string_view line : lines_of(content)) {
      ++number;
      if (!line.empty()) take(line, number);
    }
    if (static_cast<size_t>(end_) > letters_.size() + kMostTiktokenGaps)
      fail(fmt::format("has {} tokens, of which the last has the number {}", letters_.size(),
                       end_ - 1));
    for (int byte = 0; byte < 256; ++byte) {
      if (!lines_by_token_.contains(byte_letters(std::string(1, static_cast<char>(byte)))))
        fail(fmt::format("has no token for the byte 0x{:02X}", byte));
    }
  }

  const TiktokenEncoding& encoding(std::string_view name, const SideSettings& settings) const {
    const TiktokenEncoding* found =
        name.empty() ? encoding_of_class(settings.tokenizer_class()) : find_encoding(name);
    if (found == nullptr && !name.empty()) {
      user_error<ArgumentError>("Tokenizer::load", fmt::format("there is no encoding \"{}\"", name),
                                fmt::format("Hint: name one of {}.", names_of_encodings()));
    }
    if (found == nullptr) found = encoding_of_size(letters_.size());
    if (found == nullptr) {
      user_error<FileError>(
          name_, fmt::format("has {} tokens, as no encoding that is known", letters_.size()),
          fmt::format("Hint: name the encoding: {}.", names_of_encodings()));
    }
    return *found;
  }

  json whole_tokenizer(const TiktokenEncoding& encoding, const SideSettings& settings) const {
    json vocabulary = json::array(), types = json::array();
    for (int32_t rank = 0; rank < end_; ++rank) {
      const auto found = letters_.find(rank);
      vocabulary.push_back({found == letters_.end() ? "" : found->second, -rank});
      types.push_back(static_cast<int>(PieceType::Normal));
    }
    const json words = {
        {"type", "Split"}, {"pattern", {{"Regex", encoding.words}}}, {"behavior", "Isolated"}};
    const json letters = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
    const json added = added_tokens(encoding, settings);
    return {
        {"added_tokens", added},
        {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {words, letters}}}},
        {"model",
         {{"type", "ScoredBPE"}, {"vocab", vocabulary}, {"types", types}, {"ignore_merges", true}}},
        {"post_processor", ends(encoding, settings, added)},
        {"decoder", {{"type", "ByteLevel"}}}};
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const { user_error<FileError>(name_, problem); }
  [[noreturn]] void fail(size_t line, std::string_view problem) const {
    user_error<FileError>(fmt::format("{}: line {}", name_, line), problem);
  }

  void take(std::string_view line, size_t number) {
    const auto token = token_of_line(line);
    if (!token) fail(number, "is no token in base64 with its number");
    if (token->rank >= kMostTokens)
      fail(number, fmt::format("has the number {}, of at most {}", token->rank, kMostTokens - 1));
    std::string letters = byte_letters(token->bytes);
    const auto [before, is_new] = lines_by_token_.emplace(letters, number);
    if (!is_new) fail(number, fmt::format("has the token of line {}", before->second));
    if (!letters_.emplace(token->rank, std::move(letters)).second)
      fail(number, fmt::format("has the number {} again", token->rank));
    end_ = std::max(end_, token->rank + 1);
  }

  // Those that the files beside it name come first.
  json added_tokens(const TiktokenEncoding& encoding, const SideSettings& settings) const {
    const auto specials = special_tokens(encoding, end_, settings.vocabulary_size());
    json out = settings.added_tokens(json::object(), [&](std::string_view text) {
      const auto found = std::ranges::find(specials, text, &NumberedToken::first);
      return found == specials.end() ? std::optional<int32_t>() : found->second;
    });
    std::set<std::string> texts;
    std::set<int32_t> ids;
    for (const json& t : out) {
      texts.insert(t["content"]);
      ids.insert(t["id"].get<int32_t>());
    }
    for (const auto& [text, id] : specials)
      if (!texts.contains(text) && !ids.contains(id)) out.push_back(special_token(id, text));
    return out;
  }

  static json ends(const TiktokenEncoding& encoding, const SideSettings& settings,
                   const json& added) {
    std::vector<NumberedToken> begin;
    if (!encoding.begin.empty() && settings.flag_or("add_bos_token", true)) {
      const std::string text = settings.token("bos_token", encoding.begin);
      for (const json& t : added)
        if (t["content"] == text) begin.emplace_back(text, t["id"].get<int32_t>());
    }
    return between_tokens(begin, {});
  }

  const std::string& name_;
  std::unordered_map<int32_t, std::string> letters_;  // tokens by rank
  std::unordered_map<std::string, size_t> lines_by_token_;
  int32_t end_ = 0;
};

}  // namespace

bool is_tiktoken(std::string_view content) {
  const auto lines = lines_of(content.substr(0, 4096));
  return !lines.empty() && token_of_line(lines.front()).has_value();
}

json tiktoken_tokenizer(std::string_view content, std::string_view encoding,
                        const SideSettings& settings, const std::string& name) {
  const TiktokenFile file(content, name);
  return file.whole_tokenizer(file.encoding(encoding, settings), settings);
}

}  // namespace tg::models
