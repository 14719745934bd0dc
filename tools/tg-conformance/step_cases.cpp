// What happens over time: assignments through views, captured calls, and a short training of a
// small network for images.
#include <fmt/format.h>
#include <tg/tg.h>

#include "suite.h"
#include "support/mnist_net.h"

namespace tg::conformance {
namespace {

void add_assignments(Suite& suite) {
  suite.programs.push_back({"assign.parts", {}, [] {
                              const Tensor x = Tensor::arange(60).reshape({6, 10}).contiguous();
                              x.realize();
                              x.set({2}, 7);
                              x.set({Slice(1, 5, 2), Slice(0, 3)}, Tensor::arange(3));
                              x.set({Tensor({0, 5, 0}), 9}, Tensor({1, 2, 3}));
                              return std::vector<Tensor>{x, x.sum({.axis = {0}})};
                            }});
  suite.programs.push_back({"assign.of_itself", {}, [] {
                              const Tensor x = Tensor::arange(30).contiguous();
                              x.realize();
                              for (int i = 0; i < 3; ++i) x.assign(x.flip({0}) + x * 2);
                              const Tensor before = x + 1;
                              x.assign(x.roll(7));
                              return std::vector<Tensor>{before, x};
                            }});
  suite.programs.push_back({"assign.of_overlapping_views", {}, [] {
                              const Tensor x = Tensor::arange(20).contiguous();
                              x.realize();
                              x.set({Slice(1, 20)}, x[Slice(0, 19)]);
                              return std::vector<Tensor>{x};
                            }});
}

void add_captures(Suite& suite) {
  suite.programs.push_back({"capture.function_of_arguments", {1e-5, 1e-5}, [] {
                              TinyJit f([](const Tensor& x, const Tensor& y) {
                                return std::pair{(x.matmul(y)).relu(), x.sum() * y};
                              });
                              std::vector<Tensor> out;
                              for (int call = 0; call < 5; ++call) {
                                const Tensor x = Tensor::randn({9, 6}).realize();
                                const Tensor y = Tensor::randn({6, 5}).realize();
                                const auto [a, b] = f(x, y);
                                out.push_back(a), out.push_back(b);
                              }
                              return out;
                            }});
  suite.programs.push_back({"capture.running_sum", {}, [] {
                              const Tensor total = Tensor::zeros({17}).contiguous();
                              total.realize();
                              TinyJit add([&](const Tensor& x) {
                                total.assign(total + x);
                                return total * 2;
                              });
                              std::vector<Tensor> out;
                              for (int call = 0; call < 6; ++call)
                                out.push_back(
                                    add((Tensor::arange(17) * call).contiguous().realize()));
                              out.push_back(total);
                              return out;
                            }});
}

// `captured`: the last two of four steps are replays.
std::vector<Tensor> train(int64_t batch, int steps, bool captured) {
  const TrainingScope training;
  const datasets::Digits digits = datasets::drawn_digits({.drawn_train = 64, .drawn_test = 1});
  const Tensor images = digits.train.images.reshape({-1, 1, 28, 28});
  test::MnistNet net(4, 8);
  nn::Adam adam(net);
  const auto step = [&](const Tensor& x, const Tensor& y) {
    const Tensor loss = net(x.cast(dtypes::float32) / 255.0).cross_entropy(y);
    adam.step(loss);
    return loss;
  };
  TinyJit replayed(step);
  std::vector<Tensor> losses;
  for (int i = 0; i < steps; ++i) {
    const Slice part(i * batch, (i + 1) * batch);
    const Tensor x = images[part].contiguous().realize();
    const Tensor y = digits.train.labels[part].contiguous().realize();
    losses.push_back(captured ? replayed(x, y) : step(x, y).realize());
  }
  return losses;
}

}  // namespace

void add_step_cases(Suite& suite, const Settings& s) {
  add_assignments(suite);
  add_captures(suite);
  suite.programs.push_back(
      {"training.mnist_batch_8_two_steps", {0, 1e-3}, [] { return train(8, 2, false); }});
  if (!s.quick)
    suite.programs.push_back(
        {"training.mnist_batch_8_captured", {0, 1e-3}, [] { return train(8, 4, true); }});
}

}  // namespace tg::conformance
