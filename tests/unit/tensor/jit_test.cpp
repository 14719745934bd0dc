// TinyJit: captured calls give what uncaptured ones give, and every way in which a later call could
// differ from the recorded one is seen, updated or refused.
#include <gtest/gtest.h>
#include <tg/counters.h>
#include <tg/jit.h>

#include <string>

#include "engine/counters.h"
#include "engine/plan.h"
#include "runtime/device.h"
#include "support/log.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

// What is logged while it lives.
class LogCapture {
 public:
  LogCapture() : before_(set_log_sink([this](std::string_view line) { text += line; })) {}
  ~LogCapture() { set_log_sink(before_); }
  std::string text;

 private:
  LogSink before_;
};

// ---- values
TEST(Jit, ReplaysOnNewArguments) {
  TinyJit f([](const Tensor& x) { return (x * 2 + 1).realize(); });
  for (int i = 0; i < 5; ++i) {
    const float v = static_cast<float>(i);
    expect_values(f(vec({v, v + 1})), {2}, {2 * v + 1, 2 * v + 3});
  }
  EXPECT_TRUE(f.stats().captured);
  EXPECT_EQ(f.stats().launches, 1);
}
TEST(Jit, RunsTheFunctionTwice) {
  int runs = 0;
  TinyJit f([&](const Tensor& x) {
    ++runs;
    return x + 1;
  });
  for (int i = 0; i < 6; ++i) f(vec({1}));
  EXPECT_EQ(runs, 2);
}
TEST(Jit, SchedulesNothingWhenItReplays) {
  TinyJit f([](const Tensor& x) { return x.exp2().sum(); });
  f(vec({1, 2}));
  f(vec({1, 2}));
  reset_counters();
  const Tensor x = vec({3, 4});
  f(x);
  EXPECT_EQ(counters().scheduled, 0);
  EXPECT_EQ(counters().launches, f.stats().launches);
  EXPECT_EQ(counters().kernels, f.stats().kernels);
}
TEST(Jit, ResultsOfEarlierCallsStay) {
  TinyJit f([](const Tensor& x) { return x * 10; });
  std::vector<Tensor> results;
  for (float v = 0; v < 5; ++v) results.push_back(f(vec({v})));
  for (size_t i = 0; i < results.size(); ++i) {
    expect_values(results[i], {1}, {10.0 * static_cast<double>(i)});
  }
}
TEST(Jit, AliasedOutputsAreTheSameStorage) {
  TinyJit f([](const Tensor& x) { return x * 10; }, {.alias_outputs = true});
  f(vec({1}));
  f(vec({2}));
  const Tensor third = f(vec({3})), fourth = f(vec({4}));
  expect_values(third, {1}, {40});
  expect_values(fourth, {1}, {40});
}
TEST(Jit, ReturnsListsPairsAndNothing) {
  TinyJit list([](const Tensor& x) { return std::vector<Tensor>{x + 1, x * 2}; });
  TinyJit pair([](const Tensor& x) { return std::pair<Tensor, Tensor>(x - 1, x.sum()); });
  const Tensor state = Tensor::zeros({2}).realize();
  TinyJit nothing([&](const Tensor& x) { state.assign(state + x); });
  for (float v = 1; v < 5; ++v) {
    const auto l = list(vec({v, v}));
    expect_values(l[1], {2}, {2 * v, 2 * v});
    expect_values(pair(vec({v, v})).second, {}, {2 * v});
    nothing(vec({v, v}));
  }
  expect_values(state, {2}, {10, 10});
}
TEST(Jit, TakesListsOfTensors) {
  TinyJit f([](const std::vector<Tensor>& v) { return v[0] * v[1]; });
  for (float v = 1; v < 5; ++v) expect_values(f(std::vector{vec({v}), vec({3})}), {1}, {3 * v});
}
TEST(Jit, AResultMayBeAView) {
  TinyJit f([](const Tensor& x) { return (x + 1).realize()[Slice(1)].reshape({2, 1}); });
  for (float v = 1; v < 5; ++v) expect_values(f(vec({v, v, v + 1})), {2, 1}, {v + 1, v + 2});
}
TEST(Jit, AResultMayBeAnArgument) {
  TinyJit f([](const Tensor& x) { return std::vector<Tensor>{x, x + 1}; });
  for (float v = 1; v < 5; ++v) {
    const Tensor x = vec({v});
    const auto r = f(x);
    expect_values(r[0], {1}, {v});
    expect_values(r[1], {1}, {v + 1});
  }
}
TEST(Jit, AResultMayBeAConstant) {
  TinyJit f([](const Tensor& x) { return std::vector<Tensor>{Tensor(7), x + 1}; });
  for (float v = 1; v < 4; ++v) expect_values(f(vec({v}))[0], {}, {7});
}
TEST(Jit, AResultMayBeState) {
  const Tensor state = vec({1});
  TinyJit f([&](const Tensor& x) {
    state.assign(state * x);
    return state;
  });
  for (int i = 1; i < 6; ++i) expect_values(f(vec({2})), {1}, {std::pow(2.0, i)});
}
TEST(Jit, ResultsThatTheFunctionKeepsAreCopied) {
  std::optional<Tensor> kept;
  TinyJit f([&](const Tensor& x) {
    kept = x * 3;
    return *kept;
  });
  std::vector<Tensor> results;
  for (float v = 0; v < 5; ++v) results.push_back(f(vec({v})));
  for (size_t i = 0; i < results.size(); ++i) {
    expect_values(results[i], {1}, {3.0 * static_cast<double>(i)});
  }
}
TEST(Jit, SeveralRealizesAreOneCapture) {
  TinyJit f([](const Tensor& x) {
    const Tensor y = (x + 1).realize();
    const Tensor z = (y * 2).realize();
    return z - x;
  });
  for (float v = 1; v < 5; ++v) expect_values(f(vec({v})), {1}, {2 * (v + 1) - v});
  EXPECT_EQ(f.stats().launches, 3);
}

