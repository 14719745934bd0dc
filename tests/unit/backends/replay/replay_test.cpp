// Captured functions on devices that replay a whole sequence: the values of every call are those of
// the uncaptured function, and a replay costs as many calls of the driver as there are sequences,
// however many kernels these have.
#include <gtest/gtest.h>
#include <tg/counters.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <set>

#include "engine/plan.h"
#include "fake_devices.h"
#include "support/options.h"
#include "tg/log.h"

namespace tg::testing {
namespace {

class CapturedReplay : public ::testing::TestWithParam<const char*> {
 protected:
  CapturedReplay() : scope_(with_device()) {}
  void SetUp() override {
    device(GetParam());  // opened, which counts calls too
    forget();
  }
  void TearDown() override {
    EXPECT_EQ(fake_metal().problems, std::vector<std::string>());
    clear_caches();
    static_cast<Interpreted&>(device(GetParam())).forget();
  }

  static bool is_cuda() { return std::string(GetParam()) == "FAKE_CUDA"; }
  static void forget() {
    fake_cuda().calls.clear();
    fake_metal().messages.clear();
  }
  // Sequences that the driver was given to run.
  static int sequences() {
    return is_cuda() ? fake_cuda().calls["cuGraphLaunch"]
                     : fake_metal().messages["useResources:count:usage:"];
  }
  static int single_launches() {
    return is_cuda() ? fake_cuda().calls["cuLaunchKernel"]
                     : fake_metal().messages["setBytes:length:atIndex:"];
  }
  // Kernels whose arguments were written again.
  static int rewritten() {
    return is_cuda() ? fake_cuda().calls["cuGraphExecKernelNodeSetParams"]
                     : fake_metal().messages["indirectComputeCommandAtIndex:"];
  }
  static int waits() {
    return is_cuda() ? fake_cuda().calls["cuStreamSynchronize"]
                     : fake_metal().messages["waitUntilCompleted"];
  }

