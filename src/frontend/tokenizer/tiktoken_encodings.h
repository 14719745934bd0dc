// What tiktoken's files leave out: how an encoding divides a text before its bytes are merged, and
// its special tokens. The files are read in tiktoken_file.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/tokenizer/side_settings.h"

namespace tg::models {

struct TiktokenEncoding {
  std::string_view name;
  std::string_view words;     ///< the pattern of a piece
  size_t tokens;              ///< in the published file
  std::string_view of_class;  ///< SideSettings::tokenizer_class of its models, if they have one
  std::string_view begin;     ///< the token that begins a text, if one does
};

/// Each is null where there is none.
const TiktokenEncoding* find_encoding(std::string_view name);
const TiktokenEncoding* encoding_of_class(std::string_view tokenizer_class);
const TiktokenEncoding* encoding_of_size(size_t tokens);

/// All, as a list to read.
std::string names_of_encodings();

/// The special tokens where the first number behind the file's own is `first`. `rows`: the model's
/// embeddings, by which Whisper's tell how many languages they know.
std::vector<NumberedToken> special_tokens(const TiktokenEncoding& encoding, int32_t first,
                                          std::optional<int64_t> rows);

}  // namespace tg::models
