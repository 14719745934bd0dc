// What requests say, and what is refused of them. What the server makes of them: server_test.cpp.
#include "frontend/server/request.h"

#include <gtest/gtest.h>

#include "frontend/server/api_error.h"

namespace tg::server {
namespace {

std::string refused_request(std::string_view body, Endpoint endpoint = Endpoint::Chat) {
  try {
    parse_request(body, endpoint);
  } catch (const ApiError& e) {
    EXPECT_EQ(e.status(), 400);
    return e.parameter() + ": " + e.what();
  }
  return {};
}

std::string with(const std::string& members) {
  return R"({"messages":[{"role":"user","content":"a"}],)" + members + "}";
}

TEST(Requests, SayWhatIsWanted) {
  const Request r = parse_request(
      R"({"model":"m","messages":[{"role":"system","content":"be kind"},{"role":"user","content":
      [{"type":"text","text":"a"},{"type":"text","text":"b"}]}],"temperature":0.5,"top_p":0.9,
      "top_k":7,"min_p":0.1,"seed":-3,"max_tokens":5,"stop":["x","yy"],"stream":true,
      "stream_options":{"include_usage":true},"n":1,"logprobs":null,"user":"me"})",
      Endpoint::Chat);
  EXPECT_EQ(plain_conversation(r.messages), "system: be kind\nuser: ab\nassistant:");
  EXPECT_EQ(r.options.temperature, 0.5);
  EXPECT_EQ(r.options.top_p, 0.9);
  EXPECT_EQ(r.options.top_k, 7);
  EXPECT_EQ(r.options.min_p, 0.1);
  EXPECT_EQ(r.options.seed, static_cast<uint64_t>(-3));
  EXPECT_TRUE(r.has_seed);
  EXPECT_TRUE(r.limits_tokens);
  EXPECT_EQ(r.options.max_tokens, 5);
  EXPECT_EQ(r.stop, (std::vector<std::string>{"x", "yy"}));
  EXPECT_TRUE(r.streams);
  EXPECT_TRUE(r.wants_usage);
  const Request usual = parse_request(R"({"prompt":[1,2],"max_completion_tokens":3.0,"stop":"z"})",
                                      Endpoint::Completion);
  EXPECT_EQ(usual.tokens, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(usual.options.max_tokens, 3);
  EXPECT_EQ(usual.options.temperature, 1);
  EXPECT_EQ(usual.stop, std::vector<std::string>{"z"});
  EXPECT_FALSE(usual.streams);
  EXPECT_FALSE(usual.has_seed);
  EXPECT_EQ(parse_request(R"({"prompt":"hi"})", Endpoint::Completion).prompt, "hi");
}

const std::string kTools = R"("tools":[{"type":"function","function":{"name":"f","parameters":
    {"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string"}}}}}])";

TEST(Requests, NameToolsInTheirOrder) {
  const auto read = [](const std::string& members) {
    return parse_request(with(members), Endpoint::Chat);
  };
  const Request usual = read(kTools);
  ASSERT_EQ(usual.tools.size(), 1U);
  EXPECT_EQ(usual.tools[0].name, "f");
  EXPECT_EQ(usual.tools[0].parameters["properties"].begin().key(), "z");
  EXPECT_LT(usual.tools_json.find("\"z\""), usual.tools_json.find("\"a\""));
  EXPECT_FALSE(usual.must_call);
  EXPECT_TRUE(read(kTools + R"(,"tool_choice":"required")").must_call);
  EXPECT_EQ(read(kTools + R"(,"tool_choice":{"type":"function","function":{"name":"f"}})").called,
            "f");
  EXPECT_TRUE(read(kTools + R"(,"tool_choice":"none")").tools.empty());
  const Request answered = parse_request(
      R"({"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",
      "function":{"name":"f","arguments":"{\"z\":1}"}}]},{"role":"tool","content":"2"}]})",
      Endpoint::Chat);
  EXPECT_EQ(answered.messages[0]["content"], "");
  EXPECT_EQ(answered.messages[0]["tool_calls"][0]["function"]["arguments"]["z"], 1);
}

TEST(Requests, AskForChoicesAndLogprobs) {
  const Request r =
      parse_request(with(R"("n":3,"logprobs":true,"top_logprobs":2)"), Endpoint::Chat);
  EXPECT_EQ(r.choices, 3);
  EXPECT_EQ(r.options.top_logprobs, 2);
  const auto completion = [](const std::string& members) {
    return parse_request(R"({"prompt":"a",)" + members + "}", Endpoint::Completion);
  };
  EXPECT_EQ(completion(R"("logprobs":4)").options.top_logprobs, 4);
  EXPECT_FALSE(completion(R"("logprobs":false)").options.top_logprobs);
}

TEST(Requests, SayWhatTheAnswerIsToBe) {
  const auto grammar = [](const std::string& members) {
    return parse_request(with(members), Endpoint::Chat).options.grammar;
  };
  EXPECT_FALSE(grammar(R"("response_format":{"type":"text"})"));
  EXPECT_TRUE(grammar(R"("response_format":{"type":"json_object"})").accepts(R"({"a":1})"));
  EXPECT_TRUE(grammar(R"("grammar":"root ::= \"a\"+")").accepts("aa"));
  const auto ordered = grammar(R"("response_format":{"type":"json_schema","json_schema":{"name":"n",
      "strict":true,"schema":{"properties":{"z":{"type":"null"},"a":{"type":"null"}}}}})");
  EXPECT_TRUE(ordered.accepts(R"({"z":null,"a":null})"));
  EXPECT_FALSE(ordered.accepts(R"({"a":null,"z":null})"));
}

