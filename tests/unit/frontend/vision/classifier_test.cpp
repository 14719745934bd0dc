// Classifiers from files: what network a file is of, folders of Hugging Face (networks.json has
// what `transformers` gives), names of classes, and files that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/models/image_classifier.h"
#include "tg/random.h"
#include "tg/state.h"
#include "unit/frontend/vision/formula.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;

const std::string kSmallest = "mobilenet_v3_small";

Tensor photo() { return images::read(vision_reference() / "baseline.jpg"); }

// A file with the weights of the smallest network, to load and to spoil.
class ImageClassifiers : public testing::Test {
 protected:
  void write(const nn::StateDict& tensors) const { nn::save(tensors, file()); }
  void write_weights() const { write(weights()); }
  fs::path file(const std::string& name = "weights.safetensors") const {
    return folder_.path() / name;
  }
  fs::path written(const std::string& name, const std::string& text) const {
    write_file(file(name), text);
    return file(name);
  }
  std::string said(const ImageClassifierOptions& o = {}) const {
    try {
      ImageClassifier::load(file(), o);
    } catch (const FileError& e) {
      return e.what();
    } catch (const ArgumentError& e) {
      return e.what();
    }
    return {};
  }
  static nn::StateDict weights() {
    ImageNetwork net = image_network(kSmallest, {.classes = 16});
    fill_by_formula(net);
    nn::StateDict out;
    for (const auto& [name, tensor] : nn::state_dict(net)) out.emplace(name, tensor.detach());
    return out;
  }

  const TempDir folder_{"classifier"};
};

TEST_F(ImageClassifiers, KnowTheirClassesAndPicturesAgainFromASavedNetwork) {
  ImageNetwork net = image_network(kSmallest, {.classes = 2});
  fill_by_formula(net);
  const ImagePreprocessing small{.resize = 40,
                                 .crop = 32,
                                 .filter = images::Filter::Bicubic,
                                 .mean = {0.1, 0.2, 0.3},
                                 .std = {0.5, 0.6, 0.7},
                                 .crop_rounds_down = true};
  save_image_network(net, file(), {"a \"cat\"", "dog"}, small);
  ImageClassifier c = ImageClassifier::load(file());
  EXPECT_EQ(c.info().labels, (std::vector<std::string>{"a \"cat\"", "dog"}));
  EXPECT_EQ(c.preprocessing().resize, 40);
  EXPECT_EQ(c.preprocessing().filter, images::Filter::Bicubic);
  EXPECT_EQ(c.preprocessing().mean, small.mean);
  EXPECT_EQ(c.preprocessing().std, small.std);
  EXPECT_TRUE(c.preprocessing().crop_rounds_down);
  const Tensor x = c.preprocess(photo()).unsqueeze(0);
  EXPECT_EQ(x.shape(), (Shape{1, 3, 32, 32}));
  EXPECT_EQ(c.logits(x).to_vector<float>(), net(x).to_vector<float>());
  // Names from a file go before those in the weights.
  ImageClassifier named =
      ImageClassifier::load(file(), {.labels = written("names.txt", "one\ntwo\n")});
  EXPECT_EQ(named.info().labels, (std::vector<std::string>{"one", "two"}));
  save_image_network(net, file());
  EXPECT_TRUE(ImageClassifier::load(file()).info().labels.empty());
}

TEST_F(ImageClassifiers, RefuseWrongFactsInAFileOfWeights) {
  const nn::StateDict tensors = weights();
  const auto said_of = [&](const std::string& labels, const std::string& preprocessing) {
    nn::save(tensors, file(), {{"labels", labels}, {"preprocessing", preprocessing}});
    return said();
  };
  const std::string good =
      R"({"resize":40,"crop":32,"filter":"bilinear","mean":[0,0,0],"std":[1,1,1]})";
  const auto with = [&](const std::string& name, const json& value) {
    json changed = json::parse(good);
    changed[name] = value;
    return changed.dump();
  };
  EXPECT_EQ(said_of("[]", good), "");
  EXPECT_THAT(said_of("[\"one\"]", good), HasSubstr("has 1 names for 16 classes"));
  EXPECT_THAT(said_of("[1]", good), HasSubstr("weights.safetensors: labels"));
  EXPECT_THAT(said_of("no json", good), HasSubstr("weights.safetensors: labels"));
  EXPECT_THAT(said_of("[]", "[]"), HasSubstr("weights.safetensors: preprocessing"));
  EXPECT_THAT(said_of("[]", with("crop", 0)), HasSubstr("crop"));
  EXPECT_THAT(said_of("[]", with("crop", 1 << 20)), HasSubstr("crop"));
  EXPECT_THAT(said_of("[]", with("resize", 31)), HasSubstr("is below crop"));
  EXPECT_THAT(said_of("[]", with("filter", "nearest")), HasSubstr("is no filter"));
  EXPECT_THAT(said_of("[]", with("mean", {1, 2})), HasSubstr("are not three numbers"));
  EXPECT_THAT(said_of("[]", with("std", {1, 1, 0})), HasSubstr("is not above 0"));
  // Metadata of another program.
  nn::save(tensors, file(), {{"labels", "mine"}});
  EXPECT_EQ(said(), "");
}

