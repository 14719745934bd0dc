// Descriptions of tokenizers that are wrong or meant to harm: an error that names file and place, and
// no more memory or time than the file deserves. Right ones are in tokenizer_test.cpp.
#include <gtest/gtest.h>

#include "tg/error.h"
#include "tg/models/tokenizer.h"

namespace tg::models {
namespace {

// What is said of a file with this content; empty if it is taken.
std::string said_of(const std::string& json) {
  try {
    Tokenizer::parse(json, "t.json");
  } catch (const FileError& e) {
    return e.what();
  }
  return {};
}

std::string with_model(const std::string& model) { return R"({"model":)" + model + "}"; }

// A model of two words, with one more member.
std::string with_step(const std::string& member) {
  return R"({"model":{"type":"WordLevel","vocab":{"a":0,"b":1},"unk_token":"a"},)" + member + "}";
}

TEST(WrongTokenizers, AreMissing) {
  try {
    Tokenizer::load("/nowhere/tokenizer.json");
    FAIL() << "there is no such file";
  } catch (const FileError& e) {
    EXPECT_NE(std::string(e.what()).find("/nowhere/tokenizer.json"), std::string::npos) << e.what();
  }
}

TEST(WrongTokenizers, AreNoJson) {
  EXPECT_EQ(said_of(""), "t.json: is not JSON at byte 1.");
  EXPECT_EQ(said_of("{\"model\":"), "t.json: is not JSON at byte 10.");
  EXPECT_EQ(said_of("[]"), "t.json: is no object.");
  EXPECT_EQ(said_of("{\"a\":\"\xff\"}"), "t.json: is not JSON at byte 7.");
  EXPECT_EQ(said_of("{\"a\":1e999}"), "t.json: has a number that is out of range.");
  EXPECT_EQ(said_of(std::string(100'000, '[')), "t.json: is nested too deeply.");
}

TEST(WrongTokenizers, LackAModel) {
  EXPECT_EQ(said_of("{}"), "t.json.model: is no object.");
  EXPECT_EQ(said_of(with_model(R"({"type":"Neural"})")),
            "t.json.model: is a model of the unknown kind \"Neural\".");
  EXPECT_EQ(said_of(with_model(R"({"type":7})")), "t.json.model.type: is no text.");
}

TEST(WrongTokenizers, HaveVocabulariesThatAreNone) {
  EXPECT_EQ(said_of(with_model(R"({"type":"BPE","merges":[]})")),
            "t.json.model.vocab: is no object.");
  for (const std::string id : {"-1", "4194304", "18446744073709551615", "1.5", "\"1\"", "null"}) {
    EXPECT_EQ(said_of(with_model(R"({"type":"BPE","merges":[],"vocab":{"a":)" + id + "}}")),
              "t.json.model.vocab[\"a\"]: is no number of a token, 0 to 4194303.");
  }
  EXPECT_EQ(said_of(with_model(R"({"type":"Unigram","vocab":[["a"]]})")),
            "t.json.model.vocab[0]: is no token with its score.");
  EXPECT_EQ(said_of(with_model(R"({"type":"Unigram","vocab":[["a",1]],"unk_id":1})")),
            "t.json.model.unk_id: is the number of no token.");
  EXPECT_EQ(said_of(with_model(R"({"type":"WordPiece","vocab":{"a":0},"unk_token":"b"})")),
            "t.json.model.unk_token: is no token of the vocabulary: \"b\".");
}

TEST(WrongTokenizers, MergeWhatIsNoToken) {
  const auto merges = [](const std::string& text) {
    return said_of(with_model(R"({"type":"BPE","vocab":{"a":0,"b":1},"merges":[)" + text + "]}"));
  };
  EXPECT_EQ(merges("\"a b\""), "t.json.model.merges[0]: merges what is no token: \"a\" and \"b\".");
  EXPECT_EQ(merges("\"ab\""), "t.json.model.merges[0]: is no pair: \"ab\".");
  EXPECT_EQ(merges("\"a b c\""), "t.json.model.merges[0]: is no pair: \"a b c\".");
  EXPECT_EQ(merges("[\"a\"]"), "t.json.model.merges[0]: is no pair.");
  EXPECT_EQ(merges("7"), "t.json.model.merges[0]: is no text.");
}

TEST(WrongTokenizers, AskForStepsThatNobodyKnows) {
  EXPECT_EQ(said_of(with_step(R"("normalizer":{"type":"Magic"})")),
            "t.json.normalizer: is a normalizer of the unknown kind \"Magic\".");
  EXPECT_EQ(said_of(with_step(R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"X"}]})")),
            "t.json.pre_tokenizer.pretokenizers[0]: is a pre-tokenizer of the unknown kind \"X\".");
  EXPECT_EQ(said_of(with_step(R"("decoder":{"type":"CTC"})")),
            "t.json.decoder: is a decoder of the unknown kind \"CTC\".");
  EXPECT_EQ(said_of(with_step(R"("post_processor":{"type":"TemplateProcessing","single":[]})")),
            "t.json.post_processor.single: has no place for the text.");
  EXPECT_EQ(said_of(with_step(R"("added_tokens":[{"id":-5,"content":"x"}])")),
            "t.json.added_tokens[0].id: is no number of a token, 0 to 4194303.");
}

TEST(WrongTokenizers, HavePatternsThatCannotBeRead) {
  const std::string said =
      said_of(with_step(R"("normalizer":{"type":"Replace","pattern":{"Regex":"("},"content":""})"));
  EXPECT_EQ(said.substr(0, 73),
            "t.json.normalizer.pattern.Regex: \"(\" is no pattern that can be read (U_RE");
}

TEST(WrongTokenizers, HaveTablesThatAreCutOff) {
  const auto table = [](const std::string& base64) {
    return said_of(with_step(R"("normalizer":{"type":"Precompiled","precompiled_charsmap":")" +
                             base64 + "\"}"));
  };
  EXPECT_EQ(table(""), "");
  EXPECT_EQ(table("AA=="), "t.json.normalizer.precompiled_charsmap: is cut off.");
  EXPECT_EQ(table("/////w=="), "t.json.normalizer.precompiled_charsmap: is cut off.");
  EXPECT_EQ(table("*"), "t.json.normalizer.precompiled_charsmap: is not base64.");
}

// Offsets that lead out of a table of two units, in any direction, find nothing.
TEST(HarmfulTokenizers, HaveTablesThatLeadNowhere) {
  for (const std::string units : {"CAAAAP///////////w==", "CAAAAAAAAABhAAAAYQ==", "CAAAAAABAABh/f//AA=="}) {
    const Tokenizer t = Tokenizer::parse(with_step(
        R"("normalizer":{"type":"Precompiled","precompiled_charsmap":")" + units + "\"}"));
    EXPECT_EQ(t.encode("b"), std::vector<int32_t>{1});
    EXPECT_EQ(t.encode("a"), std::vector<int32_t>{0});
  }
}

TEST(HarmfulTokenizers, HavePatternsThatTakeForever) {
  const Tokenizer t = Tokenizer::parse(with_step(
      R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"(x+x+)+y"},"behavior":"Isolated"})"));
  EXPECT_THROW(t.encode(std::string(50, 'x')), ArgumentError);
  EXPECT_EQ(t.encode("b"), std::vector<int32_t>{1}) << "a text that it suits is encoded";
}

// Forty doublings would be a terabyte.
TEST(HarmfulTokenizers, HaveStepsThatGrowTheTextWithoutEnd) {
  for (const std::string step : {R"({"type":"Replace","pattern":{"String":"a"},"content":"aa"})",
                                 R"({"type":"ByteLevel"})"}) {
    std::string steps = step;
    for (int i = 1; i < 40; ++i) steps += "," + step;
    const Tokenizer t = Tokenizer::parse(
        with_step(R"("normalizer":{"type":"Sequence","normalizers":[)" + steps + "]}"));
    EXPECT_THROW(t.encode("a\u0120"), ArgumentError);
    EXPECT_EQ(t.encode("b"), std::vector<int32_t>{1}) << "a text that stays small is encoded";
  }
}

TEST(HarmfulTokenizers, HaveNoTokenForWhatTheyLack) {
  const Tokenizer t =
      Tokenizer::parse(R"({"model":{"type":"Unigram","vocab":[["a",-1.0]],"unk_id":null}})");
  EXPECT_EQ(t.encode("aa"), (std::vector<int32_t>{0, 0}));
  EXPECT_THROW(t.encode("b"), ArgumentError);
}

}  // namespace
}  // namespace tg::models
