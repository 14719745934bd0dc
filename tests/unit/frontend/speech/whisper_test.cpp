// A tiny Whisper gives the states, logits, tokens, languages and segments that `transformers` and
// the published rules give (tiny_whisper.h); folders that are wrong are refused with file and
// place.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/error_text.h"
#include "support/file.h"
#include "tg/error.h"
#include "tg/models/audio.h"
#include "tg/models/whisper.h"
#include "tg/nn.h"
#include "unit/frontend/speech/tiny_whisper.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;

double largest_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  double worst = 0;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const double d = std::abs(double{x[i]} - double{y[i]});
    worst = d <= worst ? worst : d;  // NaN is the worst
  }
  return worst;
}

class Speech : public testing::Test {
 protected:
  Speech() : expected(TinyWhisper::expected()), features(expected.at("features")) {}
  static Whisper load() { return Whisper::load(TinyWhisper::reference()); }
  // One try at temperature 0, each window for itself.
  static TranscribeOptions plain() {
    TranscribeOptions o;
    o.temperatures = {0};
    o.no_speech_threshold = 1;
    o.condition_on_previous_text = false;
    return o;
  }
  Tensor long_samples() const { return expected.at("long_samples").cast(DType::Float32) / 32768; }

  nn::StateDict expected;
  Tensor features;
};

TEST_F(Speech, HasTheStatesOfTransformers) {
  Whisper model = load();
  EXPECT_LT(largest_difference(model.states(features), expected.at("states")), 1e-4);
}

TEST_F(Speech, HasTheLogitsOfTransformersInEveryCall) {
  Whisper model = load();
  const auto tokens = expected.at("tokens").to_vector<int32_t>();
  for (int call = 0; call < 3; ++call) {  // compiled, recorded, played
    EXPECT_LT(largest_difference(model.logits(features, tokens), expected.at("logits")), 1e-3);
    model.generate(features * 0.5, {.language = "en"});
  }
}

TEST_F(Speech, GreedyTokensAreThoseOfTransformers) {
  Whisper model = load();
  for (const std::string language : {"en", "de"}) {
    for (const bool translates : {false, true}) {
      for (const bool timestamps : {false, true}) {
        const std::string name = fmt::format("greedy.{}.{}.{:d}", language,
                                             translates ? "translate" : "transcribe", timestamps);
        const auto made = model.generate(
            features, {.language = language, .translates = translates, .timestamps = timestamps});
        EXPECT_EQ(made, expected.at(name).to_vector<int32_t>()) << name;
      }
    }
  }
}

TEST_F(Speech, IsOfTheLikeliestLanguage) {
  Whisper model = load();
  const std::string token =
      model.tokenizer().token_of(expected.at("language").item<int32_t>()).value();
  EXPECT_EQ("<|" + model.language(features) + "|>", token);
  EXPECT_EQ(model.generate(features),
            model.generate(features, {.language = model.language(features)}));
}

// At temperature 0, where nothing is drawn, whole transcripts are those of openai/whisper
// (transcripts.json, made by make_transcripts.py).
TEST_F(Speech, OfAnyLengthHasTheSegmentsOfOpenaiWhisper) {
  const TinyWhisper folder;  // these are forbidden there, whatever the folder says
  const json settings = json::parse(read_file(folder.file("generation_config.json")));
  json never = settings.at("suppress_tokens");
  for (const auto& [name, token] : settings.at("task_to_id").items()) never.push_back(token);
  folder.set("generation_config.json", "suppress_tokens", never);
  Whisper model = Whisper::load(folder.path());
  const json all = json::parse(read_file(TinyWhisper::reference() / "transcripts.json"));
  ASSERT_EQ(all.size(), 4U);
  for (const auto& [name, expected_segments] : all.items()) {
    TranscribeOptions o = plain();
    o.language = "fr";
    o.condition_on_previous_text = name.starts_with("after");
    if (name == "after a prompt") o.prompt = "Ada, Grace and Edsger";
    if (name == "without silence") o.no_speech_threshold = 0.0004, o.logprob_threshold = 0;
    const Transcript t = model.transcribe(long_samples(), o);
    ASSERT_EQ(t.segments.size(), expected_segments.size()) << name;
    for (size_t i = 0; i < t.segments.size(); ++i) {
      const SpeechSegment& s = t.segments[i];
      const json& e = expected_segments[i];
      EXPECT_NEAR(s.begin, e.at("start"), 1e-9) << name << i;
      EXPECT_NEAR(s.end, e.at("end"), 1e-9) << name << i;
      EXPECT_EQ(s.tokens, e.at("tokens").get<std::vector<int32_t>>()) << name << i;
      EXPECT_NEAR(s.confidence.avg_logprob, e.at("avg_logprob"), 1e-3) << name << i;
      EXPECT_NEAR(s.confidence.compression_ratio, e.at("compression_ratio"), 1e-5) << name << i;
      EXPECT_NEAR(s.confidence.no_speech_prob, e.at("no_speech_prob"), 1e-5) << name << i;
      EXPECT_EQ(s.confidence.temperature, 0) << name << i;
    }
  }
}

