// See tool_calls.h.
#include "frontend/server/tool_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "frontend/grammar/gbnf_text.h"
#include "frontend/grammar/json_schema.h"
#include "frontend/grammar/ordered_json.h"
#include "support/text.h"
#include "tg/error.h"

namespace tg::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kOpen = "<tool_call>", kClose = "</tool_call>", kList = "[TOOL_CALLS]";

// References of a schema lead to its own parts; as a part of another one it has another root.
Json with_root(Json schema, const std::string& root) {
  std::vector<Json*> todo = {&schema};
  while (!todo.empty()) {
    Json* at = todo.back();
    todo.pop_back();
    if (!at->is_structured()) continue;
    for (auto& [name, part] : at->items()) {
      if (at->is_object() && name == "$ref" && part.is_string()) {
        const auto ref = part.get<std::string>();
        if (ref.starts_with('#')) part = root + ref.substr(1);
      }
      todo.push_back(&part);
    }
  }
  return schema;
}

Json schema_of_call(const std::vector<Tool>& tools, const char* arguments) {
  Json one_of = Json::array(), parts = Json::object();
  for (size_t i = 0; i < tools.size(); ++i) {
    const std::string part = fmt::format("{}", i), root = "#/$defs/" + part;
    parts[part] = with_root(tools[i].parameters, root);
    Json members = Json::object();
    members["name"] = {{"const", tools[i].name}};
    members[arguments] = {{"$ref", root}};
    one_of.push_back({{"type", "object"},
                      {"properties", std::move(members)},
                      {"required", Json::array({"name", arguments})}});
  }
  return {{"anyOf", std::move(one_of)}, {"$defs", std::move(parts)}};
}

std::optional<Json> json_of(std::string_view text) {
  try {
    return models::grammar::parse_in_order(trim(text), "a call");
  } catch (const ArgumentError&) {
    return {};
  }
}

std::optional<ToolCall> call_of(const Json& value, const std::vector<Tool>& tools) {
  if (!value.is_object() || !value.contains("name") || !value["name"].is_string()) return {};
  const char* member = value.contains("arguments") ? "arguments" : "parameters";
  if (!value.contains(member) || !value[member].is_object()) return {};
  const auto name = value["name"].get<std::string>();
  if (std::ranges::find(tools, name, &Tool::name) == tools.end()) return {};
  return ToolCall{name, value[member].dump()};
}

// The calls of a list, or of an object that is one; none if one of them is wrong.
std::vector<ToolCall> calls_of(std::string_view text, const std::vector<Tool>& tools) {
  const std::optional<Json> value = json_of(text);
  if (!value) return {};
  const Json list = value->is_array() ? *value : Json::array({*value});
  std::vector<ToolCall> out;
  for (const Json& one : list) {
    auto call = call_of(one, tools);
    if (!call) return {};
    out.push_back(std::move(*call));
  }
  return out;
}

}  // namespace

CallForm call_form_of(std::string_view chat_template) {
  const auto has = [&](std::string_view text) {
    return chat_template.find(text) != std::string_view::npos;
  };
  if (!has("tools")) return CallForm::None;
  return has(kOpen) ? CallForm::Tagged : has(kList) ? CallForm::List : CallForm::Bare;
}

models::Grammar grammar_of_calls(const std::vector<Tool>& tools, CallForm form, bool several) {
  constexpr std::string_view kRoot = "root";  // the name of the first rule of a schema
  const char* arguments = form == CallForm::Bare ? "parameters" : "arguments";
  std::string rules = models::grammar::gbnf_of_schema(schema_of_call(tools, arguments).dump());
  rules.replace(0, kRoot.size(), "call");
  std::string root = "call";
  if (form == CallForm::Tagged) {
    root = R"("<tool_call>\n" call "\n</tool_call>")";
    if (several) root = fmt::format(R"({} ("\n" {})*)", root, root);
  } else if (form == CallForm::List) {
    root = several ? R"("[" call ("," ws call)* "]")" : R"("[" call "]")";
  }
  return models::Grammar::parse(fmt::format("root ::= {}\n{}", root, rules));
}

CallsAndContent read_calls(std::string_view answer, const std::vector<Tool>& tools) {
  CallsAndContent out;
  size_t begin = answer.find(kOpen);
  if (begin != std::string_view::npos) {
    out.content = std::string(trim(answer.substr(0, begin)));
    while (begin != std::string_view::npos) {
      const size_t from = begin + kOpen.size();
      const size_t end = std::min(answer.find(kClose, from), answer.size());
      const std::vector<ToolCall> some = calls_of(answer.substr(from, end - from), tools);
      if (some.empty()) return {{}, std::string(answer)};
      out.calls.insert(out.calls.end(), some.begin(), some.end());
      begin = answer.find(kOpen, end);
    }
    return out;
  }
  const size_t list = answer.find(kList);
  const size_t from = list == std::string_view::npos ? 0 : list + kList.size();
  out.calls = calls_of(answer.substr(from), tools);
  if (out.calls.empty()) return {{}, std::string(answer)};
  if (list != std::string_view::npos) out.content = std::string(trim(answer.substr(0, list)));
  return out;
}

std::string CallFilter::add(std::string_view piece) {
  if (is_held_) return {};
  std::string text(piece);
  if (!has_begun_) {
    text = std::exchange(spaces_, {}) + text;
    const std::string_view seen = trim(text);
    if (seen.empty()) {
      spaces_ = std::move(text);
      return {};
    }
    has_begun_ = true;
    is_held_ = seen.front() == '{' || seen.front() == '[';
    if (is_held_) return {};
  }
  std::string out = marks_.add(text);
  is_held_ = marks_.found();
  given_ += out.size();
  return out;
}

nlohmann::json calls_json(const std::vector<ToolCall>& calls, const std::string& id, bool indexed) {
  nlohmann::json out = nlohmann::json::array();
  for (size_t i = 0; i < calls.size(); ++i) {
    out.push_back({{"id", fmt::format("call_{}_{}", id, i)},
                   {"type", "function"},
                   {"function", {{"name", calls[i].name}, {"arguments", calls[i].arguments}}}});
    if (indexed) out.back()["index"] = i;
  }
  return out;
}

}  // namespace tg::server
