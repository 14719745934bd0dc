// Filters that give texts and numbers. Those of lists: list_filters.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "frontend/template/functions.h"
#include "frontend/template/operators.h"
#include "frontend/template/print.h"
#include "frontend/template/python_text.h"

namespace tg::models::jinja {
namespace {

using Call = const Arguments&;

// ---- texts

// Of a list or a dict it may be long.
std::string printed(Renderer& r, const Value& v) {
  std::string out = text_of(v);
  r.budget().spend_text(out.size());
  return out;
}

template <std::string (*change)(std::string_view)>
Value changed(Renderer& r, const Value& v, Call given) {
  given.bound("a filter of texts", {});
  return change(printed(r, v));
}

Value as_text(Renderer& r, const Value& v, Call given) {
  given.bound("string", {});
  return printed(r, v);
}

Value trim(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("trim", {"chars"});
  const std::string text = printed(r, v);
  if (a[0] == nullptr || a[0]->is<None>()) return std::string(stripped(text, {}));
  return std::string(stripped(text, need_text(a[0])));
}

Value replace(Renderer& r, const Value& v, Call given) {
  const auto a = given.bound("replace", {"old", "new", "count"}, 2);
  const bool all = a[2] == nullptr || a[2]->is<None>();
  return replaced(printed(r, v), text_of(*a[0]), text_of(*a[1]), all ? -1 : whole_or(a[2], -1));
}

Value center(Renderer& r, const Value& v, Call given) {
  Arguments width;
  const Value* given_width = given.bound("center", {"width"})[0];
  width.plain.emplace_back(given_width != nullptr ? *given_width : Value(int64_t{80}));
  return call_text_method(r, printed(r, v), "center", width);
}

Value format(Renderer& r, const Value& v, Call given) {
  if (!given.plain.empty() && !given.named.empty())
    throw Refusal("format takes values or names, not both");
  if (given.named.empty()) return filled_in(printed(r, v), make_list(given.plain, ListKind::Tuple));
  Dict names;
  for (const auto& [name, value] : given.named) names.set(name, value);
  return filled_in(printed(r, v), make_dict(std::move(names)));
}

Value indent(Renderer&, const Value& v, Call given) {
  const auto a = given.bound("indent", {"width", "first", "blank"});
  TextBuilder spaces, out;
  if (a[0] != nullptr && a[0]->text() != nullptr) {
    spaces.add(*a[0]->text());
  } else {
    spaces.add(static_cast<size_t>(std::max<int64_t>(whole_or(a[0], 4), 0)), ' ');
  }
  const bool of_blank = truth_or(a[2], false);
  if (truth_or(a[1], false)) out.add(spaces.text());
  const auto lines = split_lines(need_text(&v) + "\n", false);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out.add("\n");
    if (i > 0 && (of_blank || !lines[i].empty())) out.add(spaces.text());
    out.add(lines[i]);
  }
  return out.take();
}

Value truncate(Renderer&, const Value& v, Call given) {
  const auto a = given.bound("truncate", {"length", "killwords", "end", "leeway"});
  const std::string& text = need_text(&v);
  const std::string end = a[2] == nullptr ? "..." : need_text(a[2]);
  const int64_t length = whole_or(a[0], 255), leeway = whole_or(a[3], 5);
  const int64_t kept = length - static_cast<int64_t>(count_letters(end));
  if (kept < 0 || leeway < 0) throw Refusal("truncate: the length or the leeway is too small");
  if (static_cast<int64_t>(count_letters(text)) - leeway <= length) return text;
  std::string out = text.substr(0, byte_of_letter(text, static_cast<size_t>(kept)));
  if (!truth_or(a[1], false)) out = out.substr(0, out.rfind(' '));
  return out + end;
}

Value escape(Renderer& r, const Value& v, Call given) {
  given.bound("escape", {});
  TextBuilder out;
  for (const char c : printed(r, v)) {
    if (c == '&')
      out.add("&amp;");
    else if (c == '<')
      out.add("&lt;");
    else if (c == '>')
      out.add("&gt;");
    else if (c == '\'')
      out.add("&#39;");
    else if (c == '"')
      out.add("&#34;");
    else
      out.add(1, c);
  }
  return out.take();
}

Value word_count(Renderer& r, const Value& v, Call given) {
  given.bound("wordcount", {});
  const std::string text = printed(r, v);
  int64_t out = 0;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const std::string letter = take_letter(text, at);
    const bool is_word = letter == "_" || all_letters(letter, is_alphanumeric);
    out += is_word && !in_word ? 1 : 0;
    in_word = is_word;
  }
  return out;
}

