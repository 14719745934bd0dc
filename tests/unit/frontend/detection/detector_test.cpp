// A tiny YOLOv8 gives the numbers, pixels and boxes that ultralytics gives (detection_reference.h).
// Files that are wrong: detector_hostile_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/error_text.h"
#include "tg/error.h"
#include "tg/models/object_detector.h"
#include "tg/models/vision.h"
#include "unit/frontend/detection/detection_reference.h"

namespace tg::models {
namespace {

using test::error_text;
using testing::ElementsAre;

constexpr int kReferencePictures = 5;

class Detectors : public testing::Test {
 protected:
  static ObjectDetector load() { return ObjectDetector::load(detection_reference("tiny.pt")); }
  const Tensor& expected(int picture, const std::string& name) const {
    return expected_.at(std::to_string(picture) + "." + name);
  }
  // As the network sees it.
  Tensor seen(int picture) const {
    return (expected(picture, "seen").cast(DType::Float32) / 255).permute({2, 0, 1}).unsqueeze(0);
  }

 private:
  nn::StateDict expected_ = nn::load(detection_reference("expected.safetensors"));
};

double largest_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  double worst = x.size() == y.size() && !x.empty() ? 0 : 1e9;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const double d = std::abs(double{x[i]} - double{y[i]});
    worst = d <= worst ? worst : d;  // NaN is the worst
  }
  return worst;
}

// Rows of six: the box, the confidence, the class.
void expect_detections(const std::vector<Detection>& got, const Tensor& wanted) {
  ASSERT_EQ(std::ssize(got), wanted.size(0));
  ASSERT_FALSE(got.empty());
  const auto numbers = wanted.to_vector<float>();
  for (size_t i = 0; i < got.size(); ++i) {
    const Detection& d = got[i];
    const float* row = numbers.data() + 6 * i;
    EXPECT_NEAR(d.box.left, row[0], 1e-3) << i;
    EXPECT_NEAR(d.box.top, row[1], 1e-3) << i;
    EXPECT_NEAR(d.box.right, row[2], 1e-3) << i;
    EXPECT_NEAR(d.box.bottom, row[3], 1e-3) << i;
    EXPECT_NEAR(d.confidence, row[4], 1e-5) << i;
    EXPECT_EQ(static_cast<float>(d.index), row[5]) << i;
  }
}

TEST_F(Detectors, SeePicturesAsUltralyticsMakesThem) {
  for (int i = 0; i < kReferencePictures; ++i) {
    const LetterboxedPicture got = letterboxed(expected(i, "picture"), 64);
    EXPECT_LT(largest_difference(got.pixels.unsqueeze(0), seen(i)), 1e-6) << i;
    EXPECT_EQ(got.height, expected(i, "picture").size(0));
    EXPECT_EQ(got.width, expected(i, "picture").size(1));
  }
}

TEST_F(Detectors, FillPicturesUpWithGrey) {
  const LetterboxedPicture got =
      letterboxed(Tensor::full({30, 90, 3}, 255, {.dtype = DType::UInt8}), 70);
  EXPECT_EQ(got.pixels.shape(), (Shape{3, 32, 96}));
  EXPECT_DOUBLE_EQ(got.scale_x, 96.0 / 90);
  EXPECT_DOUBLE_EQ(got.scale_y, 32.0 / 30);
  EXPECT_EQ(got.left, 0);
  EXPECT_EQ(got.top, 0);
  const LetterboxedPicture line =
      letterboxed(Tensor::full({500, 1, 3}, 255, {.dtype = DType::UInt8}), 64);
  EXPECT_EQ(line.pixels.shape(), (Shape{3, 64, 32}));
  EXPECT_EQ(line.left, 15);
  const auto row = line.pixels[{0, 5}].to_vector<float>();
  EXPECT_NEAR(row[14], 114.0 / 255, 1e-6);
  EXPECT_NEAR(row[15], 1, 1e-6);
  EXPECT_NEAR(row[16], 114.0 / 255, 1e-6);
}

TEST_F(Detectors, HaveTheNumbersOfUltralytics) {
  const ObjectDetector loaded = load();
  ObjectDetector detector = loaded;
  for (const int i : {0, 2})
    EXPECT_LT(largest_difference(detector.network()(seen(i)), expected(i, "raw")), 1e-4) << i;
}

TEST_F(Detectors, FindWhatUltralyticsFindsInEveryCall) {
  ObjectDetector detector = load();
  for (int call = 0; call < 3; ++call)  // computed, recorded, played
    for (int i = 0; i < kReferencePictures; ++i) {
      SCOPED_TRACE(i);
      expect_detections(detector.detect(expected(i, "picture"), {.size = 64}), expected(i, "kept"));
    }
}

TEST_F(Detectors, KeepWhatOptionsAskFor) {
  ObjectDetector detector = load();
  for (int i = 0; i < kReferencePictures; ++i) {
    SCOPED_TRACE(i);
    expect_detections(detector.detect(expected(i, "picture"),
                                      {.confidence = 0.4, .iou = 0.3, .most = 7, .size = 64}),
                      expected(i, "few"));
  }
  EXPECT_EQ(detector.detect(expected(4, "picture"), {.most = 2, .size = 64}).size(), 2U);
  EXPECT_TRUE(detector.detect(expected(0, "picture"), {.confidence = 0.99, .size = 64}).empty());
}

