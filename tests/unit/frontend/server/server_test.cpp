// The server as its clients see it: answers, streams, errors, keys, many at once, hanging up, the
// end. What requests say: request_test.cpp.
#include "frontend/server/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "server/asking.h"
#include "server/served_model.h"

namespace tg::server {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

const char* const kChat = "/v1/chat/completions";
const char* const kCompletion = "/v1/completions";

// The events of a stream.
std::vector<json> stream(const ServedModel& served, const char* path, json body) {
  body["stream"] = true;
  const auto result = served.client().Post(path, body.dump(), kJson);
  if (!result) {
    ADD_FAILURE() << to_string(result.error());
    return {};
  }
  EXPECT_EQ(result->status, 200) << result->body;
  EXPECT_EQ(result->get_header_value("Content-Type"), "text/event-stream");
  std::vector<json> out;
  std::string_view rest = result->body;
  for (size_t end; (end = rest.find("\n\n")) != std::string_view::npos;
       rest.remove_prefix(end + 2)) {
    const std::string_view line = rest.substr(0, end);
    EXPECT_TRUE(line.starts_with("data: ")) << line;
    if (line != "data: [DONE]") out.push_back(json::parse(line.substr(6)));
  }
  EXPECT_TRUE(result->body.ends_with("data: [DONE]\n\n"));
  return out;
}

std::string text_of(const std::vector<json>& events) {
  std::string out;
  for (const json& e : events) {
    if (e["choices"].empty()) continue;
    const json& c = e["choices"][0];
    out += c.contains("delta") ? c["delta"].value("content", "") : c["text"].get<std::string>();
  }
  return out;
}

TEST(Servers, AnswerAtOnceAndInPiecesAlike) {
  const ServedModel served;
  const json chat = {
      {"messages", {{{"role", "user"}, {"content", "w3 w4"}}}}, {"max_tokens", 9}, {"seed", 5}};
  const json whole = post(served, kChat, chat);
  EXPECT_EQ(whole["object"], "chat.completion");
  EXPECT_EQ(whole["model"], "words");
  EXPECT_TRUE(whole["id"].get<std::string>().starts_with("chatcmpl-"));
  const json& message = whole["choices"][0]["message"];
  EXPECT_EQ(message["role"], "assistant");
  EXPECT_FALSE(message["content"].get<std::string>().empty());
  const json& usage = whole["usage"];
  EXPECT_EQ(usage["total_tokens"],
            usage["prompt_tokens"].get<int>() + usage["completion_tokens"].get<int>());
  const auto pieces = stream(served, kChat, chat);
  EXPECT_EQ(json(text_of(pieces)), message["content"]);
  EXPECT_EQ(pieces.front()["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(pieces.back()["choices"][0]["finish_reason"], whole["choices"][0]["finish_reason"]);
  EXPECT_EQ(pieces[1]["object"], "chat.completion.chunk");

  json completion = {{"prompt", "w5 w17"}, {"max_tokens", 6}, {"temperature", 0}};
  const json made = post(served, kCompletion, completion);
  EXPECT_EQ(made["object"], "text_completion");
  EXPECT_EQ(made["usage"]["prompt_tokens"], 2);
  EXPECT_EQ(post(served, kCompletion,
                 {{"prompt", {5, 17}}, {"max_tokens", 6}, {"temperature", 0}})["choices"],
            made["choices"]);
  completion["stream_options"] = {{"include_usage", true}};
  const auto parts = stream(served, kCompletion, completion);
  EXPECT_EQ(json(text_of(parts)), made["choices"][0]["text"]);
  EXPECT_EQ(parts.back()["usage"]["completion_tokens"], made["usage"]["completion_tokens"]);
  EXPECT_TRUE(parts.back()["choices"].empty());
}

TEST(Servers, StopWhereTheyAreTold) {
  const ServedModel served;
  json request = {{"prompt", "w5 w17 w3"}, {"max_tokens", 12}, {"temperature", 0}};
  const json all = post(served, kCompletion, request);
  const std::string text = all["choices"][0]["text"];
  const std::string stop = text.substr(text.find(' ') + 1, 3);
  request["stop"] = stop;
  const json some = post(served, kCompletion, request);
  EXPECT_EQ(some["choices"][0]["text"], text.substr(0, text.find(stop)));
  EXPECT_EQ(some["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(json(text_of(stream(served, kCompletion, request))), some["choices"][0]["text"]);
}

TEST(Servers, KeepToTheGrammarOfEachRequest) {
  const ServedModel served;
  json request = {{"prompt", "w5 w17"}, {"max_tokens", 20}, {"seed", 3}, {"n", 2}};
  request["grammar"] = R"(root ::= "w1" " w" [34] (" w2" [0-9]){2})";
  const json made = post(served, kCompletion, request);
  for (const json& choice : made["choices"]) {
    EXPECT_TRUE(
        std::regex_match(choice["text"].get<std::string>(), std::regex("w1 w[34]( w2[0-9]){2}")))
        << choice["text"];
    EXPECT_EQ(choice["finish_reason"], "stop");
  }
  EXPECT_EQ(made["usage"]["completion_tokens"], 8);
  EXPECT_EQ(text_of(stream(served, kCompletion, request)).substr(0, 2), "w1");
  // A vocabulary of words has no braces.
  request.erase("grammar");
  request["response_format"] = {{"type", "json_object"}};
  EXPECT_NE(post(served, kCompletion, request, 500)["error"]["message"].get<std::string>().find(
                "no token of the vocabulary"),
            std::string::npos);
}

TEST(Servers, CallToolsWhereThatIsRequired) {
  ServerOptions options;
  std::string tools_of_template;
  options.render = [&](const json&, const std::string& tools) {
    tools_of_template = tools;
    return std::string("call");
  };
  options.call_form = CallForm::Tagged;
  const ServedModel served({}, options, letters_tokenizer());
  json request = {
      {"messages", {{{"role", "user"}, {"content", "x"}}}}, {"max_tokens", 90}, {"seed", 4}};
  request["tools"] = json::parse(R"([{"type":"function","function":{"name":"f","parameters":
      {"type":"object","properties":{"to":{"enum":["up","down"]}},"required":["to"]}}}])");
  EXPECT_EQ(post(served, kChat, request)["choices"][0]["message"].contains("tool_calls"), false);
  EXPECT_EQ(json::parse(tools_of_template), request["tools"]);
  request["tool_choice"] = {{"type", "function"}, {"function", {{"name", "f"}}}};
  const json made = post(served, kChat, request)["choices"][0];
  EXPECT_EQ(made["finish_reason"], "tool_calls") << made;
  EXPECT_TRUE(made["message"]["content"].is_null());
  const json& call = made["message"]["tool_calls"][0];
  EXPECT_EQ(call["type"], "function");
  EXPECT_EQ(call["function"]["name"], "f");
  const std::string to = json::parse(call["function"]["arguments"].get<std::string>())["to"];
  EXPECT_TRUE(to == "up" || to == "down") << to;
  const std::vector<json> events = stream(served, kChat, request);
  EXPECT_EQ(text_of(events), "");
  EXPECT_EQ(events.at(events.size() - 2)["choices"][0]["delta"]["tool_calls"][0]["function"],
            call["function"]);
  EXPECT_EQ(events.back()["choices"][0]["finish_reason"], "tool_calls");
  // A template that knows none.
  const ServedModel other;
  EXPECT_EQ(post(other, kChat, request, 400)["error"]["param"], "tools");
}

TEST(Servers, GiveSeveralChoicesEachOfItsOwnSeed) {
  const ServedModel served;
  json request = {{"prompt", "w5 w17"}, {"max_tokens", 6}, {"seed", 11}};
  std::vector<std::string> alone;
  for (int i = 0; i < 3; ++i) {
    request["seed"] = 11 + i;
    alone.push_back(post(served, kCompletion, request)["choices"][0]["text"].get<std::string>());
  }
  request["seed"] = 11;
  request["n"] = 3;
  const json made = post(served, kCompletion, request);
  ASSERT_EQ(made["choices"].size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(made["choices"][i]["index"], i);
    EXPECT_EQ(made["choices"][i]["text"], alone[i]);
  }
  request["stream_options"] = {{"include_usage", true}};
  std::vector<std::string> streamed(3);
  int ends = 0;
  const std::vector<json> events = stream(served, kCompletion, request);
  for (const json& e : events) {
    if (e["choices"].empty()) continue;
    const json& c = e["choices"][0];
    streamed.at(c["index"].get<size_t>()) += c["text"].get<std::string>();
    ends += c["finish_reason"].is_null() ? 0 : 1;
  }
  EXPECT_EQ(streamed, alone);
  EXPECT_EQ(ends, 3);
  EXPECT_EQ(events.back()["usage"], made["usage"]);
  // More than may wait: none is left behind.
  request["n"] = 128;
  request.erase("stream_options");
  EXPECT_EQ(served.client().Post(kCompletion, request.dump(), kJson)->status, 429);
}

TEST(Servers, SayHowLikelyTokensWere) {
  const ServedModel served;
  json request = {{"prompt", "w5 w17"}, {"max_tokens", 4}, {"temperature", 0}, {"logprobs", 3}};
  const json made = post(served, kCompletion, request)["choices"][0];
  const json& logprobs = made["logprobs"];
  std::string text;
  for (size_t i = 0; i < logprobs["tokens"].size(); ++i) {
    const auto token = logprobs["tokens"][i].get<std::string>();
    EXPECT_EQ(logprobs["text_offset"][i], text.size());
    text += token;
    EXPECT_EQ(logprobs["top_logprobs"][i].size(), 3U);
    // The likeliest is taken.
    double most = -1e9, sum = 0;
    for (const auto& [name, p] : logprobs["top_logprobs"][i].items()) {
      most = std::max(most, p.get<double>());
      sum += std::exp(p.get<double>());
    }
    EXPECT_EQ(logprobs["token_logprobs"][i], most);
    EXPECT_LT(sum, 1);
    EXPECT_GT(sum, 3.0 / 48);
  }
  EXPECT_EQ(made["text"], text);
  json streamed = json::array();
  for (const json& e : stream(served, kCompletion, request)) {
    const json& part = e["choices"][0]["logprobs"];
    if (!part.is_null())
      streamed.insert(streamed.end(), part["token_logprobs"].begin(), part["token_logprobs"].end());
  }
  EXPECT_EQ(streamed, logprobs["token_logprobs"]);

  const json chat = {{"messages", {{{"role", "user"}, {"content", "w3 w4"}}}},
                     {"max_tokens", 3},
                     {"logprobs", true},
                     {"top_logprobs", 2}};
  const json choice = post(served, kChat, chat)["choices"][0];
  const json& first = choice["logprobs"]["content"][0];
  EXPECT_TRUE(choice["message"]["content"].get<std::string>().starts_with(
      first["token"].get<std::string>()));
  EXPECT_EQ(first["bytes"].size(), first["token"].get<std::string>().size());
  EXPECT_EQ(first["top_logprobs"].size(), 2U);
  EXPECT_LE(first["logprob"], 0);
}

TEST(Servers, GiveModelsHealthMetricsAndThePage) {
  const ServedModel served;
  httplib::Client client = served.client();
  EXPECT_EQ(json::parse(client.Get("/v1/models")->body)["data"][0]["id"], "words");
  EXPECT_EQ(client.Get("/health")->body, R"({"status":"ok"})");
  const auto page = client.Get("/");
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(page->body.find("<!DOCTYPE html>"), std::string::npos);
  EXPECT_EQ(page->body.find("http"), std::string::npos);  // nothing from elsewhere
  post(served, kCompletion, {{"prompt", "w5"}, {"max_tokens", 2}});
  EXPECT_TRUE(soon([&] {
    const std::string metrics = client.Get("/metrics")->body;
    return metrics.find("tg_http_requests_total{path=\"/v1/completions\",status=\"200\"} 1\n") !=
               std::string::npos &&
           metrics.find("\ntg_texts_total 1\n") != std::string::npos;
  }));
  const auto from = [&](const char* origin) {
    return client.Get("/v1/models", {{"Origin", origin}})
        ->get_header_value("Access-Control-Allow-Origin");
  };
  EXPECT_EQ(from("http://localhost:3000"), "http://localhost:3000");
  EXPECT_EQ(from("null"), "");
  EXPECT_EQ(from("http://localhost.example.org"), "");
  EXPECT_EQ(client.Options("/v1/models")->status, 204);
}

TEST(Servers, RefuseWrongRequestsAsOpenAiDoes) {
  const ServedModel served({}, {.most_bytes = 1 << 16});
  httplib::Client client = served.client();
  const auto said = [&](const httplib::Result& r, int status) {
    EXPECT_EQ(r->status, status) << r->body;
    return json::parse(r->body)["error"];
  };
  EXPECT_EQ(said(client.Post(kChat, "{", kJson), 400)["type"], "invalid_request_error");
  EXPECT_EQ(said(client.Post(kChat, R"({"suffix":"x"})", kJson), 400)["param"], "suffix");
  EXPECT_EQ(said(client.Post(kCompletion, R"({"prompt":[48]})", kJson), 400)["param"], "prompt");
  EXPECT_EQ(said(client.Post(kCompletion, R"({"prompt":""})", kJson), 400)["param"], "prompt");
  EXPECT_EQ(said(client.Get("/v2"), 404)["code"], "not_found");
  const json words(std::vector<int>(97, 5));
  EXPECT_EQ(said(client.Post(kCompletion, json{{"prompt", words}}.dump(), kJson), 400)["code"],
            "context_length_exceeded");
  // Of a body that is too large the answer may be lost with the connection, which is closed.
  const auto large = client.Post(kChat, std::string(1 << 20, ' '), kJson);
  EXPECT_TRUE(!large || large->status == 413);
  EXPECT_TRUE(served.client().Get("/health"));
}

TEST(Servers, AskForTheirKey) {
  const ServedModel served({}, {.api_key = "secret"});
  httplib::Client client = served.client();
  EXPECT_EQ(client.Get("/health")->status, 200);
  EXPECT_EQ(client.Get("/metrics")->status, 401);
  for (const char* path : {kChat, kCompletion})
    EXPECT_EQ(client.Post(path, "{}", kJson)->status, 401);
  const auto as = [&](const char* key) {
    return client.Get("/v1/models", {{"Authorization", key}})->status;
  };
  EXPECT_EQ(as("Bearer secret"), 200);
  EXPECT_EQ(as("Bearer secreT"), 401);
  EXPECT_EQ(as("Bearer "), 401);
  EXPECT_EQ(as("secret"), 401);
}

TEST(Servers, UseTheTemplateOfTheModel) {
  ServerOptions options;
  options.render = [](const json& messages, const std::string&) -> std::string {
    if (messages[0]["role"] != "user") throw ArgumentError("the first message must be a user's");
    return "w1 " + messages[0]["content"].get<std::string>() + " w2";
  };
  const ServedModel served({}, options);
  json request = {
      {"messages", {{{"role", "user"}, {"content", "w7"}}}}, {"max_tokens", 5}, {"temperature", 0}};
  const json chat = post(served, kChat, request);
  const json same =
      post(served, kCompletion, {{"prompt", "w1 w7 w2"}, {"max_tokens", 5}, {"temperature", 0}});
  EXPECT_EQ(chat["choices"][0]["message"]["content"], same["choices"][0]["text"]);
  request["messages"][0]["role"] = "system";
  EXPECT_EQ(post(served, kChat, request, 400)["error"]["param"], "messages");
}

TEST(Servers, KeepTheWordsOf32ClientsApart) {
  constexpr int kClients = 32;
  std::vector<json> requests;
  for (int i = 0; i < kClients; ++i) {
    requests.push_back({{"prompt", "w" + std::to_string(3 + i % 11) + " w" + std::to_string(i + 4)},
                        {"max_tokens", 5 + i % 9},
                        {"temperature", i % 3 == 0 ? 0.0 : 1.1},
                        {"seed", i}});
  }
  const ServedModel served({.slots = 6, .waiting = 64});
  std::vector<std::string> alone, together(kClients);
  for (const json& r : requests)
    alone.push_back(post(served, kCompletion, r)["choices"][0]["text"].get<std::string>());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      if (i % 2 == 0) {
        together[i] = text_of(stream(served, kCompletion, requests[i]));
      } else {
        together[i] = post(served, kCompletion, requests[i])["choices"][0]["text"];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(together, alone);
}

// A text that goes on for as long as the engine's thread is held.
class Held {
 public:
  explicit Held(models::TextEngine& engine) {
    models::TextRequest r{.prompt = {5}};
    r.options = {.max_tokens = 1, .stop = std::vector<int32_t>{}};
    r.on_token = [state = state_](int32_t) {
      state->is_held = true;
      while (!state->is_let_go) std::this_thread::sleep_for(milliseconds(1));
      return true;
    };
    engine.submit(std::move(r));
    while (!state_->is_held) std::this_thread::yield();
  }
  ~Held() { let_go(); }
  void let_go() { state_->is_let_go = true; }

 private:
  struct State {
    std::atomic<bool> is_held = false, is_let_go = false;
  };
  // The engine's thread looks at it once more after letting go.
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

TEST(Servers, FreeTheSlotOfAClientThatHangsUp) {
  ServedModel served({.slots = 1});
  const json request = {{"prompt", "w5"}, {"max_tokens", 90}};
  for (const bool streams : {true, false}) {
    SCOPED_TRACE(streams);
    Held held(served.engine);
    {
      httplib::Client client = served.client();
      client.set_read_timeout(0, 100'000);  // hangs up then
      json body = request;
      body["stream"] = streams;
      std::string got;
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_FALSE(client.Post(kCompletion, httplib::Headers(), body.dump(), kJson));
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    }
    // It waits for the slot; having left, it never gets it.
    std::this_thread::sleep_for(milliseconds(200));
    const auto before = served.engine.stats();
    held.let_go();
    EXPECT_TRUE(soon([&] { return served.engine.stats().cancelled == before.cancelled + 1; }));
    EXPECT_TRUE(soon([&] { return served.engine.stats().running == 0; }));
  }
}

TEST(Servers, RefuseMoreThanMayWait) {
  ServedModel served({.slots = 1, .waiting = 0});
  Held held(served.engine);
  const auto full = served.client().Post(kCompletion, R"({"prompt":"w5"})", kJson);
  EXPECT_EQ(full->status, 429);
  EXPECT_EQ(full->get_header_value("Retry-After"), "1");
  EXPECT_EQ(json::parse(full->body)["error"]["code"], "queue_full");
}

TEST(Servers, EndWhenRunningTextsAreFinished) {
  ServedModel served({.slots = 1});
  Held held(served.engine);
  json made;
  std::thread client([&] {
    made = post(served, kCompletion, {{"prompt", "w5"}, {"max_tokens", 7}, {"temperature", 0}});
  });
  ASSERT_TRUE(soon([&] { return served.engine.stats().waiting == 1; }));
  std::thread ends([&] { served.end(std::chrono::seconds(60)); });
  EXPECT_TRUE(soon([&] { return served.client().Get("/health")->status == 503; }));
  EXPECT_EQ(served.client().Post(kCompletion, R"({"prompt":"w5"})", kJson)->status, 503);
  held.let_go();
  client.join();
  ends.join();
  EXPECT_FALSE(made["choices"][0]["text"].get<std::string>().empty());
  EXPECT_FALSE(served.client().Get("/health"));
}

TEST(Servers, RefuseOptionsOutOfRange) {
  const WordModel model;
  models::TextEngine engine = models::TextEngine::load(model.path(), {.context = 16}, {.slots = 1});
  const auto said = [&](const ServerOptions& options) -> std::string {
    try {
      Server(engine, options).bind();
    } catch (const ArgumentError& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(said({.port = -1}), "Server: port must be 0 to 65535, got -1.");
  EXPECT_EQ(said({.threads = 0}), "Server: threads must be 1 to 4096, got 0.");
  ServedModel other;
  EXPECT_EQ(said({.host = "no.such.host.invalid"}).substr(0, 20), "Server: cannot take ");
}

}  // namespace
}  // namespace tg::server
