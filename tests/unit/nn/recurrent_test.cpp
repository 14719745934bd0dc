// GRU and LSTM: cells against their equations, sequences against cells and against PyTorch, whose
// numbers stand here; states, orders of axes, messages. The LSTM cell: more_layers_test.cpp.
#include <limits>

#include "nn/objects.h"
#include "nn_test_util.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/random.h"
#include "torch_models.h"

namespace tg::nn {
namespace {

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

TEST(GruCell, AgreesWithItsEquations) {
  manual_seed(13);
  GRUCell cell(2, 1);
  const Tensor x({{0.5F, -1.F}});
  const auto w = cell.weight_ih.to_vector<float>(), u = cell.weight_hh.to_vector<float>();
  const auto a = cell.bias_ih->to_vector<float>(), b = cell.bias_hh->to_vector<float>();
  double h = 0;
  Tensor state = cell(x);
  for (int step = 0; step < 3; ++step) {
    double of_x[3], of_h[3];
    for (size_t g = 0; g < 3; ++g) {
      of_x[g] = w[2 * g] * 0.5 - w[2 * g + 1] + a[g];
      of_h[g] = u[g] * h + b[g];
    }
    const double r = sigmoid(of_x[0] + of_h[0]), z = sigmoid(of_x[1] + of_h[1]);
    h = (1 - z) * std::tanh(of_x[2] + r * of_h[2]) + z * h;
    expect_floats(state, {1, 1}, {static_cast<float>(h)});
    state = cell(x, state);
  }
}
TEST(GruCell, GivesPyTorchsNumbers) {
  GRUCell cell(3, 2);
  fill_as_torch(cell);
  expect_floats(cell(torch_numbers({2, 3}, 10), torch_numbers({2, 2}, 11)), {2, 2},
                {-0.6261926F, -0.3150953F, -0.2891483F, -0.004735863F});
}
TEST(GruCell, TakesARowAndManyBatches) {
  GRUCell cell(3, 2, {.bias = false});
  EXPECT_EQ(cell(Tensor::ones({3})).shape(), (Shape{2}));
  EXPECT_EQ(cell(Tensor::ones({4, 5, 3})).shape(), (Shape{4, 5, 2}));
}
TEST(GruCell, StartsUniformWithinTheRootOfItsState) {
  manual_seed(5);
  GRUCell cell(8, 16);
  const float most = cell.weight_ih.abs().max().item<float>();
  EXPECT_LE(most, 0.25F);
  EXPECT_GT(most, 0.125F);
}
TEST(GruCell, SaysWhatItCannotBe) {
  EXPECT_EQ(argument_error_of([] { GRUCell(0, 1); }), "GRUCell: in must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([] { GRUCell(2, std::numeric_limits<int64_t>::max()); }),
            "GRUCell: hidden must be at most 3074457345618258602, got 9223372036854775807.");
  EXPECT_EQ(message_of<ShapeError>([] { GRUCell(1, 1)(Tensor(1.0)); }),
            "GRUCell: needs x [..., in], got shape [].");
}

TEST(Gru, GivesPyTorchsNumbers) {
  GRU gru(3, 2, {.layers = 2});
  fill_as_torch(gru);
  const auto [output, state] = gru(torch_numbers({3, 2, 3}, 10), torch_numbers({2, 2, 2}, 11));
  expect_floats(output, {3, 2, 2},
                {0.1145444F, 0.2230365F, 0.3686102F, 0.3661659F, 0.02802731F, 0.06285119F,
                 0.1613176F, 0.1228134F, -0.01403273F, -0.002309272F, -0.01652603F, -0.07677997F});
  expect_floats(state, {2, 2, 2},
                {-0.3704198F, -0.408214F, 0.01867449F, -0.2112277F, -0.01403273F, -0.002309272F,
                 -0.01652603F, -0.07677997F});
}
TEST(Lstm, GivesPyTorchsNumbers) {
  LSTM lstm(3, 2, {.layers = 2, .batch_first = true});
  fill_as_torch(lstm);
  const auto [output, state] = lstm(torch_numbers({2, 3, 3}, 10));
  expect_floats(
      output, {2, 3, 2},
      {-0.06978873F, -0.08783777F, -0.121397F, -0.1385409F, -0.1512702F, -0.1586049F, -0.03430026F,
       -0.04593688F, -0.05100131F, -0.06359061F, -0.08388572F, -0.09816052F});
  expect_floats(state.first, {2, 2, 2},
                {0.1334508F, 0.04730485F, -0.03195335F, -0.09554843F, -0.1512702F, -0.1586049F,
                 -0.08388572F, -0.09816052F});
  expect_floats(state.second, {2, 2, 2},
                {0.2525065F, 0.09723316F, -0.09464238F, -0.2943633F, -0.4008811F, -0.3951408F,
                 -0.2096595F, -0.2478508F});
}
TEST(Gru, GoesOnFromItsState) {
  manual_seed(3);
  GRU gru(3, 4, {.layers = 2});
  const Tensor x = Tensor::randn({5, 2, 3}).realize();
  const auto [whole, end] = gru(x);
  const auto [first, middle] = gru(x[{Slice(0, 2)}]);
  const auto [second, again] = gru(x[{Slice(2)}], middle);
  expect_floats(Tensor::cat({first, second}), {5, 2, 4}, whole.to_vector<float>());
  expect_floats(again, {2, 2, 4}, end.to_vector<float>());
}
TEST(Lstm, GoesOnFromItsState) {
  manual_seed(4);
  LSTM lstm(3, 4);
  const Tensor x = Tensor::randn({5, 3}).realize();  // no batch
  const auto [whole, end] = lstm(x);
  const auto [first, middle] = lstm(x[{Slice(0, 2)}]);
  const auto [second, again] = lstm(x[{Slice(2)}], middle);
  expect_floats(Tensor::cat({first, second}), {5, 4}, whole.to_vector<float>());
  expect_floats(again.second, {1, 4}, end.second.to_vector<float>());
}
TEST(Gru, TakesTheBatchFirst) {
  manual_seed(5);
  GRU gru(3, 4), turned = gru;
  turned.batch_first = true;
  const Tensor x = Tensor::randn({5, 2, 3}).realize();
  const auto [output, state] = gru(x);
  const auto [other, same] = turned(x.transpose(0, 1));
  expect_floats(other.transpose(0, 1), {5, 2, 4}, output.to_vector<float>());
  expect_floats(same, {1, 2, 4}, state.to_vector<float>());
}
TEST(Gru, DropsBetweenItsLayersWhileTraining) {
  manual_seed(6);
  GRU two(3, 4, {.layers = 2, .dropout = 1}), one(3, 4, {.dropout = 1});
  const Tensor x = Tensor::randn({2, 1, 3}).realize();
  const auto still = two(x).first.to_vector<float>(), alone = one(x).first.to_vector<float>();
  const TrainingScope training;
  EXPECT_NE(two(x).first.to_vector<float>(), still);
  EXPECT_EQ(two(x).first.to_vector<float>(), two(x * 2).first.to_vector<float>());
  EXPECT_EQ(one(x).first.to_vector<float>(), alone);
}
TEST(Gru, HasGradients) {
  manual_seed(7);
  GRU gru(2, 2, {.layers = 2});
  std::vector<Tensor> inputs = {Tensor::randn({3, 1, 2})};
  for (const Tensor& p : parameters(gru)) inputs.push_back(p.detach());
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& x) {
        GRU same = gru;
        size_t i = 1;
        visit_tensors(same, [&](const std::string&, Tensor& t) { t = x[i++]; });
        const auto [output, state] = same(x[0]);
        return Tensor::cat({output, state});
      },
      inputs);
  EXPECT_TRUE(report.ok) << report.message;
}
TEST(Lstm, HasGradients) {
  manual_seed(8);
  LSTM lstm(2, 2);
  std::vector<Tensor> inputs = {Tensor::randn({3, 1, 2})};
  for (const Tensor& p : parameters(lstm)) inputs.push_back(p.detach());
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& x) {
        LSTM same = lstm;
        size_t i = 1;
        visit_tensors(same, [&](const std::string&, Tensor& t) { t = x[i++]; });
        const auto [output, state] = same(x[0]);
        return Tensor::cat({output, state.first, state.second});
      },
      inputs);
  EXPECT_TRUE(report.ok) << report.message;
}
TEST(Gru, NamesItsParametersAsPyTorch) {
  GRU gru(3, 2, {.layers = 2});
  std::vector<std::string> names;
  for (const auto& [name, t] : state_dict(gru)) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"bias_hh_l0", "bias_hh_l1", "bias_ih_l0", "bias_ih_l1",
                                             "weight_hh_l0", "weight_hh_l1", "weight_ih_l0",
                                             "weight_ih_l1"}));
  EXPECT_EQ(parameters(gru).size(), 8u);
  GRU plain(3, 2, {.bias = false});
  EXPECT_EQ(parameters(plain).size(), 2u);
}
TEST(Gru, SaysWhatItCannotTake) {
  EXPECT_EQ(argument_error_of([] { GRU(2, 2, {.layers = 0}); }),
            "GRU: layers must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([] { LSTM(1, 1, {.layers = int64_t{1} << 40}); }),
            "LSTM: at most 1024 layers, got 1099511627776.");
  EXPECT_EQ(argument_error_of([] { GRU(2, 2, {.dropout = 2}); }),
            "GRU: the probability must lie between 0 and 1, got 2.");
  const GRU gru(2, 3), turned(2, 3, {.batch_first = true});
  EXPECT_EQ(message_of<ShapeError>([&] {
              gru(Tensor::ones({4, 1, 3}));
            }),
            "GRU: needs x [steps, batch, in] or [steps, in] with 2 features, got shape [4,1,3].");
  EXPECT_EQ(message_of<ShapeError>([&] {
              turned(Tensor::ones({4, 2}));
            }),
            "GRU: needs x [batch, steps, in] with 2 features, got shape [4,2].");
  EXPECT_EQ(message_of<ShapeError>([&] {
              gru(Tensor::ones({0, 1, 2}));
            }),
            "GRU: needs at least one step, got none.");
  EXPECT_EQ(message_of<ShapeError>([&] {
              gru(Tensor::ones({4, 1, 2}), Tensor::ones({1, 3}));
            }),
            "GRU: the state must have shape [1,1,3], got [1,3].");
  const LSTM lstm(2, 3);
  const Tensor state = Tensor::ones({1, 2, 3});
  EXPECT_EQ(message_of<ShapeError>([&] {
              lstm(Tensor::ones({4, 1, 2}), {state, state});
            }),
            "LSTM: the state must have shape [1,1,3], got [1,2,3].");
}

