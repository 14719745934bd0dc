// What goes wrong: kernels that Metal cannot run, a compiler that refuses, a device that stops.
#include <filesystem>

#include "../../renderer/kernels.h"
#include "fake_system.h"

namespace tg::testing {
namespace {

// ---- kernels and compilers
using MetalFault = OnFakeMetal;

TEST_F(MetalFault, DoublePrecisionIsRefusedWithTheKernel) {
  const auto d = open();
  const LinearKernel k = masks();
  const std::string text = test::device_error([&] { d->compile({&k, 1}); });
  EXPECT_TRUE(contains(text, "kernel masks computes in float64, which Metal does not have"))
      << text;
  EXPECT_TRUE(fake->sources.empty());
}

TEST_F(MetalFault, MoreBuffersThanAKernelTakesAreRefused) {
  const auto d = open();
  LinearKernel k = row_sum(4);
  k.params.resize(31);
  const std::string text = test::device_error([&] { d->compile({&k, 1}); });
  EXPECT_TRUE(contains(text, "takes 32 buffers")) << text;
}

TEST_F(MetalFault, MoreThreadgroupMemoryThanTheDeviceHasIsRefused) {
  const auto d = open();
  const LinearKernel k = staged_reverse(Space::Scratch, 10000);
  const std::string text = test::device_error([&] { d->compile({&k, 1}); });
  EXPECT_TRUE(contains(text, "bytes of threadgroup memory, and the device has 32768")) << text;
}

TEST_F(MetalFault, MoreWorkItemsThanThePipelineRunsAreRefused) {
  fake->max_group_size = 4;
  const auto d = open();
  const LinearKernel k = reversed_by_work_items();
  const std::string text = test::device_error([&] { d->compile({&k, 1}); });
  EXPECT_TRUE(contains(text, "groups of 8 work-items, and Fake M1 runs at most 4")) << text;
}

TEST_F(MetalFault, TheSourceOfWhatDoesNotCompileIsKept) {
  fake->compile_error = "program_source:3:1: error: it is broken";
  const auto d = open();
  const LinearKernel k = row_sum(4);
  const std::string text = test::device_error([&] { d->compile({&k, 1}); });
  EXPECT_TRUE(contains(text, "Fake M1 cannot compile kernel row_sum")) << text;
  EXPECT_TRUE(contains(text, "program_source:3:1: error: it is broken")) << text;
  const size_t at = text.find("The source is kept in "), end = text.find(".metal", at);
  ASSERT_NE(end, std::string::npos) << text;
  const std::filesystem::path kept = text.substr(at + 22, end + 6 - at - 22);
  EXPECT_EQ(try_read_file(kept), render_metal(k, {}));
}

TEST_F(MetalFault, OnlyTheFirstLinesOfALongLogAreShown) {
  fake->compile_error.clear();
  for (int i = 0; i < 100; ++i) fake->compile_error += "line " + std::to_string(i) + "\n";
  const auto d = open();
  const LinearKernel k = row_sum(4);
  const std::string text = test::device_error([&] { d->compile({&k, 1}); });
  EXPECT_TRUE(contains(text, "line 7\n  ...")) << text;
  EXPECT_FALSE(contains(text, "line 8")) << text;
}

TEST_F(MetalFault, APipelineThatIsRefusedSaysWhy) {
  fake->pipeline_error = "too many registers";
  const auto d = open();
  const LinearKernel k = row_sum(4);
  EXPECT_TRUE(contains(test::device_error([&] { d->compile({&k, 1}); }), "too many registers"));
}

TEST_F(MetalFault, AFunctionThatIsNotInTheLibraryIsAnError) {
  fake->forgets_functions = true;
  const auto d = open();
  const LinearKernel k = row_sum(4);
  EXPECT_TRUE(contains(test::device_error([&] { d->compile({&k, 1}); }), "no reason given"));
}

TEST_F(MetalFault, ADeviceStaysUsableWhenAKernelFails) {
  const auto d = open();
  const std::vector<LinearKernel> two = {row_sum(4), masks()};
  EXPECT_THROW(d->compile(two), DeviceError);
  EXPECT_EQ(d->compile({two.data(), 1}).size(), 1u);
}

TEST_F(MetalFault, ADeviceWithoutAQueueIsNotOpened) {
  fake->gives_queue = false;
  EXPECT_EQ(test::device_error([&] { open(); }), "METAL: Fake M1 gives no command queue.");
}

// ---- the device stops
class Running : public OnFakeMetal {
 protected:
  void SetUp() override {
    OnFakeMetal::SetUp();
    device_ = open();
    const LinearKernel k = fibonacci();
    program_ = device_->compile({&k, 1})[0].program;
    memory_ = device_->allocator().allocate(64);
  }
  void TearDown() override {
    device_->allocator().free(memory_);
    program_ = {};
    device_.reset();
    OnFakeMetal::TearDown();
  }
  void launch(int64_t n = 1) {
    program_->launch(std::vector<void*>{memory_.data}, std::vector<int64_t>{n});
  }

