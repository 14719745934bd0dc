// A part of a tokenizer's JSON, which knows where it is: a wrong one is a FileError that names the
// file and the place. Only reading; what the parts mean is in the files that read them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tg::models {

class JsonPart {
 public:
  /// `place` begins with the file's name. `content` outlives this.
  JsonPart(const nlohmann::json& content, std::string place)
      : content_(&content), place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  const nlohmann::json& content() const { return *content_; }
  bool is_null() const { return content_->is_null(); }

  /// A member of an object; a null part if it has none of this name.
  JsonPart operator[](std::string_view name) const;
  /// The parts of a list; none of null.
  std::vector<JsonPart> items() const;

  /// The part's value. FileError for another kind of value.
  const std::string& text() const;
  bool flag() const;
  double number() const;
  /// A token's number, 0 to kMostTokens − 1.
  int32_t token_id() const;

  std::string text_or(std::string_view otherwise) const;
  bool flag_or(bool otherwise) const { return is_null() ? otherwise : flag(); }

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  const nlohmann::json* content_;
  std::string place_;
};

/// Beyond any published vocabulary (a quarter of a million).
inline constexpr int32_t kMostTokens = 1 << 22;

/// The JSON of a file named `name`; FileError if it is none, or nested beyond reason.
nlohmann::json parse_json(std::string_view text, const std::string& name);

}  // namespace tg::models
