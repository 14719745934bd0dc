// The weights of a decoder, and how they are found in a file: by a table of names, checked against
// the shapes that the configuration asks for. The tables: hugging_face.cpp, gguf_model.cpp. What
// the weights compute: decoder.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/language/decoder_config.h"
#include "tg/nn.h"

namespace tg::models {

/// What an adapter adds to a product: scale · x · aᵀ · bᵀ (Hu et al., 2021, "LoRA"). Of several
/// products that are one in the adapter's file, each takes its rows of b.
struct LowRank {
  Tensor a;  ///< [rank, in], float32
  Tensor b;  ///< [outs of all these products, rank], float32
  int64_t begin = 0, count = 0;
  double scale = 1;
  double dropout = 0;  ///< share of x that is zeroed while training
};

/// x · weightᵀ + bias: weight [out, in] as it is in the file, quantised or in half precision.
struct Projection {
  Tensor weight;
  std::optional<Tensor> bias = {};
  bool is_quantised = false;
  std::optional<LowRank> adapter = {};
};

/// x [..., in] to float32 [..., out].
Tensor projected(const Projection& p, const Tensor& x);

/// The function between the two products of a feed-forward.
Tensor activated(Activation activation, const Tensor& x);

/// Weight and bias float32 [width].
struct NormWeights {
  Tensor weight;
  std::optional<Tensor> bias;
};

/// By the kind of norm that a model has: x [..., width].
Tensor normalised(const DecoderConfig& config, const NormWeights& w, const Tensor& x);

struct FeedForwardWeights {
  std::optional<Projection> gate;
  Projection up, down;
};

/// The two products and what is between them: x [..., width].
Tensor fed_forward(const DecoderConfig& config, const FeedForwardWeights& w, const Tensor& x);

/// Of all experts in one: gate and up [count, hidden, width], down [count, width, hidden].
struct ExpertWeights {
  Projection router;
  Tensor gate, up, down;
  std::optional<FeedForwardWeights> shared;
  std::optional<Projection> shared_gate;
};

/// Attention to the states of an encoder.
struct CrossWeights {
  NormWeights norm;
  Projection q, k, v, out;
};

struct LayerWeights {
  NormWeights attention_norm, feed_forward_norm;
  std::optional<NormWeights> attention_result_norm, feed_forward_result_norm;
  Projection q, k, v, out;
  std::optional<NormWeights> q_norm, k_norm;
  std::optional<CrossWeights> cross;
  std::optional<FeedForwardWeights> feed_forward;
  std::optional<ExpertWeights> experts;
};

/// Layers, and the norm behind them.
struct StackWeights {
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  std::optional<Tensor> distances;  ///< [groups, heads], float32
};

struct DecoderWeights {
  Tensor embedding;                 ///< [vocabulary, width]
  std::optional<Tensor> positions;  ///< [context, width]
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  std::optional<Tensor> distances;  ///< [groups, heads], float32
  Projection output;
};

/// Names of weights in a kind of file, without their endings ".weight" and ".bias". In those of
/// layers, {} is the number of the layer; in those of experts a second {} that of the expert, or
/// there is none, and one tensor holds all experts. Empty: such files have no such weight.
struct WeightNames {
  std::string_view embedding, positions, final_norm, output;
  std::string_view attention_norm, feed_forward_norm, attention_result_norm,
      feed_forward_result_norm;
  std::string_view q, k, v, qkv;  ///< qkv: one after the other in one
  std::string_view out, q_norm, k_norm;
  std::string_view distances;  ///< of the first layer, for all
  std::string_view cross_norm, cross_q, cross_k, cross_v, cross_out;
  std::string_view gate, up, gate_up, down;  ///< gate_up: one after the other in one
  std::string_view router, expert_gate, expert_up, expert_down;
  std::string_view shared_gate, shared_up, shared_down, shared_router;
  bool is_transposed = false;  ///< projections of layers are [in, out]
};

/// A pattern with this in place of its first {}.
std::string filled(std::string_view pattern, std::string_view number);

/// The tensors of a file, of which each is to be taken.
class WeightSource {
 public:
  /// Errors are in the name of `fn`.
  WeightSource(std::string_view fn, nn::StateDict tensors, std::string file);

  bool has(std::string_view name) const;
  /// FileError, naming file and tensor, if it is missing or has another shape.
  Tensor take(std::string_view name, const Shape& shape);
  /// The same of one row [1, size], which some files write as a vector.
  Tensor take_row(std::string_view name, int64_t size);
  /// FileError if tensors are left that nothing has taken.
  void require_all_taken() const;
  /// Forgets a tensor that files have without need.
  void drop(std::string_view name);
  [[noreturn]] void fail(std::string_view name, std::string_view problem) const;

 private:
  std::string fn_;
  nn::StateDict tensors_;
  std::string file_;
};

/// The weights of a decoder. FileError if they are not exactly those of the file.
DecoderWeights take_weights(const DecoderConfig& config, const WeightNames& names,
                            WeightSource& source);
/// Those of its layers alone, which is what an encoder has.
StackWeights take_layers(const DecoderConfig& config, const WeightNames& names,
                         WeightSource& source);

}  // namespace tg::models
