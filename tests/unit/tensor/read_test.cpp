// Values that are read: they are computed once, and what they were made of can still be
// differentiated. realize() is what cuts a graph off.
#include <thread>

#include "engine/counters.h"
#include "tensor/kept.h"
#include "tensor/state.h"
#include "tg/ir/node.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(Read, ALossCanBeDifferentiatedAfterwards) {
  const Tensor w{1.f, 2.f};
  const Tensor loss = (w * w * w).sum();
  EXPECT_EQ(loss.item<double>(), 9);
  loss.backward();
  expect_values(w.grad(), {2}, {3, 12});
}
TEST(Read, AValueOnTheWayIsNoObstacle) {
  const Tensor w{1.f, 2.f};
  const Tensor h = w * w;
  EXPECT_FALSE(h.str().empty());
  const Tensor loss = (h * w).sum();
  loss.backward();
  expect_values(w.grad(), {2}, {3, 12});
  EXPECT_FALSE(h.has_grad());
}
TEST(Read, AnEqualExpressionThatIsGoneIsNoObstacle) {
  const Tensor x{1.f, 2.f};
  const Tensor before = (x * x).sum();
  (x * x).to_vector<float>();
  const Tensor after = (x * x).sum();
  expect_values(before.gradient({x})[0], {2}, {2, 4});
  expect_values(after.gradient({x})[0], {2}, {2, 4});
}
TEST(Read, EvenANewParameterGivesSlopes) {
  const Tensor w = Tensor{1.f, 2.f}.is_param_();
  const Tensor y = (w.exp2() * 3).sum();
  EXPECT_EQ(y.item<double>(), 18);
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{1, 2}));
  y.backward();
  expect_values(w.grad(), {2}, {6 * std::log(2), 12 * std::log(2)});
}
TEST(Read, RealizeCutsTheGraphBeforeAndAfter) {
  const Tensor x{1.f, 2.f};
  const Tensor y = x * 3, sum = y.sum();
  EXPECT_EQ(sum.item<double>(), 9);
  y.to_vector<float>();
  EXPECT_FALSE(y.is_realized());
  y.realize();
  EXPECT_TRUE(y.is_realized());
  expect_values(sum.gradient({x})[0], {2}, {0, 0});
  expect_values(sum.gradient({y})[0], {2}, {1, 1});
  EXPECT_EQ(sum.item<double>(), 9);
}

TEST(Read, ComputesOnce) {
  const Tensor x{1.f, 2.f};
  const Tensor y = x.exp2() + 1;
  y.to_vector<float>();
  reset_counters();
  expect_values(y, {2}, {3, 5});
  EXPECT_EQ(counters().kernels, 0);
  expect_values(y * 2, {2}, {6, 10});
  y.realize();
  EXPECT_EQ(counters().kernels, 1);
}
TEST(Read, WhatNoGradientCanAskOfBecomesStorage) {
  const Tensor x{1.f, 2.f};
  const Tensor larger = x > 1, stopped = (x * 2).detach() + 1;
  larger.to_vector<bool>();
  stopped.to_vector<float>();
  EXPECT_TRUE(larger.is_realized() && stopped.is_realized());
  const Tensor lonely = Tensor{3.f} * 2;  // what it was made of is no live tensor
  lonely.item<float>();
  EXPECT_TRUE(lonely.is_realized());
  NoGradScope scope;
  const Tensor inferred = x * 2;
  inferred.to_vector<float>();
  EXPECT_TRUE(inferred.is_realized());
}
// The kernels that computing a value takes.
int64_t kernels_of(const Tensor& t) {
  reset_counters();
  t.realize();
  return counters().kernels;
}
TEST(Contiguous, IsComputedOnceForAllThatUseIt) {
  const Tensor x = Tensor{1.f, 2.f}.realize();
  const Tensor h = (x + 1).contiguous();
  EXPECT_EQ(kernels_of(h.sum() * 3), 2);
  EXPECT_EQ(kernels_of(h.sum() * 4), 1);
  EXPECT_EQ(kernels_of(h * 2), 1);
  expect_values(h, {2}, {2, 3});
  const Tensor filled = Tensor::zeros({4}).contiguous();
  EXPECT_EQ(kernels_of(filled.sum() + 1), 2);
  EXPECT_TRUE(filled.is_realized());
}
TEST(Contiguous, OnTheWayIsNoObstacleForGradients) {
  const Tensor w{1.f, 2.f};
  const Tensor h = (w * w).contiguous(), turned = (w * w * 2).contiguous().flip({0});
  (h.sum() + turned.sum()).realize();
  turned.to_vector<float>();
  EXPECT_FALSE(h.is_realized());
  EXPECT_EQ(kernels_of(h.sum()), 1);
  (h * turned).sum().backward();  // 2 w₀² w₁² twice
  expect_values(w.grad(), {2}, {32, 16});
}
TEST(Contiguous, OfStorageThatIsWrittenKeepsTheContents) {
  const Tensor x = Tensor{1.f, 2.f}.realize();
  const Tensor before = x.contiguous(), sum = before.sum();
  x.assign(Tensor{5.f, 6.f});
  (sum + x.sum()).realize();
  expect_values(before, {2}, {1, 2});
  before.assign(Tensor{7.f, 8.f});
  expect_values(sum, {}, {3});
  expect_values(x, {2}, {5, 6});
}
TEST(Read, LeavesNothingBehind) {
  const Tensor w = Tensor{1.f, 2.f}.realize();
  const auto work = [&] {
    const Tensor y = w * w, z = y.exp2();
    y.to_vector<float>();
    (w * 5).to_vector<float>();
    z.to_vector<float>();
    return z.sum().item<double>();
  };
  work();
  const InternerStats before = interner_stats();
  work();
  EXPECT_EQ(interner_stats().live_nodes, before.live_nodes);
  EXPECT_TRUE(kept_values().empty());
}

