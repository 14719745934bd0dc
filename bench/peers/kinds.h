// Kinds of work: what a name and a few sizes stand for. Internal to the worker.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tg/tg.h"
#include "workloads.h"

namespace tg::peers {

using Sizes = std::span<const int64_t>;
using Expression = std::function<Tensor()>;

/// What a call does: it computes an expression, or it is more than one and says itself how.
struct Kind {
  size_t sizes;
  std::function<Expression(Sizes)> expression;
  std::function<Call(Sizes)> call;
};
inline Kind expression(size_t sizes, std::function<Expression(Sizes)> make) {
  return {sizes, std::move(make), {}};
}
inline Kind call(size_t sizes, std::function<Call(Sizes)> make) {
  return {sizes, {}, std::move(make)};
}

using Kinds = std::map<std::string_view, Kind>;
Kinds products();  ///< matrix products, convolutions, attention: products.cpp
Kinds streams();   ///< elementwise work, reductions, scans, sorts, moves: streams.cpp
Kinds networks();  ///< language models and MNIST, inference and training steps: models.cpp
Kinds vision();    ///< networks for images: vision.cpp

/// A model that lives on in a call, its parameters computed.
template <typename M>
std::shared_ptr<M> computed(std::shared_ptr<M> model) {
  std::vector<Tensor> all;
  nn::visit_tensors(*model, [&](const std::string&, Tensor& t) { all.push_back(t); });
  Tensor::realize(all);
  return model;
}

/// What every network here is for: the time of one result of it.
template <typename M>
Call inference(std::shared_ptr<M> model, const Shape& input) {
  return [net = computed(std::move(model)), x = data(input)] { finish((*net)(x)); };
}

}  // namespace tg::peers
