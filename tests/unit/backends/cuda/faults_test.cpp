// What hardware and drivers do wrong, done by a driver of our own: every fault is an error that
// says what to do, and the process goes on.
#include "fake_device.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

using namespace tg::cuda;
using namespace tg::nvidia;

std::string launch_error(Program& program) {
  const std::vector<void*> buffers = {nullptr, nullptr};
  return test::device_error([&] { program.launch(buffers, {}); });
}

// ---- no driver
using CudaDriver = FakeCudaTest;

TEST_F(CudaDriver, ThatIsMissingIsNamed) {
  EXPECT_NE(
      test::device_error([] { open_driver("libcuda-not-there.so"); }).find("libcuda-not-there"),
      std::string::npos);
}

TEST_F(CudaDriver, ThatLacksAFunctionIsTooOld) {
  const std::string text = test::device_error([] { open_driver(TG_OLD_CUDA); });
  EXPECT_NE(text.find("is too old: it has no cuEventCreate. Hint: install NVIDIA's driver"),
            std::string::npos)
      << text;
}

TEST_F(CudaDriver, WithoutADeviceSaysWhereToLook) {
  state().devices.clear();
  const std::string text = test::device_error([&] { device(); });
  EXPECT_NE(text.find("CUDA_ERROR_NO_DEVICE (100)"), std::string::npos) << text;
  EXPECT_NE(text.find("CUDA_VISIBLE_DEVICES"), std::string::npos) << text;
}

TEST_F(CudaDriver, ThatDoesNotStartSaysWhy) {
  fail("cuInit", 803);
  const std::string text = test::device_error([&] { device(); });
  EXPECT_NE(text.find("does not start: error (803)"), std::string::npos) << text;
  EXPECT_NE(text.find("nvidia-smi"), std::string::npos) << text;
}

TEST_F(CudaDriver, ThatIsOlderThanTheCompilerIsRefused) {
  state().driver_version = 12040;
  const std::string text = test::device_error([&] { device(); });
  EXPECT_NE(text.find("the driver is too old: it runs code of CUDA 12.4"), std::string::npos)
      << text;
  EXPECT_NE(text.find("is of CUDA 13.0. Hint: install a newer driver, or set CUDA_PATH"),
            std::string::npos)
      << text;
}

TEST_F(CudaDriver, OfTheSameMajorVersionIsEnough) {
  state().driver_version = 13000;
  state().nvrtc_version = 13020;
  EXPECT_EQ(device().name(), "CUDA");
}

TEST_F(CudaDriver, RefusesAContextWithItsReason) {
  fail("cuDevicePrimaryCtxRetain", 2);
  const std::string text = test::device_error([&] { device(); });
  EXPECT_NE(text.find("cuDevicePrimaryCtxRetain failed: CUDA_ERROR_OUT_OF_MEMORY"),
            std::string::npos)
      << text;
}

TEST_F(CudaDriver, ReleasesTheContextOfADeviceThatDoesNotOpen) {
  fail("cuStreamCreate", 2);
  EXPECT_THROW(device(), DeviceError);
  EXPECT_EQ(state().calls["cuDevicePrimaryCtxRelease"], 1);
}

// ---- devices
using CudaDevices = FakeCudaTest;

TEST_F(CudaDevices, AreNamedByTheirIndex) {
  choice = parse_choice("1");
  EXPECT_EQ(device().name(), "CUDA:1");
}

TEST_F(CudaDevices, ThatAreNotThereListThoseThatAre) {
  choice = parse_choice("2");
  EXPECT_EQ(test::device_error([&] { device(); }),
            "CUDA: there is no device 2: 0 Fake A100, 1 Fake H100.");
}

TEST_F(CudaDevices, TellTheirFacts) {
  EXPECT_EQ(device().target().threads, 4);
  EXPECT_EQ(device().target().local_bytes, 166912);
  EXPECT_EQ(device().memory_bytes(), int64_t{1} << 30);
  EXPECT_EQ(device().compiler(), "NVRTC 13.0 (" + kFakeCuda + ")");
}

TEST_F(CudaDevices, ThatTellNothingGetUsableFacts) {
  state().attributes.clear();
  const Target& t = device().target();
  EXPECT_GT(t.threads, 0);
  EXPECT_GT(t.flops_per_second, 1e9);
  EXPECT_GT(t.bytes_per_second, 1e9);
  EXPECT_GE(t.max_group_size, 32);
  EXPECT_EQ(t.local_bytes, 48 << 10);
}

// ---- a device that is lost
struct Loss {
  int status;
  const char* name;
  const char* advice;
};
class LostDevice : public FakeCudaTest, public ::testing::WithParamInterface<Loss> {};

