// Layers and optimisers as values of the function records (tensor/records/value.h): what programs
// of other languages hold when they made one by name. C++ programs use the classes themselves.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "support/check.h"
#include "tensor/records/value.h"
#include "tg/nn.h"

namespace tg::nn {

/// Any layer. Most map one tensor to one; recurrent ones map x, or x and a state, to outputs and
/// the next state, attention takes masks.
struct LayerObject : FnObject {
  static constexpr FnType kFnType = {FnKind::Layer};
  FnKind kind() const final { return FnKind::Layer; }
  /// ArgumentError for a number of inputs that the layer does not take.
  virtual std::vector<Tensor> apply(std::span<const Tensor> inputs) const = 0;
  /// Its tensors by name: its own, not copies.
  virtual StateDict state() = 0;
};

/// What a layer takes, in words, and what it makes of so many tensors: none for a number that it
/// does not take. Overloads say so for layers that take other things than one tensor.
template <typename L>
constexpr std::string_view inputs_of(const L&) {
  return "one tensor";
}
template <typename L>
std::optional<std::vector<Tensor>> applied(const L& layer, std::span<const Tensor> in) {
  if (in.size() != 1) return {};
  return {{layer(in[0])}};
}
std::string_view inputs_of(const LSTMCell& layer);
std::string_view inputs_of(const LSTM& layer);
std::string_view inputs_of(const GRUCell& layer);
std::string_view inputs_of(const GRU& layer);
std::string_view inputs_of(const MultiHeadAttention& layer);
std::string_view inputs_of(const TransformerEncoderLayer& layer);
std::string_view inputs_of(const TransformerDecoderLayer& layer);
using Results = std::optional<std::vector<Tensor>>;
Results applied(const LSTMCell& layer, std::span<const Tensor> in);
Results applied(const LSTM& layer, std::span<const Tensor> in);
Results applied(const GRUCell& layer, std::span<const Tensor> in);
Results applied(const GRU& layer, std::span<const Tensor> in);
Results applied(const MultiHeadAttention& layer, std::span<const Tensor> in);
Results applied(const TransformerEncoderLayer& layer, std::span<const Tensor> in);
Results applied(const TransformerDecoderLayer& layer, std::span<const Tensor> in);

template <typename L>
struct LayerOf final : LayerObject {
  explicit LayerOf(L l) : layer(std::move(l)) {}
  std::vector<Tensor> apply(std::span<const Tensor> inputs) const override {
    if (auto results = applied(layer, inputs)) return *std::move(results);
    user_error<ArgumentError>(
        "layer", fmt::format("it takes {}, got {} tensors", inputs_of(layer), inputs.size()));
  }
  StateDict state() override { return state_dict(layer); }

  L layer;
};

/// Any optimiser.
struct OptimizerObject : FnObject {
  static constexpr FnType kFnType = {FnKind::Optimizer};
  FnKind kind() const final { return FnKind::Optimizer; }
  virtual Optimizer& get() = 0;
  /// What it keeps between steps, by name.
  virtual StateDict state() = 0;
};

template <typename O>
struct OptimizerOf final : OptimizerObject {
  explicit OptimizerOf(std::unique_ptr<O> o) : optimizer(std::move(o)) {}
  Optimizer& get() override { return *optimizer; }
  StateDict state() override { return state_dict(*optimizer); }

  std::unique_ptr<O> optimizer;
};

}  // namespace tg::nn
