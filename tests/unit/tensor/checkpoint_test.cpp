// Values whose gradient computes them a second time: the gradients are those without, the memory of
// a step is less, random numbers are drawn once.
#include "tg/autograd.h"
#include "tg/jit.h"
#include "tg/random.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

using Inputs = std::vector<Tensor>;

Tensor wave(const Inputs& in) { return (in[0].sin() * in[1]).exp().sum({.axis = 1}); }

TEST(Checkpoint, HasTheValueAndTheGradientsOfTheFunction) {
  Random random(1);
  const Inputs in = {random.tensor({3, 4}), random.tensor({3, 4})};
  const Tensor plain = wave(in), again = checkpoint(wave, in);
  EXPECT_EQ(again.to_vector<float>(), plain.to_vector<float>());
  const auto want = plain.square().sum().gradient(in), got = again.square().sum().gradient(in);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(got[i].to_vector<float>(), want[i].to_vector<float>()) << i;
}
TEST(Checkpoint, AgreesWithFiniteDifferences) {
  Random random(2);
  expect_gradients([](const auto& x) { return checkpoint(wave, x); },
                   {random.tensor({2, 3}), random.tensor({2, 3})});
}
TEST(Checkpoint, IsDifferentiableAgain) {
  const Tensor x = Tensor{1.5f, -2.f}.realize();
  const Tensor y = checkpoint([](const auto& in) { return in[0].pow(3); }, {x});
  const Tensor slope = y.sum().gradient({x})[0];
  expect_values(slope.sum().gradient({x})[0], {2}, {9, -12});
}
TEST(Checkpoint, GivesGradientsToWhatTheFunctionReadsBeside) {
  const Tensor x = Tensor{1.f, 2.f}.realize();
  const Tensor w = Tensor({{1.f, 2.f}, {3.f, 4.f}}).is_param_();
  const auto f = [&](const Inputs& in) { return w.T().matmul((w.matmul(in[0])).square()); };
  const Inputs both = {x, w};
  const auto want = f({x}).sum().gradient(both);
  const auto got = checkpoint(f, {x}).sum().gradient(both);
  for (size_t i = 0; i < both.size(); ++i)
    EXPECT_EQ(got[i].to_vector<float>(), want[i].to_vector<float>()) << i;
  checkpoint(f, {x}).sum().backward();
  EXPECT_EQ(w.grad().to_vector<float>(), want[1].to_vector<float>());
}
TEST(Checkpoint, GivesGradientsToAParameterThatIsAViewOfStorage) {
  const Tensor base = Tensor{1.f, 2.f, 3.f}.realize();
  const Tensor view = base.shrink({{1, 3}}).is_param_();
  const Tensor x = Tensor{1.f, 1.f}.realize();
  checkpoint([&](const Inputs& in) { return (in[0] * view).square(); }, {x}).sum().backward();
  expect_values(view.grad(), {2}, {4, 6});
}
TEST(Checkpoint, CountsAnInputGivenTwiceOnce) {
  const Tensor x = Tensor{3.f}.realize();
  const auto f = [](const Inputs& in) { return in[0] * in[1]; };
  expect_values(checkpoint(f, {x, x}).sum().gradient({x})[0], {1}, {6});
}
TEST(Checkpoint, TakesInputsThatAreMadeOfOneAnother) {
  const Tensor x = Tensor{3.f}.realize();
  const auto f = [](const Inputs& in) { return in[0] * in[1]; };
  expect_values(checkpoint(f, {x, x.square()}).sum().gradient({x})[0], {1}, {27});
}
TEST(Checkpoint, TakesIntegersAndWhatIsUnused) {
  const Tensor x = Tensor{3.f, 4.f}.realize(), unused = Tensor{1.f}.realize();
  const auto f = [](const Inputs& in) { return in[0].gather(0, in[1]); };
  const Tensor y = checkpoint(f, {x, Tensor{1, 1}, unused});
  const auto slopes = y.sum().gradient({x, unused});
  expect_values(slopes[0], {2}, {0, 2});
  expect_values(slopes[1], {1}, {0});
}
TEST(Checkpoint, StandsInsideOfAnother) {
  const Tensor x = Tensor{1.f, 2.f}.realize(), w = Tensor{2.f}.is_param_();
  const auto inner = [&](const Inputs& in) { return (in[0] * w).exp(); };
  const auto plain = [&](const Inputs& in) { return inner({in[0].sin()}) * in[0]; };
  const auto outer = [&](const Inputs& in) { return checkpoint(inner, {in[0].sin()}) * in[0]; };
  const auto want = plain({x}).sum().gradient({x, w});
  const auto got = checkpoint(outer, {x}).sum().gradient({x, w});
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(got[i].to_vector<float>(), want[i].to_vector<float>()) << i;
}
TEST(Checkpoint, TakesSizesThatVary) {
  const Tensor x = Tensor{1.f, 2.f, 3.f, 4.f}.realize();
  const Tensor some = x.shrink_to({Variable("n", 1, 4).bind(3)});
  const auto f = [](const Inputs& in) { return in[0].square() * in[0].sum(); };
  expect_values(checkpoint(f, {some}).sum().gradient({x})[0], {4}, {26, 38, 50, 0});
}
TEST(Checkpoint, OfTheInputItselfIsTheInput) {
  const Tensor x = Tensor{3.f}.realize();
  const Tensor y = checkpoint([](const Inputs& in) { return in[0]; }, {x});
  expect_values(y, {1}, {3});
  expect_values(y.square().sum().gradient({x})[0], {1}, {6});
}
TEST(Checkpoint, PassesNanOnAsTheFunctionDoes) {
  const Tensor x = Tensor{NAN, 2.f}.realize();
  const auto f = [](const Inputs& in) { return in[0].square(); };
  const auto got = checkpoint(f, {x}).sum().gradient({x})[0].to_vector<float>();
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], 4);
  const Tensor y = Tensor{1.f, 2.f}.realize();
  const auto from_nan = checkpoint(f, {y}).gradient({y}, Tensor{NAN, 1.f})[0].to_vector<float>();
  EXPECT_TRUE(std::isnan(from_nan[0]));
  EXPECT_EQ(from_nan[1], 4);
}
TEST(Checkpoint, CallsTheFunctionOnceAndDrawsRandomNumbersOnce) {
  manual_seed(5);
  int calls = 0;
  const Tensor x = Tensor::ones({64}).realize();
  const TrainingScope training;
  const Tensor y = checkpoint(
      [&](const Inputs& in) {
        ++calls;
        return in[0].dropout(0.5);
      },
      {x});
  const Tensor slope = y.sum().gradient({x})[0];
  Tensor::realize({y, slope});
  EXPECT_EQ(slope.to_vector<float>(), y.to_vector<float>());
  EXPECT_EQ(calls, 1);
}
TEST(Checkpoint, NeedsAnInput) {
  EXPECT_EQ(
      error_of<ArgumentError>([] { checkpoint([](const auto&) { return Tensor(1.0); }, {}); }),
      "checkpoint: there are no inputs to begin from again. Hint: give the tensors that the "
      "function computes with.");
}

