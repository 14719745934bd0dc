// Networks that find objects in pictures, with the weights that were published for them: YOLOv8 (n,
// s, m, l, x) from Ultralytics' .pt files, from safetensors and state dicts with the same names.
// Link `tinygrad::models`.
//
//   auto detector = tg::models::ObjectDetector::load("yolov8n.pt");
//   for (const auto& d : detector.detect(tg::images::read("street.jpg")))
//     std::cout << d.label << " " << d.confidence << " at " << d.box.left << ", " << d.box.top;
//
// What files may be like, and what is not there: docs/detection.md. Networks that say what a whole
// picture shows: image_classifier.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/models/image.h"
#include "tg/models/vision.h"
#include "tg/tensor.h"

namespace tg::models {

// ---- networks

/// Of `yolov8`. Channels are those of the network of width 1, at most `most_channels`, times the
/// width, rounded up to eights.
struct YoloV8Options {
  double width = 0.25;  ///< times the channels, 64 to 1024
  double depth = 0.33;  ///< times the blocks, 3 or 6 in a stage; rounded, at least one
  int64_t most_channels = 1024;
  int64_t classes = 80;
  std::string device = {};  ///< empty: the default device
};

/// YOLOv8 (Jocher et al., 2023) with weights as layers start, a model of nn.h whose tensors have
/// the names of Ultralytics' DetectionModel ("model.0.conv.weight"). What it gives is what training
/// compares with the truth: float [n, 3, height, width], both sides multiples of 32, → [n, 64 +
/// classes, places], at places of three grids, whose cells are 8, 16 and 32 pixels wide, the finest
/// first, row by row. For each side of a box there are 16 numbers whose softmax says how far it is
/// from the place, in cells; then scores of classes before the sigmoid. ArgumentError for a width
/// or a depth that is not in (0, 16], and for other numbers below 1 or above 65536.
TG_API ImageNetwork yolov8(const YoloV8Options& options = {});

/// The names of the published sizes: "yolov8n", "yolov8s", "yolov8m", "yolov8l", "yolov8x".
TG_API std::vector<std::string> detection_architectures();
/// Their options. ArgumentError for an unknown name.
TG_API YoloV8Options detection_options(std::string_view architecture);

/// What a network says of pictures, as boxes: lazily, [n, 64 + classes, places] of pictures of this
/// height and width → [n, 4 + classes, places]: left, top, right and bottom in pixels, and how
/// confident it is of each class, 0 to 1. ShapeError if the places are not those of such pictures.
TG_API Tensor decoded_boxes(const Tensor& raw, int64_t height, int64_t width);

// ---- detection

/// In pixels of a picture, whose top left corner is 0, 0.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// An object in a picture.
struct Detection {
  std::string label;  ///< "class 7" where there are no names
  int64_t index = 0;  ///< of the class
  double confidence = 0;
  Box box;
};

/// Of ObjectDetector::load.
struct ObjectDetectorOptions {
  /// A file with the classes' names: a line for each, a JSON list, or a JSON object {"0": name}.
  /// None: the names in the file of weights, if it has any.
  std::filesystem::path labels = {};
  std::string device = {};  ///< where it computes; empty: the default device
  /// Called while weights are read: bytes so far, and of the file.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// Of ObjectDetector::detect.
struct DetectOptions {
  double confidence = 0.25;  ///< objects of less are left out
  /// Of two boxes of one class whose intersection is more than this share of their union, the less
  /// confident one is left out.
  double iou = 0.7;
  int64_t most = 300;  ///< objects of a picture
  int64_t size = 640;  ///< the longer side of what the network sees
};

/// What a detector is.
struct ObjectDetectorInfo {
  std::string architecture;  ///< of detection_architectures(), or "yolov8" of other sizes
  int64_t classes = 0;
  int64_t parameters = 0;           ///< numbers in its tensors, with normalisations folded
  std::vector<std::string> labels;  ///< by class; empty if the classes have no names
};

/// A picture as the network sees it, and where the picture's pixels are in it.
struct LetterboxedPicture {
  Tensor pixels;                    ///< float32 [3, height, width], 0 to 1
  double scale_x = 1, scale_y = 1;  ///< pixels of it in one of the picture, across and down
  int64_t left = 0, top = 0;        ///< columns and rows of grey before the picture
  int64_t height = 0, width = 0;    ///< of the picture itself
};

/// A picture, uint8 [height, width, 3], resized so that its longer side is `size` (rounded up to a
/// multiple of 32), and filled up with grey on both sides of the shorter one to another multiple.
/// ShapeError and DTypeError for what is no picture, ArgumentError for a size that is not 32 to
/// 8192.
TG_API LetterboxedPicture letterboxed(const Tensor& picture, int64_t size = 640,
                                      const std::string& device = {});

/// A network with its weights, whose batch normalisations are folded into its convolutions. Copies
/// are names for one; only one thread at a time may use it.
class TG_API ObjectDetector {
 public:
  /// From a file of weights, told apart by its content: of PyTorch, with a pickled model or a state
  /// dict (nothing in it is run), or safetensors; float32, float16 or bfloat16. The size of the
  /// network and the number of classes follow from the tensors. FileError, with the names of
  /// tensors that are missing, left over or of another shape, for a file that is damaged or of
  /// another network.
  static ObjectDetector load(const std::filesystem::path& file,
                             const ObjectDetectorOptions& options = {});

  const ObjectDetectorInfo& info() const;
  /// The network itself, with its folded normalisations.
  ImageNetwork& network();

  /// decoded_boxes of what letterboxed() gives: float32 [n, 3, height, width] → [n, 4 + classes,
  /// places]. The call is recorded for each shape (TinyJit), of which sixteen are kept. ShapeError
  /// and DTypeError for others.
  Tensor boxes(const Tensor& batch);
  /// The objects in a picture, uint8 [height, width, 3], the most confident first. ArgumentError
  /// for options out of range, ShapeError and DTypeError for what is no picture.
  std::vector<Detection> detect(const Tensor& picture, const DetectOptions& options = {});

 private:
  struct State;
  explicit ObjectDetector(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// A copy of a picture, uint8 [height, width, 3], with the boxes drawn: frames of a colour for each
/// class. ShapeError and DTypeError for what is no picture.
TG_API Tensor drawn_boxes(const Tensor& picture, std::span<const Detection> detections);

}  // namespace tg::models
