// See settings.h.
#include "frontend/language/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tg::models {
namespace {

// null, false, an empty list: as if it were not there.
bool says_nothing(const nlohmann::json& value) {
  return value.is_null() || (value.is_boolean() && !value.get<bool>()) ||
         (value.is_structured() && value.empty());
}

}  // namespace

Settings::Settings(nlohmann::json content, std::string place)
    : content_(std::make_unique<nlohmann::json>(std::move(content))), place_(std::move(place)) {
  if (!content_->is_object()) JsonPart(*content_, place_).fail("is no object");
}

JsonPart Settings::part(std::string_view name) {
  read_.emplace(name);
  return JsonPart(*content_, place_)[name];
}

bool Settings::has(std::string_view name) const {
  return !JsonPart(*content_, place_)[name].is_null();
}

bool Settings::has_members(std::string_view name) const {
  return JsonPart(*content_, place_)[name].content().is_object();
}

int64_t Settings::whole(std::string_view name, int64_t least, int64_t most) {
  const JsonPart p = part(name);
  if (p.is_null()) p.fail("is missing");
  if (!p.content().is_number_integer()) p.fail("is no whole number");
  const bool fits = !p.content().is_number_unsigned() || p.content().get<uint64_t>() <= INT64_MAX;
  const int64_t value = fits ? p.content().get<int64_t>() : INT64_MAX;
  if (value < least || value > most)
    p.fail(fmt::format("is {}, and may be {} to {}", p.content().dump(), least, most));
  return value;
}

double Settings::number(std::string_view name) {
  const JsonPart p = part(name);
  if (p.is_null()) p.fail("is missing");
  return p.number();
}

double Settings::positive(std::string_view name) {
  const double value = number(name);
  if (!(value > 0) || !std::isfinite(value)) fail(name, fmt::format("is {}, not above 0", value));
  return value;
}

bool Settings::flag(std::string_view name) { return part(name).flag(); }
const std::string& Settings::text(std::string_view name) { return part(name).text(); }
std::vector<JsonPart> Settings::list(std::string_view name) { return part(name).items(); }

Settings& Settings::inner(std::string_view name) {
  const auto found = inner_.find(name);
  if (found != inner_.end()) return found->second;
  const JsonPart p = part(name);
  return inner_.emplace(std::string(name), Settings(p.content(), p.place())).first->second;
}

int64_t Settings::whole_or(std::string_view name, int64_t least, int64_t most, int64_t otherwise) {
  read_.emplace(name);
  return has(name) ? whole(name, least, most) : otherwise;
}

double Settings::positive_or(std::string_view name, double otherwise) {
  read_.emplace(name);
  return has(name) ? positive(name) : otherwise;
}

double Settings::number_or(std::string_view name, double otherwise) {
  read_.emplace(name);
  return has(name) ? number(name) : otherwise;
}

bool Settings::flag_or(std::string_view name, bool otherwise) {
  return part(name).flag_or(otherwise);
}

std::string Settings::text_or(std::string_view name, std::string_view otherwise) {
  return part(name).text_or(otherwise);
}

void Settings::fail(std::string_view name, std::string_view problem) const {
  JsonPart(*content_, fmt::format("{}.{}", place_, name)).fail(problem);
}

void Settings::require_all_read(std::span<const std::string_view> harmless) const {
  for (const auto& [name, value] : content_->items()) {
    if (says_nothing(value) || read_.contains(name)) continue;
    if (std::ranges::find(harmless, name) == harmless.end())
      fail(name, "is a setting that is not supported here");
  }
  for (const auto& [name, settings] : inner_) settings.require_all_read(harmless);
}

}  // namespace tg::models
