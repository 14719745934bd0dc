// Encoders of each family give what `transformers` gives, which made the folders in
// tests/reference/text_encoders (make_text_encoders.py there), and vectors of texts as the modules
// of sentence-transformers. Tokenizers, limits and rows: text_encoder_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "frontend/embedding/encoder.h"
#include "support/source_dir.h"
#include "tg/models/text_encoder.h"
#include "tg/nn.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

fs::path encoders() { return test::source_dir() / "tests/reference/text_encoders"; }

std::vector<std::string> families() {
  std::set<std::string> out;
  for (const auto& e : fs::directory_iterator(encoders())) out.insert(e.path().filename().string());
  return {out.begin(), out.end()};
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double d = std::abs(double{a[i]} - double{b[i]});
    worst = d <= worst ? worst : d;  // NaN is the worst
  }
  return worst;
}

class EncoderFamilies : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const nn::StateDict reference = nn::load(folder() / "expected.safetensors");
    const auto all = reference.at("tokens").to_vector<int32_t>();
    auto next = all.begin();
    for (const int32_t length : reference.at("lengths").to_vector<int32_t>()) {
      texts.emplace_back(next, next + length);
      next += length;
    }
    hidden = reference.at("hidden").to_vector<float>();
    embeddings = reference.at("embeddings").to_vector<float>();
  }
  fs::path folder() const { return encoders() / GetParam(); }

  std::vector<std::vector<int32_t>> texts;
  std::vector<float> hidden, embeddings;
};

TEST_P(EncoderFamilies, GiveTheLastLayerOfTheirLibrary) {
  TextEncoder encoder = TextEncoder::load(folder());
  std::vector<float> all;
  for (const auto& text : texts) {
    const auto some = encoder.hidden(text).to_vector<float>();
    all.insert(all.end(), some.begin(), some.end());
  }
  EXPECT_LT(largest_difference(all, hidden), 1e-4);
}

TEST_P(EncoderFamilies, GiveTheVectorsOfTheirLibrary) {
  TextEncoder encoder = TextEncoder::load(folder());
  EXPECT_LT(largest_difference(encoder.embed_tokens(texts).to_vector<float>(), embeddings), 1e-4);
}

TEST_P(EncoderFamilies, GiveTextsTogetherWhatEachGivesAlone) {
  TextEncoder encoder = TextEncoder::load(folder());
  const auto together = encoder.embed_tokens(texts).to_vector<float>();
  std::vector<float> alone;
  for (size_t i = texts.size(); i > 0; --i) {
    const auto one = encoder.embed_tokens({{texts[i - 1]}}).to_vector<float>();
    alone.insert(alone.begin(), one.begin(), one.end());
  }
  EXPECT_LT(largest_difference(together, alone), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, EncoderFamilies, testing::ValuesIn(families()),
                         [](const auto& info) { return info.param; });

// From MPNetEncoder.relative_position_bucket, with 32 groups.
TEST(GroupsOfDistances, AreOneADistanceAndThenByLogarithms) {
  const std::vector<std::pair<int64_t, int32_t>> wanted = {
      {0, 0},   {-1, 1},  {1, 17},   {-7, 7},   {7, 23},   {8, 24},   {-11, 8}, {12, 25},
      {15, 25}, {16, 26}, {22, 26},  {23, 27},  {-32, 12}, {45, 28},  {46, 29}, {64, 30},
      {90, 30}, {91, 31}, {-91, 15}, {128, 31}, {500, 31}, {-500, 15}};
  for (const auto& [distance, group] : wanted)
    EXPECT_EQ(group_of_distance(distance, {}), group) << distance;
}

// From T5Attention._relative_position_bucket of a decoder, with 32 groups up to 20.
TEST(GroupsOfDistances, OfOneDirectionAreTwiceAsMany) {
  const DistanceGroups groups{.farthest = 20, .is_bidirectional = false};
  const std::vector<std::pair<int64_t, int32_t>> wanted = {
      {0, 0},    {3, 0},    {-1, 1},   {-15, 15}, {-16, 16},
      {-17, 20}, {-18, 24}, {-19, 28}, {-20, 31}, {-900, 31}};
  for (const auto& [distance, group] : wanted)
    EXPECT_EQ(group_of_distance(distance, groups), group) << distance;
}

}  // namespace
}  // namespace tg::models
