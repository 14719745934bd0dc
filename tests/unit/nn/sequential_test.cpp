// Layers in a row: what they compute, the names of their tensors, copies, and training through
// them.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <filesystem>

namespace tg::nn {
namespace {

using Floats = std::vector<float>;

std::vector<std::string> tensor_names(Sequential& net) {
  std::vector<std::string> names;
  visit_tensors(net, [&](const std::string& name, Tensor&) { names.push_back(name); });
  return names;
}

// y = x + 1, a model with a tensor.
struct Shift {
  Tensor operator()(const Tensor& x) const { return x + by; }
  template <typename F>
  void visit(F&& f) {
    f("by", by);
  }
  Tensor by = Tensor::ones({1});
};

Tensor halved(const Tensor& x) { return x * 0.5; }

TEST(Sequential, CallsWhatItWasGivenInOrder) {
  const Sequential net(
      Shift{}, [](const Tensor& x) { return x * 4; }, halved, &Tensor::neg);
  EXPECT_EQ(net(Tensor{0.f, 1.f}).to_vector<float>(), (Floats{-2, -4}));
  EXPECT_EQ(net.size(), 4u);
}
TEST(Sequential, OfNothingChangesNothing) {
  EXPECT_EQ(Sequential()(Tensor{3.f}).to_vector<float>(), Floats{3});
}
TEST(Sequential, NamesTensorsByPlaces) {
  Sequential inner(Shift{}, &Tensor::relu),
      net(Linear(2, 3), &Tensor::relu, inner, Linear(3, 1, {.bias = false}));
  EXPECT_EQ(tensor_names(net),
            (std::vector<std::string>{"0.weight", "0.bias", "2.0.by", "3.weight"}));
  EXPECT_EQ(parameters(net).size(), 3u);
}
TEST(Sequential, GrowsWhileAProgramRuns) {
  Sequential net;
  for (int i = 0; i < 3; ++i) net.add(Shift{}).add(halved);
  EXPECT_EQ(net(Tensor{0.f}).to_vector<float>(), Floats{0.875});
}
TEST(Sequential, IsCopiedAsLayersAre) {
  Sequential net(Shift{});
  Sequential copy = net, assigned;
  assigned = net;
  visit_tensors(copy, [](const std::string&, Tensor& t) { t = Tensor{5.f}; });
  net.add(halved);
  EXPECT_EQ(copy(Tensor{0.f}).to_vector<float>(), Floats{5});
  EXPECT_EQ(assigned(Tensor{0.f}).to_vector<float>(), Floats{1});
  EXPECT_EQ(net(Tensor{0.f}).to_vector<float>(), Floats{0.5});
}
struct Blocks {
  Tensor operator()(const Tensor& x) const {
    Tensor y = x;
    for (const Sequential& b : blocks) y = b(y);
    return y;
  }
  template <typename F>
  void visit(F&& f) {
    f("blocks", blocks);
  }
  ModuleList<Sequential> blocks = {Sequential(Linear(2, 2), &Tensor::tanh),
                                   Sequential(Linear(2, 1))};
};
TEST(Sequential, StandsInModelsAndFiles) {
  Blocks net, other;
  const auto path = std::filesystem::path(testing::TempDir()) / "sequential.safetensors";
  save(net, path);
  load(other, path);
  std::filesystem::remove(path);
  const Tensor x = Tensor{{1.f, -2.f}};
  EXPECT_EQ(net(x).to_vector<float>(), other(x).to_vector<float>());
  EXPECT_EQ(state_dict(net).count("blocks.0.0.weight"), 1u);
}
TEST(Sequential, LearnsExclusiveOr) {
  manual_seed(3);
  Sequential net(Linear(2, 8), &Tensor::tanh, Linear(8, 1), &Tensor::sigmoid);
  const Tensor x{{0.f, 0.f}, {0.f, 1.f}, {1.f, 0.f}, {1.f, 1.f}}, y{{0.f}, {1.f}, {1.f}, {0.f}};
  Adam adam(net, {.lr = 0.1});
  const TrainingScope training;
  for (int i = 0; i < 150; ++i) adam.step((net(x) - y).square().mean());
  EXPECT_LT((net(x) - y).abs().max().item<double>(), 0.2);
}

static_assert(Layer<Linear> && Layer<Sequential> && Model<Sequential>);
static_assert(!Layer<int>);

}  // namespace
}  // namespace tg::nn
