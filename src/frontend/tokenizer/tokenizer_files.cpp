// See tokenizer_files.h.
#include "frontend/tokenizer/tokenizer_files.h"

#include <array>

#include "frontend/tokenizer/sentencepiece_file.h"
#include "frontend/tokenizer/tiktoken_file.h"
#include "frontend/tokenizer/word_files.h"
#include "frontend/whole_file.h"
#include "support/check.h"

namespace tg::models {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// The largest published one has 35 MB.
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

constexpr std::string_view kLoad = "Tokenizer::load";

// In the order in which they are looked for; vocab.json counts with merges.txt beside it only.
constexpr auto kNames = std::to_array<std::string_view>(
    {"tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt"});
constexpr std::string_view kMerges = "merges.txt";

// The form of a file.
enum class Form { TokenizerJson, SentencePiece, Tiktoken, Words };

Form form_of(std::string_view content, const fs::path& name) {
  const fs::path ending = name.extension();
  if (ending == ".json") return Form::TokenizerJson;
  if (is_tiktoken(content) || ending == ".tiktoken") return Form::Tiktoken;
  // A protobuf message begins with its first field, the pieces.
  if (ending == ".txt") return Form::Words;
  if (content.starts_with('\n') || ending == ".model") return Form::SentencePiece;
  return Form::TokenizerJson;
}

json description_of(std::string_view content, std::string_view encoding,
                    const SideSettings& settings, const std::string& name) {
  switch (form_of(content, name)) {
    case Form::SentencePiece:
      return sentencepiece_tokenizer(content, settings, name);
    case Form::Tiktoken:
      return tiktoken_tokenizer(content, encoding, settings, name);
    case Form::Words:
      return word_piece_tokenizer(content, settings, name);
    case Form::TokenizerJson:
      break;
  }
  return parse_json(content, name);
}

bool is_byte_pairs(const fs::path& file) {
  return file.filename() == "vocab.json" || file.filename() == kMerges;
}

json byte_pairs_of(const fs::path& folder) {
  const fs::path vocabulary = folder / "vocab.json", merges = folder / kMerges;
  return byte_pair_tokenizer(whole_file(kLoad, vocabulary, kMostBytes), vocabulary.string(),
                             whole_file(kLoad, merges, kMostBytes), merges.string(),
                             SideSettings(folder));
}

}  // namespace

std::optional<fs::path> tokenizer_file_of(const fs::path& folder) {
  std::error_code unknown;
  for (const std::string_view name : kNames)
    if (fs::exists(folder / name, unknown) &&
        (!is_byte_pairs(name) || fs::exists(folder / kMerges, unknown)))
      return folder / name;
  // By name, so that of several it is always the same.
  std::optional<fs::path> first;
  fs::directory_iterator at(folder, unknown);
  for (; !unknown && at != fs::directory_iterator(); at.increment(unknown)) {
    const fs::path& file = at->path();
    if (file.extension() == ".tiktoken" && (!first || file < *first)) first = file;
  }
  return first;
}

std::optional<Tokenizer> tokenizer_in(const fs::path& folder) {
  const auto file = tokenizer_file_of(folder);
  if (!file) return {};
  return Tokenizer::load(*file);
}

json tokenizer_description(const fs::path& file_or_folder, std::string_view encoding) {
  std::error_code unknown;
  fs::path file = file_or_folder;
  if (fs::is_directory(file, unknown)) {
    // Where there is none, the error is of the file that one expects.
    file = tokenizer_file_of(file).value_or(file / kNames.front());
  }
  if (is_byte_pairs(file)) return byte_pairs_of(file.parent_path());
  const std::string bytes = whole_file(kLoad, file, kMostBytes);
  return description_of(bytes, encoding, SideSettings(file.parent_path()), file.string());
}

json tokenizer_description(std::string_view content, const std::string& name,
                           std::string_view encoding) {
  return description_of(content, encoding, {}, name);
}

}  // namespace tg::models
