// T5 with tied embeddings and a plain feed-forward, and Flan-T5 with neither, give the logits and
// the 64 greedy tokens of `transformers` (tests/reference/encoder_decoders, made by
// make_encoder_decoders.py there); folders that are wrong are refused with file and place.
#include "tg/models/encoder_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/error_text.h"
#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/state.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using Tokens = std::vector<int32_t>;

fs::path reference(const std::string& name) {
  return test::source_dir() / "tests/reference/encoder_decoders" / name;
}

class EncoderDecoders : public testing::TestWithParam<std::string> {
 protected:
  EncoderDecoders() : expected(nn::load(reference(GetParam()) / "expected.safetensors")) {}
  static EncoderDecoder load(const EncoderDecoderOptions& o = {}) {
    return EncoderDecoder::load(reference(GetParam()), o);
  }
  Tokens tokens(const std::string& name, int i) const {
    return expected.at(name + "." + std::to_string(i)).to_vector<int32_t>();
  }

  static constexpr int kTexts = 4;
  nn::StateDict expected;
};

TEST_P(EncoderDecoders, HaveTheLogitsOfTheirLibrary) {
  EncoderDecoder model = load();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kTexts; ++i) {
      const auto made = model.logits(tokens("source", i), tokens("target", i)).to_vector<float>();
      const auto wanted = expected.at("logits." + std::to_string(i)).to_vector<float>();
      ASSERT_EQ(made.size(), wanted.size());
      double worst = 0;
      for (size_t j = 0; j < made.size(); ++j) {
        const double d = std::abs(double{made[j]} - double{wanted[j]});
        worst = d <= worst ? worst : d;  // NaN is the worst
      }
      EXPECT_LT(worst, 1e-3) << "text " << i;
    }
  }
}

