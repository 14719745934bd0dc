// Eight threads that build, compile and run at once, under ThreadSanitizer too: graphs of their
// own, one and the same graph, one lazy tensor, captured steps, training, random numbers, and
// caches that are emptied meanwhile.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/nn.h>
#include <tg/tg.h>

#include <functional>
#include <latch>
#include <set>
#include <thread>

#include "engine/plan.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

constexpr int kThreads = 8;

// Runs `f` in all threads, which start together.
void in_threads(const std::function<void(int thread)>& f) {
  std::latch start(kThreads);
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      f(t);
    });
  }
}

TEST(EightThreads, RunGraphsOfTheirOwn) {
  Doubles got(kThreads), want(kThreads);
  in_threads([&](int t) {
    const auto k = static_cast<size_t>(t);
    for (int i = 1; i <= 6; ++i) {
      const int64_t n = 3 + t * 6 + i;
      const Tensor x = Tensor::arange(static_cast<double>(n)).cast(DType::Float32).contiguous();
      got[k] += (x * i + t).reshape({n, 1}).matmul(x.reshape({1, n})).sum().item<double>();
      const double sum = static_cast<double>(n * (n - 1)) / 2;
      want[k] += (sum * i + static_cast<double>(n * t)) * sum;
    }
  });
  EXPECT_EQ(got, want);
}

TEST(EightThreads, RunOneGraph) {
  std::vector<Doubles> got(kThreads);
  in_threads([&](int t) {
    for (int i = 0; i < 10; ++i) {
      const Tensor x(std::vector<float>{1, 2, 3, static_cast<float>(i)});
      got[static_cast<size_t>(t)] = ((x + 0.5).exp2() * x).softmax().to_vector<double>();
    }
  });
  for (const Doubles& g : got) EXPECT_EQ(g, got[0]);
}

TEST(EightThreads, ComputeOneLazyTensor) {
  for (int i = 0; i < 10; ++i) {
    const Tensor x = Tensor(std::vector<float>{1, 2, static_cast<float>(i)}).sin();
    const Tensor y = (x * x).contiguous() + 1;
    std::vector<Doubles> got(kThreads);
    in_threads([&](int t) {
      got[static_cast<size_t>(t)] =
          t % 2 == 0 ? y.to_vector<double>() : (y * 1).to_vector<double>();
    });
    for (const Doubles& g : got) EXPECT_EQ(g, got[0]);
  }
}

TEST(EightThreads, AssignToTheirOwnAndReadWhatIsShared) {
  const Tensor shared = Tensor(std::vector<float>{1, 2, 3}).realize();
  std::vector<Doubles> got(kThreads);
  in_threads([&](int t) {
    const Tensor mine = Tensor::zeros({3});
    for (int i = 0; i < 10; ++i) {
      mine += shared * t;
      mine[Slice(0, 1)].assign(mine[Slice(0, 1)] + 1);
    }
    got[static_cast<size_t>(t)] = mine.to_vector<double>();
  });
  for (int t = 0; t < kThreads; ++t)
    EXPECT_EQ(got[static_cast<size_t>(t)], (Doubles{10.0 * t + 10, 20.0 * t, 30.0 * t}));
}

TEST(EightThreads, TrainNetsThatComeOutEqual) {
  std::vector<std::vector<float>> got(kThreads);
  in_threads([&](int t) {
    const Tensor w = Tensor(std::vector<float>{0.5F, -0.25F, 1, 2, -1, 0.125F}, {3, 2});
    const Tensor x(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
    TinyJit step([&](const Tensor& v) {
      const Tensor loss = (v.matmul(w).tanh() - 0.5).square().mean();
      w.assign(w - loss.gradient({w})[0] * 0.05);
      return loss;
    });
    for (int i = 0; i < 6; ++i) step(x);
    got[static_cast<size_t>(t)] = w.to_vector<float>();
  });
  for (const auto& g : got) EXPECT_EQ(g, got[0]);
  EXPECT_NE(got[0][0], 0.5F);
}

// What another thread assigned before a call, in order, is there in the call.
TEST(Threads, CallCapturedFunctionsOverStateThatOthersAssignTo) {
  const Tensor w = Tensor::zeros({2}), unused = Tensor::zeros({2});
  TinyJit f([&](const Tensor& x) { return x + w; });
  for (int i = 0; i < 6; ++i) {
    w.assign(Tensor::full({2}, static_cast<double>(i)));
    unused.assign(unused + 1);
    Doubles got;
    std::thread([&] { got = f(Tensor(std::vector<float>{1, 2})).to_vector<double>(); }).join();
    EXPECT_EQ(got, (Doubles{1.0 + i, 2.0 + i}));
  }
  EXPECT_TRUE(f.stats().captured);
  expect_values(unused, {2}, {6, 6});
}

TEST(EightThreads, AddUpTheGradientsOfOneParameter) {
  const Tensor w = Tensor(std::vector<float>{1, 2}).is_param_();
  in_threads([&](int t) {
    for (int i = 1; i <= 10; ++i) {
      (w * (t + i)).sum().backward();
      EXPECT_TRUE(w.is_param() && w.has_grad());
    }
  });
  const double sum = 10.0 * kThreads * (kThreads - 1) / 2 + 55.0 * kThreads;
  expect_values(w.grad(), {2}, {sum, sum});
}

TEST(EightThreads, ReadANumberWhileOneMakesItAVariable) {
  for (int i = 0; i < 10; ++i) {
    const Tensor two = 2;
    std::vector<DType> got(kThreads);
    in_threads([&](int t) {
      if (t == 0) two.assign(Tensor(3));
      got[static_cast<size_t>(t)] = (Tensor::ones({1}, DType::Float16) * two).dtype();
    });
    for (const DType d : got) EXPECT_EQ(d, DType::Float16);
  }
}

TEST(EightThreads, DrawDifferentRandomNumbers) {
  std::vector<std::vector<double>> got(kThreads);
  in_threads([&](int t) {
    for (int i = 0; i < 5; ++i) {
      const Doubles drawn = Tensor::rand({16}).to_vector<double>();
      got[static_cast<size_t>(t)].insert(got[static_cast<size_t>(t)].end(), drawn.begin(),
                                         drawn.end());
    }
  });
  std::set<double> all;
  for (const auto& g : got) all.insert(g.begin(), g.end());
  EXPECT_GE(all.size(), 630u) << "of 640 draws from 2^24 numbers";
}

TEST(EightThreads, AreNotDisturbedByClearedCaches) {
  Doubles got(kThreads);
  in_threads([&](int t) {
    for (int i = 0; i < 8; ++i) {
      if (t == 0) {
        clear_caches();
        continue;
      }
      const Tensor x = Tensor::full({8}, static_cast<double>(i));
      got[static_cast<size_t>(t)] += (x * 2).sum().item<double>();
    }
  });
  for (size_t t = 1; t < kThreads; ++t) EXPECT_EQ(got[t], 16.0 * 28);
}

}  // namespace
}  // namespace tg
