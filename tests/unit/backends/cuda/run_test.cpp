// Memory, copies, compilation and launches of the backend, on a driver of our own that records what
// it is asked to do.
#include <cstring>
#include <thread>

#include "fake_device.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

using namespace tg::cuda;
using namespace tg::nvidia;

// ---- memory
using CudaMemory = FakeCudaTest;

TEST_F(CudaMemory, IsWhereTheDriverHasIt) {
  Allocator& memory = device().allocator();
  const Allocation a = memory.allocate(1000);
  EXPECT_TRUE(state().blocks.contains(reinterpret_cast<uint64_t>(a.data)));
  EXPECT_EQ(memory.bytes_in_use(), state().held);
  EXPECT_FALSE(memory.host_visible());
  memory.free(a);
}

TEST_F(CudaMemory, IsHandedOutAgainWithoutTheDriver) {
  Allocator& memory = device().allocator();
  const Allocation a = memory.allocate(1000);
  memory.free(a);
  const Allocation b = memory.allocate(1000);
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(state().calls["cuMemAlloc"], 1);
  memory.free(b);
  EXPECT_GT(memory.bytes_cached(), 0);
  EXPECT_GT(memory.release_cached(), 0);
  EXPECT_EQ(state().held, 0);
}

TEST_F(CudaMemory, GivesTheCacheBackBeforeItFails) {
  state().memory_bytes = 4096;
  Allocator& memory = device().allocator();
  memory.free(memory.allocate(1024));
  memory.free(memory.allocate(2048));
  const Allocation all = memory.allocate(4096);
  EXPECT_EQ(memory.bytes_cached(), 0);
  EXPECT_EQ(state().calls["cuMemAlloc"], 4);
  memory.free(all);
}

TEST_F(CudaMemory, FailsWithAllSizes) {
  state().memory_bytes = 4096;
  Allocator& memory = device().allocator();
  const Allocation some = memory.allocate(2048);
  EXPECT_EQ(
      test::device_error([&] { memory.allocate(4096); }),
      "allocate: CUDA has no memory left: 4096 bytes asked for, 2048 in use, 0 cached, at most "
      "4096 in one block. Hint: use a smaller batch, or free tensors that are no longer "
      "needed.");
  memory.free(some);
}

TEST_F(CudaMemory, IsUsableAfterItRanOut) {
  fail("cuMemAlloc", 2);
  EXPECT_THROW(device().allocator().allocate(64), DeviceError);
  const Allocation a = device().allocator().allocate(64);
  device().allocator().free(a);
}

TEST_F(CudaMemory, ReportsOtherFailuresAsTheyAre) {
  fail("cuMemAlloc", 1);
  const std::string text = test::device_error([&] { device().allocator().allocate(64); });
  EXPECT_NE(text.find("cuMemAlloc of"), std::string::npos) << text;
  EXPECT_NE(text.find("error (1)"), std::string::npos) << text;
}

TEST_F(CudaMemory, LeavesNothingBehindWhenTheDeviceCloses) {
  const Allocation a = device().allocator().allocate(100);
  device().allocator().copy_in(a, "hello", 5);
  device().allocator().free(a);
  close();
  EXPECT_EQ(state().held, 0);
  EXPECT_TRUE(state().pinned.empty());
  EXPECT_TRUE(state().events.empty());
  EXPECT_TRUE(state().streams.empty());
  EXPECT_EQ(state().calls["cuDevicePrimaryCtxRelease"], 1);
}

// ---- copies
class CudaCopies : public FakeCudaTest, public ::testing::WithParamInterface<int64_t> {};

TEST_P(CudaCopies, ComeBackAsTheyWent) {
  const int64_t n = GetParam();
  std::vector<char> sent(static_cast<size_t>(n)), got(sent.size(), 'x');
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 31 + i / 251);
  Allocator& memory = device().allocator();
  const Allocation a = memory.allocate(n);
  memory.copy_in(a, sent.data(), n);
  memory.copy_out(got.data(), a, n);
  EXPECT_EQ(sent, got);
  EXPECT_EQ(state().unpinned_copies, 0);
  memory.free(a);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CudaCopies,
                         ::testing::Values(0, 1, 4097, DeviceMemory::kHalf - 1, DeviceMemory::kHalf,
                                           DeviceMemory::kHalf + 1, 2 * DeviceMemory::kHalf,
                                           3 * DeviceMemory::kHalf + 5));