TEST_F(ImageClassifiers, AreNotSavedWithWrongFacts) {
  ImageNetwork net = image_network(kSmallest, {.classes = 2});
  const auto said_of = [&](const std::vector<std::string>& labels, const ImagePreprocessing& p) {
    try {
      save_image_network(net, file(), labels, p);
    } catch (const ArgumentError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(said_of({"one"}, {}), "save_image_network: 1 names for 2 classes.");
  EXPECT_EQ(said_of({}, {.resize = 16, .crop = 32}),
            "save_image_network: crop must be 1 to 8192, and resize 0 or from crop to 8192, got 32 "
            "and 16.");
}

TEST_F(ImageClassifiers, GuessTheArchitectureAndGiveItsLogits) {
  nn::StateDict tensors;
  for (const auto& [name, tensor] : weights()) tensors.emplace("module." + name, tensor);
  tensors.emplace("module.features.0.1.num_batches_tracked", Tensor::ones({1}, DType::Int64));
  write(tensors);
  uint64_t done = 0, all = 0;
  ImageClassifier c = ImageClassifier::load(file(), {.progress = [&](uint64_t d, uint64_t a) {
                                              done = d;
                                              all = a;
                                            }});
  EXPECT_EQ(c.info().architecture, "mobilenet_v3_small");
  EXPECT_EQ(c.info().classes, 16);
  EXPECT_EQ(c.info().parameters, [] {
    int64_t n = 0;
    for (const auto& [name, tensor] : weights()) n += tensor.numel();
    return n;
  }());
  EXPECT_EQ(done, fs::file_size(file()));
  EXPECT_EQ(all, done);
  const json& wanted = network_reference().at("torchvision").at("mobilenet_v3_small");
  const Tensor pictures = formula_pictures(64);
  for (int call = 0; call < 3; ++call) {  // computed, recorded, replayed
    expect_close(c.logits(pictures), wanted.at("logits"), 1e-4);
  }
  const auto both = wanted.at("logits").get<std::vector<double>>();
  expect_close(c.logits(pictures.shrink({{0, 1}, {0, 3}, {0, 64}, {0, 64}}).contiguous()),
               std::vector<double>(both.begin(), both.begin() + 16), 1e-4);
}

TEST_F(ImageClassifiers, NameTheClassesOfAPicture) {
  write_weights();
  std::string lines;
  json list = json::array(), by_number = json::object();
  for (int i = 0; i < 16; ++i) {
    const std::string name = "kind " + std::to_string(i);
    lines += name + "\r\n";
    list.push_back(name);
    by_number[std::to_string(i)] = {"n00", name};
  }
  std::vector<ImageGuess> first;
  for (const fs::path& labels : {written("a.txt", lines), written("b.json", list.dump()),
                                 written("c.json", by_number.dump())}) {
    ImageClassifier c =
        ImageClassifier::load(file(), {.architecture = kSmallest, .labels = labels});
    const auto guesses = c.classify(photo(), 16);
    ASSERT_EQ(guesses.size(), 16U);
    double sum = 0;
    double before = 1;
    for (const ImageGuess& g : guesses) {
      EXPECT_EQ(g.label, "kind " + std::to_string(g.index));
      EXPECT_LE(g.probability, before);
      before = g.probability;
      sum += g.probability;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    if (first.empty()) first = guesses;
    EXPECT_EQ(guesses[0].index, first[0].index);
  }
  ImageClassifier c = ImageClassifier::load(file());
  const auto two = c.classify({photo(), photo()}, 3);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].size(), 3U);
  EXPECT_EQ(two[1][0].label, "class " + std::to_string(first[0].index));
  EXPECT_NEAR(two[1][0].probability, first[0].probability, 1e-5);
  EXPECT_THROW(c.classify(photo(), 0), ArgumentError);
  EXPECT_THROW(c.logits(photo()), ShapeError);
  c.preprocessing().crop = 300;
  EXPECT_THROW(c.preprocess(photo()), ArgumentError);
}

TEST_F(ImageClassifiers, LeaveTheRandomNumbersAsTheyWere) {
  write_weights();
  manual_seed(7);
  const auto wanted = Tensor::rand({4}).to_vector<float>();
  manual_seed(7);
  ImageClassifier::load(file());
  EXPECT_EQ(Tensor::rand({4}).to_vector<float>(), wanted);
}

TEST_F(ImageClassifiers, AreTrainedFurther) {
  write_weights();
  ImageClassifier c = ImageClassifier::load(file());
  const Tensor before = c.logits(formula_pictures(32)).clone().realize();
  {
    const TrainingScope training;
    nn::SGD sgd(c.network(), {.lr = 0.01});
    sgd.step(c.network()(formula_pictures(32)).cross_entropy(Tensor{1, 2}));
  }
  EXPECT_NE(c.logits(formula_pictures(32)).to_vector<float>(), before.to_vector<float>());
}

// ---- Hugging Face

class HuggingFaceClassifiers : public ImageClassifiers,
                               public testing::WithParamInterface<std::string> {
 protected:
  const json& reference() const { return network_reference().at("hugging_face").at(GetParam()); }
  void write_folder() const {
    nn::StateDict tensors;
    for (const auto& [name, shape] : reference().at("shapes").items()) {
      const Shape sizes = shape.get<Shape>();
      if (!sizes.empty()) tensors.emplace(name, formula_tensor(name, sizes));
    }
    nn::save(tensors, file("model.safetensors"));
    written("config.json", reference().at("config").dump());
  }
};

TEST_P(HuggingFaceClassifiers, GiveTheLogitsOfTransformers) {
  write_folder();
  ImageClassifier c = ImageClassifier::load(folder_.path());
  expect_close(c.logits(formula_pictures(64)), reference().at("logits"), 1e-4);
  ASSERT_EQ(c.info().labels.size(), 16U);
  EXPECT_EQ(c.info().labels[11], "kind 11");
}

INSTANTIATE_TEST_SUITE_P(All, HuggingFaceClassifiers,
                         testing::Values("vit", "resnet_basic", "resnet_bottleneck"),
                         [](const auto& info) { return info.param; });

// What does not depend on the network, by that with the smallest weights.
class SmallHuggingFaceClassifiers : public HuggingFaceClassifiers {
 protected:
  std::string said_with(const std::string& key, const json& value) const {
    json config = reference().at("config");
    config[key] = value;
    written("config.json", config.dump());
    try {
      ImageClassifier::load(folder_.path());
    } catch (const FileError& e) {
      return e.what();
    }
    return {};
  }
};

TEST_P(SmallHuggingFaceClassifiers, ReadWhatPicturesMustBeLike) {
  write_folder();
  written("preprocessor_config.json",
          R"({"size": {"shortest_edge": 56}, "crop_pct": 0.875, "resample": 3,
              "image_mean": [0.1, 0.2, 0.3], "image_std": [0.4, 0.5, 0.6]})");
  ImageClassifier c = ImageClassifier::load(folder_.path());
  EXPECT_EQ(c.preprocessing().resize, 64);
  EXPECT_EQ(c.preprocessing().crop, 56);
  EXPECT_EQ(c.preprocessing().filter, images::Filter::Bicubic);
  EXPECT_EQ(c.preprocessing().std, (images::PerChannel{0.4, 0.5, 0.6}));
  EXPECT_TRUE(c.preprocessing().crop_rounds_down);
  written("preprocessor_config.json", R"({"size": {"height": 64, "width": 64}})");
  EXPECT_EQ(ImageClassifier::load(folder_.path()).preprocessing().resize, 0);
}

