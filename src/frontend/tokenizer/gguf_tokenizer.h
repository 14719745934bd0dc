// The tokenizer of a GGUF file, as the JSON that a tokenizer.json would have: the file has lists of
// tokens, and names for the ways in which texts are divided. Reading that JSON: tokenizer.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tg/files.h"

namespace tg::models {

/// FileError, naming `name` and the fact, for what is missing, wrong or not known.
nlohmann::json gguf_tokenizer(const nn::Facts& facts, const std::string& name);

}  // namespace tg::models