// ---- beside assignments
TEST(ReadAndAssign, WritesDoNotReachAnEqualValue) {
  const Tensor x{1.f, 2.f};
  const Tensor y = x * 3;
  const Tensor same = x * 3, sum = y.sum();
  y.to_vector<float>();
  y.assign(Tensor{0.f, 0.f}).realize();
  expect_values(same, {2}, {3, 6});
  EXPECT_EQ(sum.item<double>(), 9);
  expect_values(y, {2}, {0, 0});
}
TEST(ReadAndAssign, WritesAreSeenByViewsThatWereRead) {
  const Tensor x{1.f, 2.f};
  const Tensor y = x * 3, view = y[Slice(1)];
  expect_values(y, {2}, {3, 6});
  expect_values(view, {1}, {6});
  y.assign(Tensor{7.f, 8.f});
  expect_values(view, {1}, {8});
  view.assign(Tensor{9.f});
  expect_values(y, {2}, {7, 9});
}
TEST(ReadAndAssign, AViewThatWasRealisedSharesItsStorage) {
  const Tensor x{1.f, 2.f};
  const Tensor y = x * 3, column = y.reshape({2, 1});
  y.to_vector<float>();
  column.realize();
  column.assign(Tensor({{4.f}, {5.f}}));
  expect_values(y, {2}, {4, 5});
}
TEST(ReadAndAssign, OverwrittenWeightsLeaveTheValue) {
  const Tensor w{1.f, 2.f}, v{3.f, 4.f};
  const Tensor h = w * w, later = h * v;
  h.to_vector<float>();
  w.assign(w * 10).realize();
  expect_values(h, {2}, {1, 4});
  expect_values(later, {2}, {3, 16});
  expect_values(later.sum().gradient({v})[0], {2}, {1, 4});
  expect_values(later.sum().gradient({w})[0], {2}, {0, 0});
}
TEST(ReadAndAssign, AnAssignmentThatWaitedRunsOnce) {
  const Tensor w{1.f, 2.f};
  w.assign(w * 2);
  const Tensor y = w * w;
  expect_values(y, {2}, {4, 16});
  expect_values(y, {2}, {4, 16});
  expect_values(y.sum().gradient({w})[0], {2}, {4, 8});
  expect_values(w, {2}, {2, 4});
}
TEST(ReadAndAssign, WhatWasAssignedIsEverybodysStorage) {
  const Tensor x{1.f, 2.f}, w = x.clone();
  const Tensor view = w[Slice(1)];
  w.assign(w + x);
  expect_values(view, {1}, {4});
  expect_values(w, {2}, {2, 4});
  w.assign(w + x);
  expect_values(w, {2}, {3, 6});
  expect_values(view, {1}, {6});
}
TEST(ReadAndAssign, AValueOfBothVersionsMayBeReadAgain) {
  const Tensor w{1.f, 2.f};
  const Tensor before = w * 10;
  w.assign(w + 1);
  const Tensor both = before + w;
  expect_values(both, {2}, {12, 23});
  expect_values(both, {2}, {12, 23});
}
TEST(ReadAndAssign, TrainingThatPrintsIsTrainingThatDoesNot) {
  const auto trained = [](bool prints) {
    const Tensor w = Tensor(Doubles{0.5, -0.25, 1}).is_param_();
    const Tensor x(Doubles{1, 2, 3});
    for (int i = 0; i < 5; ++i) {
      w.zero_grad();
      const Tensor h = (w * x).tanh();
      if (prints) h.to_vector<float>();
      const Tensor loss = (h * h).sum();
      if (prints) loss.item<float>();
      loss.backward();
      if (prints) w.grad().to_vector<float>();
      w.assign(w - w.grad() * 0.1);
      if (prints) w.to_vector<float>();
    }
    return w.to_vector<double>();
  };
  EXPECT_EQ(trained(true), trained(false));
}