Value to_json(Renderer&, const Value& v, Call given) {
  const auto a = given.bound("tojson", {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonOptions o{.ascii_only = truth_or(a[0], false), .sort_keys = truth_or(a[3], false)};
  if (a[1] != nullptr && !a[1]->is<None>()) {
    const int64_t width = a[1]->text() != nullptr ? 0 : whole_or(a[1], 0);
    if (width > 1000) throw Refusal("tojson: the indent is too wide");
    o.indent = a[1]->text() != nullptr
                   ? *a[1]->text()
                   : std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' ');
    o.item_separator = ",";
  }
  if (a[2] != nullptr && !a[2]->is<None>()) {
    const ListPtr both = items_of(*a[2]);
    if (both->items.size() != 2) throw Refusal("tojson: separators are two texts");
    o.item_separator = need_text(&both->items[0]);
    o.key_separator = need_text(&both->items[1]);
  }
  return json_of(v, o);
}

// ---- numbers

// Python's digits: single underscores between them, white space around.
std::optional<std::string> plain_digits(std::string_view text) {
  std::string out;
  text = stripped(text, {});
  for (size_t i = 0; i < text.size(); ++i) {
    const auto is_digit_at = [&](size_t at) {
      return at < text.size() && all_letters(text.substr(at, 1), is_alphanumeric);
    };
    if (text[i] != '_')
      out += text[i];
    else if (i == 0 || !is_digit_at(i - 1) || !is_digit_at(i + 1))
      return {};
  }
  return out;
}

std::optional<double> float_of(std::string_view text) {
  const auto digits = plain_digits(text);
  if (!digits || digits->empty()) return {};
  std::string_view rest = *digits;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string name = lower(rest);
  double out = 0;
  if (name == "inf" || name == "infinity")
    out = HUGE_VAL;
  else if (name == "nan")
    out = NAN;
  else {
    if (rest.empty() || !(rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'))) return {};
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out);
    if (end != rest.data() + rest.size()) return {};
    if (error != std::errc()) out = rest.find("e-") != std::string::npos ? 0 : HUGE_VAL;
  }
  return is_negative ? -out : out;
}

std::optional<int64_t> whole_of(std::string_view text, int64_t base) {
  if (base != 0 && (base < 2 || base > 36)) return {};
  const auto digits = plain_digits(text);
  if (!digits) return {};
  std::string_view rest = *digits;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string prefix = lower(rest.substr(0, 2));
  const int64_t named = prefix == "0x" ? 16 : prefix == "0o" ? 8 : prefix == "0b" ? 2 : 0;
  if (named != 0 && (base == 0 || base == named)) {
    rest.remove_prefix(2);
    base = named;
  }
  const std::string signed_digits = fmt::format("{}{}", is_negative ? "-" : "", rest);
  if (rest.empty() || rest[0] == '-') return {};
  int64_t out = 0;
  const char* end = signed_digits.data() + signed_digits.size();
  const auto [last, error] =
      std::from_chars(signed_digits.data(), end, out, static_cast<int>(base == 0 ? 10 : base));
  if (error == std::errc::result_out_of_range && last == end)
    throw Refusal("a whole number has more than 64 bits");
  if (error != std::errc() || last != end) return {};
  return out;
}

std::optional<int64_t> whole_part(double v) {
  if (!std::isfinite(v)) return {};
  if (!(std::abs(v) < 0x1p63)) throw Refusal("a whole number has more than 64 bits");
  return static_cast<int64_t>(v);
}

Value to_int(Renderer&, const Value& v, Call given) {
  const auto a = given.bound("int", {"default", "base"});
  const Value otherwise = a[0] != nullptr ? *a[0] : Value(int64_t{0});
  if (const auto* undefined = v.as<Undefined>()) refuse_undefined(*undefined);
  if (const int64_t* whole = v.whole()) return *whole;
  std::optional<int64_t> out;
  if (v.is<double>()) {
    if (std::isinf(v.number())) throw Refusal("int: an infinite number");
    out = whole_part(v.number());
  } else if (const std::string* text = v.text()) {
    out = whole_of(*text, whole_or(a[1], 10));
    const auto number = out ? std::nullopt : float_of(*text);
    if (number) out = whole_part(*number);
  }
  return out ? Value(*out) : otherwise;
}

Value to_float(Renderer&, const Value& v, Call given) {
  const auto a = given.bound("float", {"default"});
  if (const auto* undefined = v.as<Undefined>()) refuse_undefined(*undefined);
  if (v.is_number()) return v.number();
  const auto out = v.text() != nullptr ? float_of(*v.text()) : std::nullopt;
  return out ? Value(*out) : a[0] != nullptr ? *a[0] : Value(0.0);
}

Value absolute(Renderer&, const Value& v, Call given) {
  given.bound("abs", {});
  if (v.whole() != nullptr) return *v.whole() < 0 ? negative(v) : Value(*v.whole());
  if (!v.is<double>()) throw Refusal(fmt::format("abs: '{}' is no number", type_name(v)));
  return std::abs(v.number());
}

// Ties go to the even digit, by the number's exact value.
Value round(Renderer&, const Value& v, Call given) {
  const auto a = given.bound("round", {"precision", "method"});
  const int64_t precision = whole_or(a[0], 0);
  const std::string method = a[1] == nullptr ? "common" : need_text(a[1]);
  if (method != "common" && method != "ceil" && method != "floor")
    throw Refusal("round: the method is common, ceil or floor");
  if (!v.is_number()) throw Refusal(fmt::format("round: '{}' is no number", type_name(v)));
  if (precision < 0 || precision > 300) throw Refusal("round: the precision must be 0 to 300");
  if (method == "common" && v.whole() != nullptr) return *v.whole();
  const double d = v.number();
  if (method != "common") {
    const double scale = std::pow(10.0, static_cast<double>(precision));
    return (method == "ceil" ? std::ceil(d * scale) : std::floor(d * scale)) / scale;
  }
  if (!std::isfinite(d)) return d;
  const std::string text = fmt::format("{:.{}f}", d, precision);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

Value same(Renderer& r, const Value& v, Call given) {
  given.bound("safe", {});
  return printed(r, v);
}

Value or_default(Renderer&, const Value& v, Call given) {
  const auto a = given.bound("default", {"default_value", "boolean"});
  const bool is_missing = v.is<Undefined>() || (truth_or(a[1], false) && !is_true(v));
  if (!is_missing) return v;
  return a[0] != nullptr ? *a[0] : Value(std::string());
}

struct TextFilter {
  std::string_view name;
  FilterFunction filter;
};
constexpr auto kTextFilters = std::to_array<TextFilter>({
    {"abs", absolute},         {"capitalize", changed<capitalized>},
    {"center", center},        {"d", or_default},
    {"default", or_default},   {"e", escape},
    {"escape", escape},        {"float", to_float},
    {"forceescape", escape},   {"format", format},
    {"indent", indent},        {"int", to_int},
    {"lower", changed<lower>}, {"replace", replace},
    {"round", round},          {"safe", same},
    {"string", as_text},       {"title", changed<title_of_words>},
    {"tojson", to_json},       {"trim", trim},
    {"truncate", truncate},    {"upper", changed<upper>},
    {"wordcount", word_count},
});

}  // namespace

FilterFunction find_text_filter(std::string_view name) {
  const auto found = std::ranges::find(kTextFilters, name, &TextFilter::name);
  return found == kTextFilters.end() ? nullptr : found->filter;
}

FilterFunction find_filter(std::string_view name) {
  if (const FilterFunction f = find_text_filter(name)) return f;
  if (const FilterFunction f = find_list_filter(name)) return f;
  return find_choosing_filter(name);
}

}  // namespace tg::models::jinja
