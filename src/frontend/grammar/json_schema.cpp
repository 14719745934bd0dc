// See json_schema.h. Each part of a schema becomes a rule of its own, taken from a list of those
// that are still to be written: what refers to itself needs no more than its name. Kinds of values:
// json_rules.h; patterns: json_pattern.h.
#include "frontend/grammar/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "frontend/grammar/gbnf_text.h"
#include "frontend/grammar/json_pattern.h"
#include "frontend/grammar/json_rules.h"
#include "frontend/grammar/ordered_json.h"
#include "frontend/tokenizer/unicode.h"
#include "support/check.h"

namespace tg::models::grammar {
namespace {

// In the order of the text.
using Json = nlohmann::ordered_json;

constexpr size_t kMostMembers = kMostOrderedMembers;  // and alternatives
constexpr size_t kMostRules = 50'000, kMostText = 1 << 20, kMostMerges = 1000;
constexpr size_t kMostMerged = 1 << 26;  // bytes of schemas that are made of several
constexpr int64_t kMostItems = 1'000'000'000;

// What says nothing about a value.
constexpr auto kAnnotations = std::to_array<std::string_view>(
    {"$anchor", "$comment", "$defs", "$id", "$schema", "default", "definitions", "deprecated",
     "description", "discriminator", "example", "examples", "format", "readOnly", "strict", "title",
     "writeOnly"});
constexpr auto kKeywords = std::to_array<std::string_view>({"$ref",
                                                            "additionalProperties",
                                                            "allOf",
                                                            "anyOf",
                                                            "const",
                                                            "enum",
                                                            "exclusiveMaximum",
                                                            "exclusiveMinimum",
                                                            "items",
                                                            "maxItems",
                                                            "maxLength",
                                                            "maximum",
                                                            "minItems",
                                                            "minLength",
                                                            "minimum",
                                                            "oneOf",
                                                            "pattern",
                                                            "prefixItems",
                                                            "properties",
                                                            "required",
                                                            "type"});
const std::string_view kNull = Json(nullptr).type_name();
const auto kTypes = std::to_array<std::string_view>(
    {"array", "boolean", "integer", kNull, "number", "object", "string"});

bool is_in(const auto& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// JSON spells these by an escape.
bool is_plain(char32_t c) { return c >= 0x20 && c != 0x7f && c != '"' && c != '\\'; }

class SchemaReader {
 public:
  SchemaReader(const Json& whole, size_t bytes) : whole_(whole), bytes_(bytes) {}

  std::string gbnf() {
    names_.emplace(&whole_, "root");
    todo_.push_back({&whole_, "root", "schema"});
    for (size_t i = 0; i < todo_.size(); ++i) {
      const Todo next = todo_[i];
      write(next.name, rule_text(*next.schema, next.place));
    }
    return out_.append(json_rules());
  }

 private:
  struct Todo {
    const Json* schema;
    std::string name, place;
  };

  [[noreturn]] static void fail(const std::string& place, std::string_view problem) {
    user_error<ArgumentError>(place, problem);
  }

  void write(const std::string& name, const std::string& text) {
    out_ += fmt::format("{} ::= {}\n", name, text);
    if (out_.size() > kMostText)
      fail("schema", fmt::format("its grammar has more than {} bytes", kMostText));
  }

  // The name of a rule that is written by its user.
  std::string new_name(std::string_view what) {
    if (++rules_ > kMostRules) fail("schema", fmt::format("it has more than {} parts", kMostRules));
    return fmt::format("{}-{}", what, rules_);
  }

  // The name of the rule of a part.
  std::string rule_of(const Json& schema, const std::string& place) {
    const auto found = names_.find(&schema);
    if (found != names_.end()) return found->second;
    std::string name = new_name("part");
    names_.emplace(&schema, name);
    todo_.push_back({&schema, name, place});
    return name;
  }

  // ---- one part

  static const Json* member(const Json& schema, const char* name) {
    const auto found = schema.find(name);
    return found == schema.end() ? nullptr : &*found;
  }

  static void check_keywords(const Json& schema, const std::string& place) {
    if (schema.size() > kMostMembers)
      fail(place, fmt::format("has more than {} members", kMostMembers));
    for (const auto& [name, value] : schema.items()) {
      if (!is_in(kAnnotations, name) && !is_in(kKeywords, name))
        fail(place, fmt::format("the keyword \"{}\" is not supported", name));
    }
  }

  // ArgumentError for what constrains a value beside `keyword`, but for `allowed`.
  static void check_alone(const Json& schema, const std::string& place, std::string_view keyword,
                          std::string_view allowed = {}) {
    for (const auto& [name, value] : schema.items()) {
      if (name != keyword && name != allowed && is_in(kKeywords, name)) {
        fail(place,
             fmt::format("the keyword \"{}\" is not supported beside \"{}\"", name, keyword));
      }
    }
  }

  std::string rule_text(const Json& schema, const std::string& place) {
    if (schema == true) return "value";
    if (schema == false) fail(place, "allows no value");
    if (!schema.is_object()) fail(place, "must be an object, true or false");
    check_keywords(schema, place);
    if (const Json* ref = member(schema, "$ref")) {
      check_alone(schema, place, "$ref");
      return rule_of(referred(*ref, place + ".$ref"), place + ".$ref");
    }
    if (const Json* all = member(schema, "allOf")) {
      check_list(*all, place + ".allOf");
      const auto constrains = [](const auto& m) { return is_in(kKeywords, m.key()); };
      const auto members = schema.items();
      const bool is_alone = std::count_if(members.begin(), members.end(), constrains) == 1;
      if (is_alone && all->size() == 1) return rule_of(all->front(), place + ".allOf[0]");
      return rule_of(merged(schema, place), place);
    }
    for (const char* name : {"anyOf", "oneOf"}) {
      if (!schema.contains(name)) continue;
      check_alone(schema, place, name);
      return alternatives(schema[name], fmt::format("{}.{}", place, name));
    }
    if (schema.contains("const") || schema.contains("enum")) return values(schema, place);
    std::vector<std::string> texts;
    for (const std::string& type : types(schema, place))
      texts.push_back(of_type(type, schema, place));
    return fmt::format("{}", fmt::join(texts, " | "));
  }

  // The part that "#/a/b" names.
  const Json& referred(const Json& ref, const std::string& place) const {
    if (!ref.is_string()) fail(place, "must be a text");
    const auto& text = ref.get_ref<const std::string&>();
    if (!text.starts_with('#')) fail(place, fmt::format("\"{}\" is outside of the schema", text));
    try {
      return whole_.at(Json::json_pointer(text.substr(1)));
    } catch (const Json::exception&) {
      fail(place, fmt::format("\"{}\" is not there", text));
    }
  }

  const Json& resolved(const Json& schema, std::string& place) {
    const Json* at = &schema;
    for (size_t i = 0; at->is_object() && at->contains("$ref"); ++i) {
      if (i == kMostMerges) fail(place, "refers to itself");
      check_alone(*at, place, "$ref");
      place += ".$ref";
      at = &referred((*at)["$ref"], place);
    }
    return *at;
  }

  // allOf and what stands beside it as one schema: members of objects come together, another
  // keyword may stand once or be the same.
  const Json& merged(const Json& schema, const std::string& place) {
    if ((merged_.size() + 1) * bytes_ > kMostMerged)
      fail(place, "an allOf leads to itself, or to too many others");
    Json out = Json::object();
    struct Source {
      const Json* schema;
      std::string place;
    };
    std::vector<Source> sources = {{&schema, place}};
    for (size_t i = 0; i < sources.size(); ++i) {
      if (i >= kMostMerges)
        fail(place, fmt::format("brings together more than {} schemas", kMostMerges));
      std::string at = sources[i].place;
      const Json& from = resolved(*sources[i].schema, at);
      if (!from.is_object()) fail(at, "must be an object");
      check_keywords(from, at);
      for (const auto& [name, value] : from.items()) {
        if (is_in(kAnnotations, name)) continue;
        if (name == "allOf") {
          const std::string list = at + ".allOf";
          check_list(value, list);
          for (size_t j = 0; j < value.size(); ++j)
            sources.push_back({&value[j], fmt::format("{}[{}]", list, j)});
        } else {
          merge(out, name, value, at);
        }
      }
    }
    return merged_.emplace_back(std::move(out));
  }

  static void merge(Json& into, const std::string& name, const Json& value,
                    const std::string& place) {
    if (!into.contains(name)) {
      into[name] = value;
    } else if (name == "properties" && value.is_object()) {
      for (const auto& [property, schema] : value.items()) {
        if (!into[name].contains(property)) into[name][property] = schema;
        if (into[name][property] != schema)
          fail(place, fmt::format("the property \"{}\" has two schemas", property));
      }
    } else if (name == "required" && value.is_array()) {
      into[name].insert(into[name].end(), value.begin(), value.end());
    } else if (into[name] != value) {
      fail(place, fmt::format("the keyword \"{}\" stands in two schemas of an allOf", name));
    }
  }

  static void check_list(const Json& list, const std::string& place) {
    if (!list.is_array() || list.empty()) fail(place, "must be a list of one or more");
    if (list.size() > kMostMembers)
      fail(place, fmt::format("may have {} members at most", kMostMembers));
  }

  std::string alternatives(const Json& list, const std::string& place) {
    check_list(list, place);
    std::vector<std::string> out;
    for (size_t i = 0; i < list.size(); ++i)
      out.push_back(rule_of(list[i], fmt::format("{}[{}]", place, i)));
    return fmt::format("{}", fmt::join(out, " | "));
  }

  static bool has_type(const Json& value, std::string_view type) {
    if (type == "integer")
      return value.is_number() && value.get<double>() == std::floor(value.get<double>());
    const std::string_view own = value.type_name();
    return own == type;
  }

  std::string values(const Json& schema, const std::string& place) {
    const char* keyword = schema.contains("const") ? "const" : "enum";
    check_alone(schema, place, keyword, "type");
    const Json list = schema.contains("const") ? Json::array({schema["const"]}) : schema["enum"];
    check_list(list, fmt::format("{}.{}", place, keyword));
    const bool has_types = schema.contains("type");
    const std::vector<std::string> of =
        has_types ? types(schema, place) : std::vector<std::string>();
    std::vector<std::string> out;
    for (const Json& value : list) {
      const bool fits =
          std::ranges::any_of(of, [&](const auto& type) { return has_type(value, type); });
      if (fits || !has_types) out.push_back(gbnf_literal(value.dump()));
    }
    if (out.empty()) fail(place, "has no value of its type");
    return fmt::format("{}", fmt::join(out, " | "));
  }

  // Those that are named, else that of which keywords are there, else all.
  static std::vector<std::string> types(const Json& schema, const std::string& place) {
    std::vector<std::string> out;
    if (const Json* type = member(schema, "type")) {
      const Json list = type->is_array() ? *type : Json::array({*type});
      for (const Json& t : list) {
        if (!t.is_string() || !is_in(kTypes, t.get<std::string>()))
          fail(place + ".type", fmt::format("no type of JSON: {}", t.dump()));
        out.push_back(t.get<std::string>());
      }
      if (out.empty()) fail(place + ".type", "has no type");
      return out;
    }
    const auto has_one = [&](std::initializer_list<const char*> names) {
      return std::ranges::any_of(names, [&](const char* name) { return schema.contains(name); });
    };
    if (has_one({"properties", "required", "additionalProperties"})) return {"object"};
    if (has_one({"items", "prefixItems", "minItems", "maxItems"})) return {"array"};
    if (has_one({"pattern", "minLength", "maxLength"})) return {"string"};
    if (has_one({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})) return {"number"};
    return {"value"};
  }

  std::string of_type(const std::string& type, const Json& schema, const std::string& place) {
    if (type == "object") return object(schema, place);
    if (type == "array") return array(schema, place);
    if (type == "string") return string(schema, place);
    if (type == "integer") return integer(schema, place);
    if (type == "number") return number(schema, place);
    return type;
  }

  // ---- kinds of values

  static std::optional<int64_t> whole(const Json& schema, const char* name,
                                      const std::string& place) {
    const Json* value = member(schema, name);
    if (value == nullptr) return {};
    const double x = value->is_number() ? value->get<double>() : -1;
    if (!(x >= 0 && x <= static_cast<double>(kMostItems) && x == std::floor(x))) {
      fail(fmt::format("{}.{}", place, name),
           fmt::format("must be a whole number from 0 to {}", kMostItems));
    }
    return static_cast<int64_t>(x);
  }

  struct Counts {
    int64_t min;
    std::optional<int64_t> max;
  };
  static Counts counts(const Json& schema, const char* min, const char* max,
                       const std::string& place) {
    const Counts out{whole(schema, min, place).value_or(0), whole(schema, max, place)};
    if (out.max && *out.max < out.min) fail(place, fmt::format("{} is below {}", max, min));
    return out;
  }
  static std::string as_gbnf(int64_t min, std::optional<int64_t> max) {
    return max ? fmt::format("{{{},{}}}", min, *max) : fmt::format("{{{},}}", min);
  }

  std::string string(const Json& schema, const std::string& place) {
    const auto [min, max] = counts(schema, "minLength", "maxLength", place);
    if (const Json* pattern = member(schema, "pattern")) {
      if (min > 0 || max) fail(place, "a pattern beside minLength or maxLength is not supported");
      if (!pattern->is_string()) fail(place + ".pattern", "must be a text");
      return gbnf_of_pattern(pattern->get_ref<const std::string&>(), place + ".pattern");
    }
    if (min == 0 && !max) return "string";
    return fmt::format(R"("\"" char{} "\"")", as_gbnf(min, max));
  }

  static std::optional<double> bound(const Json& schema, const char* name,
                                     const std::string& place) {
    const Json* value = member(schema, name);
    if (value == nullptr) return {};
    if (!value->is_number()) fail(fmt::format("{}.{}", place, name), "must be a number");
    return value->get<double>();
  }

  std::string integer(const Json& schema, const std::string& place) {
    constexpr auto kMost = static_cast<double>(kLargestInteger);
    double low = -kMost, high = kMost;
    bool has_bound = false;
    const auto narrow = [&](const char* name, double& end, bool is_low, bool exclusive) {
      const std::optional<double> x = bound(schema, name, place);
      if (!x) return;
      has_bound = true;
      const double inner = is_low ? std::ceil(*x) : std::floor(*x);
      const double moved = exclusive && inner == *x ? inner + (is_low ? 1 : -1) : inner;
      end = is_low ? std::max(end, moved) : std::min(end, moved);
    };
    narrow("minimum", low, true, false);
    narrow("exclusiveMinimum", low, true, true);
    narrow("maximum", high, false, false);
    narrow("exclusiveMaximum", high, false, true);
    if (!has_bound) return "integer";
    if (low > high) fail(place, "no integer is between its bounds");
    return gbnf_integers(static_cast<int64_t>(low), static_cast<int64_t>(high));
  }

  // Of fractions a grammar knows the sign only.
  static std::string number(const Json& schema, const std::string& place) {
    std::string out = "number";
    for (const char* name : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
      const std::optional<double> x = bound(schema, name, place);
      if (!x) continue;
      if (std::string_view(name) != "minimum" || *x != 0)
        fail(place,
             fmt::format("the keyword \"{}\" is supported of integers only (but \"minimum\": 0)",
                         name));
      out = "not-negative";
    }
    return out;
  }

  std::string array(const Json& schema, const std::string& place) {
    const auto [min, max] = counts(schema, "minItems", "maxItems", place);
    const Json* items = member(schema, "items");
    const Json* prefix = member(schema, "prefixItems");
    if (items != nullptr && items->is_array())
      fail(place + ".items", "must be one schema; prefixItems is the list of several");
    if (prefix != nullptr) check_list(*prefix, place + ".prefixItems");
    const auto prefixed = static_cast<int64_t>(prefix != nullptr ? prefix->size() : 0);
    const bool has_more = (items == nullptr || *items != false) && (!max || *max > prefixed);
    if (!has_more && min > prefixed)
      fail(place, "minItems is above the number of items there may be");
    // From the last item to the first: what may follow after i of them.
    std::string rest;
    if (has_more) {
      const std::string item = items != nullptr ? rule_of(*items, place + ".items") : "value";
      const int64_t before = std::max<int64_t>(prefixed, 1);
      const std::optional<int64_t> most = max ? std::optional(*max - before) : std::nullopt;
      rest = fmt::format(R"(("," ws {} ws){})", item,
                         as_gbnf(std::max<int64_t>(min - before, 0), most));
      if (prefixed == 0) rest = fmt::format("{} ws {}", item, rest);
    }
    for (int64_t i = std::min(prefixed, max.value_or(prefixed)) - 1; i >= 0; --i) {
      const auto at = static_cast<size_t>(i);
      const std::string item = rule_of((*prefix)[at], fmt::format("{}.prefixItems[{}]", place, i));
      const bool may_end = i + 1 < prefixed && i + 1 >= min;
      const std::string after = new_name("items");
      write(after, may_end ? fmt::format("({})?", rest) : rest.empty() ? "\"\"" : rest);
      rest = fmt::format("{}{} ws {}", i > 0 ? "\",\" ws " : "", item, after);
    }
    if (rest.empty()) return R"("[" ws "]")";
    return fmt::format(R"("[" ws {} "]")", min == 0 ? fmt::format("({})?", rest) : rest);
  }

  struct Property {
    std::string name, member;  // the member as GBNF
    bool is_required;
  };

  std::vector<Property> properties(const Json& schema, const std::string& place) {
    std::vector<Property> out;
    std::set<std::string> required;
    if (const Json* list = member(schema, "required")) {
      if (!list->is_array()) fail(place + ".required", "must be a list");
      for (const Json& name : *list) {
        if (!name.is_string()) fail(place + ".required", "must be a list of texts");
        required.insert(name.get<std::string>());
      }
    }
    const auto add = [&](const std::string& name, const std::string& rule) {
      const std::string key = gbnf_literal(Json(name).dump() + ":");
      out.push_back({name, fmt::format("{} ws {} ws", key, rule), required.erase(name) > 0});
    };
    if (const Json* list = member(schema, "properties")) {
      if (!list->is_object()) fail(place + ".properties", "must be an object");
      if (list->size() > kMostMembers)
        fail(place + ".properties", fmt::format("has more than {} members", kMostMembers));
      for (const auto& [name, part] : list->items())
        add(name, rule_of(part, fmt::format("{}.properties.{}", place, name)));
    }
    const Json* more = member(schema, "additionalProperties");
    for (const std::string& name : std::set<std::string>(required)) {
      if (more != nullptr && *more == false)
        fail(place + ".required", fmt::format("\"{}\" is no property", name));
      add(name, more != nullptr ? rule_of(*more, place + ".additionalProperties") : "value");
    }
    return out;
  }

  // A member that is none of the properties; empty if there may be none.
  std::string additional(const Json& schema, const std::vector<Property>& named,
                         const std::string& place) {
    const Json* more = member(schema, "additionalProperties");
    const bool is_closed =
        more != nullptr ? *more == false : schema.contains("properties") || !named.empty();
    if (is_closed) return {};
    const std::string rule =
        more != nullptr ? rule_of(*more, place + ".additionalProperties") : "value";
    std::vector<std::string> names;
    for (const Property& p : named) names.push_back(p.name);
    return fmt::format(R"({} ":" ws {} ws)", other_key(names), rule);
  }

  // Any key but these, letter by letter along the tree of their beginnings. Escapes, by which a key
  // could be spelled in other ways, come behind the first letter that tells it from them all.
  std::string other_key(std::vector<std::string> names) {
    if (names.empty()) return "string";
    std::ranges::sort(names);
    struct Branch {
      size_t begin, end, depth;  // of the names
      std::string rule;
    };
    const std::string first = new_name("key");
    std::vector<Branch> todo = {{0, names.size(), 0, first}};
    while (!todo.empty()) {
      const Branch b = todo.back();
      todo.pop_back();
      std::string others, text;
      const bool is_name = names[b.begin].size() == b.depth;
      for (size_t i = b.begin + (is_name ? 1 : 0); i < b.end;) {
        size_t next = b.depth;
        const char32_t letter = next_code_point(names[i], next);
        const std::string beginning = names[i].substr(0, next);
        size_t end = i;
        while (end < b.end && names[end].starts_with(beginning)) ++end;
        if (is_plain(letter)) {
          const std::string rule = new_name("key");
          todo.push_back({i, end, next, rule});
          others += gbnf_in_set(letter);
          text += fmt::format("[{}] {} | ", gbnf_in_set(letter), rule);
        }
        i = end;
      }
      text += fmt::format(R"([^"\\\x00-\x1F\x7F{}] char*)", others);
      write(b.rule, is_name ? text : text + R"( | "")");
    }
    return fmt::format(R"("\"" {} "\"")", first);
  }

  // Members come in the order of the properties; which one may
  // come next depends on whether there was one, for the comma, so each place has two rules.
  std::string object(const Json& schema, const std::string& place) {
    const std::vector<Property> named = properties(schema, place);
    const std::string more = additional(schema, named, place);
    std::string begin = more.empty() ? "" : fmt::format(R"(({} ("," ws {})*)?)", more, more);
    std::string after = more.empty() ? "" : fmt::format(R"(("," ws {})*)", more);
    for (size_t i = named.size(); i-- > 0;) {
      const Property& p = named[i];
      const std::string rest = new_name("members");
      write(rest, after.empty() ? "\"\"" : after);
      const auto or_none = [&](const std::string& none) {
        return p.is_required ? "" : fmt::format(" | {}", none.empty() ? "\"\"" : none);
      };
      begin = fmt::format("({} {}{})", p.member, rest, or_none(begin));
      after = fmt::format(R"("," ws {} {}{})", p.member, rest, or_none(rest));
    }
    return fmt::format(R"("{{" ws {} "}}")", begin);
  }

  const Json& whole_;
  size_t bytes_;  // of its text
  std::unordered_map<const Json*, std::string> names_;
  std::vector<Todo> todo_;
  std::deque<Json> merged_;
  std::string out_;
  size_t rules_ = 0;
};

}  // namespace

std::string gbnf_of_schema(std::string_view schema) {
  const Json whole = parse_in_order(schema, "schema");
  return SchemaReader(whole, schema.size()).gbnf();
}

}  // namespace tg::models::grammar
