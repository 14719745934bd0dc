// Which tokens a grammar allows: as trying each token says, for tokenizers of all kinds; and that
// texts made of allowed tokens are of the grammar. Grammars of texts: gbnf_test.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/models/grammar.h"
#include "tg/models/tokenizer.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

const char* const kTokenizers[] = {
    "gpt2", "llama2", "llama3",        "mistral", "bert",
    "t5",   "words",  "sentencepiece", "o200k",   "unigram_with_bytes",
    "clip"};

Tokenizer tokenizer_of(const std::string& name) {
  return Tokenizer::load(test::source_dir() / "tests/reference/tokenizers" / (name + ".json"));
}

const char* const kGrammars[] = {
    "root ::= .*",
    "root ::= [^a-z]+",
    R"(root ::= " "? ("the" | "\u4f60" | [\u00e0-\u00ff])+ ".")",
    R"(root ::= "[" root "]" | [0-9a-f]{3})",
    "root ::= ([a-zA-Z]+ \" \"?){1,40}",
};

std::vector<Grammar> grammars() {
  std::vector<Grammar> out;
  for (const char* g : kGrammars) out.push_back(Grammar::parse(g));
  out.push_back(Grammar::json_object());
  out.push_back(Grammar::of_json_schema(
      R"({"type":"object","properties":{"name":{"type":"string","maxLength":9},"n":{"type":"integer"}},
          "required":["name"]})"));
  return out;
}

// By reading the whole text with each token behind it.
std::vector<bool> tried(const Grammar& grammar, const Tokenizer& t, const std::string& text,
                        bool is_first) {
  std::vector<bool> out(static_cast<size_t>(t.vocabulary_size()));
  for (int32_t id = 0; id < t.vocabulary_size(); ++id) {
    const auto bytes = t.bytes_of(id, is_first);
    out[static_cast<size_t>(id)] =
        bytes && !bytes->empty() && grammar.accepts_beginning(text + *bytes);
  }
  return out;
}

TEST(TokenConstraints, AllowWhatTryingEachTokenAllows) {
  for (const char* name : kTokenizers) {
    const Tokenizer t = tokenizer_of(name);
    const TokenIndex index(t);
    std::mt19937 random(7);
    for (const Grammar& g : grammars()) {
      SCOPED_TRACE(std::string(name) + ": " + g.text());
      TokenConstraint constraint(g, index, {});
      std::string text;
      for (int step = 0; step < 6; ++step) {
        const std::vector<bool> allowed = constraint.allowed();
        ASSERT_EQ(allowed, tried(g, t, text, step == 0)) << "after " << text;
        std::vector<int32_t> some;
        for (size_t i = 0; i < allowed.size(); ++i)
          if (allowed[i]) some.push_back(static_cast<int32_t>(i));
        if (some.empty()) break;
        const int32_t token = some[random() % some.size()];
        text += *t.bytes_of(token, step == 0);
        constraint.take(token);
      }
    }
  }
}

TEST(TokenConstraints, MakeTextsOfTheGrammarThatDecodeAsTheyWereMatched) {
  int ended = 0, parsed = 0;
  for (const char* name : kTokenizers) {
    const Tokenizer t = tokenizer_of(name);
    const TokenIndex index(t);
    for (const Grammar& g : grammars()) {
      for (uint32_t seed = 0; seed < 8; ++seed) {
        std::mt19937 random(seed);
        TokenConstraint constraint(g, index, {0});
        std::vector<int32_t> tokens;
        std::string text;
        while (tokens.size() < 60 && !constraint.must_end()) {
          const std::vector<bool>& allowed = constraint.allowed();
          ASSERT_EQ(allowed[0], constraint.may_end());
          std::vector<int32_t> some;
          for (size_t i = 1; i < allowed.size(); ++i)
            if (allowed[i]) some.push_back(static_cast<int32_t>(i));
          if (some.empty()) break;
          const int32_t token = some[random() % some.size()];
          text += *t.bytes_of(token, tokens.empty());
          constraint.take(token);
          tokens.push_back(token);
          ASSERT_TRUE(g.accepts_beginning(text)) << text;
          ASSERT_EQ(g.accepts(text), constraint.may_end()) << text;
        }
        // A word's end is no text at the end of all: only there CLIP's decoder differs.
        if (constraint.may_end() && std::string_view(name) != "clip") {
          ++ended;
          EXPECT_EQ(t.decode(tokens), text) << name;
          if (g.text().starts_with("root ::= \"{\"")) {
            ++parsed;
            EXPECT_TRUE(nlohmann::json::accept(text)) << text;
          }
        }
      }
    }
  }
  EXPECT_GT(ended, 50);
  EXPECT_GT(parsed, 3);
}

