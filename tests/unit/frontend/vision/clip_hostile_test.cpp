// Folders of CLIP that are wrong are refused with file and place, and those that say the same in
// other words are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "tg/error.h"
#include "tg/models/clip.h"
#include "tg/nn.h"
#include "unit/frontend/vision/clip_folder.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kConfig = "config.json", kPictures = "preprocessor_config.json",
                  kWeights = "model.safetensors";

class WrongClips : public testing::Test {
 protected:
  std::string said(const ClipOptions& o = {}) const {
    return test::error_text([&] { Clip::load(folder.path(), o); });
  }
  // What is said of one file with a member changed or removed.
  std::string said_with(const std::string& name, const std::string& pointer,
                        const json& value) const {
    return folder.with(name, pointer, value, [&] { return said(); });
  }
  std::string said_of(const std::string& pointer, const json& value) const {
    return said_with(kConfig, pointer, value);
  }
  std::string said_of_pictures(const std::string& member, const json& value) const {
    return said_with(kPictures, "/" + member, value);
  }
  ImagePreprocessing pictures_with(const json& content) const {
    write_file(folder.file(kPictures), content.dump());
    return Clip::load(folder.path()).preprocessing();
  }

  const ClipCopy folder{"later"};
};

TEST_F(WrongClips, LackFiles) {
  EXPECT_EQ(said(), "");
  for (const std::string& name : {kWeights, kConfig}) {
    fs::remove(folder.file(name));
    EXPECT_THAT(said(), StartsWith("Clip::load: \"")) << name;
    EXPECT_THAT(said(), HasSubstr(name)) << name;
  }
  write_file(folder.file(kConfig), "{");
  EXPECT_THAT(said(), EndsWith("config.json: is not JSON at byte 2."));
  write_file(folder.file(kConfig), "[]");
  EXPECT_THAT(said(), EndsWith("config.json: is no object."));
}

