// Folders of diffusion models that are wrong are refused with file and place, and those that say
// the same in other words are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/folder_copy.h"
#include "tg/error.h"
#include "tg/models/diffusion.h"
#include "unit/frontend/diffusion/diffusion_reference.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kUNet = "unet/config.json", kSteps = "scheduler/scheduler_config.json",
                  kDiffusionWeights = "unet/diffusion_pytorch_model.safetensors";

class WrongDiffusions : public testing::Test {
 protected:
  std::string said(const DiffusionOptions& o = {}) const {
    return test::error_text([&] { Diffusion::load(folder.path(), o); });
  }
  // What is said of one file with a member changed or removed.
  std::string said_with(const std::string& name, const std::string& member, const json& value,
                        const DiffusionOptions& o = {}) const {
    return folder.with(name, "/" + member, value, [&] { return said(o); });
  }
  std::string of_network(const std::string& member, const json& value) const {
    return said_with(kUNet, member, value);
  }
  std::string of_steps(const std::string& member, const json& value,
                       const DiffusionOptions& o = {}) const {
    return said_with(kSteps, member, value, o);
  }

  const test::FolderCopy folder{diffusion_reference("later")};
};

TEST_F(WrongDiffusions, LackFiles) {
  EXPECT_EQ(said(), "");
  for (const std::string& name :
       {kDiffusionWeights, kSteps, kUNet, std::string("model_index.json")}) {
    fs::remove(folder.file(name));
    EXPECT_THAT(said(), StartsWith("Diffusion::load: \"")) << name;
    EXPECT_THAT(said(), HasSubstr(fs::path(name).filename().string())) << name;
  }
  write_file(folder.file("model_index.json"), "{");
  EXPECT_THAT(said(), EndsWith("model_index.json: is not JSON at byte 2."));
  write_file(folder.file("model_index.json"), "[]");
  EXPECT_THAT(said(), EndsWith("model_index.json: is no object."));
}

TEST_F(WrongDiffusions, AreOfOtherKinds) {
  EXPECT_THAT(said_with("model_index.json", "_class_name", "StableDiffusionPipeline"),
              EndsWith("model_index.json._class_name: is \"StableDiffusionPipeline\", and may be "
                       "\"DDPMPipeline\" and \"DDIMPipeline\"."));
  EXPECT_THAT(of_network("_class_name", "UNet2DConditionModel"),
              EndsWith("config.json._class_name: is \"UNet2DConditionModel\", and may be "
                       "\"UNet2DModel\"."));
  EXPECT_THAT(of_steps("_class_name", "PNDMScheduler"),
              EndsWith("scheduler_config.json._class_name: is \"PNDMScheduler\", which is not "
                       "supported. Hint: name a sampler in its place: ddpm, ddim or euler."));
  EXPECT_EQ(of_steps("_class_name", "PNDMScheduler", {.sampler = Sampler::Ddim}), "");
}

TEST_F(WrongDiffusions, HaveBlocksThatAreNotSupported) {
  for (const auto& [name, kind, only] :
       {std::tuple("time_embedding_type", "fourier", "positional"),
        std::tuple("mid_block_type", "UNetMidBlock2DCrossAttn", "UNetMidBlock2D"),
        std::tuple("downsample_type", "resnet", "conv"),
        std::tuple("upsample_type", "resnet", "conv"),
        std::tuple("resnet_time_scale_shift", "scale_shift", "default")}) {
    EXPECT_THAT(of_network(name, kind), EndsWith(std::string("config.json.") + name + ": is \"" +
                                                 kind + "\", and may be \"" + only + "\"."));
  }
  EXPECT_THAT(of_network("act_fn", "mish"),
              EndsWith("config.json.act_fn: is \"mish\", which is not supported."));
  EXPECT_THAT(of_network("class_embed_type", "timestep"),
              EndsWith("class_embed_type: is a setting that is not supported here."));
  EXPECT_THAT(of_network("new_setting", 3),
              EndsWith("new_setting: is a setting that is not supported here."));
  EXPECT_THAT(of_network("down_block_types", {"SkipDownBlock2D", "DownBlock2D", "DownBlock2D"}),
              EndsWith("down_block_types: has \"SkipDownBlock2D\", and may have \"DownBlock2D\" "
                       "and \"AttnDownBlock2D\"."));
  EXPECT_THAT(of_network("up_block_types", {"UpBlock2D", "UpBlock2D"}),
              EndsWith("up_block_types: are 2 blocks, of 3 levels."));
  EXPECT_THAT(of_network("up_block_types", nullptr), EndsWith("up_block_types: is missing."));
}

