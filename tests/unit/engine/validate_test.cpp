// VALIDATE_WITH_CPU: what counts as equal, and that a device which computes something else is
// stopped with an error that says where. The device that is wrong is made here: the interpreter
// with one result bent.
#include "engine/validate.h"

#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/nn.h>
#include <tg/tg.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "engine/counters.h"
#include "engine/plan.h"
#include "runtime/host_allocator.h"
#include "support/device_error.h"
#include "support/file.h"
#include "support/options.h"
#include "unit/engine/support/special_floats.h"

namespace tg {
namespace {

using test::kInfinity;
using test::kNan;

template <typename T>
int64_t difference(std::vector<T> actual, std::vector<T> expected, double scale = 0) {
  return first_difference(dtype_of<T>(), std::as_bytes(std::span(actual)),
                          std::as_bytes(std::span(expected)), scale);
}

TEST(FirstDifference, OfEqualArraysIsNone) {
  EXPECT_EQ(difference<float>({1, -0.f, kInfinity}, {1, 0.f, kInfinity}), -1);
  EXPECT_EQ(difference<int32_t>({}, {}), -1);
}
TEST(FirstDifference, IsTheFirst) {
  EXPECT_EQ(difference<int32_t>({1, 2, 3, 4}, {1, 2, 4, 5}), 2);
  EXPECT_EQ(difference<float>({1, 2, 3, 4}, {1, 3, 4, 5}), 1);
}
TEST(FirstDifference, OfIntegersIsExact) {
  EXPECT_EQ(difference<int64_t>({1'000'000'001}, {1'000'000'000}, 1e9), 0);
  EXPECT_EQ(difference<uint8_t>({255}, {0}), 0);
}
TEST(FirstDifference, OfFloatsIsRelative) {
  EXPECT_EQ(difference<float>({1.00005f}, {1.f}), -1);
  EXPECT_EQ(difference<float>({1.0005f}, {1.f}), 0);
  EXPECT_EQ(difference<float>({1.0005e-20f}, {1e-20f}), 0);
  EXPECT_EQ(difference<double>({1 + 1e-10}, {1.0}), -1);
  EXPECT_EQ(difference<double>({1 + 1e-6}, {1.0}), 0);
}
TEST(FirstDifference, OfSumsIsRelativeToTheirTerms) {
  EXPECT_EQ(difference<float>({1e-5f}, {0.f}), 0);
  EXPECT_EQ(difference<float>({1e-5f}, {0.f}, 1), -1);
}
TEST(FirstDifference, TakesOneNanForAnother) {
  EXPECT_EQ(difference<float>({kNan, -kNan}, {-kNan, kNan}), -1);
  EXPECT_EQ(difference<float>({kNan}, {1.f}), 0);
  EXPECT_EQ(difference<float>({1.f}, {kNan}, 1e9), 0);
}
TEST(FirstDifference, TellsInfinitiesApart) {
  EXPECT_EQ(difference<float>({kInfinity}, {-kInfinity}), 0);
  EXPECT_EQ(difference<float>({3e38f}, {kInfinity}), 0);
  EXPECT_EQ(difference<float>({kInfinity}, {3e38f}), 0);
}
TEST(FirstDifference, GivesSmallFloatsMoreRoom) {
  const auto half = [](double v) { return Tensor(v).cast(DType::Float16).to_bytes(); };
  EXPECT_EQ(first_difference(DType::Float16, half(1.002), half(1), 0), -1);
  EXPECT_EQ(first_difference(DType::Float16, half(1.01), half(1), 0), 0);
}

// ---- a device that is wrong

int64_t bent_element = -1;  // of the first argument of every kernel; none if negative
float bend = 1;             // what is added to it

class BentProgram final : public Program {
 public:
  explicit BentProgram(Ref<Program> honest) : honest_(std::move(honest)) {}
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override {
    honest_->launch(buffers, vars);
    if (bent_element >= 0) static_cast<float*>(buffers[0])[bent_element] += bend;
  }

 private:
  Ref<Program> honest_;
};

class BentDevice final : public Device {
 public:
  const std::string& name() const override { return name_; }
  const Target& target() const override { return honest().target(); }
  Allocator& allocator() override { return allocator_; }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override {
    std::vector<CompiledKernel> out = honest().compile(kernels);
    for (CompiledKernel& k : out) {
      k.program = Ref<Program>::adopt(new BentProgram(std::move(k.program)));
      k.source = "bent " + k.source;
    }
    return out;
  }