TEST_F(CudaMemory, CopiesIntoTheMiddleOfABlock) {
  Allocator& memory = device().allocator();
  const Allocation a = memory.allocate(64);
  memory.copy_in(a, std::string(64, '.').data(), 64);
  memory.copy_in({static_cast<char*>(a.data) + 10, 5}, "hello", 5);
  std::string got(20, ' ');
  memory.copy_out(got.data(), a, 20);
  EXPECT_EQ(got, "..........hello.....");
  memory.free(a);
}

TEST_F(CudaMemory, DoesNotWaitForTheDeviceToCopyToIt) {
  Allocator& memory = device().allocator();
  const Allocation a = memory.allocate(64);
  memory.copy_in(a, "hello", 5);
  EXPECT_EQ(state().calls["cuStreamSynchronize"], 0);
  memory.free(a);
}

TEST_F(CudaMemory, ReportsACopyThatFails) {
  const Allocation a = device().allocator().allocate(64);
  fail("cuMemcpyHtoDAsync", 1);
  const std::string text = test::device_error([&] { device().allocator().copy_in(a, "hi", 2); });
  EXPECT_NE(text.find("cuMemcpyHtoDAsync of 2 bytes failed"), std::string::npos) << text;
  device().allocator().free(a);
}

// ---- launches
using CudaLaunch = FakeCudaTest;

TEST_F(CudaLaunch, PassesAddressesThenVariablesThenChunks) {
  const auto program = compiled(fibonacci());
  const Allocation a = device().allocator().allocate(8);
  const std::vector<void*> buffers = {a.data};
  const std::vector<int64_t> vars = {7};
  program->launch(buffers, vars);
  ASSERT_EQ(state().launches.size(), 1u);
  const FakeCudaLaunch& l = state().launches[0];
  EXPECT_EQ(l.kernel, "fibonacci");
  EXPECT_EQ(l.arguments, (std::vector<uint64_t>{reinterpret_cast<uint64_t>(a.data), 7, 1}));
  device().allocator().free(a);
}

TEST_F(CudaLaunch, StartsInsideABlockWhereTheBufferDoes) {
  const auto program = compiled(row_sum());
  const Allocation a = device().allocator().allocate(4096);
  const std::vector<void*> buffers = {a.data, static_cast<char*>(a.data) + 1024};
  program->launch(buffers, {});
  EXPECT_EQ(state().launches.at(0).arguments[1], reinterpret_cast<uint64_t>(a.data) + 1024);
  device().allocator().free(a);
}