// A step of a deep network of wide layers: each block widens its input 16 times and comes back.
struct Blocks {
  static constexpr int64_t kBatch = 16, kWidth = 8, kInner = 128;
  std::vector<Tensor> up, down;

  explicit Blocks(int n) {
    manual_seed(1);
    for (int i = 0; i < n; ++i) {
      up.push_back((Tensor::randn({kWidth, kInner}) * 0.1).is_param_());
      down.push_back((Tensor::randn({kInner, kWidth}) * 0.1).is_param_());
    }
    Tensor::realize(up);
    Tensor::realize(down);
  }
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = up;
    all.insert(all.end(), down.begin(), down.end());
    return all;
  }
  Tensor operator()(Tensor x, bool cut) const {
    for (size_t i = 0; i < up.size(); ++i) {
      const auto block = [&](const Inputs& in) {
        return in[0] + in[0].matmul(up[i]).gelu().matmul(down[i]);
      };
      x = cut ? checkpoint(block, {x}) : block({x});
    }
    return x;
  }
};

struct Step {
  int64_t bytes;
  std::vector<std::vector<float>> gradients;
};
Step step_of(bool cut, int blocks) {
  const Blocks net(blocks);
  TinyJit step(
      [&](const Tensor& x) { return net(x, cut).square().mean().gradient(net.parameters()); });
  const Tensor x = Tensor::randn({Blocks::kBatch, Blocks::kWidth}).realize();
  Step out;
  for (int i = 0; i < 3; ++i) {
    out.gradients.clear();
    for (const Tensor& g : step(x)) out.gradients.push_back(g.to_vector<float>());
  }
  out.bytes = step.stats().arena_bytes;
  return out;
}

TEST(Checkpoint, NeedsLessMemoryForTheSameGradients) {
  const Step plain = step_of(false, 12), cut = step_of(true, 12);
  ASSERT_EQ(plain.gradients.size(), cut.gradients.size());
  for (size_t i = 0; i < plain.gradients.size(); ++i)
    for (size_t k = 0; k < plain.gradients[i].size(); ++k)
      ASSERT_NEAR(plain.gradients[i][k], cut.gradients[i][k], 1e-5) << i << " " << k;
  // 12 blocks keep an activation of 8 KiB each, and at least one more for its slope.
  EXPECT_GE(plain.bytes, 12 * 4 * Blocks::kBatch * Blocks::kInner);
  EXPECT_LE(cut.bytes, plain.bytes / 3);
}
TEST(Checkpoint, NeedsMemoryForTheInputsOfEachBlockOnly) {
  const int64_t few = step_of(true, 8).bytes, many = step_of(true, 16).bytes;
  EXPECT_LE(many - few, 8 * 2 * 4 * Blocks::kBatch * Blocks::kWidth);
}

}  // namespace
}  // namespace tg