// ---- state
TEST(Jit, StateIsReadAndWritten) {
  const Tensor w = vec({1, 2});
  TinyJit f([&](const Tensor& x) {
    const Tensor y = (w * x).sum();
    w.assign(w + x);
    return y;
  });
  double a = 1, b = 2;
  for (int i = 1; i < 6; ++i) {
    expect_values(f(vec({1, 2})), {}, {a + 2 * b});
    a += 1, b += 2;
    expect_values(w, {2}, {a, b});
  }
}
TEST(Jit, AssignmentsBetweenCallsAreSeen) {
  const Tensor w = vec({1});
  TinyJit f([&](const Tensor& x) { return x * w; });
  for (float v = 1; v < 6; ++v) {
    w.assign(Tensor(v).reshape({1}));
    expect_values(f(vec({2})), {1}, {2 * v});
  }
}
TEST(Jit, AssignmentsThatWaitAtTheEndBelongToTheCall) {
  const Tensor seen = vec({0});
  TinyJit f([&](const Tensor& x) {
    seen.assign(seen + 1);
    return x + 1;
  });
  for (int i = 0; i < 5; ++i) f(vec({1}));
  expect_values(seen, {1}, {5});
}
TEST(Jit, StateMadeByTheFirstCallBecomesStorage) {
  std::optional<Tensor> total;
  TinyJit f([&](const Tensor& x) {
    if (!total) total = Tensor::zeros({1});
    total->assign(*total + x);
    return *total * 1;
  });
  for (float v = 1; v < 6; ++v) expect_values(f(vec({1})), {1}, {v});
}
TEST(Jit, AnArgumentMayBeWritten) {
  TinyJit f([](const Tensor& x) {
    x.assign(x + 1);
    return x * 10;
  });
  for (float v = 0; v < 5; ++v) {
    const Tensor x = vec({v}), view = x.reshape({1, 1});
    expect_values(f(x), {1}, {10 * (v + 1)});
    expect_values(x, {1}, {v + 1});
    expect_values(view, {1, 1}, {v + 1});
  }
}
TEST(Jit, ReadersOfWhatAReplayOverwritesKeepTheirValues) {
  const Tensor w = vec({1, 1});
  TinyJit f([&](const Tensor& x) { w.assign(w + x); });
  f(vec({1, 1}));
  f(vec({1, 1}));
  const Tensor late = w * 2;
  f(vec({1, 1}));
  f(vec({1, 1}));
  expect_values(late, {2}, {6, 6});
  expect_values(w, {2}, {5, 5});
}
TEST(Jit, ReadersFromBeforeTheRecordingKeepTheirValues) {
  const Tensor w = vec({1, 1});
  TinyJit f([&](const Tensor& x) { w.assign(w + x); });
  f(vec({1, 1}));
  const Tensor early = w * 2;
  for (int i = 0; i < 3; ++i) f(vec({1, 1}));
  expect_values(early, {2}, {4, 4});
  expect_values(w, {2}, {5, 5});
}
TEST(Jit, ReadersInsideAreOfTheirCall) {
  const Tensor w = vec({1, 2});
  TinyJit f([&](const Tensor& x) {
    const Tensor before = w * 10;
    w.assign(w + x).realize();
    return before + w;
  });
  for (float i = 0; i < 4; ++i) {
    expect_values(f(vec({1, 1})), {2}, {10 * (1 + i) + 2 + i, 10 * (2 + i) + 3 + i});
  }
}
TEST(Jit, RandomNumbersAreDrawnAgain) {
  TinyJit f([](const Tensor& x) { return x + Tensor::rand({3}); });
  manual_seed(5);
  std::vector<std::vector<double>> captured, plain;
  for (int i = 0; i < 5; ++i) captured.push_back(f(vec({0, 0, 0})).to_vector<double>());
  manual_seed(5);
  for (int i = 0; i < 5; ++i) {
    plain.push_back((vec({0, 0, 0}) + Tensor::rand({3})).to_vector<double>());
  }
  EXPECT_EQ(captured, plain);
  EXPECT_NE(captured[3], captured[4]);
}
TEST(Jit, DependentOnNothingThatChangesRunsOnce) {
  const Tensor w = vec({1, 2, 3, 4});
  TinyJit f([&](const Tensor& x) { return x + (w * 2).contiguous().realize().sum(); });
  for (float v = 1; v < 5; ++v) expect_values(f(vec({v})), {1}, {v + 20});
  EXPECT_GE(f.stats().launches_once, 1);
  w.assign(w + 1);
  expect_values(f(vec({1})), {1}, {29});
  expect_values(f(vec({2})), {1}, {30});
}

