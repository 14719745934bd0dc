// Byte-pair encoding by a list of merges: a piece begins as its characters, and neighbours become
// one token by pair_merging.h; details as `tokenizers` has them. Without a list: scored_bpe.cpp.
#include <fmt/format.h>

#include <unordered_map>

#include "frontend/tokenizer/pair_merging.h"
#include "frontend/tokenizer/pipeline.h"

namespace tg::models {
namespace {

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

class Bpe final : public TokenModel {
 public:
  explicit Bpe(const JsonPart& part)
      : prefix_(part["continuing_subword_prefix"].text_or("")),
        suffix_(part["end_of_word_suffix"].text_or("")),
        fuses_unknown_(part["fuse_unk"].flag_or(false)),
        has_bytes_(part["byte_fallback"].flag_or(false)),
        ignores_merges_(part["ignore_merges"].flag_or(false)) {
    const JsonPart vocabulary = part["vocab"];
    if (!vocabulary.content().is_object()) vocabulary.fail("is no object");
    for (const auto& [text, id] : vocabulary.content().items()) {
      words_.add(text,
                 JsonPart(id, fmt::format("{}[\"{}\"]", vocabulary.place(), text)).token_id());
    }
    int32_t rank = 0;
    for (const JsonPart& p : part["merges"].items()) add_merge(p, rank++);
    const JsonPart unknown = part["unk_token"];
    if (!unknown.is_null()) unknown_ = words_.find(unknown.text());
  }

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    if (ignores_merges_) {
      if (const auto whole = words_.find(piece)) {
        ids.push_back(*whole);
        return;
      }
    }
    std::vector<Symbol> symbols = letters(piece);
    merge_pairs(symbols, [&](const Symbol& left, const Symbol& right) -> std::optional<Merge> {
      const auto found = merges_.find(pair_key(left.id, right.id));
      if (found == merges_.end()) return {};
      return found->second;
    });
    for (const Symbol& s : symbols)
      if (!s.is_merged) ids.push_back(s.id);
  }
  const Vocabulary& vocabulary() const override { return words_; }

 private:
  // "a b", or ["a", "b"].
  void add_merge(const JsonPart& part, int32_t rank) {
    std::string left, right;
    if (part.content().is_array()) {
      const auto two = part.items();
      if (two.size() != 2) part.fail("is no pair");
      left = two[0].text();
      right = two[1].text();
    } else {
      const std::string& text = part.text();
      const size_t space = text.find(' ');
      if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
        part.fail(fmt::format("is no pair: \"{}\"", text));
      left = text.substr(0, space);
      right = text.substr(space + 1);
    }
    const std::string both =
        left + (right.starts_with(prefix_) ? right.substr(prefix_.size()) : right);
    const auto a = words_.find(left), b = words_.find(right), merged = words_.find(both);
    if (!a || !b || !merged)
      part.fail(fmt::format("merges what is no token: \"{}\" and \"{}\"", left, right));
    merges_.insert_or_assign(pair_key(*a, *b), Merge{rank, *merged});
  }

  std::vector<Symbol> letters(std::string_view piece) const {
    std::vector<Symbol> out;
    bool fuses = false;  // with the unknown symbol before it
    for (size_t at = 0; at < piece.size();) {
      const size_t begin = at;
      next_code_point(piece, at);
      std::string letter(piece.substr(begin, at - begin));
      if (begin > 0) letter.insert(0, prefix_);
      if (at == piece.size()) letter += suffix_;
      if (const auto id = words_.find(letter)) {
        append_symbol(out, *id, {begin, at});
        fuses = false;
      } else if (append_bytes(out, letter, {begin, at})) {
        continue;
      } else if (unknown_) {
        if (!fuses) append_symbol(out, *unknown_, {begin, at});
        fuses = fuses_unknown_;
      }
    }
    return out;
  }

  // <0xE2> and so on, if all are tokens.
  bool append_bytes(std::vector<Symbol>& symbols, std::string_view letter, Span span) const {
    if (!has_bytes_) return false;
    std::vector<int32_t> bytes;
    for (char c : letter) {
      const auto id = words_.find(fmt::format("<0x{:02X}>", static_cast<uint8_t>(c)));
      if (!id) return false;
      bytes.push_back(*id);
    }
    for (int32_t id : bytes) append_symbol(symbols, id, span);
    return true;
  }

  Vocabulary words_;
  std::unordered_map<uint64_t, Merge> merges_;
  std::optional<int32_t> unknown_;
  std::string prefix_, suffix_;
  bool fuses_unknown_, has_bytes_, ignores_merges_;
};

}  // namespace

std::unique_ptr<TokenModel> read_bpe(const JsonPart& part) { return std::make_unique<Bpe>(part); }

}  // namespace tg::models