 private:
  static Options with_device() {
    add_fake_devices();
    Options o = options();
    o.device = GetParam();
    o.cache_dir.clear();
    return o;
  }
  const OptionsScope scope_;
};

std::vector<float> numbers(int64_t count, int seed) {
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<float>((i * 7 + seed * 13) % 11 - 5) / 8);
  return out;
}

Tensor matrix(int64_t rows, int64_t columns, int seed) {
  return Tensor(numbers(rows * columns, seed)).reshape({rows, columns});
}

struct Net {
  nn::Linear first{6, 16}, second{16, 4};
  Tensor operator()(const Tensor& x) const { return second(first(x).relu()); }
  template <typename F>
  void visit(F&& f) {
    f("first", first), f("second", second);
  }
};

struct Trained {
  std::vector<float> losses, weights;
};

Trained train(bool captured, int steps) {
  manual_seed(5);
  Net net;
  nn::Adam adam(net, {.lr = 0.02});
  const TrainingScope training;
  const auto body = [&](const Tensor& x, const Tensor& y) {
    const Tensor loss = net(x).cross_entropy(y);
    adam.step(loss);
    return loss;
  };
  TinyJit step(body);
  Trained out;
  for (int i = 0; i < steps; ++i) {
    const Tensor x = matrix(5, 6, i).realize(), y(std::vector<int32_t>{0, 1, 2, 3, i % 4});
    out.losses.push_back((captured ? step(x, y) : body(x, y)).item<float>());
  }
  out.weights = net.first.weight.to_vector<float>();
  return out;
}

TEST_P(CapturedReplay, OfATrainingStepIsTheUncapturedOne) {
  const Trained plain = train(false, 6), captured = train(true, 6);
  EXPECT_EQ(plain.losses, captured.losses);
  EXPECT_EQ(plain.weights, captured.weights);
  EXPECT_EQ(std::set<float>(captured.losses.begin(), captured.losses.end()).size(), 6u);
  EXPECT_GT(sequences(), 0);
}

TEST_P(CapturedReplay, IsOneSequenceOfTheDriver) {
  TinyJit f([](const Tensor& x, const Tensor& w) {
    Tensor y = x;
    for (int i = 0; i < 6; ++i) y = y.matmul(w).tanh();
    return y;
  });
  const Tensor w = matrix(8, 8, 1).realize();
  std::vector<Tensor> x;
  for (int i = 0; i < 6; ++i) x.push_back(matrix(4, 8, i).realize());
  for (int i = 0; i < 3; ++i) f(x[static_cast<size_t>(i)], w);
  ASSERT_GE(f.stats().launches, 6);
  for (int i = 3; i < 6; ++i) {
    forget();
    GlobalCounters::reset();
    f(x[static_cast<size_t>(i)], w);
    EXPECT_EQ(sequences(), 1);
    EXPECT_EQ(single_launches(), 0);
    EXPECT_LE(rewritten(), 2) << "the first kernel takes the argument, the last the result";
    EXPECT_EQ(GlobalCounters::read().kernels, f.stats().kernels);
    EXPECT_EQ(GlobalCounters::read().launches, f.stats().launches);
  }
}

TEST_P(CapturedReplay, HasTheValuesOfEachCall) {
  const auto body = [](const Tensor& x) {
    const Tensor y = (x * 3 + 1).contiguous();
    return y.matmul(y.transpose(0, 1)).sum({.axis = {0}});
  };
  TinyJit f(body);
  std::vector<std::vector<float>> got, want;
  std::vector<Tensor> results;
  for (int i = 0; i < 8; ++i) {
    const Tensor x = matrix(5, 7, i % 3).realize();
    want.push_back(body(x).to_vector<float>());
    results.push_back(f(x));  // read at the end: none may overwrite another
  }
  for (const Tensor& r : results) got.push_back(r.to_vector<float>());
  EXPECT_EQ(got, want);
}

TEST_P(CapturedReplay, TakesKernelsOfPhasesApart) {
  constexpr int64_t kCount = 1 << 17;
  const auto body = [](const Tensor& x) {
    return ((x * 2).contiguous().sum() + 1).contiguous() * 3;
  };
  TinyJit f(body);
  std::vector<Tensor> x, want;
  for (int i = 0; i < 4; ++i) {
    x.push_back(Tensor(numbers(kCount, i)).realize());
    want.push_back(body(x.back()).realize());
  }
  f(x[0]), f(x[1]), f(x[2]);
  forget();
  const Tensor got = f(x[3]);
  EXPECT_EQ(sequences(), 1);
  EXPECT_EQ(single_launches(), 0);
  EXPECT_LE(waits(), is_cuda() ? 0 : 1);
  EXPECT_EQ(got.item<float>(), want[3].item<float>());
}

TEST_P(CapturedReplay, TakesSizesThatChange) {
  const auto body = [](const Tensor& x, const SymInt& n) {
    return (x[{0, Slice(0, n)}] * 2).contiguous().sum().exp();
  };
  TinyJit f(body);
  const Variable n("n", 1, 16);
  const Tensor all = matrix(1, 16, 4).realize();
  for (int64_t size : {16, 4, 9, 9, 1, 16}) {
    const Tensor part = all.shrink({{0, 1}, {0, size}}).contiguous().realize();
    EXPECT_EQ(f(all, n.bind(size)).item<float>(), (part * 2).contiguous().sum().exp().item<float>())
        << size;
  }
}

TEST_P(CapturedReplay, IsCutWhereValuesGoToAnotherDevice) {
  const auto body = [](const Tensor& x) {
    const Tensor here = (x * 2).contiguous().exp().contiguous();
    const Tensor there = (here.to("INTERP") + 1).contiguous();
    return (there.to(GetParam()) * x).contiguous().sqrt();
  };
  TinyJit f(body);
  for (int i = 0; i < 5; ++i) {
    const Tensor x = (matrix(4, 4, i).square() + 1).realize();
    const std::vector<float> want = body(x).to_vector<float>();
    EXPECT_EQ(f(x).to_vector<float>(), want) << i;
  }
}

TEST_P(CapturedReplay, ShownKernelByKernelIsLaunchedSo) {
  TinyJit f([](const Tensor& x) { return ((x * 2).contiguous().exp().contiguous() + 1).sum(); });
  const Tensor x = matrix(4, 4, 1).realize();
  for (int i = 0; i < 3; ++i) f(x);
  forget();
  Options o = options();
  o.debug = 2;
  const OptionsScope verbose(o);
  std::vector<std::string> lines;
  const LogSink before = set_log_sink([&](std::string_view line) { lines.emplace_back(line); });
  f(x);
  set_log_sink(before);
  EXPECT_EQ(sequences(), 0);
  EXPECT_EQ(std::ssize(lines), f.stats().kernels);
}

TEST_P(CapturedReplay, LeavesNothingWhenTheFunctionGoes) {
  fake_cuda().graphs.clear();
  {
    TinyJit f([](const Tensor& x) { return ((x * 2).contiguous().exp().contiguous() + 1).sum(); });
    for (int i = 0; i < 4; ++i) f(matrix(4, 4, i).realize());
    if (is_cuda()) {
      EXPECT_EQ(fake_cuda().graph_execs.size(), 1u);
    }
  }
  EXPECT_TRUE(fake_cuda().graph_execs.empty());
  EXPECT_TRUE(fake_cuda().graphs.empty());
}

INSTANTIATE_TEST_SUITE_P(All, CapturedReplay, ::testing::Values("FAKE_CUDA", "FAKE_METAL"),
                         [](const auto& info) { return std::string(info.param).substr(5); });

}  // namespace
}  // namespace tg::testing
