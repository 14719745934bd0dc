// The U-Net of diffusion as a network of nn.h: it says what that of `diffusers` says
// (diffusion_reference.h), can be trained, and refuses what it cannot be made of.
#include "tg/models/unet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/jit.h"
#include "tg/models/diffusion.h"
#include "tg/random.h"
#include "unit/frontend/diffusion/diffusion_reference.h"

namespace tg::models {
namespace {

using test::error_text;

TEST(UNets, SayWhatThoseOfDiffusersSay) {
  for (const std::string name : {"first", "later"}) {
    Diffusion model = Diffusion::load(diffusion_reference(name));
    const nn::StateDict expected = nn::load(diffusion_reference(name) / "expected.safetensors");
    const Tensor &x = expected.at("x"), &times = expected.at("times");
    const Tensor y = name == "later" ? model.network()(x, times, expected.at("classes"))
                                     : model.network()(x, times);
    EXPECT_LT(worst_difference(y, expected.at("y")), 1e-5) << name;
  }
}

TEST(UNets, LearnToTellNoiseFromPictures) {
  manual_seed(5);
  UNet2D net({.channels = 1, .levels = {{8}, {8, true, true}}, .layers = 1, .groups = 4});
  nn::Adam adam(net, {.lr = 2e-3});
  const NoiseSchedule schedule({.times = 100});
  const Tensor pictures = Tensor::full({8, 1, 8, 8}, 0.5F);
  const TrainingScope training;
  TinyJit step([&](const Tensor& noise, const Tensor& times) {
    const Tensor said = net(schedule.add_noise(pictures, noise, times), times);
    const Tensor loss = (said - schedule.target(pictures, noise, times)).square().mean();
    adam.step(loss);
    return loss;
  });
  double first = 0, last = 0;
  for (int i = 0; i < 40; ++i) {
    const Tensor noise = Tensor::randn({8, 1, 8, 8}).realize();
    const Tensor times = Tensor::randint({8}, {.low = 0, .high = 100}).realize();
    (i == 0 ? first : last) = step(noise, times).item<float>();
  }
  EXPECT_GT(first, 0.8);
  EXPECT_LT(last, 0.5 * first);
}

TEST(UNets, HaveTheNamesOfDiffusersAndOneNetworkForAllCopies) {
  UNet2D net({.levels = {{8, true, false}, {16}}, .layers = 1, .groups = 4, .classes = 3});
  const nn::StateDict names = nn::state_dict(net);
  for (const char* const name :
       {"conv_in.weight", "time_embedding.linear_2.bias", "class_embedding.weight",
        "down_blocks.0.resnets.0.time_emb_proj.weight", "down_blocks.0.attentions.0.to_out.0.bias",
        "down_blocks.0.downsamplers.0.conv.weight", "mid_block.attentions.0.group_norm.weight",
        "up_blocks.0.upsamplers.0.conv.bias", "up_blocks.1.resnets.1.conv_shortcut.weight",
        "conv_norm_out.weight", "conv_out.bias"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_FALSE(names.contains("down_blocks.1.downsamplers.0.conv.weight"));
  UNet2D copy = net;
  nn::StateDict zeros;
  for (const auto& [name, tensor] : names) zeros.emplace(name, tensor.zeros_like());
  nn::load_state_dict(copy, zeros);
  const Tensor y =
      net(Tensor::ones({2, 3, 4, 4}), Tensor::zeros({2}), Tensor::zeros({2}, DType::Int32));
  EXPECT_EQ(y.abs().max().item<float>(), 0);
}

TEST(UNets, RefuseOptionsThatDoNotFit) {
  const auto said = [](const UNetOptions& o) { return error_text([&] { UNet2D net(o); }); };
  EXPECT_EQ(said({.channels = 0}), "UNet2D: channels must be at least 1, got 0.");
  EXPECT_EQ(said({.levels = {}}), "UNet2D: there are no levels.");
  EXPECT_EQ(said({.levels = {{1}}, .groups = 1}),
            "UNet2D: channels of a level must be at least 2, got 1.");
  EXPECT_EQ(said({.layers = 0}), "UNet2D: layers must be at least 1, got 0.");
  EXPECT_EQ(said({.groups = 48}),
            "UNet2D: groups must divide the channels: 48 does not divide 64.");
  EXPECT_EQ(said({.head_size = 24}),
            "UNet2D: head_size must divide the channels: 24 does not divide 256.");
  EXPECT_EQ(said({.middle_groups = 24}),
            "UNet2D: middle_groups must divide the channels: 24 does not divide 256.");
  EXPECT_EQ(said({.frequency_shift = 32}),
            "UNet2D: frequency_shift must be from 0 to below 32, got 32.");
  EXPECT_EQ(said({.norm_eps = 0}), "UNet2D: middle_scale and norm_eps must be above 0, got 0.");
}

TEST(UNets, RefusePicturesThatDoNotFit) {
  const UNet2D net({.levels = {{8}, {8}}, .layers = 1, .groups = 4});
  const UNet2D of_classes({.levels = {{8}}, .layers = 1, .groups = 4, .classes = 2});
  const Tensor x = Tensor::zeros({2, 3, 4, 4}), times = Tensor::zeros({2});
  EXPECT_EQ(error_text([&] {
              net(x.shrink_to({2, 3, 4, 3}), times);
            }),
            "UNet2D: pictures are [n, 3, height, width], these multiples of 2, got [2, 3, 4, 3].");
  EXPECT_EQ(error_text([&] { net(x, times[0]); }), "UNet2D: times of 2 pictures are [2], got [].");
  EXPECT_EQ(error_text([&] { net(x, times, times); }), "UNet2D: the network has no classes.");
  EXPECT_EQ(error_text([&] { of_classes(x, times); }),
            "UNet2D: the network wants the classes of pictures.");
  EXPECT_EQ(error_text([&] { of_classes(x, times, Tensor::zeros({3})); }),
            "UNet2D: classes of 2 pictures are [2], got [3].");
}

}  // namespace
}  // namespace tg::models
