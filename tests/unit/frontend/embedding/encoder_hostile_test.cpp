// Folders of encoders that are wrong or meant to harm: an error that names file and place, before
// memory is taken for what they claim. Right ones: encoder_families_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tg/error.h"
#include "tg/models/text_encoder.h"
#include "tg/nn.h"
#include "unit/frontend/embedding/word_encoder.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class WrongEncoders : public testing::Test {
 protected:
  fs::path file(const std::string& name) const { return folder_.path() / name; }

  // What is said of the model; empty if it is taken.
  std::string said(const TextEncoderOptions& o = {}) const {
    try {
      TextEncoder::load(folder_.path(), o);
    } catch (const FileError& e) {
      return e.what();
    } catch (const ArgumentError& e) {
      return e.what();
    }
    return {};
  }
  // With a member of a file changed, which is put back.
  std::string said_with(const std::string& name, const std::string& key, const json& value) const {
    const std::string before = read_file(file(name));
    json c = json::parse(before);
    c[key] = value;
    write_file(file(name), c.dump());
    std::string out = said();
    write_file(file(name), before);
    return out;
  }
  std::string said_of_config(const std::string& key, const json& value) const {
    return said_with("config.json", key, value);
  }
  std::string said_of_modules(const json& modules) const {
    write_file(file("modules.json"), modules.dump());
    return said();
  }

  const WordEncoder folder_;
};

TEST_F(WrongEncoders, LackFiles) {
  EXPECT_EQ(said(), "");
  fs::remove(file("model.safetensors"));
  EXPECT_THAT(said(), StartsWith("TextEncoder::load: "));
  EXPECT_THAT(said(), EndsWith("has neither model.safetensors nor model.safetensors.index.json."));
  fs::remove(file("config.json"));
  EXPECT_THAT(said(), HasSubstr("config.json\": No such file"));
  EXPECT_FALSE(is_text_encoder(folder_.path()));
}

TEST_F(WrongEncoders, HaveSettingsThatAreNoneOrNotSupported) {
  EXPECT_THAT(said_of_config("model_type", "llama"),
              HasSubstr("config.json.model_type: is no family of encoders that is supported: "
                        "\"llama\"; they are bert, camembert, distilbert, mpnet, roberta"));
  EXPECT_THAT(said_of_config("model_type", nullptr), EndsWith(".model_type: is missing."));
  EXPECT_THAT(said_of_config("hidden_act", "sine"), HasSubstr("not supported: \"sine\""));
  EXPECT_THAT(said_of_config("position_embedding_type", "relative_key"),
              EndsWith(".position_embedding_type: may be \"absolute\" only."));
  EXPECT_THAT(said_of_config("is_decoder", true), EndsWith(".is_decoder: is not supported."));
  EXPECT_THAT(said_of_config("embedding_size", 16),
              EndsWith("config.json.embedding_size: is a setting that is not supported here."));
  EXPECT_THAT(said_of_config("layer_norm_eps", -1), EndsWith("is -1, not above 0."));
  EXPECT_THAT(said_of_config("num_attention_heads", 5),
              EndsWith("is 5, which does not divide 32."));
  for (const json& size : {json(-1), json(0), json(int64_t{1} << 40), json(UINT64_MAX)}) {
    for (const char* key : {"hidden_size", "num_hidden_layers", "vocab_size", "intermediate_size",
                            "max_position_embeddings", "type_vocab_size"})
      EXPECT_THAT(said_of_config(key, size),
                  HasSubstr("config.json." + std::string(key) + ": is " + size.dump()));
  }
}

