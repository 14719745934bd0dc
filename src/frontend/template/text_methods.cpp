// Methods of texts, as Python's str has them. Which there are: methods.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/template/functions.h"
#include "frontend/template/print.h"
#include "frontend/template/python_text.h"

namespace tg::models::jinja {
namespace {

using Text = const std::string&;
using Call = const Arguments&;

std::vector<Value> values_of(std::vector<std::string> texts) {
  std::vector<Value> out;
  for (std::string& t : texts) out.emplace_back(std::move(t));
  return out;
}

// The letters [start, end) of the text, and where they begin in bytes.
struct Part {
  std::string_view text;
  size_t begin;
  bool is_there;  // the start is not behind the end
};

Part part_of(Text text, const Value* start, const Value* end) {
  const auto letters = static_cast<int64_t>(count_letters(text));
  const auto place = [&](const Value* v, int64_t otherwise) {
    if (v == nullptr || v->is<None>()) return otherwise;
    const int64_t at = whole_or(v, 0);
    return std::max<int64_t>(at < 0 ? std::max(at, -letters) + letters : at, 0);
  };
  const int64_t first = place(start, 0), last = std::min(place(end, letters), letters);
  if (first > last) return {{}, text.size(), false};
  const size_t from = byte_of_letter(text, static_cast<size_t>(first));
  const size_t to = byte_of_letter(text, static_cast<size_t>(last));
  return {std::string_view(text).substr(from, to - from), from, true};
}

// startswith and endswith: of a text, or of any of a tuple.
Value has_end(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"prefix", "start", "end"}, 1);
  const Part part = part_of(text, a[1], a[2]);
  const auto fits = [&](const Value& v) {
    const std::string& wanted = need_text(&v);
    if (!part.is_there) return false;
    return name == "startswith" ? part.text.starts_with(wanted) : part.text.ends_with(wanted);
  };
  const List* several = a[0]->list();
  if (several == nullptr || several->kind != ListKind::Tuple) return fits(*a[0]);
  return std::ranges::any_of(several->items, fits);
}

size_t last_place(std::string_view text, Text wanted) {
  if (wanted.empty()) return text.size();
  const std::string back(text.rbegin(), text.rend());
  const size_t at = Finder(std::string(wanted.rbegin(), wanted.rend())).find(back);
  return at == std::string::npos ? at : text.size() - at - wanted.size();
}

Value place(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"sub", "start", "end"}, 1);
  const std::string& wanted = need_text(a[0]);
  const Part part = part_of(text, a[1], a[2]);
  const size_t at = !part.is_there          ? std::string::npos
                    : name.starts_with("r") ? last_place(part.text, wanted)
                                            : Finder(wanted).find(part.text);
  if (at != std::string::npos)
    return static_cast<int64_t>(count_letters(std::string_view(text).substr(0, part.begin + at)));
  if (name.ends_with("index")) throw Refusal(fmt::format("{}: the text is not there", name));
  return int64_t{-1};
}

Value count(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"sub", "start", "end"}, 1);
  const std::string& wanted = need_text(a[0]);
  const Part part = part_of(text, a[1], a[2]);
  if (!part.is_there) return int64_t{0};
  if (wanted.empty()) return static_cast<int64_t>(count_letters(part.text) + 1);
  const Finder finder(wanted);
  int64_t out = 0;
  for (size_t at = finder.find(part.text); at != std::string::npos;
       at = finder.find(part.text, at + wanted.size()))
    ++out;
  return out;
}

Value split(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"sep", "maxsplit"});
  const int64_t most = whole_or(a[1], -1);
  const bool from_right = name == "rsplit";
  const bool at_space = a[0] == nullptr || a[0]->is<None>();
  return make_list(values_of(at_space ? split_at_space(text, most, from_right)
                                      : split_at(text, need_text(a[0]), most, from_right)));
}

Value strip(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"chars"});
  const Ends ends = name == "strip" ? Ends::Both : name == "lstrip" ? Ends::Left : Ends::Right;
  if (a[0] == nullptr || a[0]->is<None>()) return std::string(stripped(text, {}, ends));
  return std::string(stripped(text, need_text(a[0]), ends));
}

Value partition(Text text, std::string_view name, Call given) {
  const std::string& separator = need_text(given.bound(name, {"sep"}, 1)[0]);
  if (separator.empty()) throw Refusal("the separator is empty");
  const bool from_right = name == "rpartition";
  const size_t at = from_right ? last_place(text, separator) : Finder(separator).find(text);
  std::vector<Value> out(3, Value(std::string()));
  if (at == std::string::npos) {
    out[from_right ? 2 : 0] = text;
  } else {
    out = values_of({text.substr(0, at), separator, text.substr(at + separator.size())});
  }
  return make_list(std::move(out), ListKind::Tuple);
}

Value without_end(Text text, std::string_view name, Call given) {
  const std::string& end = need_text(given.bound(name, {"text"}, 1)[0]);
  if (name == "removeprefix") return text.starts_with(end) ? text.substr(end.size()) : text;
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

// center, ljust, rjust, zfill: as wide as `width` letters.
Value padded(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"width", "fillchar"}, 1);
  const std::string fill = name == "zfill" ? "0" : a[1] == nullptr ? " " : need_text(a[1]);
  if (count_letters(fill) != 1) throw Refusal(fmt::format("{}: fills with one letter", name));
  const auto letters = static_cast<int64_t>(count_letters(text));
  const int64_t width = whole_or(a[0], 0), missing = std::max<int64_t>(width - letters, 0);
  const int64_t before = name == "ljust"    ? 0
                         : name == "center" ? missing / 2 + (missing & width & 1)
                                            : missing;
  TextBuilder out;
  const bool has_sign = name == "zfill" && (text.starts_with('-') || text.starts_with('+'));
  if (has_sign) out.add(std::string_view(text).substr(0, 1));
  for (int64_t i = 0; i < before; ++i) out.add(fill);
  out.add(std::string_view(text).substr(has_sign ? 1 : 0));
  for (int64_t i = before; i < missing; ++i) out.add(fill);
  return out.take();
}

