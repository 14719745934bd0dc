// See request.h.
#include "frontend/server/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "frontend/grammar/ordered_json.h"
#include "frontend/server/api_error.h"
#include "frontend/tokenizer/json_part.h"

namespace tg::server {
namespace {

using nlohmann::json;

constexpr size_t kMostMessages = 4096, kMostStops = 16, kLongestStop = 256;
constexpr double kMostTemperature = 100;
constexpr int64_t kMostChoices = 128, kMostLogprobs = 20, kMostTools = 128;

// Members that say nothing about the answer.
constexpr auto kHarmless =
    std::to_array<std::string_view>({"metadata", "model", "parallel_tool_calls", "prompt_cache_key",
                                     "safety_identifier", "service_tier", "store", "user"});
// Members that are read here.
constexpr auto kKnown = std::to_array<std::string_view>(
    {"grammar", "logprobs", "max_completion_tokens", "max_tokens", "messages", "min_p", "n",
     "prompt", "response_format", "seed", "stop", "stream", "stream_options", "temperature",
     "tool_choice", "tools", "top_k", "top_logprobs", "top_p"});

// Members of which only the value that changes nothing is accepted; null always is.
struct Fixed {
  std::string_view name;
  bool (*changes_nothing)(const json&);
};
bool is_false(const json& j) { return j == false; }
bool is_zero(const json& j) { return j == 0; }
bool is_one(const json& j) { return j == 1; }
bool is_empty(const json& j) { return (j.is_array() || j.is_object()) && j.empty(); }
bool is_empty_text(const json& j) { return j == ""; }
constexpr auto kFixed = std::to_array<Fixed>({{"best_of", is_one},
                                              {"echo", is_false},
                                              {"frequency_penalty", is_zero},
                                              {"logit_bias", is_empty},
                                              {"presence_penalty", is_zero},
                                              {"suffix", is_empty_text}});

// The member of this name; null if there is none or it is null.
const json* member(const json& body, const std::string& name) {
  const auto found = body.find(name);
  return found == body.end() || found->is_null() ? nullptr : &*found;
}

bool flag(const json& body, const std::string& name) {
  const json* value = member(body, name);
  if (value == nullptr) return false;
  if (!value->is_boolean()) refuse(name, name + " must be true or false");
  return value->get<bool>();
}

double number(const json& body, const std::string& name, double low, double high, double usual) {
  const json* value = member(body, name);
  if (value == nullptr) return usual;
  const double x = value->is_number() ? value->get<double>() : std::nan("");
  if (!(x >= low && x <= high))
    refuse(name, fmt::format("{} must be a number from {} to {}", name, low, high));
  return x;
}

// Numbers of JSON that are whole may be written with a point.
int64_t whole(const json& body, const std::string& name, int64_t low, int64_t usual) {
  constexpr double kMost = 9e15;  // each such double is exact
  const double x = number(body, name, static_cast<double>(low), kMost, static_cast<double>(usual));
  if (x != std::floor(x)) refuse(name, name + " must be a whole number");
  return static_cast<int64_t>(x);
}

const std::string& text(const json& value, const std::string& name) {
  if (!value.is_string()) refuse(name, name + " must be a text");
  return value.get_ref<const std::string&>();
}

void check_members(const json& body, Endpoint endpoint) {
  const auto is_in = [](const auto& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
  };
  const std::string_view other = endpoint == Endpoint::Chat ? "prompt" : "messages";
  for (const auto& [name, value] : body.items()) {
    const auto fixed = std::ranges::find(kFixed, name, &Fixed::name);
    if (fixed != kFixed.end()) {
      if (!value.is_null() && !fixed->changes_nothing(value))
        refuse(name, fmt::format("{} is not supported by this server", name));
    } else if (name == other || (!is_in(kKnown, name) && !is_in(kHarmless, name))) {
      refuse(name, fmt::format("unrecognized member of the request: {}", name));
    }
  }
}

void check_content(const json& content, const std::string& place) {
  if (content.is_string()) return;
  if (!content.is_array()) refuse(place, place + " must be a text or a list of parts");
  for (const json& part : content) {
    const bool is_text = part.is_object() && part.value("type", json()) == "text" &&
                         part.value("text", json()).is_string();
    if (!is_text) refuse(place, place + " may have parts of the type \"text\" only");
  }
}

// Calls that an assistant made. Arguments are a text in requests, and an object for templates.
void read_calls_of_message(json& message, const std::string& place) {
  for (json& call : message["tool_calls"]) {
    const bool is_call = call.is_object() && call.contains("function") &&
                         call["function"].is_object() &&
                         call["function"].value("name", json()).is_string();
    if (!is_call) refuse(place, place + ".tool_calls must be a list of calls of functions");
    json& arguments = call["function"]["arguments"];
    if (!arguments.is_string()) continue;
    try {
      json value = models::parse_json(arguments.get_ref<const std::string&>(), "arguments");
      if (value.is_object()) arguments = std::move(value);
    } catch (const FileError&) {  // what a model wrote may be anything
    }
  }
}

json read_messages(const json& body) {
  const json* messages = member(body, "messages");
  if (messages == nullptr) refuse("messages", "messages is missing");
  if (!messages->is_array() || messages->empty())
    refuse("messages", "messages must be a list of one or more");
  if (messages->size() > kMostMessages)
    refuse("messages", fmt::format("messages may be {} at most", kMostMessages));
  json out = *messages;
  for (size_t i = 0; i < out.size(); ++i) {
    json& message = out[i];
    const std::string place = fmt::format("messages[{}]", i);
    if (!message.is_object()) refuse(place, place + " must be an object");
    text(message.value("role", json()), place + ".role");
    const bool has_calls = message.contains("tool_calls") && message["tool_calls"].is_array();
    if (has_calls) read_calls_of_message(message, place);
    if (has_calls && message.value("content", json()).is_null()) message["content"] = "";
    check_content(message.value("content", json()), place + ".content");
  }
  return out;
}

void read_prompt(const json& body, Request& out) {
  const json* prompt = member(body, "prompt");
  if (prompt == nullptr) refuse("prompt", "prompt is missing");
  if (prompt->is_string()) {
    out.prompt = prompt->get<std::string>();
    return;
  }
  constexpr const char* kRule = "prompt must be a text or a list of tokens";
  if (!prompt->is_array() || prompt->empty()) refuse("prompt", kRule);
  for (const json& t : *prompt) {
    const int64_t most = std::numeric_limits<int32_t>::max();
    if (!t.is_number_integer() || t < 0 || t > most) refuse("prompt", kRule);
    out.tokens.push_back(t.get<int32_t>());
  }
}

std::vector<std::string> read_stops(const json& body) {
  const json* stop = member(body, "stop");
  if (stop == nullptr) return {};
  std::vector<std::string> out;
  if (stop->is_array()) {
    for (const json& s : *stop) out.push_back(text(s, "stop"));
  } else {
    out.push_back(text(*stop, "stop"));
  }
  const bool fits = std::ranges::all_of(
      out, [](const std::string& s) { return !s.empty() && s.size() <= kLongestStop; });
  if (!fits || out.size() > kMostStops) {
    refuse("stop", fmt::format("stop may be {} texts of 1 to {} bytes each at most", kMostStops,
                               kLongestStop));
  }
  return out;
}

void read_options(const json& body, Request& out) {
  constexpr int64_t kMostTokens = std::numeric_limits<int32_t>::max();
  models::GenerateOptions& o = out.options;
  o.temperature = number(body, "temperature", 0, kMostTemperature, 1);
  o.top_p = number(body, "top_p", 0, 1, 1);
  o.top_p = std::max(o.top_p, std::numeric_limits<double>::min());  // 0: the likeliest
  o.min_p = number(body, "min_p", 0, 1, 0);
  o.top_k = whole(body, "top_k", 0, 0);
  out.has_seed = member(body, "seed") != nullptr;
  o.seed = static_cast<uint64_t>(whole(body, "seed", -9'000'000'000'000'000, 0));
  for (const char* name : {"max_tokens", "max_completion_tokens"}) {
    if (member(body, name) == nullptr) continue;
    out.limits_tokens = true;
    o.max_tokens = std::min(whole(body, name, 1, 1), kMostTokens);
  }
}

// One of OpenAI's tools as a request has it.
Tool read_tool(const nlohmann::ordered_json& tool, const std::string& place) {
  const bool is_function = tool.is_object() && tool.contains("function") &&
                           tool["function"].is_object() && tool["function"].contains("name") &&
                           tool["function"]["name"].is_string();
  if (!is_function) refuse(place, place + " must be a function with a name");
  const auto& function = tool["function"];
  const nlohmann::ordered_json none = {{"type", "object"},
                                       {"properties", nlohmann::ordered_json::object()}};
  return {function["name"].get<std::string>(),
          function.contains("parameters") ? function["parameters"] : none};
}

// `body`: of which `j` was read, for the order of members.
void read_tool_list(const json& tools, std::string_view body, Request& out) {
  if (out.endpoint != Endpoint::Chat) refuse("tools", "tools are of chats only");
  if (!tools.is_array() || std::ssize(tools) > kMostTools)
    refuse("tools", fmt::format("tools must be a list of {} at most", kMostTools));
  nlohmann::ordered_json list;
  try {
    list = models::grammar::parse_in_order(body, "the body")["tools"];
  } catch (const ArgumentError& e) {
    refuse("tools", e.what());
  }
  for (size_t i = 0; i < list.size(); ++i)
    out.tools.push_back(read_tool(list[i], fmt::format("tools[{}]", i)));
  out.tools_json = list.dump();
}

void read_tools(const json& j, std::string_view body, Request& out) {
  const json* tools = member(j, "tools");
  const json choice = j.value("tool_choice", json());
  const bool may_choose = choice.is_null() || choice == "none" || choice == "auto";
  if (tools == nullptr || is_empty(*tools)) {
    if (!may_choose) refuse("tool_choice", "tool_choice needs tools");
    return;
  }
  read_tool_list(*tools, body, out);
  if (choice == "none") {
    out.tools.clear();
    out.tools_json.clear();
  }
  if (may_choose) return;
  out.must_call = true;
  if (choice == "required") return;
  const json function = choice.is_object() ? choice.value("function", json()) : json();
  const json name = function.is_object() ? function.value("name", json()) : json();
  if (!name.is_string())
    refuse("tool_choice", "tool_choice must be none, auto, required, or a function with a name");
  out.called = name.get<std::string>();
  if (std::ranges::find(out.tools, out.called, &Tool::name) == out.tools.end())
    refuse("tool_choice", fmt::format("tool_choice names no tool: \"{}\"", out.called));
}

// Chats ask by logprobs and top_logprobs, completions by a number.
void read_logprobs(const json& j, Request& out) {
  const bool is_chat = out.endpoint == Endpoint::Chat;
  const bool has_count = member(j, "top_logprobs") != nullptr;
  if (!is_chat) {
    if (has_count) refuse("top_logprobs", "unrecognized member of the request: top_logprobs");
    const json* count = member(j, "logprobs");
    if (count != nullptr && *count != false) out.options.top_logprobs = whole(j, "logprobs", 0, 0);
  } else if (flag(j, "logprobs")) {
    out.options.top_logprobs = whole(j, "top_logprobs", 0, 0);
  } else if (has_count && j["top_logprobs"] != 0) {
    refuse("top_logprobs", "top_logprobs goes with logprobs");
  }
  if (out.options.top_logprobs.value_or(0) > kMostLogprobs) {
    refuse(is_chat ? "top_logprobs" : "logprobs",
           fmt::format("log-probabilities may be of {} tokens at most", kMostLogprobs));
  }
}

// The grammar that a call makes, of whose mistakes `parameter` is the reason.
template <typename Make>
models::Grammar grammar_of(const std::string& parameter, const Make& make) {
  try {
    return make();
  } catch (const ArgumentError& e) {
    refuse(parameter, e.what());
  }
}

// What the text is to be; `body`: of which `j` was read, for the order of a schema's members.
models::Grammar read_grammar(const json& j, std::string_view body) {
  const json* gbnf = member(j, "grammar");
  const json* format = member(j, "response_format");
  if (gbnf != nullptr && format != nullptr)
    refuse("grammar", "grammar and response_format do not go together");
  if (gbnf != nullptr) {
    const std::string& rules = text(*gbnf, "grammar");
    return grammar_of("grammar", [&] { return models::Grammar::parse(rules); });
  }
  const json type = format == nullptr     ? json("text")
                    : format->is_object() ? format->value("type", json())
                                          : json();
  if (type == "text") return {};
  if (type == "json_object") return models::Grammar::json_object();
  if (type != "json_schema")
    refuse("response_format", "response_format.type must be text, json_object or json_schema");
  const json schema = format->value("json_schema", json());
  if (!schema.is_object() || !schema.contains("schema"))
    refuse("response_format", "response_format.json_schema.schema is missing");
  return grammar_of("response_format", [&] {
    const auto whole = models::grammar::parse_in_order(body, "the body");
    return models::Grammar::of_json_schema(
        whole["response_format"]["json_schema"]["schema"].dump());
  });
}

}  // namespace

Request parse_request(std::string_view body, Endpoint endpoint) {
  const json j = parse_body(body);
  check_members(j, endpoint);
  Request out{.endpoint = endpoint};
  if (endpoint == Endpoint::Chat) {
    out.messages = read_messages(j);
  } else {
    read_prompt(j, out);
  }
  read_options(j, out);
  out.choices = whole(j, "n", 1, 1);
  if (out.choices > kMostChoices) refuse("n", fmt::format("n may be {} at most", kMostChoices));
  read_logprobs(j, out);
  read_tools(j, body, out);
  out.options.grammar = read_grammar(j, body);
  if (out.must_call && out.options.grammar)
    refuse("tool_choice", "a call that is required goes with no other form of the answer");
  out.stop = read_stops(j);
  out.streams = flag(j, "stream");
  if (const json* options = member(j, "stream_options")) {
    if (!options->is_object() || !out.streams)
      refuse("stream_options", "stream_options must be an object, and goes with stream");
    out.wants_usage = flag(*options, "include_usage");
  }
  return out;
}

std::string plain_conversation(const json& messages) {
  std::string out;
  for (const json& message : messages) {
    out += message.at("role").get<std::string>() + ": ";
    const json& content = message.at("content");
    if (content.is_string()) {
      out += content.get<std::string>();
    } else {
      for (const json& part : content) out += part.at("text").get<std::string>();
    }
    out += "\n";
  }
  return out + "assistant:";
}

}  // namespace tg::server
