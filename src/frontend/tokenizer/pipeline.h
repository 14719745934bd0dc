// The steps of a tokenizer, as values that its description is read into: a tokenizer.json, or what
// a reader of another file makes in its form (tokenizer_files.h). normalise → split → number the
// pieces by a model → add special tokens; and back. Each step's kinds are in the file of its name.
// The whole: tokenizer.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/tokenizer/json_part.h"
#include "frontend/tokenizer/unicode.h"
#include "frontend/tokenizer/vocabulary.h"

namespace tg::models {

/// A part of the text on its way to the model.
struct Piece {
  std::string text;
  bool at_start = false;  ///< of the whole input
};

using Normalizer = std::function<std::string(std::string)>;
using PreTokenizer = std::function<std::vector<Piece>(std::vector<Piece>)>;
using PostProcessor = std::function<std::vector<int32_t>(std::vector<int32_t>)>;
using Decoder = std::function<std::vector<std::string>(std::vector<std::string>)>;
/// The bytes that a token adds to the text before it, or begins one with; not yet as valid text.
using TokenBytes = std::function<std::string(std::string token, bool is_first)>;

/// Numbers the parts of one piece.
class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Appends the tokens of `piece`. ArgumentError for one with no token, where the model names none
  /// for what it does not know.
  virtual void encode(std::string_view piece, std::vector<int32_t>& ids) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
};

/// These read a part of a description; a null part gives what changes nothing.
Normalizer read_normalizer(const JsonPart& part);
PreTokenizer read_pre_tokenizer(const JsonPart& part);
std::unique_ptr<TokenModel> read_model(const JsonPart& part);
PostProcessor read_post_processor(const JsonPart& part);
/// A null part gives an empty function: tokens are joined by spaces then.
Decoder read_decoder(const JsonPart& part);
/// What the same decoder makes of one token. A step that looks at several at once (clean-up of
/// words across tokens) is as for this one alone.
TokenBytes read_token_bytes(const JsonPart& part);

std::unique_ptr<TokenModel> read_bpe(const JsonPart& part);
std::unique_ptr<TokenModel> read_scored_bpe(const JsonPart& part);
std::unique_ptr<TokenModel> read_unigram(const JsonPart& part);

/// Steps that no tokenizer.json names: SentencePiece's own, of sentencepiece_text.cpp.
PreTokenizer read_sentencepiece_text(const JsonPart& part);
Decoder read_sentencepiece_decoder(const JsonPart& part);
TokenBytes read_sentencepiece_bytes(const JsonPart& part);

/// The byte of <0xE2>.
std::optional<char> named_byte(std::string_view token);

/// {"String": …} or {"Regex": …}.
Pattern read_pattern(const JsonPart& part);

}  // namespace tg::models
