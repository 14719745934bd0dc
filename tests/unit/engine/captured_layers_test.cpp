// Every layer and every optimiser in a training step, captured and not, from the same start: the
// same results in every call and the same state at the end, bit for bit.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <functional>
#include <random>

#include "support/options.h"

namespace tg {
namespace {

constexpr int kLayerCalls = 5;
using Floats = std::vector<float>;

// What a run shows: the results of each call, then the state.
using Trace = std::vector<Floats>;

Floats random_floats(std::mt19937& rng, const Shape& shape) {
  size_t n = 1;
  for (int64_t d : shape) n *= static_cast<size_t>(d);
  Floats out(n);
  for (float& x : out) x = static_cast<float>(rng() % 2001) / 500.F - 2;
  return out;
}

// Calls of `body`, each on new numbers.
template <typename Body>
Trace calls_of(Body body, bool captured, const std::function<Tensor(std::mt19937&)>& input) {
  std::mt19937 rng(11);
  TinyJit jit(body);
  Trace out;
  for (int i = 0; i < kLayerCalls; ++i) {
    const Tensor x = input(rng);
    for (const Tensor& t : captured ? jit(x) : body(x)) out.push_back(t.to_vector<float>());
  }
  EXPECT_EQ(jit.stats().captured, captured);
  return out;
}

template <typename M>
void add_state(M& model, Trace& trace) {
  for (const auto& [name, t] : nn::state_dict(model))
    trace.push_back(t.template to_vector<float>());
}

// ---- layers
Tensor output(const Tensor& y) { return y; }
Tensor output(const nn::LSTMCell::State& s) { return s.first + s.second; }
Tensor output(const nn::LSTM::Result& r) { return r.output + output(r.state); }

// The layer's result and a step of descent on its squares, if there is anything to learn.
template <typename Layer>
Trace layer_trace(Layer layer, bool captured, const std::function<Tensor(std::mt19937&)>& input) {
  std::optional<nn::SGD> descent;
  if (!nn::parameters(layer).empty()) descent.emplace(layer, nn::SgdOptions{.lr = 0.1});
  const TrainingScope training;
  const auto body = [&](const Tensor& x) {
    const Tensor y = output(layer(x)).contiguous();
    const Tensor loss = (y * y).mean();
    y.realize();
    if (descent) descent->step(loss);
    return std::vector<Tensor>{y, loss};
  };
  Trace out = calls_of(body, captured, input);
  add_state(layer, out);
  return out;
}

struct LayerCase {
  const char* name;
  std::function<Trace(bool captured)> run;
};

template <typename Make>
LayerCase layer(const char* name, const Shape& shape, Make make) {
  return {name, [=](bool captured) {
            manual_seed(5);
            return layer_trace(make(), captured, [&](std::mt19937& rng) {
              return Tensor(random_floats(rng, shape), shape);
            });
          }};
}

Tensor random_rows(std::mt19937& rng) {
  std::vector<int32_t> index(6);
  for (int32_t& i : index) i = static_cast<int32_t>(rng() % 7);
  return Tensor(index, {2, 3});
}

const LayerCase kLayers[] = {
    layer("Linear", {3, 4}, [] { return nn::Linear(4, 5); }),
    layer("LinearWithoutBias", {3, 4}, [] { return nn::Linear(4, 5, {.bias = false}); }),
    layer("Conv1d", {2, 3, 9}, [] { return nn::Conv1d(3, 4, 3, {.stride = {2}}); }),
    layer("Conv2d", {2, 4, 6, 5},
          [] { return nn::Conv2d(4, 6, {3}, {.groups = 2, .padding = {1}}); }),
    layer("ConvTranspose1d", {2, 3, 5}, [] { return nn::ConvTranspose1d(3, 2, 3); }),
    layer("ConvTranspose2d", {2, 3, 4, 4}, [] { return nn::ConvTranspose2d(3, 2, {3}); }),
    layer("BatchNorm", {4, 3, 2, 2}, [] { return nn::BatchNorm(3); }),
    layer("LayerNorm", {5, 6}, [] { return nn::LayerNorm(6); }),
    layer("LayerNorm2d", {2, 3, 4, 4}, [] { return nn::LayerNorm2d(3); }),
    layer("GroupNorm", {2, 4, 3, 3}, [] { return nn::GroupNorm(2, 4); }),
    layer("InstanceNorm", {2, 3, 4, 4}, [] { return nn::InstanceNorm(3); }),
    layer("RMSNorm", {5, 6}, [] { return nn::RMSNorm(6); }),
    layer("Dropout", {8, 9}, [] { return nn::Dropout(0.4); }),
    layer("LSTMCell", {3, 4}, [] { return nn::LSTMCell(4, 5); }),
    layer("GRUCell", {3, 4}, [] { return nn::GRUCell(4, 5); }),
    layer("GRU", {3, 2, 4}, [] { return nn::GRU(4, 5); }),
    layer("LSTM", {3, 2, 4}, [] { return nn::LSTM(4, 5); }),
    layer("MultiHeadAttention", {2, 5, 4},
          [] { return nn::MultiHeadAttention(4, 2, {.is_causal = true}); }),
    layer("TransformerEncoderLayer", {2, 5, 4},
          [] { return nn::TransformerEncoderLayer(4, 2, {.feedforward = 6}); }),
    {"Embedding",
     [](bool captured) {
       manual_seed(5);
       return layer_trace(nn::Embedding(7, 4), captured, random_rows);
     }},
};

// ---- optimisers
struct TanhNet {
  nn::Linear first{5, 8}, second{8, 3};
  Tensor operator()(const Tensor& x) const { return second(first(x).tanh()); }
  template <typename F>
  void visit(F&& f) {
    f("first", first), f("second", second);
  }
};

using Step = std::function<void(const Tensor& loss)>;

struct OptimizerCase {
  const char* name;
  std::function<Step(TanhNet&)> make;
};

template <typename O, typename Options>
OptimizerCase optimizer(const char* name, const Options& options) {
  return {name, [=](TanhNet& net) -> Step {
            return [o = std::make_shared<O>(net, options)](const Tensor& loss) { o->step(loss); };
          }};
}

Step two_groups(TanhNet& net) {
  auto a = std::make_shared<nn::SGD>(net.first, nn::SgdOptions{.lr = 0.1});
  auto b = std::make_shared<nn::Adam>(net.second, nn::AdamOptions{.lr = 0.01});
  auto group = std::make_shared<nn::OptimizerGroup>(std::vector<nn::Optimizer*>{a.get(), b.get()});
  return [=](const Tensor& loss) {
    static_cast<void>(a), static_cast<void>(b);
    group->step(loss);
  };
}

const OptimizerCase kOptimizers[] = {
    optimizer<nn::SGD>("Sgd", nn::SgdOptions{.lr = 0.1}),
    optimizer<nn::SGD>("SgdWithMomentum", nn::SgdOptions{.lr = 0.1, .momentum = 0.9}),
    optimizer<nn::SGD>(
        "SgdOfNesterovWithDecay",
        nn::SgdOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true}),
    optimizer<nn::Adam>("Adam", nn::AdamOptions{.lr = 0.01}),
    optimizer<nn::AdamW>("AdamW", nn::AdamWOptions{.lr = 0.01}),
    optimizer<nn::LAMB>("Lamb", nn::LambOptions{.lr = 0.01, .weight_decay = 0.1}),
    optimizer<nn::LARS>("Lars", nn::LarsOptions{.lr = 0.1, .trust = 0.1}),
    optimizer<nn::Muon>("Muon", nn::MuonOptions{.lr = 0.01}),
    {"TwoOfAGroup", two_groups},
};

Trace optimizer_trace(const OptimizerCase& c, bool captured) {
  manual_seed(5);
  TanhNet net;
  const Step step = c.make(net);
  const TrainingScope training;
  const Shape shape = {4, 5};
  const auto body = [&](const Tensor& x) {
    const Tensor y = net(x);
    const Tensor loss = (y * y).mean();
    step(loss);
    return std::vector<Tensor>{loss};
  };
  Trace out = calls_of(body, captured,
                       [&](std::mt19937& rng) { return Tensor(random_floats(rng, shape), shape); });
  add_state(net, out);
  return out;
}

// ---- both
Options on_device(const char* device) {
  Options o = options();
  o.device = device;
  return o;
}

void expect_same(const Trace& captured, const Trace& plain) {
  ASSERT_EQ(captured.size(), plain.size());
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(captured[i], plain[i]) << "value " << i;
  EXPECT_NE(plain[0], plain[plain.size() / 2]) << "nothing changes in these calls";
}

using LayerOn = std::tuple<LayerCase, const char*>;
class CapturedLayer : public testing::TestWithParam<LayerOn> {};
TEST_P(CapturedLayer, TrainsLikeTheUncapturedOne) {
  const OptionsScope scope(on_device(std::get<1>(GetParam())));
  const LayerCase& c = std::get<0>(GetParam());
  expect_same(c.run(true), c.run(false));
}

using OptimizerOn = std::tuple<OptimizerCase, const char*>;
class CapturedOptimizer : public testing::TestWithParam<OptimizerOn> {};
TEST_P(CapturedOptimizer, StepsLikeTheUncapturedOne) {
  const OptionsScope scope(on_device(std::get<1>(GetParam())));
  const OptimizerCase& c = std::get<0>(GetParam());
  expect_same(optimizer_trace(c, true), optimizer_trace(c, false));
}

constexpr auto kName = [](const auto& info) { return std::string(std::get<0>(info.param).name); };

INSTANTIATE_TEST_SUITE_P(Interp, CapturedLayer,
                         testing::Combine(testing::ValuesIn(kLayers), testing::Values("INTERP")),
                         kName);
INSTANTIATE_TEST_SUITE_P(Cpu, CapturedLayer,
                         testing::Combine(testing::ValuesIn(kLayers), testing::Values("CPU")),
                         kName);
INSTANTIATE_TEST_SUITE_P(Interp, CapturedOptimizer,
                         testing::Combine(testing::ValuesIn(kOptimizers),
                                          testing::Values("INTERP")),
                         kName);
INSTANTIATE_TEST_SUITE_P(Cpu, CapturedOptimizer,
                         testing::Combine(testing::ValuesIn(kOptimizers), testing::Values("CPU")),
                         kName);

}  // namespace
}  // namespace tg
