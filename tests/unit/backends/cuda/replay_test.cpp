// Captured sequences as graphs of the driver: how many calls of it a replay costs, in which order
// the kernels run, and what happens when the driver refuses.
#include <deque>

#include "fake_device.h"
#include "tg/error.h"
#include "tg/log.h"

namespace tg::testing {
namespace {

// A sequence with arrays of its own; each call is fibonacci of one array and one number.
class CudaReplay : public FakeCudaTest {
 protected:
  // One launch of `count` calls, with numbers from `first` on.
  void launch(size_t count, int64_t first, bool varies = false) {
    if (!program_) program_ = compiled(kernel);
    for (size_t i = 0; i < count; ++i) {
      if (varies) varying_.push_back(calls_.size());
      pointers_.push_back({reinterpret_cast<void*>(first * 4096)});
      numbers_.push_back({first + static_cast<int64_t>(i)});
      calls_.push_back({program_.get(), pointers_.back(), numbers_.back()});
    }
    ends_.push_back(calls_.size());
  }
  std::unique_ptr<Replay> prepared() { return device().prepare({calls_, ends_, varying_}); }
  void set_number(size_t call, int64_t n) { numbers_[call][0] = n; }
  int count(const std::string& call) { return state().calls[call]; }
  // What ran since the last question: its numbers.
  std::vector<uint64_t> ran() {
    std::vector<uint64_t> out;
    for (const FakeCudaLaunch& l : state().launches) out.push_back(l.arguments.at(1));
    state().launches.clear();
    return out;
  }
  void forget_counts() {
    state().calls.clear();
    state().order.clear();
  }

  LinearKernel kernel = fibonacci();