TEST_P(LostDevice, FailsWithItsReasonAndAWayOut) {
  const auto program = compiled(row_sum());
  fail("cuLaunchKernel", GetParam().status);
  const std::string text = launch_error(*program);
  EXPECT_NE(text.find("the device is lost: launch of row_sum (4 groups of 1 work-items"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(GetParam().name), std::string::npos) << text;
  EXPECT_NE(text.find(GetParam().advice), std::string::npos) << text;
}

TEST_P(LostDevice, SaysTheFirstReasonForEverAfter) {
  const auto program = compiled(row_sum());
  fail("cuLaunchKernel", GetParam().status);
  launch_error(*program);
  const int calls = state().calls["cuLaunchKernel"];
  for (const std::string& text :
       {launch_error(*program), test::device_error([&] { device().synchronize(); }),
        test::device_error([&] { device().allocator().allocate(64); }),
        test::device_error([&] { compiled(lane_moves()); })}) {
    EXPECT_NE(text.find("the device was lost before: launch of row_sum"), std::string::npos)
        << text;
    EXPECT_NE(text.find(GetParam().name), std::string::npos) << text;
  }
  EXPECT_EQ(state().calls["cuLaunchKernel"], calls);
}

INSTANTIATE_TEST_SUITE_P(
    All, LostDevice,
    ::testing::Values(Loss{700, "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "VALIDATE_WITH_CPU=1"},
                      Loss{702, "CUDA_ERROR_LAUNCH_TIMEOUT (702)", "ran longer"},
                      Loss{719, "CUDA_ERROR_LAUNCH_FAILED (719)", "a kernel crashed"},
                      Loss{214, "CUDA_ERROR_ECC_UNCORRECTABLE (214)", "nvidia-smi"}),
    [](const auto& info) { return std::to_string(info.param.status); });

using LostDevices = FakeCudaTest;

TEST_F(LostDevices, ShowAtTheNextWaitWhatAKernelDid) {
  const auto program = compiled(row_sum());
  EXPECT_EQ(launch_error(*program), "no DeviceError");
  fail("cuStreamSynchronize", 700);
  const std::string text = test::device_error([&] { device().synchronize(); });
  EXPECT_NE(text.find("the device is lost: cuStreamSynchronize failed"), std::string::npos) << text;
}

TEST_F(LostDevices, LetCopiesFailWithoutHanging) {
  Allocator& memory = device().allocator();
  const Allocation a = memory.allocate(64);
  fail("cuMemcpyDtoHAsync", 719);
  char to[4];
  EXPECT_NE(test::device_error([&] { memory.copy_out(to, a, 4); }).find("the device is lost"),
            std::string::npos);
  memory.free(a);
}

TEST_F(LostDevices, CloseWithoutAnError) {
  {
    const auto program = compiled(row_sum());
    fail("cuLaunchKernel", 700);
    launch_error(*program);
  }
  EXPECT_NO_THROW(close());
}

// ---- launches that fail and leave the device alive
using FailedLaunch = FakeCudaTest;

TEST_F(FailedLaunch, OfTooManyResourcesLeavesTheDeviceUsable) {
  const auto program = compiled(row_sum());
  fail("cuLaunchKernel", 701);
  const std::string text = launch_error(*program);
  EXPECT_NE(
      text.find("launch of row_sum (4 groups of 1 work-items, 0 bytes of shared memory, 0 bytes in "
                "use) failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
      std::string::npos)
      << text;
  EXPECT_EQ(launch_error(*program), "no DeviceError");
}

TEST_F(FailedLaunch, ForLackOfMemoryIsTriedAgainWithoutTheCache) {
  const auto program = compiled(row_sum());
  device().allocator().free(device().allocator().allocate(1 << 16));
  fail("cuLaunchKernel", 2);
  EXPECT_EQ(launch_error(*program), "no DeviceError");
  EXPECT_EQ(state().held, 0);
}

TEST_F(FailedLaunch, ForLackOfMemoryIsAnErrorWithSizes) {
  const auto program = compiled(row_sum());
  device().allocator().free(device().allocator().allocate(1 << 16));
  fail("cuLaunchKernel", 2, 2);
  const std::string text = launch_error(*program);
  EXPECT_NE(text.find("0 bytes in use) failed: CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos)
      << text;
}

// ---- this machine
TEST(CudaHere, WorksOrSaysWhyNot) {
  const std::string why = missing_device_advice();
  if (find_driver() != nullptr && nvidia::find_nvrtc() != nullptr) {
    EXPECT_EQ(why, "");
    return;
  }
  ASSERT_FALSE(why.empty());
  const std::string text = test::device_error([] { tg::device("CUDA"); });
  EXPECT_NE(text.find("CUDA cannot be used here: " + why.substr(0, why.size() - 1)),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tg::testing
