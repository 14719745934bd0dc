// Two tiny CLIPs give the tokens, pixels, vectors and logits that `transformers` gives
// (clip_folder.h); labels are chosen by them. Folders that are wrong: clip_hostile_test.cpp.
#include "tg/models/clip.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/error_text.h"
#include "tg/error.h"
#include "tg/interrupt.h"
#include "tg/nn.h"
#include "unit/frontend/vision/clip_folder.h"

namespace tg::models {
namespace {

using nlohmann::json;
using test::error_text;
using testing::HasSubstr;

double clip_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  double worst = x.size() == y.size() && !x.empty() ? 0 : 1;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const double d = std::abs(double{x[i]} - double{y[i]});
    worst = d <= worst ? worst : d;  // NaN is the worst
  }
  return worst;
}

class Clips : public testing::TestWithParam<std::string> {
 protected:
  static Clip load() { return Clip::load(clip_reference(GetParam())); }

  const ClipReference expected{GetParam()};
};

TEST_P(Clips, HaveTheTokensOfTransformers) {
  const Clip model = load();
  const json cases = json::parse(read_file(clip_reference(GetParam()) / "texts.json"));
  ASSERT_GE(cases.size(), 6U);
  for (const json& c : cases) {
    const auto text = c.at("text").get<std::string>();
    EXPECT_EQ(model.tokens(text), c.at("tokens").get<std::vector<int32_t>>()) << text;
  }
}

TEST_P(Clips, HaveTheVectorsOfTextsInEveryCall) {
  Clip model = load();
  for (int call = 0; call < 3; ++call)  // computed, recorded, played
    EXPECT_LT(clip_difference(model.embed_tokens(expected.texts()), expected.at("text_vectors")),
              1e-5);
}

TEST_P(Clips, HaveTheVectorsOfTextsOneByOne) {
  Clip model = load();
  const auto texts = expected.texts();
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    EXPECT_LT(clip_difference(model.embed_tokens({&texts[i], 1}),
                              expected.at("text_vectors")[{Slice(row, row + 1)}]),
              1e-5);
  }
}

TEST_P(Clips, ReadManyTextsInRows) {
  Clip model = load();
  auto texts = expected.texts();
  const size_t count = texts.size();
  for (size_t i = 0; i < 11 * count; ++i) texts.push_back(texts[i % count]);
  std::vector<int64_t> done;
  const Tensor got = model.embed_tokens(texts, [&](int64_t n) { done.push_back(n); });
  const std::vector<Tensor> twelve(12, expected.at("text_vectors"));
  EXPECT_LT(clip_difference(got, Tensor::cat(twelve)), 1e-5);
  EXPECT_GT(done.size(), 2U);
  EXPECT_EQ(done.back(), std::ssize(texts));
}

TEST_P(Clips, SeePicturesAsTheirProcessorMakesThem) {
  const Clip model = load();
  std::vector<Tensor> pixels;
  for (const Tensor& picture : expected.pictures()) pixels.push_back(model.preprocess(picture));
  EXPECT_LT(clip_difference(Tensor::stack(pixels), expected.at("pixel_values")), 1e-6);
}

TEST_P(Clips, HaveTheVectorsOfPicturesInEveryCall) {
  Clip model = load();
  const std::vector<Tensor> pictures = expected.pictures();
  for (int call = 0; call < 3; ++call)
    EXPECT_LT(clip_difference(model.embed_images(pictures), expected.at("image_vectors")), 1e-5);
  EXPECT_LT(clip_difference(model.embed_pixels(expected.at("pixel_values")),
                            expected.at("image_vectors")),
            1e-5);
}

TEST_P(Clips, SeeAnyNumberOfPictures) {
  Clip model = load();
  const std::vector<Tensor> four = expected.pictures();
  std::vector<Tensor> pictures;
  for (size_t i = 0; i < 19; ++i) pictures.push_back(four[i % four.size()]);
  std::vector<int64_t> done;
  const Tensor got = model.embed_images(pictures, [&](int64_t n) { done.push_back(n); });
  const Tensor wanted =
      Tensor::cat(std::vector<Tensor>(5, expected.at("image_vectors")))[{Slice(0, 19)}];
  EXPECT_LT(clip_difference(got, wanted), 1e-5);
  EXPECT_THAT(done, testing::ElementsAre(16, 19));
  std::vector<Tensor> pixels;
  for (const Tensor& picture : pictures) pixels.push_back(model.preprocess(picture));
  EXPECT_LT(clip_difference(model.embed_pixels(Tensor::stack(pixels)), wanted), 1e-5);
}