TEST_F(WrongEncoders, HaveTensorsOfOtherShapesOrNames) {
  EXPECT_THAT(said_of_config("intermediate_size", 41),
              EndsWith("\"encoder.layer.0.intermediate.dense.weight\" has the shape [40, 32], and "
                       "the settings ask for [41, 32]."));
  EXPECT_THAT(said_of_config("num_hidden_layers", 3),
              EndsWith("the tensor \"encoder.layer.2.attention.self.query.weight\" is missing."));
  EXPECT_THAT(said_of_config("num_hidden_layers", 1),
              HasSubstr("has tensors that a model of its settings does not: \"encoder.layer.1."));
  EXPECT_THAT(said_of_config("type_vocab_size", 3),
              HasSubstr("token_type_embeddings.weight\" has"));
  nn::StateDict tensors = nn::load(file("model.safetensors"));
  tensors["bert.embeddings.LayerNorm.bias"] = tensors.at("embeddings.LayerNorm.bias");
  nn::save(tensors, file("model.safetensors"));
  EXPECT_THAT(said(),
              EndsWith("has the tensor \"embeddings.LayerNorm.bias\" twice, by two names."));
}

TEST_F(WrongEncoders, HaveTensorsThatAreNoFloatsOrAreCutOff) {
  const std::string bytes = read_file(file("model.safetensors"));
  for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() - 1}) {
    write_file(file("model.safetensors"), std::string_view(bytes).substr(0, size));
    EXPECT_THAT(said(), HasSubstr("model.safetensors")) << size;
  }
  write_file(file("model.safetensors"), bytes);
  nn::StateDict tensors = nn::load(file("model.safetensors"));
  tensors.at("embeddings.LayerNorm.bias") = Tensor::ones({32}, DType::Int32).realize();
  nn::save(tensors, file("model.safetensors"));
  EXPECT_THAT(said(), HasSubstr("\"embeddings.LayerNorm.bias\" has elements of int32"));
}

// An index among its own files, or one that leads out of the folder, is followed nowhere.
TEST_F(WrongEncoders, HaveAnIndexOfItselfOrOfOtherFolders) {
  fs::remove(file("model.safetensors"));
  for (const char* name :
       {"model.safetensors.index.json", "../secret.safetensors", "", "/etc/passwd"}) {
    write_file(file("model.safetensors.index.json"),
               json{{"weight_map", {{"embeddings.LayerNorm.bias", name}}}}.dump());
    EXPECT_NE(said(), "") << name;
  }
  write_file(file("model.safetensors.index.json"), R"({"weight_map":[]})");
  EXPECT_THAT(said(), EndsWith("weight_map: is no object."));
}

TEST_F(WrongEncoders, HaveModulesThatAreNotSupported) {
  const std::string before = "sentence_transformers.models.";
  const json first = {{"path", ""}, {"type", before + "Transformer"}},
             pooling = {{"path", "1_Pooling"}, {"type", before + "Pooling"}};
  const auto module = [&](const std::string& type, const std::string& path = "") {
    return json{{"path", path}, {"type", before + type}};
  };
  EXPECT_EQ(said_of_modules({first, pooling, module("Normalize")}), "");
  EXPECT_THAT(said_of_modules({first, pooling, module("LSTM")}),
              EndsWith("modules.json[2].type: is a module that is not supported: "
                       "\"sentence_transformers.models.LSTM\"."));
  EXPECT_THAT(said_of_modules(json::array({first})),
              EndsWith("modules.json: has no module \"Pooling\"."));
  EXPECT_THAT(said_of_modules({pooling, first}),
              HasSubstr("[0].type: is not \"Transformer\" first"));
  EXPECT_THAT(said_of_modules({first, pooling, pooling}), HasSubstr("[2].type: is \"Pooling\""));
  EXPECT_THAT(said_of_modules(json::array()), HasSubstr("has 0 modules, and may have 1 to 16."));
  EXPECT_THAT(said_of_modules(json{{"a", 1}}), HasSubstr("modules.json: is no list"));
  for (const char* path : {"../1_Pooling", "/etc", "a/../../b"}) {
    EXPECT_THAT(said_of_modules({first, module("Pooling", path)}),
                EndsWith("path: leads out of the folder: \"" + std::string(path) + "\"."));
  }
  EXPECT_THAT(said_of_modules({first, pooling, module("Dense", "2_Dense")}),
              HasSubstr("2_Dense/config.json\": No such file"));
}

