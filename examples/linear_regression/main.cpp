// The smallest training: a line through noisy points, by gradient descent written out. What
// optimisers do for you is in examples/xor; data from a file is in examples/csv.
#include <tg/tg.h>

#include <cstdio>

int main() {
  tg::manual_seed(1);
  const tg::Tensor x = tg::Tensor::rand({100});
  const tg::Tensor y = x * 3 + 2 + tg::Tensor::randn({100}) * 0.01;
  // Drawn once: without realize() they would be drawn again in each step's graph.
  tg::Tensor::realize({x, y});

  const tg::Tensor slope = tg::Tensor{0.0}.is_param_(), offset = tg::Tensor{0.0}.is_param_();
  for (int step = 0; step < 300; ++step) {
    const tg::Tensor loss = (x * slope + offset - y).square().mean();
    const auto gradients = loss.gradient({slope, offset});
    slope.assign(slope - gradients[0] * 0.5);
    offset.assign(offset - gradients[1] * 0.5);
    tg::Tensor::realize({slope, offset});
  }
  std::printf("slope %.2f, offset %.2f\n", slope.item<double>(), offset.item<double>());
}
