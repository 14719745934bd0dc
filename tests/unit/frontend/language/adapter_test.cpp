// Adapters of language models against PEFT, which made, used and trained those in
// tests/reference/lora (make_lora.py there): logits, losses of a training, and folders. What is
// wrong with a folder is in adapter_files_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/autograd.h"
#include "tg/counters.h"
#include "tg/error.h"
#include "tg/jit.h"
#include "tg/models/language_model.h"
#include "tg/models/text_engine.h"
#include "tg/nn.h"
#include "tg/random.h"
#include "tg/training.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = test::source_dir() / "tests/reference/language_models";
const fs::path kAdapters = test::source_dir() / "tests/reference/lora";

// An adapter in the reference folder, and the model that it belongs to.
const std::map<std::string, fs::path> kModelOf = {
    {"llama", "llama"}, {"llama_stabilised", "llama"}, {"gpt2", "gpt2"},
    {"phi3", "phi3"},   {"gemma2", "gemma2"},          {"quantised", "gguf/llama.gguf"}};

double largest_difference(const Tensor& a, const Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// The mean loss of the next tokens.
Tensor loss_of(const LanguageModel& model, const Tensor& tokens) {
  const int64_t last = tokens.size(1) - 1;
  const Tensor logits = model.forward(tokens)[{Slice(), Slice(0, last)}];
  return logits.flatten(0, 1).cross_entropy(tokens[{Slice(), Slice(1, last + 1)}].flatten());
}

class Adapters : public testing::TestWithParam<std::string> {
 protected:
  static LanguageModel model() {
    return LanguageModel::load(kModels / kModelOf.at(GetParam()),
                               {.context = 64, .adapter = kAdapters / GetParam()});
  }
  nn::StateDict expected_ = nn::load(kAdapters / GetParam() / "expected.safetensors");
  Tensor tokens_ = expected_.at("tokens");
};

TEST_P(Adapters, GiveTheLogitsOfPeft) {
  LanguageModel m = model();
  const Tensor wanted = expected_.at("logits");
  EXPECT_LT(largest_difference(m.forward(tokens_), wanted), 1e-4);
  // The same by keys and values that are kept.
  EXPECT_LT(largest_difference(m.logits(tokens_[{1}].to_vector<int32_t>()), wanted[{1}]), 1e-4);
  m.load_adapter(kAdapters / GetParam());
  EXPECT_LT(largest_difference(m.forward(tokens_), wanted), 1e-4);
}

// Of 20 steps, of which all but the first two are replays.
TEST_P(Adapters, LearnAsPeftDoes) {
  const auto train = [&](const std::string& name, LanguageModel& m, nn::Optimizer& optimiser) {
    const TrainingScope training;
    TinyJit step([&] {
      const Tensor loss = loss_of(m, tokens_);
      optimiser.zero_grad();
      loss.backward();
      optimiser.step();
      return loss;
    });
    for (const double wanted : expected_.at(name).to_vector<double>())
      EXPECT_NEAR(step().item<double>(), wanted, 1e-4) << name;
  };
  LanguageModel first = model(), second = model();
  nn::AdamW adam(first.adapter_parameters(), {.lr = 1e-3, .weight_decay = 0.01});
  train("adamw", first, adam);
  nn::SGD sgd(second.adapter_parameters(), {.lr = 1e-3});
  train("sgd", second, sgd);
}

TEST_P(Adapters, AreTheSameWhenSavedAndLoaded) {
  const TempDir folder("adapter");
  model().save_adapter(folder.path());
  LanguageModel again = LanguageModel::load(kModels / kModelOf.at(GetParam()), {.context = 64});
  again.load_adapter(folder.path());
  EXPECT_LT(largest_difference(again.forward(tokens_), expected_.at("logits")), 1e-4);
  // Names, shapes and numbers as PEFT wrote them.
  const auto file = [](const fs::path& f) { return nn::load(f / "adapter_model.safetensors"); };
  const nn::StateDict saved = file(folder.path()), given = file(kAdapters / GetParam());
  ASSERT_EQ(saved.size(), given.size());
  for (const auto& [name, tensor] : given) {
    ASSERT_TRUE(saved.contains(name)) << name;
    EXPECT_EQ(saved.at(name).to_vector<float>(), tensor.to_vector<float>()) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Adapters,
                         testing::Values("llama", "llama_stabilised", "gpt2", "phi3", "gemma2",
                                         "quantised"),
                         [](const auto& info) { return info.param; });

// ---- beyond PEFT

LanguageModel small_model(const LanguageModelOptions& o = {.context = 64}) {
  return LanguageModel::load(kModels / "llama", o);
}

Tensor some_tokens(int64_t texts, int64_t length) {
  std::vector<int32_t> out;
  for (int64_t i = 0; i < texts * length; ++i) out.push_back(static_cast<int32_t>(i * 7 % 48));
  return Tensor(out, Shape{texts, length});
}

TEST(AdapterTraining, GradientsAreThoseOfFiniteDifferences) {
  LanguageModel m = small_model();
  m.load_adapter(kAdapters / "llama");
  const Tensor tokens = some_tokens(2, 10);
  const std::vector<Tensor> parameters = m.adapter_parameters();
  ASSERT_EQ(parameters.size(), 2U * 2U * 7U);
  const std::vector<Tensor> slopes = loss_of(m, tokens).gradient(parameters);
  manual_seed(3);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& p = parameters[i];
    const Tensor before = p.clone().realize();
    const Tensor random = Tensor::randn(p.shape());
    const Tensor way = (random / (random * random).sum().sqrt()).realize();
    const auto loss_at = [&](double x) {
      const NoGradScope no_gradients;
      p.assign(before + way * x);
      return loss_of(m, tokens).item<double>();
    };
    const auto difference = [&](double h) { return (loss_at(h) - loss_at(-h)) / (2 * h); };
    // Richardson's extrapolation: the error is of the fourth power of the step.
    constexpr double kStep = 0.02;
    const double numeric = (4 * difference(kStep) - difference(2 * kStep)) / 3;
    const double analytic = (slopes[i] * way).sum().item<double>();
    EXPECT_NEAR(analytic, numeric, 5e-4 + 1e-3 * std::abs(numeric)) << "parameter " << i;
    loss_at(0);
  }
}

TEST(AdapterTraining, ChangesNothingButTheAdapter) {
  LanguageModel m = small_model();
  const Tensor tokens = some_tokens(2, 12), before = m.forward(tokens).realize();
  manual_seed(1);
  m.add_adapter({.rank = 2, .targets = {"v_proj", "mlp.down_proj"}});
  EXPECT_EQ(m.adapter_parameters().size(), 2U * 2U * 2U);
  EXPECT_EQ(largest_difference(m.forward(tokens), before), 0);
  const auto losses = [&](double lr) {
    nn::AdamW adam(m.adapter_parameters(), {.lr = lr, .weight_decay = 0});
    std::vector<double> out;
    const TrainingScope training;
    for (int i = 0; i < 6; ++i) {
      const Tensor loss = loss_of(m, tokens);
      adam.zero_grad();
      loss.backward();
      adam.step();
      out.push_back(loss.item<double>());
    }
    return out;
  };
  const std::vector<double> still = losses(0), moving = losses(0.02);
  EXPECT_EQ(still.front(), still.back());
  EXPECT_LT(moving.back(), moving.front() - 0.1);
  // Without it the model is as it was.
  m.add_adapter({.rank = 1});
  EXPECT_EQ(largest_difference(m.forward(tokens), before), 0);
}

TEST(AdapterTraining, DropsInputsWhileTraining) {
  LanguageModel m = small_model();
  m.add_adapter({.rank = 4, .dropout = 0.5, .targets = {"q_proj"}});
  for (const Tensor& p : m.adapter_parameters()) p.assign(Tensor::ones(p.shape()) * 0.1);
  const Tensor tokens = some_tokens(1, 8), plain = m.forward(tokens).realize();
  EXPECT_EQ(largest_difference(m.forward(tokens), plain), 0);
  const TrainingScope training;
  EXPECT_GT(largest_difference(m.forward(tokens), plain), 1e-3);
}

TEST(AdapterTraining, WhatIsBehindATextDoesNotCount) {
  LanguageModel m = small_model();
  const Tensor tokens = some_tokens(2, 9);
  const Tensor longer = Tensor::cat({tokens, tokens.zeros_like()}, 1);
  EXPECT_LT(largest_difference(m.forward(longer)[{Slice(), Slice(0, 9)}], m.forward(tokens)), 1e-5);
}

TEST(AdapterTraining, AnAnswerIsThatOfTheParametersAsTheyAre) {
  LanguageModel m = small_model();
  const std::vector<int32_t> prompt = {5, 6, 7, 8, 9, 10};
  const auto answer = [&] {
    return m.generate(prompt, {.max_tokens = 12, .stop = std::vector<int32_t>{}}).tokens;
  };
  const std::vector<int32_t> plain = answer();
  m.add_adapter();
  EXPECT_EQ(answer(), plain);
  const std::vector<Tensor> parameters = m.adapter_parameters();
  for (const Tensor& p : parameters) p.assign(Tensor::full(p.shape(), 0.2));
  const std::vector<int32_t> learned = answer();
  EXPECT_NE(learned, plain);
  for (const Tensor& p : parameters) p.assign(Tensor::zeros(p.shape()));
  EXPECT_EQ(answer(), plain);
}

// Of one layer and an output, 400,000 numbers in a sixth of the bytes of floats, unpacked one
// product at a time.
TEST(AdapterTraining, QuantisedWeightsStayPacked) {
  LanguageModel m = LanguageModel::load(kModels / "gguf/large_blocks.gguf", {.context = 64});
  m.add_adapter({.rank = 1});
  const Tensor tokens = some_tokens(1, 4);
  int64_t numbers = 0;  // of weights with an adapter
  const std::vector<Tensor> parameters = m.adapter_parameters();
  for (size_t i = 0; i < parameters.size(); i += 2)
    numbers += parameters[i].size(1) * parameters[i + 1].size(0);
  const int64_t before = GlobalCounters::read().memory_in_use;
  TinyJit step([&] {
    const Tensor loss = loss_of(m, tokens);
    for (const Tensor& p : parameters) p.zero_grad();
    loss.backward();
    for (const Tensor& p : parameters) p.assign(p.detach() - p.grad());
    return loss;
  });
  for (int i = 0; i < 3; ++i) step();
  const int64_t more = GlobalCounters::read().memory_in_use - before;
  EXPECT_LT(more, numbers * static_cast<int64_t>(sizeof(float)) * 2 / 3);
}

TEST(AdapterMerging, GivesTheSameLogits) {
  const TempDir folder("merging");
  fs::copy_file(kModels / "llama/config.json", folder.path() / "config.json");
  nn::StateDict weights = nn::load(kModels / "llama/model.safetensors");
  for (auto& [name, tensor] : weights) tensor = tensor.cast(DType::Float32);
  nn::save(weights, folder.path() / "model.safetensors");
  LanguageModel m =
      LanguageModel::load(folder.path(), {.context = 64, .adapter = kAdapters / "llama"});
  const nn::StateDict expected = nn::load(kAdapters / "llama" / "expected.safetensors");
  const Tensor tokens = expected.at("tokens");
  const auto row = tokens[{0}].to_vector<int32_t>();
  m.logits(row);
  m.merge_adapter();
  EXPECT_EQ(m.adapter(), nullptr);
  EXPECT_TRUE(m.adapter_parameters().empty());
  EXPECT_LT(largest_difference(m.forward(tokens), expected.at("logits")), 1e-4);
  EXPECT_LT(largest_difference(m.logits(row), expected.at("logits")[{0}]), 1e-4);
}

TEST(AdapterMerging, RoundsToTheDtypeOfTheWeights) {
  LanguageModel m = small_model({.context = 64, .adapter = kAdapters / "llama"});
  const Tensor tokens = some_tokens(1, 8), before = m.forward(tokens).realize();
  m.merge_adapter();
  const double difference = largest_difference(m.forward(tokens), before);
  EXPECT_GT(difference, 0);
  EXPECT_LT(difference, 0.1);
}

TEST(AdapterUse, ByATextEngine) {
  LanguageModel m = small_model({.context = 64, .adapter = kAdapters / "llama"});
  const std::vector<int32_t> prompt = {3, 4, 5};
  const GenerateOptions o{.max_tokens = 16, .stop = std::vector<int32_t>{}};
  TextEngine engine = TextEngine::load(
      kModels / "llama", {.context = 64, .adapter = kAdapters / "llama"}, {.slots = 2});
  EXPECT_EQ(engine.submit({.prompt = prompt, .options = o}).result().tokens,
            m.generate(prompt, o).tokens);
}

}  // namespace
}  // namespace tg::models
