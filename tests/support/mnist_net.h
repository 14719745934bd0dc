// The net of examples/mnist, for tests that train it or look at its step.
#pragma once

#include "tg/nn.h"
#include "tg/tensor.h"

namespace tg::test {

/// Images [B, 1, 28, 28] to scores [B, 10]: convolutions of `first` and `second` channels.
struct MnistNet {
  explicit MnistNet(int64_t first = 32, int64_t second = 64)
      : conv1(1, first, 5),
        conv2(first, first, 5),
        norm1(first),
        conv3(first, second, 3),
        conv4(second, second, 3),
        norm2(second),
        out(second * 9, 10) {}

  Tensor operator()(const Tensor& images) const {
    Tensor x = norm1(conv2(conv1(images).relu()).relu()).max_pool2d();
    x = norm2(conv4(conv3(x).relu()).relu()).max_pool2d();
    return out(x.flatten(1));
  }
  template <typename F>
  void visit(F&& f) {
    f("conv1", conv1), f("conv2", conv2), f("norm1", norm1);
    f("conv3", conv3), f("conv4", conv4), f("norm2", norm2), f("out", out);
  }

  nn::Conv2d conv1, conv2;
  nn::BatchNorm norm1;
  nn::Conv2d conv3, conv4;
  nn::BatchNorm norm2;
  nn::Linear out;
};

}  // namespace tg::test
