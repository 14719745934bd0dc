// Every recorded layer with the gradients for its input and its parameters, and what it keeps from
// call to call; and numbers at random. Layers are called through their records, so that a new one
// without a rule here is a failing case.
#include <fmt/format.h>
#include <tg/tg.h>

#include "nn/objects.h"
#include "nn/records.h"
#include "suite.h"
#include "support/check.h"

namespace tg::conformance {
namespace {

using Ints = std::vector<int64_t>;

// A layer's arguments, and the shapes of its inputs: one case each.
struct LayerRule {
  std::string_view name;
  std::vector<FnValue> arguments;
  std::vector<Shape> inputs;
  int64_t labels = 0;  // the input is integers below it
  size_t tensors = 1;  // number of inputs of that shape
};

const std::vector<LayerRule>& rules() {
  static const std::vector<LayerRule> all = {
      {"Linear", {int64_t{13}, int64_t{7}}, {{5, 13}, {13}, {0, 13}, {67, 13}, {2, 3, 13}}},
      {"Conv1d", {int64_t{3}, int64_t{4}, int64_t{5}}, {{2, 3, 11}, {1, 3, 5}, {1, 3, 130}}},
      {"Conv2d",
       {int64_t{3}, int64_t{5}, int64_t{3}},
       {{2, 3, 7, 7}, {1, 3, 3, 3}, {1, 3, 17, 33}}},
      {"ConvTranspose1d", {int64_t{3}, int64_t{4}, int64_t{3}}, {{2, 3, 7}, {1, 3, 1}, {1, 3, 67}}},
      {"ConvTranspose2d",
       {int64_t{3}, int64_t{4}, int64_t{3}},
       {{2, 3, 5, 5}, {1, 3, 1, 1}, {1, 3, 11, 13}}},
      {"BatchNorm", {int64_t{4}}, {{6, 4, 5, 5}, {7, 4}, {2, 4, 67}}},
      {"LayerNorm", {Ints{33}}, {{6, 33}, {1, 33}, {2, 3, 33}, {0, 33}}},
      {"LayerNorm2d", {int64_t{5}}, {{2, 5, 3, 7}, {1, 5, 1, 1}}},
      {"GroupNorm", {int64_t{4}, int64_t{8}}, {{3, 8, 6}, {2, 8, 3, 5}, {1, 8, 67}}},
      {"InstanceNorm", {int64_t{3}}, {{2, 3, 7}, {1, 3, 5, 5}}},
      {"RMSNorm", {int64_t{48}}, {{7, 48}, {48}, {2, 3, 48}}},
      {"Embedding", {int64_t{11}, int64_t{6}}, {{4, 5}, {1}, {67}, {0}}, 11},
      {"Dropout", {0.25}, {{40, 9}, {1}, {3, 67}}},
      {"LSTMCell", {int64_t{5}, int64_t{7}}, {{3, 5}, {1, 5}, {17, 5}}},
      {"GRUCell", {int64_t{5}, int64_t{7}}, {{3, 5}, {1, 5}, {17, 5}}},
      {"LSTM", {int64_t{5}, int64_t{3}, int64_t{2}}, {{3, 2, 5}, {1, 1, 5}, {4, 5}}},
      {"GRU", {int64_t{5}, int64_t{3}, int64_t{2}}, {{3, 2, 5}, {1, 1, 5}, {4, 5}}},
      {"MultiHeadAttention", {int64_t{8}, int64_t{4}, int64_t{2}}, {{2, 5, 8}, {1, 8}}, 0, 3},
      {"TransformerEncoderLayer", {int64_t{8}, int64_t{2}, int64_t{9}}, {{2, 5, 8}, {3, 8}}},
      {"TransformerDecoderLayer", {int64_t{8}, int64_t{2}, int64_t{9}}, {{2, 5, 8}, {3, 8}}, 0, 2},
  };
  return all;
}

// Results, the state after the call, and the gradients for what is a float.
std::vector<Tensor> layer_results(const FnRecord& record, const LayerRule& rule,
                                  const Shape& shape) {
  const TrainingScope training;
  const FnValue made = call_fn(record, rule.arguments);
  auto& layer = dynamic_cast<nn::LayerObject&>(*std::get<std::shared_ptr<FnObject>>(made));
  std::vector<Tensor> parameters;
  for (const auto& [name, t] : layer.state()) parameters.push_back(t);
  Tensor::realize(parameters);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < rule.tensors; ++i)
    inputs.push_back((rule.labels > 0 ? Tensor::randint(shape, {.high = rule.labels})
                                      : Tensor::uniform(shape, {.low = -2, .high = 2}))
                         .realize());
  std::vector<Tensor> out = layer.apply(inputs), targets;
  if (rule.labels == 0) targets = inputs;
  for (const auto& [name, t] : layer.state()) {
    out.push_back(t);
    if (t.is_floating_point() && !name.starts_with("running")) targets.push_back(t);
  }
  const Tensor weight = Tensor::uniform(out[0].shape(), {.low = -1, .high = 1}).realize();
  for (const Tensor& g : (out[0] * weight).sum().gradient(targets)) out.push_back(g);
  return out;
}

void add_layers(Suite& suite) {
  for (const FnFamily& family : nn::families()) {
    for (const FnRecord& f : family.functions) {
      if (f.call.result.kind != FnKind::Layer) continue;
      const auto rule = std::ranges::find(rules(), f.name, &LayerRule::name);
      if (rule == rules().end()) {
        suite.judged.push_back({fmt::format("layer.{}", f.name), [&f]() -> std::vector<Tensor> {
                                  TG_CHECK(false, "no rule says how {} is called", f.name);
                                }});
        continue;
      }
      for (const Shape& shape : rule->inputs)
        suite.judged.push_back({fmt::format("layer.{}.{}", f.name, fmt::join(shape, "x")),
                                [&f, rule, shape] { return layer_results(f, *rule, shape); }});
    }
  }
}

}  // namespace

void add_layer_cases(Suite& suite) {
  add_layers(suite);
  suite.programs.push_back({"random_numbers", {1e-6, 1e-6}, [] {
                              return std::vector<Tensor>{Tensor::rand({70}), Tensor::randn({70}),
                                                         Tensor::randint({70}, {.high = 1000})};
                            }});
}

}  // namespace tg::conformance
