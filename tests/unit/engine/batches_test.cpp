// Small independent kernels run as one launch: counts of launches, values on all devices and any
// number of threads, captured and not, and what people see of it.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <algorithm>
#include <random>

#include "engine/counters.h"
#include "plain_data.h"
#include "support/log.h"
#include "support/options.h"
#include "support/seeds_of_the_day.h"

namespace tg {
namespace {

using test::data;

Options on_threads(const char* device, int threads = 0) {
  Options o = options();
  o.device = device;
  o.threads = threads;
  return o;
}

EngineCounters counted(const std::vector<Tensor>& roots) {
  reset_counters();
  Tensor::realize(roots);
  return counters();
}

// Twenty parameters of many shapes with their gradients.
struct Parameters {
  std::vector<Tensor> all;
  Parameters() {
    Tensor loss(0.f);
    for (int i = 0; i < 20; ++i) {
      all.push_back(data({2 + i % 3, 2 + i / 3}, i));
      all.back().is_param_();
      loss = loss + (all.back() * data(all.back().shape(), 2 * i + 1)).sum();
    }
    loss.backward();
    for (const Tensor& p : all) p.grad().realize();
  }
  std::vector<std::vector<float>> values() const {
    std::vector<std::vector<float>> out;
    for (const Tensor& p : all) out.push_back(p.to_vector<float>());
    return out;
  }
};

class Batches : public testing::TestWithParam<const char*> {
 protected:
  Batches() : scope_(on_threads(GetParam())) {}

