// Layers and optimisers as values of the function records (tensor/records/value.h): what programs
// of other languages hold when they made one by name. C++ programs use the classes themselves.
#pragma once

#include <memory>
#include <utility>

#include "tensor/records/value.h"
#include "tg/nn.h"

namespace tg::nn {

/// Any layer that maps one tensor to one.
struct LayerObject : FnObject {
  static constexpr FnType kFnType = {FnKind::Layer};
  FnKind kind() const final { return FnKind::Layer; }
  virtual Tensor apply(const Tensor& x) const = 0;
  /// Its tensors by name: its own, not copies.
  virtual StateDict state() = 0;
};

template <typename L>
struct LayerOf final : LayerObject {
  explicit LayerOf(L l) : layer(std::move(l)) {}
  Tensor apply(const Tensor& x) const override { return layer(x); }
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
