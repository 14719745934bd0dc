// Folders of adapters that are wrong, and calls that are: errors that name file and place. Right
// ones are in adapter_test.cpp.
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
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

const fs::path kReference = test::source_dir() / "tests/reference";

template <typename F>
std::string said_by(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

// A copy of an adapter's folder, to spoil.
class WrongAdapters : public testing::Test {
 protected:
  WrongAdapters() {
    for (const auto& e : fs::directory_iterator(kReference / "lora/llama"))
      fs::copy_file(e.path(), folder_.path() / e.path().filename());
  }

  fs::path file(const std::string& name) const { return folder_.path() / name; }
  std::string said() {
    return said_by([&] { model_.load_adapter(folder_.path()); });
  }
  std::string said_with(const std::string& key, const json& value) {
    json c = json::parse(read_file(kReference / "lora/llama/adapter_config.json"));
    c[key] = value;
    write_file(file("adapter_config.json"), c.dump());
    return said();
  }
  template <typename F>
  std::string said_with_tensors(const F& change) {
    nn::StateDict tensors = nn::load(kReference / "lora/llama/adapter_model.safetensors");
    change(tensors);
    nn::save(tensors, file("adapter_model.safetensors"));
    return said();
  }

  const TempDir folder_{"wrong_adapter"};
  LanguageModel model_ = LanguageModel::load(kReference / "language_models/llama", {.context = 64});
};

TEST_F(WrongAdapters, LackFiles) {
  EXPECT_EQ(said(), "");
  fs::remove(file("adapter_model.safetensors"));
  EXPECT_THAT(said(), HasSubstr("adapter_model.safetensors"));
  fs::remove(file("adapter_config.json"));
  EXPECT_THAT(said(), HasSubstr("adapter_config.json\": No such file"));
}

TEST_F(WrongAdapters, HaveSettingsThatAreNone) {
  write_file(file("adapter_config.json"), "[]");
  EXPECT_THAT(said(), EndsWith("adapter_config.json: is no object."));
  write_file(file("adapter_config.json"), "{");
  EXPECT_THAT(said(), HasSubstr("adapter_config.json: is not JSON at byte"));
  write_file(file("adapter_config.json"), "{}");
  EXPECT_THAT(said(), EndsWith("adapter_config.json.peft_type: is missing."));
  EXPECT_THAT(said_with("r", "8"), EndsWith("adapter_config.json.r: is no whole number."));
  EXPECT_THAT(said_with("r", 0), EndsWith(".r: is 0, and may be 1 to 65536."));
  EXPECT_THAT(said_with("lora_alpha", nullptr), EndsWith(".lora_alpha: is missing."));
  EXPECT_THAT(said_with("lora_dropout", 1.5),
              EndsWith(".lora_dropout: is 1.5, not at least 0 and below 1."));
  EXPECT_THAT(said_with("target_modules", nullptr), EndsWith(".target_modules: is missing."));
  EXPECT_THAT(said_with("target_modules", json::array({3})), HasSubstr(".target_modules"));
}

TEST_F(WrongAdapters, AskForWhatIsNotSupported) {
  EXPECT_THAT(said_with("peft_type", "LOHA"),
              EndsWith(".peft_type: is \"LOHA\", and only \"LORA\" is supported."));
  EXPECT_THAT(said_with("bias", "all"),
              EndsWith(".bias: is \"all\", and only \"none\" is supported."));
  EXPECT_THAT(said_with("init_lora_weights", "pissa_niter_4"),
              EndsWith(".init_lora_weights: is \"pissa_niter_4\", which changes the weights of the "
                       "model itself."));
  for (const char* name : {"use_dora", "lora_bias", "use_qalora", "some_future_flag"})
    EXPECT_THAT(said_with(name, true),
                EndsWith(std::string(name) + ": is a setting that is not supported here."));
  EXPECT_THAT(said_with("modules_to_save", {"lm_head"}), HasSubstr("modules_to_save"));
  EXPECT_THAT(said_with("alpha_pattern", {{"q_proj", 3}}), HasSubstr("alpha_pattern"));
  EXPECT_EQ(said_with("some_future_flag", false), "");
  EXPECT_EQ(said_with("init_lora_weights", "gaussian"), "");
}

TEST_F(WrongAdapters, HaveOtherTensors) {
  const std::string a = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight",
                    b = "base_model.model.model.layers.1.mlp.up_proj.lora_B.weight";
  EXPECT_THAT(said_with_tensors([&](auto& t) { t.erase(a); }),
              AllOf(HasSubstr("adapter_model.safetensors"),
                    EndsWith("the tensor \"" + a + "\" is missing.")));
  EXPECT_THAT(said_with_tensors([&](auto& t) {
                t.erase(b);
                t.erase("base_model.model.model.layers.1.mlp.up_proj.lora_A.weight");
              }),
              EndsWith("up_proj.lora_A.weight\" is missing."));
  EXPECT_THAT(said_with_tensors([&](auto& t) {
                t.at(b) = Tensor::zeros({32, 3});
              }),
              EndsWith("\"" + b + "\" has the shape [32, 3], and the settings ask for [32, 4]."));
  EXPECT_THAT(said_with_tensors([&](auto& t) { t.at(a) = Tensor::zeros({4}); }),
              HasSubstr("has the shape [4]"));
  EXPECT_THAT(said_with_tensors([&](auto& t) { t.at(a) = t.at(a).cast(DType::Int32); }),
              HasSubstr("which are no floats"));
  EXPECT_THAT(said_with_tensors(
                  [&](auto& t) { t.emplace("base_model.model.lm_head.lora_A.weight", 1.0F); }),
              HasSubstr("has tensors that a model of its settings does not: "
                        "\"base_model.model.lm_head.lora_A.weight\""));
  EXPECT_THAT(said_with_tensors([&](auto& t) { t.clear(); }), HasSubstr("is missing"));
  write_file(file("adapter_model.safetensors"), "short");
  EXPECT_THAT(said(), HasSubstr("adapter_model.safetensors"));
}

TEST_F(WrongAdapters, LeaveTheModelAsItWas) {
  const std::vector<int32_t> tokens = {1, 2, 3, 4};
  const auto before = model_.logits(tokens).to_vector<float>();
  EXPECT_NE(said_with("r", 0), "");
  EXPECT_EQ(model_.adapter(), nullptr);
  EXPECT_EQ(model_.logits(tokens).to_vector<float>(), before);
}

TEST_F(WrongAdapters, OfAnotherModel) {
  EXPECT_THAT(said_by([&] { model_.load_adapter(kReference / "lora/gpt2"); }),
              HasSubstr("has tensors that a model of its settings does not"));
  EXPECT_THAT(said_by([&] {
                LanguageModel::load(kReference / "language_models/gpt2",
                                    {.context = 64, .adapter = folder_.path()});
              }),
              HasSubstr("LanguageModel::load: "));
}

TEST(AdapterMistakes, AreNamed) {
  LanguageModel m = LanguageModel::load(kReference / "language_models/llama", {.context = 64});
  EXPECT_EQ(said_by([&] { m.add_adapter({.rank = 0}); }),
            "add_adapter: rank must be 1 to 65536, got 0.");
  EXPECT_EQ(said_by([&] { m.add_adapter({.dropout = 1}); }),
            "add_adapter: dropout must be at least 0 and below 1, got 1.");
  EXPECT_EQ(said_by([&] {
              m.add_adapter({.targets = {"q_proj", "c_attn"}});
            }),
            "add_adapter: no layer of the model is called \"c_attn\". Hint: it has down_proj, "
            "gate_proj, k_proj, o_proj, q_proj, up_proj, v_proj.");
  EXPECT_THAT(said_by([&] { m.add_adapter({.targets = {}}); }), HasSubstr("no targets are named"));
  EXPECT_EQ(said_by([&] { m.save_adapter("nowhere"); }),
            "save_adapter: the model has no adapter. Hint: give it one by add_adapter or "
            "load_adapter.");
  EXPECT_THAT(said_by([&] { m.merge_adapter(); }), HasSubstr("the model has no adapter"));
  EXPECT_THAT(said_by([&] { m.forward(Tensor::zeros({3}, {.dtype = DType::Int32})); }),
              HasSubstr("takes tokens [texts, length] of 1 to 64 positions, the context, got [3]"));
  EXPECT_THAT(said_by([&] {
                m.forward(Tensor::zeros({1, 65}, {.dtype = DType::Int32}));
              }),
              HasSubstr("got [1, 65]"));
}

TEST(AdapterMistakes, MergingIntoQuantisedWeights) {
  LanguageModel m = LanguageModel::load(kReference / "language_models/gguf/llama.gguf",
                                        {.context = 64, .adapter = kReference / "lora/quantised"});
  EXPECT_EQ(said_by([&] { m.merge_adapter(); }),
            "merge_adapter: the weights of model.layers.0.self_attn.q_proj are quantised: what is "
            "added to them would be rounded to their few bits. Hint: keep the adapter beside them, "
            "or load the model in float16.");
  EXPECT_NE(m.adapter(), nullptr);
}

TEST(AdapterMistakes, ExpertsHaveNoAdapters) {
  LanguageModel m = LanguageModel::load(kReference / "language_models/mixtral", {.context = 64});
  EXPECT_THAT(said_by([&] { m.add_adapter({.targets = {"w1"}}); }),
              HasSubstr("no layer of the model is called \"w1\""));
}

}  // namespace
}  // namespace tg::models