 private:
  static Device& honest() { return device("INTERP"); }
  const std::string name_ = "BENT";
  HostAllocator allocator_{"BENT"};
};

const Backend kBent = {
    .name = "BENT",
    .preference = -5,
    .probe = +[] { return std::string(); },
    .open = +[]() -> std::unique_ptr<Device> { return std::make_unique<BentDevice>(); }};

class Validate : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool added = (add_backend(kBent), true);
    ASSERT_TRUE(added);
  }
  void TearDown() override {
    bent_element = -1;
    bend = 1;
  }

  Options on(const std::string& device, bool validate = true) const {
    Options o = options();
    o.device = device;
    o.validate = validate;
    o.temp_dir = folder_.path().string();
    return o;
  }
  TempDir folder_{"tg-test"};
};

TEST_F(Validate, LetsARightDeviceRun) {
  const OptionsScope scope(on("BENT"));
  const Tensor x = Tensor(std::vector<float>{1, 2, 3, 4}, {2, 2});
  EXPECT_EQ((x.matmul(x) + 1).to_vector<float>(), (std::vector<float>{8, 11, 16, 23}));
}

TEST_F(Validate, StopsAWrongDeviceAndSaysWhere) {
  const OptionsScope scope(on("BENT"));
  bent_element = 3;
  const Tensor x = Tensor(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  const std::string message = test::device_error([&] { (x * 2).realize(); });
  EXPECT_TRUE(message.starts_with("VALIDATE_WITH_CPU: kernel ")) << message;
  EXPECT_NE(message.find(" on BENT does not do what it does on CPU: element 3 of argument 0 "
                         "(float32 "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find(" is 9, should be 8. Its source is kept in "), std::string::npos)
      << message;
}

TEST_F(Validate, KeepsTheSourceOfTheKernelThatDiffers) {
  const OptionsScope scope(on("BENT"));
  bent_element = 0;
  const std::string message = test::device_error([] { (Tensor{1.f, 2.f} * 2).realize(); });
  const size_t at = message.find(folder_.path().string());
  ASSERT_NE(at, std::string::npos) << message;
  const std::string path = message.substr(at, message.find(".txt", at) + 4 - at);
  EXPECT_TRUE(read_file(path).starts_with("bent ")) << path;
}

TEST_F(Validate, SaysSoWhenTheSourceCannotBeKept) {
  Options o = on("BENT");
  o.temp_dir = "/no/such/folder";
  const OptionsScope scope(o);
  bent_element = 0;
  const std::string message = test::device_error([] { (Tensor{1.f, 2.f} * 3).realize(); });
  EXPECT_NE(message.find("could not be kept in /no/such/folder"), std::string::npos) << message;
}

TEST_F(Validate, StopsADeviceThatComputesNothing) {
  const OptionsScope scope(on("NULL"));
  const std::string message = test::device_error([] { (Tensor{1.f, 2.f} * 2 + 5).realize(); });
  EXPECT_NE(message.find(" on NULL does not do what it does on CPU"), std::string::npos) << message;
}

TEST_F(Validate, ChecksEveryKernelOfABatch) {
  const OptionsScope scope(on("BENT"));
  const Tensor a = Tensor{1.f, 2.f}.realize(), b = Tensor(std::vector<float>(16, 3)).realize();
  bent_element = 8;  // exists in the second only
  const std::string message = test::device_error(
      [&] { Tensor::realize({b * 5, (b * 7).reshape({4, 4}).T().contiguous()}); });
  EXPECT_NE(message.find("element 8 of argument 0"), std::string::npos) << message;
}

TEST_F(Validate, ChecksReductionsInPhases) {
  const OptionsScope scope(on("BENT"));
  const Tensor x = Tensor::ones({1 << 16}).realize();
  EXPECT_EQ(x.sum().item<float>(), 65536);
  bent_element = 0;
  bend = 100;
  const std::string message = test::device_error([&] { (x + 2).sum().realize(); });
  EXPECT_NE(message.find("element 0 of argument 0"), std::string::npos) << message;
}

TEST_F(Validate, ChecksEachReplayOfACapturedCall) {
  const OptionsScope scope(on("BENT"));
  const Tensor x = Tensor{1.f, 2.f, 3.f}.realize();
  TinyJit twice([](const Tensor& t) { return t * 2 + 1; });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(twice(x).to_vector<float>(), (std::vector<float>{3, 5, 7}));
  bent_element = 2;
  const std::string message = test::device_error([&] { twice(x).realize(); });
  EXPECT_NE(message.find("element 2 of argument 0"), std::string::npos) << message;
  bent_element = -1;
  EXPECT_EQ(twice(x).to_vector<float>(), (std::vector<float>{3, 5, 7})) << "and then goes on";
}

TEST_F(Validate, AllowsWritingOverWhatIsRead) {
  const OptionsScope scope(on("BENT"));
  const Tensor x = Tensor{1.f, 2.f, 3.f}.realize();
  for (int i = 0; i < 3; ++i) {
    x.assign(x * 2 + 1);
    x.realize();
  }
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{15, 23, 31}));
}

