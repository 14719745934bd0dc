// The settings of a model's file (config.json, or the facts of a GGUF file) by name. Whatever is
// not read is an error at the end, so that nothing that a model asks for is ignored by mistake.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/tokenizer/json_part.h"

namespace tg::models {

class Settings {
 public:
  /// `place` begins with the file's name. FileError if `content` is no object.
  Settings(nlohmann::json content, std::string place);

  /// Whether it is there, and not null.
  bool has(std::string_view name) const;
  /// Whether it is there, and an object.
  bool has_members(std::string_view name) const;

  /// Each counts as read. FileError, which names file and key, for one that is missing or of
  /// another kind. Whole numbers lie from `least` to `most`.
  int64_t whole(std::string_view name, int64_t least, int64_t most);
  double number(std::string_view name);
  double positive(std::string_view name);  ///< above 0, finite
  bool flag(std::string_view name);
  const std::string& text(std::string_view name);
  std::vector<JsonPart> list(std::string_view name);
  /// A member that is an object; what is not read of it counts, too.
  Settings& inner(std::string_view name);

  int64_t whole_or(std::string_view name, int64_t least, int64_t most, int64_t otherwise);
  double positive_or(std::string_view name, double otherwise);
  double number_or(std::string_view name, double otherwise);
  bool flag_or(std::string_view name, bool otherwise);
  std::string text_or(std::string_view name, std::string_view otherwise);

  /// FileError about this setting.
  [[noreturn]] void fail(std::string_view name, std::string_view problem) const;
  /// FileError for a setting that says something (is not null, false, or empty) and was neither
  /// read nor is among `harmless`.
  void require_all_read(std::span<const std::string_view> harmless) const;

 private:
  JsonPart part(std::string_view name);

  std::unique_ptr<nlohmann::json> content_;
  std::string place_;
  std::set<std::string, std::less<>> read_;
  std::map<std::string, Settings, std::less<>> inner_;
};

}  // namespace tg::models
