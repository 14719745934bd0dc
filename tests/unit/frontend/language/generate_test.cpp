// How a language model goes on with a text: choices by temperature and its companions, what ends a
// text, what is reused of the last one. What the numbers are: reference_test.cpp, gguf_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "frontend/language/sampling.h"
#include "frontend/language/text_stream.h"
#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/interrupt.h"
#include "tg/models/language_model.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = test::source_dir() / "tests/reference/language_models";
const std::vector<int32_t> kPrompt = {5, 17, 3, 40, 8, 8, 21};

LanguageModel small_model() { return LanguageModel::load(kModels / "llama", {.context = 64}); }

// Whose tokens 5, 6 and 7 are the words a, b and c.
LanguageModel model_of_words() {
  const TempDir folder("language_model");
  for (const auto& e : fs::directory_iterator(kModels / "llama"))
    fs::copy_file(e.path(), folder.path() / e.path().filename());
  write_file(folder.path() / "tokenizer.json",
             R"({"model":{"type":"WordLevel","vocab":{"a":5,"b":6,"c":7},"unk_token":"a"},)"
             R"("pre_tokenizer":{"type":"Whitespace"}})");
  return LanguageModel::load(folder.path());
}

GenerateOptions greedy(int64_t tokens) {
  return {.max_tokens = tokens, .stop = std::vector<int32_t>{}};
}

