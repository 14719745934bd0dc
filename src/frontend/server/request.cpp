// See request.h.
#include "frontend/server/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "frontend/grammar/ordered_json.h"
#include "frontend/server/api_error.h"

namespace tg::server {
namespace {

using nlohmann::json;

constexpr size_t kMostMessages = 4096, kMostStops = 16, kLongestStop = 256;
constexpr double kMostTemperature = 100;

// Members that say nothing about the answer.
constexpr auto kHarmless =
    std::to_array<std::string_view>({"metadata", "model", "parallel_tool_calls", "prompt_cache_key",
                                     "safety_identifier", "service_tier", "store", "user"});
// Members that are read here.
constexpr auto kKnown =
    std::to_array<std::string_view>({"grammar", "max_completion_tokens", "max_tokens", "messages",
                                     "min_p", "prompt", "response_format", "seed", "stop", "stream",
                                     "stream_options", "temperature", "top_k", "top_p"});

// Members of which only the value that changes nothing is accepted; null always is.
struct Fixed {
  std::string_view name;
  bool (*changes_nothing)(const json&);
};
bool is_false(const json& j) { return j == false; }
bool is_zero(const json& j) { return j == 0; }
bool is_one(const json& j) { return j == 1; }
bool is_empty(const json& j) { return (j.is_array() || j.is_object()) && j.empty(); }
bool is_none(const json& j) { return j == "none"; }
bool is_empty_text(const json& j) { return j == ""; }
constexpr auto kFixed = std::to_array<Fixed>({{"best_of", is_one},
                                              {"echo", is_false},
                                              {"frequency_penalty", is_zero},
                                              {"logit_bias", is_empty},
                                              {"logprobs", is_false},
                                              {"n", is_one},
                                              {"presence_penalty", is_zero},
                                              {"suffix", is_empty_text},
                                              {"tool_choice", is_none},
                                              {"tools", is_empty},
                                              {"top_logprobs", is_zero}});

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

json read_messages(const json& body) {
  const json* messages = member(body, "messages");
  if (messages == nullptr) refuse("messages", "messages is missing");
  if (!messages->is_array() || messages->empty())
    refuse("messages", "messages must be a list of one or more");
  if (messages->size() > kMostMessages)
    refuse("messages", fmt::format("messages may be {} at most", kMostMessages));
  for (size_t i = 0; i < messages->size(); ++i) {
    const json& message = (*messages)[i];
    const std::string place = fmt::format("messages[{}]", i);
    if (!message.is_object()) refuse(place, place + " must be an object");
    text(message.value("role", json()), place + ".role");
    check_content(message.value("content", json()), place + ".content");
  }
  return *messages;
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
  out.options.grammar = read_grammar(j, body);
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