TEST(Jit, ResultsThatAreLargerThanTheirWeightsAreNotKept) {
  constexpr int64_t kSide = 512;  // 256 KiB of int8
  struct Use {
    int64_t memory, once;
  };
  const auto captured = [&](int layers, const std::function<Tensor(const Tensor&)>& made) {
    std::vector<Tensor> weights;
    double expected = 1;
    for (int i = 1; i <= layers; ++i) {
      weights.push_back(Tensor::full({kSide, kSide}, i).cast(DType::Int8).contiguous().realize());
      expected += i;
    }
    TinyJit f([&](const Tensor& x) {
      Tensor y = x;
      for (const Tensor& w : weights)
        y = (y + made(w).contiguous().realize()[{Slice(7, 8)}].abs()).realize();
      return y;
    });
    const Tensor x = Tensor::ones({1, kSide}).contiguous().realize();
    const auto before = GlobalCounters::read().memory_in_use;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(f(x).to_vector<double>()[5], expected);
    weights[0].assign(weights[0] * 2).realize();
    EXPECT_EQ(f(x).to_vector<double>()[5], expected + 1);
    const auto after = GlobalCounters::read().memory_in_use;
    return Use{static_cast<int64_t>(after) - static_cast<int64_t>(before), f.stats().launches_once};
  };
  const auto floats = [](const Tensor& w) { return w.cast(DType::Float32); };
  // Four as float32 are 4 MiB; in turn they share one.
  const Use several = captured(4, floats);
  EXPECT_EQ(several.once, 0);
  EXPECT_LT(several.memory, 3 << 20);
  // What is not larger is kept, as is a single one, which the arena would have to hold.
  EXPECT_EQ(captured(4, [](const Tensor& w) { return -w; }).once, 4);
  EXPECT_EQ(captured(1, floats).once, 1);
}

