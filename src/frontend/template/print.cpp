// See print.h.
#include "frontend/template/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "frontend/template/python_text.h"
#include "frontend/tokenizer/unicode.h"

namespace tg::models::jinja {
namespace {

// The shortest text that is this number, with a point or an exponent.
std::string float_text(double v, const char* infinity, const char* nan) {
  if (std::isnan(v)) return nan;
  if (std::isinf(v)) return fmt::format("{}{}", v < 0 ? "-" : "", infinity);
  std::string out = fmt::format("{}", v);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

void add_escaped(TextBuilder& out, char32_t c) {
  out.add(c < 0x100     ? fmt::format("\\x{:02x}", static_cast<uint32_t>(c))
          : c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<uint32_t>(c))
                        : fmt::format("\\U{:08x}", static_cast<uint32_t>(c)));
}

void add_quoted(TextBuilder& out, std::string_view text) {
  const bool doubled =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = doubled ? '"' : '\'';
  out.add(1, quote);
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      out.add(1, '\\');
      out.add(1, static_cast<char>(c));
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out.add(c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
    } else if (is_printable(c)) {
      out.add(text.substr(begin, at - begin));
    } else {
      add_escaped(out, c);
    }
  }
  out.add(1, quote);
}

void add_repr(TextBuilder& out, const Value& v);

void add_items(TextBuilder& out, const std::vector<Value>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.add(", ");
    add_repr(out, items[i]);
  }
}

// Lists within lists are at most kMostNesting deep.
void add_list(TextBuilder& out, const List& list) {
  const bool is_tuple = list.kind == ListKind::Tuple;
  if (list.kind == ListKind::Range || list.kind == ListKind::Generator)
    throw Refusal("this cannot be printed: make a list of it");
  if (list.kind != ListKind::List && !is_tuple) {
    out.add(type_name(ListPtr(ListPtr(), &list)));
    out.add("(");
  }
  out.add(is_tuple ? "(" : "[");
  add_items(out, list.items);
  if (is_tuple && list.items.size() == 1) out.add(",");
  out.add(is_tuple ? ")" : "]");
  if (list.kind != ListKind::List && !is_tuple) out.add(")");
}

void add_dict(TextBuilder& out, const Dict& dict) {
  out.add("{");
  bool is_first = true;
  for (const auto& [key, value] : dict.entries()) {
    if (!is_first) out.add(", ");
    is_first = false;
    add_repr(out, key);
    out.add(": ");
    add_repr(out, value);
  }
  out.add("}");
}

void add_repr(TextBuilder& out, const Value& v) {
  if (v.is<Undefined>()) return out.add("Undefined");
  if (v.is<None>()) return out.add("None");
  if (const bool* flag = v.as<bool>()) return out.add(*flag ? "True" : "False");
  if (const int64_t* whole = v.as<int64_t>()) return out.add(fmt::to_string(*whole));
  if (const double* number = v.as<double>()) return out.add(float_text(*number, "inf", "nan"));
  if (const std::string* text = v.text()) return add_quoted(out, *text);
  if (const List* list = v.list()) return add_list(out, *list);
  if (const Dict* dict = v.dict()) return add_dict(out, *dict);
  throw Refusal(fmt::format("'{}' cannot be printed", type_name(v)));
}

// ---- JSON

class JsonWriter {
 public:
  explicit JsonWriter(const JsonOptions& options) : options_(options) {}
  void add(const Value& v);
  std::string take() { return out_.take(); }

 private:
  void add_text(std::string_view text);
  void add_unit(uint32_t unit) { out_.add(fmt::format("\\u{:04x}", unit)); }
  void add_list(const List& list);
  void add_dict(const Dict& dict);
  void add_line() {
    if (!options_.indent) return;
    out_.add("\n");
    for (int i = 0; i < depth_; ++i) out_.add(*options_.indent);
  }
  static std::string key_text(const Value& key);

  const JsonOptions& options_;
  TextBuilder out_;
  int depth_ = 0;
};

void JsonWriter::add_text(std::string_view text) {
  out_.add("\"");
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    constexpr std::string_view kLetters = "\"\\\n\r\t\b\f", kNames = "\"\\nrtbf";
    const size_t place = c < 0x80 ? kLetters.find(static_cast<char>(c)) : std::string_view::npos;
    if (place != std::string_view::npos) {
      out_.add("\\");
      out_.add(kNames.substr(place, 1));
    } else if (c >= 0x10000 && options_.ascii_only) {
      add_unit(0xD800 + ((static_cast<uint32_t>(c) - 0x10000) >> 10));
      add_unit(0xDC00 + (static_cast<uint32_t>(c) & 0x3FF));
    } else if (c < 0x20 || (c > 0x7E && options_.ascii_only)) {
      add_unit(static_cast<uint32_t>(c));
    } else {
      out_.add(text.substr(begin, at - begin));
    }
  }
  out_.add("\"");
}

void JsonWriter::add_list(const List& list) {
  if (list.kind != ListKind::List && list.kind != ListKind::Tuple)
    throw Refusal(fmt::format("JSON has no '{}'", type_name(ListPtr(ListPtr(), &list))));
  if (list.items.empty()) return out_.add("[]");
  out_.add("[");
  ++depth_;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out_.add(options_.item_separator);
    add_line();
    add(list.items[i]);
  }
  --depth_;
  add_line();
  out_.add("]");
}

std::string JsonWriter::key_text(const Value& key) {
  if (const std::string* text = key.text()) return *text;
  if (key.is_number() || key.is<None>()) return json_of(key, {});
  throw Refusal(fmt::format("JSON has no keys that are '{}'", type_name(key)));
}

void JsonWriter::add_dict(const Dict& dict) {
  if (dict.entries().empty()) return out_.add("{}");
  auto entries = dict.entries();
  if (options_.sort_keys) {
    Budget budget;
    std::ranges::stable_sort(
        entries, [&](const auto& a, const auto& b) { return order(a.first, b.first, budget) < 0; });
  }
  out_.add("{");
  ++depth_;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) out_.add(options_.item_separator);
    add_line();
    add_text(key_text(entries[i].first));
    out_.add(options_.key_separator);
    add(entries[i].second);
  }
  --depth_;
  add_line();
  out_.add("}");
}

void JsonWriter::add(const Value& v) {
  if (v.is<None>()) return out_.add(nlohmann::json(nullptr).dump());
  if (const bool* flag = v.as<bool>()) return out_.add(*flag ? "true" : "false");
  if (const int64_t* whole = v.as<int64_t>()) return out_.add(fmt::to_string(*whole));
  if (const double* number = v.as<double>())
    return out_.add(float_text(*number, "Infinity", "NaN"));
  if (const std::string* text = v.text()) return add_text(*text);
  if (const List* list = v.list()) return add_list(*list);
  if (const Dict* dict = v.dict()) return add_dict(*dict);
  throw Refusal(fmt::format("JSON has no '{}'", type_name(v)));
}

}  // namespace

std::string text_of(const Value& v) {
  if (const std::string* text = v.text()) return *text;
  if (v.is<Undefined>()) return {};
  return repr_of(v);
}

std::string repr_of(const Value& v) {
  TextBuilder out;
  add_repr(out, v);
  return out.take();
}

std::string json_of(const Value& v, const JsonOptions& options) {
  JsonWriter writer(options);
  writer.add(v);
  return writer.take();
}

}  // namespace tg::models::jinja