// By number of tensors, as other languages call layers.
TEST(LayerObjects, TakeStatesBehindX) {
  const Tensor x = Tensor::ones({2, 1, 3}), state = Tensor::zeros({1, 1, 2});
  const LayerOf<GRU> gru(GRU(3, 2));
  const auto apply = [](const LayerObject& l, const std::vector<Tensor>& in) {
    return l.apply(in);
  };
  EXPECT_EQ(apply(gru, {x})[1].shape(), (Shape{1, 1, 2}));
  EXPECT_EQ(apply(gru, {x, state})[0].shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(argument_error_of([&] { apply(gru, {}); }),
            "layer: it takes x, or x and its state, got 0 tensors.");
  const LayerOf<LSTM> lstm(LSTM(3, 2));
  EXPECT_EQ(apply(lstm, {x}).size(), 3u);
  EXPECT_EQ(apply(lstm, {x, state, state})[2].shape(), (Shape{1, 1, 2}));
  EXPECT_EQ(argument_error_of([&] {
              apply(lstm, {x, state});
            }),
            "layer: it takes x, or x and the two tensors of its state, got 2 tensors.");
  const LayerOf<GRUCell> cell(GRUCell(3, 2));
  EXPECT_EQ(apply(cell, {x[0]})[0].shape(), (Shape{1, 2}));
  EXPECT_EQ(apply(cell, {x[0], state[0]})[0].shape(), (Shape{1, 2}));
  EXPECT_EQ(argument_error_of([&] {
              apply(LayerOf<Dropout>(Dropout()), {x, x});
            }),
            "layer: it takes one tensor, got 2 tensors.");
}

}  // namespace
}  // namespace tg::nn