TEST_F(WrongClips, HaveSettingsOutOfRange) {
  EXPECT_THAT(said_of("/model_type", "siglip"),
              EndsWith("config.json.model_type: is \"siglip\", and must be \"clip\"."));
  EXPECT_THAT(said_of("/model_type", nullptr), EndsWith("config.json.model_type: is missing."));
  EXPECT_THAT(said_of("/text_config", nullptr), EndsWith("config.json.text_config: is missing."));
  EXPECT_THAT(said_of("/vision_config", nullptr),
              EndsWith("config.json.vision_config: is missing."));
  EXPECT_THAT(said_of("/vision_config", 3), EndsWith("config.json.vision_config: is no object."));
  EXPECT_THAT(said_of("/projection_dim", 0), HasSubstr("config.json.projection_dim: is 0"));
  for (const char* const half : {"text_config", "vision_config"}) {
    const std::string at = std::string("/") + half, place = std::string("config.json.") + half;
    for (const char* const name :
         {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"}) {
      EXPECT_THAT(said_of(at + "/" + name, int64_t{1} << 40),
                  HasSubstr(place + "." + name + ": is 1099511627776, and may be 1 to"));
      EXPECT_THAT(said_of(at + "/" + name, "two"),
                  EndsWith(place + "." + name + ": is no whole number."));
    }
    EXPECT_THAT(said_of(at + "/num_attention_heads", 5),
                HasSubstr(place + ".num_attention_heads: is 5, which does not divide "));
    EXPECT_THAT(said_of(at + "/hidden_act", "mish"),
                EndsWith(place + ".hidden_act: is an activation that is not supported: \"mish\"."));
    EXPECT_THAT(said_of(at + "/layer_norm_eps", -1), HasSubstr(place + ".layer_norm_eps: is -1"));
    EXPECT_THAT(said_of(at + "/rotary_base", 3),
                EndsWith(place + ".rotary_base: is a setting that is not supported here."));
  }
  EXPECT_THAT(said_of("/new_half", 3),
              EndsWith("config.json.new_half: is a setting that is not supported here."));
}

TEST_F(WrongClips, HaveTextsOrPicturesOfWrongSizes) {
  EXPECT_THAT(said_of("/text_config/eos_token_id", 592),
              EndsWith("config.json.text_config.eos_token_id: is 592, of 592 tokens."));
  EXPECT_THAT(said_of("/text_config/eos_token_id", nullptr),
              EndsWith("config.json.text_config.eos_token_id: is 49407, of 592 tokens."));
  EXPECT_THAT(said_of("/text_config/max_position_embeddings", 1 << 20),
              HasSubstr("config.json.text_config.max_position_embeddings: is 1048576"));
  EXPECT_THAT(said_of("/vision_config/num_channels", 1),
              EndsWith("config.json.vision_config.num_channels: is not 3."));
  EXPECT_THAT(said_of("/vision_config/patch_size", 31),
              EndsWith("config.json.vision_config.patch_size: is 31, and pictures have 30 pixels a "
                       "side."));
  EXPECT_THAT(said_of("/vision_config/image_size", 38),
              EndsWith("preprocessor_config.json\" makes pictures of 30 pixels a side, and the "
                       "model sees 38."));
}

TEST_F(WrongClips, HaveWeightsMissingOrOfOtherSizes) {
  EXPECT_THAT(said_of("/projection_dim", nullptr),
              EndsWith("the tensor \"text_projection.weight\" has the shape [16, 32], and the "
                       "settings ask for [512, 32]."));
  EXPECT_THAT(
      said_of("/text_config/vocab_size", 593),
      HasSubstr("\"text_model.embeddings.token_embedding.weight\" has the shape [592, 32]"));
  EXPECT_THAT(said_of("/text_config/max_position_embeddings", 21),
              HasSubstr("\"text_model.embeddings.position_embedding.weight\" has the shape"));
  EXPECT_THAT(said_of("/text_config/num_hidden_layers", 4),
              HasSubstr("\"text_model.encoder.layers.3.layer_norm1.weight\" is missing."));
  EXPECT_THAT(said_of("/text_config/num_hidden_layers", 2),
              HasSubstr("tensors that a model of its settings does not: \"text_model.encoder."));
  EXPECT_THAT(said_of("/vision_config/patch_size", 6),
              HasSubstr("\"vision_model.embeddings.patch_embedding.weight\" has the shape "
                        "[24, 3, 8, 8], and the settings ask for [24, 3, 6, 6]."));
  EXPECT_THAT(said_of("/vision_config/intermediate_size", 50),
              HasSubstr("\"vision_model.encoder.layers.0.mlp.fc1.weight\" has the shape"));
  const std::string bytes = read_file(folder.file(kWeights));
  write_file(folder.file(kWeights), bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(said(), HasSubstr("model.safetensors"));
}

TEST_F(WrongClips, LackAnyOfTheirTensors) {
  const nn::StateDict all = nn::load(clip_reference("later") / kWeights);
  EXPECT_EQ(all.size(), 78U);
  for (const auto& [name, tensor] : all) {
    nn::StateDict others = all;
    others.erase(name);
    nn::save(others, folder.file(kWeights));
    EXPECT_THAT(said(), EndsWith("the tensor \"" + name + "\" is missing."));
  }
  nn::StateDict more = all;
  more.insert_or_assign("logit_scale", Tensor(1e9F).realize());
  nn::save(more, folder.file(kWeights));
  EXPECT_THAT(said(), EndsWith("the tensor \"logit_scale\" is the logarithm of no number."));
  more.insert_or_assign("logit_scale", Tensor::ones({1}, DType::Int64).realize());
  nn::save(more, folder.file(kWeights));
  EXPECT_THAT(said(), HasSubstr("the tensor \"logit_scale\" has the shape [1]"));
}

TEST_F(WrongClips, WantPicturesThatAreNotSupported) {
  EXPECT_THAT(said_of_pictures("do_resize", false),
              EndsWith("preprocessor_config.json.do_resize: is false, which is not supported."));
  EXPECT_THAT(said_of_pictures("do_rescale", false),
              EndsWith("preprocessor_config.json.do_rescale: is false, which is not supported."));
  EXPECT_THAT(said_of_pictures("rescale_factor", 1),
              EndsWith("rescale_factor: is not 1/255, which is not supported."));
  EXPECT_THAT(said_of_pictures("do_center_crop", false),
              EndsWith("do_center_crop: is false, which leaves pictures that are no squares."));
  EXPECT_THAT(said_of_pictures("resample", 0),
              EndsWith("resample: is neither 2 (bilinear) nor 3 (bicubic)."));
  EXPECT_THAT(said_of_pictures("image_mean", {1, 2}),
              EndsWith("image_mean: are not three numbers."));
  EXPECT_THAT(said_of_pictures("image_std", {1, 1, 0}), EndsWith("image_std: is not above 0."));
  EXPECT_THAT(said_of_pictures("size", "large"), EndsWith("size: is no whole number."));
  EXPECT_THAT(said_of_pictures("size", {{"longest_edge", 30}}),
              EndsWith("size.height: is missing."));
  EXPECT_THAT(said_of_pictures("size", {{"height", 30}, {"width", 31}}),
              EndsWith("size: is no square, which is not supported."));
  EXPECT_THAT(said_of_pictures("size", {{"shortest_edge", 29}}),
              EndsWith("crop_size: is 30 of pictures of 29, which is not supported."));
  EXPECT_THAT(said_of_pictures("size", {{"height", 31}, {"width", 31}}),
              EndsWith("crop_size: is 30 of pictures of 31, which is not supported."));
  EXPECT_THAT(said_of_pictures("crop_size", 29),
              EndsWith("makes pictures of 29 pixels a side, and the model sees 30."));
  EXPECT_THAT(said_of_pictures("do_pad", true),
              EndsWith("do_pad: is a setting that is not supported here."));
}

TEST_F(WrongClips, NeedMoreMemoryThanThereIs) {
  EXPECT_THAT(said({.memory = 1000}), HasSubstr("Hint: choose a smaller model."));
  EXPECT_EQ(said({.memory = uint64_t{1} << 30}), "");
}

// ---- right ones

TEST_F(WrongClips, AreRightWithThePicturesOfCLIPByDefault) {
  const ImagePreprocessing p = pictures_with(json::object());
  EXPECT_EQ(p.resize, 30);
  EXPECT_EQ(p.crop, 30);
  EXPECT_EQ(p.filter, images::Filter::Bicubic);
  EXPECT_EQ(p.mean, (images::PerChannel{0.48145466, 0.4578275, 0.40821073}));
  fs::remove(folder.file(kPictures));
  EXPECT_EQ(Clip::load(folder.path()).preprocessing().std,
            (images::PerChannel{0.26862954, 0.26130258, 0.27577711}));
}

TEST_F(WrongClips, AreRightWithSquaresOfWholePictures) {
  const ImagePreprocessing p = pictures_with({{"size", {{"height", 30}, {"width", 30}}},
                                              {"do_center_crop", false},
                                              {"do_normalize", false}});
  EXPECT_EQ(p.resize, 0);
  EXPECT_EQ(p.crop, 30);
  EXPECT_EQ(p.mean, (images::PerChannel{0, 0, 0}));
  EXPECT_EQ(p.std, (images::PerChannel{1, 1, 1}));
}

TEST_F(WrongClips, AreRightWithTheSettingsOfAHalfTwice) {
  const json config = json::parse(read_file(folder.file(kConfig)));
  folder.set(kConfig, "/text_config_dict", config["text_config"]);
  folder.set(kConfig, "/vision_config_dict", config["vision_config"]);
  folder.set(kConfig, "/text_config/hidden_size", 99);
  folder.set(kConfig, "/vision_config/hidden_size", 99);
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace tg::models