TEST_F(Detectors, KnowWhatTheyAre) {
  const ObjectDetector detector = load();
  const ObjectDetectorInfo& i = detector.info();
  EXPECT_EQ(i.architecture, "yolov8");
  EXPECT_EQ(i.classes, 5);
  EXPECT_THAT(i.labels, ElementsAre("person", "traffic light", "bird", "café", "teddy bear"));
  nn::StateDict tensors = nn::state_dict(ObjectDetector(detector).network());
  EXPECT_FALSE(tensors.contains("model.0.bn.weight"));
  EXPECT_EQ(tensors.at("model.0.conv.bias").shape(), (Shape{8}));
  int64_t parameters = 0;
  for (const auto& [name, tensor] : tensors) parameters += tensor.numel();
  EXPECT_EQ(i.parameters, parameters);
}

TEST_F(Detectors, AreReadFromStateDictsAsWell) {
  const TempDir folder("detector");
  const auto file = folder.path() / "w.safetensors";
  const std::vector<Detection> wanted = load().detect(expected(1, "picture"), {.size = 64});
  nn::StateDict named;
  for (const auto& [name, tensor] : tiny_detector_tensors())
    named.emplace("model." + name, tensor.cast(DType::Float32));
  for (const nn::StateDict& tensors : {tiny_detector_tensors(), named}) {
    nn::save(tensors, file, {{"labels", R"(["a","b","c","d","e"])"}});
    const auto got = ObjectDetector::load(file).detect(expected(1, "picture"), {.size = 64});
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i].confidence, wanted[i].confidence, 1e-6);
      EXPECT_EQ(got[i].label, std::string(1, static_cast<char>('a' + wanted[i].index)));
    }
  }
  nn::save(tiny_detector_tensors(), file);
  ObjectDetector unnamed = ObjectDetector::load(file);
  EXPECT_TRUE(unnamed.info().labels.empty());
  EXPECT_EQ(unnamed.detect(expected(1, "picture"), {.size = 64})[0].label.substr(0, 6), "class ");
}

TEST_F(Detectors, TakeNamesFromAFile) {
  const TempDir folder("detector");
  write_file(folder.path() / "names.txt", "one\ntwo\nthree\nfour\nfive\n");
  const ObjectDetector detector =
      ObjectDetector::load(detection_reference("tiny.pt"), {.labels = folder.path() / "names.txt"});
  EXPECT_EQ(detector.info().labels[3], "four");
}

TEST_F(Detectors, TakeSeveralPicturesAtOnce) {
  ObjectDetector detector = load();
  const Tensor both = detector.boxes(Tensor::cat({seen(0), seen(4)}));
  EXPECT_LT(largest_difference(both[{Slice(1, 2)}], detector.boxes(seen(4))), 1e-3);
}

TEST_F(Detectors, RefuseArgumentsThatTheyCannotUse) {
  ObjectDetector detector = load();
  const Tensor picture = expected(0, "picture");
  const auto said = [&](const DetectOptions& options) {
    return error_text([&] { detector.detect(picture, options); });
  };
  EXPECT_EQ(said({.confidence = -0.5}), "detect: confidence must be 0 to 1, got -0.5.");
  EXPECT_EQ(said({.iou = std::nan("")}), "detect: iou must be 0 to 1, got nan.");
  EXPECT_EQ(said({.most = 0}), "detect: there may be 1 to 10000 objects, got 0.");
  EXPECT_EQ(said({.size = 31}), "letterboxed: the size must be 32 to 8192, got 31.");
  EXPECT_EQ(said({.size = 8193}), "letterboxed: the size must be 32 to 8192, got 8193.");
  EXPECT_EQ(error_text([&] {
              detector.detect(Tensor::zeros({4, 4, 3}));
            }),
            "letterboxed: a picture is uint8, got float32.");
  EXPECT_EQ(error_text([&] {
              detector.boxes(Tensor::zeros({1, 3, 32, 33}));
            }),
            "boxes: pictures are [n, 3, height, width] with sides that are multiples of 32, got "
            "[1, 3, 32, 33].");
  EXPECT_EQ(error_text([&] {
              detector.boxes(Tensor::zeros({1, 3, 32, 32}, {.dtype = DType::UInt8}));
            }),
            "boxes: pictures are float32, got uint8. Hint: letterboxed() makes them of uint8.");
  EXPECT_EQ(error_text([&] {
              decoded_boxes(Tensor::zeros({1, 69, 20}), 32, 32);
            }),
            "decoded_boxes: of pictures of 32 x 32 pixels it is [n, 64 + classes, 21], got [1, 69, "
            "20].");
}

// ---- networks

