// Language models whose files are wrong or meant to harm: an error that names file and place,
// before memory is taken for what they claim. Right ones are in reference_test.cpp and
// gguf_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/models/language_model.h"
#include "tg/nn.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;

const fs::path kReference = test::source_dir() / "tests/reference/language_models";

// A copy of a model's folder, to spoil.
class WrongLanguageModels : public testing::Test {
 protected:
  void SetUp() override { copy("llama"); }

  void copy(const std::string& family) {
    for (const auto& e : fs::directory_iterator(kReference / family))
      fs::copy_file(e.path(), folder_.path() / e.path().filename(),
                    fs::copy_options::overwrite_existing);
  }
  json config() const { return json::parse(read_file(file("config.json"))); }
  fs::path file(const std::string& name) const { return folder_.path() / name; }

  // What is said of the model; empty if it is taken.
  std::string said(const LanguageModelOptions& o = {}) const {
    try {
      LanguageModel::load(folder_.path(), o);
    } catch (const FileError& e) {
      return e.what();
    } catch (const ArgumentError& e) {
      return e.what();
    }
    return {};
  }
  std::string said_with(const std::string& key, const json& value) const {
    json c = json::parse(read_file(kReference / "llama/config.json"));
    c[key] = value;
    write_file(file("config.json"), c.dump());
    return said();
  }

  const TempDir folder_{"language_model"};
};

TEST_F(WrongLanguageModels, LackFiles) {
  EXPECT_EQ(said(), "");
  fs::remove(file("model.safetensors"));
  EXPECT_THAT(said(), EndsWith("has neither model.safetensors nor model.safetensors.index.json."));
  fs::remove(file("config.json"));
  EXPECT_THAT(said(), HasSubstr("config.json\": No such file"));
}

TEST_F(WrongLanguageModels, HaveSettingsThatAreNone) {
  write_file(file("config.json"), "[]");
  EXPECT_THAT(said(), EndsWith("config.json: is no object."));
  write_file(file("config.json"), "{");
  EXPECT_THAT(said(), HasSubstr("config.json: is not JSON at byte"));
  write_file(file("config.json"), "{}");
  EXPECT_THAT(said(), EndsWith("config.json.model_type: is missing."));
}

TEST_F(WrongLanguageModels, AskForWhatIsNotSupported) {
  EXPECT_THAT(said_with("model_type", "neural"),
              HasSubstr("config.json.model_type: is a family that is not supported: \"neural\""));
  EXPECT_THAT(
      said_with("hidden_act", "sine"),
      EndsWith("config.json.hidden_act: is an activation that is not supported: \"sine\"."));
  EXPECT_THAT(
      said_with("quantization_config", {{"quant_method", "gptq"}}),
      EndsWith("config.json.quantization_config: is a setting that is not supported here."));
  EXPECT_THAT(said_with("rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}),
              EndsWith("config.json.rope_scaling.rope_type: is a scaling that is not supported: "
                       "\"dynamic\"."));
  EXPECT_THAT(said_with("rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}, {"phase", 1}}),
              EndsWith("config.json.rope_scaling.phase: is a setting that is not supported here."));
  EXPECT_EQ(said_with("some_future_flag", false), "");
}

TEST_F(WrongLanguageModels, HaveAbsurdSizes) {
  for (const json& size : {json(-1), json(0), json(int64_t{1} << 40), json(UINT64_MAX)}) {
    EXPECT_THAT(said_with("hidden_size", size),
                HasSubstr("config.json.hidden_size: is " + size.dump()));
    EXPECT_THAT(said_with("num_hidden_layers", size), HasSubstr(".num_hidden_layers: is "));
    EXPECT_THAT(said_with("vocab_size", size), HasSubstr(".vocab_size: is "));
  }
  EXPECT_THAT(said_with("hidden_size", 1.5), EndsWith(".hidden_size: is no whole number."));
  EXPECT_THAT(said_with("num_attention_heads", 5),
              EndsWith(".num_key_value_heads: is 2, which does not divide 5."));
  EXPECT_THAT(said_with("rms_norm_eps", -1), EndsWith(".rms_norm_eps: is -1, not above 0."));
  EXPECT_THAT(said_with("head_dim", 7), HasSubstr("7 elements of a head to turn"));
}

TEST_F(WrongLanguageModels, HaveTensorsOfOtherShapes) {
  EXPECT_THAT(said_with("intermediate_size", 33),
              EndsWith("has the shape [32, 32], and the settings ask for [33, 32]."));
  EXPECT_THAT(said_with("num_hidden_layers", 3),
              EndsWith("the tensor \"model.layers.2.input_layernorm.weight\" is missing."));
  EXPECT_THAT(said_with("num_hidden_layers", 1),
              HasSubstr("has tensors that a model of its settings does not: "
                        "\"model.layers.1.input_layernorm.weight\""));
  EXPECT_THAT(said_with("attention_bias", true),
              EndsWith("the tensor \"model.layers.0.self_attn.q_proj.bias\" is missing."));
}

TEST_F(WrongLanguageModels, HaveTensorsThatAreNoFloats) {
  nn::StateDict tensors = nn::load(file("model.safetensors"));
  tensors.at("model.norm.weight") = Tensor::ones({32}, DType::Int32).realize();
  nn::save(tensors, file("model.safetensors"));
  EXPECT_THAT(said(), HasSubstr("\"model.norm.weight\" has elements of int32"));
}

TEST_F(WrongLanguageModels, AreCutOff) {
  const std::string bytes = read_file(file("model.safetensors"));
  for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() - 1}) {
    write_file(file("model.safetensors"), std::string_view(bytes).substr(0, size));
    EXPECT_THAT(said(), HasSubstr("model.safetensors")) << size;
  }
}

