// Work that is stopped from outside: wherever that happens, every tensor is as it was, and the same
// work can be asked for again.
#include <gtest/gtest.h>
#include <tg/interrupt.h>
#include <tg/tg.h>

#include <atomic>
#include <functional>
#include <thread>

#include "engine/plan.h"
#include "support/options.h"

namespace tg {
namespace {

// Stops the work when it is asked for the n-th time. Every check asks, because it is always new.
class StopAt {
 public:
  explicit StopAt(int n) : left_(n) { install(); }
  ~StopAt() { set_interrupt_hook({}); }
  StopAt(const StopAt&) = delete;
  StopAt& operator=(const StopAt&) = delete;

 private:
  void install() {
    set_interrupt_hook([this] {
      install();
      return --left_ == 0;
    });
  }
  std::atomic<int> left_;
};

class Interrupts : public testing::TestWithParam<const char*> {
 protected:
  Interrupts() : options_(on(GetParam())), scope_(options_) {}
  static Options on(const char* device) {
    Options o = options();
    o.device = device;
    o.threads = 1;
    return o;
  }
  // Does the work, stopped at each place where it can be, and begun again after; the number of
  // them.
  static int stop_everywhere(const std::function<void()>& prepare,
                             const std::function<void()>& work,
                             const std::function<void()>& verify) {
    for (int n = 1;; ++n) {
      clear_caches();
      prepare();
      bool stopped = false;
      try {
        const StopAt stop(n);
        work();
      } catch (const CancelledError&) {
        stopped = true;
      }
      if (stopped) work();
      verify();
      if (!stopped) return n - 1;
    }
  }

 private:
  Options options_;
  OptionsScope scope_;
};

TEST_P(Interrupts, LeaveChainsOfKernelsToBeDoneAgain) {
  Tensor x{1, 2, 3}, y;
  const auto prepare = [&] {
    y = x;
    for (int i = 0; i < 4; ++i) y = (y + y.sum({.keepdim = true})).contiguous();
  };
  const int places = stop_everywhere(
      prepare, [&] { y.realize(); },
      [&] { EXPECT_EQ(y.to_vector<int32_t>(), (std::vector<int32_t>{511, 512, 513})); });
  EXPECT_GE(places, 4);
}

TEST_P(Interrupts, DoNothingTwiceInPlace) {
  Tensor x, y, sum;
  const auto prepare = [&] {
    x = Tensor{1, 2}.realize();
    y = Tensor{10, 20}.realize();
    sum = (x * y).sum().contiguous();
    x.assign(x + sum);
    y.assign(y + x.sum().contiguous());
  };
  const int places = stop_everywhere(
      prepare, [&] { Tensor::realize({x, y, sum}); },
      [&] {
        EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{51, 52}));
        EXPECT_EQ(y.to_vector<int32_t>(), (std::vector<int32_t>{113, 123}));
        EXPECT_EQ(sum.item<int32_t>(), 50);
      });
  EXPECT_GE(places, 3);
}

// A step that was stopped is still to be computed: reading the weights computes it.
TEST_P(Interrupts, LeaveStepsOfTrainingWhole) {
  const Tensor x = Tensor::linspace(-1, 1, 12).reshape({4, 3}).realize();
  int stopped = 0;
  const auto train = [&](int stop_at) {
    manual_seed(5);
    nn::Linear layer(3, 2);
    nn::SGD sgd(nn::parameters(layer), {.lr = 0.1, .momentum = 0.9});
    for (int step = 0; step < 3; ++step) {
      sgd.zero_grad();
      layer(x).square().sum().backward();
      try {
        const StopAt stop(stop_at);
        sgd.step();
      } catch (const CancelledError&) {
        ++stopped;
      }
    }
    return layer.weight.to_vector<float>();
  };
  const std::vector<float> expected = train(-1);
  EXPECT_EQ(stopped, 0);
  for (int stop_at = 1; stop_at < 4; ++stop_at) {
    const std::vector<float> weights = train(stop_at);
    for (size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(weights[i], expected[i], 1e-5);
  }
  EXPECT_GE(stopped, 3);
}

TEST_P(Interrupts, StopOnlyTheThreadThatWantsIt) {
  for (int round = 0; round < 5; ++round) {
    clear_caches();
    const std::thread::id impatient = std::this_thread::get_id();
    set_interrupt_hook([impatient] { return std::this_thread::get_id() == impatient; });
    const auto work = [] {
      Tensor y{1, 2, 3};
      for (int i = 0; i < 6; ++i) y = (y + y.sum({.keepdim = true})).contiguous();
      return y.to_vector<int32_t>();
    };
    std::vector<int32_t> result;
    const Options here = options();
    std::thread other([&] {
      const OptionsScope scope(here);
      result = work();
    });
    EXPECT_THROW(work(), CancelledError);
    other.join();
    set_interrupt_hook({});
    EXPECT_EQ(result, work());
  }
}

TEST_P(Interrupts, RefuseToCompileInsideTheHook) {
  std::string message;
  set_interrupt_hook([&] {
    try {
      Tensor({5, 6}).sum().realize();
    } catch (const ArgumentError& error) {
      message = error.what();
    }
    return false;
  });
  clear_caches();
  EXPECT_EQ((Tensor{1, 2} + 1).to_vector<int32_t>(), (std::vector<int32_t>{2, 3}));
  set_interrupt_hook({});
  EXPECT_NE(message.find("an interrupt hook asks for a computation"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(On, Interrupts, testing::Values("INTERP", "CPU"), [](const auto& info) {
  return info.param == std::string("CPU") ? "Cpu" : "Interp";
});

}  // namespace
}  // namespace tg