TEST_F(Validate, PassesVariablesOn) {
  const OptionsScope scope(on("BENT"));
  const Tensor x = Tensor::arange(10).cast(DType::Float32).realize();
  const Variable n("n", 1, 10);
  for (int64_t size : {3, 7}) {
    EXPECT_EQ(x[Slice(0, n.bind(size))].sum().item<float>(),
              static_cast<float>(size * (size - 1)) / 2);
  }
}

TEST_F(Validate, IsOffUnlessAskedFor) {
  bent_element = 0;
  const OptionsScope scope(on("BENT", false));
  EXPECT_EQ((Tensor{1.f, 2.f} * 4).to_vector<float>(), (std::vector<float>{5, 8}));
}

TEST_F(Validate, TakesEffectForKernelsThatRanBefore) {
  bent_element = 0;
  const auto compute = [] { return (Tensor{1.f, 2.f} * 6).to_vector<float>(); };
  {
    const OptionsScope scope(on("BENT", false));
    EXPECT_EQ(compute()[0], 7);
  }
  {
    const OptionsScope scope(on("BENT"));
    EXPECT_NE(test::device_error(compute), "no DeviceError");
  }
  const OptionsScope scope(on("BENT", false));
  EXPECT_EQ(compute()[0], 7);
}

TEST_F(Validate, RunsNothingTwiceOnTheCpuItself) {
  const auto kernels = [](bool validate) {
    Options o = options();
    o.device = "CPU";
    o.validate = validate;
    const OptionsScope scope(o);
    reset_counters();
    EXPECT_EQ((Tensor{1.f, 2.f} * 9).to_vector<float>(), (std::vector<float>{9, 18}));
    return counters().compiled;
  };
  kernels(false);
  clear_caches();
  EXPECT_EQ(kernels(true), 1);
}

TEST_F(Validate, ComparesTheCompilersOfTheCpu) {
  if (device("CPU").compiler().find("LLVM") == std::string::npos) GTEST_SKIP() << "one compiler";
  Options o = on("CPU:CLANG");
  try {
    device(o.device);
  } catch (const DeviceError& e) {
    GTEST_SKIP() << e.what();
  }
  const OptionsScope scope(o);
  const Tensor x = Tensor::randn({16, 16}), y = x.matmul(x).softmax().sum({.axis = 0});
  EXPECT_EQ(y.device(), device("CPU:CLANG").name());
  EXPECT_NEAR(y.sum().item<double>(), 16, 1e-3);
}

struct DropoutNet {
  Tensor operator()(const Tensor& x) const { return out(hidden(x).relu().dropout(0.3)); }
  template <typename F>
  void visit(F&& f) {
    f("hidden", hidden), f("out", out);
  }
  nn::Linear hidden{6, 8}, out{8, 3};
};

// Losses, gradients, an optimiser, random numbers, small dtypes: no false alarm.
TEST_F(Validate, TrainsOnTheInterpreterWithoutADifference) {
  const OptionsScope scope(on("INTERP"));
  DropoutNet net;
  nn::Adam adam{net};
  const Tensor x = Tensor::randn({5, 6}), labels = Tensor{0, 1, 2, 1, 0};
  for (int i = 0; i < 3; ++i) {
    const TrainingScope training;
    const Tensor loss = net(x).cross_entropy(labels);
    adam.step(loss);
    EXPECT_TRUE(std::isfinite(loss.item<float>()));
  }
  const Tensor half = Tensor::randn({33}).cast(DType::Float16);
  EXPECT_TRUE(std::isfinite((half.exp().sum() / 3).item<float>()));
  const Tensor whole = Tensor::randint({100}, {.low = -5, .high = 5});
  EXPECT_GE((whole % 3 + whole.sum()).min().item<int64_t>(), -500);
}

}  // namespace
}  // namespace tg