// ---- numbers
TEST(Jit, ATensorMadeOfANumberIsBoundAtEveryCall) {
  TinyJit f([](const Tensor& x, const Tensor& rate) { return x * rate; });
  for (float v = 1; v < 5; ++v) expect_values(f(vec({2}), Tensor(v / 2)), {1}, {v});
}
TEST(Jit, ANumberIsFrozen) {
  TinyJit f([](const Tensor& x, double rate) { return x * rate; });
  f(vec({1}), 0.5);
  f(vec({1}), 0.5);
  EXPECT_EQ(error_of<ArgumentError>([&] { f(vec({1}), 0.25); }),
            "TinyJit: number 0 was frozen at capture: 0.5, called with 0.25. Hint: pass a Tensor, "
            "which is bound at every call.");
}
TEST(Jit, NumbersThatDifferBetweenTheFirstCallsAreReported) {
  const LogCapture log;
  TinyJit f([](const Tensor& x, double rate) { return x * rate; });
  f(vec({1}), 0.5);
  f(vec({1}), 0.25);
  EXPECT_EQ(log.text,
            "TinyJit: 0.5 became 0.25 between the first two calls, but numbers of the host "
            "are frozen by the second. Hint: pass a Tensor, which is bound at every call.");
}
TEST(Jit, NumbersInsideTheFunctionThatDifferAreReported) {
  const LogCapture log;
  double rate = 0.5;
  TinyJit f([&](const Tensor& x) { return x * (rate /= 2); });
  f(vec({1}));
  f(vec({1}));
  EXPECT_EQ(log.text,
            "TinyJit: 0.25 became 0.125 between the first two calls, but numbers of the host "
            "are frozen by the second. Hint: pass a Tensor, which is bound at every call.");
}
TEST(Jit, HostDataInsideTheFunctionThatDiffersIsReported) {
  const LogCapture log;
  float step = 0;
  TinyJit f([&](const Tensor& x) { return x * Tensor(std::vector<float>{step += 1, 2}); });
  f(vec({1, 1}));
  f(vec({1, 1}));
  EXPECT_EQ(log.text,
            "TinyJit: the contents of a tensor of shape [2] changed between the first two calls, "
            "but numbers of the host "
            "are frozen by the second. Hint: pass a Tensor, which is bound at every call.");
}
TEST(Jit, EqualNumbersAreNotReported) {
  const LogCapture log;
  TinyJit f([](const Tensor& x, int n) { return x * n + Tensor(std::vector<float>{1, 2}); });
  f(vec({1, 1}), 3);
  f(vec({4, 1}), 3);
  EXPECT_EQ(log.text, "");
}

// ---- arguments that differ
class JitArguments : public ::testing::Test {
 protected:
  JitArguments() {
    f(vec({1, 2}));
    f(vec({1, 2}));
  }
  template <typename E>
  std::string error(const Tensor& x) {
    return error_of<E>([&] { f(x); });
  }
  struct Twice {
    Tensor operator()(const Tensor& x) const { return x * 2; }
  };
  TinyJit<Twice> f{Twice{}};
};