TEST_F(WrongLanguageModels, LackAFileOfSeveral) {
  fs::remove(file("model.safetensors"));
  copy("llama_with_biases");
  EXPECT_EQ(said(), "");
  fs::remove(file("model-00002-of-00003.safetensors"));
  EXPECT_THAT(said(), HasSubstr("model-00002-of-00003.safetensors"));
}

TEST_F(WrongLanguageModels, AreTooLargeForTheMemory) {
  EXPECT_THAT(said({.memory = 1000}),
              HasSubstr("takes 0.00 GiB, weights 0.00 and keys and values of 256 positions 0.00, "
                        "and 0.00 are free. Hint: choose a smaller context"));
  EXPECT_EQ(said({.memory = 1 << 20}), "");
  EXPECT_THAT(said({.context = 257}), HasSubstr("context must be 1 to 256"));
  EXPECT_THAT(said({.context = -1}), HasSubstr("context must be 1 to 256"));
  EXPECT_THAT(said({.chunk = 0}), HasSubstr("chunk must be 1 to 4096, got 0"));
}

// ---- GGUF

std::string said_of_gguf(const std::string& bytes) {
  const TempDir folder("language_model");
  write_file(folder.path() / "model.gguf", bytes);
  try {
    LanguageModel::load(folder.path() / "model.gguf");
  } catch (const FileError& e) {
    return e.what();
  }
  return {};
}

std::string good_gguf() { return read_file(kReference / "gguf/llama.gguf"); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(WrongGgufModels, AreCutOff) {
  const std::string bytes = good_gguf();
  EXPECT_EQ(said_of_gguf(bytes), "");
  for (const size_t size : {size_t{0}, size_t{3}, size_t{30}, size_t{500}, bytes.size() - 1})
    EXPECT_THAT(said_of_gguf(bytes.substr(0, size)), HasSubstr("model.gguf")) << size;
}

TEST(WrongGgufModels, LackFactsOrAreOfOtherFamilies) {
  const std::string bytes = good_gguf();
  EXPECT_THAT(said_of_gguf(replaced(bytes, "llama.block_count", "llama.block_coun_")),
              EndsWith("model.gguf: llama.block_count: is missing."));
  EXPECT_THAT(said_of_gguf(replaced(bytes, "general.architecture", "general.architectura")),
              EndsWith("model.gguf: general.architecture: is missing."));
  EXPECT_THAT(said_of_gguf(replaced(bytes, "llama.vocab_size", "llama.vocab_kind")),
              EndsWith("model.gguf: llama.vocab_kind: is a setting that is not supported here."));
  std::string other = bytes;
  for (size_t at = other.find("llama"); at != std::string::npos; at = other.find("llama", at))
    other.replace(at, 5, "lamma");
  EXPECT_THAT(said_of_gguf(other), HasSubstr("is a family that is not supported: \"lamma\""));
}

TEST(WrongGgufModels, LackTensorsOrHaveOthers) {
  const std::string bytes = good_gguf();
  EXPECT_THAT(said_of_gguf(replaced(bytes, "blk.1.ffn_up.weight", "blk.1.ffn_uq.weight")),
              EndsWith("the tensor \"blk.1.ffn_up.weight\" is missing."));
  EXPECT_THAT(said_of_gguf(replaced(bytes, "token_embd.weight", "token_embe.weight")),
              EndsWith("model.gguf: token_embd.weight: is no tensor of two axes."));
  EXPECT_THAT(
      said_of_gguf(replaced(bytes, "rope_freqs.weight", "rope_freqt.weight")),
      HasSubstr("has tensors that a model of its settings does not: \"rope_freqt.weight\""));
}

}  // namespace
}  // namespace tg::models