TEST(Requests, ThatAreMalformedAreRefusedByName) {
  const std::pair<std::string, std::string> table[] = {
      {"", ": the body: is not JSON at byte 1."},
      {"{", ": the body: is not JSON at byte 2."},
      {"nonsense", ": the body: is not JSON at byte 2."},
      {"[]", ": the body must be an object"},
      {"{}", "messages: messages is missing"},
      {R"({"messages":null})", "messages: messages is missing"},
      {R"({"messages":"a"})", "messages: messages must be a list of one or more"},
      {R"({"messages":[]})", "messages: messages must be a list of one or more"},
      {R"({"messages":[1]})", "messages[0]: messages[0] must be an object"},
      {R"({"messages":[{}]})", "messages[0].role: messages[0].role must be a text"},
      {R"({"messages":[{"role":"user"}]})",
       "messages[0].content: messages[0].content must be a text or a list of parts"},
      {R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})",
       "messages[0].content: messages[0].content may have parts of the type \"text\" only"},
      {R"({"messages":[{"role":"user","content":[{"type":"text","text":1}]}]})",
       "messages[0].content: messages[0].content may have parts of the type \"text\" only"},
      {with(R"("temperature":"hot")"), "temperature: temperature must be a number from 0 to 100"},
      {with(R"("temperature":-1)"), "temperature: temperature must be a number from 0 to 100"},
      {with(R"("top_p":1e300)"), "top_p: top_p must be a number from 0 to 1"},
      {with(R"("top_p":1e999)"), ": the body: has a number that is out of range."},
      {with(R"("max_tokens":0)"),
       "max_tokens: max_tokens must be a number from 1 to 9000000000000000"},
      {with(R"("max_tokens":99999999999999999999)"),
       "max_tokens: max_tokens must be a number from 1 to 9000000000000000"},
      {with(R"("max_tokens":1.5)"), "max_tokens: max_tokens must be a whole number"},
      {with(R"("stream":"yes")"), "stream: stream must be true or false"},
      {with(R"("stream_options":{})"),
       "stream_options: stream_options must be an object, and goes with stream"},
      {with(R"("stop":[""])"), "stop: stop may be 16 texts of 1 to 256 bytes each at most"},
      {with(R"("stop":[1])"), "stop: stop must be a text"},
      {with(R"("n":0)"), "n: n must be a number from 1 to 9000000000000000"},
      {with(R"("n":129)"), "n: n may be 128 at most"},
      {with(R"("logprobs":1)"), "logprobs: logprobs must be true or false"},
      {with(R"("top_logprobs":1)"), "top_logprobs: top_logprobs goes with logprobs"},
      {with(R"("logprobs":true,"top_logprobs":21)"),
       "top_logprobs: log-probabilities may be of 20 tokens at most"},
      {with(R"("tools":1)"), "tools: tools must be a list of 128 at most"},
      {with(R"("tools":[{}])"), "tools[0]: tools[0] must be a function with a name"},
      {with(R"("tool_choice":"required")"), "tool_choice: tool_choice needs tools"},
      {with(kTools + R"(,"tool_choice":"soon")"),
       "tool_choice: tool_choice must be none, auto, required, or a function with a name"},
      {with(kTools + R"(,"tool_choice":{"type":"function","function":{"name":"g"}})"),
       "tool_choice: tool_choice names no tool: \"g\""},
      {with(kTools + R"(,"tool_choice":"required","response_format":{"type":"json_object"})"),
       "tool_choice: a call that is required goes with no other form of the answer"},
      {R"({"messages":[{"role":"assistant","tool_calls":[1]}]})",
       "messages[0]: messages[0].tool_calls must be a list of calls of functions"},
      {with(R"("frequency_penalty":1)"),
       "frequency_penalty: frequency_penalty is not supported by this server"},
      {with(R"("grammar":1)"), "grammar: grammar must be a text"},
      {with(R"("grammar":"root ::= a")"), "grammar: grammar: line 1: the rule \"a\" is missing."},
      {with(R"("grammar":"root ::= \"a\"","response_format":{"type":"json_object"})"),
       "grammar: grammar and response_format do not go together"},
      {with(R"("response_format":"json")"),
       "response_format: response_format.type must be text, json_object or json_schema"},
      {with(R"("response_format":{"type":"json_schema"})"),
       "response_format: response_format.json_schema.schema is missing"},
      {with(R"("response_format":{"type":"json_schema","json_schema":{"schema":{"not":true}}})"),
       "response_format: schema: the keyword \"not\" is not supported."},
      {with(R"("prompt":"a")"), "prompt: unrecognized member of the request: prompt"},
      {with(R"("unheard_of":1)"), "unheard_of: unrecognized member of the request: unheard_of"},
      {with("\"user\":\"\xff\""), ": the body: is not JSON at byte 53."},
      {with("\"user\":" + std::string(100'000, '[')), ": the body: is nested too deeply."},
  };
  for (const auto& [body, said] : table)
    EXPECT_EQ(refused_request(body), said) << body.substr(0, 200);
  for (const char* prompt : {"1", "[]", "[1,-1]", "[1.5]", "[99999999999]", "[\"a\"]", "{}"}) {
    EXPECT_EQ(refused_request(R"({"prompt":)" + std::string(prompt) + "}", Endpoint::Completion),
              "prompt: prompt must be a text or a list of tokens");
  }
}

}  // namespace
}  // namespace tg::server
