// GGUF files of each architecture and of several kinds of quantised weights give what
// `transformers` makes of the weights' values: tests/reference/language_models/gguf
// (make_language_models.py).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "tg/models/language_model.h"
#include "tg/nn.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

fs::path gguf_folder() { return fs::path(TG_SOURCE_DIR) / "tests/reference/language_models/gguf"; }

std::vector<std::string> gguf_names() {
  std::set<std::string> out;
  for (const auto& e : fs::directory_iterator(gguf_folder()))
    if (e.path().extension() == ".gguf") out.insert(e.path().stem().string());
  return {out.begin(), out.end()};
}

class GgufFiles : public testing::TestWithParam<std::string> {};

TEST_P(GgufFiles, GiveWhatTheirValuesGive) {
  const nn::StateDict expected = nn::load(gguf_folder() / (GetParam() + ".safetensors"));
  const auto tokens = expected.at("tokens").to_vector<int32_t>();
  LanguageModel model =
      LanguageModel::load(gguf_folder() / (GetParam() + ".gguf"), {.context = 128});
  const auto logits = model.logits(tokens).to_vector<float>();
  const auto wanted = expected.at("logits").to_vector<float>();
  ASSERT_EQ(logits.size(), wanted.size());
  double worst = 0;
  for (size_t i = 0; i < logits.size(); ++i)
    worst = std::max(worst, std::abs(double{logits[i]} - double{wanted[i]}));
  RecordProperty("largest_difference", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-4);
  const auto answer = expected.at("answer").to_vector<int32_t>();
  const Generated made = model.generate(
      tokens, {.max_tokens = static_cast<int64_t>(answer.size()), .stop = std::vector<int32_t>{}});
  EXPECT_EQ(made.tokens, answer);
}

INSTANTIATE_TEST_SUITE_P(All, GgufFiles, testing::ValuesIn(gguf_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tg::models