TEST_F(CudaLaunch, HasABlockForEachChunkAndAThreadForEachWorkItem) {
  const auto program = compiled(reversed_by_work_items());
  const Allocation a = device().allocator().allocate(4096);
  const std::vector<void*> buffers = {a.data, a.data};
  program->launch(buffers, {});
  const FakeCudaLaunch& l = state().launches.at(0);
  EXPECT_EQ(l.grid, (std::array<uint32_t, 3>{37, 1, 1}));
  EXPECT_EQ(l.block, (std::array<uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(l.shared_bytes, 0u);
  device().allocator().free(a);
}

TEST_F(CudaLaunch, HasNoMoreBlocksThanTheDeviceHolds) {
  LinearKernel k = reversed_by_work_items();
  k.chunks = 1 << 20;
  const auto program = compiled(k);
  const std::vector<void*> buffers = {nullptr, nullptr};
  program->launch(buffers, {});
  EXPECT_EQ(state().launches.at(0).grid[0], device().target().max_groups);
  EXPECT_EQ(state().launches.at(0).arguments.back(), uint64_t{1} << 20);
}

TEST_F(CudaLaunch, AsksForSharedMemoryThatIsMoreThanAKernelDeclares) {
  const LinearKernel k = staged_reverse(Space::Scratch, 20000);
  const auto program = compiled(k);
  const std::vector<void*> buffers = {nullptr, nullptr};
  program->launch(buffers, {});
  EXPECT_EQ(state().launches.at(0).shared_bytes, k.scratch_bytes);
  EXPECT_EQ(state().calls["cuFuncSetAttribute"], 1);
}

TEST_F(CudaLaunch, DoesNothingForNoChunks) {
  LinearKernel k = fibonacci();
  k.chunks = 8;
  k.chunk_limit = ChunkLimit{{{0, 1}}, 0, 1, 1};
  const auto program = compiled(k);
  const std::vector<void*> buffers = {nullptr};
  program->launch(buffers, std::vector<int64_t>{0});
  EXPECT_TRUE(state().launches.empty());
  program->launch(buffers, std::vector<int64_t>{3});
  EXPECT_EQ(state().launches.at(0).grid[0], 3u);
}

TEST_F(CudaLaunch, RefusesAnotherNumberOfArguments) {
  const auto program = compiled(fibonacci());
  EXPECT_THROW(program->launch({}, std::vector<int64_t>{1}), InternalError);
}

TEST_F(CudaLaunch, KeepsTheOrderOfCopiesAndKernels) {
  const auto program = compiled(row_sum());
  Allocator& memory = device().allocator();
  const Allocation in = memory.allocate(1024), out = memory.allocate(64);
  state().on_launch = [](const FakeCudaLaunch& l) {
    const auto* from = reinterpret_cast<const float*>(l.arguments[1]);
    *reinterpret_cast<float*>(l.arguments[0]) = from[0] + from[1];
  };
  const std::vector<float> numbers = {3, 4};
  memory.copy_in(in, numbers.data(), 8);
  const std::vector<void*> buffers = {out.data, in.data};
  program->launch(buffers, {});
  float sum = 0;
  memory.copy_out(&sum, out, 4);
  EXPECT_EQ(sum, 7);
  memory.free(in);
  memory.free(out);
}

TEST_F(CudaLaunch, IsTimedByEventsAroundIt) {
  const auto program = compiled(fibonacci());
  state().elapsed_milliseconds = 1.5;
  state().order.clear();
  const std::vector<void*> buffers = {nullptr};
  const std::vector<int64_t> vars = {7};
  EXPECT_DOUBLE_EQ(device().timed({program.get(), buffers, vars}), 1.5e-3);
  std::erase(state().order, "cuCtxSetCurrent");
  EXPECT_EQ(state().order, (std::vector<std::string>{
                               "cuEventCreate", "cuEventCreate", "cuEventRecord", "cuLaunchKernel",
                               "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime"}));
  EXPECT_TRUE(state().events.empty());
}

TEST_F(CudaLaunch, ThatCannotBeTimedSaysSoAndLeavesNoEvent) {
  const auto program = compiled(fibonacci());
  const std::vector<void*> buffers = {nullptr};
  const std::vector<int64_t> vars = {7};
  for (const char* broken : {"cuEventCreate", "cuEventRecord", "cuLaunchKernel",
                             "cuEventSynchronize", "cuEventElapsedTime"}) {
    fail(broken, 1);
    const std::string text =
        test::device_error([&] { device().timed({program.get(), buffers, vars}); });
    const std::string what =
        broken == std::string("cuLaunchKernel") ? "launch of fibonacci" : broken;
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_TRUE(state().events.empty()) << broken;
  }
}

TEST_F(CudaLaunch, RunsFromManyThreads) {
  const auto program = compiled(fibonacci());
  device();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Allocator& memory = device().allocator();
      for (int i = 0; i < 50; ++i) {
        const Allocation a = memory.allocate(64);
        memory.copy_in(a, "0123456", 8);
        const std::vector<void*> buffers = {a.data};
        program->launch(buffers, std::vector<int64_t>{i});
        std::array<char, 8> back{};
        memory.copy_out(back.data(), a, 8);
        EXPECT_STREQ(back.data(), "0123456");
        memory.free(a);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(state().launches.size(), 200u);
}

// ---- compilation
using CudaCompile = FakeCudaTest;

TEST_F(CudaCompile, AsksForThisProcessorAndExactValues) {
  compiled(row_sum());
  const std::vector<std::string>& o = state().options;
  for (const char* wanted : {"--gpu-architecture=sm_80", "--fmad=false", "--std=c++17",
                             "--prec-div=true", "--prec-sqrt=true", "--ftz=false"})
    EXPECT_NE(std::ranges::find(o, wanted), o.end()) << wanted;
}

TEST_F(CudaCompile, TakesMachineCodeFromTheDiskCache) {
  compiled(row_sum());
  close();
  compiled(row_sum());
  EXPECT_EQ(state().calls["nvrtcCompileProgram"], 1);
}

TEST_F(CudaCompile, TellsCompilersAndProcessorsApart) {
  compiled(row_sum());
  close();
  state().attributes[75] = 9;
  compiled(row_sum());
  EXPECT_EQ(state().calls["nvrtcCompileProgram"], 2);
  close();
  state().nvrtc_version = 12080;
  compiled(row_sum());
  EXPECT_EQ(state().calls["nvrtcCompileProgram"], 3);
}

TEST_F(CudaCompile, BuildsAgainWhatADamagedCacheHolds) {
  compiled(row_sum());
  close();
  for (const auto& file : std::filesystem::recursive_directory_iterator(cache())) {
    if (file.is_regular_file()) write_file(file.path(), "no code");
  }
  compiled(row_sum());
  EXPECT_EQ(state().calls["nvrtcCompileProgram"], 2);
}

TEST_F(CudaCompile, BuildsAgainWhatTheDriverDoesNotLoad) {
  compiled(row_sum());
  close();
  fail("cuModuleLoadData", 200);
  compiled(row_sum());
  EXPECT_EQ(state().calls["nvrtcCompileProgram"], 2);
}

TEST_F(CudaCompile, SaysSoWhenTheDriverLoadsNothing) {
  fail("cuModuleLoadData", 200, 2);
  const std::string text = test::device_error([&] { compiled(row_sum()); });
  EXPECT_NE(text.find("cuModuleLoadData of row_sum for sm_80 failed: CUDA_ERROR_INVALID_IMAGE"),
            std::string::npos)
      << text;
}

TEST_F(CudaCompile, KeepsTheSourceOfWhatItCannotCompile) {
  fail("nvrtcCompileProgram", 6);
  const std::string text = test::device_error([&] { compiled(row_sum()); });
  EXPECT_NE(text.find("NVRTC 13.0 cannot compile kernel row_sum: NVRTC_ERROR_COMPILATION\n  "
                      "kernel.cu(1): error: as the test wants it"),
            std::string::npos)
      << text;
  const size_t at = text.find("The source is kept in "), end = text.find(".cu", at);
  ASSERT_NE(end, std::string::npos) << text;
  const std::filesystem::path kept = text.substr(at + 22, end + 3 - at - 22);
  EXPECT_EQ(try_read_file(kept), render_cuda(row_sum(), machine_of(typical_facts(80))));
  std::filesystem::remove(kept);
}

TEST_F(CudaCompile, GivesANewerProcessorTextToTranslate) {
  state().attributes[75] = 12;
  compiled(row_sum());
  EXPECT_EQ(device().target().arch, "compute_90");
  EXPECT_NE(std::ranges::find(state().options, "--gpu-architecture=compute_90"),
            state().options.end());
}

TEST_F(CudaCompile, CompilesSideBySideInTheOrderOfTheKernels) {
  const std::vector<LinearKernel> kernels = all_kernels();
  const auto out = device().compile(kernels);
  ASSERT_EQ(out.size(), kernels.size());
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_NE(out[i].source.find(" " + kernels[i].name + "("), std::string::npos);
}

TEST_F(CudaCompile, UnloadsWhatNobodyHolds) {
  {
    const auto program = compiled(row_sum());
  }
  EXPECT_TRUE(state().modules.empty());
}

}  // namespace
}  // namespace tg::testing
