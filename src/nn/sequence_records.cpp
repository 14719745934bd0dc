// Records of recurrent layers, attention and the layers of a transformer; see records.h.
#include "nn/record_parts.h"

namespace tg {

template <>
inline constexpr std::string_view kOptionsOf<nn::RecurrentOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::AttentionLayerOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::TransformerLayerOptions> = "field of the options";
template <>
inline constexpr const FnChoices* kChoicesOf<nn::Activation> = &kActivations;

}  // namespace tg

namespace tg::nn {
namespace {

constexpr std::string_view kHeads =
    "ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads that do "
    "not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other shapes";
constexpr std::string_view kLayered =
    "ArgumentError for sizes below 1, and a dropout outside [0, 1]; ShapeError for inputs of other "
    "shapes, and for no steps";
const FnParam kHidden = size("hidden", "features of the state");
const FnParam kSize = size("size", "features of x");
const FnParam kHeadCount = {"heads", "int64_t", "", "parts that attend on their own"};

std::vector<FnParam> cell_params() {
  return {kIn, kHidden, bias<LinearOptions>(), dtype<LinearOptions>(), device<LinearOptions>()};
}

std::vector<FnParam> recurrent_params() {
  using O = RecurrentOptions;
  return {kIn,
          kHidden,
          field<&O::layers>("layers", "1", "one on the other"),
          bias<O>(),
          field<&O::batch_first>("batch_first", "false",
                                 "x and outputs are [batch, steps, ...], not [steps, batch, ...]"),
          field<&O::dropout>("dropout", "0",
                             "share of the outputs between layers, zeroed while training",
                             "probability"),
          dtype<O>(),
          device<O>()};
}

template <typename O>
FnParam kv_heads() {
  return field<&O::kv_heads>("kv_heads", "as many as heads",
                             "heads of keys and values, each for several of the queries");
}

std::vector<FnParam> transformer_params() {
  using O = TransformerLayerOptions;
  return {
      kSize,
      kHeadCount,
      field<&O::feedforward>("feedforward", "2048", "between the two linear layers", "elements"),
      field<&O::dropout>("dropout", "0.1", "share zeroed while training, in all parts",
                         "probability"),
      field<&O::activation>("activation", "Relu", "Relu, or Gelu, exact"),
      field<&O::norm_first>("norm_first", "false",
                            "normalise what a part takes, not what it gives"),
      field<&O::is_causal>("is_causal", "false", "x sees itself up to its own place"),
      kv_heads<O>(),
      field<&O::eps>("eps", "1e-5", "added to the variance"),
      bias<O>(),
      dtype<O>(),
      device<O>()};
}

}  // namespace

FnFamily sequence_layer_records() {
  return {
      "Layers of sequences",
      {
          layer(make<LSTMCell, int64_t, int64_t, LinearOptions>(), "LSTMCell",
                "One step of a long short-term memory: x and a pair (output, cell) give "
                "the next pair; without one it starts from zeros. Starts uniform in "
                "+-1/sqrt(hidden).",
                cell_params(), "[batch, in] gives a pair of [batch, hidden]", kSizes,
                "nn::LSTMCell(3, 2)(Tensor::ones({4, 3})).first.shape()", "[4,2]"),
          layer(make<GRUCell, int64_t, int64_t, LinearOptions>(), "GRUCell",
                "One step of a gated recurrent unit, gates in the order reset, update, new: x and "
                "a state give the next state; without one it starts from zeros. Starts uniform in "
                "+-1/sqrt(hidden).",
                cell_params(), "[..., in] gives [..., hidden]", kSizes,
                "nn::GRUCell(3, 2)(Tensor::ones({4, 3})).shape()", "[4,2]"),
          layer(make<LSTM, int64_t, int64_t, RecurrentOptions>(), "LSTM",
                "LSTMCells over the steps of a sequence, several layers of them. x, or x and the "
                "two tensors of a state, give the outputs of all steps and the two tensors of the "
                "state after the last.",
                recurrent_params(),
                "[steps, batch, in] gives [steps, batch, hidden] and twice [layers, batch, hidden]",
                kLayered, "nn::LSTM(3, 2)(Tensor::ones({5, 4, 3})).output.shape()", "[5,4,2]"),
          layer(make<GRU, int64_t, int64_t, RecurrentOptions>(), "GRU",
                "GRUCells over the steps of a sequence, several layers of them. x, or x and a "
                "state, give the outputs of all steps and the state after the last.",
                recurrent_params(),
                "[steps, batch, in] gives [steps, batch, hidden] and [layers, batch, hidden]",
                kLayered, "nn::GRU(3, 2, {.layers = 2})(Tensor::ones({5, 4, 3})).second.shape()",
                "[2,4,2]"),
          layer(make<MultiHeadAttention, int64_t, int64_t, AttentionLayerOptions>(),
                "MultiHeadAttention",
                "Queries, keys and values are projected, each head attends with its part, and the "
                "heads are projected together. Takes x, which attends to itself, or queries, keys "
                "and values; and behind them a mask, broadcast to [..., heads, n, m]: bool says "
                "which keys count, numbers are added to the scores.",
                {kSize, kHeadCount, kv_heads<AttentionLayerOptions>(),
                 field<&AttentionLayerOptions::dropout>(
                     "dropout", "0", "share of the weights dropped while training", "probability"),
                 field<&AttentionLayerOptions::is_causal>(
                     "is_causal", "false", "a query sees the keys up to its own place"),
                 bias<AttentionLayerOptions>(), dtype<AttentionLayerOptions>(),
                 device<AttentionLayerOptions>()},
                "queries [..., n, size], keys and values [..., m, size] give [..., n, size]",
                kHeads, "nn::MultiHeadAttention(8, 2)(Tensor::ones({3, 5, 8})).shape()", "[3,5,8]"),
          layer(
              make<TransformerEncoderLayer, int64_t, int64_t, TransformerLayerOptions>(),
              "TransformerEncoderLayer",
              "Self-attention, then two linear layers with an activation between them, the result "
              "of each added to its input and normalised. Takes x, and behind it a mask as "
              "MultiHeadAttention's.",
              transformer_params(), "[..., n, size], as the input", kHeads,
              "nn::TransformerEncoderLayer(8, 2)(Tensor::ones({3, 5, 8})).shape()", "[3,5,8]"),
          layer(make<TransformerDecoderLayer, int64_t, int64_t, TransformerLayerOptions>(),
                "TransformerDecoderLayer",
                "TransformerEncoderLayer with attention to a memory between its two parts. Takes x "
                "and the memory, and behind them a mask of x and one of the memory.",
                transformer_params(),
                "x [..., n, size] and memory [..., m, size] give [..., n, size]", kHeads,
                "nn::TransformerDecoderLayer(8, 2)(Tensor::ones({3, 5, 8}), Tensor::ones({3, 4, "
                "8})).shape()",
                "[3,5,8]"),
      }};
}

}  // namespace tg::nn