template <typename F>
std::string refused(F f) {
  try {
    f();
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return {};
}

TEST(Generation, IsTheSameFromTheSameSeedAlone) {
  LanguageModel model = small_model();
  GenerateOptions o = greedy(20);
  o.temperature = 1.5;
  const auto first = model.generate(kPrompt, o).tokens;
  EXPECT_EQ(model.generate(kPrompt, o).tokens, first);
  o.seed = 1;
  EXPECT_NE(model.generate(kPrompt, o).tokens, first);
}

TEST(Generation, ReusesWhatTextsHaveInCommon) {
  LanguageModel model = small_model();
  const Generated first = model.generate(kPrompt, greedy(9));
  EXPECT_EQ(first.reused, 0);
  std::vector<int32_t> longer = kPrompt;
  longer.insert(longer.end(), first.tokens.begin(), first.tokens.end());
  const Generated second = model.generate(longer, greedy(9));
  EXPECT_EQ(second.reused, static_cast<int64_t>(longer.size()) - 1);
  EXPECT_EQ(second.tokens, small_model().generate(longer, greedy(9)).tokens);
  std::vector<int32_t> other = kPrompt;
  other.back() = 1;
  const Generated third = model.generate(other, greedy(9));
  EXPECT_EQ(third.reused, static_cast<int64_t>(other.size()) - 1);
  EXPECT_EQ(third.tokens, small_model().generate(other, greedy(9)).tokens);
}

TEST(Generation, EndsForEachReason) {
  LanguageModel model = small_model();
  const auto all = model.generate(kPrompt, greedy(10)).tokens;
  ASSERT_EQ(all.size(), 10U);
  GenerateOptions o = greedy(10);
  o.stop = {all[4]};
  const Generated stopped = model.generate(kPrompt, o);
  const auto place = std::ranges::find(all, all[4]) - all.begin();
  EXPECT_EQ(stopped.reason, StopReason::StopToken);
  EXPECT_EQ(stopped.tokens, std::vector<int32_t>(all.begin(), all.begin() + place));
  int64_t heard = 0;
  const Generated left = model.generate(kPrompt, greedy(10), [&](int32_t) { return ++heard < 3; });
  EXPECT_EQ(left.reason, StopReason::Callback);
  EXPECT_EQ(left.tokens, std::vector<int32_t>(all.begin(), all.begin() + 3));
  const Generated full = model.generate(kPrompt, greedy(1000));
  EXPECT_EQ(full.reason, StopReason::ContextFull);
  EXPECT_EQ(full.tokens.size(), 64 - kPrompt.size() + 1);
  EXPECT_TRUE(model.generate(kPrompt, greedy(0)).tokens.empty());
}

TEST(Generation, GoesOnAfterItWasCancelled) {
  LanguageModel model = small_model();
  const auto all = model.generate(kPrompt, greedy(10)).tokens;
  bool stops = false;
  const InterruptHook before = set_interrupt_hook([&] { return stops; });
  const auto stop_soon = [&](int32_t) { return stops = true; };
  EXPECT_THROW(
      {
        // The hook is asked every 20 ms at most.
        for (int i = 0; i < 10'000; ++i) model.generate(kPrompt, greedy(50), stop_soon);
      },
      CancelledError);
  stops = false;
  EXPECT_EQ(model.generate(kPrompt, greedy(10)).tokens, all);
  set_interrupt_hook(before);
}

TEST(Generation, TakesOnlyWhatTheGrammarAllows) {
  LanguageModel model = model_of_words();
  GenerateOptions o = greedy(9);
  o.grammar = Grammar::parse(R"(root ::= "a" (" b" | " c"){3})");
  const Generated made = model.generate(kPrompt, o);
  EXPECT_EQ(made.reason, StopReason::GrammarEnd);
  ASSERT_EQ(made.tokens.size(), 4U);
  EXPECT_TRUE(o.grammar.accepts(model.tokenizer()->decode(made.tokens)));
  EXPECT_TRUE(made.logprobs.empty());
  // A stop token may come where the text may end, and nowhere else.
  o.grammar = Grammar::parse(R"(root ::= "a" (" b" | " c"){2,})");
  o.stop = std::vector<int32_t>{7, 6};
  EXPECT_THROW(model.generate(kPrompt, o), ArgumentError);
  o.stop = std::vector<int32_t>{7};
  const Generated stopped = model.generate(kPrompt, o);
  EXPECT_GE(stopped.tokens.size(), 3U);
  EXPECT_EQ(std::ranges::count(stopped.tokens, 7), 0);
}

TEST(Generation, SaysHowLikelyItsTokensWere) {
  LanguageModel model = small_model();
  GenerateOptions o = greedy(5);
  o.top_logprobs = 3;
  const Generated made = model.generate(kPrompt, o);
  ASSERT_EQ(made.logprobs.size(), made.tokens.size());
  std::vector<int32_t> text = kPrompt;
  for (size_t i = 0; i < made.tokens.size(); ++i) {
    const std::vector<float> all = model.logits(text).to_vector<float>();
    const std::vector<float> last(all.end() - 48, all.end());
    double sum = 0;
    for (const float x : last) sum += std::exp(x);
    const auto token = static_cast<size_t>(made.tokens[i]);
    const TokenLogprobs& l = made.logprobs[i];
    EXPECT_EQ(l.token, made.tokens[i]);
    EXPECT_NEAR(l.logprob, last[token] - std::log(sum), 1e-4);
    ASSERT_EQ(l.likeliest.size(), 3U);
    EXPECT_EQ(l.likeliest[0].token, made.tokens[i]);  // greedy
    EXPECT_GE(l.likeliest[1].logprob, l.likeliest[2].logprob);
    text.push_back(made.tokens[i]);
  }
}

TEST(Generation, RefusesWhatIsOutOfRange) {
  LanguageModel model = small_model();
  const auto said = [&](const std::vector<int32_t>& prompt, const GenerateOptions& o) {
    return refused([&] { model.generate(prompt, o); });
  };
  EXPECT_EQ(said({}, {}), "generate: takes 1 to 64 tokens, the context, got 0.");
  EXPECT_EQ(said(std::vector<int32_t>(65, 1), {}),
            "generate: takes 1 to 64 tokens, the context, got 65.");
  EXPECT_EQ(said({48}, {}), "generate: there is no token 48: the vocabulary has 48.");
  EXPECT_EQ(said({-1}, {}), "generate: there is no token -1: the vocabulary has 48.");
  EXPECT_EQ(said({1}, {.temperature = -1}), "generate: temperature must be 0 or more, got -1.");
  EXPECT_EQ(said({1}, {.top_p = 0}), "generate: top_p must be above 0, at most 1, got 0.");
  EXPECT_EQ(said({1}, {.min_p = 2}), "generate: min_p must be 0 to 1, got 2.");
  EXPECT_EQ(said({1}, {.top_k = -1}), "generate: top_k must be 0 or more, got -1.");
  EXPECT_EQ(said({1}, {.max_tokens = -1}), "generate: max_tokens must be 0 or more, got -1.");
  EXPECT_EQ(said({1}, {.top_logprobs = 1001}),
            "generate: top_logprobs must be 0 to 1000, got 1001.");
  EXPECT_EQ(said({1}, {.grammar = Grammar::json_object()}),
            "generate: a grammar needs a tokenizer, and the model has none. Hint: put its "
            "tokenizer.json beside it.");
  EXPECT_EQ(refused([&] { model.complete("a"); }),
            "complete: the model has no tokenizer. Hint: put its tokenizer.json beside it.");
}

TEST(Generation, CompletesTexts) {
  LanguageModel model = model_of_words();
  std::string heard;
  const std::string text = model.complete("a b c", greedy(30), [&](std::string_view piece) {
    heard += piece;
    return true;
  });
  EXPECT_EQ(heard, text);
  const std::vector<int32_t> ids = {5, 6, 7};
  EXPECT_EQ(text, model.tokenizer()->decode(model.generate(ids, greedy(30)).tokens));
  EXPECT_EQ(model.stop_tokens(), std::vector<int32_t>{2});
}

// ---- choices

std::set<int32_t> drawn(const GenerateOptions& o, const std::vector<float>& logits) {
  Sampler sampler(o);
  std::set<int32_t> out;
  for (int i = 0; i < 2000; ++i) out.insert(sampler.next(logits));
  return out;
}

using Tokens = std::set<int32_t>;
// Probabilities 0.5, 0.25, 0.125, 0.125.
const std::vector<float> kLogits = {-1.3862944F, -0.6931472F, -2.0794415F, -2.0794415F};

TEST(Choices, AreOfWhatTheOptionsLeave) {
  EXPECT_EQ(drawn({.temperature = 0}, kLogits), Tokens{1});
  EXPECT_EQ(drawn({.temperature = 1}, kLogits), (Tokens{0, 1, 2, 3}));
  EXPECT_EQ(drawn({.temperature = 1, .top_k = 3}, kLogits), (Tokens{0, 1, 2}));
  EXPECT_EQ(drawn({.temperature = 1, .top_p = 0.6}, kLogits), (Tokens{0, 1}));
  EXPECT_EQ(drawn({.temperature = 1, .top_p = 0.01}, kLogits), Tokens{1});
  EXPECT_EQ(drawn({.temperature = 1, .min_p = 0.4}, kLogits), (Tokens{0, 1}));
  EXPECT_EQ(drawn({.temperature = 0.01}, kLogits), Tokens{1});
}

TEST(Choices, AreAsFrequentAsTheirProbabilities) {
  Sampler sampler({.temperature = 1});
  int count = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) count += sampler.next(kLogits) == 1 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(count) / kDraws, 0.5, 0.02);
}

