// SentencePiece's unigram model: of all ways to write a piece as tokens, the one of the largest sum
// of scores (logarithms of probabilities), by dynamic programming. Kudo 2018,
// https://arxiv.org/abs/1804.10959; details as `tokenizers` has them, or SentencePiece itself for a
// model with types of tokens (sentencepiece_file.cpp).
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/tokenizer/pipeline.h"
#include "frontend/tokenizer/scored_pieces.h"

namespace tg::models {
namespace {

// How much less likely a character that is no token is than the least likely token.
constexpr double kUnknownPenalty = 10;
// How much less likely than the best tokens of as many bytes is what the user defined, and the
// least that the score of these counts as.
constexpr double kUserDefinedPenalty = 0.1;
constexpr double kLeastMost = std::numeric_limits<float>::min();

// The best way to a place in the piece.
struct Way {
  double score = 0;
  size_t from = 0;
  int32_t id = 0;
  bool known = false;  // whether there is one yet
};

// A token of the best way.
struct Chosen {
  Span span;
  int32_t id;
};

class Unigram final : public TokenModel {
 public:
  explicit Unigram(const JsonPart& part) : pieces_(part), is_exact_(!pieces_.types.empty()) {
    tokens_ = pieces_.index([&](int32_t id) { return pieces_.type(id) != PieceType::Unused; });
    double least = std::numeric_limits<double>::infinity(), most = kLeastMost;
    for (int32_t id = 0; id < static_cast<int32_t>(pieces_.scores.size()); ++id) {
      if (pieces_.type(id) != PieceType::Normal) continue;
      least = std::min(least, pieces_.score(id));
      most = std::max(most, pieces_.score(id));
    }
    unknown_score_ = rounded((std::isfinite(least) ? least : 0) - kUnknownPenalty);
    best_score_ = most;
  }

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    if (piece.empty()) return;
    const std::vector<Way> ways = best_ways(piece);
    // From the end; unknown characters that follow each other are one token.
    std::vector<Chosen> parts;
    bool follows_unknown = false;
    for (size_t end = piece.size(); end > 0; end = ways[end].from) {
      const bool unknown = pieces_.is_unknown(ways[end].id);
      if (unknown && follows_unknown) {
        parts.back().span.begin = ways[end].from;
      } else {
        parts.push_back({{ways[end].from, end}, ways[end].id});
      }
      follows_unknown = unknown;
    }
    std::ranges::reverse(parts);
    for (const Chosen& c : parts)
      append(piece.substr(c.span.begin, c.span.end - c.span.begin), c.id, ids);
  }
  const Vocabulary& vocabulary() const override { return pieces_.words; }

 private:
  // SentencePiece adds scores in float32; `tokenizers` in float64.
  double rounded(double score) const { return is_exact_ ? static_cast<float>(score) : score; }

  // What the user defined is always taken: SentencePiece counts its bytes in the best score.
  double score(PrefixIndex::Match m) const {
    if (pieces_.type(m.id) != PieceType::UserDefined) return pieces_.score(m.id);
    return rounded(static_cast<double>(m.bytes) * best_score_) - kUserDefinedPenalty;
  }

  std::vector<Way> best_ways(std::string_view piece) const {
    std::vector<Way> ways(piece.size() + 1);
    const auto offer = [&](size_t from, size_t to, double score, int32_t id) {
      Way& w = ways[to];
      if (!w.known || score > w.score) w = {rounded(score), from, id, true};
    };
    for (size_t begin = 0; begin < piece.size();) {
      size_t next = begin;
      next_code_point(piece, next);
      const double here = ways[begin].score;
      bool is_token = false;  // the character by itself
      tokens_.for_each_prefix(piece.substr(begin), [&](PrefixIndex::Match m) {
        offer(begin, begin + m.bytes, here + score(m), m.id);
        is_token = is_token || begin + m.bytes == next;
      });
      if (!is_token)
        offer(begin, next, rounded(here + unknown_score_), pieces_.unknown.value_or(0));
      begin = next;
    }
    return ways;
  }

  // `tokenizers` looks texts up once more, where unknown characters together may be a token.
  void append(std::string_view text, int32_t id, std::vector<int32_t>& ids) const {
    std::optional<int32_t> known;
    if (!is_exact_) known = pieces_.words.find(text);
    if (is_exact_ && !pieces_.is_unknown(id)) known = id;
    if (known) {
      ids.push_back(*known);
    } else {
      pieces_.append_unknown(text, ids);
    }
  }

  ScoredPieces pieces_;
  bool is_exact_;  // as SentencePiece itself, which knows types
  PrefixIndex tokens_;
  double unknown_score_ = 0, best_score_ = 0;
};

}  // namespace

std::unique_ptr<TokenModel> read_unigram(const JsonPart& part) {
  return std::make_unique<Unigram>(part);
}

}  // namespace tg::models
