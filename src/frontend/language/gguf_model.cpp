// GGUF files.
#include <fmt/format.h>

#include "frontend/language/model_file.h"
#include "support/check.h"

namespace tg::models {

std::unique_ptr<ModelFile> open_gguf(const std::filesystem::path& file) {
  user_error<FileError>("LanguageModel::load", fmt::format("\"{}\" is no folder", file.string()));
}

}  // namespace tg::models
