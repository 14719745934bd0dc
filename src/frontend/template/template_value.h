// Values of chat templates, as Python has them: what expressions give. Texts, lists and dicts are
// shared and never change. Namespaces, macros and loops are numbers of what the renderer owns, so
// that no value holds itself. How they print: python_text.h and json_text.h.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tg::models::jinja {

/// What a template or its values do wrong; the renderer adds the line.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bytes of one text, and of what is rendered; items of one list; lists within lists.
inline constexpr size_t kMostText = size_t{8} << 20, kMostItems = size_t{1} << 20;
inline constexpr int kMostNesting = 100;

class Value;

/// What rendering may do until it is refused: a template can ask for more than any machine has.
class Budget {
 public:
  /// A unit is an expression, a statement, an item, or 16 bytes of text.
  void spend(size_t units) {
    if (units > left_) throw Refusal("the template takes too many steps");
    left_ -= units;
  }
  void spend_text(size_t bytes) { spend(bytes / 16 + 1); }
  /// For a dict's key, which is looked at from end to end.
  void spend_key(const Value& key);

 private:
  size_t left_ = 10'000'000;
};

/// A name or member that is not there: empty text, an empty list, false; an error for most else.
struct Undefined {
  std::shared_ptr<const std::string> why;
};
struct None {};
/// Of the renderer's namespaces, macros or loops. `serial` tells those apart that had one number.
struct Reference {
  enum class Kind : uint8_t { Namespace, Macro, Loop };
  Kind kind;
  uint32_t index;
  uint64_t serial;
};
/// Of those that templates call by name.
struct Function {
  enum class Name : uint8_t { Range, Namespace, Dict, RaiseException, StrftimeNow };
  Name name;
};
struct List;
class Dict;
struct Method;

using TextPtr = std::shared_ptr<const std::string>;
using ListPtr = std::shared_ptr<const List>;
using DictPtr = std::shared_ptr<const Dict>;
using MethodPtr = std::shared_ptr<const Method>;

class Value {
 public:
  using Variant = std::variant<Undefined, None, bool, int64_t, double, TextPtr, ListPtr, DictPtr,
                               MethodPtr, Reference, Function>;

  Value() : content_(Undefined{}) {}
  Value(Undefined v) : content_(std::move(v)) {}
  Value(None v) : content_(v) {}
  Value(bool v) : content_(v) {}
  Value(int64_t v) : content_(v) {}
  Value(double v) : content_(v) {}
  Value(std::string v) : content_(std::make_shared<const std::string>(std::move(v))) {}
  Value(TextPtr v) : content_(std::move(v)) {}
  Value(ListPtr v) : content_(std::move(v)) {}
  Value(DictPtr v) : content_(std::move(v)) {}
  Value(MethodPtr v) : content_(std::move(v)) {}
  Value(Reference v) : content_(v) {}
  Value(Function v) : content_(v) {}
  Value(const char*) = delete;  // would be a bool

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&content_);
  }
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(content_);
  }
  const Variant& content() const { return content_; }

  /// The text, list or dict; null for another kind of value.
  const std::string* text() const { return is<TextPtr>() ? as<TextPtr>()->get() : nullptr; }
  const List* list() const { return is<ListPtr>() ? as<ListPtr>()->get() : nullptr; }
  const Dict* dict() const { return is<DictPtr>() ? as<DictPtr>()->get() : nullptr; }
  /// A whole number, or true and false as 1 and 0.
  const int64_t* whole() const;
  bool is_number() const { return is<bool>() || is<int64_t>() || is<double>(); }
  /// Of a number.
  double number() const;

 private:
  Variant content_;
};

/// Python's sequences; Generator is what a filter gives item by item.
enum class ListKind : uint8_t { List, Tuple, Generator, Range, Keys, Values, Items };

struct List {
  std::vector<Value> items;
  ListKind kind = ListKind::List;
  int depth = 1;  // of lists within lists
};

/// Keys in the order in which they came.
class Dict {
 public:
  /// Refusal for a key that Python cannot hash.
  void set(const Value& key, Value value);
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  const std::vector<std::pair<Value, Value>>& entries() const { return entries_; }
  int depth() const { return depth_; }

 private:
  const Value* at(const std::string& hashed) const;

  std::vector<std::pair<Value, Value>> entries_;
  std::unordered_map<std::string, size_t> places_;
  int depth_ = 1;
};

/// A value's function, such as `text.strip`.
struct Method {
  Value self;
  std::string name;
  int depth = 1;
};

/// Refusal for more items, or deeper, than there may be.
Value make_list(std::vector<Value> items, ListKind kind = ListKind::List);
Value make_dict(Dict dict);
Value make_method(const Value& self, std::string_view name);
Value make_undefined(std::string why);

/// Python's truth of a value.
bool is_true(const Value& v);
/// Python's name of its type, for messages.
std::string_view type_name(const Value& v);
/// `a == b`.
bool are_equal(const Value& a, const Value& b, Budget& budget);
/// Refusal where Python orders no such values.
std::partial_ordering order(const Value& a, const Value& b, Budget& budget);
/// Python's `a is b`, where texts of the same characters are one.
bool are_same(const Value& a, const Value& b);
/// The items that a loop over `v` sees. Refusal for what has none.
ListPtr items_of(const Value& v);

/// Refusal that says what is not there.
[[noreturn]] void refuse_undefined(const Undefined& v);

}  // namespace tg::models::jinja
