// Methods of lists and dicts, and which methods there are. Those of texts: text_methods.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/template/functions.h"

namespace tg::models::jinja {
namespace {

constexpr auto kOfTexts = std::to_array<std::string_view>(
    {"capitalize", "casefold",     "center",       "count",     "endswith",    "expandtabs",
     "find",       "format",       "index",        "isalnum",   "isalpha",     "isascii",
     "isdecimal",  "isdigit",      "islower",      "isnumeric", "isprintable", "isspace",
     "istitle",    "isupper",      "join",         "ljust",     "lower",       "lstrip",
     "partition",  "removeprefix", "removesuffix", "replace",   "rfind",       "rindex",
     "rjust",      "rpartition",   "rsplit",       "rstrip",    "split",       "splitlines",
     "startswith", "strip",        "swapcase",     "title",     "upper",       "zfill"});
constexpr auto kOfDicts = std::to_array<std::string_view>(
    {"clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"});
constexpr auto kOfLists =
    std::to_array<std::string_view>({"append", "clear", "copy", "count", "extend", "index",
                                     "insert", "pop", "remove", "reverse", "sort"});
constexpr auto kOfTuples = std::to_array<std::string_view>({"count", "index"});

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<Value> pairs_of(const Dict& dict) {
  std::vector<Value> out;
  for (const auto& [key, value] : dict.entries())
    out.push_back(make_list({key, value}, ListKind::Tuple));
  return out;
}

Value call_dict_method(Renderer& r, const Value& self, std::string_view name,
                       const Arguments& given) {
  const Dict& dict = *self.dict();
  if (name == "get") {
    const auto a = given.bound(name, {"key", "default"}, 1);
    r.budget().spend_key(*a[0]);
    const Value* found = dict.find(*a[0]);
    return found != nullptr ? *found : a[1] != nullptr ? *a[1] : Value(None{});
  }
  given.bound(name, {});
  r.budget().spend(dict.entries().size());
  if (name == "items") return make_list(pairs_of(dict), ListKind::Items);
  if (name == "copy") return self;
  std::vector<Value> out;
  for (const auto& [key, value] : dict.entries()) out.push_back(name == "keys" ? key : value);
  return make_list(std::move(out), name == "keys" ? ListKind::Keys : ListKind::Values);
}

Value call_list_method(Renderer& r, const Value& self, std::string_view name,
                       const Arguments& given) {
  const List& list = *self.list();
  if (name == "copy") return self;
  const auto a = given.bound(name, {"value"}, 1);
  int64_t count = 0;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (!are_equal(list.items[i], *a[0], r.budget())) continue;
    if (name == "index") return static_cast<int64_t>(i);
    ++count;
  }
  if (name == "index") throw Refusal("index: the list has no such item");
  return count;
}

bool is_known(std::string_view name) {
  return name == "get" || name == "items" || name == "keys" || name == "values" || name == "copy" ||
         name == "index" || name == "count";
}

}  // namespace

bool has_method(const Value& v, std::string_view name) {
  if (v.text() != nullptr) return is_among(kOfTexts, name);
  if (v.dict() != nullptr) return is_among(kOfDicts, name);
  const List* list = v.list();
  if (list == nullptr) return false;
  if (list->kind == ListKind::List) return is_among(kOfLists, name);
  return (list->kind == ListKind::Tuple || list->kind == ListKind::Range) &&
         is_among(kOfTuples, name);
}

Value call_method(Renderer& r, const Method& method, const Arguments& given) {
  if (const std::string* text = method.self.text())
    return call_text_method(r, *text, method.name, given);
  if (!is_known(method.name))
    throw Refusal(fmt::format("\"{}\" would change a value, which no template may", method.name));
  return method.self.dict() != nullptr ? call_dict_method(r, method.self, method.name, given)
                                       : call_list_method(r, method.self, method.name, given);
}

}  // namespace tg::models::jinja
