// See tg/models/object_detector.h. Files: detector_files.h; boxes: boxes.h.
#include "tg/models/object_detector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <list>

#include "frontend/detection/boxes.h"
#include "frontend/detection/detector_files.h"
#include "frontend/vision/classifier_files.h"
#include "support/check.h"
#include "tg/autograd.h"
#include "tg/jit.h"

namespace tg::models {
namespace {

using DetectorCall = std::function<Tensor(const Tensor&)>;

// Pictures of one size have as many shapes as they have proportions; each recording has memory of
// its own.
constexpr size_t kMostRecordings = 16;

struct Recording {
  Shape shape;
  TinyJit<DetectorCall> call;
};

}  // namespace

struct ObjectDetector::State {
  ObjectDetectorInfo info;
  ImageNetwork network;
  std::string device;
  std::list<Recording> recordings = {};  // the last used first

  TinyJit<DetectorCall>& recording_of(const Shape& shape) {
    const auto found = std::ranges::find(recordings, shape, &Recording::shape);
    if (found != recordings.end()) {
      recordings.splice(recordings.begin(), recordings, found);
    } else {
      if (recordings.size() == kMostRecordings) recordings.pop_back();
      recordings.push_front({.shape = shape, .call = TinyJit<DetectorCall>([this](const Tensor& x) {
                                               return decoded_boxes(network(x), x.size(2),
                                                                    x.size(3));
                                             })});
    }
    return recordings.front().call;
  }
};

ObjectDetector::ObjectDetector(std::shared_ptr<State> state) : state_(std::move(state)) {}

ObjectDetector ObjectDetector::load(const std::filesystem::path& file,
                                    const ObjectDetectorOptions& options) {
  LoadedDetector loaded = load_detector(file, options);
  if (!options.labels.empty()) loaded.labels = read_labels(kLoadDetector, options.labels);
  ObjectDetectorInfo info{.architecture = std::move(loaded.architecture),
                          .classes = loaded.sizes.classes,
                          .parameters = 0,
                          .labels = std::move(loaded.labels)};
  if (!info.labels.empty() && std::ssize(info.labels) != info.classes)
    user_error<FileError>(kLoadDetector,
                          fmt::format("\"{}\" has {} names for {} classes",
                                      (options.labels.empty() ? file : options.labels).string(),
                                      info.labels.size(), info.classes));
  nn::visit_tensors(loaded.network,
                    [&](const std::string&, Tensor& t) { info.parameters += t.numel(); });
  return ObjectDetector(
      std::make_shared<State>(State{.info = std::move(info),
                                    .network = ImageNetwork(std::move(loaded.network)),
                                    .device = options.device}));
}

const ObjectDetectorInfo& ObjectDetector::info() const { return state_->info; }
ImageNetwork& ObjectDetector::network() { return state_->network; }

Tensor ObjectDetector::boxes(const Tensor& batch) {
  const Shape shape = batch.shape();
  const auto is_side = [](int64_t n) { return n > 0 && n % kSideStep == 0; };
  if (shape.size() != 4 || shape[0] < 1 || shape[1] != 3 || !is_side(shape[2]) ||
      !is_side(shape[3]))
    user_error<ShapeError>(
        "boxes", fmt::format("pictures are [n, 3, height, width] with sides that are multiples of "
                             "{}, got [{}]",
                             kSideStep, fmt::join(shape, ", ")));
  if (batch.dtype() != DType::Float32)
    user_error<DTypeError>("boxes",
                           fmt::format("pictures are float32, got {}", dtype_name(batch.dtype())),
                           "Hint: letterboxed() makes them of uint8.");
  const NoGradScope no_gradients;
  const TrainingScope no_training(false);
  return state_->recording_of(shape)(batch);
}

std::vector<Detection> ObjectDetector::detect(const Tensor& picture, const DetectOptions& options) {
  check_detect_options("detect", options);
  const LetterboxedPicture seen = letterboxed(picture, options.size, state_->device);
  const std::vector<float> numbers = boxes(seen.pixels.unsqueeze(0)).to_vector<float>();
  const std::vector<std::string>& labels = state_->info.labels;
  std::vector<Detection> out = kept_boxes(numbers, state_->info.classes, options);
  for (Detection& d : out) {
    d.label =
        labels.empty() ? fmt::format("class {}", d.index) : labels[static_cast<size_t>(d.index)];
    d.box = box_in_picture(d.box, seen);
  }
  return out;
}

}  // namespace tg::models
