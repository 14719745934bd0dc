// Files with the names of classes.
#include <fmt/format.h>

#include "frontend/tokenizer/json_part.h"
#include "frontend/vision/classifier_files.h"
#include "frontend/whole_file.h"
#include "support/text.h"

namespace tg::models {
namespace {

constexpr uint64_t kMostLabelBytes = 16 << 20;

// A name, or a list of several kinds of names with the one for people at its end.
std::string label_of(const JsonPart& part) {
  if (!part.content().is_array()) return part.text();
  const std::vector<JsonPart> names = part.items();
  if (names.empty()) part.fail("has no name");
  return names.back().text();
}

std::vector<std::string> json_labels(const std::string& text, const std::string& file) {
  const nlohmann::json content = parse_json(text, file);
  const JsonPart all(content, file);
  std::vector<std::string> out;
  if (content.is_array()) {
    for (const JsonPart& part : all.items()) out.push_back(label_of(part));
    return out;
  }
  for (size_t i = 0; i < content.size(); ++i) {
    const JsonPart part = all[fmt::to_string(i)];
    if (part.is_null()) part.fail(fmt::format("is missing: there are {} names", content.size()));
    out.push_back(label_of(part));
  }
  return out;
}

}  // namespace

std::vector<std::string> read_labels(const std::filesystem::path& file) {
  const std::string text = whole_file("ImageClassifier::load", file, kMostLabelBytes);
  const std::string_view start = trim(text);
  if (start.starts_with('[') || start.starts_with('{')) return json_labels(text, file.string());
  std::vector<std::string> out;
  for (const std::string_view line : split(start, '\n')) out.emplace_back(trim(line));
  return out;
}

}  // namespace tg::models
