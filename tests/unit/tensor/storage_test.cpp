// Realising, assigning in place, views and copies of storage, values that were lost.
#include <thread>

#include "engine/counters.h"
#include "tg/ir/node.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(Realize, KeepsTheValue) {
  const Tensor y = Tensor{1.f, 2.f} * 3;
  EXPECT_FALSE(y.is_realized());
  EXPECT_TRUE(y.realize().is_realized());
  expect_values(y, {2}, {3, 6});
}
TEST(Realize, ReachesExpressionsThatContainTheValue) {
  const Tensor x = Tensor{1.f, 2.f} * 3, y = x + 1;
  x.realize();
  expect_values(y, {2}, {4, 7});
}
TEST(Realize, ComputesSeveralTogether) {
  const Tensor x = Tensor{1.f} * 2, y = x + 1, z = x * 5;
  Tensor::realize({y, z});
  EXPECT_TRUE(y.is_realized() && z.is_realized());
  expect_values(z, {1}, {10});
}
// Every pixel of the enlarged image stands in 36 products, whose rows and taps it divides together.
TEST(Realize, OfAConvolutionStoresAnEnlargedImage) {
  const Tensor x = Tensor::arange(2 * 4 * 6 * 6).reshape({2, 4, 6, 1, 6, 1}).cast(DType::Float32),
               w = (Tensor::arange(4 * 4 * 9) % 5 - 2).reshape({4, 4, 3, 3}).cast(DType::Float32);
  Tensor::realize({x, w});
  const auto large = [&] { return x.expand({2, 4, 6, 2, 6, 2}).reshape({2, 4, 12, 12}); };
  reset_counters();
  const Tensor y = large().conv2d(w, {.padding = {1}}).realize();
  EXPECT_EQ(counters().kernels, 2);
  reset_counters();
  x.squeeze(5).squeeze(3).conv2d(w, {.padding = {1}}).realize();
  EXPECT_EQ(counters().kernels, 1) << "nothing hides what is walked by ranges";
  EXPECT_EQ(y.to_vector<float>(),
            large().contiguous().realize().conv2d(w, {.padding = {1}}).to_vector<float>());
}
TEST(Realize, RunsAssignmentsBelowAValueThatDoesNotDependOnThem) {
  const Tensor x = Tensor{1, 2}.realize(), y = Tensor{3, 4}.realize();
  x.assign(y + 1);
  expect_values(x * 0 + 1, {2}, {1, 1});
  expect_values(x, {2}, {4, 5});
  x.assign(y * 2);
  y.assign(x + y);
  y.assign(Tensor{0, 0} + 7);
  expect_values(y, {2}, {7, 7});
  expect_values(x, {2}, {6, 8});
}
TEST(Realize, OfAConstantLeavesIt) { EXPECT_FALSE(Tensor(1).realize().is_realized()); }
TEST(Realize, OfWhatIsSimplyAnotherValueIsACopy) {
  const Tensor x{1.f, 2.f};
  const Tensor same = x * 1, also = x.reshape({1, 2}) + -0.0f;
  Tensor::realize({same, also});
  x.assign(Tensor{5.f, 6.f}).realize();
  expect_values(same, {2}, {1, 2});
  expect_values(also, {1, 2}, {1, 2});
}
TEST(Contiguous, HasTheSameValues) {
  expect_values(Tensor({{1, 2}, {3, 4}}).T().contiguous(), {2, 2}, {1, 3, 2, 4});
}