 private:
  const OptionsScope scope_;
};

TEST_P(Batches, AnAdamStepOverTwentyParametersIsTwoLaunches) {
  const Parameters p;
  nn::Adam adam(p.all);
  adam.step();
  for (int i = 0; i < 3; ++i) {
    reset_counters();
    adam.step();
    EXPECT_LE(counters().launches, 2);
    EXPECT_GE(counters().kernels, 20);
    EXPECT_EQ(counters().version_copies, 0);
  }
}
TEST_P(Batches, AnSgdStepOverTwentyParametersIsOneLaunch) {
  const Parameters p;
  nn::SGD sgd(p.all, {.momentum = 0.9});
  sgd.step();
  reset_counters();
  sgd.step();
  EXPECT_EQ(counters().launches, 1);
  EXPECT_EQ(counters().version_copies, 0);
}
TEST_P(Batches, ACapturedAdamStepIsTwoLaunches) {
  const Parameters p, same;
  nn::Adam adam(p.all), plain(same.all);
  TinyJit step([&] { adam.step(); });
  for (int i = 0; i < 5; ++i) {
    step();
    plain.step();
    EXPECT_EQ(p.values(), same.values()) << "step " << i;
  }
  EXPECT_LE(step.stats().launches, 2);
  EXPECT_GE(step.stats().kernels, 20);
  reset_counters();
  step();
  EXPECT_EQ(counters().launches, step.stats().launches);
  EXPECT_EQ(counters().kernels, step.stats().kernels);
}
TEST_P(Batches, OfACaptureGoAcrossItsRealizes) {
  const Tensor total = data({30}, 3);
  double sum = 0;
  for (float x : total.to_vector<float>()) sum += x;
  TinyJit f([&](const Tensor& x, const Tensor& y) {
    const Tensor a = (x + 1).realize(), b = (y * 2).realize();
    const Tensor c = (a.flip({0}) - 1).realize();
    total.assign(total + 1);
    total.realize();
    return std::vector<Tensor>{a, b, c, total.sum()};
  });
  for (int i = 1; i < 6; ++i) {
    const Tensor x = data({40}, i), y = data({5, 7}, i + 1);
    const std::vector<float> xs = x.to_vector<float>(), ys = y.to_vector<float>();
    const std::vector<Tensor> r = f(x, y);
    const std::vector<float> a = r[0].to_vector<float>(), b = r[1].to_vector<float>(),
                             c = r[2].to_vector<float>();
    for (size_t k = 0; k < xs.size(); ++k) {
      EXPECT_EQ(a[k], xs[k] + 1);
      EXPECT_EQ(c[k], xs[39 - k]);
    }
    for (size_t k = 0; k < ys.size(); ++k) EXPECT_EQ(b[k], ys[k] * 2);
    EXPECT_EQ(r[3].item<float>(), static_cast<float>(sum) + 30 * static_cast<float>(i));
  }
  EXPECT_EQ(f.stats().kernels, 5);
  EXPECT_EQ(f.stats().launches, 2);
}
TEST_P(Batches, GiveEachMemberItsVariables) {
  const Variable first("first", 1, 40), second("second", 1, 35);
  const Tensor x = data({40}), y = data({5, 7}, 2).reshape({35}), z = data({9});
  const std::vector<float> xs = x.to_vector<float>(), ys = y.to_vector<float>();
  TinyJit f([&](const SymInt& n, const SymInt& m) {
    return std::vector<Tensor>{x[Slice(0, n)].sum(), (z + 1).realize(), y[Slice(0, m)].max()};
  });
  for (size_t call = 1; call < 6; ++call) {
    const size_t n = 7 * call, m = 36 - 6 * call;
    const std::vector<Tensor> r =
        f(first.bind(static_cast<int64_t>(n)), second.bind(static_cast<int64_t>(m)));
    float sum = 0;
    for (size_t i = 0; i < n; ++i) sum += xs[i];
    EXPECT_EQ(r[0].item<float>(), sum);
    EXPECT_EQ(r[2].item<float>(), *std::max_element(ys.begin(), ys.begin() + static_cast<int>(m)));
  }
  EXPECT_EQ(f.stats().kernels + f.stats().launches_once, 3);
  EXPECT_EQ(f.stats().launches, 1);
}
TEST_P(Batches, IndependentSmallKernelsAreOneLaunch) {
  const Tensor x = data({64}), y = data({5, 9}, 2);
  const Tensor a = x + 1, b = y.sum({.axis = {1}}), c = y.transpose(0, 1).contiguous();
  const EngineCounters run = counted({a, b, c});
  EXPECT_EQ(run.kernels, 3);
  EXPECT_EQ(run.launches, 1);
  EXPECT_EQ(a.to_vector<float>()[7], x.to_vector<float>()[7] + 1);
  EXPECT_EQ(c.to_vector<float>()[1], y.to_vector<float>()[9]);
}
TEST_P(Batches, AReaderIsALaunchOfItsOwn) {
  const Tensor x = data({40}), y = (x * 3).contiguous(), z = y.flip({0}).contiguous();
  EXPECT_EQ(counted({y, z}).launches, 2);
  EXPECT_EQ(z.to_vector<float>()[0], x.to_vector<float>()[39] * 3);
}
TEST_P(Batches, AnAssignmentRunsAfterTheReadersOfWhatItReplaces) {
  const Tensor x = data({40}), y = data({40}, 2);
  const std::vector<float> xs = x.to_vector<float>(), ys = y.to_vector<float>();
  const Tensor old = x.flip({0}) * 2, other = y.flip({0}) - 1;
  x.assign(y * 5);
  const EngineCounters run = counted({old, other, x});
  EXPECT_EQ(run.launches, 2);
  for (size_t i = 0; i < xs.size(); ++i) {
    EXPECT_EQ(old.to_vector<float>()[i], xs[39 - i] * 2);
    EXPECT_EQ(x.to_vector<float>()[i], ys[i] * 5);
    EXPECT_EQ(other.to_vector<float>()[i], ys[39 - i] - 1);
  }
}
TEST_P(Batches, ExchangedTensorsAreExchanged) {
  const Tensor a = data({30}), b = data({30}, 2);
  const std::vector<float> as = a.to_vector<float>(), bs = b.to_vector<float>();
  const Tensor before = a + 0;
  a.assign(b);
  b.assign(before);
  Tensor::realize({a, b});
  EXPECT_EQ(a.to_vector<float>(), bs);
  EXPECT_EQ(b.to_vector<float>(), as);
}
TEST_P(Batches, MembersThatReadOneTemporaryDoNotWriteOverIt) {
  const Tensor x = data({8, 8});
  const Tensor made = (x * 2).contiguous();
  const Tensor root = (made * made + 1).contiguous(), turned = made.transpose(0, 1).contiguous();
  const Tensor out = (root.flip({0}) - turned.flip({1})).contiguous();
  const std::vector<float> xs = x.to_vector<float>(), got = out.to_vector<float>();
  for (size_t i = 0; i < 8; ++i) {
    for (size_t j = 0; j < 8; ++j) {
      const float m = 2 * xs[(7 - i) * 8 + j], t = 2 * xs[(7 - j) * 8 + i];
      EXPECT_EQ(got[i * 8 + j], m * m + 1 - t);
    }
  }
}
TEST_P(Batches, WorkUnderCheckToo) {
  Options o = options();
  o.check = true;
  const OptionsScope scope(o);
  const Parameters p, same;
  nn::Adam adam(p.all);
  adam.step();
  TinyJit step([&] { adam.step(); });
  for (int i = 0; i < 3; ++i) step();
  o.check = false;
  const OptionsScope off(o);
  nn::Adam plain(same.all);
  for (int i = 0; i < 4; ++i) plain.step();
  EXPECT_EQ(p.values(), same.values());
}
TEST_P(Batches, ShowEachKernelAtDebug2) {
  Options o = options();
  o.debug = 2;
  const OptionsScope scope(o);
  std::string text;
  const LogSink before = set_log_sink([&](std::string_view line) { (text += line) += '\n'; });
  const Tensor x = data({64}), y = data({5, 9}, 2);
  Tensor::realize({x + 1, y.sum({.axis = {1}})});
  set_log_sink(before);
  EXPECT_NE(text.find("batch 1/2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("batch 2/2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2 kernels in 1 launch,"), std::string::npos) << text;
}
INSTANTIATE_TEST_SUITE_P(On, Batches, testing::Values("INTERP", "CPU"), [](const auto& info) {
  return info.param == std::string("CPU") ? "Cpu" : "Interp";
});

TEST(CopiesBetweenDevices, TakeExpressionsAndViews) {
  const OptionsScope scope(on_threads("CPU"));
  const Tensor x = data({3, 4});
  const std::vector<float> xs = x.to_vector<float>();
  const Tensor sum = (x + 1).to("INTERP"), turned = x.permute({1, 0}).to("INTERP") * 2;
  const Tensor there_and_back = (x * x).to("INTERP").flip({0}).to("CPU");
  Tensor::realize({sum, turned, there_and_back});
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(sum.to_vector<float>()[i * 4 + j], xs[i * 4 + j] + 1);
      EXPECT_EQ(turned.to_vector<float>()[j * 3 + i], xs[i * 4 + j] * 2);
      EXPECT_EQ(there_and_back.to_vector<float>()[(2 - i) * 4 + j], xs[i * 4 + j] * xs[i * 4 + j]);
    }
  }
}

TEST(LargeKernels, AreLaunchedOneByOne) {
  const OptionsScope scope(on_threads("NULL"));
  const Tensor x = Tensor::zeros({1 << 20}).contiguous().realize(),
               y = Tensor::zeros({(1 << 20) + 3}).contiguous().realize();
  EXPECT_EQ(counted({x + 1, y * 2}).launches, 2);
}

// ---- random captured calls
// Assignments among a few tensors, with some of them computed in between; the same at each call.
class RandomCall {
 public:
  explicit RandomCall(uint64_t seed) : seed_(seed) {
    for (int i = 0; i < 5; ++i) {
      std::vector<int32_t> v;
      for (int k = 0; k < 6; ++k) v.push_back(i * 7 + k * (i + 1) % 5);
      state_.push_back(Tensor(v).realize());
    }
  }

