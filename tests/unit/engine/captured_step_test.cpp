// Training steps, captured and not, from the same start: the same losses and the same state, bit
// for bit, with everything in the step: batches gathered and moved at random, batch norm, dropout,
// the optimiser and a learning rate that changes.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include "support/options.h"

namespace tg {
namespace {

struct SmallNet {
  nn::Conv2d conv{1, 4, 3};
  nn::BatchNorm norm{4};
  nn::Linear out{4 * 3 * 3, 5};

  Tensor operator()(const Tensor& x) const {
    return out(norm(conv(x)).relu().max_pool2d().dropout(0.25).flatten(1));
  }
  template <typename F>
  void visit(F&& f) {
    f("conv", conv), f("norm", norm), f("out", out);
  }
};

struct Trained {
  std::vector<float> losses;
  std::vector<std::vector<float>> state;
};

Trained train(bool captured, int steps) {
  constexpr int64_t kImages = 16, kSide = 8, kBatch = 4, kMargin = 1;
  manual_seed(3);
  SmallNet net;
  nn::Adam adam(net, {.lr = 0.01});
  const TrainingScope training;
  const Tensor images = Tensor::rand({kImages, kSide + 2 * kMargin, kSide}).realize();
  const Tensor labels = Tensor::randint({kImages}, {.low = 0, .high = 5}).realize();
  const auto body = [&](const Tensor& index) {
    const Tensor shift =
        Tensor::randint({kBatch, 1}, {.low = 0, .high = 2 * kMargin + 1}).contiguous();
    const Tensor rows = shift + Tensor::arange(static_cast<double>(kSide)).reshape({1, -1});
    const Tensor x = images[{index.reshape({-1, 1}), rows}].unsqueeze(1);
    const Tensor loss = net(x).cross_entropy(labels[index]);
    adam.step(loss);
    return loss;
  };
  TinyJit step(body);
  Trained out;
  for (int i = 0; i < steps; ++i) {
    adam.set_lr(0.01 / (i + 1));
    const Tensor index(std::vector<int32_t>{i % 16, (i * 5 + 1) % 16, (i * 3 + 2) % 16, 7});
    const Tensor loss = captured ? step(index) : body(index);
    out.losses.push_back(loss.item<float>());
  }
  for (const auto& [name, t] : nn::state_dict(net)) out.state.push_back(t.to_vector<float>());
  return out;
}

TEST(CapturedStep, IsTheUncapturedOne) {
  Options o = options();
  o.device = "CPU";
  const OptionsScope scope(o);
  const Trained plain = train(false, 6), captured = train(true, 6);
  EXPECT_EQ(plain.losses, captured.losses);
  EXPECT_EQ(plain.state, captured.state);
}

}  // namespace
}  // namespace tg