TEST_P(EncoderDecoders, WriteTheGreedyTokensOfTheirLibrary) {
  EncoderDecoder model = load({.longest = 50, .context = 65});
  for (int i = 0; i < kTexts; ++i) {
    const Tokens answer = tokens("answer", i);
    const Generated made =
        model.generate(tokens("source", i), {.max_tokens = 64, .stop = Tokens{}});
    EXPECT_EQ(made.tokens, answer) << "text " << i;
    EXPECT_EQ(made.reason, StopReason::MaxTokens);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EncoderDecoders, testing::Values("t5", "flan_t5"),
                         [](const auto& info) { return info.param; });

class Rewriting : public testing::Test {
 protected:
  const Tokens source = {5, 6, 7, 8, 1};
};

TEST_F(Rewriting, EndsAtStopTokensCallbacksAndTheContext) {
  EncoderDecoder model = EncoderDecoder::load(reference("flan_t5"), {.context = 8});
  const Tokens all = model.generate(source, {.stop = Tokens{}}).tokens;
  EXPECT_EQ(all.size(), 8U);
  EXPECT_EQ(model.generate(source, {.stop = Tokens{}}).reason, StopReason::ContextFull);
  const Generated stopped = model.generate(source, {.stop = Tokens{all[2]}});
  EXPECT_EQ(stopped.reason, StopReason::StopToken);
  EXPECT_EQ(stopped.tokens, Tokens(all.begin(), std::ranges::find(all, all[2])));
  const Generated left = model.generate(source, {.stop = Tokens{}}, [](int32_t) { return false; });
  EXPECT_EQ(left.reason, StopReason::Callback);
  EXPECT_EQ(left.tokens.size(), 1U);
  EXPECT_EQ(model.stop_tokens(), Tokens{1});
}

TEST_F(Rewriting, TakesOnlyWhatTheGrammarAllows) {
  const TempDir folder("t5");
  fs::copy(reference("t5"), folder.path(), fs::copy_options::recursive);
  write_file(folder.path() / "tokenizer.json",
             R"({"model":{"type":"WordLevel","vocab":{"a":5,"b":6,"c":7},"unk_token":"a"},)"
             R"("pre_tokenizer":{"type":"Whitespace"}})");
  EncoderDecoder model = EncoderDecoder::load(folder.path());
  const GenerateOptions o{.grammar = Grammar::parse(R"(root ::= "c" (" a" | " b"){3})"),
                          .top_logprobs = 2};
  const Generated made = model.generate(source, o);
  EXPECT_EQ(made.reason, StopReason::GrammarEnd);
  ASSERT_EQ(made.tokens.size(), 4U);
  EXPECT_EQ(made.tokens[0], 7);
  for (size_t i = 1; i < 4; ++i) EXPECT_TRUE(made.tokens[i] == 5 || made.tokens[i] == 6);
  ASSERT_EQ(made.logprobs.size(), 4U);
  EXPECT_EQ(made.logprobs[0].likeliest.size(), 2U);
}

TEST_F(Rewriting, KnowsWhatTheModelIs) {
  const EncoderDecoder model = EncoderDecoder::load(reference("t5"), {.longest = 100});
  EXPECT_EQ(model.info().family, "t5");
  EXPECT_EQ(model.info().encoder_layers, 2);
  EXPECT_EQ(model.info().decoder_layers, 3);
  EXPECT_EQ(model.info().vocabulary, 96);
  EXPECT_EQ(model.info().longest, 100);
  EXPECT_EQ(model.info().start, 0);
  EXPECT_EQ(model.tokenizer(), nullptr);
  EXPECT_TRUE(is_encoder_decoder(reference("t5")));
  EXPECT_FALSE(is_encoder_decoder(reference("")));
}

TEST_F(Rewriting, RefusesArgumentsThatItCannotUse) {
  EncoderDecoder model = EncoderDecoder::load(reference("t5"), {.longest = 4, .context = 8});
  EXPECT_EQ(test::error_text([&] { model.generate(source); }),
            "generate: the text to read has 1 to 4 tokens, got 5.");
  EXPECT_EQ(test::error_text([&] { model.logits({{96}}, {{0}}); }),
            "logits: there is no token 96: the vocabulary has 96.");
  EXPECT_EQ(test::error_text([&] { model.logits({{3}}, {}); }),
            "logits: the text that is written has 1 to 8 tokens, got 0.");
  EXPECT_EQ(test::error_text([&] { model.generate({{3}}, {.grammar = Grammar::json_object()}); }),
            "generate: a grammar needs a tokenizer, and the model has none. Hint: put its "
            "tokenizer.json beside it.");
  EXPECT_EQ(test::error_text([&] { model.rewrite("x"); }),
            "rewrite: the model has no tokenizer. Hint: put its tokenizer.json beside it.");
  EXPECT_EQ(test::error_text([&] { EncoderDecoder::load(reference("t5"), {.longest = 0}); }),
            "EncoderDecoder::load: longest must be 1 to 65536, got 0.");
  EXPECT_THAT(test::error_text([&] { EncoderDecoder::load(reference("t5"), {.memory = 1000}); }),
              HasSubstr("Hint: choose a smaller model, or shorter texts."));
}

TEST(WrongEncoderDecoders, AreRefusedWithFileAndPlace) {
  const TempDir folder("t5");
  fs::copy(reference("t5"), folder.path(), fs::copy_options::recursive);
  const std::string config = read_file(folder.path() / "config.json");
  const auto said_with = [&](const std::string& key, const json& value) {
    json c = json::parse(config);
    c[key] = value;
    write_file(folder.path() / "config.json", c.dump());
    return test::error_text([&] { EncoderDecoder::load(folder.path()); });
  };
  EXPECT_EQ(said_with("use_cache", true), "");
  EXPECT_THAT(said_with("d_kv", 0), HasSubstr("config.json.d_kv: is 0, and may be 1 to "));
  EXPECT_THAT(said_with("model_type", "bart"),
              EndsWith("config.json.model_type: is \"bart\", and must be \"t5\"."));
  EXPECT_THAT(said_with("feed_forward_proj", "gated-swish"),
              EndsWith("config.json.feed_forward_proj: is not supported: \"gated-swish\"."));
  EXPECT_THAT(said_with("relative_attention_num_buckets", 30),
              HasSubstr("config.json.relative_attention_num_buckets: is 30, and must be"));
  EXPECT_THAT(said_with("relative_attention_max_distance", 16),
              HasSubstr("config.json.relative_attention_num_buckets: is 32, and must be"));
  EXPECT_THAT(said_with("scale", 2), HasSubstr("config.json.scale: is a setting that is not"));
  EXPECT_THAT(said_with("num_layers", 3), HasSubstr("encoder.block.2."));
  EXPECT_THAT(said_with("num_decoder_layers", 2), HasSubstr("decoder.block.2."));
  EXPECT_THAT(said_with("feed_forward_proj", "gated-gelu"), HasSubstr("DenseReluDense.wi_"));
  EXPECT_THAT(said_with("tie_word_embeddings", false), HasSubstr("lm_head.weight"));
}

}  // namespace
}  // namespace tg::models
