// The MNIST training step does the arithmetic of its graph and no more: what fusion recomputes, and
// what the gradients of padded windows multiply by zero, would show here.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/pipeline.h"
#include "engine/counters.h"
#include "engine/plan.h"
#include "kernel/split_reductions.h"
#include "support/executed_flops.h"
#include "support/kernel_values.h"
#include "support/mnist_net.h"
#include "support/options.h"
#include "tensor/state.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

using MnistNet = test::MnistNet;

double elements(const Node* n) {
  return static_cast<double>(numel(Shape(n->shape().begin(), n->shape().end())));
}

// Multiplications and additions of the sums of products of a tensor graph, as they are written.
double contraction_flops(const UOp& graph) {
  double flops = 0;
  for (const Node* n : toposort(graph)) {
    if (n->op == Op::Reduce && n->src()[0]->op == Op::Mul && is_float(n->dtype)) {
      flops += 2 * elements(n->src()[0]);
    }
  }
  return flops;
}

// What the step costs by definition. A convolution, and the gradient of its weight, take 2·k² for
// each output element and input channel. The gradient of its input takes the same as the graph
// writes it (the products of each output element, added up where they overlap), or, as a kernel
// that writes each input element once, 2·k² for each of those: taps beyond the border count.
struct Definition {
  double batch;
  bool gradient_by_input;

  double conv(double in, double out, double kernel, double side) const {
    return 2 * batch * in * out * kernel * kernel * side * side;
  }
  double conv_step(double in, double out, double kernel, double side) const {
    const double input_side = gradient_by_input ? side + kernel - 1 : side;
    return 2 * conv(in, out, kernel, side) + conv(in, out, kernel, input_side);
  }
  double flops() const {
    const double first = 2 * conv(1, 32, 5, 24);  // images have no gradient
    const double linear = 3 * 2 * batch * 576 * 10;
    return first + conv_step(32, 32, 5, 20) + conv_step(32, 64, 3, 8) + conv_step(64, 64, 3, 6) +
           linear;
  }
};

class MnistStep : public testing::Test {
 protected:
  static constexpr int64_t kBatch = 16;
  MnistStep() : scope_(null_device()) {}

  // The loss and all gradients, as a step needs them.
  static std::vector<Tensor> step(MnistNet& net) {
    const TrainingScope training;
    const Tensor images = Tensor::zeros({kBatch, 1, 28, 28}).realize();
    const Tensor labels = Tensor::zeros({kBatch}, dtypes::int32).realize();
    const Tensor loss = net(images).cross_entropy(labels);
    std::vector<Tensor> roots = loss.gradient(nn::parameters(net));
    roots.push_back(loss);
    return roots;
  }

 private:
  // Work is counted by the kernels' graphs, so nothing needs to run.
  static Options null_device() {
    Options o = options();
    o.device = "NULL";
    return o;
  }
  const OptionsScope scope_;
};

TEST_F(MnistStep, IsWrittenWithTheContractionsOfTheDefinition) {
  MnistNet net;
  std::vector<UOp> nodes;
  for (const Tensor& t : step(net)) nodes.push_back(t.state()->node());
  const double wanted = Definition{.batch = kBatch, .gradient_by_input = false}.flops();
  EXPECT_GE(contraction_flops(sink(nodes)), wanted);
  EXPECT_LE(contraction_flops(sink(nodes)), 1.05 * wanted);
}

TEST_F(MnistStep, RunsKernelsThatDoLittleMoreThanTheContractions) {
  MnistNet net;
  const std::vector<Tensor> roots = step(net);
  reset_counters();
  Tensor::realize(roots);
  const double wanted = Definition{.batch = kBatch, .gradient_by_input = true}.flops();
  const auto done = static_cast<double>(counters().flops);
  EXPECT_GE(done, wanted);
  EXPECT_LE(done, 1.05 * wanted) << "ratio " << done / wanted;
}

// What the machine code of an item computes.
double executed(const UOp& item, const Target& target) {
  const UOp kernel = run_kernel_passes(item, target);
  double flops = 0;
  for (const UOp& phase : split_reductions(kernel, target).kernels) {
    flops += test::executed_flops(lower(phase, choose_schedule(phase, target), target));
  }
  return flops;
}

TEST_F(MnistStep, ExecutesLittleMoreThanItsGraphSays) {
  MnistNet net;
  std::vector<UOp> nodes;
  for (const Tensor& t : step(net)) nodes.push_back(t.state()->node());
  const double written = Definition{.batch = kBatch, .gradient_by_input = false}.flops();
  const auto done = [&](const Target& target) {
    double sum = 0;
    for (const ScheduleItem& item : make_schedule(canonicalise(nodes).sink.srcs(), target).items) {
      if (item.kernel) sum += executed(item.kernel, target);
    }
    return sum;
  };
  // Loops over taps leave out the border; what is more are lanes and rows beyond an array: 1.006.
  const double in_wide_vectors = done(test::processor());
  EXPECT_GE(in_wide_vectors, 0.99 * written);
  EXPECT_LE(in_wide_vectors, 1.01 * written) << "ratio " << in_wide_vectors / written;
  // Of this machine, whatever it is. Vectors of 32 bytes lie along rows of images in gradients of
  // 5x5, where all lanes take the taps of any of them: 1.07.
  const double here = done(device("CPU").target());
  EXPECT_GE(here, 0.99 * written);
  EXPECT_LE(here, 1.1 * written) << "ratio " << here / written;
}

TEST_F(MnistStep, IsNoMoreKernelsThanTinygradNeeds) {
  MnistNet net;
  const std::vector<Tensor> roots = step(net);
  reset_counters();
  Tensor::realize(roots);
  EXPECT_LE(counters().kernels, 123);
}

TEST_F(MnistStep, WithItsOptimiserIsNoMoreKernelsEither) {
  MnistNet net;
  nn::Adam adam(net);
  const TrainingScope training;
  const Tensor images = Tensor::zeros({kBatch, 1, 28, 28}).realize();
  const Tensor labels = Tensor::zeros({kBatch}, dtypes::int32).realize();
  adam.step(net(images).cross_entropy(labels));  // the first step also makes what later ones find
  reset_counters();
  adam.step(net(images).cross_entropy(labels));
  EXPECT_LE(counters().kernels, 123);
  EXPECT_LE(counters().launches, counters().kernels - 10);
}

}  // namespace
}  // namespace tg
