// Tensors on several devices give the numbers of one: values, gradients, assignments and captured
// calls, however operands are split. What crosses between devices: engine/partition_test.cpp;
// training: nn/shard_training_test.cpp.
#include <gtest/gtest.h>
#include <tg/autograd.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <algorithm>
#include <map>

namespace tg {
namespace {

using Floats = std::vector<float>;

constexpr const char* kOne = "CPU";
constexpr const char* kTwo = "CPU:1,CPU:2";
constexpr const char* kFour = "CPU,CPU:1,CPU:2,CPU:3";
constexpr int64_t kWholeAxis = -1;

Tensor numbers(const Shape& shape, int64_t step = 7) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  Floats v;
  for (int64_t i = 0; i < n; ++i)
    v.push_back(static_cast<float>(i * step % (n + 1)) / static_cast<float>(n) - 0.4F);
  return Tensor(v, shape, {.device = kOne});
}

Tensor split(const Tensor& x, const char* devices, int64_t axis) {
  return axis < 0 ? x.shard(devices) : x.shard(devices, axis);
}

void expect_near(const Tensor& got, const Tensor& want, double tolerance = 1e-6) {
  ASSERT_EQ(got.shape(), want.shape());
  const auto a = got.to_vector<double>(), b = want.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "element " << i;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

void expect_says(const std::function<void()>& f, std::string_view part) {
  const std::string message = message_of(f);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

// ---- getting there
TEST(Shard, NamesTheDevicesAndTheAxis) {
  const Tensor x = numbers({8, 6});
  EXPECT_EQ(x.shard(kTwo, 0).device(), "CPU:1,CPU:2");
  EXPECT_EQ(x.shard(kTwo, -1).shard_axis(), 1);
  EXPECT_EQ(x.shard(kTwo).shard_axis(), std::nullopt);
  EXPECT_EQ(x.to(" cpu:1, CPU:2").device(), "CPU:1,CPU:2");
  EXPECT_EQ(x.shard("CPU:1", 0).device(), "CPU:1");
}

TEST(Shard, KeepsTheValueOnEveryWayThereAndBack) {
  const Tensor x = numbers({8, 12});
  for (const char* devices : {kTwo, kFour}) {
    for (const int64_t axis : {kWholeAxis, int64_t{0}, int64_t{1}}) {
      const Tensor there = split(x, devices, axis);
      EXPECT_EQ(there.to_vector<float>(), x.to_vector<float>());
      there.realize();
      EXPECT_TRUE(there.is_realized());
      EXPECT_EQ(there.to("CPU:3").to_vector<float>(), x.to_vector<float>());
      EXPECT_EQ(there.to("CPU:3,CPU:1").to_vector<float>(), x.to_vector<float>());
    }
  }
}

TEST(Shard, MovesWhatManyCopiesName) {
  const Tensor x = numbers({8}), name = x;
  x.shard_(kTwo, 0);
  EXPECT_EQ(name.device(), "CPU:1,CPU:2");
  EXPECT_EQ(numbers({8}).shard_like(x).shard_axis(), 0);
  EXPECT_EQ(name.to_vector<float>(), numbers({8}).to_vector<float>());
}

// ---- mistakes
TEST(Shard, RefusesAnAxisThatDoesNotDivide) {
  EXPECT_EQ(
      message_of([] {
        numbers({9, 2}).shard(kTwo, 0);
      }),
      "shard: axis 0 of shape [9,2] cannot be split into 2 equal parts. Hint: pad it, or leave "
      "the axis out to have all of it on each device.");
}

TEST(Shard, RefusesOperandsOfOtherDevices) {
  const Tensor x = numbers({8}).shard(kTwo, 0);
  EXPECT_EQ(
      message_of([&] { x + numbers({8}); }),
      "add: operands live on different devices: CPU:1,CPU:2 and CPU. Hint: bring the others to "
      "all of the devices with to() or shard().");
  expect_says([&] { x + numbers({8}).shard(kFour, 0); }, "CPU:1,CPU:2 and CPU,CPU:1,CPU:2,CPU:3");
}

TEST(Shard, RefusesToShardTwiceAndToNameADeviceTwice) {
  const Tensor x = numbers({8}).shard(kTwo, 0);
  expect_says([&] { x.shard(kTwo); }, "is on several devices already");
  EXPECT_EQ(x.shard(kTwo, 0).shard_axis(), 0);
  expect_says([] { numbers({8}).to("CPU:1,CPU:1"); }, "CPU:1 is named twice");
  expect_says([] { numbers({8}).to("CPU:1,"); }, "a name is missing in 'CPU:1,'");
  expect_says([] { numbers({8}).shard("CPU:1,NOWHERE", 0); }, "NOWHERE");
}

// ---- operations: each against one device, for every way in which operands can lie
using Fn = std::function<Tensor(const Tensor&, const Tensor&)>;

const std::map<std::string, Fn>& functions() {
  static const std::map<std::string, Fn> all = {
      {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
      {"mixed", [](const Tensor& a, const Tensor& b) { return a.exp() * b + a.T() * 2; }},
      {"matmul", [](const Tensor& a, const Tensor& b) { return a.matmul(b); }},
      {"sum", [](const Tensor& a, const Tensor& b) { return (a * b).sum(); }},
      {"sum0", [](const Tensor& a, const Tensor& b) { return (a * b).sum({.axis = {0}}); }},
      {"sum1", [](const Tensor& a, const Tensor& b) { return (a * b).sum({.axis = {1}}); }},
      {"max", [](const Tensor& a, const Tensor& b) { return (a + b).max({.axis = {0}}); }},
      {"prod", [](const Tensor& a, const Tensor& b) { return (a * b + 1).prod({.axis = {1}}); }},
      {"softmax", [](const Tensor& a, const Tensor& b) { return (a - b).softmax(); }},
      {"reshape",
       [](const Tensor& a, const Tensor& b) {
         return a.reshape({4, 2, 8}) * b.reshape({4, 2, 8});
       }},
      {"flatten", [](const Tensor& a, const Tensor& b) { return a.flatten() + b.T().flatten(); }},
      {"odd reshape",
       [](const Tensor& a, const Tensor& b) {
         return (a + b).reshape({1, 64, 1}).sin();
       }},
      {"shrink",
       [](const Tensor& a, const Tensor& b) {
         return a.shrink({{2, 6}, {0, 8}}) + b.shrink({{0, 4}, {0, 8}});
       }},
      {"odd shrink",
       [](const Tensor& a, const Tensor& b) {
         return a.shrink({{1, 4}, {3, 8}}) * b.shrink({{5, 8}, {0, 5}});
       }},
      {"pad",
       [](const Tensor& a, const Tensor& b) {
         return a.pad({{1, 2}, {0, 3}}, 7) - b.pad({{3, 0}, {2, 1}});
       }},
      {"even pad",
       [](const Tensor& a, const Tensor& b) {
         return a.pad({{3, 5}, {8, 0}}, 0.5) * b.pad({{0, 8}, {4, 4}});
       }},
      {"flip",
       [](const Tensor& a, const Tensor& b) {
         return a.flip({0}) + b.flip({0, 1});
       }},
      {"cat",
       [](const Tensor& a, const Tensor& b) {
         return Tensor::cat({a, b, a}, 0);
       }},
      {"stack",
       [](const Tensor& a, const Tensor& b) {
         return Tensor::stack({a, b}, 1);
       }},
      {"where", [](const Tensor& a, const Tensor& b) { return (a > b).where(a, 3.0); }},
      {"cumsum", [](const Tensor& a, const Tensor& b) { return (a + b).cumsum(0); }},
      {"gather", [](const Tensor& a,
                    const Tensor& b) { return b.gather(0, (a > 0).cast(DType::Int32) + 3); }},
      {"scatter",
       [](const Tensor& a, const Tensor& b) {
         return b.scatter_add(0, (a > 0).cast(DType::Int32) + 3, a);
       }},
      {"rows",
       [](const Tensor& a, const Tensor& b) {
         return (a + b)[Tensor(std::vector<int>{3, 0, 7}).to(a.device())];
       }},
      {"sort", [](const Tensor& a, const Tensor& b) { return (a + b).sort(0).first; }},
      {"conv2d",
       [](const Tensor& a, const Tensor& b) {
         return a.reshape({4, 2, 2, 4}).conv2d(b.reshape({8, 2, 2, 2}));
       }},
      {"max_pool2d",
       [](const Tensor& a, const Tensor& b) {
         return (a + b).reshape({2, 2, 4, 4}).max_pool2d();
       }},
      {"var", [](const Tensor& a, const Tensor& b) { return (a - b).var({.axis = {0}}); }},
  };
  return all;
}

class ShardedFunctions : public ::testing::TestWithParam<std::string> {};

TEST_P(ShardedFunctions, GiveTheNumbersOfOneDevice) {
  const Fn& f = functions().at(GetParam());
  const Tensor a = numbers({8, 8}), b = numbers({8, 8}, 11);
  const Tensor want = f(a, b);
  for (const int64_t axis_a : {kWholeAxis, int64_t{0}, int64_t{1}}) {
    for (const int64_t axis_b : {kWholeAxis, int64_t{0}, int64_t{1}}) {
      const Tensor got = f(split(a, kTwo, axis_a), split(b, kTwo, axis_b));
      SCOPED_TRACE(::testing::Message() << "axes " << axis_a << " and " << axis_b);
      EXPECT_EQ(got.device(), "CPU:1,CPU:2");
      expect_near(got, want);
    }
  }
  expect_near(f(split(a, kFour, 0), split(b, kFour, 1)), want);
}

TEST_P(ShardedFunctions, HaveTheGradientsOfOneDevice) {
  const Fn& f = functions().at(GetParam());
  const auto slopes = [&](const Tensor& a, const Tensor& b) {
    return (f(a, b) * 1.5).square().sum().gradient({a, b});
  };
  const Tensor a = numbers({8, 8}), b = numbers({8, 8}, 11);
  const auto want = slopes(a, b);
  for (const auto& [axis_a, axis_b] :
       {std::pair<int64_t, int64_t>{0, kWholeAxis}, {1, 0}, {0, 0}}) {
    SCOPED_TRACE(::testing::Message() << "axes " << axis_a << " and " << axis_b);
    const auto got = slopes(split(a, kTwo, axis_a), split(b, kTwo, axis_b));
    expect_near(got[0], want[0], 1e-5);
    expect_near(got[1], want[1], 1e-5);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, f] : functions()) out.push_back(name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(All, ShardedFunctions, ::testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, ' ', '_');
  return name;
});

// ---- storage
TEST(Shard, AssignsWithinParts) {
  const Tensor x = numbers({4, 6}).shard(kTwo, 0).realize();
  const Tensor view = x[{Slice{}, Slice{2, 3}}];
  view.assign(numbers({4, 1}).shard(kTwo, 0));
  const Tensor want = numbers({4, 6}).clone();
  want.set({Slice{}, Slice{2, 3}}, numbers({4, 1}));
  expect_near(x, want, 0);
  expect_near(view, numbers({4, 1}), 0);
}

TEST(Shard, AssignsAcrossParts) {
  for (const auto& slice : {Slice{2, 6}, Slice{1, 2}, Slice{0, 8, 3}, Slice{}}) {
    const Tensor x = numbers({8, 2}).shard(kFour, 0).realize(), want = numbers({8, 2}).clone();
    x.set({slice}, 9.0);
    want.set({slice}, 9.0);
    expect_near(x, want, 0);
    EXPECT_EQ(x.shard_axis(), 0);
  }
}

TEST(Shard, AddsInPlaceManyTimes) {
  const Tensor x = numbers({8}).shard(kTwo, 0).realize();
  for (int i = 0; i < 3; ++i) {
    x += 1;
    x.realize();
  }
  expect_near(x, numbers({8}) + 3);
}

TEST(Shard, PartsAreStorageOfTheirOwn) {
  const Tensor x = numbers({8}).realize();
  const Tensor all = x.to("CPU,CPU:1"), back = all.to("CPU");
  Tensor::realize({all, back});
  all.assign(Tensor(5.0));
  all.realize();
  expect_near(x, numbers({8}), 0);
  expect_near(back, numbers({8}), 0);
  expect_near(all, Tensor::full(Shape{8}, 5.0F), 0);
}

TEST(Shard, LikesLieAsWhatTheyAreLike) {
  const Tensor x = numbers({8, 4}).shard(kTwo, 1);
  for (const Tensor& like : {x.zeros_like(), x.ones_like(), x.empty_like(), x.rand_like(), x + x}) {
    EXPECT_EQ(like.device(), x.device());
    EXPECT_EQ(like.shard_axis(), 1);
    like.realize();
    EXPECT_EQ(like.shard_axis(), 1);
  }
}

// ---- captured calls
TEST(Shard, CapturedCallsReplayOnAllDevices) {
  const Tensor total = Tensor::zeros(Shape{6}, {.device = kTwo}).realize();
  TinyJit step([&](const Tensor& x) {
    total += x.sum({.axis = {0}});
    return (x * 2 + total).realize();
  });
  Tensor want = Tensor::zeros(Shape{6}, {.device = kOne});
  for (int i = 0; i < 5; ++i) {
    const Tensor x = numbers({4, 6}, 3 + 2 * i);
    want = (want + x.sum({.axis = {0}})).realize();
    const Tensor got = step(x.shard(kTwo, 0));
    EXPECT_EQ(got.shard_axis(), 0);
    expect_near(got, x * 2 + want);
    expect_near(total, want);
  }
}

TEST(Shard, CapturedCallsRefuseArgumentsThatLieInAnotherWay) {
  TinyJit twice([](const Tensor& x) { return (x * 2).realize(); });
  for (int i = 0; i < 3; ++i) twice(numbers({4, 4}).shard(kTwo, 0));
  EXPECT_EQ(
      message_of([&] {
        twice(numbers({4, 4}).shard(kTwo, 1));
      }),
      "TinyJit: argument 0 of shape [4,4] is split along axis 1, at capture it was split along "
      "axis 0. Hint: use one TinyJit for each way.");
  EXPECT_NE(message_of([&] {
              twice(numbers({4, 4}).shard(kTwo));
            }).find("whole on each device"),
            std::string::npos);
}

}  // namespace
}  // namespace tg
