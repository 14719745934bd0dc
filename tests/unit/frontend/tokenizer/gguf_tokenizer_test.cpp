// Tokenizers from the facts of a GGUF file give what the same ones give otherwise: byte pairs as
// the files of `tokenizers` have them, SentencePiece as its own library encodes. The latter's facts
// are in tests/reference/language_models/gguf/sentencepiece.json (make_language_models.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/models/tokenizer.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nn::Fact;
using nn::Facts;

const fs::path kReferences = test::source_dir() / "tests/reference";

json json_file(const std::string& name) { return json::parse(read_file(kReferences / name)); }

Fact text_fact(const std::string& text) { return {text}; }
Fact number_fact(int64_t number) { return {number}; }

// Facts of a tokenizer.json of byte pairs.
Facts facts_of(const json& t, const std::string& pre) {
  std::map<int64_t, std::string> words;
  std::map<int64_t, int64_t> types;
  for (const auto& [text, id] : t["model"]["vocab"].items()) words[id] = text;
  for (const json& a : t["added_tokens"]) {
    words[a["id"]] = a["content"];
    types[a["id"]] = a["special"] ? 3 : 4;
  }
  Fact::List tokens, kinds, merges;
  for (const auto& [id, text] : words) {
    EXPECT_EQ(id, static_cast<int64_t>(tokens.size()));
    tokens.push_back(text_fact(text));
    kinds.push_back(number_fact(types.contains(id) ? types[id] : 1));
  }
  for (const json& m : t["model"]["merges"]) {
    const std::string pair = m.is_array() ? m[0].get<std::string>() + " " + m[1].get<std::string>()
                                          : m.get<std::string>();
    merges.push_back(text_fact(pair));
  }
  return {
      {"tokenizer.ggml.model", text_fact("gpt2")}, {"tokenizer.ggml.pre", text_fact(pre)},
      {"tokenizer.ggml.tokens", {tokens}},         {"tokenizer.ggml.token_type", {kinds}},
      {"tokenizer.ggml.merges", {merges}},         {"tokenizer.ggml.bos_token_id", number_fact(0)}};
}

void expect_cases(const Tokenizer& t, const std::string& name) {
  for (const json& c : json_file(name)) {
    SCOPED_TRACE(c["of"].dump(-1, ' ', true));
    const auto ids = c["ids"].get<std::vector<int32_t>>();
    EXPECT_EQ(t.encode(c["of"].get<std::string>()), ids);
    EXPECT_EQ(t.decode(ids), c["text"].get<std::string>());
  }
}

TEST(GgufTokenizers, DivideAsGpt2) {
  const Facts facts = facts_of(json_file("tokenizers/gpt2.json"), "gpt-2");
  expect_cases(Tokenizer::from_facts(facts), "tokenizers/gpt2.cases.json");
}

TEST(GgufTokenizers, DivideAsLlama3AndBeginTexts) {
  const Facts facts = facts_of(json_file("tokenizers/llama3.json"), "llama-bpe");
  expect_cases(Tokenizer::from_facts(facts), "tokenizers/llama3.cases.json");
}

TEST(GgufTokenizers, DivideDigitsWhereTheirModelsDo) {
  const Facts facts = facts_of(json_file("tokenizers/llama3.json"), "qwen2");
  const Tokenizer t = Tokenizer::from_facts(facts);
  const std::vector<int32_t> digits = {*t.id_of("2"), *t.id_of("2"), *t.id_of("2")};
  EXPECT_EQ(t.encode("222"), digits);
}

Facts sentence_facts(const json& reference) {
  Fact::List tokens, kinds, scores;
  for (const json& t : reference["tokens"]) tokens.push_back(text_fact(t));
  for (const json& k : reference["types"]) kinds.push_back(number_fact(k));
  for (const json& s : reference["scores"]) scores.push_back({s.get<double>()});
  return {{"tokenizer.ggml.model", text_fact("llama")},
          {"tokenizer.ggml.tokens", {tokens}},
          {"tokenizer.ggml.token_type", {kinds}},
          {"tokenizer.ggml.scores", {scores}},
          {"tokenizer.ggml.add_bos_token", {false}},
          {"tokenizer.ggml.unknown_token_id", number_fact(0)}};
}

TEST(GgufTokenizers, EncodeAsSentencePiece) {
  const json reference = json_file("language_models/gguf/sentencepiece.json");
  const Tokenizer t = Tokenizer::from_facts(sentence_facts(reference));
  ASSERT_EQ(reference["cases"].size(), 9);
  for (const json& c : reference["cases"]) {
    SCOPED_TRACE(c["of"].dump(-1, ' ', true));
    const auto ids = c["ids"].get<std::vector<int32_t>>();
    EXPECT_EQ(t.encode(c["of"].get<std::string>()), ids);
    EXPECT_EQ(t.decode(ids), c["text"].get<std::string>());
  }
}

std::string said_of(const Facts& facts) {
  try {
    Tokenizer::from_facts(facts, "m.gguf");
  } catch (const FileError& e) {
    return e.what();
  }
  return {};
}

TEST(GgufTokenizers, AreRefusedWithTheirFact) {
  const Facts good = facts_of(json_file("tokenizers/llama3.json"), "llama-bpe");
  const auto with = [&](const std::string& name, Fact fact) {
    Facts facts = good;
    facts["tokenizer.ggml." + name] = std::move(fact);
    return said_of(facts);
  };
  EXPECT_EQ(said_of({}), "m.gguf: tokenizer.ggml.tokens: is missing.");
  EXPECT_EQ(with("model", text_fact("bert")),
            "m.gguf: tokenizer.ggml.model: is a kind that is not supported: \"bert\".");
  EXPECT_EQ(
      with("pre", text_fact("unheard-of")),
      "m.gguf: tokenizer.ggml.pre: is a way to divide texts that is not known: \"unheard-of\".");
  EXPECT_EQ(with("tokens", number_fact(7)), "m.gguf: tokenizer.ggml.tokens: is no list.");
  EXPECT_EQ(with("token_type", {Fact::List{}}),
            "m.gguf: tokenizer.ggml.token_type: has 0 of 420 tokens.");
  EXPECT_EQ(with("bos_token_id", number_fact(-1)),
            "m.gguf: tokenizer.ggml.bos_token_id: is no token: -1.");
  EXPECT_EQ(with("merges", {Fact::List{text_fact("no tokens")}}),
            "m.gguf.model.merges[0]: merges what is no token: \"no\" and \"tokens\".");
  json reference = json_file("language_models/gguf/sentencepiece.json");
  Facts facts = sentence_facts(reference);
  facts["tokenizer.ggml.scores"] = {Fact::List{}};
  EXPECT_EQ(said_of(facts), "m.gguf: tokenizer.ggml.scores: has 0 of 500 tokens.");
}

}  // namespace
}  // namespace tg::models
