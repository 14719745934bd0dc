// Layers, losses, normalisations, pools and scans with their gradients, and random numbers: what
// models are made of.
#include <tg/tg.h>

#include "suite.h"

namespace tg::conformance {
namespace {

constexpr Tolerance kFloat{1e-4, 1e-5};

// The result, and the gradients of a loss of it for the input and the parameters.
template <typename Layer>
std::vector<Tensor> with_gradients(Layer& layer, const Tensor& x) {
  const TrainingScope training;
  const Tensor y = layer(x);
  std::vector<Tensor> targets = {x};
  for (const Tensor& p : nn::parameters(layer)) targets.push_back(p);
  std::vector<Tensor> out = (y.square().mean() + y.sum() * 0.1).gradient(targets);
  out.push_back(y);
  return out;
}

Tensor input(const Shape& shape) { return Tensor::randn(shape).realize(); }

template <typename Make>
void layer(Suite& suite, const std::string& name, const Shape& shape, Make make) {
  suite.programs.push_back({"layer." + name, kFloat, [=] {
                              auto made = make();
                              return with_gradients(made, input(shape));
                            }});
}

template <typename F>
void function(Suite& suite, const std::string& name, const Shape& shape, F f) {
  suite.programs.push_back({"function." + name, kFloat, [=] {
                              const Tensor x = input(shape);
                              const Tensor y = f(x);
                              std::vector<Tensor> out = {y};
                              if (y.is_floating_point())
                                out.push_back((y * y).sum().gradient({x})[0]);
                              return out;
                            }});
}

void add_layers(Suite& suite) {
  layer(suite, "linear", {5, 13}, [] { return nn::Linear(13, 7); });
  layer(suite, "conv2d", {2, 3, 8, 8}, [] { return nn::Conv2d(3, 5, 3); });
  layer(suite, "conv_transpose2d", {2, 3, 5, 5}, [] { return nn::ConvTranspose2d(3, 4, 3); });
  layer(suite, "batch_norm", {6, 4, 5, 5}, [] { return nn::BatchNorm(4); });
  layer(suite, "layer_norm", {6, 33}, [] { return nn::LayerNorm(33); });
  layer(suite, "group_norm", {3, 8, 6}, [] { return nn::GroupNorm(4, 8); });
  layer(suite, "rms_norm", {7, 48}, [] { return nn::RMSNorm(48); });
  suite.programs.push_back({"layer.embedding", kFloat, [] {
                              nn::Embedding e(11, 6);
                              const Tensor places = Tensor::randint({4, 5}, {.high = 11});
                              const Tensor y = e(places.realize());
                              return std::vector<Tensor>{
                                  y, y.square().sum().gradient(nn::parameters(e))[0]};
                            }});
  suite.programs.push_back({"layer.dropout", kFloat, [] {
                              const TrainingScope training;
                              return std::vector<Tensor>{Tensor::ones({40, 9}).dropout(0.3)};
                            }});
}

void add_functions(Suite& suite) {
  function(suite, "softmax", {9, 21}, [](const Tensor& x) { return x.softmax(); });
  function(suite, "log_softmax", {4, 300}, [](const Tensor& x) { return x.log_softmax(); });
  function(suite, "cumsum", {5, 200}, [](const Tensor& x) { return x.cumsum(1); });
  function(suite, "max_pool2d", {2, 3, 8, 8}, [](const Tensor& x) { return x.max_pool2d(); });
  function(suite, "avg_pool2d", {2, 3, 7, 7}, [](const Tensor& x) { return x.avg_pool2d(); });
  function(suite, "gelu", {100}, [](const Tensor& x) { return x.gelu(); });
  function(suite, "tanh", {100}, [](const Tensor& x) { return x.tanh(); });
  function(suite, "argmax", {6, 50}, [](const Tensor& x) { return x.argmax({.axis = 1}); });
  function(suite, "std", {6, 50}, [](const Tensor& x) { return x.std({.axis = {1}}); });
  function(suite, "tril", {12, 12}, [](const Tensor& x) { return x.tril(); });
  function(suite, "attention", {2, 12, 8}, [](const Tensor& x) {
    const Tensor scores = x.matmul(x.transpose(1, 2)) * 0.35;
    const Tensor future = Tensor::ones({12, 12}).triu(1).cast(dtypes::bool_);
    return scores.masked_fill(future, -1e9).softmax().matmul(x);
  });
  function(suite, "cross_entropy", {8, 10},
           [](const Tensor& x) { return x.cross_entropy(Tensor::arange(8)); });
  suite.programs.push_back({"function.random_numbers", {1e-6, 1e-6}, [] {
                              return std::vector<Tensor>{Tensor::rand({70}), Tensor::randn({70}),
                                                         Tensor::randint({70}, {.high = 1000})};
                            }});
}

}  // namespace

void add_layer_cases(Suite& suite) {
  add_layers(suite);
  add_functions(suite);
}

}  // namespace tg::conformance
