// See json_part.h.
#include "frontend/tokenizer/json_part.h"

#include <fmt/format.h>

#include "support/check.h"

namespace tg::models {
namespace {

using nlohmann::json;

constexpr int kMostDepth = 32;

const json& null_part() {
  static const json kNull;
  return kNull;
}

}  // namespace

json parse_json(std::string_view text, const std::string& name) {
  const auto check = [&](int depth, json::parse_event_t event, json&) {
    const bool opens =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    if (opens && depth > kMostDepth) user_error<FileError>(name, "is nested too deeply");
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::parse_error& e) {
    user_error<FileError>(name, fmt::format("is not JSON at byte {}", e.byte));
  } catch (const json::exception&) {
    user_error<FileError>(name, "has a number that is out of range");
  }
}

JsonPart JsonPart::operator[](std::string_view name) const {
  if (!content_->is_object()) fail("is no object");
  const auto found = content_->find(name);
  return {found == content_->end() ? null_part() : *found, fmt::format("{}.{}", place_, name)};
}

std::vector<JsonPart> JsonPart::items() const {
  std::vector<JsonPart> out;
  if (is_null()) return out;
  if (!content_->is_array()) fail("is no list");
  for (size_t i = 0; i < content_->size(); ++i)
    out.emplace_back((*content_)[i], fmt::format("{}[{}]", place_, i));
  return out;
}

const std::string& JsonPart::text() const {
  if (!content_->is_string()) fail(is_null() ? "is missing" : "is no text");
  return content_->get_ref<const std::string&>();
}

bool JsonPart::flag() const {
  if (!content_->is_boolean()) fail("is neither true nor false");
  return content_->get<bool>();
}

double JsonPart::number() const {
  if (!content_->is_number()) fail("is no number");
  return content_->get<double>();
}

int32_t JsonPart::token_id() const {
  const bool fits = content_->is_number_integer() && content_->get<int64_t>() >= 0 &&
                    content_->get<int64_t>() < kMostTokens;
  if (!fits) fail(fmt::format("is no number of a token, 0 to {}", kMostTokens - 1));
  return content_->get<int32_t>();
}

std::string JsonPart::text_or(std::string_view otherwise) const {
  return is_null() ? std::string(otherwise) : text();
}

void JsonPart::fail(std::string_view problem) const { user_error<FileError>(place_, problem); }

}  // namespace tg::models
