// The network of the bindings' training examples (bindings/rust/examples/train.rs,
// bindings/go/examples/train, bindings/zig/examples/train.zig) in C++: what those print must be
// what this prints.
#include <cstdio>

#include "tg/tg.h"

namespace {

using tg::Tensor;

struct Net {
  tg::nn::Linear first{8, 32}, second{32, 1};

  /// [rows, 8] → [rows, 1]
  Tensor operator()(const Tensor& x) const { return second(first(x).tanh()); }

  template <typename F>
  void visit(F&& f) {
    f("first", first), f("second", second);
  }
};

}  // namespace

int main() {
  tg::manual_seed(7);
  const Tensor x = Tensor::randn({64, 8}).realize();
  const Tensor y = x.sum({.axis = 1, .keepdim = true}).sin().realize();
  Net net;
  tg::nn::Adam adam(net, {.lr = 0.01});
  const tg::TrainingScope training;
  for (int i = 0; i < 50; ++i) {
    const Tensor loss = (net(x) - y).square().mean();
    adam.step(loss);
    std::printf("%.9f\n", static_cast<double>(loss.item<float>()));
  }
}
