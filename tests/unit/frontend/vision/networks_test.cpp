// Networks for pictures give what torchvision gives of the same weights (networks.json, made by
// tests/reference/make_vision.py), and train as its do. Loading files is in classifier_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tg/autograd.h"
#include "tg/error.h"
#include "unit/frontend/vision/formula.h"

namespace tg::models {
namespace {

using testing::HasSubstr;

constexpr int64_t kClasses = 16;

ImageNetwork filled_network(const std::string& name, int64_t image_size) {
  ImageNetwork net = image_network(
      name, {.classes = kClasses, .image_size = name.starts_with("vit") ? image_size : 0});
  fill_by_formula(net);
  return net;
}

void expect_logits_of_torchvision(const std::string& name) {
  const nlohmann::json& wanted = network_reference().at("torchvision").at(name);
  const int64_t size = wanted.at("image_size");
  const ImageNetwork net = filled_network(name, size);
  const NoGradScope no_gradients;
  expect_close(net(formula_pictures(size)), wanted.at("logits"), 1e-4);
}

class ImageNetworks : public testing::TestWithParam<std::string> {};

TEST_P(ImageNetworks, GiveTheLogitsOfTorchvision) { expect_logits_of_torchvision(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Small, ImageNetworks,
                         testing::Values("resnet18", "resnet50", "resnext50_32x4d", "mobilenet_v2",
                                         "mobilenet_v3_small", "mobilenet_v3_large",
                                         "efficientnet_b0"),
                         [](const auto& info) { return info.param; });

// Half a gigabyte of weights and minutes of compiling: by hand, with
// --gtest_also_run_disabled_tests.
INSTANTIATE_TEST_SUITE_P(DISABLED_Large, ImageNetworks,
                         testing::Values("resnet34", "resnet101", "resnet152", "resnext101_32x8d",
                                         "resnext101_64x4d", "wide_resnet50_2", "wide_resnet101_2",
                                         "efficientnet_b1", "efficientnet_b2", "efficientnet_b3",
                                         "efficientnet_b4", "efficientnet_b5", "efficientnet_b6",
                                         "efficientnet_b7", "vit_b_16", "vit_b_32", "vit_l_16",
                                         "vit_l_32", "vit_h_14"),
                         [](const auto& info) { return info.param; });

TEST(ImageNetworkTable, HasAReferenceForEveryArchitecture) {
  for (const std::string& name : image_architectures())
    EXPECT_TRUE(network_reference().at("torchvision").contains(name)) << name;
}

TEST(ImageNetworkTraining, TakesTheStepOfTorchvision) {
  const nlohmann::json& wanted = network_reference().at("training");
  ImageNetwork net = filled_network("resnet18", 64);
  nn::SGD sgd(net, {.lr = 0.01, .momentum = 0.9});
  const Tensor labels{3, 0, 15, 7};
  const TrainingScope training;
  for (const double loss_of_torchvision : wanted.at("losses")) {
    const Tensor loss = net(formula_pictures(64, 4)).cross_entropy(labels);
    sgd.step(loss);
    EXPECT_NEAR(loss.item<double>(), loss_of_torchvision, 1e-3 * loss_of_torchvision);
  }
  const nn::StateDict state = nn::state_dict(net);
  for (const auto& [name, values] : wanted.at("tensors").items()) {
    SCOPED_TRACE(name);
    expect_close(state.at(name).flatten().shrink({{0, 16}}), values, 1e-3);
  }
}

TEST(ImageNetworkTraining, LeavesOutBlocksOfEfficientNetAtRandom) {
  ImageNetwork net = efficientnet({.dropout = 0, .block_dropout = 0.5, .classes = 2});
  const Tensor pictures = formula_pictures(32);
  const auto once = [&] { return net(pictures).to_vector<float>(); };
  EXPECT_EQ(once(), once());
  const TrainingScope training;
  EXPECT_NE(once(), once());
}

template <typename F>
std::string refused(const F& make) {
  try {
    make();
  } catch (const ArgumentError& e) {
    return e.what();
  } catch (const ShapeError& e) {
    return e.what();
  }
  return {};
}

TEST(WrongImageNetworks, AreRefused) {
  EXPECT_THAT(refused([] { image_network("resnet19"); }),
              HasSubstr("there is no architecture \"resnet19\". Hint: known are resnet18, "));
  EXPECT_THAT(refused([] { resnet({.blocks = {1, 1, 1}}); }), HasSubstr("four numbers of blocks"));
  EXPECT_THAT(refused([] { resnet({.groups = 2}); }), HasSubstr("got 2 of 64. Hint: set has_bott"));
  EXPECT_THAT(refused([] { resnet({.classes = 0}); }), HasSubstr("at least 1"));
  EXPECT_THAT(refused([] { mobilenet_v2({.width = 0}); }), HasSubstr("above 0, at most 16, got 0"));
  EXPECT_THAT(refused([] { efficientnet({.depth = NAN}); }), HasSubstr("depth must be above 0"));
  EXPECT_THAT(refused([] { vision_transformer({.image_size = 30}); }),
              HasSubstr("the patch must divide the picture, got 16 and 30"));
  EXPECT_THAT(refused([] { vision_transformer({.layers = 0}); }), HasSubstr("at least one layer"));
  const VisionTransformerOptions small{.image_size = 32, .layers = 1, .heads = 1, .width = 8};
  EXPECT_THAT(refused([&] { vision_transformer(small)(formula_pictures(48)); }),
              HasSubstr("pictures are [n, 3, 32, 32], got 4 axes of 48 x 48"));
}

}  // namespace
}  // namespace tg::models