TEST_F(Speech, OfAnyLengthIsReportedWindowByWindow) {
  Whisper model = load();
  std::vector<SpeechSegment> heard;
  double done = 0;
  TranscribeOptions o = plain();
  o.language = "fr";
  const Transcript t = model.transcribe(long_samples(), o, [&](const auto& made, double seconds) {
    heard.insert(heard.end(), made.begin(), made.end());
    EXPECT_GT(seconds, done);
    done = seconds;
  });
  std::string text;
  for (const SpeechSegment& s : heard) text += s.text;
  EXPECT_EQ(t.text, text);
  EXPECT_EQ(t.language, "fr");
  EXPECT_EQ(heard.size(), t.segments.size());
  EXPECT_DOUBLE_EQ(done, 3.7);
}

TEST_F(Speech, WithoutTimesHasASegmentForEachWindow) {
  Whisper model = load();
  TranscribeOptions o = plain();
  o.timestamps = false;
  const Transcript t = model.transcribe(long_samples(), o);
  ASSERT_EQ(t.segments.size(), 4U);
  EXPECT_DOUBLE_EQ(t.segments[2].begin, 2);
  EXPECT_DOUBLE_EQ(t.segments[3].end, 3.7);
  EXPECT_EQ(t.language, model.language(audio::log_mel(long_samples())[{Slice(), Slice(0, 100)}]));
  EXPECT_TRUE(model.transcribe(Tensor::zeros({100})).segments.empty());
}

// The tiny model is never sure: under these rules no window of its is good enough.
TEST_F(Speech, IsTriedAtEachTemperatureWhileItIsDoubtful) {
  Whisper model = load();
  TranscribeOptions o = plain();
  o.temperatures = {0, 0.3, 0.9};
  o.logprob_threshold = 0;
  const Transcript t = model.transcribe(long_samples(), o);
  ASSERT_FALSE(t.segments.empty());
  for (const SpeechSegment& s : t.segments) EXPECT_EQ(s.confidence.temperature, 0.9);
  const auto tokens = [](const Transcript& made) {
    std::vector<int32_t> out;
    for (const SpeechSegment& s : made.segments)
      out.insert(out.end(), s.tokens.begin(), s.tokens.end());
    return out;
  };
  EXPECT_EQ(tokens(model.transcribe(long_samples(), o)), tokens(t));
  o.seed = 100;
  EXPECT_NE(tokens(model.transcribe(long_samples(), o)), tokens(t));
  o.logprob_threshold = -100, o.compression_ratio_threshold = 100;  // now every one is
  for (const SpeechSegment& s : model.transcribe(long_samples(), o).segments)
    EXPECT_EQ(s.confidence.temperature, 0);
}

TEST_F(Speech, OfASilentWindowIsNothingHoweverItIsWritten) {
  Whisper model = load();
  TranscribeOptions o;
  o.no_speech_threshold = 0;
  o.logprob_threshold = 0;
  double done = 0;
  const Transcript t = model.transcribe(long_samples(), o, [&](const auto& made, double seconds) {
    EXPECT_TRUE(made.empty());
    done = seconds;
  });
  EXPECT_TRUE(t.segments.empty());
  EXPECT_EQ(t.text, "");
  EXPECT_DOUBLE_EQ(done, 3.7);
}

