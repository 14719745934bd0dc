// A vocabulary in which each token has a score, and in SentencePiece's files a type: what the
// models in unigram.cpp and scored_bpe.cpp share.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/tokenizer/json_part.h"
#include "frontend/tokenizer/vocabulary.h"

namespace tg::models {

/// SentencePiece's numbers for what a token is for.
enum class PieceType {
  Normal = 1,
  Unknown = 2,
  Control = 3,
  UserDefined = 4,
  Unused = 5,
  Byte = 6
};

struct ScoredPieces {
  /// From "vocab", pairs of text and score, "unk_id", "byte_fallback", and, where a file has them,
  /// "types".
  explicit ScoredPieces(const JsonPart& part);

  PieceType type(int32_t id) const {
    return types.empty() ? PieceType::Normal : types[static_cast<size_t>(id)];
  }
  double score(int32_t id) const { return scores[static_cast<size_t>(id)]; }
  bool is_unknown(int32_t id) const { return unknown && id == *unknown; }
  /// Whether the token may come of text: those for controls and bytes do not.
  bool is_of_text(int32_t id) const;
  /// The texts of those that do and of which `is_wanted(id)`; of two with one text the later.
  template <typename F>
  PrefixIndex index(F is_wanted) const {
    std::vector<std::pair<std::string, int32_t>> texts;
    for (auto id = static_cast<int32_t>(scores.size()); id-- > 0;) {
      const std::string* text = words.text(id);
      if (text != nullptr && is_of_text(id) && is_wanted(id)) texts.emplace_back(*text, id);
    }
    return PrefixIndex(std::move(texts));
  }

  /// Appends the tokens for a text that is none: those of its bytes, or the one for what is
  /// unknown. ArgumentError where there are neither.
  void append_unknown(std::string_view text, std::vector<int32_t>& ids) const;

  Vocabulary words;
  std::vector<double> scores;    // by id
  std::vector<PieceType> types;  // by id; empty: all are Normal
  std::optional<int32_t> unknown;
  bool has_bytes;
};

}  // namespace tg::models
