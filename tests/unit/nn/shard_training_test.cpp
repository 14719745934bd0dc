// Training on several devices gives the numbers of one: with the batch split between them and the
// parameters whole on each, with parameters that are split, by every optimiser, with statistics of
// batches, and inside of captured calls.
#include <gtest/gtest.h>
#include <tg/autograd.h>
#include <tg/error.h>
#include <tg/jit.h>
#include <tg/layers.h>
#include <tg/nn.h>
#include <tg/random.h>
#include <tg/training.h>

#include <functional>
#include <memory>

namespace tg::nn {
namespace {

constexpr const char* kTwo = "CPU:1,CPU:2";
constexpr const char* kFour = "CPU,CPU:1,CPU:2,CPU:3";
constexpr int kSteps = 4;

struct Net {
  Conv2d conv{1, 4, 3, {.bias = false}};  // the norm takes a shift away again: its slope is noise
  BatchNorm norm{4};
  Linear first{4 * 4 * 4, 8}, second{8, 4};

  template <typename F>
  void visit(F&& f) {
    f("conv", conv);
    f("norm", norm);
    f("first", first);
    f("second", second);
  }
  Tensor operator()(const Tensor& x) const {
    return second(first(norm(conv(x)).relu().flatten(1)).relu());
  }
};

using MakeOptimizer = std::function<std::unique_ptr<Optimizer>(std::vector<Tensor>)>;
/// Puts a tensor of the model, by its name, where it shall be.
using Place = std::function<void(const std::string&, const Tensor&)>;

struct Outcome {
  std::vector<double> losses;
  std::vector<std::vector<double>> tensors;
};

Outcome train(const MakeOptimizer& make, const Place& place, const std::string& devices,
              bool captured) {
  manual_seed(5);
  Net net;
  visit_tensors(net, [&](const std::string& name, Tensor& t) { place(name, t); });
  const auto optimizer = make(parameters(net));
  const auto body = [&](const Tensor& x, const Tensor& labels) {
    const TrainingScope training;
    const Tensor loss = net(x).sparse_categorical_crossentropy(labels);
    optimizer->step(loss);
    return loss;
  };
  TinyJit step(body);
  Outcome out;
  for (int i = 0; i < kSteps; ++i) {
    const Tensor x = Tensor::rand({8, 1, 6, 6}).realize();
    const Tensor labels = Tensor::randint({8}, {.low = 0, .high = 4}).realize();
    const Tensor there = devices.empty() ? x : x.shard(devices, 0);
    const Tensor wanted = devices.empty() ? labels : labels.shard(devices, 0);
    const Tensor loss = captured ? step(there, wanted) : body(there, wanted);
    out.losses.push_back(loss.item<double>());
  }
  visit_tensors(
      net, [&](const std::string&, Tensor& t) { out.tensors.push_back(t.to_vector<double>()); });
  return out;
}

void expect_same(const Outcome& got, const Outcome& want) {
  for (size_t i = 0; i < want.losses.size(); ++i)
    EXPECT_NEAR(got.losses[i], want.losses[i], 2e-6) << "loss of step " << i;
  for (size_t t = 0; t < want.tensors.size(); ++t) {
    for (size_t i = 0; i < want.tensors[t].size(); ++i)
      ASSERT_NEAR(got.tensors[t][i], want.tensors[t][i], 1e-5) << "element " << i << " of " << t;
  }
}

std::unique_ptr<Optimizer> sgd(std::vector<Tensor> p) {
  return std::make_unique<SGD>(std::move(p), SgdOptions{.lr = 0.05, .momentum = 0.9});
}

void stay(const std::string&, const Tensor&) {}

TEST(ShardTraining, WithTheBatchSplitGivesTheNumbersOfOneDevice) {
  const Outcome want = train(sgd, stay, "", false);
  EXPECT_LT(want.losses.back(), want.losses.front());
  for (const char* devices : {kTwo, kFour}) {
    const Place everywhere = [&](const std::string&, const Tensor& t) { t.shard_(devices); };
    expect_same(train(sgd, everywhere, devices, false), want);
  }
}

TEST(ShardTraining, CapturedStepsDoTheSame) {
  const Place everywhere = [](const std::string&, const Tensor& t) { t.shard_(kTwo); };
  expect_same(train(sgd, everywhere, kTwo, true), train(sgd, stay, "", true));
}

TEST(ShardTraining, ParametersMayBeSplit) {
  const Place split = [](const std::string& name, const Tensor& t) {
    if (name == "first.weight" || name == "first.bias")
      t.shard_(kTwo, 0);
    else if (name == "second.weight")
      t.shard_(kTwo, 1);
    else
      t.shard_(kTwo);
  };
  expect_same(train(sgd, split, kTwo, false), train(sgd, stay, "", false));
  expect_same(train(sgd, split, kTwo, true), train(sgd, stay, "", true));
}

TEST(ShardTraining, EveryOptimizerHasItsStateWhereTheParametersAre) {
  const std::vector<MakeOptimizer> all = {
      [](std::vector<Tensor> p) { return std::make_unique<Adam>(std::move(p)); },
      [](std::vector<Tensor> p) { return std::make_unique<LAMB>(std::move(p)); },
      [](std::vector<Tensor> p) { return std::make_unique<LARS>(std::move(p)); },
      [](std::vector<Tensor> p) { return std::make_unique<Muon>(std::move(p)); },
  };
  const Place split = [](const std::string& name, const Tensor& t) {
    if (name == "first.weight")
      t.shard_(kTwo, 0);
    else
      t.shard_(kTwo);
  };
  for (const MakeOptimizer& make : all)
    expect_same(train(make, split, kTwo, false), train(make, stay, "", false));
}

// A network of two layers, the first behind a checkpoint, with all that training.h has in a step.
Outcome train_with_everything(const std::string& devices, bool captured) {
  manual_seed(6);
  Linear first(6, 8), second(8, 4);
  std::vector<Tensor> all = parameters(first);
  for (const Tensor& p : parameters(second)) all.push_back(p);
  if (!devices.empty()) {
    first.weight.shard_(devices, 0);
    for (const Tensor* t : {&*first.bias, &second.weight, &*second.bias}) t->shard_(devices);
  }
  Adam adam(all, {.lr = 0.05});
  GradScaler scaler({.init_scale = 16, .growth_interval = 2});
  ExponentialMovingAverage average(all, 0.5);
  const auto body = [&](const Tensor& x) {
    adam.zero_grad();
    const Tensor h = checkpoint([&](const auto& in) { return first(in[0]).gelu(); }, {x});
    const Tensor loss = second(h).square().mean();
    scaler.scale(loss).backward();
    scaler.unscale(adam);
    clip_grad_norm(all, 0.1);
    scaler.step(adam);
    scaler.update();
    average.update();
    return loss;
  };
  TinyJit step(body);
  Outcome out;
  for (int i = 0; i < kSteps; ++i) {
    const Tensor x = Tensor::rand({8, 6}).realize();
    const Tensor there = devices.empty() ? x : x.shard(devices, 0);
    out.losses.push_back((captured ? step(there) : body(there)).item<double>());
  }
  for (const Tensor& p : all) out.tensors.push_back(p.to_vector<double>());
  for (const Tensor& a : average.averages()) out.tensors.push_back(a.to_vector<double>());
  out.tensors.push_back({scaler.current_scale().item<double>()});
  return out;
}

TEST(ShardTraining, WithEverythingThatAStepMayHaveDoesTheSame) {
  const Outcome want = train_with_everything("", false);
  EXPECT_LT(want.losses.back(), want.losses.front());
  EXPECT_EQ(want.tensors.back()[0], 64);
  expect_same(train_with_everything("", true), want);
  expect_same(train_with_everything(kTwo, false), want);
  expect_same(train_with_everything(kTwo, true), want);
}

TEST(ShardTraining, ParametersOnOtherDevicesThanTheBatchAreRefused) {
  const Linear layer(4, 2);
  const Tensor x = Tensor::rand({4, 4}).shard(kTwo, 0);
  try {
    layer(x);
    FAIL() << "operands of different devices were accepted";
  } catch (const DeviceError& e) {
    EXPECT_NE(std::string(e.what()).find("CPU:1,CPU:2"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace tg::nn
