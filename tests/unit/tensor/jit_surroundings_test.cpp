// What a captured function shares with its surroundings: tensors that it keeps, state that several
// functions use, captures inside captures, and threads.
#include <gtest/gtest.h>
#include <tg/jit.h>

#include <thread>

#include "runtime/device.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(JitSurroundings, ATensorThatTheFunctionKeepsHasTheNumbersOfTheLastCall) {
  std::optional<Tensor> kept;
  TinyJit f([&](const Tensor& x) {
    const Tensor inner = (x * 3).realize();
    kept = inner;
    return inner + 1;
  });
  for (float v = 0; v < 5; ++v) {
    expect_values(f(vec({v})), {1}, {3 * v + 1});
    expect_values(*kept, {1}, {3 * v});
  }
}
TEST(JitSurroundings, WhatOnlyTheFunctionSeesLiesInTheArenaAndWhatOthersSeeDoesNot) {
  constexpr int64_t kRows = 16;
  const auto arena_of = [](bool keep) {
    std::vector<Tensor> kept;
    TinyJit f([&](const Tensor& x) {
      const Tensor inner = x.exp().contiguous().realize();
      if (keep) kept = {inner};
      return inner.matmul(inner).contiguous().sum();
    });
    const Tensor x = Tensor::zeros({kRows, kRows}).realize();
    for (int i = 0; i < 3; ++i) f(x);
    return f.stats().arena_bytes;
  };
  EXPECT_EQ(arena_of(false) - arena_of(true), kRows * kRows * 4);
}
// A value that was read hangs on the graph that made it, and the call builds the same graph.
TEST(JitSurroundings, WhatWasReadBeforeTheRecordedCallIsPartOfIt) {
  const Tensor w = vec({1, 2});
  TinyJit whole([&](const Tensor& x) { return (x * w).relu(); });
  TinyJit part([&](const Tensor& x) { return (x * w).relu().sum(); });
  TinyJit gradient([&](const Tensor& x) { return (x * w).square().sum().gradient({w})[0]; });
  for (float v = 0; v < 5; ++v) {
    const Tensor x = vec({v, 1});
    const Tensor read = (x * w).relu(), squares = (x * w).square().sum();
    expect_values(read, {2}, {v, 2});
    expect_values(squares, {}, {v * v + 4});
    expect_values(whole(x), {2}, {v, 2});
    expect_values(part(x), {}, {v + 2});
    expect_values(gradient(x), {2}, {2 * v * v, 4});
    expect_values(read, {2}, {v, 2});
  }
}
TEST(JitSurroundings, TwoFunctionsShareState) {
  const Tensor total = vec({0});
  TinyJit add([&](const Tensor& x) { total.assign(total + x); });
  TinyJit twice([&](const Tensor& x) {
    total.assign(total * 2);
    return total + x;
  });
  double want = 0;
  for (float v = 1; v < 6; ++v) {
    add(vec({v}));
    want = (want + v) * 2;
    expect_values(twice(vec({1})), {1}, {want + 1});
    expect_values(total, {1}, {want});
  }
}
TEST(JitSurroundings, AFunctionCapturedBeforeIsPartOfAnother) {
  TinyJit inner([](const Tensor& x) { return x + 1; });
  for (float v = 0; v < 3; ++v) expect_values(inner(vec({v})), {1}, {v + 1});
  TinyJit outer([&](const Tensor& x) { return inner(x * 2) * 10; });
  for (float v = 0; v < 5; ++v) expect_values(outer(vec({v})), {1}, {(2 * v + 1) * 10});
  EXPECT_TRUE(outer.stats().captured);
  expect_values(inner(vec({7})), {1}, {8});
}
TEST(JitSurroundings, AssignmentsBetweenCallsAreSeen) {
  const Tensor w = vec({1, 2});
  TinyJit f([&](const Tensor& x) { return x * w; });
  for (float v = 1; v < 6; ++v) {
    expect_values(f(vec({10, 10})), {2}, {10 * v, 20 * v});
    w.assign(vec({v + 1, 2 * (v + 1)}));
  }
}
TEST(JitSurroundings, SlicesOfStateThatAreAssignedBetweenCallsAreSeen) {
  const Tensor w = vec({1, 2, 3});
  TinyJit f([&](const Tensor& x) { return x + w; });
  for (float v = 1; v < 6; ++v) {
    expect_values(f(vec({0, 0, 0})), {3}, {1, v == 1 ? 2.0 : v * 10.0, 3});
    w[Slice(1, 2)].assign(vec({(v + 1) * 10}));
  }
}
TEST(JitSurroundings, ResultsAreArgumentsOfTheNextCall) {
  TinyJit f([](const Tensor& x) { return x * 2; });
  Tensor x = vec({1});
  for (int i = 0; i < 8; ++i) x = f(x);
  expect_values(x, {1}, {256});
}
TEST(JitSurroundings, AliasedResultsCannotBeTheArgumentOfTheNextCallUnseen) {
  TinyJit f([](const Tensor& x) { return x * 2; }, {.alias_outputs = true});
  Tensor x = vec({1});
  double want = 1;
  for (int i = 0; i < 6; ++i) {
    Tensor y;
    const std::string error = error_of<ArgumentError>([&] { y = f(x); });
    if (error != "no error") {
      EXPECT_EQ(error,
                "TinyJit: argument 0 shares storage with a tensor that the function uses otherwise "
                "and one of them is assigned to. Hint: pass clone().");
      y = f(x + 0);
    }
    x = y;
    want *= 2;
  }
  expect_values(x, {1}, {want});
}
TEST(JitSurroundings, EachThreadCapturesItsOwn) {
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      TinyJit f([&](const Tensor& x) { return (x + static_cast<double>(t)).sum(); });
      for (float v = 0; v < 6; ++v) sums[t] += f(vec({v, v})).item<double>();
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], 30.0 + 12.0 * static_cast<double>(t));
}
TEST(JitSurroundings, AnErrorInTheFirstCallLeavesItTheFirst) {
  int runs = 0;
  TinyJit f([&](const Tensor& x) {
    if (++runs == 1) throw std::runtime_error("interrupted");
    return x * 2;
  });
  EXPECT_THROW(f(vec({1})), std::runtime_error);
  for (float v = 0; v < 4; ++v) expect_values(f(vec({v})), {1}, {2 * v});
  EXPECT_EQ(runs, 3);
}
TEST(JitSurroundings, TheArenaIsFreedWithTheObject) {
  Allocator& memory = device(default_device()).allocator();
  const Tensor x = Tensor::ones({24, 24}).realize();
  const auto work = [&](bool reset) {
    const int64_t before = memory.bytes_in_use();
    TinyJit f([](const Tensor& v) { return v.exp().matmul(v).contiguous().matmul(v).sum(); });
    for (int i = 0; i < 3; ++i) f(x);
    EXPECT_GE(memory.bytes_in_use() - before, f.stats().arena_bytes);
    EXPECT_GT(f.stats().arena_bytes, 0);
    if (reset) {
      f.reset();
      EXPECT_EQ(memory.bytes_in_use(), before);
    }
  };
  const int64_t before = memory.bytes_in_use();
  work(false);
  EXPECT_EQ(memory.bytes_in_use(), before);
  work(true);
}

}  // namespace
}  // namespace tg
