// Language models and text encoders through the C interface (tg/c/tg_models.h): what the same
// models give in C++, pieces of a text, options, mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/c/tg_models.h"
#include "tg/interop.h"
#include "tg/models/language_model.h"
#include "tg/models/text_encoder.h"
#include "unit/frontend/embedding/word_encoder.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder of a small model whose tokens 5, 6 and 7 are the words a, b and c.
struct WordModel {
  TempDir folder{"language_model"};
  WordModel() {
    const fs::path from = test::source_dir() / "tests/reference/language_models/llama";
    for (const auto& e : fs::directory_iterator(from))
      fs::copy_file(e.path(), folder.path() / e.path().filename());
    write_file(folder.path() / "tokenizer.json",
               R"({"model":{"type":"WordLevel","vocab":{"a":5,"b":6,"c":7},"unk_token":"a"},)"
               R"("pre_tokenizer":{"type":"Whitespace"}})");
  }
};

std::string taken(tg_value& value) {
  const std::string text = value.as.text;
  tg_value_clear(&value);
  return text;
}

bool append(void* user, const char* text) {
  *static_cast<std::string*>(user) += text;
  return true;
}

TEST(TextInC, ALanguageModelCompletesAText) {
  const int64_t before = tg_live_handles();
  const WordModel files;
  tg_language_model model = nullptr;
  ASSERT_EQ(tg_language_model_load(files.folder.path().c_str(), nullptr, 64, &model), TG_OK)
      << tg_error_message();
  tg_generate_options options = {};
  options.struct_size = sizeof options;
  options.max_tokens = 6;
  options.temperature = 1.5;
  options.seed = 3;
  tg_value answer{};
  std::string pieces;
  ASSERT_EQ(tg_language_model_complete(model, "a b", &options, append, &pieces, &answer), TG_OK)
      << tg_error_message();
  LanguageModel same = LanguageModel::load(files.folder.path(), {.context = 64});
  const std::string expected =
      same.complete("a b", {.max_tokens = 6, .temperature = 1.5, .seed = 3});
  EXPECT_EQ(taken(answer), expected);
  EXPECT_EQ(pieces, expected);
  tg_release(model);
  EXPECT_EQ(tg_live_handles(), before);
}

TEST(TextInC, LogitsAreThoseOfTheModel) {
  const WordModel files;
  tg_language_model model = nullptr;
  ASSERT_EQ(tg_language_model_load(files.folder.path().c_str(), nullptr, 0, &model), TG_OK);
  const std::vector<int32_t> tokens = {5, 6, 7};
  tg_tensor logits = nullptr;
  ASSERT_EQ(tg_language_model_logits(model, tokens.data(), tokens.size(), &logits), TG_OK);
  LanguageModel same = LanguageModel::load(files.folder.path());
  EXPECT_EQ(interop::tensor_of(logits, "test").to_vector<float>(),
            same.logits(tokens).to_vector<float>());
  EXPECT_EQ(tg_language_model_logits(model, tokens.data(), 0, &logits), TG_ERROR_ARGUMENT);
  tg_release(logits);
  tg_release(model);
}

TEST(TextInC, OptionsAreChecked) {
  const WordModel files;
  tg_language_model model = nullptr;
  ASSERT_EQ(tg_language_model_load(files.folder.path().c_str(), nullptr, 0, &model), TG_OK);
  tg_generate_options options = {};
  tg_value answer{};
  EXPECT_EQ(tg_language_model_complete(model, "a", &options, nullptr, nullptr, &answer),
            TG_ERROR_ARGUMENT);
  EXPECT_THAT(tg_error_message(), HasSubstr("struct_size is 0"));
  options.struct_size = sizeof options;
  options.temperature = -1;
  EXPECT_EQ(tg_language_model_complete(model, "a", &options, nullptr, nullptr, &answer),
            TG_ERROR_ARGUMENT);
  // A program that was compiled with fewer fields.
  options.struct_size = offsetof(tg_generate_options, temperature);
  options.max_tokens = 1;
  EXPECT_EQ(tg_language_model_complete(model, "a", &options, nullptr, nullptr, &answer), TG_OK);
  tg_value_clear(&answer);
  tg_release(model);
}

TEST(TextInC, AnEncoderMakesVectors) {
  const WordEncoder files;
  tg_text_encoder encoder = nullptr;
  ASSERT_EQ(tg_text_encoder_load(files.path().c_str(), nullptr, &encoder), TG_OK)
      << tg_error_message();
  const std::vector<std::string> texts = {"w5 w6", "w7"};
  const char* pointers[] = {texts[0].c_str(), texts[1].c_str(), nullptr};
  tg_tensor vectors = nullptr;
  ASSERT_EQ(tg_text_encoder_embed(encoder, pointers, 2, &vectors), TG_OK) << tg_error_message();
  EXPECT_EQ(interop::tensor_of(vectors, "test").to_vector<float>(),
            TextEncoder::load(files.path()).embed(texts).to_vector<float>());
  tg_release(vectors);
  EXPECT_EQ(tg_text_encoder_embed(encoder, pointers, 3, &vectors), TG_ERROR_ARGUMENT);
  EXPECT_THAT(tg_error_message(), HasSubstr("text 2 must not be null"));
  tg_language_model no_model = nullptr;
  EXPECT_EQ(tg_language_model_load("/nowhere", nullptr, 0, &no_model), TG_ERROR_FILE);
  tg_value answer{};
  EXPECT_EQ(tg_language_model_complete(reinterpret_cast<tg_language_model>(encoder), "a", nullptr,
                                       nullptr, nullptr, &answer),
            TG_ERROR_HANDLE);
  EXPECT_THAT(tg_error_message(), HasSubstr("must be a language model, not a text encoder"));
  tg_release(encoder);
}

}  // namespace
}  // namespace tg::models
