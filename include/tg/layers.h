// Layers: parameters, and the functions of tensor.h that use them. Each is a model (nn.h): a struct
// with `visit`, whose copies name the same tensors. Numbers that describe a layer must be at least
// 1 (ArgumentError). Part of nn.h, which is what programs include.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/options.h"
#include "tg/tensor.h"

namespace tg::nn {

/// Of Linear.
struct LinearOptions {
  bool bias = true;              ///< add a learned shift
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};

/// x · weightᵀ + bias: [..., in] → [..., out]. Parameters start uniform in ±1/√in. Throws
/// ArgumentError for sizes below 1.
struct TG_API Linear {
  Linear(int64_t in, int64_t out, const LinearOptions& options = {});
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  Tensor weight;               ///< [out, in]
  std::optional<Tensor> bias;  ///< [out]
};

/// Of Conv1d and Conv2d; the numbers as in ConvOptions.
struct ConvLayerOptions {
  int64_t groups = 1;
  PerAxis stride = {1};
  PerAxis dilation = {1};
  PerAxis padding = {0};
  bool bias = true;              ///< add a learned shift to each channel
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};
using Conv1dOptions = ConvLayerOptions;
using Conv2dOptions = ConvLayerOptions;

/// What Conv1d and Conv2d are: cross-correlation of [batch, in, spatial…] with a learned kernel.
/// Parameters start uniform in ±1/√(in / groups · kernel elements).
struct TG_API Conv {
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  Tensor weight;               ///< [out, in / groups, kernel…]
  std::optional<Tensor> bias;  ///< [out]
  int64_t groups;
  PerAxis stride, dilation, padding;

 protected:
  Conv(std::string_view layer, int64_t in, int64_t out, const std::vector<int64_t>& kernel,
       const ConvLayerOptions& options);
};

/// [batch, in, length] → [batch, out, …]. Throws ArgumentError for sizes below 1, or groups that do
/// not divide both channel numbers.
struct TG_API Conv1d : Conv {
  Conv1d(int64_t in, int64_t out, int64_t kernel, const Conv1dOptions& options = {});
};

/// [batch, in, height, width] → [batch, out, …]. Throws as Conv1d.
struct TG_API Conv2d : Conv {
  /// `kernel`: one number for both axes or {height, width}.
  Conv2d(int64_t in, int64_t out, const PerAxis& kernel, const Conv2dOptions& options = {});
};

/// Of ConvTranspose1d and ConvTranspose2d; the numbers as in ConvTransposeOptions.
struct ConvTransposeLayerOptions {
  int64_t groups = 1;
  PerAxis stride = {1};
  PerAxis dilation = {1};
  PerAxis padding = {0};
  PerAxis output_padding = {0};
  bool bias = true;              ///< add a learned shift to each channel
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};

/// What ConvTranspose1d and ConvTranspose2d are: the transpose of a convolution. Parameters start
/// uniform in ±1/√(out / groups · kernel elements).
struct TG_API ConvTranspose {
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  Tensor weight;               ///< [in, out / groups, kernel…]
  std::optional<Tensor> bias;  ///< [out]
  int64_t groups;
  PerAxis stride, dilation, padding, output_padding;

 protected:
  ConvTranspose(std::string_view layer, int64_t in, int64_t out, const std::vector<int64_t>& kernel,
                const ConvTransposeLayerOptions& options);
};

/// [batch, in, length] → [batch, out, …]. Throws as Conv1d.
struct TG_API ConvTranspose1d : ConvTranspose {
  ConvTranspose1d(int64_t in, int64_t out, int64_t kernel,
                  const ConvTransposeLayerOptions& options = {});
};

/// [batch, in, height, width] → [batch, out, …]. Throws as Conv1d.
struct TG_API ConvTranspose2d : ConvTranspose {
  /// `kernel`: one number for both axes or {height, width}.
  ConvTranspose2d(int64_t in, int64_t out, const PerAxis& kernel,
                  const ConvTransposeLayerOptions& options = {});
};

/// Of BatchNorm.
struct BatchNormLayerOptions {
  double eps = 1e-5;             ///< added to the variance
  double momentum = 0.1;         ///< share of each batch in the running statistics
  bool affine = true;            ///< learn a scale and a shift for each channel
  TensorOptions placement = {};  ///< dtype (float32) and device
};

/// Normalises each channel (axis 1) of [batch, channels, …]: by this batch inside a TrainingScope,
/// which also moves the running statistics, else by the running statistics.
struct TG_API BatchNorm {
  explicit BatchNorm(int64_t channels, const BatchNormLayerOptions& options = {});
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
    f("running_mean", running_mean);
    f("running_var", running_var);
  }