  Tensor operator()(const Tensor& x) {
    std::mt19937_64 rng(seed_);
    const auto below = [&](size_t n) { return static_cast<size_t>(rng() % n); };
    for (size_t steps = 4 + below(9); steps > 0; --steps) {
      const Tensor &to = state_[below(5)], &a = state_[below(5)], &b = state_[below(5)];
      switch (below(5)) {
        case 0:
          to.assign(a.flip({0}) + b);
          break;
        case 1:
          to.assign(a * 3 - x);
          break;
        case 2:
          to.assign(a.maximum(b.flip({0})));
          break;
        case 3:
          to[Slice(1, 4)].assign(a[Slice(2, 5)] + 1);
          break;
        default:
          Tensor::realize({to, a});
      }
    }
    return state_[0] + state_[1].flip({0});
  }

  std::vector<std::vector<int32_t>> values() const {
    std::vector<std::vector<int32_t>> out;
    for (const Tensor& t : state_) out.push_back(t.to_vector<int32_t>());
    return out;
  }

 private:
  uint64_t seed_;
  std::vector<Tensor> state_;
};

class RandomCaptures : public testing::TestWithParam<const char*> {};
TEST_P(RandomCaptures, DoWhatTheFunctionDoes) {
  Options o = on_threads(GetParam());
  int64_t saved = 0;
  const uint64_t first = test::first_seed(), runs = o.device == "CPU" ? 12 : 120;
  for (uint64_t seed = first; seed < first + runs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    o.check = seed % 3 == 0;
    const OptionsScope scope(o);
    RandomCall plain(seed), captured(seed);
    TinyJit f([&](const Tensor& x) { return captured(x); });
    for (int32_t call = 0; call < 4; ++call) {
      const Tensor x(std::vector<int32_t>{call, 1, 2, 3, 4, call});
      const std::vector<int32_t> want = plain(x).to_vector<int32_t>();
      ASSERT_EQ(f(x).to_vector<int32_t>(), want);
      ASSERT_EQ(captured.values(), plain.values());
    }
    saved += f.stats().kernels - f.stats().launches;
  }
  EXPECT_GT(saved, 0);
}
INSTANTIATE_TEST_SUITE_P(On, RandomCaptures, testing::Values("INTERP", "CPU"),
                         [](const auto& info) {
                           return info.param == std::string("CPU") ? "Cpu" : "Interp";
                         });

// Parameters large enough that threads share them: their lengths and what updates make of them.
std::vector<std::vector<float>> trained_parameters(int threads, bool captured) {
  const OptionsScope scope(on_threads("CPU", threads));
  std::vector<Tensor> parameters;
  Tensor loss(0.f);
  for (int i = 0; i < 12; ++i) {
    parameters.push_back(data({40 + 9 * i, 64}, i));
    parameters.back().is_param_();
    loss = loss + (parameters.back() * data(parameters.back().shape(), 3 * i + 1)).sum();
  }
  loss.backward();
  for (const Tensor& p : parameters) p.grad().realize();
  nn::Adam adam(parameters, {.lr = 0.01});
  const auto body = [&] {
    adam.step();
    std::vector<Tensor> lengths;
    for (const Tensor& p : parameters) lengths.push_back(p.square().sum());
    Tensor::realize(lengths);
    return lengths;
  };
  TinyJit step(body);
  std::vector<std::vector<float>> out;
  for (int i = 0; i < 6; ++i) {
    for (const Tensor& length : captured ? step() : body())
      out.push_back(length.to_vector<float>());
  }
  for (const Tensor& p : parameters) out.push_back(p.to_vector<float>());
  return out;
}

class CpuThreads : public testing::TestWithParam<int> {};
TEST_P(CpuThreads, ChangeNoBitOfABatch) {
  const auto alone = trained_parameters(1, false);
  EXPECT_EQ(trained_parameters(GetParam(), false), alone);
  EXPECT_EQ(trained_parameters(GetParam(), true), alone);
}
INSTANTIATE_TEST_SUITE_P(Of, CpuThreads, testing::Values(2, 3, 8));

}  // namespace
}  // namespace tg
