// Byte-pair encoding: a piece begins as its characters; of all neighbours that have a merge, those of
// the lowest rank become one token, until none has. Sennrich et al. 2016,
// https://arxiv.org/abs/1508.07909; details as `tokenizers` has them. O(n log n) in a piece's length.
#include <fmt/format.h>

#include <queue>
#include <unordered_map>

#include "frontend/tokenizer/pipeline.h"

namespace tg::models {
namespace {

struct Merge {
  int32_t rank = 0;
  int32_t id = 0;
};

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

// A token of the piece, in a list by index.
struct Symbol {
  int32_t id;
  int previous, next;  // −1: none
  bool merged = false;
};

struct Candidate {
  Merge merge;
  int left;
};

// The lowest rank first, of these the leftmost.
bool operator<(const Candidate& a, const Candidate& b) {
  return a.merge.rank != b.merge.rank ? a.merge.rank > b.merge.rank : a.left > b.left;
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
    merge(symbols);
    for (const Symbol& s : symbols)
      if (!s.merged) ids.push_back(s.id);
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
        append(out, *id);
        fuses = false;
      } else if (append_bytes(out, letter)) {
        continue;
      } else if (unknown_) {
        if (!fuses) append(out, *unknown_);
        fuses = fuses_unknown_;
      }
    }
    return out;
  }

  static void append(std::vector<Symbol>& symbols, int32_t id) {
    const int n = static_cast<int>(symbols.size());
    if (n > 0) symbols.back().next = n;
    symbols.push_back({id, n - 1, -1});
  }

  // <0xE2> and so on, if all are tokens.
  bool append_bytes(std::vector<Symbol>& symbols, std::string_view letter) const {
    if (!has_bytes_) return false;
    std::vector<int32_t> bytes;
    for (char c : letter) {
      const auto id = words_.find(fmt::format("<0x{:02X}>", static_cast<uint8_t>(c)));
      if (!id) return false;
      bytes.push_back(*id);
    }
    for (int32_t id : bytes) append(symbols, id);
    return true;
  }

  const Merge* merge_of(const std::vector<Symbol>& symbols, int left) const {
    const int right = symbols[static_cast<size_t>(left)].next;
    if (right < 0) return nullptr;
    const auto found = merges_.find(pair_key(symbols[static_cast<size_t>(left)].id,
                                             symbols[static_cast<size_t>(right)].id));
    return found == merges_.end() ? nullptr : &found->second;
  }

  void merge(std::vector<Symbol>& symbols) const {
    std::priority_queue<Candidate> waiting;
    const auto consider = [&](int left) {
      if (left < 0) return;
      if (const Merge* m = merge_of(symbols, left)) waiting.push({*m, left});
    };
    for (int i = 0; i < static_cast<int>(symbols.size()); ++i) consider(i);
    while (!waiting.empty()) {
      const Candidate c = waiting.top();
      waiting.pop();
      Symbol& left = symbols[static_cast<size_t>(c.left)];
      const Merge* now = left.merged ? nullptr : merge_of(symbols, c.left);
      if (now == nullptr || now->id != c.merge.id) continue;  // its neighbours have changed
      Symbol& right = symbols[static_cast<size_t>(left.next)];
      right.merged = true;
      left.id = now->id;
      left.next = right.next;
      if (left.next >= 0) symbols[static_cast<size_t>(left.next)].previous = c.left;
      consider(left.previous);
      consider(c.left);
    }
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
