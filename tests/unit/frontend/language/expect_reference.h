// What the tests of language models share: a model against the logits and the greedy answer that
// another library made of the same weights.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tg/models/language_model.h"
#include "tg/nn.h"

namespace tg::models {

/// The model in `path` gives the logits and the answer to the tokens in the file `expected`.
inline void expect_reference(const std::filesystem::path& path,
                             const std::filesystem::path& expected) {
  const nn::StateDict reference = nn::load(expected);
  const auto tokens = reference.at("tokens").to_vector<int32_t>();
  LanguageModel model = LanguageModel::load(path, {.context = 128});
  const auto logits = model.logits(tokens).to_vector<float>();
  const auto wanted = reference.at("logits").to_vector<float>();
  ASSERT_EQ(logits.size(), wanted.size());
  double worst = 0;
  for (size_t i = 0; i < logits.size(); ++i)
    worst = std::max(worst, std::abs(double{logits[i]} - double{wanted[i]}));
  testing::Test::RecordProperty("largest_difference", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-4);
  const auto answer = reference.at("answer").to_vector<int32_t>();
  const Generated made = model.generate(
      tokens, {.max_tokens = static_cast<int64_t>(answer.size()), .stop = std::vector<int32_t>{}});
  EXPECT_EQ(made.tokens, answer);
}

}  // namespace tg::models
