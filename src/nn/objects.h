// Layers and optimisers as values of the function records (tensor/records/value.h): what programs
// of other languages hold when they made one by name. C++ programs use the classes themselves.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "support/check.h"
#include "tensor/records/value.h"
#include "tg/nn.h"

namespace tg::nn {

/// Any layer. Most map one tensor to one; LSTMCell maps x, or x and its state, to the next state.
struct LayerObject : FnObject {
  static constexpr FnType kFnType = {FnKind::Layer};
  FnKind kind() const final { return FnKind::Layer; }
  /// ArgumentError for a number of inputs that the layer does not take.
  virtual std::vector<Tensor> apply(std::span<const Tensor> inputs) const = 0;
  /// Its tensors by name: its own, not copies.
  virtual StateDict state() = 0;
};

template <typename L>
struct LayerOf final : LayerObject {
  explicit LayerOf(L l) : layer(std::move(l)) {}
  std::vector<Tensor> apply(std::span<const Tensor> inputs) const override {
    if constexpr (kHasState) {
      if (inputs.size() == 3) {
        auto [output, cell] = layer(inputs[0], {inputs[1], inputs[2]});
        return {std::move(output), std::move(cell)};
      }
    }
    if (inputs.size() != 1)
      user_error<ArgumentError>(
          "layer",
          fmt::format("it takes {}, got {} tensors",
                      kHasState ? "x, or x and the two tensors of its state" : "one tensor",
                      inputs.size()));
    if constexpr (kHasState) {
      auto [output, cell] = layer(inputs[0]);
      return {std::move(output), std::move(cell)};
    } else {
      return {layer(inputs[0])};
    }
  }
  StateDict state() override { return state_dict(layer); }

  static constexpr bool kHasState = std::is_same_v<L, LSTMCell>;
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