  std::optional<Tensor> weight;      ///< scale, [channels], starts at 1
  std::optional<Tensor> bias;        ///< shift, [channels], starts at 0
  Tensor running_mean, running_var;  ///< [channels], start at 0 and 1; no parameters
  double eps, momentum;
};

/// Of LayerNorm, LayerNorm2d, GroupNorm and InstanceNorm.
struct NormLayerOptions {
  double eps = 1e-5;             ///< added to the variance
  bool affine = true;            ///< learn a scale and a shift
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};

/// Normalises the last axes of each element, which have the given shape.
struct TG_API LayerNorm {
  explicit LayerNorm(const Shape& shape, const NormLayerOptions& options = {});
  explicit LayerNorm(int64_t size, const NormLayerOptions& options = {})
      : LayerNorm(Shape{size}, options) {}
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  std::optional<Tensor> weight;  ///< scale, of the shape, starts at 1
  std::optional<Tensor> bias;    ///< shift, of the shape, starts at 0
  int64_t axes;                  ///< number of axes of the shape
  double eps;
};

/// Normalises the channels of each place of [batch, channels, height, width].
struct TG_API LayerNorm2d : LayerNorm {
  explicit LayerNorm2d(int64_t channels, const NormLayerOptions& options = {})
      : LayerNorm(channels, options) {}
  Tensor operator()(const Tensor& x) const;
};

/// Normalises each group of channels (axis 1) of each element of [batch, channels, …]. Throws
/// ArgumentError unless the groups divide the channels.
struct TG_API GroupNorm {
  GroupNorm(int64_t groups, int64_t channels, const NormLayerOptions& options = {});
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  std::optional<Tensor> weight;  ///< scale, [channels], starts at 1
  std::optional<Tensor> bias;    ///< shift, [channels], starts at 0
  int64_t groups;
  double eps;
};

/// Normalises each channel of each element: a group for every channel.
struct TG_API InstanceNorm : GroupNorm {
  explicit InstanceNorm(int64_t channels, const NormLayerOptions& options = {})
      : GroupNorm(channels, channels, options) {}
};

/// Of RMSNorm.
struct RmsNormLayerOptions {
  double eps = 1e-6;             ///< added to the mean of squares
  bool affine = true;            ///< learn a scale
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameter
};

/// Divides the last axis by the root of its mean square.
struct TG_API RMSNorm {
  explicit RMSNorm(int64_t size, const RmsNormLayerOptions& options = {});
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
  }

  std::optional<Tensor> weight;  ///< scale, [size], starts at 1
  double eps;
};

/// Of Embedding and LSTMCell.
struct EmbeddingOptions {
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};

/// A row of a learned table for each integer: [...] → [..., size]. Negative integers count from the
/// end; those outside give zeros. Parameters start as glorot_uniform.
struct TG_API Embedding {
  Embedding(int64_t entries, int64_t size, const EmbeddingOptions& options = {});
  Tensor operator()(const Tensor& index) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
  }

  Tensor weight;  ///< [entries, size]
};

/// Tensor::dropout as a layer: zeroes elements with probability p inside a TrainingScope.
struct TG_API Dropout {
  /// Throws ArgumentError for p outside [0, 1].
  explicit Dropout(double p = 0.5);
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&&) {}

  double p;
};

/// One step of a long short-term memory (Hochreiter and Schmidhuber, 1997), gates in the order
/// input, forget, cell, output. Parameters start uniform in ±1/√hidden.
struct TG_API LSTMCell {
  LSTMCell(int64_t in, int64_t hidden, const LinearOptions& options = {});
  using State = std::pair<Tensor, Tensor>;  ///< output and cell, [batch, hidden] each
  /// The next state for x [batch, in]; zeros before the first.
  State operator()(const Tensor& x) const;
  State operator()(const Tensor& x, const State& state) const;
  template <typename F>
  void visit(F&& f) {
    f("weight_ih", weight_ih);
    f("weight_hh", weight_hh);
    f("bias_ih", bias_ih);
    f("bias_hh", bias_hh);
  }

  Tensor weight_ih;                        ///< [4 · hidden, in]
  Tensor weight_hh;                        ///< [4 · hidden, hidden]
  std::optional<Tensor> bias_ih, bias_hh;  ///< [4 · hidden]
};

}  // namespace tg::nn