TEST(CopyOut, ConvertsAsACastOnTheDeviceDoes) {
  const std::vector<double> values = {0,   -0.0, 1,     -1,  0.1,  2.5,      -2.5,     255,
                                      256, -129, 65504, 1e9, 3e38, INFINITY, -INFINITY};
  for (const DType from : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    const Tensor x = Tensor(values).cast(from).realize();
    EXPECT_EQ(x.to_vector<float>(), x.cast(DType::Float32).to_vector<float>()) << dtype_name(from);
    EXPECT_EQ(x.to_vector<double>(), x.cast(DType::Float64).to_vector<double>());
    EXPECT_EQ(x.to_vector<bool>(), x.cast(DType::Bool).to_vector<bool>()) << dtype_name(from);
  }
  for (const DType from : {DType::Int8, DType::UInt8, DType::Int32, DType::UInt64, DType::Bool}) {
    const Tensor x = Tensor(std::vector<int64_t>{0, 1, -1, 127, 200, -300, 1 << 30}).cast(from);
    x.realize();
    EXPECT_EQ(x.to_vector<int64_t>(), x.cast(DType::Int64).to_vector<int64_t>());
    EXPECT_EQ(x.to_vector<uint8_t>(), x.cast(DType::UInt8).to_vector<uint8_t>());
    EXPECT_EQ(x.to_vector<float>(), x.cast(DType::Float32).to_vector<float>()) << dtype_name(from);
  }
}
TEST(CopyOut, OfFewElementsNeedsNoKernelToConvert) {
  const Tensor x = Tensor(std::vector<float>(4096, 1.5f)).realize();
  reset_counters();
  EXPECT_EQ(x.to_vector<double>(), std::vector<double>(4096, 1.5));
  EXPECT_EQ(counters().kernels, 0);
  const Tensor large = Tensor(std::vector<float>(4097, 1.5f)).realize();
  reset_counters();
  EXPECT_EQ(large.to_vector<double>(), std::vector<double>(4097, 1.5));
  EXPECT_EQ(counters().kernels, 1);
}

