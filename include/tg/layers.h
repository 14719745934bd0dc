// Layers: parameters, and the functions of tensor.h that use them. Each is a model (nn.h): a struct
// with `visit`, whose copies name the same tensors. Numbers that describe a layer must be at least
// 1 (ArgumentError). Part of nn.h, which is what programs include. Names of parameters are
// PyTorch's, so that its files load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

/// Base of Conv1d and Conv2d: cross-correlation of [batch, in, spatial…] with a learned kernel.
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

/// Base of ConvTranspose1d and ConvTranspose2d: the transpose of a convolution. Parameters start
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
/// which also updates the running statistics, else by the running statistics.
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

/// Of Embedding.
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

/// One step of a gated recurrent unit (Cho et al., 2014) as PyTorch has it, gates in the order
/// reset, update, new:
///   r = σ(x·W_irᵀ + b_ir + h·W_hrᵀ + b_hr), z likewise,
///   n = tanh(x·W_inᵀ + b_in + r · (h·W_hnᵀ + b_hn)), the next h is (1 − z) · n + z · h.
/// Parameters start uniform in ±1/√hidden.
struct TG_API GRUCell {
  GRUCell(int64_t in, int64_t hidden, const LinearOptions& options = {});
  /// The next state [..., hidden] for x [..., in]; zeros before the first.
  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Tensor& state) const;
  template <typename F>
  void visit(F&& f) {
    f("weight_ih", weight_ih);
    f("weight_hh", weight_hh);
    f("bias_ih", bias_ih);
    f("bias_hh", bias_hh);
  }

  Tensor weight_ih;                        ///< [3 · hidden, in]
  Tensor weight_hh;                        ///< [3 · hidden, hidden]
  std::optional<Tensor> bias_ih, bias_hh;  ///< [3 · hidden]
};

/// Of GRU and LSTM.
struct RecurrentOptions {
  int64_t layers = 1;            ///< stacked: each takes the outputs of the one below
  bool bias = true;              ///< add learned shifts
  bool batch_first = false;      ///< x and outputs are [batch, steps, …], not [steps, batch, …]
  double dropout = 0;            ///< share of the outputs between layers, zeroed while training
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};

namespace detail {
/// Lists the parameters of stacked cells by PyTorch's names: "weight_ih_l0".
template <typename Cells, typename F>
void visit_cells(Cells& cells, F&& f) {
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i].visit([&](std::string_view name, auto& tensor) {
      f(std::string(name) + "_l" + std::to_string(i), tensor);
    });
}
}  // namespace detail

/// GRUCells over the steps of a sequence, in one direction; the number of steps is part of the
/// graph. Throws ArgumentError for sizes and numbers of layers below 1, and a dropout outside
/// [0, 1].
struct TG_API GRU {
  GRU(int64_t in, int64_t hidden, const RecurrentOptions& options = {});
  using Result = std::pair<Tensor, Tensor>;
  /// The outputs of all steps, [steps, batch, hidden], and the last state, [layers, batch, hidden],
  /// for x [steps, batch, in] and the state before it, of the last state's shape; zeros if it is
  /// left out. Both without the batch if x has none. ShapeError for other shapes and for no steps.
  Result operator()(const Tensor& x) const;
  Result operator()(const Tensor& x, const Tensor& state) const;
  template <typename F>
  void visit(F&& f) {
    detail::visit_cells(cells, f);
  }

  std::vector<GRUCell> cells;  ///< the lowest layer first
  bool batch_first;
  double dropout;
};

/// LSTMCells over the steps of a sequence, as GRU.
struct TG_API LSTM {
  LSTM(int64_t in, int64_t hidden, const RecurrentOptions& options = {});
  using State = LSTMCell::State;  ///< output and cell, [layers, batch, hidden] each
  struct Result {
    Tensor output;  ///< of all steps, [steps, batch, hidden]
    State state;    ///< after the last step
  };
  Result operator()(const Tensor& x) const;
  Result operator()(const Tensor& x, const State& state) const;
  template <typename F>
  void visit(F&& f) {
    detail::visit_cells(cells, f);
  }

  std::vector<LSTMCell> cells;  ///< the lowest layer first
  bool batch_first;
  double dropout;
};

/// Of MultiHeadAttention.
struct AttentionLayerOptions {
  std::optional<int64_t> kv_heads = {};  ///< heads of keys and values, each for several of the
                                         ///< queries; none: as many as of queries
  double dropout = 0;                    ///< share of the weights dropped while training
  bool is_causal = false;                ///< a query sees the keys up to its own place
  bool bias = true;                      ///< add learned shifts
  TensorOptions placement = {};          ///< dtype (float32) and device of the parameters
};

