// Vectors of texts by HTTP as clients see them, and what requests for them say. Texts and chats:
// server_test.cpp; the vectors themselves: tests/unit/frontend/embedding.
#include "frontend/server/embeddings.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "frontend/server/api_error.h"
#include "server/asking.h"
#include "server/served_encoder.h"

namespace tg::server {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

const char* const kEmbeddings = "/v1/embeddings";

std::string refused(std::string_view body) {
  try {
    parse_embedding_request(body, 32);
  } catch (const ApiError& e) {
    EXPECT_EQ(e.status(), 400);
    return e.parameter() + ": " + e.what();
  }
  return {};
}

// The floats of a text of base64, by a table of its own.
std::vector<float> floats_of(const std::string& base64) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const uint32_t value = c >= 'a'   ? c - 'a' + 26U
                           : c >= 'A' ? c - 'A' + 0U
                           : c >= '0' ? c - '0' + 52U
                           : c == '+' ? 62U
                                      : 63U;
    bits = bits << 6U | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 255U);
  }
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

TEST(EmbeddingRequests, TakeTextsAndTokens) {
  const auto inputs = [](const char* body) { return parse_embedding_request(body, 32).inputs; };
  using Tokens = std::vector<int32_t>;
  EXPECT_EQ(inputs(R"({"input":"a","model":"m","user":"me"})"),
            (std::vector<EmbeddingInput>{std::string("a")}));
  EXPECT_EQ(inputs(R"({"input":["a","b"],"dimensions":32})"),
            (std::vector<EmbeddingInput>{std::string("a"), std::string("b")}));
  EXPECT_EQ(inputs(R"({"input":[3,4],"encoding_format":"float"})"),
            (std::vector<EmbeddingInput>{Tokens{3, 4}}));
  EXPECT_EQ(inputs(R"({"input":[[3,4],[5]]})"),
            (std::vector<EmbeddingInput>{Tokens{3, 4}, Tokens{5}}));
  EXPECT_FALSE(parse_embedding_request(R"({"input":"a"})", 32).is_base64);
  EXPECT_TRUE(parse_embedding_request(R"({"input":"a","encoding_format":"base64"})", 32).is_base64);
}

TEST(EmbeddingRequests, AreRefusedByTheMemberThatIsWrong) {
  EXPECT_EQ(refused("{}"), "input: input is missing");
  for (const char* input : {"[]", "7", "{}", "true", "[[]]", "[\"a\",7]", "[3,-1]", "[3,1.5]",
                            "[4294967296]", "[[3],[\"a\"]]", "[null]"})
    EXPECT_EQ(refused(R"({"input":)" + std::string(input) + "}").substr(0, 27),
              "input: input must be a text")
        << input;
  EXPECT_EQ(refused(R"({"input":""})"), "input: input has an empty text");
  EXPECT_EQ(refused(R"({"input":["a",""]})"), "input: input has an empty text");
  EXPECT_EQ(refused(R"({"input":"a","dimensions":16})"),
            "dimensions: dimensions may be 32 only, as the model makes them");
  EXPECT_EQ(refused(R"({"input":"a","encoding_format":"int8"})"),
            "encoding_format: encoding_format must be float or base64");
  EXPECT_EQ(refused(R"({"input":"a","n":1})"), "n: unrecognized member of the request: n");
  EXPECT_EQ(refused("[]"), ": the body must be an object");
  EXPECT_EQ(refused("{").substr(0, 12), ": the body: ");
  EXPECT_EQ(refused(json{{"input", std::vector<std::string>(2049, "a")}}.dump()),
            "input: input may have 2048 texts at most");
}

TEST(EmbeddingAnswers, WriteFloatsAsBase64) {
  EXPECT_EQ(base64_of({}), "");
  EXPECT_EQ(base64_of(std::vector<float>{1}), "AACAPw==");
  EXPECT_EQ(base64_of(std::vector<float>{1, -2}), "AACAPwAAAMA=");
  const std::vector<float> numbers = {0.1F, -1e30F, 3.14159F, 0, 1e-40F};
  if constexpr (std::endian::native == std::endian::little) {
    EXPECT_EQ(floats_of(base64_of(numbers)), numbers);
  }
}

