// A network of two layers learns exclusive or, which no single layer can. Data from a file is in
// examples/csv; a captured step and a convolutional network are in examples/mnist.
#include <tg/tg.h>

#include <cstdio>

struct Net {
  tg::nn::Linear hidden{2, 8}, out{8, 1};

  /// [batch, 2] → [batch, 1], logits
  tg::Tensor operator()(const tg::Tensor& x) const { return out(hidden(x).tanh()); }

  // The one list of members: parameters, state and files follow from it.
  template <typename F>
  void visit(F&& f) {
    f("hidden", hidden), f("out", out);
  }
};

int main() {
  tg::manual_seed(1);
  const tg::Tensor x{{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {1.0, 1.0}};
  const tg::Tensor y{{0.0}, {1.0}, {1.0}, {0.0}};

  Net net;
  tg::nn::Adam adam(net, {.lr = 0.05});
  tg::TrainingScope training;
  for (int step = 0; step < 300; ++step) {
    adam.step(net(x).binary_crossentropy_logits(y));
  }
  for (const float p : net(x).sigmoid().to_vector<float>()) std::printf("%.2f ", p);
  std::printf("\n");
}
