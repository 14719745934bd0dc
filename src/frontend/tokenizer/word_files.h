// The files that tokenizers of `transformers` were published in before tokenizer.json: vocab.txt, a
// token a line (BERT), and vocab.json with merges.txt (GPT-2, RoBERTa, Whisper, CLIP, Qwen). Both
// are made descriptions in tokenizer.json's form, as its convert_slow_tokenizer.py has them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "frontend/tokenizer/side_settings.h"

namespace tg::models {

/// WordPiece of the lines of `content`. FileError for a file without the tokens that its class
/// needs.
nlohmann::json word_piece_tokenizer(std::string_view content, const SideSettings& settings,
                                    const std::string& name);

/// Byte pairs of a vocabulary and its merges; `name` is the first's, `merges_name` the other's.
/// FileError, which names the line, for a merge that is no pair.
nlohmann::json byte_pair_tokenizer(std::string_view vocabulary, const std::string& name,
                                   std::string_view merges, const std::string& merges_name,
                                   const SideSettings& settings);

}  // namespace tg::models
