// Files of detectors that are damaged, or of something else: each is an error that names the file
// and what is wrong with it. Good files: detector_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "nn/format/zip.h"
#include "support/error_text.h"
#include "tg/error.h"
#include "tg/models/object_detector.h"
#include "unit/frontend/detection/detection_reference.h"

namespace tg::models {
namespace {

using test::error_text;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class WrongDetectors : public testing::Test {
 protected:
  std::string said_of(const std::filesystem::path& file) const {
    return error_text([&] { ObjectDetector::load(file); });
  }
  // Of tensors in a file of safetensors.
  std::string said_of(const nn::StateDict& tensors, const nn::Metadata& facts = {}) const {
    nn::save(tensors, file_, facts);
    return said_of(file_);
  }
  // Of the pickled model with a text replaced wherever it stands, in the pickle and in storages.
  std::string said_with(std::string_view old, std::string_view now) const {
    return said_after([&](const std::string&, std::string& bytes) {
      for (size_t at = bytes.find(old); at != bytes.npos; at = bytes.find(old, at + now.size()))
        bytes.replace(at, old.size(), now);
    });
  }
  // Of the pickled model after `change(name, bytes)` of each member of its archive.
  std::string said_after(
      const std::function<void(const std::string& name, std::string& bytes)>& change) const {
    const nn::ZipArchive archive(ByteSource::open(detection_reference("tiny.pt")));
    std::vector<std::string> contents;
    for (const nn::ZipMember& m : archive.members()) {
      std::string bytes = archive.read(m);
      change(m.name, bytes);
      contents.push_back(std::move(bytes));
    }
    std::vector<nn::ZipContent> members;
    for (size_t i = 0; i < contents.size(); ++i)
      members.push_back({archive.members()[i].name, contents[i]});
    write_file(file_, nn::zip_bytes(members), Sync::No);
    return said_of(file_);
  }

  const TempDir folder_{"detector"};
  const std::filesystem::path file_ = folder_.path() / "wrong.pt";
  const nn::StateDict tensors_ = tiny_detector_tensors();
};

std::string bytes_of(std::initializer_list<float> numbers) {
  std::string out(4 * numbers.size(), '\0');
  std::memcpy(out.data(), std::data(numbers), out.size());
  return out;
}

TEST_F(WrongDetectors, AreNoFilesOfWeights) {
  EXPECT_EQ(said_of("nowhere.pt"),
            "ObjectDetector::load: \"nowhere.pt\": No such file or directory.");
  write_file(file_, "hello", Sync::No);
  EXPECT_THAT(said_of(file_), HasSubstr("wrong.pt\""));
  const std::string good = read_file(detection_reference("tiny.pt"));
  for (const size_t size : {size_t{0}, size_t{3}, good.size() / 2, good.size() - 1}) {
    write_file(file_, good.substr(0, size), Sync::No);
    EXPECT_THAT(said_of(file_), HasSubstr("wrong.pt\"")) << size;
  }
}

TEST_F(WrongDetectors, LackTensorsOrHaveOthers) {
  EXPECT_EQ(said_of(tensors_), "");
  nn::StateDict tensors = tensors_;
  tensors.erase("model.0.conv.weight");
  EXPECT_THAT(said_of(tensors), EndsWith("wrong.pt\" has the tensors of no YOLOv8: there is no "
                                         "\"model.0.conv.weight\"."));
  tensors = tensors_;
  tensors.erase("model.22.cv3.0.2.weight");
  EXPECT_THAT(said_of(tensors),
              EndsWith("has the tensors of no YOLOv8: the first size of "
                       "\"model.22.cv3.0.2.weight\" is 0, and may be 1 to 65536."));
  tensors = tensors_;
  tensors.erase("model.2.m.0.cv1.conv.weight");
  EXPECT_THAT(said_of(tensors), EndsWith("has the tensors of no YOLOv8: the number of "
                                         "\"model.2.m\" is 0, and may be 1 to 64."));
  tensors = tensors_;
  tensors.erase("model.9.cv2.bn.bias");
  EXPECT_THAT(said_of(tensors), EndsWith("wrong.pt\" does not have the tensors of yolov8: missing "
                                         "\"model.9.cv2.bn.bias\"."));
  // As of a network that also finds outlines.
  tensors = tensors_;
  tensors.emplace("model.22.proto.cv1.conv.weight", Tensor{1.0F});
  EXPECT_THAT(said_of(tensors), EndsWith("left over \"model.22.proto.cv1.conv.weight\"."));
  tensors = tensors_;
  tensors.at("model.16.conv.weight") = Tensor::zeros({24, 24, 1, 1});
  EXPECT_THAT(said_of(tensors), EndsWith("of another shape \"model.16.conv.weight\" [24, 24, 1, 1] "
                                         "instead of [24, 24, 3, 3]."));
  tensors = tensors_;
  tensors.at("model.0.bn.bias") = Tensor::zeros({8}, {.dtype = DType::Int32});
  EXPECT_THAT(said_of(tensors), EndsWith("the tensor \"model.0.bn.bias\" is int32, which is no "
                                         "float."));
}

TEST_F(WrongDetectors, AskForNetworksOfAnySize) {
  nn::StateDict tensors = tensors_;
  tensors.at("model.7.conv.weight") = Tensor::zeros({16385, 1});
  EXPECT_THAT(said_of(tensors), EndsWith("the first size of \"model.7.conv.weight\" is 16385, and "
                                         "may be 1 to 16384."));
  tensors = tensors_;
  for (int i = 2; i < 65; ++i)
    tensors.emplace("model.4.m." + std::to_string(i) + ".cv1.conv.weight", Tensor{1.0F});
  EXPECT_THAT(said_of(tensors), HasSubstr("the number of \"model.4.m\" is 65"));
}

TEST_F(WrongDetectors, SayWrongThingsOfThemselves) {
  EXPECT_EQ(said_with("nothing of this kind", ""), "");
  EXPECT_THAT(said_with("bird", std::string("b\xffrd")), EndsWith("has no name for class 2."));
  EXPECT_THAT(said_with(bytes_of({8, 16, 32}), bytes_of({8, 16, 64})),
              EndsWith("wrong.pt\" has a \"model.stride\" that is not 8, 16 and 32, which is not "
                       "supported."));
  // A thousandth, as pickles have it, becomes 2.
  EXPECT_THAT(said_with("\x3f\x50\x62\x4d\xd2\xf1\xa9\xfc", std::string("\x40\0\0\0\0\0\0\0", 8)),
              EndsWith("wrong.pt\" says of \"model.model.0.bn.eps\" what is not between 0 and 1."));
  EXPECT_THAT(said_of(tensors_, {{"labels", R"(["a","b"])"}}),
              EndsWith("wrong.pt\" has 2 names for 5 classes."));
  EXPECT_THAT(said_of(tensors_, {{"labels", "[3]"}}), StartsWith(file_.string() + ": labels"));
}

// With checksums that are right, so that every byte of the pickle is believed.
TEST_F(WrongDetectors, HaveADamagedPickle) {
  constexpr size_t kTries = 40;
  size_t refused = 0;
  for (size_t i = 0; i < kTries; ++i) {
    const std::string said = said_after([&](const std::string& name, std::string& bytes) {
      if (!name.ends_with("data.pkl")) return;
      const size_t at = (i * 2654435761U + 7) % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ (1U << i % 8));
    });
    if (said.empty()) continue;
    ++refused;
    EXPECT_THAT(said, HasSubstr("wrong.pt")) << i;
  }
  EXPECT_GT(refused, kTries / 4);
}

TEST_F(WrongDetectors, AreDamagedAnywhere) {
  const std::string good = read_file(detection_reference("tiny.pt"));
  for (size_t at = 11; at < good.size(); at += good.size() / 23) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    write_file(file_, bytes, Sync::No);
    const std::string said = said_of(file_);
    if (!said.empty()) {
      EXPECT_THAT(said, HasSubstr("wrong.pt")) << at;
    }
  }
}

}  // namespace
}  // namespace tg::models
