// Several texts at once: each is what it is alone, whatever comes and goes beside it; what is known
// of other texts is not computed again; queues, cancelling, ends. The numbers of one text alone:
// reference_test.cpp.
#include "tg/models/text_engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "support/effort.h"
#include "support/file.h"
#include "support/source_dir.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const fs::path kModels = test::source_dir() / "tests/reference/language_models";
constexpr milliseconds kSoon(60'000);

std::vector<int32_t> some_tokens(std::mt19937& random, size_t count) {
  std::vector<int32_t> out(count);
  for (int32_t& t : out) t = static_cast<int32_t>(3 + random() % 40);
  return out;
}

// Prompts of all lengths around the chunk's, every other one drawn by a seed of its own.
std::vector<TextRequest> ragged(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TextRequest> out;
  for (size_t i = 0; i < count; ++i) {
    TextRequest r{.prompt = some_tokens(random, 1 + i * 5 % 23)};
    r.options.max_tokens = static_cast<int64_t>(4 + i % 7);
    r.options.temperature = i % 2 == 0 ? 0 : 1.2;
    r.options.seed = i;
    r.options.stop = std::vector<int32_t>{};
    out.push_back(std::move(r));
  }
  return out;
}

std::vector<std::vector<int32_t>> each_alone(const fs::path& path,
                                             const std::vector<TextRequest>& requests) {
  std::vector<std::vector<int32_t>> out;
  LanguageModel model = LanguageModel::load(path, {.context = 64, .chunk = 8});
  for (const TextRequest& r : requests) out.push_back(model.generate(r.prompt, r.options).tokens);
  return out;
}

TextEngine engine_of(const fs::path& path, const TextEngineOptions& options) {
  return TextEngine::load(path, {.context = 64, .chunk = 8}, options);
}

template <typename E, typename F>
std::string refused(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return {};
}

// A text that goes on until it is let go, and says when it has begun.
struct LongText {
  std::shared_ptr<std::atomic<bool>> goes_on = std::make_shared<std::atomic<bool>>(true);
  std::shared_ptr<std::atomic<int>> tokens = std::make_shared<std::atomic<int>>(0);

  // Each token waits, so that 50 of them last until the test has done what it wants.
  TextRequest request() const {
    TextRequest r{.prompt = {5, 6, 7}};
    r.options = {.max_tokens = 50, .stop = std::vector<int32_t>{}};
    r.on_token = [goes_on = goes_on, tokens = tokens](int32_t) {
      for (int i = 0; *goes_on && *tokens > 2 && i < 100; ++i)
        std::this_thread::sleep_for(milliseconds(1));
      ++*tokens;
      return true;
    };
    return r;
  }
  void wait() const {
    while (*tokens == 0) std::this_thread::yield();
  }
};

class EachFamily : public testing::TestWithParam<std::string> {};

TEST_P(EachFamily, ReadsTogetherWhatItReadsAlone) {
  const fs::path path = kModels / GetParam();
  const auto requests = ragged(6, 1);
  const auto alone = each_alone(path, requests);
  TextEngine engine = engine_of(path, {.slots = 4});
  std::vector<RunningText> texts;
  for (const TextRequest& r : requests) texts.push_back(engine.submit(r));
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].result().tokens, alone[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(TextEngines, EachFamily,
                         testing::Values("gemma2", "gemma3", "gpt2", "llama", "llama_with_biases",
                                         "mistral", "mixtral", "phi3", "qwen2", "qwen2_moe",
                                         "qwen3", "qwen3_moe"),
                         [](const auto& info) { return info.param; });

TEST(TextEngines, GiveSixteenRaggedTextsWhatEachGetsAlone) {
  const auto requests = ragged(16, 2);
  const auto alone = each_alone(kModels / "llama", requests);
  TextEngine engine = engine_of(kModels / "llama", {.slots = 16, .warms_up = true});
  for (int round = 0; round < 2; ++round) {  // in the second one prompts are known
    std::vector<RunningText> texts;
    for (const TextRequest& r : requests) texts.push_back(engine.submit(r));
    for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].result().tokens, alone[i]) << i;
  }
  const TextEngineStats stats = engine.stats();
  EXPECT_EQ(stats.texts, 32);
  EXPECT_EQ(stats.slots, 16);
  EXPECT_GT(stats.reused_tokens, 0);
}