TEST_F(JitArguments, ShapeMustStay) {
  EXPECT_EQ(
      error<ShapeError>(vec({1, 2, 3})),
      "TinyJit: argument 0 changed its shape: captured with [2], called with [3]. Hint: use one "
      "TinyJit for each shape.");
}
TEST_F(JitArguments, DtypeMustStay) {
  EXPECT_EQ(
      error<DTypeError>(Tensor{1, 2}),
      "TinyJit: argument 0 changed its dtype: captured with float32, called with int32. Hint: "
      "cast it.");
}
TEST_F(JitArguments, DeviceMustStay) {
  const std::string here = Tensor(vec({1})).device(), there = here == "INTERP" ? "NULL" : "INTERP";
  EXPECT_EQ(error<DeviceError>(Tensor(std::vector<float>{1, 2}, {.device = there})),
            "TinyJit: argument 0 changed its device: captured on " + here + ", called on " + there +
                ". Hint: move it with to().");
}
TEST_F(JitArguments, ViewMustStay) {
  EXPECT_EQ(
      error<ArgumentError>(vec({1, 2}).flip({0})),
      "TinyJit: argument 0 of shape [2] is another view of its storage than at capture. Hint: "
      "pass contiguous() in every call.");
  EXPECT_EQ(
      error<ArgumentError>(vec({1, 2, 3})[Slice(1)]),
      "TinyJit: argument 0 of shape [2] is another view of its storage than at capture. Hint: "
      "pass contiguous() in every call.");
}
TEST_F(JitArguments, ExpressionsAreComputedFirst) {
  const Tensor x = vec({1, 2}) + 1;
  expect_values(f(x), {2}, {4, 6});
  EXPECT_TRUE(x.is_realized());
}
TEST_F(JitArguments, ErrorsLeaveTheCaptureUsable) {
  error<ShapeError>(vec({1}));
  expect_values(f(vec({5, 6})), {2}, {10, 12});
}
TEST(Jit, ArgumentsMayReadWhatWasOverwritten) {
  TinyJit f([](const Tensor& v) { return v + 1; });
  const Tensor x = vec({1, 2});
  for (float i = 0; i < 4; ++i) {
    const Tensor y = x * 2;
    x.assign(x + 1).realize();
    expect_values(f(y), {2}, {2 * (1 + i) + 1, 2 * (2 + i) + 1});
  }
}
TEST(Jit, ViewsAreArguments) {
  TinyJit f([](const Tensor& x) { return x + 1; });
  const Tensor table = vec({1, 2, 3, 4}).reshape({2, 2});
  for (float v = 1; v < 5; ++v) {
    expect_values(f(vec({v, 2, 3, 4}).reshape({2, 2}).T()), {2, 2}, {v + 1, 4, 3, 5});
  }
}
TEST(Jit, TheNumberOfTensorsMustStay) {
  TinyJit f([](const std::vector<Tensor>& v) { return v[0] + 1; });
  f(std::vector{vec({1})});
  f(std::vector{vec({1})});
  EXPECT_EQ(error_of<ArgumentError>([&] { f(std::vector{vec({1}), vec({2})}); }),
            "TinyJit: called with 2 tensors and 1 numbers, captured with 1 and 1. Hint: use one "
            "TinyJit for each kind of call.");
}
TEST(Jit, TheSameTensorMayBePassedTwice) {
  TinyJit f([](const Tensor& a, const Tensor& b) { return a * b; });
  for (float v = 1; v < 5; ++v) {
    const Tensor x = vec({v});
    expect_values(f(x, x), {1}, {v * v});
  }
  EXPECT_EQ(error_of<ArgumentError>([&] { f(vec({1}), vec({2})); }),
            "TinyJit: arguments 0 and 1 shared storage at capture, now they do not. Hint: use one "
            "TinyJit for each kind of call.");
}
TEST(Jit, ArgumentsThatStartToAliasAreRefused) {
  TinyJit f([](const Tensor& a, const Tensor& b) { return a * b; });
  f(vec({1}), vec({2}));
  f(vec({1}), vec({2}));
  const Tensor x = vec({3});
  EXPECT_EQ(error_of<ArgumentError>([&] { f(x, x); }),
            "TinyJit: arguments 0 and 1 share storage, which they did not at capture. Hint: pass "
            "clone() of one of them.");
}
TEST(Jit, AnArgumentThatIsAlsoWrittenStateIsRefused) {
  const Tensor w = vec({1});
  TinyJit f([&](const Tensor& x) { w.assign(w + x); });
  f(vec({1}));
  f(vec({1}));
  EXPECT_EQ(error_of<ArgumentError>([&] { f(w); }),
            "TinyJit: argument 0 shares storage with a tensor that the function uses otherwise and "
            "one of them is assigned to. Hint: pass clone().");
}

