// Sentence encoders with a tokenizer: tokens, prompts, what is cut off, rows of many texts, limits,
// stopping. What families compute: encoder_families_test.cpp; wrong folders:
// encoder_hostile_test.cpp.
#include "tg/models/text_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "frontend/embedding/packing.h"
#include "tg/error.h"
#include "tg/interrupt.h"
#include "unit/frontend/embedding/word_encoder.h"

namespace tg::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

template <typename F>
std::string said_by(const F& f) {
  try {
    f();
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return {};
}

TEST(TextEncoders, SayWhatTheyAre) {
  const WordEncoder folder;
  const TextEncoder encoder = TextEncoder::load(folder.path());
  const TextEncoderInfo& info = encoder.info();
  EXPECT_EQ(info.family, "bert");
  EXPECT_EQ(info.layers, 2);
  EXPECT_EQ(info.width, 32);
  EXPECT_EQ(info.size, 32);
  EXPECT_EQ(info.vocabulary, 48);
  EXPECT_EQ(info.longest, 110);
  EXPECT_TRUE(info.normalises);
  EXPECT_EQ(info.weight_bytes, std::filesystem::file_size(folder.path() / "model.safetensors"));
  EXPECT_TRUE(is_text_encoder(folder.path()));
  EXPECT_FALSE(is_text_encoder(folder.path() / "1_Pooling"));
  // Older folders have the encoder in one of its own.
  std::filesystem::create_directory(folder.path() / "0_Transformer");
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"})
    std::filesystem::rename(folder.path() / name, folder.path() / "0_Transformer" / name);
  EXPECT_FALSE(is_text_encoder(folder.path()));
  std::string modules = read_file(folder.path() / "modules.json");
  modules.replace(modules.find("\"path\": \"\""), 10, R"("path": "0_Transformer")");
  folder.write("modules.json", modules);
  EXPECT_TRUE(is_text_encoder(folder.path()));
  EXPECT_NE(TextEncoder::load(folder.path()).tokenizer(), nullptr);
}

TEST(TextEncoders, CutOffTextBetweenTheSpecialTokens) {
  const WordEncoder folder;
  const TextEncoder encoder = TextEncoder::load(folder.path(), {.longest = 5});
  EXPECT_THAT(encoder.tokens("w7 w8 w9"), ElementsAre(1, 7, 8, 9, 2));
  EXPECT_THAT(encoder.tokens("w7 w8 w9 w10"), ElementsAre(1, 7, 8, 9, 2));
  EXPECT_THAT(encoder.tokens(""), ElementsAre(1, 2));
  EXPECT_THAT(TextEncoder::load(folder.path(), {.longest = 1}).tokens("w7"), ElementsAre(1));
}

TEST(TextEncoders, PutThePromptBeforeEachText) {
  const WordEncoder folder;
  folder.write("config_sentence_transformers.json",
               R"({"prompts":{"query":"w3 w4 ","passage":"w5 "},"default_prompt_name":"passage"})");
  const TextEncoder usual = TextEncoder::load(folder.path());
  EXPECT_THAT(usual.tokens("w7"), ElementsAre(1, 5, 7, 2));
  EXPECT_EQ(usual.info().prompts.at("query"), "w3 w4 ");
  const TextEncoder query = TextEncoder::load(folder.path(), {.prompt = "w3 w4 "});
  EXPECT_THAT(query.tokens("w7"), ElementsAre(1, 3, 4, 7, 2));
  EXPECT_THAT(TextEncoder::load(folder.path(), {.prompt = ""}).tokens("w7"), ElementsAre(1, 7, 2));
}

TEST(TextEncoders, EmbedTextsInTheirOrder) {
  const WordEncoder folder;
  TextEncoder encoder = TextEncoder::load(folder.path());
  // Short and long ones, more than a row has room for, and some without a word.
  std::vector<std::string> texts;
  std::vector<std::vector<int32_t>> tokens;
  std::mt19937 random(7);
  for (int i = 0; i < 150; ++i) {
    std::string text;
    for (uint32_t n = i % 3 == 0 ? random() % 40 : random() % 3; n > 0; --n)
      text += "w" + std::to_string(random() % 48) + " ";
    texts.push_back(text);
    tokens.push_back(encoder.tokens(text));
  }
  std::vector<int64_t> progress;
  const Tensor all = encoder.embed(texts, [&](int64_t done) { progress.push_back(done); });
  EXPECT_EQ(all.shape(), (Shape{150, 32}));
  EXPECT_TRUE(std::ranges::is_sorted(progress));
  EXPECT_EQ(progress.back(), 150);
  EXPECT_GT(progress.size(), 2U);
  const auto values = all.to_vector<float>();
  for (size_t i = 0; i < texts.size(); i += 7) {
    const auto one = encoder.embed_tokens({{tokens[i]}}).to_vector<float>();
    for (size_t j = 0; j < one.size(); ++j) EXPECT_NEAR(values[i * 32 + j], one[j], 1e-5) << i;
  }
}

TEST(TextEncoders, EmbedManyTextsOfOneToken) {
  const WordEncoder folder;
  TextEncoder encoder = TextEncoder::load(folder.path());
  std::vector<std::vector<int32_t>> tokens;
  for (int32_t i = 0; i < 96; ++i) tokens.push_back({i % 48});
  const auto values = encoder.embed_tokens(tokens).to_vector<float>();
  const auto one = encoder.embed_tokens({{tokens[77]}}).to_vector<float>();
  for (size_t j = 0; j < 32; ++j) {
    EXPECT_NEAR(values[77 * 32 + j], one[j], 1e-5);
    EXPECT_NEAR(values[29 * 32 + j], one[j], 1e-5);
  }
}

TEST(TextEncoders, GiveNothingForNothing) {
  const WordEncoder folder;
  TextEncoder encoder = TextEncoder::load(folder.path());
  EXPECT_EQ(encoder.embed({}).shape(), (Shape{0, 32}));
  const std::vector<std::vector<int32_t>> texts = {{}, {5}, {}};
  const auto values = encoder.embed_tokens(texts).to_vector<float>();
  for (size_t j = 0; j < 32; ++j) {
    EXPECT_EQ(values[j], 0);
    EXPECT_EQ(values[64 + j], 0);
  }
  double length = 0;
  for (size_t j = 32; j < 64; ++j) length += double{values[j]} * double{values[j]};
  EXPECT_NEAR(length, 1, 1e-5);
}

TEST(TextEncoders, RefuseWhatTheyCannotRead) {
  const WordEncoder folder;
  TextEncoder encoder = TextEncoder::load(folder.path(), {.longest = 3});
  const auto embed = [&](const std::vector<std::vector<int32_t>>& texts) {
    return said_by([&] { encoder.embed_tokens(texts); });
  };
  EXPECT_EQ(embed({{1}, {1, 2, 3, 4}}), "embed: text 1 has 4 tokens, and may have 3.");
  EXPECT_EQ(embed({{1, 48}}), "embed: text 0 has the token 48, and the vocabulary 48.");
  EXPECT_EQ(embed({{-1}}), "embed: text 0 has the token -1, and the vocabulary 48.");
  EXPECT_EQ(said_by([&] { encoder.hidden({}); }), "hidden: takes 1 token or more, got 0.");
  std::filesystem::remove(folder.path() / "tokenizer.json");
  TextEncoder mute = TextEncoder::load(folder.path());
  EXPECT_EQ(mute.tokenizer(), nullptr);
  EXPECT_THAT(said_by([&] { mute.embed(std::vector<std::string>{"w1"}); }),
              HasSubstr("the model has no tokenizer. Hint: put its tokenizer.json beside it."));
}

TEST(TextEncoders, ReadTheWordsOfAnOlderFolder) {
  const WordEncoder folder;
  const auto with_json =
      TextEncoder::load(folder.path()).embed(std::vector<std::string>{"w5 w6"}).to_vector<float>();
  std::filesystem::remove(folder.path() / "tokenizer.json");
  std::string words;
  for (int i = 0; i < 48; ++i) words += "w" + std::to_string(i) + "\n";
  folder.write("vocab.txt", words);
  folder.write("tokenizer_config.json", R"({"unk_token":"w0","cls_token":"w1","sep_token":"w2"})");
  TextEncoder encoder = TextEncoder::load(folder.path());
  ASSERT_NE(encoder.tokenizer(), nullptr);
  EXPECT_EQ(encoder.tokenizer()->encode("W5 w6"), (std::vector<int32_t>{1, 5, 6, 2}));
  EXPECT_EQ(encoder.embed(std::vector<std::string>{"w5 w6"}).to_vector<float>(), with_json);
}

TEST(TextEncoders, StopWhenTheyAreAskedTo) {
  const WordEncoder folder;
  TextEncoder encoder = TextEncoder::load(folder.path());
  const std::vector<std::string> texts = {"w1 w2 w3", "w4"};
  encoder.warm_up();  // everything is recorded, and is stopped all the same
  const auto before = encoder.embed(texts).to_vector<float>();
  const InterruptHook old = set_interrupt_hook([] { return true; });
  EXPECT_THROW(encoder.embed(texts), CancelledError);
  set_interrupt_hook(old);
  EXPECT_EQ(encoder.embed(texts).to_vector<float>(), before);
}

TEST(PackedRows, HaveEachTextOnceAndNoneTooMany) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<int64_t> lengths(random() % 200);
    for (int64_t& n : lengths) n = 1 + static_cast<int64_t>(random() % 90);
    std::vector<size_t> seen;
    int64_t all = 0;
    const auto rows = packed(lengths, 64, 10);
    for (const PackedRow& row : rows) {
      int64_t tokens = 0;
      for (const size_t text : row.texts) tokens += lengths[text];
      EXPECT_EQ(tokens, row.tokens);
      EXPECT_TRUE(tokens <= 64 || row.texts.size() == 1);
      EXPECT_LE(row.texts.size(), 10U);
      seen.insert(seen.end(), row.texts.begin(), row.texts.end());
      all += tokens;
    }
    std::ranges::sort(seen);
    std::vector<size_t> each(lengths.size());
    std::iota(each.begin(), each.end(), size_t{0});
    EXPECT_EQ(seen, each);
    EXPECT_LE(std::ssize(rows), all / 32 + 1) << "two half empty rows would be one";
  }
  EXPECT_THAT(packed(std::vector<int64_t>{30, 10, 34, 50}, 64, 10), SizeIs(2));
}

}  // namespace
}  // namespace tg::models