TEST(ServedEncoders, GiveVectorsAsFloatsAndAsBase64) {
  const ServedEncoder served;
  json request = {{"input", {"w3 w4 w5", "w7"}}, {"model", "any"}};
  const json made = post(served, kEmbeddings, request);
  EXPECT_EQ(made["object"], "list");
  EXPECT_EQ(made["model"], "vectors");
  EXPECT_EQ(made["usage"], (json{{"prompt_tokens", 8}, {"total_tokens", 8}}));
  ASSERT_EQ(made["data"].size(), 2U);
  double length = 0;
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(made["data"][i]["object"], "embedding");
    EXPECT_EQ(made["data"][i]["index"], i);
    ASSERT_EQ(made["data"][i]["embedding"].size(), 32U);
    for (const json& x : made["data"][i]["embedding"]) length += x.get<double>() * x.get<double>();
  }
  EXPECT_NEAR(length, 2, 1e-5);
  request["encoding_format"] = "base64";
  const json packed = post(served, kEmbeddings, request);
  for (size_t i = 0; i < 2; ++i) {
    const auto numbers = floats_of(packed["data"][i]["embedding"].get<std::string>());
    const auto wanted = made["data"][i]["embedding"].get<std::vector<float>>();
    if constexpr (std::endian::native == std::endian::little) {
      EXPECT_EQ(numbers, wanted);
    }
  }
  // Tokens have their special ones already, and a text alone is a list of one.
  EXPECT_EQ(post(served, kEmbeddings, {{"input", {{1, 3, 4, 5, 2}, {1, 7, 2}}}})["data"],
            made["data"]);
  const json one = post(served, kEmbeddings, {{"input", "w7"}});
  ASSERT_EQ(one["data"].size(), 1U);
  for (size_t j = 0; j < 32; ++j)
    EXPECT_NEAR(one["data"][0]["embedding"][j].get<double>(),
                made["data"][1]["embedding"][j].get<double>(), 1e-5);
}

TEST(ServedEncoders, HaveNoPathsOfLanguageModels) {
  const ServedEncoder served;
  httplib::Client client = served.client();
  EXPECT_EQ(json::parse(client.Get("/v1/models")->body)["data"][0]["id"], "vectors");
  EXPECT_EQ(client.Post("/v1/chat/completions", "{}", kJson)->status, 404);
  EXPECT_EQ(client.Get("/")->status, 404);
  post(served, kEmbeddings, {{"input", {"w3", "w4"}}});
  EXPECT_TRUE(soon([&] {
    const std::string metrics = client.Get("/metrics")->body;
    return metrics.find("tg_http_requests_total{path=\"/v1/embeddings\",status=\"200\"} 1\n") !=
               std::string::npos &&
           metrics.find("\ntg_texts_total 2\n") != std::string::npos &&
           metrics.find("\ntg_prompt_tokens_total 6\n") != std::string::npos;
  }));
}

TEST(ServedEncoders, RefuseWrongRequestsAsOpenAiDoes) {
  const ServedEncoder served({.api_key = "secret"});
  httplib::Client client = served.client();
  const auto said = [&](const json& body, int status) {
    const auto r =
        client.Post(kEmbeddings, {{"Authorization", "Bearer secret"}}, body.dump(), kJson);
    EXPECT_EQ(r->status, status) << r->body;
    return json::parse(r->body)["error"];
  };
  EXPECT_EQ(client.Post(kEmbeddings, R"({"input":"w1"})", kJson)->status, 401);
  EXPECT_EQ(said({{"input", ""}}, 400)["param"], "input");
  EXPECT_EQ(said({{"input", {48}}}, 400)["message"],
            "text 0 has the token 48, and the vocabulary 48");
  std::string long_text;
  for (int i = 0; i < 109; ++i) long_text += "w5 ";
  const json error = said({{"input", {"w1", long_text}}}, 400);
  EXPECT_EQ(error["code"], "context_length_exceeded");
  EXPECT_EQ(error["message"], "text 1 has 111 tokens, and the model reads 110 at most");
  said({{"input", long_text.substr(3)}}, 200);
}