TEST(TokenConstraints, ForgetWhatTheyHaveSeenWithoutLosingTheirPlace) {
  const Tokenizer t = tokenizer_of("gpt2");
  const TokenIndex index(t);
  // Counts make each state a new one.
  const Grammar g = Grammar::parse("root ::= (\"a\" | \"b\"){300000} \"c\"");
  TokenConstraint constraint(g, index, {});
  const int32_t a = *t.id_of("a"), b = *t.id_of("b");
  for (int i = 0; i < 150'000; ++i) {
    constraint.take(a);
    constraint.take(b);
  }
  const std::vector<bool>& allowed = constraint.allowed();
  EXPECT_TRUE(allowed[static_cast<size_t>(*t.id_of("c"))]);
  EXPECT_FALSE(allowed[static_cast<size_t>(a)]);
  EXPECT_THROW(constraint.take(a), ArgumentError);
  EXPECT_FALSE(constraint.may_end());
  constraint.take(*t.id_of("c"));
  EXPECT_TRUE(constraint.may_end());
  EXPECT_TRUE(constraint.must_end());
}

// A walk for each of many schemas: the JSON is read by another library, and compared with what the
// schema says by a check of its own.
bool fits(const nlohmann::json& value, const nlohmann::json& schema) {
  if (schema.contains("enum")) {
    for (const auto& v : schema["enum"])
      if (v == value) return true;
    return false;
  }
  const std::string type = schema["type"];
  if (type == "integer") {
    return value.is_number_integer() && value >= schema.value("minimum", -1e15) &&
           value <= schema.value("maximum", 1e15);
  }
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "string")
    return value.is_string() && value.get<std::string>().size() <= 4 * size_t{6};
  if (type == "array") {
    if (!value.is_array() || value.size() < schema.value("minItems", size_t{0}) ||
        value.size() > schema.value("maxItems", size_t{1000}))
      return false;
    for (const auto& v : value)
      if (!fits(v, schema["items"])) return false;
    return true;
  }
  if (!value.is_object()) return false;
  for (const auto& name : schema["required"])
    if (!value.contains(name.get<std::string>())) return false;
  for (const auto& [name, v] : value.items())
    if (!schema["properties"].contains(name) || !fits(v, schema["properties"][name])) return false;
  return true;
}

nlohmann::json random_schema(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return {{"type", "boolean"}};
    case 1:
      return {{"type", "integer"},
              {"minimum", static_cast<int>(random() % 50) - 25},
              {"maximum", 25 + random() % 1000}};
    case 2:
      return {{"type", "number"}};
    case 3:
      return {{"type", "string"}, {"maxLength", 6}};
    case 4:
      return {{"enum", {"x", 1, nullptr, {1, "y"}}}};
    case 5: {
      const unsigned min = random() % 3;
      return {{"type", "array"},
              {"minItems", min},
              {"maxItems", min + random() % 3},
              {"items", random_schema(random, depth - 1)}};
    }
    default:
      break;
  }
  nlohmann::json out = {{"type", "object"},
                        {"properties", nlohmann::json::object()},
                        {"required", nlohmann::json::array()}};
  for (unsigned i = 0; i < random() % 4; ++i) {
    const std::string name = "p" + std::to_string(i);
    out["properties"][name] = random_schema(random, depth - 1);
    if (random() % 2 == 0) out["required"].push_back(name);
  }
  return out;
}

TEST(TokenConstraints, MakeValuesThatFitTheirSchema) {
  int ended = 0;
  for (const char* name : {"gpt2", "llama2", "llama3"}) {
    const Tokenizer t = tokenizer_of(name);
    const TokenIndex index(t);
    for (uint32_t seed = 0; seed < 60; ++seed) {
      std::mt19937 random(seed);
      const nlohmann::json schema = random_schema(random, 3);
      TokenConstraint constraint(Grammar::of_json_schema(schema.dump()), index, {});
      std::vector<int32_t> tokens;
      while (tokens.size() < 400 && !constraint.must_end()) {
        std::vector<int32_t> some;
        const std::vector<bool>& allowed = constraint.allowed();
        for (size_t i = 0; i < allowed.size(); ++i)
          if (allowed[i]) some.push_back(static_cast<int32_t>(i));
        if (some.empty()) break;  // the vocabulary lacks a letter
        tokens.push_back(some[random() % some.size()]);
        constraint.take(tokens.back());
      }
      if (!constraint.may_end()) continue;
      ++ended;
      const std::string text = t.decode(tokens);
      ASSERT_TRUE(nlohmann::json::accept(text)) << text;
      EXPECT_TRUE(fits(nlohmann::json::parse(text), schema)) << text << " of " << schema;
    }
  }
  EXPECT_GT(ended, 100);
}

TEST(TokenConstraints, LetATextEndWhereTheGrammarDoes) {
  const Tokenizer t = tokenizer_of("gpt2");
  const TokenIndex index(t);
  const int32_t a = *t.id_of("a"), stop = t.vocabulary_size() - 1;
  TokenConstraint constraint(Grammar::parse("root ::= \"a\"+ \"a\""), index, {stop});
  EXPECT_FALSE(constraint.allowed()[static_cast<size_t>(stop)]);
  constraint.take(a);
  EXPECT_FALSE(constraint.allowed()[static_cast<size_t>(stop)]);
  constraint.take(a);
  EXPECT_TRUE(constraint.allowed()[static_cast<size_t>(stop)]);
  EXPECT_FALSE(constraint.must_end());
}

}  // namespace
}  // namespace tg::models