TEST(ImageNetworks, HaveTheTensorsOfThePublishedSizes) {
  // Counted by PyTorch, without the weights of the bins.
  const std::vector<std::pair<std::string, int64_t>> wanted = {{"yolov8n", 3167776},
                                                               {"yolov8s", 11186576},
                                                               {"yolov8m", 25935744},
                                                               {"yolov8l", 43737968},
                                                               {"yolov8x", 68287712}};
  ASSERT_EQ(detection_architectures().size(), wanted.size());
  for (const auto& [name, numbers] : wanted) {
    ImageNetwork network = yolov8(detection_options(name));
    int64_t count = 0;
    nn::visit_tensors(network, [&](const std::string&, Tensor& t) { count += t.numel(); });
    EXPECT_EQ(count, numbers) << name;
  }
}

TEST(ImageNetworks, GiveNumbersForThePlacesOfThreeGrids) {
  const ImageNetwork network =
      yolov8({.width = 0.125, .depth = 0.3, .most_channels = 64, .classes = 2});
  EXPECT_EQ(network(Tensor::zeros({2, 3, 64, 32})).shape(), (Shape{2, 66, 42}));
  EXPECT_EQ(error_text([&] {
              network(Tensor::zeros({2, 3, 64, 40}));
            }),
            "yolov8: pictures are [n, 3, height, width] with sides that are multiples of 32, got "
            "[2, 3, 64, 40].");
}

TEST(ImageNetworks, RefuseOptionsOutOfRange) {
  EXPECT_EQ(error_text([] { yolov8({.width = 0}); }),
            "yolov8: the width must be above 0, and at most 16, got 0.");
  EXPECT_EQ(error_text([] { yolov8({.depth = std::nan("")}); }),
            "yolov8: the depth must be above 0, and at most 16, got nan.");
  EXPECT_EQ(error_text([] { yolov8({.classes = 0}); }),
            "yolov8: classes must be 1 to 65536, got 0.");
  EXPECT_EQ(error_text([] { detection_options("yolov9"); }),
            "detection_options: \"yolov9\" is unknown; known are yolov8n, yolov8s, yolov8m, "
            "yolov8l, yolov8x.");
}

TEST(FoldedNorms, ComputeWhatBothLayersCompute) {
  nn::BatchNorm norm(6, {.eps = 0.02});
  nn::load_state_dict(norm, {{"weight", Tensor{0.5F, 1.0F, -2.0F, 0.0F, 3.0F, 1.5F}},
                             {"bias", Tensor{0.0F, 1.0F, 2.0F, -3.0F, 0.5F, 0.25F}},
                             {"running_mean", Tensor{1.0F, -1.0F, 0.0F, 2.0F, 0.5F, 3.0F}},
                             {"running_var", Tensor{1.0F, 0.5F, 4.0F, 0.0F, 0.01F, 9.0F}}});
  const Tensor x = Tensor::rand({2, 4, 5, 7});
  for (const bool has_bias : {false, true}) {
    const nn::Conv2d conv(4, 6, 3, {.groups = 2, .stride = {2}, .padding = {1}, .bias = has_bias});
    const nn::Conv2d both = folded(conv, norm);
    EXPECT_LT(largest_difference(both(x), norm(conv(x))), 1e-4);
    const nn::Conv2d bare_both = folded(conv, nn::BatchNorm(6, {.affine = false}));
    EXPECT_LT(largest_difference(bare_both(x), conv(x)), 1e-4);
  }
  const nn::Conv2d halves(4, 6, 1, {.placement = {.dtype = DType::Float16}});
  EXPECT_EQ(folded(halves, norm).bias->dtype(), DType::Float16);
  EXPECT_EQ(error_text([&] { folded(nn::Conv2d(4, 5, 1), norm); }),
            "folded: the convolution has 5 channels, and the normalisation 6.");
}

// ---- drawing

TEST(DrawnBoxes, AreFramesOfAColourForEachClass) {
  const Tensor picture = Tensor::full({20, 30, 3}, 7, {.dtype = DType::UInt8});
  const std::vector<Detection> two = {
      {.label = "a",
       .index = 0,
       .confidence = 1,
       .box = {.left = 2, .top = 3, .right = 10, .bottom = 9}},
      {.label = "b",
       .index = 1,
       .confidence = 0.5,
       .box = {.left = 5, .top = 5, .right = 1e300, .bottom = std::nan("")}}};
  const auto pixels = drawn_boxes(picture, two).to_vector<uint8_t>();
  const auto at = [&](size_t y, size_t x) { return static_cast<int>(pixels[(y * 30 + x) * 3]); };
  EXPECT_EQ(at(3, 2), 230);
  EXPECT_EQ(at(8, 9), 230);
  EXPECT_EQ(at(9, 9), 7);
  EXPECT_EQ(at(2, 2), 7);
  EXPECT_EQ(at(5, 5), 7);
  EXPECT_EQ(picture.to_vector<uint8_t>(), std::vector<uint8_t>(20 * 30 * 3, 7));
  EXPECT_EQ(error_text([] {
              drawn_boxes(Tensor::zeros({3, 3}), {});
            }),
            "drawn_boxes: a picture is [height, width, 3], got [3, 3].");
}

}  // namespace
}  // namespace tg::models