// ---- long loops
TEST(ReadInALoop, DoesNotHoldOnToAllThePast) {
  const Tensor a = Tensor{0.5f, 0.25f}.realize();
  Tensor state = Tensor{1.f, 1.f}.realize();
  const int64_t before = interner_stats().live_nodes;
  int64_t most = 0;
  for (int i = 0; i < 2 * kKeptReads + 10; ++i) {
    state = state * a + 1;
    state.to_vector<float>();
    most = std::max(most, interner_stats().live_nodes - before);
  }
  EXPECT_LT(most, 12 * kKeptReads);
  EXPECT_LE(kept_values().size(), static_cast<size_t>(kKeptReads));
  expect_values(state, {2}, {2, 4.0 / 3});
}
TEST(ReadInALoop, HoldsFewLargeValues) {
  const Tensor a = Tensor::empty({1 << 20});  // 4 MiB, never written: nothing here is computed
  UOp state = a.state()->node();
  int64_t reads = 0;
  for (;; ++reads) {
    const UOp next = state + a.state()->node();
    const auto behind = worth_keeping(next);
    if (!behind) break;
    keep_value({next, a.state()->node()}, *behind);
    state = next;
  }
  EXPECT_EQ(reads, kKeptBytes >> 22);
}
TEST(ReadInALoop, AParameterGetsItsWholeGradient) {
  const Tensor w = Tensor{1.f}.is_param_();
  Tensor state = Tensor{0.f}.realize();
  const int64_t turns = kKeptReads + 50;
  for (int64_t i = 0; i < turns; ++i) {
    state = state + w;
    EXPECT_EQ(state.item<int64_t>(), i + 1);
  }
  expect_values(state.sum().gradient({w})[0], {1}, {static_cast<double>(turns)});
}

// ---- programs
// What a random program computes and its gradients, with everything looked at by chance or nothing.
// Elementwise ops, views, sums that are broadcast again, copies and equal expressions; tensors are
// dropped by chance.
struct Outcome {
  std::vector<double> value, slopes;
};
Outcome outcome(uint32_t seed, bool reads) {
  Random random(seed), chance(seed + 1);
  const Tensor x = random.tensor({3, 4}, 0.2, 0.9), w = random.tensor({3, 4}, 0.2, 0.9);
  w.is_param_();
  std::vector<Tensor> live = {x, w, x * w};
  const auto any = [&] {
    return live[static_cast<size_t>(random.whole(0, static_cast<int64_t>(live.size()) - 1))];
  };
  for (int64_t step = random.whole(4, 14); step > 0; --step) {
    const Tensor a = any(), b = any();
    switch (random.whole(0, 6)) {
      case 0:
        live.push_back(a * b);
        break;
      case 1:
        live.push_back((a + b).tanh());
        break;
      case 2:
        live.push_back(a.T().reshape({4, 3}).T() - b);
        break;
      case 3:
        live.push_back(a.sum({.axis = 1, .keepdim = true}) * 0.1 + b);
        break;
      case 4:
        live.push_back(a.clone() * b.detach());
        break;
      case 5:
        live.push_back(a.flip({0}).sin());
        break;
      default:
        live.erase(live.begin() + random.whole(2, static_cast<int64_t>(live.size()) - 1));
    }
    if (live.size() < 3) live.push_back(x + w);
    for (const Tensor& t : live) {
      if (chance.whole(0, 3) == 0 && reads) t.to_vector<float>();
    }
    if (chance.whole(0, 5) == 0 && reads) (a * b).to_vector<float>();
  }
  const Tensor loss = (live.back() * live[live.size() / 2]).mean();
  if (reads && chance.whole(0, 1) == 0) loss.item<float>();
  loss.backward();
  Outcome out{live.back().to_vector<double>(), {}};
  for (const Tensor& leaf : {x, w}) {
    const auto slopes = (leaf.has_grad() ? leaf.grad() : leaf * 0).to_vector<double>();
    out.slopes.insert(out.slopes.end(), slopes.begin(), slopes.end());
  }
  return out;
}
TEST(ReadPrograms, HaveTheSlopesOfProgramsThatReadNothing) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const Outcome read = outcome(seed * 7919, true), plain = outcome(seed * 7919, false);
    const auto near = [&](const std::vector<double>& a, const std::vector<double>& b) {
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << "seed " << seed;
    };
    near(read.value, plain.value);
    near(read.slopes, plain.slopes);
    if (HasFatalFailure()) return;
  }
}

TEST(ReadThreads, ReadAndDifferentiateOneValue) {
  const Tensor w{1.f, 2.f};
  const Tensor h = w * w;
  std::vector<std::vector<double>> values(8), slopes(8);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < values.size(); ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i) {
          values[t] = h.to_vector<double>();
          (h * i).to_vector<float>();
          slopes[t] = (h * w).sum().gradient({w})[0].to_vector<double>();
        }
      });
    }
  }
  for (size_t t = 0; t < values.size(); ++t) {
    EXPECT_EQ(values[t], (std::vector<double>{1, 4}));
    EXPECT_EQ(slopes[t], (std::vector<double>{3, 12}));
  }
}

}  // namespace
}  // namespace tg
