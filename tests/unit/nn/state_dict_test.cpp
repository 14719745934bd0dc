// State dicts: round trips through memory and files, and refusals that change nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "nn_test_util.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/nn.h"

namespace tg::nn {
namespace {

struct NormNet {
  Linear a{3, 4};
  BatchNorm norm{4};
  template <typename F>
  void visit(F&& f) {
    f("a", a);
    f("norm", norm);
  }
};

class StateDictFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("tg_state_") + info->name() + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "net.safetensors"; }

  std::filesystem::path folder_;
};

template <typename M>
std::map<std::string, std::vector<float>> values(M& model) {
  std::map<std::string, std::vector<float>> out;
  for (const auto& [name, t] : state_dict(model)) out[name] = t.template to_vector<float>();
  return out;
}

TEST_F(StateDictFile, ASavedModelIsLoadedBitForBit) {
  NormNet from, to;
  ASSERT_NE(values(from), values(to));
  save(from, file());
  load(to, file());
  EXPECT_EQ(values(from), values(to));
}

TEST_F(StateDictFile, LoadingKeepsTheMarksOfParameters) {
  NormNet from, to;
  save(from, file());
  load(to, file());
  EXPECT_EQ(parameters(to).size(), 4U);
}

TEST_F(StateDictFile, PlainTensorsRoundTripWithTheirDtypes) {
  const StateDict dict = {{"bytes", Tensor(std::vector<uint8_t>{1, 2, 255})},
                          {"halves", Tensor({0.5F, -2.0F}).cast(dtypes::float16)},
                          {"scalar", Tensor(std::vector<double>{3.25}, Shape{})}};
  save(dict, file());
  const StateDict back = load(file());
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(back.at("bytes").dtype(), DType::UInt8);
  EXPECT_EQ(back.at("bytes").to_vector<int>(), (std::vector<int>{1, 2, 255}));
  EXPECT_EQ(back.at("halves").dtype(), DType::Float16);
  EXPECT_EQ(back.at("halves").to_vector<float>(), (std::vector<float>{0.5F, -2.0F}));
  EXPECT_EQ(back.at("scalar").shape(), Shape{});
  EXPECT_EQ(back.at("scalar").item<double>(), 3.25);
}

TEST_F(StateDictFile, AnEmptyTensorRoundTrips) {
  save(StateDict{{"none", Tensor::zeros({0, 3})}}, file());
  EXPECT_EQ(load(file()).at("none").shape(), (Shape{0, 3}));
}

TEST_F(StateDictFile, AnOptimizersStateRoundTrips) {
  NormNet net;
  Adam first(net), second(net);
  TrainingScope training;
  first.step(net.norm(net.a(Tensor::ones({2, 3}))).square().sum());
  save(first, file());
  load(second, file());
  EXPECT_EQ(values(first), values(second));
  EXPECT_EQ(state_dict(second).at("step").item<float>(), 1.0F);
}

TEST_F(StateDictFile, AMissingFileIsAFileError) {
  NormNet net;
  EXPECT_THROW(load(net, file()), FileError);
}

TEST_F(StateDictFile, ADamagedFileIsAFileErrorAndChangesNothing) {
  NormNet net;
  save(net, file());
  const auto before = values(net);
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 1);
  EXPECT_THROW(load(net, file()), FileError);
  EXPECT_EQ(values(net), before);
}

TEST_F(StateDictFile, AFolderThatIsNotThereIsAFileError) {
  NormNet net;
  EXPECT_THROW(save(net, folder_ / "missing" / "net.safetensors"), FileError);
}

TEST_F(StateDictFile, MessagesNameTheFile) {
  NormNet net;
  Linear other(3, 4);
  save(other, file());
  const std::string text = message_of<ArgumentError>([&] { load(net, file()); });
  EXPECT_NE(text.find("load \"" + file().string() + "\": tensors of the model are missing"),
            std::string::npos)
      << text;
}

TEST(StateDictLoad, AMissingNameIsNamedAndNothingChanges) {
  NormNet net;
  NormNet other;
  StateDict dict = state_dict(other);
  dict.erase("norm.running_var");
  const auto before = values(net);
  EXPECT_EQ(message_of<ArgumentError>([&] { load_state_dict(net, dict); }),
            "load_state_dict: tensors of the model are missing: \"norm.running_var\".");
  EXPECT_EQ(values(net), before);
}

TEST(StateDictLoad, AnExtraNameIsNamed) {
  NormNet net;
  StateDict dict = state_dict(net);
  dict.emplace("more", Tensor::ones({1}));
  EXPECT_EQ(message_of<ArgumentError>([&] { load_state_dict(net, dict); }),
            "load_state_dict: there are tensors that the model does not have: \"more\".");
}

TEST(StateDictLoad, OfManyMissingNamesFiveAreSpelledOut) {
  NormNet net;
  EXPECT_EQ(message_of<ArgumentError>([&] { load_state_dict(net, {}); }),
            "load_state_dict: tensors of the model are missing: \"a.bias\", \"a.weight\", "
            "\"norm.bias\", \"norm.running_mean\", \"norm.running_var\" and 1 more.");
}

TEST(StateDictLoad, AnotherShapeIsAShapeErrorAndNothingChanges) {
  Linear l(3, 4);
  const auto before = values(l);
  const StateDict dict = {{"bias", Tensor::ones({4})}, {"weight", Tensor::ones({4, 2})}};
  EXPECT_EQ(message_of<ShapeError>([&] { load_state_dict(l, dict); }),
            "load_state_dict: \"weight\" has shape [4, 3] in the model and [4, 2] in the state.");
  EXPECT_EQ(values(l), before);
}

TEST(StateDictLoad, ShapesAreNotBroadcast) {
  Linear l(1, 2);
  const StateDict dict = {{"bias", Tensor::ones({1})}, {"weight", Tensor::ones({2, 1})}};
  EXPECT_THROW(load_state_dict(l, dict), ShapeError);
}

TEST(StateDictLoad, AnotherDtypeIsADTypeErrorAndNothingChanges) {
  Linear l(1, 2);
  const auto before = values(l);
  const StateDict dict = {{"bias", Tensor::ones({2})},
                          {"weight", Tensor::ones({2, 1}, dtypes::float64)}};
  EXPECT_EQ(message_of<DTypeError>([&] { load_state_dict(l, dict); }),
            "load_state_dict: \"weight\" is float32 in the model and float64 in the state. Hint: "
            "cast the values.");
  EXPECT_EQ(values(l), before);
}

TEST(StateDictLoad, FromItselfChangesNothing) {
  Linear l(2, 2);
  const auto before = values(l);
  load_state_dict(l, state_dict(l));
  EXPECT_EQ(values(l), before);
}

TEST(StateDictLoad, TheModelDoesNotShareStorageWithItsSource) {
  Linear from(2, 2), to(2, 2);
  load_state_dict(to, state_dict(from));
  const auto before = to.weight.to_vector<float>();
  from.weight.assign(Tensor::zeros({2, 2}));
  from.weight.realize();
  EXPECT_EQ(to.weight.to_vector<float>(), before);
}

}  // namespace
}  // namespace tg::nn
