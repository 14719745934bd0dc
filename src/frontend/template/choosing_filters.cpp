// Filters that call other filters or tests for each item, and the paths to what they look at.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "frontend/template/functions.h"
#include "frontend/template/paths.h"
#include "frontend/template/python_text.h"
#include "frontend/template/renderer_guards.h"

namespace tg::models::jinja {
namespace {

using Call = const Arguments&;

Arguments behind(Renderer& r, Call given, size_t count) {
  r.budget().spend(given.plain.size());
  Arguments out = given;
  out.plain.erase(out.plain.begin(),
                  out.plain.begin() + static_cast<ptrdiff_t>(std::min(count, out.plain.size())));
  return out;
}

// Jinja does not go through what is false, be it a list or not.
ListPtr items_if_true(const Value& v) {
  return is_true(v) ? items_of(v) : std::make_shared<const List>();
}

Value map(Renderer& r, const Value& v, Call given) {
  const ListPtr all = items_if_true(v);
  std::vector<Value> out;
  if (given.plain.empty() && given.find("attribute") != nullptr) {
    const auto a = given.bound("map", {"attribute", "default"});
    const Value* otherwise = a[1] != nullptr && !a[1]->is<None>() ? a[1] : nullptr;
    const Path path(a[0], otherwise);
    for (const Value& item : all->items) out.push_back(path.of(r, item));
  } else if (!all->items.empty()) {
    if (given.plain.empty()) throw Refusal("map needs the name of a filter, or an attribute");
    const std::string& name = need_text(&given.plain[0]);
    const Arguments rest = behind(r, given, 1);
    for (const Value& item : all->items) out.push_back(r.filtered(name, item, rest));
  }
  return make_list(std::move(out), ListKind::Generator);
}

// The items, or a member of each, that pass a test; without a test, those that are true.
template <bool by_member, bool wanted>
Value choose(Renderer& r, const Value& v, Call given) {
  constexpr size_t kSkipped = by_member ? 1 : 0;
  const ListPtr all = items_if_true(v);
  std::vector<Value> out;
  if (!all->items.empty()) {
    if (given.plain.size() < kSkipped) throw Refusal("a filter needs the name of a member");
    const Path path(by_member ? &given.plain[0] : nullptr);
    const Arguments rest = behind(r, given, kSkipped + 1);
    const bool has_test = given.plain.size() > kSkipped;
    for (const Value& item : all->items) {
      const Value looked_at = path.of(r, item);
      const bool passes = has_test ? r.passes(need_text(&given.plain[kSkipped]), looked_at, rest)
                                   : is_true(looked_at);
      if (passes == wanted) out.push_back(item);
    }
  }
  return make_list(std::move(out), ListKind::Generator);
}

// The member alone, never a dict's entry.
Value attr(Renderer& r, const Value& v, Call given) {
  const std::string& name = need_text(given.bound("attr", {"name"}, 1)[0]);
  if (v.dict() != nullptr && !has_method(v, name)) return Undefined{};
  return r.member(v, name);
}

struct ChoosingFilter {
  std::string_view name;
  FilterFunction filter;
};
constexpr auto kChoosingFilters = std::to_array<ChoosingFilter>({
    {"attr", attr},
    {"map", map},
    {"reject", choose<false, false>},
    {"rejectattr", choose<true, false>},
    {"select", choose<false, true>},
    {"selectattr", choose<true, true>},
});

std::vector<Value> parts_of(std::string_view path) {
  std::vector<Value> out;
  for (const std::string& part : split_at(path, ".", -1, false)) {
    int64_t number = 0;
    const char* end = part.data() + part.size();
    const auto [last, error] = std::from_chars(part.data(), end, number);
    const bool is_number = error == std::errc() && last == end && !part.starts_with('-');
    out.push_back(is_number ? Value(number) : Value(part));
  }
  return out;
}

}  // namespace

Path::Path(const Value* attribute, const Value* otherwise) {
  if (otherwise != nullptr) otherwise_ = *otherwise;
  if (attribute == nullptr || attribute->is<None>()) return;
  if (const std::string* text = attribute->text()) {
    parts_ = parts_of(*text);
  } else {
    parts_ = {*attribute};
  }
}

Value Path::of(Renderer& r, const Value& item) const {
  Value out = item;
  r.budget().spend(1 + parts_.size());
  for (const Value& part : parts_) {
    out = r.item(out, part);
    if (otherwise_ && out.is<Undefined>()) out = *otherwise_;
  }
  return out;
}

std::vector<Path> paths_of(const Value* attributes) {
  std::vector<Path> out;
  if (attributes == nullptr || attributes->text() == nullptr) {
    out.emplace_back(attributes);
    return out;
  }
  for (const std::string& part : split_at(*attributes->text(), ",", -1, false)) {
    const Value name = part;
    out.emplace_back(&name);
  }
  return out;
}

FilterFunction find_choosing_filter(std::string_view name) {
  const auto found = std::ranges::find(kChoosingFilters, name, &ChoosingFilter::name);
  return found == kChoosingFilters.end() ? nullptr : found->filter;
}

}  // namespace tg::models::jinja