TEST_F(WrongEncoders, HaveFoldersThatAreLinksInACircle) {
  std::error_code refused;
  fs::remove_all(file("1_Pooling"));
  fs::create_directory_symlink("2_Pooling", file("1_Pooling"), refused);
  fs::create_directory_symlink("1_Pooling", file("2_Pooling"), refused);
  if (refused) GTEST_SKIP() << "the system makes no links: " << refused.message();
  EXPECT_THAT(said(), HasSubstr("1_Pooling/config.json"));
}

TEST_F(WrongEncoders, HaveModulesWithWrongSettings) {
  const std::string pooling = "1_Pooling/config.json";
  EXPECT_THAT(said_with(pooling, "pooling_mode_mean_tokens", false),
              EndsWith(".pooling_mode_mean_tokens: nor any other mode is true."));
  EXPECT_THAT(said_with(pooling, "pooling_mode_mean_tokens", "yes"),
              EndsWith("is neither true nor false."));
  EXPECT_THAT(said_with(pooling, "pooling_mode_new", true),
              EndsWith("pooling_mode_new: is a setting that is not supported here."));
  EXPECT_THAT(said_with("sentence_bert_config.json", "max_seq_length", 0),
              HasSubstr("max_seq_length: is 0, and may be 1 to"));
  EXPECT_THAT(said_with("sentence_bert_config.json", "do_lower_case", true),
              HasSubstr("do_lower_case: is true"));
  write_file(file("config_sentence_transformers.json"), R"({"default_prompt_name":"query"})");
  EXPECT_THAT(said(), EndsWith(".default_prompt_name: is no prompt: \"query\"."));
}

TEST_F(WrongEncoders, AreTooLargeForTheMemoryOrTheOptions) {
  EXPECT_THAT(
      said({.memory = 1000}),
      HasSubstr("takes 0.00 GiB, weights in float32 0.00, and 0.00 are free. Hint: choose a "
                "smaller model."));
  EXPECT_EQ(said({.memory = 1 << 20}), "");
  EXPECT_THAT(said({.longest = 129}), HasSubstr("longest must be 1 to 128"));
  EXPECT_THAT(said({.longest = -1}), HasSubstr("longest must be 1 to 128"));
}

class WrongOtherEncoders : public testing::Test {
 protected:
  static std::string said(const std::string& family, const std::string& name,
                          const std::string& key, const json& value) {
    const WordEncoder folder(family);
    json c = json::parse(read_file(folder.path() / name));
    c[key] = value;
    folder.write(name, c.dump());
    try {
      TextEncoder::load(folder.path());
    } catch (const FileError& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(WrongOtherEncoders, HaveSettingsThatDoNotFit) {
  EXPECT_THAT(said("roberta", "config.json", "pad_token_id", 48), HasSubstr("may be 0 to 47"));
  EXPECT_THAT(said("roberta", "config.json", "max_position_embeddings", 2),
              EndsWith("is 2, and the first position 2."));
  EXPECT_THAT(said("mpnet", "config.json", "relative_attention_num_buckets", 30),
              HasSubstr("is 30, and must be a multiple of 4 below 512"));
  EXPECT_THAT(said("mpnet", "config.json", "relative_attention_num_buckets", 16),
              HasSubstr("\"encoder.relative_attention_bias.weight\" has the shape [32, 4]"));
  EXPECT_THAT(said("distilbert", "config.json", "n_heads", 3), HasSubstr("does not divide 32"));
  EXPECT_THAT(said("xlm_roberta", "2_Dense/config.json", "in_features", 32),
              HasSubstr("2_Dense\" takes 32 numbers, and there are 96"));
  EXPECT_THAT(said("xlm_roberta", "2_Dense/config.json", "out_features", 25),
              HasSubstr("\"linear.weight\" has the shape [24, 96]"));
  EXPECT_THAT(said("xlm_roberta", "2_Dense/config.json", "activation_function", "x.ReLU"),
              HasSubstr("activation_function: is not supported: \"x.ReLU\""));
}

}  // namespace
}  // namespace tg::models
