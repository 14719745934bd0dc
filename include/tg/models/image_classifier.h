// Networks that say what is in a picture, with the weights that were published for them:
// torchvision's .pth files, safetensors with the same names, and folders of Hugging Face (ViT and
// ResNet). Link `tinygrad::models`.
//
//   auto classifier = tg::models::ImageClassifier::load("resnet50.pth", {.labels = "names.txt"});
//   for (const auto& guess : classifier.classify(tg::images::read("cat.jpg")))
//     std::cout << guess.label << " " << guess.probability << "\n";
//
// The networks by themselves, and training: vision.h. What files may be like: docs/vision.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tg/export.h"
#include "tg/models/image.h"
#include "tg/models/vision.h"
#include "tg/tensor.h"

namespace tg::models {

/// What is done to a picture before a network sees it: its shorter side is resized, the middle is
/// cut out, and numbers are normalised (images::normalized).
struct ImagePreprocessing {
  int64_t resize = 256;  ///< of the shorter side; 0: both sides to `crop`, whatever the proportion
  int64_t crop = 224;    ///< height and width of what the network sees
  images::Filter filter = images::Filter::Bilinear;
  images::PerChannel mean = {0.485, 0.456, 0.406};
  images::PerChannel std = {0.229, 0.224, 0.225};
  /// Where the middle is half a pixel off: up and to the left, as transformers has it; else to an
  /// even number of pixels before it, as torchvision.
  bool crop_rounds_down = false;
};

/// Of ImageClassifier::load.
struct ImageClassifierOptions {
  /// One of image_architectures(); empty: that whose tensors have the names and shapes of the
  /// file's. The number of classes is that of the file.
  std::string architecture = {};
  /// A file with the classes' names: a line for each, a JSON list, or a JSON object {"0": name}.
  /// None: the names in the file of weights, if it has any (save_image_network).
  std::filesystem::path labels = {};
  std::string device = {};  ///< where it computes; empty: the default device
  /// Called while weights are read: bytes so far, and of the file.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// What a classifier is.
struct ImageClassifierInfo {
  std::string architecture;  ///< of image_architectures(), or "resnet" or "vit" of other sizes
  int64_t classes = 0;
  int64_t parameters = 0;           ///< numbers in its tensors
  std::vector<std::string> labels;  ///< by class; empty if the classes have no names
};

/// A class, and how probable it is.
struct ImageGuess {
  int64_t index = 0;
  std::string label;  ///< "class 7" where there are no names
  double probability = 0;
};

/// A network with its weights, and what it wants of pictures. Copies are names for one; only one
/// thread at a time may use it.
class TG_API ImageClassifier {
 public:
  /// From a file of weights, or a folder with config.json and model.safetensors. FileError, with
  /// the names of tensors that are missing, left over or of another shape, for a file that is
  /// damaged or of another network; ArgumentError for an unknown architecture.
  static ImageClassifier load(const std::filesystem::path& path,
                              const ImageClassifierOptions& options = {});

  const ImageClassifierInfo& info() const;
  /// May be changed, as other weights of a network want it.
  ImagePreprocessing& preprocessing();
  /// The network itself: to train it further, or to save it.
  ImageNetwork& network();

  /// A picture, uint8 [height, width, 3], as the network sees it: float32 [3, crop, crop].
  /// ShapeError and DTypeError for what is no picture.
  Tensor preprocess(const Tensor& picture) const;
  /// Scores before the softmax of what preprocess() gives: [n, 3, height, width] → [n, classes].
  /// The call is recorded (TinyJit), and again for pictures of another number or size. ShapeError
  /// for other shapes.
  Tensor logits(const Tensor& batch);
  /// The `top` most probable classes of a picture, the most probable first. ArgumentError for less
  /// than one.
  std::vector<ImageGuess> classify(const Tensor& picture, int64_t top = 5);
  /// The same of several pictures at once.
  std::vector<std::vector<ImageGuess>> classify(const std::vector<Tensor>& pictures,
                                                int64_t top = 5);

 private:
  struct State;
  explicit ImageClassifier(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// Writes the weights of a network as a safetensors file that ImageClassifier::load and `tg
/// classify` read: the names of its classes, none or one for each, and what pictures must be like
/// are its metadata. In names, bytes that are no UTF-8 are replaced. ArgumentError for another
/// number of names and for sizes that no picture can have, FileError if it cannot be written.
TG_API void save_image_network(ImageNetwork& network, const std::filesystem::path& file,
                               const std::vector<std::string>& labels = {},
                               const ImagePreprocessing& preprocessing = {});

}  // namespace tg::models
