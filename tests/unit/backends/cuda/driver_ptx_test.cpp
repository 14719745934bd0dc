// Devices whose kernels are written in PTX: the driver assembles them, and no compiler is asked.
#include "fake_device.h"
#include "renderer/ptx.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

using namespace tg::cuda;
using namespace tg::nvidia;

class DriverPtx : public FakeCudaTest {
 protected:
  CudaDevice& ptx_device() {
    if (!driver_) driver_ = open_driver(kFakeCuda);
    if (!device_)
      device_ = std::make_unique<CudaDevice>(*driver_, nullptr, nvidia::Choice{.ptx = true});
    return *device_;
  }
  CompiledKernel assembled(const LinearKernel& k) {
    return std::move(ptx_device().compile({&k, 1})[0]);
  }

 private:
  std::unique_ptr<const Driver> driver_;
  std::unique_ptr<CudaDevice> device_;
};

TEST_F(DriverPtx, HasANameOfItsOwn) {
  EXPECT_EQ(ptx_device().name(), "CUDA:PTX");
  EXPECT_EQ(ptx_device().compiler(), "the driver's assembler, CUDA 13.0");
}

TEST_F(DriverPtx, IsGivenToTheDriverAsItIsWritten) {
  const LinearKernel k = reversed_by_work_items();
  const CompiledKernel made = assembled(k);
  EXPECT_EQ(made.source, render_ptx(k, {.arch = "sm_80", .local_bytes = 166912}));
  EXPECT_EQ(state().calls["cuModuleLoadDataEx"], 1);
  EXPECT_EQ(state().calls["nvrtcCompileProgram"], 0);
}

TEST_F(DriverPtx, IsForTheProcessorThatIsThere) {
  state().attributes[75] = 9;
  EXPECT_TRUE(assembled(row_sum()).source.starts_with(".version 7.8\n.target sm_90\n"));
}

TEST_F(DriverPtx, IsLaunchedWithTheArgumentsOfCudaC) {
  const CompiledKernel made = assembled(fibonacci());
  const Allocation a = ptx_device().allocator().allocate(8);
  const std::vector<void*> buffers = {a.data};
  const std::vector<int64_t> vars = {20};
  made.program->launch(buffers, vars);
  ASSERT_EQ(state().launches.size(), 1u);
  const FakeCudaLaunch& l = state().launches[0];
  EXPECT_EQ(l.kernel, "fibonacci");
  EXPECT_EQ(l.arguments, (std::vector<uint64_t>{reinterpret_cast<uint64_t>(a.data), 20, 1}));
  ptx_device().allocator().free(a);
}

TEST_F(DriverPtx, ThatTheAssemblerRefusesIsAnErrorWithItsWords) {
  fail("cuModuleLoadDataEx", 218);
  const std::string text = test::device_error([&] { assembled(row_sum()); });
  EXPECT_NE(text.find("the driver's assembler cannot compile kernel row_sum"), std::string::npos)
      << text;
  EXPECT_NE(text.find("ptxas: line 7; error"), std::string::npos) << text;
  const size_t at = text.find("kept in "), end = text.find(".ptx.", at);
  ASSERT_NE(end, std::string::npos) << text;
  std::filesystem::remove(text.substr(at + 8, end + 4 - at - 8));
}

TEST_F(DriverPtx, IsLoadedOnceMoreWhenMemoryWasGivenBack) {
  Allocator& memory = ptx_device().allocator();
  memory.free(memory.allocate(1000));
  fail("cuModuleLoadDataEx", 2);
  EXPECT_TRUE(assembled(row_sum()).program);
  EXPECT_EQ(state().calls["cuModuleLoadDataEx"], 2);
}

TEST_F(DriverPtx, IsNotWrittenForProcessorsBeforeTuring) {
  state().attributes[75] = 7;
  const std::string text = test::device_error([&] { ptx_device(); });
  EXPECT_NE(text.find("compute capability 7.5 and later"), std::string::npos) << text;
}

}  // namespace
}  // namespace tg::testing
