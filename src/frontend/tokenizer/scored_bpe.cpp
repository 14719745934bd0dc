// Byte-pair encoding without a list of merges: neighbours become one token if their text together
// is one, that of the best score first. So SentencePiece's BPE does, and tiktoken, where a token's
// number says when. The loop is in pair_merging.h, encoding by a list in bpe.cpp.
#include <algorithm>
#include <unordered_map>

#include "frontend/tokenizer/pair_merging.h"
#include "frontend/tokenizer/pipeline.h"
#include "frontend/tokenizer/scored_pieces.h"

namespace tg::models {
namespace {

class ScoredBpe final : public TokenModel {
 public:
  explicit ScoredBpe(const JsonPart& part)
      : pieces_(part), ignores_merges_(part["ignore_merges"].flag_or(false)) {
    user_defined_ =
        pieces_.index([&](int32_t id) { return pieces_.type(id) == PieceType::UserDefined; });
    rank_tokens();
  }

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    if (ignores_merges_) {
      if (const auto whole = pieces_.words.find(piece)) {
        ids.push_back(*whole);
        return;
      }
    }
    std::vector<Symbol> symbols = letters(piece);
    Halves halves;
    merge_pairs(symbols, [&](const Symbol& left, const Symbol& right) {
      return merge_of(piece, left.span, right.span, halves);
    });
    Output out{piece, ids, {}};
    for (const Symbol& s : symbols)
      if (!s.is_merged) append(s.span, halves, out);
    end_unknown(out);
  }
  const Vocabulary& vocabulary() const override { return pieces_.words; }

 private:
  // Bytes of the left one of the two that an unused token was made of.
  using Halves = std::unordered_map<std::string_view, size_t>;

  struct Output {
    std::string_view piece;
    std::vector<int32_t>& ids;
    Span unknown;  // characters that follow each other and are no tokens
  };

  static std::string_view text_of(std::string_view piece, Span s) {
    return piece.substr(s.begin, s.end - s.begin);
  }

  // Tokens of one score have one rank, so that of their merges the leftmost comes first.
  void rank_tokens() {
    std::vector<int32_t> order;
    for (int32_t id = 0; id < static_cast<int32_t>(pieces_.scores.size()); ++id)
      if (pieces_.is_of_text(id)) order.push_back(id);
    std::ranges::sort(order, std::greater(), [&](int32_t id) { return pieces_.score(id); });
    ranks_.assign(pieces_.scores.size(), 0);
    int32_t rank = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && pieces_.score(order[i]) != pieces_.score(order[i - 1])) ++rank;
      ranks_[static_cast<size_t>(order[i])] = rank;
      longest_ = std::max(longest_, pieces_.words.text(order[i])->size());
    }
  }

  std::vector<Symbol> letters(std::string_view piece) const {
    std::vector<Symbol> out;
    for (size_t at = 0; at < piece.size();) {
      const size_t begin = at;
      const auto fixed = user_defined_.longest_prefix(piece.substr(at));
      if (fixed) {
        at += fixed->bytes;
      } else {
        next_code_point(piece, at);
      }
      append_symbol(out, -1, {begin, at}, fixed.has_value());
    }
    return out;
  }

  std::optional<Merge> merge_of(std::string_view piece, Span left, Span right,
                                Halves& halves) const {
    const std::string_view both = text_of(piece, {left.begin, right.end});
    if (both.size() > longest_) return {};
    const auto id = pieces_.words.find(both);
    if (!id || !pieces_.is_of_text(*id)) return {};
    if (pieces_.type(*id) == PieceType::Unused) halves[both] = left.end - left.begin;
    return Merge{ranks_[static_cast<size_t>(*id)], *id};
  }

  // A token that is not to be used becomes what it was made of, and so on.
  void append(Span whole, const Halves& halves, Output& out) const {
    std::vector<Span> waiting = {whole};
    while (!waiting.empty()) {
      const Span s = waiting.back();
      waiting.pop_back();
      const std::string_view text = text_of(out.piece, s);
      const auto id = pieces_.words.find(text);
      const bool is_unused = id && pieces_.type(*id) == PieceType::Unused;
      const auto half = is_unused ? halves.find(text) : halves.end();
      if (half != halves.end()) {
        const size_t middle = s.begin + half->second;
        waiting.push_back({middle, s.end});
        waiting.push_back({s.begin, middle});
      } else if (id) {
        end_unknown(out);
        out.ids.push_back(*id);
      } else {
        if (out.unknown.begin == out.unknown.end) out.unknown.begin = s.begin;
        out.unknown.end = s.end;
      }
    }
  }

  void end_unknown(Output& out) const {
    if (out.unknown.begin == out.unknown.end) return;
    pieces_.append_unknown(text_of(out.piece, out.unknown), out.ids);
    out.unknown = {};
  }

  ScoredPieces pieces_;
  PrefixIndex user_defined_;
  std::vector<int32_t> ranks_;  // by id
  size_t longest_ = 0;          // bytes of a token
  bool ignores_merges_;
};

}  // namespace

std::unique_ptr<TokenModel> read_scored_bpe(const JsonPart& part) {
  return std::make_unique<ScoredBpe>(part);
}

}  // namespace tg::models