TEST_P(SmallHuggingFaceClassifiers, AreRefusedIfTheyAreWrong) {
  write_folder();
  EXPECT_EQ(said_with("problem_type", nullptr), "");
  EXPECT_THAT(said_with("model_type", "swin"), HasSubstr("is \"swin\"; supported are resnet"));
  EXPECT_THAT(said_with("hidden_act", "relu6"), HasSubstr("only \"gelu\" is supported"));
  EXPECT_THAT(said_with("new_kind_of_layer", true), HasSubstr("new_kind_of_layer"));
  EXPECT_THAT(said_with("patch_size", 15), EndsWith("is 15, which does not divide 64."));
  EXPECT_THAT(said_with("num_attention_heads", 5), EndsWith("is 5, which does not divide 32."));
  EXPECT_THAT(said_with("hidden_size", -1), HasSubstr("hidden_size: is -1"));
  for (const char* name : {"hidden_size", "intermediate_size", "image_size", "num_hidden_layers"}) {
    EXPECT_THAT(said_with(name, int64_t{1} << 40),
                HasSubstr(": is 1099511627776, and may be 1 to"));
  }
  // The largest that is believed: refused by the file's tensors, before memory is taken for it.
  EXPECT_THAT(said_with("hidden_size", 1 << 16), HasSubstr("of another shape"));
  EXPECT_THAT(said_with("num_hidden_layers", 1 << 8), HasSubstr("missing \"encoder.layers.encod"));
  EXPECT_THAT(said_with("image_size", 1 << 13), HasSubstr("\"encoder.pos_embedding\" [1, 17, 32]"));
  EXPECT_THAT(said_with("num_hidden_layers", 3), HasSubstr("missing \"encoder.layers.encoder_lay"));
  EXPECT_THAT(said_with("num_hidden_layers", 1), HasSubstr("left over \"encoder.layers.encoder_l"));
  EXPECT_THAT(said_with("id2label", {{"0", "one"}}), EndsWith("has 1 names for 16 classes."));
  fs::remove(file("model.safetensors"));
  EXPECT_THAT(said_with("problem_type", nullptr), HasSubstr("model.safetensors\": No such file"));
}