TEST(TextEngines, KeepTextsApartThatJoinAndLeaveInTheMiddle) {
  const auto requests = ragged(12, 3);
  const auto alone = each_alone(kModels / "qwen3", requests);
  TextEngine engine = engine_of(kModels / "qwen3", {.slots = 5, .waiting = 100});
  constexpr int kThreads = 4;
  std::atomic<int> wrong = 0, cancelled = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<uint32_t>(t));
      for (uint64_t trial = 0; trial < test::trials(15); ++trial) {
        const size_t i = random() % requests.size();
        TextRequest request = requests[i];
        const bool leaves = random() % 3 == 0;
        const size_t after = random() % 4;
        auto heard = std::make_shared<std::vector<int32_t>>();
        request.on_token = [=](int32_t token) {
          heard->push_back(token);
          return !leaves || heard->size() <= after;
        };
        const RunningText text = engine.submit(std::move(request));
        if (random() % 4 == 0) {
          text.cancel();
          ++cancelled;
        }
        const std::vector<int32_t> got = text.result().tokens;
        const bool is_whole = text.result().reason == StopReason::MaxTokens;
        const bool begins =
            got.size() <= alone[i].size() && std::equal(got.begin(), got.end(), alone[i].begin());
        if (!begins || (is_whole && got != alone[i]) || got != *heard) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(cancelled, 0);
}

TEST(TextEngines, CopyWhatAnotherTextKnows) {
  std::mt19937 random(4);
  std::vector<int32_t> first = some_tokens(random, 30), second = first;
  first.push_back(4);
  second.push_back(5);
  const GenerateOptions options{.max_tokens = 6, .stop = std::vector<int32_t>{}};
  const std::vector<TextRequest> requests = {{.prompt = first, .options = options},
                                             {.prompt = second, .options = options}};
  for (const char* family : {"llama", "gemma3"}) {
    const auto alone = each_alone(kModels / family, requests);
    TextEngine engine = engine_of(kModels / family, {.slots = 2});
    std::vector<RunningText> texts;
    for (const TextRequest& r : requests) texts.push_back(engine.submit(r));
    EXPECT_EQ(texts[0].result().tokens, alone[0]);
    EXPECT_EQ(texts[1].result().tokens, alone[1]);
    EXPECT_EQ(texts[0].result().reused, 0);
    EXPECT_EQ(texts[1].result().reused, 30);
    // And a text goes on in its own slot.
    std::vector<int32_t> longer = second;
    const auto more = texts[1].result().tokens;
    longer.insert(longer.end(), more.begin(), more.end());
    const GeneratedText third = engine.submit({.prompt = longer, .options = options}).result();
    EXPECT_EQ(third.reused, static_cast<int64_t>(longer.size()) - 1);
    EXPECT_EQ(third.tokens,
              each_alone(kModels / family, {{.prompt = longer, .options = options}})[0]);
  }
}

TEST(TextEngines, EndTextsForEachReason) {
  TextEngine engine = engine_of(kModels / "llama", {.slots = 2});
  TextRequest r{.prompt = {5, 17, 3}};
  r.options = {.max_tokens = 10, .stop = std::vector<int32_t>{}};
  const GeneratedText all = engine.submit(r).result();
  ASSERT_EQ(all.tokens.size(), 10U);
  EXPECT_EQ(all.reason, StopReason::MaxTokens);
  TextRequest stops = r;
  stops.options.stop = {all.tokens[4]};
  EXPECT_EQ(engine.submit(stops).result().reason, StopReason::StopToken);
  TextRequest full = r;
  full.options.max_tokens = 1000;
  EXPECT_EQ(engine.submit(full).result().reason, StopReason::ContextFull);
  EXPECT_EQ(engine.submit(full).result().tokens.size(), 64U - 3 + 1);
  TextRequest leaves = r;
  leaves.on_token = [](int32_t) { return false; };
  EXPECT_EQ(engine.submit(leaves).result().reason, StopReason::Callback);
  TextRequest none = r;
  none.options.max_tokens = 0;
  EXPECT_TRUE(engine.submit(none).result().tokens.empty());
  TextRequest throws = r;
  throws.on_token = [](int32_t) -> bool { throw std::runtime_error("of the callback"); };
  EXPECT_EQ(refused<std::runtime_error>([&] { engine.submit(throws).result(); }),
            "of the callback");
  EXPECT_EQ(engine.submit(r).result().tokens, all.tokens);
}

