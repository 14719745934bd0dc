// Convolutions of one axis and transposed ones, normalising layers, embeddings, dropout and the
// LSTM cell: shapes, initial values, results on small numbers, messages. Linear, Conv2d and
// BatchNorm: layers_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nn_test_util.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/nn.h"
#include "tg/random.h"

namespace tg::nn {
namespace {

using Floats = std::vector<float>;

void expect_shape_and_floats(const Tensor& t, const Shape& shape, const Floats& want,
                             float tolerance = 1e-5F) {
  EXPECT_EQ(t.shape(), shape);
  const auto got = t.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

float largest(const Tensor& t) { return t.abs().max().item<float>(); }

TEST(Conv1dLayer, ShapesOfItsParametersAndResult) {
  Conv1d c(4, 6, 3, {.groups = 2, .stride = 2, .padding = 1});
  EXPECT_EQ(c.weight.shape(), (Shape{6, 2, 3}));
  EXPECT_EQ(c.bias->shape(), (Shape{6}));
  EXPECT_EQ(c(Tensor::ones({2, 4, 9})).shape(), (Shape{2, 6, 5}));
}
TEST(Conv1dLayer, SumsItsWindow) {
  Conv1d c(1, 1, 2, {.bias = false});
  c.weight.assign(Tensor{1.F, 10.F}.reshape({1, 1, 2}));
  expect_shape_and_floats(c(Tensor{1.F, 2.F, 3.F}.reshape({1, 1, 3})), {1, 1, 2}, {21, 32});
}
TEST(Conv1dLayer, StartsUniformWithinTheRootOfItsFan) {
  manual_seed(5);
  Conv1d c(16, 8, 4);
  EXPECT_LE(largest(c.weight), 1.0F / 8);
  EXPECT_GT(largest(c.weight), 1.0F / 16);
}
TEST(Conv1dLayer, SaysWhatItCannotBe) {
  EXPECT_EQ(argument_error_of([] { Conv1d(1, 1, 0); }),
            "Conv1d: the kernel must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([] { Conv1d(3, 4, 1, {.groups = 2}); }),
            "Conv1d: groups must divide both numbers of channels: 2 groups, 3 in, 4 out.");
}

TEST(ConvTransposeLayer, ShapesOfItsParametersAndResult) {
  ConvTranspose2d c(4, 6, 3, {.groups = 2, .stride = 2, .padding = 1, .output_padding = 1});
  EXPECT_EQ(c.weight.shape(), (Shape{4, 3, 3, 3}));
  EXPECT_EQ(c(Tensor::ones({2, 4, 5, 7})).shape(), (Shape{2, 6, 10, 14}));
  EXPECT_EQ(ConvTranspose1d(2, 3, 4)(Tensor::ones({1, 2, 5})).shape(), (Shape{1, 3, 8}));
}
TEST(ConvTransposeLayer, SpreadsItsInput) {
  ConvTranspose1d c(1, 1, 2, {.stride = 2, .bias = false});
  c.weight.assign(Tensor{1.F, 10.F}.reshape({1, 1, 2}));
  expect_shape_and_floats(c(Tensor{1.F, 2.F}.reshape({1, 1, 2})), {1, 1, 4}, {1, 10, 2, 20});
}
TEST(ConvTransposeLayer, SaysWhatItCannotBe) {
  EXPECT_EQ(argument_error_of([] { ConvTranspose2d(1, 1, {1, 2, 3}); }),
            "ConvTranspose2d: the kernel needs one number or two (height, width), got 3.");
}

TEST(LayerNormLayer, NormalisesTheLastAxis) {
  LayerNorm n(2, {.eps = 0});
  expect_shape_and_floats(n(Tensor({{1.F, 3.F}, {5.F, 9.F}})), {2, 2}, {-1, 1, -1, 1});
  n.weight->assign(Tensor{2.F, 3.F});
  n.bias->assign(Tensor{0.5F, 0.F});
  expect_shape_and_floats(n(Tensor({{1.F, 3.F}})), {1, 2}, {-1.5F, 3});
}
TEST(LayerNormLayer, NormalisesSeveralAxesTogether) {
  LayerNorm n(Shape{2, 2}, {.eps = 0});
  EXPECT_EQ(n.weight->shape(), (Shape{2, 2}));
  expect_shape_and_floats(n(Tensor({{-1.F, -1.F}, {1.F, 1.F}})), {2, 2}, {-1, -1, 1, 1});
}
TEST(LayerNormLayer, WithoutParametersHasNone) {
  LayerNorm n(2, {.affine = false});
  EXPECT_TRUE(parameters(n).empty());
  EXPECT_EQ(n(Tensor::ones({3, 2})).shape(), (Shape{3, 2}));
}
TEST(LayerNormLayer, Of2dNormalisesTheChannelsOfEachPlace) {
  LayerNorm2d n(2, {.eps = 0});
  const Tensor x = Tensor{1.F, 5.F, 3.F, 9.F}.reshape({1, 2, 1, 2});
  expect_shape_and_floats(n(x), {1, 2, 1, 2}, {-1, -1, 1, 1});
}
TEST(LayerNormLayer, SaysWhatItCannotBe) {
  EXPECT_EQ(argument_error_of([] { LayerNorm(Shape{}); }),
            "LayerNorm: the number of axes must be at least 1, got 0.");
}

TEST(GroupNormLayer, NormalisesGroupsOfChannels) {
  GroupNorm n(2, 4, {.eps = 0});
  const Tensor x = Tensor{1.F, 3.F, 10.F, 30.F}.reshape({1, 4, 1});
  expect_shape_and_floats(n(x), {1, 4, 1}, {-1, 1, -1, 1});
}
TEST(GroupNormLayer, OfInstancesNormalisesEachChannel) {
  InstanceNorm n(2, {.eps = 0});
  const Tensor x = Tensor{1.F, 3.F, 10.F, 30.F}.reshape({1, 2, 2});
  expect_shape_and_floats(n(x), {1, 2, 2}, {-1, 1, -1, 1});
}
TEST(GroupNormLayer, SaysWhatItCannotBe) {
  EXPECT_EQ(argument_error_of([] { GroupNorm(2, 3); }),
            "GroupNorm: groups must divide the channels: 2 groups, 3 channels.");
}

TEST(RmsNormLayer, DividesByTheRootMeanSquare) {
  RMSNorm n(2, {.eps = 0});
  expect_shape_and_floats(n(Tensor({{1.F, 7.F}})), {1, 2}, {0.2F, 1.4F});
  n.weight->assign(Tensor{10.F, 1.F});
  expect_shape_and_floats(n(Tensor({{1.F, 7.F}})), {1, 2}, {2, 1.4F});
}

TEST(EmbeddingLayer, LooksUpRows) {
  Embedding e(3, 2);
  e.weight.assign(Tensor({{1.F, 2.F}, {3.F, 4.F}, {5.F, 6.F}}));
  expect_shape_and_floats(e(Tensor({{2, 0}})), {1, 2, 2}, {5, 6, 1, 2});
  expect_shape_and_floats(e(Tensor{-1}), {1, 2}, {5, 6});
}
TEST(EmbeddingLayer, AddsTheGradientsOfARowThatIsReadTwice) {
  Embedding e(3, 2);
  e(Tensor{1, 1, 0}).sum().backward();
  expect_shape_and_floats(e.weight.grad(), {3, 2}, {1, 1, 2, 2, 0, 0});
}
TEST(EmbeddingLayer, StartsWithinTheGlorotBound) {
  manual_seed(8);
  Embedding e(16, 8);
  EXPECT_LE(largest(e.weight), 0.5F);
  EXPECT_GT(largest(e.weight), 0.25F);
}

TEST(DropoutLayer, ActsOnlyWhileTraining) {
  const Dropout d(0.25);
  const Tensor x = Tensor::ones({64, 64});
  EXPECT_EQ(d(x).sum().item<float>(), 4096);
  const TrainingScope training;
  const auto y = d(x).to_vector<float>();
  const auto zeros = std::count(y.begin(), y.end(), 0.F);
  EXPECT_NEAR(static_cast<double>(zeros) / 4096, 0.25, 0.04);
  for (float v : y) EXPECT_TRUE(v == 0 || std::abs(v - 4.F / 3) < 1e-6F) << v;
}
TEST(DropoutLayer, SaysWhatItCannotBe) {
  EXPECT_EQ(argument_error_of([] { Dropout(-0.5); }),
            "Dropout: the probability must lie between 0 and 1, got -0.5.");
}

TEST(LstmCell, AgreesWithItsEquations) {
  manual_seed(13);
  LSTMCell cell(2, 1);
  const Tensor x({{0.5F, -1.F}});
  const auto w = cell.weight_ih.to_vector<float>(), u = cell.weight_hh.to_vector<float>();
  const auto a = cell.bias_ih->to_vector<float>(), b = cell.bias_hh->to_vector<float>();
  double h = 0, c = 0;
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  LSTMCell::State state = cell(x);
  for (int step = 0; step < 3; ++step) {
    double gate[4];
    for (size_t g = 0; g < 4; ++g) gate[g] = w[2 * g] * 0.5 - w[2 * g + 1] + a[g] + u[g] * h + b[g];
    c = sigmoid(gate[1]) * c + sigmoid(gate[0]) * std::tanh(gate[2]);
    h = sigmoid(gate[3]) * std::tanh(c);
    expect_shape_and_floats(state.first, {1, 1}, {static_cast<float>(h)});
    expect_shape_and_floats(state.second, {1, 1}, {static_cast<float>(c)});
    state = cell(x, state);
  }
}
TEST(LstmCell, SaysWhatItCannotBe) {
  EXPECT_EQ(argument_error_of([] { LSTMCell(2, std::numeric_limits<int64_t>::max()); }),
            "LSTMCell: hidden must be at most 2305843009213693951, got 9223372036854775807.");
}
TEST(LstmCell, CanBeTrained) {
  manual_seed(13);
  LSTMCell cell(2, 4);
  Adam adam(cell, {.lr = 0.05});
  const Tensor x({{0.5F, -1.F}, {1.F, 0.25F}});
  const TrainingScope training;
  float first = 0, last = 0;
  for (int i = 0; i < 30; ++i) {
    LSTMCell::State s = cell(x);
    s = cell(x, s);
    const Tensor loss = (s.first - 0.25).square().sum();
    adam.step(loss);
    last = loss.item<float>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, first / 10);
}

struct StatesModel {
  Conv1d conv{1, 2, 3};
  ConvTranspose1d up{2, 1, 3};
  LayerNorm norm{4};
  GroupNorm group{1, 2};
  RMSNorm rms{4};
  Embedding table{3, 4};
  Dropout dropout;
  LSTMCell cell{2, 2};
  template <typename F>
  void visit(F&& f) {
    f("conv", conv);
    f("up", up);
    f("norm", norm);
    f("group", group);
    f("rms", rms);
    f("table", table);
    f("dropout", dropout);
    f("cell", cell);
  }
};
TEST(MoreLayers, AreModelsWithNamesAsInPyTorch) {
  StatesModel m;
  const StateDict dict = state_dict(m);
  EXPECT_EQ(dict.size(), 14u);
  for (const char* name : {"conv.weight", "up.bias", "norm.weight", "group.bias", "rms.weight",
                           "table.weight", "cell.weight_ih", "cell.bias_hh"}) {
    EXPECT_TRUE(dict.contains(name)) << name;
  }
  EXPECT_EQ(parameters(m).size(), 14u);
}

}  // namespace
}  // namespace tg::nn