INSTANTIATE_TEST_SUITE_P(Vit, SmallHuggingFaceClassifiers, testing::Values("vit"),
                         [](const auto& info) { return info.param; });

// ---- mistakes

TEST_F(ImageClassifiers, NameTensorsThatDoNotFit) {
  nn::StateDict tensors = weights();
  tensors.erase("features.3.block.1.0.weight");
  tensors.insert_or_assign("features.0.0.weight", Tensor::ones({16, 3, 5, 5}).realize());
  tensors.emplace("extra", Tensor::ones({2}).realize());
  write(tensors);
  const std::string wanted =
      "missing \"features.3.block.1.0.weight\"; left over \"extra\"; of another shape "
      "\"features.0.0.weight\" [16, 3, 5, 5] instead of [16, 3, 3, 3].";
  EXPECT_THAT(said(),
              EndsWith("no known architecture; the closest is mobilenet_v3_small: " + wanted));
  EXPECT_THAT(said({.architecture = "mobilenet_v3_small"}),
              EndsWith("does not have the tensors of mobilenet_v3_small: " + wanted));
  EXPECT_THAT(said({.architecture = "resnet18"}), HasSubstr(" and "));
  EXPECT_THAT(said({.architecture = "resnet-18"}), HasSubstr("no architecture \"resnet-18\""));
}

TEST_F(ImageClassifiers, RefuseFilesThatAreNone) {
  EXPECT_THAT(said(), HasSubstr("weights.safetensors\": No such file"));
  written("weights.safetensors", "{}");
  EXPECT_THAT(said(), HasSubstr("weights.safetensors"));
  write({});
  EXPECT_THAT(said(),
              HasSubstr("has the last layer of no known architecture. Hint: a file of wei"));
  nn::StateDict tensors = weights();
  tensors.insert_or_assign("classifier.3.bias", Tensor::ones({16}, DType::Int32).realize());
  write(tensors);
  EXPECT_THAT(said(), EndsWith("\"classifier.3.bias\" is int32, which is no float."));
}

TEST_F(ImageClassifiers, RefuseWrongLabels) {
  write_weights();
  const auto with = [&](const std::string& text) {
    return said({.architecture = kSmallest, .labels = written("labels", text)});
  };
  EXPECT_THAT(with("a\nb\n"), EndsWith("labels\" has 2 names for 16 classes."));
  EXPECT_THAT(with("[1, 2]"), HasSubstr("labels"));
  EXPECT_THAT(with("{\"1\": \"a\"}"), HasSubstr("0: is missing: there are 1 names"));
  EXPECT_THAT(with("[[]]"), HasSubstr("has no name"));
  EXPECT_THAT(with("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(said({.architecture = kSmallest, .labels = file("nowhere")}),
              HasSubstr("No such file"));
}

}  // namespace
}  // namespace tg::models