Value join(Text text, std::string_view name, Call given) {
  const ListPtr list = items_of(*given.bound(name, {"iterable"}, 1)[0]);
  TextBuilder out;
  for (size_t i = 0; i < list->items.size(); ++i) {
    if (i > 0) out.add(text);
    out.add(need_text(&list->items[i]));
  }
  return out.take();
}

Value replace(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"old", "new", "count"}, 2);
  return replaced(text, need_text(a[0]), need_text(a[1]), whole_or(a[2], -1));
}

Value lines(Text text, std::string_view name, Call given) {
  const auto a = given.bound(name, {"keepends"});
  return make_list(values_of(split_lines(text, truth_or(a[0], false))));
}

// Places {}, {0} and {name}, without formats of their own.
Value format(Text text, std::string_view, Call given) {
  TextBuilder out;
  size_t next = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      out.add(1, c);
    } else if (at + 1 < text.size() && text[at + 1] == c) {
      out.add(1, c);
      ++at;
    } else {
      const size_t end = text.find('}', at);
      if (c == '}' || end == std::string::npos) throw Refusal("format: a bracket has no partner");
      const std::string key = text.substr(at + 1, end - at - 1);
      const bool is_number = !key.empty() && key.size() < 4 &&
                             key.find_first_not_of("0123456789") == std::string::npos;
      const size_t index = key.empty() ? next++ : is_number ? std::stoul(key) : SIZE_MAX;
      const Value* v = index < given.plain.size() ? &given.plain[index] : given.find(key);
      if (v == nullptr) throw Refusal(fmt::format("format: \"{}\" is not there", key));
      out.add(text_of(*v));
      at = end;
    }
  }
  return out.take();
}

Value expanded_tabs(Text text, std::string_view name, Call given) {
  const int64_t size = whole_or(given.bound(name, {"tabsize"})[0], 8);
  TextBuilder out;
  int64_t column = 0;
  for (size_t at = 0; at < text.size();) {
    const std::string letter = take_letter(text, at);
    if (letter == "\t") {
      const int64_t spaces = size > 0 ? size - column % size : 0;
      out.add(static_cast<size_t>(spaces), ' ');
      column += spaces;
    } else {
      out.add(letter);
      column = letter == "\n" || letter == "\r" ? 0 : column + 1;
    }
  }
  return out.take();
}

struct TextMethod {
  std::string_view name;
  Value (*call)(Text, std::string_view, Call);
};
constexpr auto kMethods = std::to_array<TextMethod>({
    {"center", padded},
    {"count", count},
    {"endswith", has_end},
    {"expandtabs", expanded_tabs},
    {"find", place},
    {"format", format},
    {"index", place},
    {"join", join},
    {"ljust", padded},
    {"lstrip", strip},
    {"partition", partition},
    {"removeprefix", without_end},
    {"removesuffix", without_end},
    {"replace", replace},
    {"rfind", place},
    {"rindex", place},
    {"rjust", padded},
    {"rpartition", partition},
    {"rsplit", split},
    {"rstrip", strip},
    {"split", split},
    {"splitlines", lines},
    {"startswith", has_end},
    {"strip", strip},
    {"zfill", padded},
});

// Without arguments.
struct Change {
  std::string_view name;
  std::string (*call)(std::string_view);
};
constexpr auto kChanges = std::to_array<Change>({{"capitalize", capitalized},
                                                 {"casefold", lower},
                                                 {"lower", lower},
                                                 {"swapcase", swapped_case},
                                                 {"title", title},
                                                 {"upper", upper}});
struct Class {
  std::string_view name;
  bool (*of)(char32_t);
};
constexpr auto kClasses = std::to_array<Class>({{"isalnum", is_alphanumeric},
                                                {"isalpha", is_alphabetic},
                                                {"isdecimal", is_decimal},
                                                {"isdigit", is_digit},
                                                {"isnumeric", is_numeric},
                                                {"isspace", is_space}});

Value class_of(Text text, std::string_view name) {
  if (name == "islower") return is_lower(text);
  if (name == "isupper") return is_upper(text);
  if (name == "istitle") return is_title(text);
  if (name == "isascii") return count_letters(text) == text.size();
  if (name == "isprintable") return text.empty() || all_letters(text, is_printable);
  const auto found = std::ranges::find(kClasses, name, &Class::name);
  return all_letters(text, found->of);
}

}  // namespace

Value call_text_method(Renderer& r, const std::string& text, std::string_view name,
                       const Arguments& given) {
  r.budget().spend_text(2 * text.size());
  const List* several = given.plain.empty() ? nullptr : given.plain[0].list();
  if (several != nullptr) r.budget().spend(several->items.size() * (text.size() / 16 + 1));
  const auto method = std::ranges::find(kMethods, name, &TextMethod::name);
  if (method != kMethods.end()) {
    Value out = method->call(text, name, given);
    if (const std::string* made = out.text()) r.budget().spend_text(made->size());
    if (const List* made = out.list()) r.budget().spend(made->items.size());
    return out;
  }
  given.bound(name, {});
  const auto change = std::ranges::find(kChanges, name, &Change::name);
  return change != kChanges.end() ? Value(change->call(text)) : class_of(text, name);
}

}  // namespace tg::models::jinja
