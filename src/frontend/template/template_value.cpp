// See template_value.h.
#include "frontend/template/template_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/template/python_text.h"

namespace tg::models::jinja {
namespace {

constexpr int64_t kFalseAndTrue[] = {0, 1};

int depth_of(const Value& v) {
  if (const List* list = v.list()) return list->depth;
  if (const Dict* dict = v.dict()) return dict->depth();
  if (const auto* method = v.as<MethodPtr>()) return (*method)->depth;
  return 0;
}

int deeper(int depth, const Value& v) {
  const int out = std::max(depth, depth_of(v) + 1);
  if (out > kMostNesting) throw Refusal("values are nested too deeply");
  return out;
}

// Equal keys have equal texts.
std::string hashed(const Value& key) {
  if (const std::string* text = key.text()) return "t" + *text;
  if (const int64_t* whole = key.whole()) return fmt::format("n{}", *whole);
  if (const double* number = key.as<double>()) {
    const bool is_whole = std::trunc(*number) == *number && std::abs(*number) < 0x1p62;
    return is_whole ? fmt::format("n{}", static_cast<int64_t>(*number))
                    : fmt::format("f{}", *number);
  }
  if (key.is<None>()) return "-";
  if (key.is<Undefined>()) return "?";
  if (const List* list = key.list(); list != nullptr && list->kind == ListKind::Tuple) {
    std::string out = "(";
    for (const Value& item : list->items) {
      const std::string part = hashed(item);
      if (out.size() + part.size() > kMostText) throw Refusal("a key is too long");
      out += fmt::format("{}:{}", part.size(), part);
    }
    return out;
  }
  throw Refusal(fmt::format("'{}' cannot be a key", type_name(key)));
}

bool compares_as_list(const List& list) {
  return list.kind == ListKind::List || list.kind == ListKind::Tuple ||
         list.kind == ListKind::Range;
}

bool equal_lists(const List& a, const List& b, Budget& budget) {
  if (&a == &b) return true;
  if (a.kind != b.kind || !compares_as_list(a) || a.items.size() != b.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!are_equal(a.items[i], b.items[i], budget)) return false;
  return true;
}

bool equal_dicts(const Dict& a, const Dict& b, Budget& budget) {
  if (&a == &b) return true;
  if (a.entries().size() != b.entries().size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Value* other = b.find(key);
    if (other == nullptr || !are_equal(value, *other, budget)) return false;
  }
  return true;
}

std::partial_ordering order_of_lists(const List& a, const List& b, Budget& budget) {
  const size_t n = std::min(a.items.size(), b.items.size());
  for (size_t i = 0; i < n; ++i)
    if (!are_equal(a.items[i], b.items[i], budget)) return order(a.items[i], b.items[i], budget);
  return a.items.size() <=> b.items.size();
}

}  // namespace

void Budget::spend_key(const Value& key) {
  if (const std::string* text = key.text()) return spend_text(text->size());
  if (key.list() != nullptr) spend_text(kMostText / 16);
}

const int64_t* Value::whole() const {
  if (const bool* flag = as<bool>()) return &kFalseAndTrue[*flag ? 1 : 0];
  return as<int64_t>();
}

double Value::number() const {
  if (const double* d = as<double>()) return *d;
  return static_cast<double>(*whole());
}

void Dict::set(const Value& key, Value value) {
  if (entries_.size() >= kMostItems) throw Refusal("a dict has too many entries");
  depth_ = deeper(deeper(depth_, value), key);
  const auto [place, is_new] = places_.try_emplace(hashed(key), entries_.size());
  if (is_new) {
    entries_.emplace_back(key, std::move(value));
  } else {
    entries_[place->second].second = std::move(value);
  }
}

const Value* Dict::at(const std::string& hashed_key) const {
  const auto found = places_.find(hashed_key);
  return found == places_.end() ? nullptr : &entries_[found->second].second;
}

const Value* Dict::find(const Value& key) const { return at(hashed(key)); }
const Value* Dict::find(std::string_view key) const { return at(fmt::format("t{}", key)); }

Value make_list(std::vector<Value> items, ListKind kind) {
  if (items.size() > kMostItems) throw Refusal("a list has too many items");
  int depth = 1;
  for (const Value& v : items) depth = deeper(depth, v);
  return ListPtr(std::make_shared<const List>(List{std::move(items), kind, depth}));
}

Value make_dict(Dict dict) { return DictPtr(std::make_shared<const Dict>(std::move(dict))); }

Value make_method(const Value& self, std::string_view name) {
  return MethodPtr(
      std::make_shared<const Method>(Method{self, std::string(name), deeper(1, self)}));
}

Value make_undefined(std::string why) {
  return Undefined{std::make_shared<const std::string>(std::move(why))};
}

bool is_true(const Value& v) {
  if (v.is<Undefined>() || v.is<None>()) return false;
  if (v.is_number()) return v.number() != 0;
  if (const std::string* text = v.text()) return !text->empty();
  if (const List* list = v.list()) return list->kind == ListKind::Generator || !list->items.empty();
  if (const Dict* dict = v.dict()) return !dict->entries().empty();
  return true;
}

std::string_view type_name(const Value& v) {
  static constexpr std::array<std::string_view, 7> kLists = {
      "list", "tuple", "generator", "range", "dict_keys", "dict_values", "dict_items"};
  if (v.is<Undefined>()) return "Undefined";
  if (v.is<None>()) return "NoneType";
  if (v.is<bool>()) return "bool";
  if (v.is<int64_t>()) return "int";
  if (v.is<double>()) return "float";
  if (v.text() != nullptr) return "str";
  if (const List* list = v.list()) return kLists[static_cast<size_t>(list->kind)];
  if (v.dict() != nullptr) return "dict";
  if (const auto* r = v.as<Reference>()) {
    static constexpr std::array<std::string_view, 3> kReferences = {"Namespace", "Macro",
                                                                    "LoopContext"};
    return kReferences[static_cast<size_t>(r->kind)];
  }
  return "function";
}

bool are_equal(const Value& a, const Value& b, Budget& budget) {
  budget.spend(1);
  if (a.is_number() && b.is_number()) {
    const int64_t *whole = a.whole(), *other = b.whole();
    return whole != nullptr && other != nullptr ? *whole == *other : a.number() == b.number();
  }
  if (a.text() != nullptr && b.text() != nullptr) {
    budget.spend_text(std::min(a.text()->size(), b.text()->size()));
    return *a.text() == *b.text();
  }
  if (a.list() != nullptr && b.list() != nullptr) return equal_lists(*a.list(), *b.list(), budget);
  if (a.dict() != nullptr && b.dict() != nullptr) return equal_dicts(*a.dict(), *b.dict(), budget);
  return are_same(a, b);
}

std::partial_ordering order(const Value& a, const Value& b, Budget& budget) {
  budget.spend(1);
  if (const auto* undefined = a.as<Undefined>()) refuse_undefined(*undefined);
  if (const auto* undefined = b.as<Undefined>()) refuse_undefined(*undefined);
  if (a.is_number() && b.is_number()) {
    const int64_t *whole = a.whole(), *other = b.whole();
    if (whole != nullptr && other != nullptr) return *whole <=> *other;
    return a.number() <=> b.number();
  }
  if (a.text() != nullptr && b.text() != nullptr) {
    budget.spend_text(std::min(a.text()->size(), b.text()->size()));
    return *a.text() <=> *b.text();  // UTF-8 has the order of code points
  }
  const List *list = a.list(), *other = b.list();
  if (list != nullptr && other != nullptr && list->kind == other->kind &&
      (list->kind == ListKind::List || list->kind == ListKind::Tuple))
    return order_of_lists(*list, *other, budget);
  throw Refusal(fmt::format("'{}' and '{}' have no order", type_name(a), type_name(b)));
}

bool are_same(const Value& a, const Value& b) {
  if (a.content().index() != b.content().index()) return false;
  if (a.is<Undefined>() || a.is<None>()) return true;
  if (a.is<bool>() || a.is<int64_t>()) return *a.whole() == *b.whole();
  if (a.is<double>()) return a.number() == b.number();
  if (a.text() != nullptr) return *a.text() == *b.text();
  if (a.list() != nullptr) return a.list() == b.list();
  if (a.dict() != nullptr) return a.dict() == b.dict();
  if (const auto* m = a.as<MethodPtr>()) return *m == *b.as<MethodPtr>();
  if (const auto* f = a.as<Function>()) return f->name == b.as<Function>()->name;
  const auto &one = *a.as<Reference>(), &other = *b.as<Reference>();
  return one.kind == other.kind && one.serial == other.serial && one.index == other.index;
}

ListPtr items_of(const Value& v) {
  if (const auto* list = v.as<ListPtr>()) return *list;
  std::vector<Value> items;
  if (const std::string* text = v.text()) {
    if (count_letters(*text) > kMostItems) throw Refusal("a list has too many items");
    for (size_t at = 0; at < text->size();) items.emplace_back(take_letter(*text, at));
  } else if (const Dict* dict = v.dict()) {
    for (const auto& [key, value] : dict->entries()) items.push_back(key);
  } else if (!v.is<Undefined>()) {
    throw Refusal(fmt::format("'{}' has no items to go through", type_name(v)));
  }
  return *make_list(std::move(items)).as<ListPtr>();
}

void refuse_undefined(const Undefined& v) {
  throw Refusal(v.why ? *v.why : "a value is undefined");
}

}  // namespace tg::models::jinja
