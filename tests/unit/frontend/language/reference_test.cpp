// Language models of each family give what `transformers` gives, which made the folders in
// tests/reference/language_models (make_language_models.py there). What is wrong with a file is in
// hostile_test.cpp, how texts are made in generate_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "tg/models/language_model.h"
#include "tg/nn.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

fs::path reference_folder() { return fs::path(TG_SOURCE_DIR) / "tests/reference/language_models"; }

std::vector<std::string> families() {
  std::set<std::string> out;
  for (const auto& e : fs::directory_iterator(reference_folder()))
    if (fs::exists(e.path() / "config.json")) out.insert(e.path().filename().string());
  return {out.begin(), out.end()};
}

class Families : public testing::TestWithParam<std::string> {};

TEST_P(Families, GiveTheLogitsAndTheTextOfTheirLibrary) {
  const fs::path folder = reference_folder() / GetParam();
  const nn::StateDict expected = nn::load(folder / "expected.safetensors");
  const auto tokens = expected.at("tokens").to_vector<int32_t>();
  LanguageModel model = LanguageModel::load(folder, {.context = 128});
  const auto logits = model.logits(tokens).to_vector<float>();
  const auto wanted = expected.at("logits").to_vector<float>();
  ASSERT_EQ(logits.size(), wanted.size());
  double worst = 0;
  for (size_t i = 0; i < logits.size(); ++i)
    worst =
        std::max(worst, std::abs(static_cast<double>(logits[i]) - static_cast<double>(wanted[i])));
  RecordProperty("largest_difference", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-4);
  const auto answer = expected.at("answer").to_vector<int32_t>();
  const Generated made = model.generate(
      tokens, {.max_tokens = static_cast<int64_t>(answer.size()), .stop = std::vector<int32_t>{}});
  EXPECT_EQ(made.tokens, answer);
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(families()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tg::models