TEST_F(WrongDiffusions, HaveSizesOutOfRange) {
  EXPECT_THAT(of_network("in_channels", 4),
              EndsWith("config.json.in_channels: is 4, and pictures have 1 or 3."));
  EXPECT_THAT(of_network("out_channels", 2),
              EndsWith("config.json.out_channels: is 2, of pictures of 1."));
  EXPECT_THAT(of_network("block_out_channels", nullptr),
              EndsWith("block_out_channels: is missing."));
  EXPECT_THAT(of_network("block_out_channels", json::array()),
              EndsWith("block_out_channels: are 0 levels, and may be 1 to 12."));
  EXPECT_THAT(of_network("block_out_channels", {8, 8, 1e12}),
              EndsWith("is 1000000000000.0, and may be 2 to 32768."));
  EXPECT_THAT(of_network("layers_per_block", int64_t{1} << 40),
              EndsWith("layers_per_block: is 1099511627776, and may be 1 to 64."));
  EXPECT_THAT(of_network("norm_num_groups", 5),
              EndsWith("norm_num_groups: is 5, which does not divide 8 channels."));
  EXPECT_THAT(of_network("attn_norm_num_groups", 5),
              EndsWith("attn_norm_num_groups: is 5, which does not divide 12 channels."));
  EXPECT_THAT(of_network("attention_head_dim", 3),
              EndsWith("attention_head_dim: is 3, which does not divide 8 channels."));
  EXPECT_THAT(of_network("attention_head_dim", nullptr),  // 8, where it is missing
              EndsWith("attention_head_dim: is 8, which does not divide 12 channels."));
  EXPECT_THAT(of_network("freq_shift", 4), EndsWith("freq_shift: is 4, and may be 0 to below 4."));
  EXPECT_THAT(of_network("downsample_padding", 2),
              EndsWith("downsample_padding: is 2, and may be 0 to 1."));
  EXPECT_THAT(of_network("dropout", 1), EndsWith("dropout: is 1, and may be 0 to below 1."));
  EXPECT_THAT(of_network("mid_block_scale_factor", 0),
              EndsWith("mid_block_scale_factor: is 0, not above 0."));
  EXPECT_THAT(of_network("num_class_embeds", 0), HasSubstr("num_class_embeds: is 0, and may be"));
}

TEST_F(WrongDiffusions, HavePicturesOfWrongSizes) {
  EXPECT_THAT(of_network("sample_size", nullptr), EndsWith("sample_size: is missing."));
  EXPECT_THAT(of_network("sample_size", 10),
              EndsWith("sample_size: is 10, and must be a multiple of 4 for 3 levels."));
  EXPECT_THAT(of_network("sample_size", {8, 10}),
              EndsWith("sample_size: is 10, and must be a multiple of 4 for 3 levels."));
  EXPECT_THAT(of_network("sample_size", {8}), EndsWith("sample_size: are not two numbers."));
  EXPECT_THAT(of_network("sample_size", {8, -8}), EndsWith("is -8, and may be 1 to 8192."));
  EXPECT_THAT(of_network("sample_size", "small"), EndsWith("sample_size: is no whole number."));
}