TEST(Choices, AreNeverOfWhatIsNoNumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(drawn({.temperature = 1}, {kNan, -kInfinity, 1, kNan}), Tokens{2});
  EXPECT_EQ(drawn({.temperature = 1}, {0, kInfinity, 1}), Tokens{1});
  EXPECT_THROW(drawn({.temperature = 0}, {kNan, kNan}), ArgumentError);
}

TEST(TextStreams, GiveWholeCharacters) {
  const Tokenizer t = Tokenizer::load(test::source_dir() / "tests/reference/tokenizers/gpt2.json");
  TextStream stream(t);
  std::string text;
  const auto ids = t.encode("né 🙂!");
  for (const int32_t id : ids) {
    const std::string piece = stream.add(id);
    EXPECT_EQ(piece.find("\uFFFD"), std::string::npos);
    text += piece;
  }
  EXPECT_EQ(text, "né 🙂!");
  EXPECT_EQ(stream.finish(), "");
  TextStream cut(t);
  for (size_t i = 0; i + 2 < ids.size(); ++i) cut.add(ids[i]);
  EXPECT_EQ(cut.finish(), "\uFFFD");
}

// Of every kind of tokenizer that is published, on texts of its library.
TEST(TextStreams, GiveTogetherWhatTheWholeGives) {
  int64_t kinds = 0;
  const fs::path folder = test::source_dir() / "tests/reference/tokenizers";
  for (const auto& e : fs::directory_iterator(folder)) {
    const std::string name = e.path().filename().string();
    if (!name.ends_with(".cases.json")) continue;
    ++kinds;
    const Tokenizer t = Tokenizer::load(folder / (name.substr(0, name.find('.')) + ".json"));
    for (const auto& c : nlohmann::json::parse(read_file(e.path()))) {
      if (!c.contains("ids")) continue;
      const auto ids = c["ids"].get<std::vector<int32_t>>();
      TextStream stream(t);
      std::string text;
      for (const int32_t id : ids) text += stream.add(id);
      text += stream.finish();
      EXPECT_EQ(text, t.decode(ids)) << name << " of " << c["of"].dump();
      EXPECT_EQ(stream.all(), text);
    }
  }
  EXPECT_EQ(kinds, 24);
}

TEST(TextStreams, GiveBytesOfNoLetterInTheEnd) {
  const Tokenizer t = Tokenizer::load(test::source_dir() / "tests/reference/tokenizers/gpt2.json");
  auto ids = t.encode("🙂");
  ASSERT_EQ(ids.size(), 4U);
  TextStream stream(t);
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += stream.add(ids[1]);
  EXPECT_GT(text.size(), 3U * 9'000U);
  text += stream.finish();
  EXPECT_EQ(text, t.decode(std::vector<int32_t>(10'000, ids[1])));
}

}  // namespace
}  // namespace tg::models
