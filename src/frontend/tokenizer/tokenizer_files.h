// The forms of files that tokenizers are published in: which of a folder's is read, which form a
// file has, and its description in tokenizer.json's form. The readers are files of their own.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tg/models/tokenizer.h"

namespace tg::models {

/// The description of the tokenizer in a file, or in the file of a folder that
/// `tokenizer_file_of` finds. `encoding` is tiktoken's, where the file is. FileError, in the name
/// of Tokenizer::load, for a folder without one.
nlohmann::json tokenizer_description(const std::filesystem::path& file_or_folder,
                                     std::string_view encoding);

/// That of a file with this content, whose form is told by it and by `name`, without the files that
/// may lie beside it.
nlohmann::json tokenizer_description(std::string_view content, const std::string& name,
                                     std::string_view encoding);

/// The tokenizer's file in a folder, if there is one: docs/tokenizers.md has the order.
std::optional<std::filesystem::path> tokenizer_file_of(const std::filesystem::path& folder);

/// The tokenizer of a model's folder, if it has one. FileError as Tokenizer::load.
std::optional<Tokenizer> tokenizer_in(const std::filesystem::path& folder);

}  // namespace tg::models