/// Attention in several heads (Vaswani et al., 2017): queries, keys and values are projected, each
/// head attends with its part (scaled_dot_product_attention), and the heads are projected together.
/// Shapes as PyTorch's with batch_first. The first projection starts as glorot_uniform, the second
/// uniform in ±1/√size, shifts at 0. Throws ArgumentError for sizes below 1, for heads that do not
/// divide the size, for kv_heads that do not divide the heads, and a dropout outside [0, 1].
struct TG_API MultiHeadAttention {
  MultiHeadAttention(int64_t size, int64_t heads, const AttentionLayerOptions& options = {});
  /// x attends to itself: [..., n, size] → [..., n, size]. The mask is broadcast to [..., heads, n,
  /// n]: bool says which keys count, numbers are added to the scores. ShapeError for other shapes.
  Tensor operator()(const Tensor& x, const Tensor* mask = nullptr) const;
  /// Queries [..., n, size] attend to keys and values, [..., m, size] each → [..., n, size]; the
  /// mask is broadcast to [..., heads, n, m].
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const Tensor* mask = nullptr) const;
  template <typename F>
  void visit(F&& f) {
    f("in_proj_weight", in_proj_weight);
    f("in_proj_bias", in_proj_bias);
    f("out_proj", out_proj);
  }

  Tensor in_proj_weight;               ///< of queries, keys, values: [size + 2 · kv_size, size],
                                       ///< kv_size = size / heads · kv_heads
  std::optional<Tensor> in_proj_bias;  ///< [size + 2 · kv_size]
  Linear out_proj;
  int64_t heads, kv_heads;
  double dropout;
  bool is_causal;
};

/// The activation between the two linear layers of a transformer's feed-forward part: max(x, 0), or
/// x · Φ(x), exact.
enum class Activation { Relu, Gelu };

/// Of TransformerEncoderLayer and TransformerDecoderLayer.
struct TransformerLayerOptions {
  int64_t feedforward = 2048;                ///< features between the two linear layers
  double dropout = 0.1;                      ///< share zeroed while training, in all parts
  Activation activation = Activation::Relu;  ///< between the two linear layers
  bool norm_first = false;                   ///< normalise the input of a part, not its output
  bool is_causal = false;                    ///< x sees itself up to its own place
  std::optional<int64_t> kv_heads = {};      ///< as in AttentionLayerOptions
  double eps = 1e-5;                         ///< of the normalisations
  bool bias = true;                          ///< add learned shifts everywhere
  TensorOptions placement = {};              ///< dtype (float32) and device of the parameters
};

/// Self-attention, then two linear layers with an activation between them, the result of each
/// added to its input and normalised (Vaswani et al., 2017). Throws as MultiHeadAttention.
struct TG_API TransformerEncoderLayer {
  TransformerEncoderLayer(int64_t size, int64_t heads, const TransformerLayerOptions& options = {});
  /// [..., n, size] → [..., n, size]; the mask as in MultiHeadAttention.
  Tensor operator()(const Tensor& x, const Tensor* mask = nullptr) const;
  template <typename F>
  void visit(F&& f) {
    f("self_attn", self_attn);
    f("linear1", linear1);
    f("linear2", linear2);
    f("norm1", norm1);
    f("norm2", norm2);
  }

  MultiHeadAttention self_attn;
  Linear linear1, linear2;  ///< size → feedforward → size
  LayerNorm norm1, norm2;   ///< of the attention, of the linear layers
  double dropout;
  Activation activation;
  bool norm_first;
};

/// The same with attention to a memory, the result of an encoder, between the two parts.
struct TG_API TransformerDecoderLayer {
  TransformerDecoderLayer(int64_t size, int64_t heads, const TransformerLayerOptions& options = {});
  /// x [..., n, size] and memory [..., m, size] → [..., n, size]. `mask`: which of x count for x,
  /// `memory_mask`: which of the memory do.
  Tensor operator()(const Tensor& x, const Tensor& memory, const Tensor* mask = nullptr,
                    const Tensor* memory_mask = nullptr) const;
  template <typename F>
  void visit(F&& f) {
    f("self_attn", self_attn);
    f("multihead_attn", multihead_attn);
    f("linear1", linear1);
    f("linear2", linear2);
    f("norm1", norm1);
    f("norm2", norm2);
    f("norm3", norm3);
  }

  MultiHeadAttention self_attn, multihead_attn;
  Linear linear1, linear2;        ///< size → feedforward → size
  LayerNorm norm1, norm2, norm3;  ///< of the two attentions, of the linear layers
  double dropout;
  Activation activation;
  bool norm_first;
};

}  // namespace tg::nn
