// SentencePiece's unigram model: of all ways to write a piece as tokens, the one of the largest sum of
// scores (logarithms of probabilities), by dynamic programming. Kudo 2018,
// https://arxiv.org/abs/1804.10959; details as `tokenizers` has them.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/tokenizer/pipeline.h"
#include "support/check.h"

namespace tg::models {
namespace {

// How much less likely a character that is no token is than the least likely token.
constexpr double kUnknownPenalty = 10;

// The best way to a place in the piece.
struct Way {
  double score = 0;
  size_t from = 0;
  int32_t id = 0;
  bool known = false;  // whether there is one yet
};

class Unigram final : public TokenModel {
 public:
  explicit Unigram(const JsonPart& part) : has_bytes_(part["byte_fallback"].flag_or(false)) {
    std::vector<std::pair<std::string, int32_t>> texts;
    double least = 0;
    for (const JsonPart& p : part["vocab"].items()) {
      const auto entry = p.items();
      if (entry.size() != 2) p.fail("is no token with its score");
      const auto id = static_cast<int32_t>(scores_.size());
      if (id >= kMostTokens) p.fail("is one token too many");
      const double score = entry[1].number();
      least = scores_.empty() ? score : std::min(least, score);
      scores_.push_back(score);
      words_.add(entry[0].text(), id);
      texts.emplace_back(entry[0].text(), id);
    }
    // Of two tokens with one text the later counts.
    std::ranges::reverse(texts);
    tokens_ = PrefixIndex(std::move(texts));
    unknown_score_ = least - kUnknownPenalty;
    const JsonPart unknown = part["unk_id"];
    if (unknown.is_null()) return;
    unknown_ = unknown.token_id();
    if (*unknown_ >= words_.end()) unknown.fail("is the number of no token");
  }

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    if (piece.empty()) return;
    const std::vector<Way> ways = best_ways(piece);
    // From the end; unknown characters that follow each other are one token.
    std::vector<Span> parts;
    bool follows_unknown = false;
    for (size_t end = piece.size(); end > 0; end = ways[end].from) {
      const bool unknown = is_unknown(ways[end]);
      if (unknown && follows_unknown) {
        parts.back().begin = ways[end].from;
      } else {
        parts.push_back({ways[end].from, end});
      }
      follows_unknown = unknown;
    }
    std::ranges::reverse(parts);
    for (const Span& s : parts) append(piece.substr(s.begin, s.end - s.begin), ids);
  }
  const Vocabulary& vocabulary() const override { return words_; }

 private:
  bool is_unknown(const Way& w) const { return unknown_ && w.id == *unknown_; }

  std::vector<Way> best_ways(std::string_view piece) const {
    std::vector<Way> ways(piece.size() + 1);
    const auto offer = [&](size_t from, size_t to, double score, int32_t id) {
      Way& w = ways[to];
      if (!w.known || score > w.score) w = {score, from, id, true};
    };
    for (size_t begin = 0; begin < piece.size();) {
      size_t next = begin;
      next_code_point(piece, next);
      const double here = ways[begin].score;
      bool is_token = false;  // the character by itself
      tokens_.for_each_prefix(piece.substr(begin), [&](PrefixIndex::Match m) {
        offer(begin, begin + m.bytes, here + scores_[static_cast<size_t>(m.id)], m.id);
        is_token = is_token || begin + m.bytes == next;
      });
      if (!is_token) offer(begin, next, here + unknown_score_, unknown_.value_or(0));
      begin = next;
    }
    return ways;
  }

  void append(std::string_view text, std::vector<int32_t>& ids) const {
    if (const auto id = words_.find(text)) {
      ids.push_back(*id);
      return;
    }
    std::vector<int32_t> bytes;
    for (size_t i = 0; has_bytes_ && i < text.size(); ++i) {
      const auto id = words_.find(fmt::format("<0x{:02X}>", static_cast<uint8_t>(text[i])));
      if (id) bytes.push_back(*id);
    }
    if (has_bytes_ && bytes.size() == text.size()) {
      ids.insert(ids.end(), bytes.begin(), bytes.end());
    } else if (unknown_) {
      ids.push_back(*unknown_);
    } else {
      user_error<ArgumentError>(
          "encode", fmt::format("the vocabulary has no \"{}\", nor a token for what it lacks", text));
    }
  }

  Vocabulary words_;
  PrefixIndex tokens_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  std::optional<int32_t> unknown_;
  bool has_bytes_;
};

}  // namespace

std::unique_ptr<TokenModel> read_unigram(const JsonPart& part) {
  return std::make_unique<Unigram>(part);
}

}  // namespace tg::models
