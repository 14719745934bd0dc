// Layers in sequence as one value: for networks that are built at run time, or that need no struct.
// A struct with members and a `visit` is more expressive, and costs no call through a pointer:
// nn.h. For the schedule of learning rates with a similar name, see SequentialLR in training.h.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/nn.h"

namespace tg::nn {

/// What Sequential accepts: anything const-callable that maps a Tensor to a Tensor: layers, models,
/// lambdas, functions, members of Tensor without arguments (`&Tensor::relu`).
template <typename T>
concept Layer =
    std::copy_constructible<T> && std::is_invocable_r_v<Tensor, const T&, const Tensor&>;

/// Models of one type in sequence, called by the program: `ModuleList<Block> blocks;`. It is a
/// vector, which `visit` may name directly; the name is PyTorch's.
template <typename M>
using ModuleList = std::vector<M>;

namespace detail {

// A layer of any type. Also a model with the layer's tensors, or none if the layer is no model.
class TG_API AnyLayer {
 public:
  virtual ~AnyLayer() = default;
  virtual Tensor operator()(const Tensor& x) const = 0;
  virtual std::unique_ptr<AnyLayer> copy() const = 0;
  virtual void list(const TensorVisitor& f) = 0;

  template <typename F>
  void visit(F&& f) {
    list([&f](const std::string& name, Tensor& tensor) { f(std::string_view(name), tensor); });
  }
};

template <Layer L>
class LayerOf final : public AnyLayer {
 public:
  explicit LayerOf(L layer) : layer_(std::move(layer)) {}
  Tensor operator()(const Tensor& x) const override { return std::invoke(layer_, x); }
  std::unique_ptr<AnyLayer> copy() const override { return std::make_unique<LayerOf>(layer_); }
  void list(const TensorVisitor& f) override {
    if constexpr (Model<L>) visit_tensors(layer_, f);
  }

 private:
  L layer_;
};

}  // namespace detail

/// Calls its layers one after the other:
///
///   tg::nn::Sequential net(tg::nn::Linear(2, 8), &tg::Tensor::tanh, tg::nn::Linear(8, 1));
///   tg::nn::Adam adam(net, {.lr = 0.05});
///
/// Layers are stored by value. A copy of the sequence has its own layers, which name the same
/// tensors, as copies of layers do. It is a model: its tensors are "0.weight", "0.bias", "2.weight"
/// and so on, by position, as in PyTorch's state dicts.
class Sequential {
 public:
  Sequential() = default;
  template <typename First, Layer... Others>
  explicit Sequential(First first, Others... others)
    requires(!std::same_as<First, Sequential> && Layer<First>)
  {
    add(std::move(first));
    (add(std::move(others)), ...);
  }
  Sequential(const Sequential& other) {
    for (const auto& layer : other.layers_) layers_.push_back(layer->copy());
  }
  Sequential(Sequential&&) noexcept = default;
  Sequential& operator=(const Sequential& other) {
    layers_ = Sequential(other).layers_;
    return *this;
  }
  Sequential& operator=(Sequential&&) noexcept = default;
  ~Sequential() = default;

  /// Appends a layer; returns this sequence.
  template <Layer L>
  Sequential& add(L layer) {
    layers_.push_back(std::make_unique<detail::LayerOf<L>>(std::move(layer)));
    return *this;
  }

  /// The output of the last layer; x if there are no layers.
  Tensor operator()(const Tensor& x) const {
    Tensor y = x;
    for (const auto& layer : layers_) y = (*layer)(y);
    return y;
  }

  size_t size() const { return layers_.size(); }

  template <typename F>
  void visit(F&& f) {
    for (size_t i = 0; i < layers_.size(); ++i) f(std::to_string(i), *layers_[i]);
  }

 private:
  std::vector<std::unique_ptr<detail::AnyLayer>> layers_;
};

}  // namespace tg::nn