TEST(Assign, ReplacesStoredValues) {
  const Tensor x = Tensor::zeros({2});
  x.assign(Tensor{1.f, 2.f});
  expect_values(x, {2}, {1, 2});
}
TEST(Assign, MayReadItsTarget) {
  const Tensor x = Tensor{1.f, 2.f};
  for (int i = 0; i < 3; ++i) x.assign(x * 2 + 1);
  expect_values(x, {2}, {15, 23});
}
TEST(Assign, Broadcasts) {
  const Tensor x = Tensor::zeros({2, 2});
  x.assign(Tensor{1.f, 2.f});
  expect_values(x, {2, 2}, {1, 2, 1, 2});
}
TEST(Assign, IsSeenByCopiesAndViews) {
  const Tensor x = Tensor{1.f, 2.f, 3.f}, copy = x, view = x[Slice(1)];
  x.assign(x * 10);
  expect_values(copy, {3}, {10, 20, 30});
  expect_values(view, {2}, {20, 30});
}
TEST(Assign, ThroughAViewWritesTheBase) {
  const Tensor x = Tensor::zeros({2, 3});
  x[{1, Slice(0, 2)}].assign(Tensor{5.f, 6.f});
  expect_values(x, {2, 3}, {0, 0, 0, 5, 6, 0});
}
TEST(Assign, ThroughStepsAndTransposesWritesTheBase) {
  const Tensor x = Tensor::zeros({4}).realize();
  x[Slice(1, {}, 2)].assign(7);
  expect_values(x, {4}, {0, 7, 0, 7});
  const Tensor m = Tensor::zeros({2, 2});
  m.T()[0].assign(Tensor{1.f, 2.f});
  expect_values(m, {2, 2}, {1, 0, 2, 0});
}
TEST(Assign, ToAnExpressionGivesItStorage) {
  const Tensor x = Tensor{1.f} + 1;
  x.assign(Tensor{9.f});
  expect_values(x, {1}, {9});
  EXPECT_TRUE(x.is_realized());
}
TEST(Assign, OldReadersComputedTogetherSeeTheOldValue) {
  const Tensor x = Tensor{1.f};
  const Tensor before = x * 10;
  x.assign(x + 1);
  Tensor::realize({before, x});
  expect_values(before, {1}, {10});
  expect_values(x, {1}, {2});
}
TEST(Assign, OldReadersComputedFirstSeeTheOldValue) {
  const Tensor x = Tensor{1.f};
  const Tensor before = x * 10;
  x.assign(x + 1);
  expect_values(before, {1}, {10});
  expect_values(x, {1}, {2});
}
TEST(Assign, SingleNumbersAreNotLost) {
  const Tensor w{1.f, 2.f};
  const Tensor loss = (w * w).sum();
  w.assign(w * 0).realize();
  EXPECT_EQ(loss.item<double>(), 5);
}
TEST(Assign, OldReadersKeepTheirValues) {
  const Tensor x = Tensor{1.f, 2.f};
  const Tensor before = x * 10, sum = before.sum();
  x.assign(x + 1).realize();
  x.assign(x + 1).realize();
  expect_values(before, {2}, {10, 20});
  expect_values(sum, {}, {30});
  expect_values(x, {2}, {3, 4});
}
TEST(Assign, ReadersOfAnOldReaderKeepTheirValues) {
  const Tensor x = Tensor{1.f, 2.f};
  Tensor after;
  {
    const Tensor before = x * 10;
    after = before + 1;
  }
  x.assign(x + 1).realize();
  expect_values(after, {2}, {11, 21});
}
TEST(Assign, RunsOnceHoweverManyReadIt) {
  const Tensor x = Tensor{1.f};
  x.assign(x + 1);
  const Tensor a = x * 10, b = x * 100;
  expect_values(a, {1}, {20});
  expect_values(b, {1}, {200});
  expect_values(x, {1}, {2});
}
TEST(Assign, AfterRealizingAnEarlierVersionGoesOn) {
  const Tensor x = Tensor{1.f};
  x.assign(x + 1);
  x.realize();
  x.assign(x + 1);
  x.assign(x * 2);
  expect_values(x, {1}, {6});
}
TEST(Assign, WaitingAssignmentsAreNotLost) {
  // As running statistics: the assignment reads the weight that another assignment replaces.
  const Tensor w{2.f}, statistic = Tensor::zeros({1});
  statistic.assign(statistic * 0.5f + w * 10);
  w.assign(w + 1);
  w.realize();
  expect_values(statistic, {1}, {20});
  expect_values(w, {1}, {3});
}
TEST(Assign, WaitingAssignmentsRescueEachOther) {
  const Tensor a{1.f}, b{10.f}, c{100.f};
  c.assign(c + b);
  b.assign(b + a);
  a.assign(a + 1);
  a.realize();
  expect_values(c, {1}, {110});
  expect_values(b, {1}, {11});
  expect_values(a, {1}, {2});
}
TEST(Assign, CopiesTheOldVersionWhereAKernelNeedsBoth) {
  const Tensor x{1.f, 2.f, 3.f}, y{10.f, 20.f, 30.f};
  const Tensor old = x * 1;
  x.assign(y);
  y.assign(old + x);
  expect_values(x, {3}, {10, 20, 30});
  expect_values(y, {3}, {11, 22, 33});
}
TEST(Assign, ExchangesTwoTensors) {
  const Tensor a{1.f, 2.f}, b{3.f, 4.f};
  const Tensor before = a + 0;
  a.assign(b);
  b.assign(before);
  expect_values(a, {2}, {3, 4});
  expect_values(b, {2}, {1, 2});
}
TEST(Assign, ReversesInPlace) {
  const Tensor x{1, 2, 3, 4, 5};
  x.assign(x.flip({0}));
  expect_values(x, {5}, {5, 4, 3, 2, 1});
  x.flip({0}).assign(x);
  expect_values(x, {5}, {1, 2, 3, 4, 5});
}
TEST(Assign, ShiftsWithinItself) {
  const Tensor x{1, 2, 3, 4, 5};
  x[Slice(1)].assign(x[Slice(0, 4)]);
  expect_values(x, {5}, {1, 1, 2, 3, 4});
}
TEST(Assign, StepsThatEndBeforeTheAxisDoesAreWindows) {
  const Tensor x{1, 2, 3, 4, 5}, odd = x[Slice({}, {}, 2)];
  odd.assign(0);
  expect_values(x, {5}, {0, 2, 0, 4, 0});
  x.assign(x + 1).realize();
  expect_values(odd, {3}, {1, 1, 1});
}
TEST(Assign, ThroughAViewOfAnExpressionWritesTheBase) {
  const Tensor x = Tensor{1.f, 2.f, 3.f} * 2, part = x[Slice(0, 2)];
  part.assign(0);
  expect_values(x, {3}, {0, 0, 6});
  expect_values(part, {2}, {0, 0});
}
TEST(Assign, ViewsOfAnExpressionFollowIt) {
  const Tensor x = Tensor{1.f, 2.f, 3.f} * 2, part = x[Slice(0, 2)];
  x += 1;
  x.realize();
  expect_values(part, {2}, {3, 5});
  x.assign(Tensor{7.f, 8.f, 9.f});
  expect_values(part, {2}, {7, 8});
}
TEST(Assign, EqualExpressionsAreNoAliases) {
  const Tensor x{1.f, 2.f}, a = x * 2, b = x * 2;
  Tensor::realize({a, b});
  a += 1;
  expect_values(a, {2}, {3, 5});
  expect_values(b, {2}, {2, 4});
  const Tensor c = x * 2, d = x * 2;
  Tensor::realize({c, d});
  c.assign(0).realize();
  expect_values(d, {2}, {2, 4});
}
TEST(Assign, PaddedAndRepeatedTensorsAreCopies) {
  const Tensor x{1.f, 2.f}, padded = x.pad({{1, 0}}), repeated = x.repeat({1});
  padded.realize();
  x.assign(0).realize();
  expect_values(padded, {3}, {0, 1, 2});
  expect_values(repeated, {2}, {1, 2});
}
TEST(Assign, AViewThatWasComputedAloneRefuses) {
  const Tensor x = Tensor{1.f, 2.f, 3.f} * 2, part = x[Slice(0, 2)];
  part.realize();
  EXPECT_EQ(
      error_of<ArgumentError>([&] { x.assign(0); }),
      "assign: a view of this value of shape [3] was computed on its own and can no longer show "
      "what is written. Hint: realize() the base tensor before its views.");
}
TEST(Realize, CopiesBetweenDevicesTakeExpressions) {
  const Tensor x = Tensor{1.f, 2.f} + 1;
  expect_values(x.to("INTERP") * 2, {2}, {4, 6});
}
TEST(Set, WritesAPart) {
  const Tensor x = Tensor::arange(4);
  x.set({Slice(1, 3)}, 9);
  expect_values(x, {4}, {0, 9, 9, 3});
  x.set({-1}, 5);
  expect_values(x, {4}, {0, 9, 9, 5});
}
TEST(Live, TensorsLeaveNothingBehind) {
  const auto work = [] {
    const Tensor w = Tensor::rand({3, 3}), x = Tensor::ones({2, 3});
    (x.matmul(w.is_param_()).relu().sum() * 2).backward();
    w.assign(w - w.grad() * 0.1);
    return w.sum().item<double>();
  };
  work();
  const InternerStats before = interner_stats();
  work();
  EXPECT_EQ(interner_stats().live_nodes, before.live_nodes);
  EXPECT_EQ(interner_stats().live_bytes, before.live_bytes);
}
TEST(Live, AMillionOperationsAreBuiltAndFreed) {
  Tensor::zeros({1}).realize();  // the plan of this graph stays in the engine's cache
  const int64_t before = interner_stats().live_nodes;
  {
    Tensor x = Tensor::zeros({1}).realize();
    for (int i = 0; i < 1000000; ++i) x = x + x;
    EXPECT_GE(interner_stats().live_nodes - before, 1000000);
  }
  EXPECT_EQ(interner_stats().live_nodes, before);
}
TEST(Threads, BuildAndRealizeSideBySide) {
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const Tensor x = Tensor::full({8}, static_cast<double>(t + 1));
        sums[t] += (x * 2).sum().item<double>();
      }
    });
  }
  for (auto& t : threads) t.join();
  for (size_t t = 0; t < sums.size(); ++t)
    EXPECT_EQ(sums[t], 20.0 * 16 * static_cast<double>(t + 1));
}

TEST(Storage, AClonesStorageIsItsOwn) {
  const Tensor x = Tensor{1.f, 2.f}.realize();
  const Tensor y = x.clone().realize();
  x.assign(Tensor{5.f, 6.f});
  expect_values(x, {2}, {5, 6});
  expect_values(y, {2}, {1, 2});
  const Tensor z = Tensor{3.f};
  expect_values(z.clone().square().sum().gradient({z})[0], {1}, {6});
}
TEST(Storage, ClonesKeepWhatTheirSourceLosesLater) {
  const Tensor x = Tensor{1.f, 2.f, 3.f, 4.f}.realize();
  const Tensor all = x.clone(), part = all[Slice(1, 3)];
  const Tensor head = x[Slice(0, 2)], tail = x[Slice(2, 4)];
  const Tensor old_head = head.clone(), old_tail = tail.clone();
  head.assign(old_tail).realize();
  tail.assign(old_head).realize();
  expect_values(x, {4}, {3, 4, 1, 2});
  expect_values(all, {4}, {1, 2, 3, 4});
  expect_values(part, {2}, {2, 3});
}

}  // namespace
}  // namespace tg