TEST(TextEngines, CancelTextsThatRunAndThatWait) {
  TextEngine engine = engine_of(kModels / "llama", {.slots = 1, .waiting = 1});
  const LongText runs;
  const RunningText first = engine.submit(runs.request());
  runs.wait();
  const RunningText second = engine.submit({.prompt = {1, 2, 3}});
  EXPECT_EQ(engine.stats().waiting, 1);
  EXPECT_EQ(refused<BusyError>([&] { engine.submit({.prompt = {1}}); }),
            "submit: 2 texts are running and waiting. Hint: try again later.");
  second.cancel();
  EXPECT_TRUE(second.ended(kSoon));
  EXPECT_FALSE(first.ended());
  EXPECT_EQ(second.result().reason, StopReason::Cancelled);
  first.cancel();
  EXPECT_EQ(first.result().reason, StopReason::Cancelled);
  EXPECT_LT(first.result().tokens.size(), 50U);
}

TEST(TextEngines, EndWhenTheirTextsHaveEnded) {
  auto engine = std::make_unique<TextEngine>(engine_of(kModels / "llama", {.slots = 1}));
  TextRequest quick{.prompt = {5, 6}};
  quick.options.max_tokens = 3;
  const RunningText first = engine->submit(quick), second = engine->submit(quick);
  engine->end(kSoon);
  EXPECT_TRUE(first.ended());
  EXPECT_TRUE(second.ended());
  EXPECT_NE(first.result().reason, StopReason::Cancelled);
  EXPECT_EQ(refused<BusyError>([&] { engine->submit(quick); }), "submit: the engine is ending.");
  engine = std::make_unique<TextEngine>(engine_of(kModels / "llama", {.slots = 1}));
  const LongText runs;
  const RunningText third = engine->submit(runs.request()), waits = engine->submit(quick);
  runs.wait();
  engine.reset();
  EXPECT_EQ(third.result().reason, StopReason::Cancelled);
  EXPECT_EQ(waits.result().reason, StopReason::Cancelled);
}

TEST(TextEngines, RefuseWhatIsOutOfRange) {
  TextEngine engine = engine_of(kModels / "llama", {.slots = 1});
  const auto said = [&](const TextRequest& r) {
    return refused<ArgumentError>([&] { engine.submit(r); });
  };
  EXPECT_EQ(said({}), "submit: takes 1 to 64 tokens, the context, got 0.");
  EXPECT_EQ(said({.prompt = {99}}), "submit: there is no token 99: the vocabulary has 48.");
  EXPECT_EQ(said({.prompt = {1}, .options = {.temperature = -1}}),
            "generate: temperature must be 0 or more, got -1.");
  EXPECT_EQ(said({.prompt = {1}, .stop_texts = {"a"}}),
            "submit: the model has no tokenizer. Hint: put its tokenizer.json beside it.");
  EXPECT_EQ(refused<ArgumentError>([] { engine_of(kModels / "llama", {.slots = 0}); }),
            "TextEngine::load: slots must be 1 to 256, got 0.");
  EXPECT_EQ(refused<ArgumentError>([] { engine_of(kModels / "llama", {.waiting = -1}); }),
            "TextEngine::load: waiting must be 0 or more, got -1.");
}

TEST(TextEngines, GiveTextsThatStopBeforeAWord) {
  const TempDir folder("text_engine");
  for (const auto& e : fs::directory_iterator(kModels / "llama"))
    fs::copy_file(e.path(), folder.path() / e.path().filename());
  std::string words;
  for (int i = 0; i < 48; ++i)
    words += (i > 0 ? "," : "") + ("\"w" + std::to_string(i)) + "\":" + std::to_string(i);
  write_file(folder.path() / "tokenizer.json", R"({"model":{"type":"WordLevel","vocab":{)" + words +
                                                   R"(},"unk_token":"w0"},)" +
                                                   R"("pre_tokenizer":{"type":"Whitespace"}})");
  TextEngine engine = TextEngine::load(folder.path(), {.context = 64});
  std::string heard;
  TextRequest r{.prompt = engine.tokenizer()->encode("w5 w17 w3")};
  r.options = {.max_tokens = 12, .stop = std::vector<int32_t>{}};
  r.on_text = [&](std::string_view piece) {
    heard += piece;
    return true;
  };
  const GeneratedText all = engine.submit(r).result();
  EXPECT_EQ(all.text, engine.tokenizer()->decode(all.tokens));
  EXPECT_EQ(heard, all.text);
  const std::string stop = all.text.substr(all.text.find(' ') + 1, 4);
  heard.clear();
  r.stop_texts = {"never", stop};
  const GeneratedText some = engine.submit(r).result();
  EXPECT_EQ(some.text, all.text.substr(0, all.text.find(stop)));
  EXPECT_EQ(heard, some.text);
  EXPECT_EQ(some.reason, StopReason::StopText);
  EXPECT_LT(some.tokens.size(), all.tokens.size());
}

}  // namespace
}  // namespace tg::models
