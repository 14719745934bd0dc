// Compiling for an architecture and running nothing, by a compiler of our own.
#include "backends/nvidia/cubin_device.h"

#include "../cuda/fake_device.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

using namespace tg::nvidia;

class CubinOnly : public FakeCudaTest {
 protected:
  const Nvrtc nvrtc{kFakeCuda};
};

TEST_F(CubinOnly, ReportsWhatEachKernelTakes) {
  CubinDevice d(nvrtc, "sm_90a", "CUDA:SM_90A");
  const std::vector<LinearKernel> kernels = {row_sum(), reversed_by_work_items()};
  EXPECT_EQ(d.compile(kernels).size(), 2u);
  const auto reports = d.reports();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1].kernel, "reversed_by_work_items");
  EXPECT_EQ(reports[1].group_size, 8);
  EXPECT_EQ(reports[1].use.registers, 24);
  EXPECT_EQ(reports[1].use.spilled_bytes, 8);
  EXPECT_EQ(reports[1].use.stack_bytes, 16);
  EXPECT_EQ(reports[1].use.shared_bytes, 1024);
  EXPECT_GT(reports[1].cubin_bytes, 100);
}

TEST_F(CubinOnly, CountsSharedMemoryOfTheLaunch) {
  const LinearKernel k = staged_reverse(Space::Scratch, 20000);
  EXPECT_EQ(compile_image(nvrtc, k, "sm_80").image.use.shared_bytes, 1024 + k.scratch_bytes);
}

TEST_F(CubinOnly, RunsNothing) {
  CubinDevice d(nvrtc, "sm_80", "CUDA:SM_80");
  const LinearKernel k = row_sum();
  const auto program = d.compile({&k, 1})[0].program;
  const std::vector<void*> buffers = {nullptr, nullptr};
  program->launch(buffers, {});
  EXPECT_TRUE(state().launches.empty());
  EXPECT_THROW(program->launch({}, {}), InternalError);
}

TEST_F(CubinOnly, RefusesAnArchitectureThatTheCompilerDoesNotKnow) {
  const std::string text = test::device_error([&] { CubinDevice(nvrtc, "sm_61", "CUDA:SM_61"); });
  EXPECT_NE(text.find("makes no code for sm_61: it knows 75, 80, 90"), std::string::npos) << text;
}

}  // namespace
}  // namespace tg::testing