 private:
  Ref<Program> program_;
  std::vector<Call> calls_;
  std::vector<size_t> ends_, varying_;
  std::deque<std::array<void*, 1>> pointers_;
  std::deque<std::array<int64_t, 1>> numbers_;
};

using Numbers = std::vector<uint64_t>;

TEST_F(CudaReplay, CostsOneCallOfTheDriver) {
  for (int i = 0; i < 10; ++i) launch(1, 10 * i);
  const auto replay = prepared();
  EXPECT_EQ(count("cuGraphAddKernelNode"), 10);
  EXPECT_EQ(count("cuGraphInstantiate"), 1);
  forget_counts();
  for (int i = 0; i < 3; ++i) replay->run();
  EXPECT_EQ(state().order,
            (std::vector<std::string>{"cuCtxSetCurrent", "cuGraphLaunch", "cuCtxSetCurrent",
                                      "cuGraphLaunch", "cuCtxSetCurrent", "cuGraphLaunch"}));
  EXPECT_EQ(ran().size(), 30u);
}

TEST_F(CudaReplay, RunsLaunchesInOrder) {
  for (int i = 0; i < 5; ++i) launch(1, i);
  prepared()->run();
  EXPECT_EQ(ran(), (Numbers{0, 1, 2, 3, 4}));
}

// The driver of these tests runs what need not wait from the last to the first.
TEST_F(CudaReplay, LetsTheCallsOfOneLaunchRunInAnyOrder) {
  launch(1, 0);
  launch(3, 10);
  launch(2, 20);
  launch(1, 30);
  prepared()->run();
  EXPECT_EQ(ran(), (Numbers{0, 12, 11, 10, 21, 20, 30}));
}

TEST_F(CudaReplay, PutsOneNodeBetweenManyAndMany) {
  launch(1, 0);
  launch(3, 10);
  launch(3, 20);
  launch(1, 30);
  prepared()->run();
  EXPECT_EQ(count("cuGraphAddEmptyNode"), 1);
  EXPECT_EQ(ran(), (Numbers{0, 12, 11, 10, 22, 21, 20, 30}));
}

TEST_F(CudaReplay, TellsTheDriverOnlyOfArgumentsThatHaveChanged) {
  for (int i = 0; i < 6; ++i) launch(1, i, i % 2 == 1);
  const auto replay = prepared();
  replay->run();
  EXPECT_EQ(count("cuGraphExecKernelNodeSetParams"), 0);
  EXPECT_EQ(ran(), (Numbers{0, 1, 2, 3, 4, 5}));
  set_number(3, 33);
  replay->run();
  EXPECT_EQ(count("cuGraphExecKernelNodeSetParams"), 1);
  EXPECT_EQ(ran(), (Numbers{0, 1, 2, 33, 4, 5}));
  replay->run();
  EXPECT_EQ(count("cuGraphExecKernelNodeSetParams"), 1);
  EXPECT_EQ(ran(), (Numbers{0, 1, 2, 33, 4, 5}));
  set_number(1, 11);
  set_number(3, 3);
  replay->run();
  EXPECT_EQ(count("cuGraphExecKernelNodeSetParams"), 3);
  EXPECT_EQ(ran(), (Numbers{0, 11, 2, 3, 4, 5}));
  EXPECT_EQ(count("cuLaunchKernel"), 0);
  EXPECT_EQ(count("cuGraphInstantiate"), 1);
}

TEST_F(CudaReplay, PassesAddressesVariablesAndChunksAsALaunchDoes) {
  kernel.chunks = 8;
  kernel.chunk_limit = ChunkLimit{{{0, 1}}, 0, 1, 1};
  launch(1, 5);
  launch(1, 2, true);
  prepared()->run();
  ASSERT_EQ(state().launches.size(), 2u);
  EXPECT_EQ(state().launches[0].arguments, (Numbers{5 * 4096, 5, 5}));
  EXPECT_EQ(state().launches[0].grid, (std::array<uint32_t, 3>{5, 1, 1}));
  EXPECT_EQ(state().launches[1].arguments, (Numbers{2 * 4096, 2, 2}));
  EXPECT_EQ(state().launches[1].grid, (std::array<uint32_t, 3>{2, 1, 1}));
}

TEST_F(CudaReplay, OfNoChunksIsABlockThatFindsNothingToDo) {
  kernel.chunks = 8;
  kernel.chunk_limit = ChunkLimit{{{0, 1}}, 0, 1, 1};
  launch(1, 5);
  launch(1, 2, true);
  const auto replay = prepared();
  set_number(1, 0);
  replay->run();
  EXPECT_EQ(state().launches.at(1).arguments, (Numbers{2 * 4096, 0, 0}));
  EXPECT_EQ(state().launches.at(1).grid[0], 1u);
  set_number(1, 7);
  replay->run();
  EXPECT_EQ(state().launches.at(3).grid[0], 7u);
}

TEST_F(CudaReplay, AsksForSharedMemoryAsALaunchDoes) {
  kernel = staged_reverse(Space::Scratch, 20000);
  const auto program = compiled(kernel);
  const std::vector<void*> pointers = {nullptr, nullptr};
  const std::vector<Call> calls(2, Call{program.get(), pointers, {}});
  const std::vector<size_t> ends = {1, 2};
  device().prepare({calls, ends, {}})->run();
  EXPECT_EQ(state().launches.at(1).shared_bytes, kernel.scratch_bytes);
}

TEST_F(CudaReplay, OfOneKernelIsALaunch) {
  launch(1, 3, true);
  const auto replay = prepared();
  replay->run();
  EXPECT_EQ(count("cuGraphCreate"), 0);
  EXPECT_EQ(count("cuLaunchKernel"), 1);
}

TEST_F(CudaReplay, RefusesAnotherNumberOfArguments) {
  const auto program = compiled(kernel);
  const std::vector<Call> calls(2, Call{program.get(), {}, {}});
  const std::vector<size_t> ends = {1, 2};
  EXPECT_THROW(device().prepare({calls, ends, {}}), InternalError);
  EXPECT_TRUE(state().graphs.empty());
}

TEST_F(CudaReplay, LeavesNothingWithTheDriver) {
  launch(2, 0);
  launch(2, 10, true);
  {
    const auto replay = prepared();
  }
  EXPECT_TRUE(state().graphs.empty());
  EXPECT_TRUE(state().graph_execs.empty());
}

// ---- what the driver refuses
class CudaReplayWithout : public CudaReplay, public ::testing::WithParamInterface<const char*> {};

TEST_P(CudaReplayWithout, LaunchesOneByOneAndSaysWhy) {
  Options o = options();
  o.debug = 1;
  const OptionsScope scope(o);
  std::string log;
  const LogSink before = set_log_sink([&](std::string_view line) { log += line; });
  launch(2, 0);
  launch(3, 10, true);
  launch(1, 20);
  fail(GetParam(), 1);
  const auto replay = prepared();
  set_log_sink(before);
  EXPECT_NE(log.find(GetParam()), std::string::npos) << log;
  EXPECT_NE(log.find("are launched one by one"), std::string::npos) << log;
  EXPECT_TRUE(state().graphs.empty());
  set_number(2, 12);
  replay->run();
  EXPECT_EQ(ran(), (Numbers{0, 1, 12, 11, 12, 20}));
  EXPECT_EQ(count("cuGraphLaunch"), 0);
}

INSTANTIATE_TEST_SUITE_P(All, CudaReplayWithout,
                         ::testing::Values("cuGraphCreate", "cuGraphAddKernelNode",
                                           "cuGraphAddEmptyNode", "cuGraphInstantiate"));

TEST_F(CudaReplay, GivesTheCacheBackBeforeItFails) {
  launch(2, 0);
  launch(1, 10);
  device().allocator().free(device().allocator().allocate(1000));
  fail("cuGraphInstantiate", 2);
  const auto replay = prepared();
  EXPECT_EQ(device().allocator().bytes_cached(), 0);
  EXPECT_EQ(count("cuGraphInstantiate"), 2);
  device().allocator().free(device().allocator().allocate(1000));
  fail("cuGraphLaunch", 2);
  replay->run();
  EXPECT_EQ(device().allocator().bytes_cached(), 0);
  EXPECT_EQ(ran().size(), 3u);
}

TEST_F(CudaReplay, SetsArgumentsAgainThatTheDriverDidNotTake) {
  launch(1, 0);
  launch(1, 10, true);
  const auto replay = prepared();
  set_number(1, 11);
  fail("cuGraphExecKernelNodeSetParams", 1);
  const std::string text = test::device_error([&] { replay->run(); });
  EXPECT_NE(text.find("cuGraphExecKernelNodeSetParams of fibonacci failed"), std::string::npos)
      << text;
  EXPECT_TRUE(ran().empty());
  replay->run();
  EXPECT_EQ(ran(), (Numbers{0, 11}));
}

TEST_F(CudaReplay, OnALostDeviceSaysSo) {
  launch(1, 0);
  launch(1, 10);
  const auto replay = prepared();
  fail("cuGraphLaunch", 700);
  const std::string text = test::device_error([&] { replay->run(); });
  EXPECT_NE(text.find("the device is lost: cuGraphLaunch failed: CUDA_ERROR_ILLEGAL_ADDRESS"),
            std::string::npos)
      << text;
  EXPECT_NE(test::device_error([&] { replay->run(); }).find("the device was lost before"),
            std::string::npos);
}

}  // namespace
}  // namespace tg::testing