TEST(ServedEncoders, KeepTheTextsOf16ClientsApart) {
  constexpr size_t kClients = 16;
  const ServedEncoder served;
  const auto request = [](size_t i) {
    std::string text;
    for (size_t n = 0; n <= i % 5; ++n) text += "w" + std::to_string(3 + (7 * i + n) % 45) + " ";
    return json{{"input", json::array({text, "w" + std::to_string(i + 3)})}};
  };
  std::vector<json> together(kClients);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kClients; ++i)
    threads.emplace_back([&, i] { together[i] = post(served, kEmbeddings, request(i)); });
  for (std::thread& t : threads) t.join();
  for (size_t i = 0; i < kClients; ++i) {
    const json alone = post(served, kEmbeddings, request(i));
    for (size_t text = 0; text < 2; ++text) {
      const auto a = alone["data"][text]["embedding"].get<std::vector<double>>();
      const auto b = together[i]["data"][text]["embedding"].get<std::vector<double>>();
      ASSERT_EQ(a.size(), b.size());
      for (size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-5) << i;
    }
  }
}

TEST(ServedEncoders, RefuseMoreThanMayWait) {
  const ServedEncoder served({.waiting = 0});
  HeldEncoder held;
  std::thread first([&] { post(served, kEmbeddings, {{"input", "w5"}}); });
  EXPECT_TRUE(soon([&] { return held.holds(); }));
  const json error = post(served, kEmbeddings, {{"input", "w6"}}, 429)["error"];
  EXPECT_EQ(error["code"], "queue_full");
  held.let_go();
  first.join();
}

TEST(ServedEncoders, DoNotComputeForClientsThatHaveLeft) {
  const ServedEncoder served;
  HeldEncoder held;
  std::thread first([&] { post(served, kEmbeddings, {{"input", "w5"}}); });
  EXPECT_TRUE(soon([&] { return held.holds(); }));
  {
    httplib::Client client = served.client();
    client.set_read_timeout(0, 100'000);  // hangs up then
    EXPECT_FALSE(client.Post(kEmbeddings, R"({"input":"w6"})", kJson));
  }
  std::this_thread::sleep_for(milliseconds(200));
  held.let_go();
  first.join();
  EXPECT_TRUE(soon([&] {
    const std::string metrics = served.client().Get("/metrics")->body;
    return metrics.find("\ntg_requests_cancelled_total 1\n") != std::string::npos &&
           metrics.find("\ntg_requests_total 1\n") != std::string::npos;
  }));
}

// 2048 texts of 100 tokens are a thousand rows, and the first is held until the time is over.
TEST(ServedEncoders, DoNotFinishWhatTakesLongerThanTheyMay) {
  ServedEncoder served;
  HeldEncoder held;
  const json texts = std::vector<std::vector<int>>(2048, std::vector<int>(100, 5));
  std::thread client([&] { post(served, kEmbeddings, {{"input", texts}}, 503); });
  EXPECT_TRUE(soon([&] { return held.holds(); }));
  std::thread ends([&] { served.end(milliseconds(1)); });
  std::this_thread::sleep_for(milliseconds(100));
  held.let_go();
  client.join();
  ends.join();
}

TEST(ServedEncoders, EndWhenRunningRequestsAreFinished) {
  ServedEncoder served;
  HeldEncoder held;
  json made;
  std::thread client([&] { made = post(served, kEmbeddings, {{"input", "w5"}}); });
  EXPECT_TRUE(soon([&] { return held.holds(); }));
  std::thread ends([&] { served.end(std::chrono::seconds(60)); });
  EXPECT_TRUE(soon([&] { return served.client().Get("/health")->status == 503; }));
  EXPECT_EQ(served.client().Post(kEmbeddings, R"({"input":"w6"})", kJson)->status, 503);
  held.let_go();
  client.join();
  ends.join();
  EXPECT_EQ(made["data"].size(), 1U);
  EXPECT_FALSE(served.client().Get("/health"));
}

}  // namespace
}  // namespace tg::server
