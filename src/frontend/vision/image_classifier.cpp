// See tg/models/image_classifier.h. Files: classifier_files.h.
#include "tg/models/image_classifier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/vision/classifier_files.h"
#include "frontend/vision/guesses.h"
#include "frontend/vision/preprocessing.h"
#include "support/check.h"
#include "tg/autograd.h"
#include "tg/jit.h"

namespace tg::models {
namespace {

using ImageCall = std::function<Tensor(const Tensor&)>;

}  // namespace

struct ImageClassifier::State {
  ImageClassifierInfo info;
  ImagePreprocessing preprocessing;
  ImageNetwork network;
  std::string device;
  TinyJit<ImageCall> forward;
  Shape recorded;  // of the pictures that `forward` was called with

  State(LoadedClassifier loaded, std::string device)
      : preprocessing(loaded.preprocessing),
        network(std::move(loaded.network)),
        device(std::move(device)),
        forward([this](const Tensor& x) { return network(x); }) {
    info.architecture = std::move(loaded.architecture);
    info.labels = std::move(loaded.labels);
    nn::visit_tensors(network, [&](const std::string&, Tensor& t) {
      info.parameters += t.numel();
      info.classes = t.size(0);  // the last one is the bias of the last layer
    });
  }
};

ImageClassifier::ImageClassifier(std::shared_ptr<State> state) : state_(std::move(state)) {}

ImageClassifier ImageClassifier::load(const std::filesystem::path& path,
                                      const ImageClassifierOptions& options) {
  LoadedClassifier loaded = load_classifier(path, options);
  if (!options.labels.empty()) loaded.labels = read_labels(kLoadClassifier, options.labels);
  auto state = std::make_shared<State>(std::move(loaded), options.device);
  const auto& [architecture, classes, parameters, labels] = state->info;
  if (!labels.empty() && static_cast<int64_t>(labels.size()) != classes)
    user_error<FileError>(kLoadClassifier,
                          fmt::format("\"{}\" has {} names for {} classes",
                                      (options.labels.empty() ? path : options.labels).string(),
                                      labels.size(), classes));
  return ImageClassifier(std::move(state));
}

const ImageClassifierInfo& ImageClassifier::info() const { return state_->info; }
ImagePreprocessing& ImageClassifier::preprocessing() { return state_->preprocessing; }
ImageNetwork& ImageClassifier::network() { return state_->network; }

Tensor ImageClassifier::preprocess(const Tensor& picture) const {
  return preprocessed("preprocess", picture, state_->preprocessing, state_->device);
}

Tensor ImageClassifier::logits(const Tensor& batch) {
  const Shape shape = batch.shape();
  if (shape.size() != 4 || shape[1] != 3 || batch.numel() == 0)
    user_error<ShapeError>("logits", fmt::format("pictures are [n, 3, height, width], got [{}]",
                                                 fmt::join(shape, ", ")));
  State& s = *state_;
  if (shape != s.recorded) s.forward.reset();
  s.recorded = shape;
  const NoGradScope no_gradients;
  const TrainingScope no_training(false);
  return s.forward(batch);
}

std::vector<std::vector<ImageGuess>> ImageClassifier::classify(const std::vector<Tensor>& pictures,
                                                               int64_t top) {
  check_top("classify", top);
  if (pictures.empty()) return {};
  std::vector<Tensor> prepared;
  for (const Tensor& picture : pictures) prepared.push_back(preprocess(picture));
  const std::vector<float> scores = logits(Tensor::stack(prepared)).to_vector<float>();
  const auto classes = static_cast<size_t>(state_->info.classes);
  std::vector<std::vector<ImageGuess>> out;
  for (size_t i = 0; i < pictures.size(); ++i)
    out.push_back(
        guesses_of(std::span(scores).subspan(i * classes, classes), state_->info.labels, top));
  return out;
}

std::vector<ImageGuess> ImageClassifier::classify(const Tensor& picture, int64_t top) {
  return classify(std::vector<Tensor>{picture}, top).front();
}

}  // namespace tg::models
