// Files with the names of classes.
#include <fmt/format.h>

#include <sstream>

#include "frontend/tokenizer/json_part.h"
#include "frontend/vision/classifier_files.h"
#include "frontend/whole_file.h"

namespace tg::models {
namespace {

constexpr uint64_t kMostLabelBytes = 16 << 20;

// A name, or a list of several kinds of names with the one for people at its end.
std::string class_label(const JsonPart& part) {
  if (!part.content().is_array()) return part.text();
  const std::vector<JsonPart> names = part.items();
  if (names.empty()) part.fail("has no name");
  return names.back().text();
}

}  // namespace

std::vector<std::string> labels_of_json(const std::string& text, const std::string& place) {
  const nlohmann::json content = parse_json(text, place);
  const JsonPart all(content, place);
  std::vector<std::string> out;
  if (content.is_array()) {
    for (const JsonPart& part : all.items()) out.push_back(class_label(part));
    return out;
  }
  for (size_t i = 0; i < content.size(); ++i) {
    const JsonPart part = all[fmt::to_string(i)];
    if (part.is_null()) part.fail(fmt::format("is missing: there are {} names", content.size()));
    out.push_back(class_label(part));
  }
  return out;
}

std::vector<std::string> read_labels(std::string_view function, const std::filesystem::path& file) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::string text = whole_file(function, file, kMostLabelBytes);
  const size_t start = text.find_first_not_of(kBlank);
  if (start != std::string::npos && (text[start] == '[' || text[start] == '{'))
    return labels_of_json(text, file.string());
  text.erase(text.find_last_not_of(kBlank) + 1);
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(kBlank) + 1);
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace tg::models