TEST_F(WrongDiffusions, HaveSchedulesThatAreNotSupported) {
  for (const char* const flag : {"thresholding", "rescale_betas_zero_snr", "use_karras_sigmas"}) {
    EXPECT_THAT(of_steps(flag, true), EndsWith(std::string(flag) + ": is a setting that is not "
                                                                   "supported here."));
  }
  EXPECT_THAT(of_steps("beta_schedule", "sigmoid"),
              EndsWith("beta_schedule: is \"sigmoid\", which is not supported."));
  EXPECT_THAT(of_steps("prediction_type", "flow"),
              EndsWith("prediction_type: is \"flow\", which is not supported."));
  EXPECT_THAT(of_steps("timestep_spacing", "karras"),
              EndsWith("timestep_spacing: is \"karras\", which is not supported."));
  EXPECT_THAT(of_steps("variance_type", "learned", {.sampler = Sampler::Ddpm}),
              EndsWith("variance_type: is \"learned\", which is not supported."));
  EXPECT_THAT(of_steps("interpolation_type", "log_linear", {.sampler = Sampler::Euler}),
              EndsWith("interpolation_type: is \"log_linear\", and may be \"linear\"."));
  EXPECT_THAT(of_steps("num_train_timesteps", 0),
              EndsWith("num_train_timesteps: is 0, and may be 1 to 100000."));
  EXPECT_THAT(of_steps("beta_end", 1), EndsWith("beta_end: is 1, not below 1."));
  EXPECT_THAT(of_steps("beta_start", -1), EndsWith("beta_start: is -1, not above 0."));
  EXPECT_THAT(of_steps("trained_betas", {0.5}), EndsWith("trained_betas: are 1, of 200 times."));
  EXPECT_THAT(of_steps("trained_betas", {2}), EndsWith("is not above 0 and below 1."));
  EXPECT_THAT(of_steps("steps_offset", 201), HasSubstr("steps_offset: is 201, and may be 0 to"));
  EXPECT_THAT(of_steps("clip_sample_range", 0), EndsWith("clip_sample_range: is 0, not above 0."));
}

TEST_F(WrongDiffusions, HaveWeightsMissingOrOfOtherSizes) {
  EXPECT_THAT(of_network("time_embedding_dim", nullptr),
              EndsWith("\"class_embedding.weight\" has the shape [5, 24], and the settings ask for "
                       "[5, 32]."));
  EXPECT_THAT(of_network("num_class_embeds", 6),
              HasSubstr("\"class_embedding.weight\" has the shape [5, 24]"));
  EXPECT_THAT(of_network("num_class_embeds", nullptr),
              HasSubstr("tensors that a model of its settings does not: \"class_embedding"));
  EXPECT_THAT(of_network("layers_per_block", 2), EndsWith("is missing."));
  const std::string bytes = read_file(folder.file(kDiffusionWeights));
  write_file(folder.file(kDiffusionWeights), bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(said(), HasSubstr("diffusion_pytorch_model.safetensors"));
}

TEST_F(WrongDiffusions, LackAnyOfTheirTensors) {
  const nn::StateDict all = nn::load(diffusion_reference("later") / kDiffusionWeights);
  EXPECT_GT(all.size(), 100U);
  size_t number = 0;
  for (const auto& [name, tensor] : all) {
    if (number++ % 8 != 0) continue;  // of each kind some
    nn::StateDict others = all;
    others.erase(name);
    nn::save(others, folder.file(kDiffusionWeights));
    EXPECT_THAT(said(), EndsWith("the tensor \"" + name + "\" is missing."));
  }
  nn::StateDict more = all;
  more.insert_or_assign("conv_out.bias", Tensor::ones({1}, DType::Int64).realize());
  nn::save(more, folder.file(kDiffusionWeights));
  EXPECT_THAT(said(), EndsWith("the tensor \"conv_out.bias\" has elements of int64, which are no "
                               "floats."));
}

TEST_F(WrongDiffusions, NeedMoreMemoryThanThereIs) {
  EXPECT_THAT(said({.memory = 1000}), HasSubstr("Hint: choose a smaller model."));
  EXPECT_EQ(said({.memory = uint64_t{1} << 30}), "");
  // Refused before anything of that size is made.
  folder.set(kUNet, "/attn_norm_num_groups", 4);
  folder.set(kUNet, "/block_out_channels", {32768, 32768, 32768});
  EXPECT_THAT(said({.memory = uint64_t{1} << 30}), HasSubstr("Hint: choose a smaller model."));
}

}  // namespace
}  // namespace tg::models