  std::unique_ptr<Device> device_;
  Ref<Program> program_;
  Allocation memory_;
};

struct Stop {
  int64_t code;
  const char* name;
  const char* advice;
};

class MetalStops : public Running, public ::testing::WithParamInterface<Stop> {};

TEST_P(MetalStops, AnErrorSaysWhichKernelWhyAndWhatToDo) {
  fake->fails_with = GetParam().code;
  fake->fails_because = "the device says this";
  launch();
  const std::string text = test::device_error([&] { device_->synchronize(); });
  EXPECT_TRUE(contains(text, "Fake M1 stopped in kernel fibonacci: the device says this")) << text;
  EXPECT_TRUE(contains(text, "(error " + std::to_string(GetParam().code) + ")")) << text;
  EXPECT_TRUE(contains(text, GetParam().advice)) << text;
}

INSTANTIATE_TEST_SUITE_P(All, MetalStops,
                         ::testing::Values(Stop{1, "Internal", "start the program again"},
                                           Stop{2, "Timeout", "longer than the system allows"},
                                           Stop{3, "PageFault", "VALIDATE_WITH_CPU=1"},
                                           Stop{4, "AccessRevoked", "has barred this process"},
                                           Stop{7, "NotPermitted", "in the background"},
                                           Stop{8, "OutOfMemory", "use a smaller batch"},
                                           Stop{9, "InvalidResource", "outside its arrays"},
                                           Stop{11, "DeviceRemoved", "the device is gone"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Running, ADeviceThatStoppedRunsWhatComesNext) {
  fake->fails_with = 2;
  launch(1);
  EXPECT_THROW(device_->synchronize(), DeviceError);
  fake->fails_with = 0;
  launch(2);
  device_->synchronize();
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(fake->launches[0].numbers[0], 2);
}

TEST_F(Running, AnErrorIsReportedOnce) {
  fake->fails_with = 2;
  launch();
  EXPECT_THROW(device_->synchronize(), DeviceError);
  EXPECT_NO_THROW(device_->synchronize());
}

TEST_F(Running, ACopyReportsWhatStoppedBeforeIt) {
  fake->fails_with = 3;
  launch();
  char byte = 0;
  EXPECT_THROW(device_->allocator().copy_out(&byte, memory_, 1), DeviceError);
}

TEST_F(Running, ALaunchReportsWhatStoppedBeforeIt) {
  fake->runs_at_once = true;
  fake->fails_with = 3;
  launch();
  EXPECT_THROW(launch(), DeviceError);
  fake->fails_with = 0;
  EXPECT_NO_THROW(launch());
}

TEST_F(Running, AnErrorOfAFullCommandBufferNamesItsFirstKernelAndHowManyMore) {
  launch();
  for (int i = 0; i < 5; ++i) launch();
  fake->run = [&](const FakeMetalLaunch&) { fake->fails_with = 2; };
  const std::string text = test::device_error([&] { device_->synchronize(); });
  EXPECT_TRUE(contains(text, "in kernel fibonacci or one of the 4 behind it")) << text;
}

TEST_F(Running, ADeviceThatTakesNoCommandsIsAnError) {
  fake->gives_encoder = false;
  EXPECT_EQ(test::device_error([&] { launch(); }), "launch: Fake M1 takes no more commands.");
  fake->gives_encoder = true;
  EXPECT_NO_THROW(launch());
}

TEST_F(Running, ADeviceMayEndWhileItIsStopped) {
  fake->fails_with = 11;
  launch();
}

}  // namespace
}  // namespace tg::testing