TEST_P(Clips, HaveTheLogitsOfTransformers) {
  Clip model = load();
  const Tensor texts = model.embed_tokens(expected.texts());
  const Tensor images = model.embed_images(expected.pictures());
  EXPECT_LT(clip_difference(model.logits(images, texts), expected.at("logits")), 1e-4);
  EXPECT_LT(clip_difference(model.logits(images * 3, texts * 0.5), expected.at("logits")), 1e-4);
}

TEST_P(Clips, ChooseLabelsByTheirLogits) {
  Clip model = load();
  const std::vector<std::string> labels = {"cat", "dog", "the sea", "12 kernels"};
  std::vector<std::string> texts;
  for (const std::string& label : labels) texts.push_back("a photo of " + label + ", " + label);
  const Tensor picture = expected.pictures()[1];
  const auto wanted = model.logits(model.embed_images({&picture, 1}), model.embed_texts(texts))
                          .softmax(-1)
                          .to_vector<float>();
  for (int call = 0; call < 2; ++call) {
    const auto guesses = model.classify(picture, labels, {.top = 3, .prompt = "a photo of {}, {}"});
    ASSERT_EQ(guesses.size(), 3U);
    double before = 1;
    for (const ImageGuess& g : guesses) {
      EXPECT_EQ(g.label, labels[static_cast<size_t>(g.index)]);
      EXPECT_NEAR(g.probability, wanted[static_cast<size_t>(g.index)], 1e-5);
      EXPECT_LE(g.probability, before);
      before = g.probability;
    }
    EXPECT_NEAR(guesses[0].probability, *std::ranges::max_element(wanted), 1e-5);
  }
  // Other labels, and another prompt.
  EXPECT_EQ(model.classify(picture, std::vector<std::string>{"dog"})[0].label, "dog");
  const auto bare = model.classify(picture, labels);
  const auto bare_wanted =
      model.logits(model.embed_images({&picture, 1}), model.embed_texts(labels)).softmax(-1);
  EXPECT_NEAR(bare[0].probability, bare_wanted.max().item<float>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Both, Clips, testing::Values("first", "later"),
                         [](const auto& info) { return info.param; });

// ---- one of them

TEST(ClipModels, KnowWhatTheyAre) {
  const Clip model = Clip::load(clip_reference("later"));
  const ClipInfo& i = model.info();
  EXPECT_EQ(i.text_layers, 3);
  EXPECT_EQ(i.image_layers, 1);
  EXPECT_EQ(i.text_width, 32);
  EXPECT_EQ(i.image_width, 24);
  EXPECT_EQ(i.size, 16);
  EXPECT_EQ(i.vocabulary, 592);
  EXPECT_EQ(i.longest, 20);
  EXPECT_EQ(i.image_size, 30);
  EXPECT_EQ(i.patch, 8);
  EXPECT_NEAR(i.scale, std::exp(3.25), 1e-4);
  EXPECT_EQ(i.weight_bytes,
            std::filesystem::file_size(clip_reference("later") / "model.safetensors"));
  EXPECT_NE(model.tokenizer(), nullptr);
  EXPECT_EQ(model.preprocessing().crop, 30);
  EXPECT_TRUE(is_clip(clip_reference("later")));
  EXPECT_FALSE(is_clip(clip_reference("")));
}

TEST(ClipModels, TellHowMuchIsRead) {
  uint64_t done = 0, all = 0;
  Clip::load(clip_reference("first"), {.progress = [&](uint64_t d, uint64_t a) {
               done = d;
               all = a;
             }});
  EXPECT_EQ(all, std::filesystem::file_size(clip_reference("first") / "model.safetensors"));
  EXPECT_GT(done, all * 9 / 10);  // all but the file's header
  EXPECT_LE(done, all);
}

TEST(ClipModels, AreTheSameForAllCopies) {
  const Clip model = Clip::load(clip_reference("first"));
  Clip copy = model;
  EXPECT_EQ(copy.embed_texts(std::vector<std::string>{"a cat"}).shape(), (Shape{1, 16}));
  EXPECT_EQ(&copy.info(), &model.info());
}

TEST(ClipModels, HaveNoVectorsOfNothing) {
  Clip model = Clip::load(clip_reference("first"));
  EXPECT_EQ(model.embed_texts({}).shape(), (Shape{0, 16}));
  EXPECT_EQ(model.embed_images({}).shape(), (Shape{0, 16}));
}

TEST(ClipModels, RefuseArgumentsThatTheyCannotUse) {
  Clip model = Clip::load(clip_reference("later"));
  const auto said = [&](const std::vector<int32_t>& tokens) {
    const std::vector<std::vector<int32_t>> texts = {{0, 1}, tokens};
    return error_text([&] { model.embed_tokens(texts); });
  };
  EXPECT_EQ(said({}), "embed_tokens: text 1 has no tokens.");
  EXPECT_EQ(said(std::vector<int32_t>(21, 1)),
            "embed_tokens: text 1 has 21 tokens, and may have 20.");
  EXPECT_EQ(said({0, 592, 1}), "embed_tokens: text 1 has the token 592, and the vocabulary 592.");
  EXPECT_EQ(said({0, -1, 1}), "embed_tokens: text 1 has the token -1, and the vocabulary 592.");
  EXPECT_EQ(said({0, 5}), "embed_tokens: text 1 lacks the token 1, which ends a text.");

  EXPECT_EQ(error_text([&] {
              model.embed_pixels(Tensor::zeros({2, 3, 30, 32}));
            }),
            "embed_pixels: pictures are [n, 3, 30, 30], got [2, 3, 30, 32].");
  EXPECT_EQ(error_text([&] {
              model.embed_pixels(Tensor::zeros({2, 3, 30, 30}, DType::UInt8));
            }),
            "embed_pixels: pictures are float32, got uint8. Hint: preprocess() makes them of "
            "uint8.");
  const Tensor grey = Tensor::zeros({9, 9}, DType::UInt8);
  EXPECT_EQ(error_text([&] {
              model.embed_images({&grey, 1});
            }),
            "embed_images: a picture is [height, width, 3], got [9, 9].");
  EXPECT_EQ(error_text([&] {
              model.logits(Tensor::zeros({2, 16}), Tensor::zeros({16}));
            }),
            "logits: vectors are [n, 16], got [16].");

  const Tensor picture = Tensor::zeros({9, 9, 3}, DType::UInt8);
  const std::vector<std::string> labels = {"cat"};
  EXPECT_EQ(error_text([&] { model.classify(picture, {}); }), "classify: there are no labels.");
  EXPECT_EQ(error_text([&] { model.classify(picture, labels, {.top = 0}); }),
            "classify: top must be at least 1, got 0.");
  EXPECT_EQ(error_text([&] { model.classify(picture, labels, {.prompt = "a photo"}); }),
            "classify: the prompt \"a photo\" lacks {}. Hint: a label stands in its place, as in "
            "\"a photo of a {}\".");
}

TEST(ClipModels, WithoutATokenizerReadTokensOnly) {
  const ClipCopy folder("first");
  std::filesystem::remove(folder.file("tokenizer.json"));
  Clip model = Clip::load(folder.path());
  EXPECT_EQ(model.tokenizer(), nullptr);
  EXPECT_EQ(error_text([&] { model.embed_texts(std::vector<std::string>{"cat"}); }),
            "Clip: the model has no tokenizer. Hint: put its tokenizer.json beside it.");
  EXPECT_EQ(model.embed_tokens(std::vector<std::vector<int32_t>>{{590, 591}}).size(0), 1);
}

TEST(ClipModels, StopWhereTheProgramAsksForIt) {
  Clip model = Clip::load(clip_reference("first"));
  const std::vector<std::string> texts = {"a cat"};
  for (int call = 0; call < 3; ++call) model.embed_texts(texts);
  const InterruptHook old = set_interrupt_hook([] { return true; });
  EXPECT_THROW(model.embed_texts(texts), CancelledError);
  set_interrupt_hook(old);
  EXPECT_EQ(model.embed_texts(texts).size(0), 1);
}

}  // namespace
}  // namespace tg::models