TEST_F(Speech, KnowsWhatTheModelIs) {
  const Whisper model = load();
  const WhisperInfo& i = model.info();
  EXPECT_EQ(i.languages, (std::vector<std::string>{"de", "en", "fr"}));
  EXPECT_EQ(i.frames, 100);
  EXPECT_EQ(i.bins, 80);
  EXPECT_EQ(i.context, 64);
  EXPECT_EQ(i.vocabulary, 318);
  EXPECT_TRUE(is_whisper(TinyWhisper::reference()));
  EXPECT_FALSE(is_whisper(TinyWhisper::reference().parent_path()));
}

// ---- mistakes

TEST_F(Speech, RefusesArgumentsThatItCannotUse) {
  Whisper model = load();
  EXPECT_EQ(test::error_text([&] { model.transcribe(long_samples(), {.language = "eo"}); }),
            "transcribe: the model does not know the language \"eo\". Hint: it knows de, en, fr.");
  EXPECT_EQ(test::error_text([&] { model.transcribe(long_samples(), {.temperatures = {}}); }),
            "transcribe: there are no temperatures to try. Hint: {0} takes the likeliest tokens.");
  EXPECT_EQ(test::error_text([&] {
              model.transcribe(long_samples(), {.temperatures = {0, -1}});
            }),
            "transcribe: temperatures are 0 or more, got -1.");
  EXPECT_EQ(test::error_text(
                [&] { model.transcribe(long_samples(), {.no_speech_threshold = std::nan("")}); }),
            "transcribe: a threshold is no number.");
  EXPECT_EQ(test::error_text([&] {
              model.states(Tensor::zeros({80, 99}));
            }),
            "states: features are [80, 100], got [80, 99].");
  EXPECT_EQ(test::error_text([&] { model.generate(features.cast(DType::Float64)); }),
            "generate: features are float32, got float64.");
  EXPECT_EQ(test::error_text([&] { model.logits(features, {}); }),
            "logits: takes 1 to 64 tokens, the context, got 0.");
  EXPECT_EQ(test::error_text([&] { model.logits(features, std::vector<int32_t>{318}); }),
            "logits: there is no token 318: the vocabulary has 318.");
  EXPECT_EQ(test::error_text([&] {
              model.transcribe(Tensor::zeros({2, 900}));
            }),
            "transcribe: samples have one axis, got [2, 900]. Hint: mean(0) makes one channel of "
            "several.");
}

TEST(EnglishSpeech, HasNoLanguagesAndTranslatesNothing) {
  const TinyWhisper folder;
  folder.set("generation_config.json", "is_multilingual", false);
  folder.set("generation_config.json", "lang_to_id", nullptr);
  folder.set("generation_config.json", "task_to_id", nullptr);
  Whisper model = Whisper::load(folder.path());
  const Tensor features = TinyWhisper::expected().at("features");
  EXPECT_EQ(model.language(features), "");
  EXPECT_EQ(model.generate(features), model.generate(features, {.language = "en"}));
  EXPECT_EQ(test::error_text([&] { model.generate(features, {.language = "de"}); }),
            "generate: the model does not know the language \"de\". Hint: it knows en.");
  EXPECT_EQ(test::error_text([&] { model.generate(features, {.translates = true}); }),
            "generate: the model knows English only, and translates nothing.");
}

class WrongWhispers : public testing::Test {
 protected:
  std::string said_of_load(const WhisperOptions& o = {}) const {
    return test::error_text([&] { Whisper::load(folder.path(), o); });
  }
  std::string said_with(const std::string& name, const std::string& key, const json& value) const {
    const std::string before = read_file(folder.file(name));
    folder.set(name, key, value);
    std::string out = said_of_load();
    write_file(folder.file(name), before);
    return out;
  }
  std::string said_of_config(const std::string& key, const json& value) const {
    return said_with("config.json", key, value);
  }
  std::string said_of_generation(const std::string& key, const json& value) const {
    return said_with("generation_config.json", key, value);
  }

