// What the examples of the records of layers and optimisers need.
#pragma once

#include <tg/tg.h>

#include "unit/tensor/support/example_test.h"

namespace tg::testing {

/// 1 after one step along the gradient 2.
template <typename O, typename Options>
Tensor stepped_with(const Options& options) {
  const Tensor p = Tensor{1.0}.is_param_();
  O optimizer(std::vector<Tensor>{p}, options);
  optimizer.step((p * 2).sum());
  return p;
}

template <typename O>
Tensor stepped(const nn::SgdOptions& o)
  requires std::is_same_v<O, nn::SGD>
{
  return stepped_with<O>(o);
}
template <typename O>
Tensor stepped(const nn::AdamOptions& o)
  requires std::is_same_v<O, nn::Adam>
{
  return stepped_with<O>(o);
}
template <typename O>
Tensor stepped(const nn::AdamWOptions& o)
  requires std::is_same_v<O, nn::AdamW>
{
  return stepped_with<O>(o);
}
template <typename O>
Tensor stepped(const nn::LambOptions& o)
  requires std::is_same_v<O, nn::LAMB>
{
  return stepped_with<O>(o);
}
template <typename O>
Tensor stepped(const nn::LarsOptions& o)
  requires std::is_same_v<O, nn::LARS>
{
  return stepped_with<O>(o);
}
template <typename O>
Tensor stepped(const nn::MuonOptions& o)
  requires std::is_same_v<O, nn::Muon>
{
  return stepped_with<O>(o);
}

/// The same through a group.
inline Tensor grouped_step() {
  const Tensor p = Tensor{1.0}.is_param_();
  nn::SGD sgd(std::vector<Tensor>{p}, {.learning_rate = 0.25});
  nn::OptimizerGroup group({&sgd});
  group.step((p * 2).sum());
  return p;
}

}  // namespace tg::testing
