// What networks of convolutions are made of: convolution and normalisation, squeeze and excitation,
// residual blocks. The networks: resnet.cpp, mobilenet.cpp, efficientnet.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "tg/nn.h"
#include "tg/sequential.h"

namespace tg::models {

/// A function of each element.
using ActivationFunction = Tensor (*)(const Tensor&);

inline Tensor relu(const Tensor& x) { return x.relu(); }
inline Tensor relu6(const Tensor& x) { return x.relu6(); }
inline Tensor silu(const Tensor& x) { return x.silu(); }
inline Tensor hardswish(const Tensor& x) { return x.hardswish(); }
inline Tensor sigmoid(const Tensor& x) { return x.sigmoid(); }
inline Tensor hardsigmoid(const Tensor& x) { return x.hardsigmoid(); }

/// Of convolution_norm.
struct ConvNormOptions {
  int64_t kernel = 3, stride = 1, groups = 1;
  ActivationFunction activation = nullptr;  ///< null: none
};

/// How the batch normalisations of a network are made, and where.
struct NormSettings {
  double eps = 1e-5, momentum = 0.1;
  std::string device = {};
};

/// The nearest multiple of eight, at least eight, and not less than nine tenths of `channels`.
int64_t rounded_to_eights(double channels);

/// A convolution without bias, padded to keep the size; batch normalisation; activation:
/// "0.weight", "1.weight" and so on.
nn::Sequential convolution_norm(int64_t in, int64_t out, const ConvNormOptions& options,
                                const NormSettings& norm);

/// The mean over height and width: [n, channels, height, width] → [n, channels].
Tensor pooled(const Tensor& x);

/// Scales channels by what their means say (Hu et al., 2018).
struct SqueezeExcitation {
  SqueezeExcitation(int64_t channels, int64_t squeezed, ActivationFunction activation,
                    ActivationFunction scale, const std::string& device);
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("fc1", fc1);
    f("fc2", fc2);
  }

  nn::Conv2d fc1, fc2;
  ActivationFunction activation, scale;
};

/// An inner sequence, and what is added to it.
struct ResidualBlock {
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f(name, inner);
  }

  std::string name;  ///< of the sequence, for the names of its tensors
  nn::Sequential inner;
  bool adds_input = false;
  double dropout = 0;  ///< share of the elements of a batch without the sequence, while training
};

/// Layers that are called, and listed under the names of torchvision's classifiers: "features" and
/// "classifier" around the mean over places.
struct FeatureClassifier {
  Tensor operator()(const Tensor& x) const { return classifier(pooled(features(x))); }
  template <typename F>
  void visit(F&& f) {
    f("features", features);
    f("classifier", classifier);
  }

  nn::Sequential features, classifier;
};

}  // namespace tg::models