// ---- the recording
TEST(Jit, ReadingOnTheHostIsRefused) {
  TinyJit f([](const Tensor& x) { return x * x.sum().item<float>(); });
  f(vec({1, 2}));
  EXPECT_EQ(error_of<ArgumentError>([&] { f(vec({1, 2})); }),
            "to_vector: a value of shape [] is read on the host inside a captured function, which "
            "later calls would not repeat. Hint: return the tensor and read it outside.");
}
TEST(Jit, AnExceptionInTheSecondCallLeavesNoHalfCapture) {
  int runs = 0;
  TinyJit f([&](const Tensor& x) {
    const Tensor y = (x + 1).realize();
    if (++runs == 2) throw std::runtime_error("interrupted");
    return y * 2;
  });
  f(vec({1}));
  EXPECT_THROW(f(vec({1})), std::runtime_error);
  EXPECT_FALSE(f.stats().captured);
  expect_values(f(vec({2})), {1}, {6});
  EXPECT_TRUE(f.stats().captured);
  expect_values(f(vec({3})), {1}, {8});
  EXPECT_EQ(runs, 3);
}
TEST(Jit, NestedOnesArePartOfTheOuter) {
  TinyJit inner([](const Tensor& x) { return x + 1; });
  TinyJit outer([&](const Tensor& x) { return inner(x) * 2; });
  for (float v = 1; v < 5; ++v) expect_values(outer(vec({v})), {1}, {2 * (v + 1)});
  EXPECT_FALSE(inner.stats().captured);
  EXPECT_TRUE(outer.stats().captured);
}
TEST(Jit, ResetForgetsTheRecording) {
  TinyJit f([](const Tensor& x) { return x + 1; });
  f(vec({1}));
  f(vec({1}));
  f.reset();
  EXPECT_FALSE(f.stats().captured);
  expect_values(f(vec({1, 2})), {2}, {2, 3});
}
TEST(Jit, LeavesNoStorageBehind) {
  Allocator& memory = device(default_device()).allocator();
  const auto work = [&] {
    TinyJit f([](const Tensor& x) { return (x.sum({.axis = {1}, .keepdim = true}) * x).sum(); });
    const Tensor x = Tensor::ones({16, 16}).realize();
    for (int i = 0; i < 4; ++i) f(x);
    return f.stats().arena_bytes;
  };
  work();
  const int64_t before = memory.bytes_in_use();
  work();
  EXPECT_EQ(memory.bytes_in_use(), before);
}
TEST(Jit, SurvivesClearedCaches) {
  TinyJit f([](const Tensor& x) { return x * 3; });
  f(vec({1}));
  f(vec({1}));
  clear_caches();
  expect_values(f(vec({4})), {1}, {12});
}
TEST(Jit, MayBeMoved) {
  TinyJit f([](const Tensor& x) { return x * 3; });
  f(vec({1}));
  f(vec({1}));
  TinyJit g = std::move(f);
  expect_values(g(vec({4})), {1}, {12});
}

}  // namespace
}  // namespace tg
