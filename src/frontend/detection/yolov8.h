// YOLOv8 as a model of nn.h: its sizes, its parts, and the whole. What is done with what it gives:
// boxes.h; whose weights: detector_files.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tg/models/object_detector.h"
#include "tg/nn.h"
#include "tg/sequential.h"

namespace tg::models {

/// Numbers for each side of a box, and cells of the grids in pixels.
inline constexpr int64_t kBoxBins = 16;
inline constexpr std::array<int64_t, 3> kCellPixels = {8, 16, 32};
/// What all sides of pictures are multiples of.
inline constexpr int64_t kSideStep = kCellPixels.back();

/// The sizes that a network follows from: channels of the first convolution and of the four
/// stages, repeated blocks of the stages of the backbone, and of those of the neck.
struct YoloSizes {
  std::array<int64_t, 5> channels = {};
  std::array<int64_t, 4> blocks = {};
  std::array<int64_t, 4> neck_blocks = {};
  int64_t classes = 0;

  bool operator==(const YoloSizes&) const = default;
};

/// Those of options that are in range.
YoloSizes sizes_of(const YoloV8Options& options);

/// How the normalisations are made, and where everything is.
struct YoloSettings {
  double norm_eps = 1e-3;
  std::string device = {};
};

/// Convolution, batch normalisation, SiLU.
struct YoloConv {
  YoloConv(int64_t in, int64_t out, int64_t kernel, int64_t stride, const YoloSettings& settings);
  Tensor operator()(const Tensor& x) const;
  /// Makes the normalisation a part of the convolution.
  void fold();
  template <typename F>
  void visit(F&& f) {
    f("conv", conv);
    if (norm) f("bn", *norm);
  }

  nn::Conv2d conv;
  std::optional<nn::BatchNorm> norm;  ///< none once it is folded
};

/// Two convolutions, with the input added where it is a shortcut.
struct YoloBottleneck {
  YoloBottleneck(int64_t channels, bool adds_input, const YoloSettings& settings);
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("cv1", first);
    f("cv2", second);
  }

  YoloConv first, second;
  bool adds_input;
};

/// Half of the channels pass through bottlenecks, and all that come out between them are joined
/// (C2f, a cross stage partial block).
struct YoloStage {
  YoloStage(int64_t in, int64_t out, int64_t blocks, bool adds_input, const YoloSettings& settings);
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("cv1", first);
    f("cv2", last);
    f("m", inner);
  }

  YoloConv first, last;
  std::vector<YoloBottleneck> inner;
};

/// Maxima over larger and larger surroundings, joined (SPPF).
struct YoloPyramidPooling {
  YoloPyramidPooling(int64_t in, int64_t out, const YoloSettings& settings);
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("cv1", first);
    f("cv2", last);
  }

  YoloConv first, last;
};

/// One of the two branches at a grid: two convolutions, and one without normalisation.
struct YoloBranch {
  YoloBranch(int64_t in, int64_t inner, int64_t out, const YoloSettings& settings);
  Tensor operator()(const Tensor& x) const { return last(second(first(x))); }
  template <typename F>
  void visit(F&& f) {
    f("0", first);
    f("1", second);
    f("2", last);
  }

  YoloConv first, second;
  nn::Conv2d last;
};

/// Sides of boxes and scores of classes at all places of three grids.
struct YoloHead {
  YoloHead(const std::array<int64_t, 3>& in, int64_t classes, const YoloSettings& settings);
  Tensor operator()(const std::vector<Tensor>& grids) const;
  template <typename F>
  void visit(F&& f) {
    f("cv2", sides);
    f("cv3", scores);
  }

  std::vector<YoloBranch> sides, scores;
};

/// The numbers in the names are the places of the layers in the published list of them.
struct YoloV8 {
  YoloV8(const YoloSizes& sizes, const YoloSettings& settings);
  Tensor operator()(const Tensor& pictures) const;
  /// Makes all normalisations parts of their convolutions.
  void fold();
  template <typename F>
  void visit(F&& f) {
    f("model.0", conv0);
    f("model.1", conv1);
    f("model.2", stage2);
    f("model.3", conv3);
    f("model.4", stage4);
    f("model.5", conv5);
    f("model.6", stage6);
    f("model.7", conv7);
    f("model.8", stage8);
    f("model.9", pooling9);
    f("model.12", stage12);
    f("model.15", stage15);
    f("model.16", conv16);
    f("model.18", stage18);
    f("model.19", conv19);
    f("model.21", stage21);
    f("model.22", head22);
  }

  YoloConv conv0, conv1, conv3, conv5, conv7;
  YoloStage stage2, stage4, stage6, stage8;
  YoloPyramidPooling pooling9;
  YoloStage stage12, stage15;
  YoloConv conv16;
  YoloStage stage18;
  YoloConv conv19;
  YoloStage stage21;
  YoloHead head22;
};

}  // namespace tg::models