  const TinyWhisper folder;
};

TEST_F(WrongWhispers, LackFiles) {
  EXPECT_EQ(said_of_load(), "");
  for (const char* name :
       {"tokenizer.json", "model.safetensors", "generation_config.json", "config.json"}) {
    fs::remove(folder.file(name));
    EXPECT_THAT(said_of_load(), HasSubstr(name)) << name;
  }
}

TEST_F(WrongWhispers, HaveSettingsOutOfRange) {
  EXPECT_THAT(said_of_config("d_model", -1), HasSubstr("config.json.d_model: is -1"));
  EXPECT_THAT(said_of_config("d_model", int64_t{1} << 40),
              HasSubstr("config.json.d_model: is 1099511627776"));
  EXPECT_THAT(said_of_config("encoder_layers", "two"), HasSubstr("config.json.encoder_layers: "));
  EXPECT_THAT(said_of_config("decoder_attention_heads", 5),
              EndsWith("config.json.decoder_attention_heads: is 5, which does not divide 32."));
  EXPECT_THAT(said_of_config("model_type", "bert"),
              EndsWith("config.json.model_type: is \"bert\", and must be \"whisper\"."));
  EXPECT_THAT(said_of_config("max_source_positions", 1 << 20),
              HasSubstr("config.json.max_source_positions: is 1048576"));
  EXPECT_THAT(said_of_config("rotary_base", 3),
              EndsWith("config.json.rotary_base: is a setting that is not supported here."));
  EXPECT_THAT(said_of_config("decoder_start_token_id", 318),
              HasSubstr("config.json.decoder_start_token_id: is 318"));
}

TEST_F(WrongWhispers, HaveTokensThatAreNone) {
  EXPECT_THAT(said_of_generation("suppress_tokens", {1, 318}),
              EndsWith("generation_config.json.suppress_tokens[1]: is 318, of 318 tokens."));
  EXPECT_THAT(said_of_generation("no_timestamps_token_id", nullptr),
              EndsWith("generation_config.json.no_timestamps_token_id: is missing."));
  EXPECT_THAT(
      said_of_generation("no_timestamps_token_id", 3),
      EndsWith("generation_config.json.no_timestamps_token_id: is 3, before the end's 256."));
  EXPECT_THAT(said_of_generation("lang_to_id", json::array()),
              EndsWith("generation_config.json.lang_to_id: is no object with languages."));
  EXPECT_THAT(said_of_generation("lang_to_id", {{"en", 258}}),
              EndsWith("generation_config.json.lang_to_id: has \"en\", which is no language."));
  EXPECT_THAT(said_of_generation("lang_to_id", {{"<|en|>", 900}}),
              EndsWith("generation_config.json.lang_to_id.<|en|>: is 900, of 318 tokens."));
  EXPECT_THAT(said_of_generation("task_to_id", json::object()),
              HasSubstr("generation_config.json.task_to_id.transcribe"));
}

TEST_F(WrongWhispers, HaveWeightsMissingOrOfOtherSizes) {
  EXPECT_THAT(said_of_config("max_source_positions", 51),
              HasSubstr("model.encoder.embed_positions"));
  EXPECT_THAT(said_of_config("num_mel_bins", 128), HasSubstr("model.encoder.conv1.weight"));
  EXPECT_THAT(said_of_config("decoder_layers", 3), HasSubstr("model.decoder.layers.2."));
  EXPECT_THAT(said_of_config("encoder_layers", 1), HasSubstr("model.encoder.layers.1."));
  const std::string bytes = read_file(folder.file("model.safetensors"));
  write_file(folder.file("model.safetensors"), bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(said_of_load(), HasSubstr("model.safetensors"));
}

TEST_F(WrongWhispers, NeedMoreMemoryThanThereIs) {
  EXPECT_THAT(said_of_load({.memory = 1000}), HasSubstr("Hint: choose a smaller model."));
}

}  // namespace
}  // namespace tg::models
