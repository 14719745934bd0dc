// Devices that bind few arrays run what others run, with the same numbers: the interpreter with a
// limit, which refuses what is beyond it.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include "engine/counters.h"
#include "plain_data.h"
#include "support/check.h"
#include "support/device_graph.h"
#include "support/effort.h"
#include "support/options.h"
#include "support/same_numbers.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

using test::data;

class LimitedDevice final : public Device {
 public:
  explicit LimitedDevice(int64_t max_arrays)
      : name_("LIMITED_" + std::to_string(max_arrays)), target_(device("INTERP").target()) {
    target_.max_arrays = max_arrays;
  }

  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return device("INTERP").allocator(); }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override {
    for (const LinearKernel& k : kernels)
      TG_CHECK(std::ssize(k.params) <= target_.max_arrays, "{} takes {} arrays", k.name,
               k.params.size());
    return device("INTERP").compile(kernels);
  }

 private:
  const std::string name_;
  Target target_;
};

template <int64_t max_arrays>
std::unique_ptr<Device> open() {
  return std::make_unique<LimitedDevice>(max_arrays);
}

constexpr Backend backend(std::string_view name, std::unique_ptr<Device> (*open)()) {
  return {.name = name, .preference = -100, .probe = +[] { return std::string(); }, .open = open};
}

// Known from the first use on.
void add_limited_devices() {
  static constexpr Backend kDevices[] = {
      backend("LIMITED_4", open<4>), backend("LIMITED_5", open<5>), backend("LIMITED_8", open<8>),
      backend("LIMITED_30", open<30>)};
  static const bool added = [] {
    for (const Backend& b : kDevices) add_backend(b);
    return true;
  }();
  static_cast<void>(added);
}

Options on_limited(const std::string& device) {
  add_limited_devices();
  Options o = options();
  o.device = device;
  return o;
}

// What `program` gives on each device is what it gives on the interpreter.
template <typename F>
void expect_same_everywhere(F&& program) {
  using Values = decltype(program());
  const auto run = [&](const std::string& device) -> Values {
    const OptionsScope scope(on_limited(device));
    return program();
  };
  const Values want = run("INTERP");
  for (const char* device : {"LIMITED_5", "LIMITED_8", "LIMITED_30"}) {
    SCOPED_TRACE(device);
    EXPECT_EQ(run(device), want);
  }
}

TEST(LimitedDevices, AddFortyTensors) {
  const auto program = [] {
    Tensor sum = data({100}, 0);
    for (int i = 1; i < 40; ++i) sum = sum + data({100}, i);
    return sum.to_vector<float>();
  };
  expect_same_everywhere(program);
  const OptionsScope scope(on_limited("LIMITED_30"));
  reset_counters();
  program();
  EXPECT_EQ(counters().kernels, 2);
}

TEST(LimitedDevices, ConcatenateFortyTensors) {
  expect_same_everywhere([] {
    std::vector<Tensor> parts;
    for (int i = 0; i < 40; ++i) parts.push_back(data({1 + i % 3, 4}, i));
    return (Tensor::cat(parts) * 2).to_vector<float>();
  });
}

// Larger than what one phase reduces.
TEST(LimitedDevices, SumManyLargeTensors) {
  expect_same_everywhere([] {
    Tensor sum = data({1 << 18}, 0);
    for (int i = 1; i < 7; ++i) sum = sum + data({1 << 18}, i);
    return sum.sum().to_vector<float>();
  });
}

struct ConvNet {
  nn::Conv2d conv{1, 4, 3};
  nn::BatchNorm norm{4};
  nn::Linear hidden{4 * 3 * 3, 12}, out{12, 5};

  Tensor operator()(const Tensor& x) const {
    return out(hidden(norm(conv(x).relu()).max_pool2d().flatten(1)).gelu());
  }
  template <typename F>
  void visit(F&& f) {
    f("conv", conv), f("norm", norm), f("hidden", hidden), f("out", out);
  }
};

std::vector<std::vector<float>> trained_net(bool captured) {
  manual_seed(3);
  ConvNet net;
  nn::Adam adam(net, {.lr = 0.01});
  const TrainingScope training;
  const auto body = [&](const Tensor& x) {
    const Tensor labels(std::vector<int32_t>{0, 3, 1, 4});
    const Tensor loss = net(x).cross_entropy(labels);
    adam.step(loss);
    return loss;
  };
  TinyJit step(body);
  std::vector<std::vector<float>> out;
  for (int i = 0; i < 4; ++i) {
    const Tensor x = data({4, 1, 8, 8}, i);
    out.push_back((captured ? step(x) : body(x)).to_vector<float>());
  }
  for (const auto& [name, t] : nn::state_dict(net)) out.push_back(t.to_vector<float>());
  return out;
}

// Merged or not, kernels add up in another order.
void expect_near_lists(const std::vector<std::vector<float>>& got,
                       const std::vector<std::vector<float>>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].size(), want[i].size());
    for (size_t k = 0; k < got[i].size(); ++k)
      EXPECT_NEAR(got[i][k], want[i][k], 2e-5) << "tensor " << i << " element " << k;
  }
}

TEST(LimitedDevices, TrainANetworkWithAdam) {
  for (bool captured : {false, true}) {
    std::vector<std::vector<float>> want;
    for (const char* device : {"INTERP", "LIMITED_5", "LIMITED_8"}) {
      SCOPED_TRACE(device);
      const OptionsScope scope(on_limited(device));
      const std::vector<std::vector<float>> got = trained_net(captured);
      if (want.empty()) want = got;
      expect_near_lists(got, want);
    }
  }
}

// A graph is planned for the device of its first root; the other one's limit holds for its part.
TEST(LimitedDevices, KeepTheirLimitInGraphsOfOthers) {
  const OptionsScope scope(on_limited("INTERP"));
  const auto sum_on = [](const char* device) {
    Tensor sum = data({10}, 0).to(device);
    for (int i = 1; i < 20; ++i) sum = sum + data({10}, i).to(device);
    return sum;
  };
  const Tensor here = sum_on("LIMITED_4").to("INTERP") + 1, apart = sum_on("LIMITED_5");
  Tensor::realize({here, apart});
  const std::vector<float> want = sum_on("INTERP").to_vector<float>();
  EXPECT_EQ(apart.to_vector<float>(), want);
  EXPECT_EQ((here - 1).to_vector<float>(), want);
}

class LimitedRandomGraphs : public testing::TestWithParam<const char*> {};

TEST_P(LimitedRandomGraphs, HaveTheValuesOfTheEvaluator) {
  const OptionsScope scope(on_limited(GetParam()));
  for (uint64_t seed = 41000; seed < 41000 + test::trials(300); ++seed) {
    test::RandomGraphOptions limits{.max_ops = 30, .stores = seed % 3 == 2, .variables = true};
    limits.make_leaf = [&](const TensorValue& v) {
      return test::device_leaf(device(GetParam()), v);
    };
    const test::RandomGraph g = test::random_graph(seed, limits);
    const std::vector<TensorValue> want = evaluate(g.roots, g.contents);
    const std::vector<TensorValue> got = test::realized_values(g.roots);
    for (size_t r = 0; r < g.roots.size(); ++r)
      EXPECT_TRUE(test::same_numbers(got[r], want[r])) << "seed " << seed << " root " << r << "\n"
                                                       << print(g.roots[r]);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LimitedRandomGraphs, testing::Values("LIMITED_5", "LIMITED_8"));

}  // namespace
}  // namespace tg
