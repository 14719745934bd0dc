// The models of SentencePiece (tokenizer.model, spiece.model): a protobuf message, made a
// description in tokenizer.json's form, with the steps of sentencepiece_text.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "frontend/tokenizer/side_settings.h"

namespace tg::models {

/// FileError, which names the file and the token, for a message that is cut off, or of a kind that
/// is neither unigram nor BPE, or lacks tokens that its kind needs.
nlohmann::json sentencepiece_tokenizer(std::string_view bytes, const SideSettings& settings,
                                       const std::string& name);

}  // namespace tg::models
