// Captured sequences as commands that Metal keeps: what is sent at each replay, in which order the
// kernels run, what is written again, and when the host must wait before it writes.
#include <deque>

#include "../../renderer/kernels.h"
#include "fake_system.h"
#include "tg/log.h"

namespace tg::testing {
namespace {

// A sequence with arrays of its own; each call is fibonacci of one array and one number.
class MetalReplay : public OnFakeMetal {
 protected:
  void TearDown() override {
    program_ = {};
    if (memory.data != nullptr) device().allocator().free(memory);
    device_.reset();
    OnFakeMetal::TearDown();
  }
  Device& device() {
    if (!device_) device_ = open();
    return *device_;
  }
  // One launch of `count` calls, with numbers from `first` on.
  void launch(size_t count, int64_t first, bool varies = false) {
    if (!program_) program_ = device().compile({&kernel, 1})[0].program;
    if (memory.data == nullptr) memory = device().allocator().allocate(4096);
    for (size_t i = 0; i < count; ++i) {
      if (varies) varying_.push_back(calls_.size());
      pointers_.push_back({memory.data});
      numbers_.push_back({first + static_cast<int64_t>(i)});
      calls_.push_back({program_.get(), pointers_.back(), numbers_.back()});
    }
    ends_.push_back(calls_.size());
  }
  std::unique_ptr<Replay> prepared() { return device().prepare({calls_, ends_, varying_}); }
  void set_number(size_t call, int64_t n) { numbers_[call][0] = n; }
  void set_array(size_t call, const Allocation& a) { pointers_[call][0] = a.data; }
  // What ran since the last question: its numbers.
  std::vector<int64_t> ran() {
    device().synchronize();
    std::vector<int64_t> out;
    for (const FakeMetalLaunch& l : fake->launches) out.push_back(l.numbers.at(0));
    fake->launches.clear();
    return out;
  }
  int64_t messages() const {
    int64_t sum = 0;
    for (const auto& [what, times] : fake->messages) sum += times;
    return sum;
  }

  LinearKernel kernel = fibonacci();
  Allocation memory;

 private:
  std::unique_ptr<Device> device_;
  Ref<Program> program_;
  std::vector<Call> calls_;
  std::vector<size_t> ends_, varying_;
  std::deque<std::array<void*, 1>> pointers_;
  std::deque<std::array<int64_t, 1>> numbers_;
};

using Numbers = std::vector<int64_t>;

TEST_F(MetalReplay, SendsAsManyMessagesForManyKernelsAsForFew) {
  fake->runs_at_once = true;
  fake->family = 9;
  launch(1, 0);
  launch(1, 1);
  const auto few = prepared();
  for (int i = 2; i < 100; ++i) launch(1, i);
  const auto many = prepared();
  few->run();
  fake->messages.clear();
  few->run();
  const int64_t of_few = messages();
  fake->messages.clear();
  many->run();
  EXPECT_EQ(messages(), of_few);
  EXPECT_LE(of_few, 24);
  EXPECT_EQ(fake->messages["executeCommandsInBuffer:withRange:"], 1);
  EXPECT_EQ(fake->messages["dispatchThreadgroups:threadsPerThreadgroup:"], 0);
  EXPECT_EQ(fake->messages["setKernelBuffer:offset:atIndex:"], 0);
  EXPECT_EQ(ran().size(), 104u);
}

TEST_F(MetalReplay, RunsLaunchesInOrder) {
  for (int i = 0; i < 5; ++i) launch(1, i);
  prepared()->run();
  EXPECT_EQ(ran(), (Numbers{0, 1, 2, 3, 4}));
}

// The device of these tests runs what need not wait from the last to the first.
TEST_F(MetalReplay, LetsTheCallsOfOneLaunchRunInAnyOrder) {
  launch(1, 0);
  launch(1, 5);
  launch(3, 10);
  launch(2, 20);
  launch(1, 30);
  launch(1, 40);
  const auto replay = prepared();
  replay->run();
  EXPECT_EQ(fake->messages["executeCommandsInBuffer:withRange:"], 4);
  EXPECT_EQ(fake->messages["memoryBarrierWithScope:"], 3);
  EXPECT_EQ(ran(), (Numbers{0, 5, 12, 11, 10, 21, 20, 30, 40}));
}

TEST_F(MetalReplay, ComesAfterWhatWasLaunchedBefore) {
  launch(1, 0);
  launch(1, 1);
  const auto replay = prepared();
  Device& d = device();
  const CompiledKernel other = d.compile({&kernel, 1})[0];
  const std::vector<void*> buffers = {memory.data};
  for (int64_t i = 100; i < 103; ++i) other.program->launch(buffers, std::vector<int64_t>{i});
  replay->run();
  other.program->launch(buffers, std::vector<int64_t>{200});
  d.synchronize();
  ASSERT_EQ(fake->launches.size(), 6u);
  EXPECT_EQ(fake->launches[3].barriers, fake->launches[2].barriers + 1);
  EXPECT_EQ(ran(), (Numbers{100, 101, 102, 0, 1, 200}));
}

TEST_F(MetalReplay, WritesOnlyArgumentsThatHaveChanged) {
  for (int i = 0; i < 6; ++i) launch(1, i, i % 2 == 1);
  const auto replay = prepared();
  const auto written = [&] { return fake->messages["indirectComputeCommandAtIndex:"]; };
  replay->run();
  replay->run();
  EXPECT_EQ(ran(), (Numbers{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
  fake->messages.clear();
  set_number(3, 33);
  replay->run();
  EXPECT_EQ(written(), 1);
  replay->run();
  EXPECT_EQ(written(), 2) << "the other copy of the commands";
  replay->run();
  EXPECT_EQ(written(), 2);
  EXPECT_EQ(ran(), (Numbers{0, 1, 2, 33, 4, 5, 0, 1, 2, 33, 4, 5, 0, 1, 2, 33, 4, 5}));
  EXPECT_EQ(fake->messages["setKernelBuffer:offset:atIndex:"], 0) << "numbers are no command";
  const Allocation other = device().allocator().allocate(64);
  set_array(3, other);
  replay->run();
  EXPECT_EQ(fake->messages["setKernelBuffer:offset:atIndex:"], 1);
  EXPECT_EQ(fake->messages["concurrentDispatchThreadgroups:threadsPerThreadgroup:"], 0);
  device().synchronize();
  EXPECT_NE(fake->launches.at(3).buffers[0], fake->launches.at(2).buffers[0]);
  device().allocator().free(other);
}

TEST_F(MetalReplay, DoesNotWaitForTheRunBefore) {
  launch(1, 0);
  launch(1, 1, true);
  const auto replay = prepared();
  set_number(1, 10);
  replay->run();
  set_number(1, 11);
  replay->run();
  EXPECT_EQ(fake->messages["waitUntilCompleted"], 0);
  EXPECT_TRUE(fake->launches.empty());
  set_number(1, 12);
  replay->run();
  EXPECT_EQ(fake->messages["waitUntilCompleted"], 1) << "for the one before the last";
  EXPECT_EQ(fake->launches.size(), 2u);
  EXPECT_EQ(ran(), (Numbers{0, 10, 0, 11, 0, 12}));
}

TEST_F(MetalReplay, WithoutAnythingThatVariesNeverWaits) {
  launch(1, 0);
  launch(1, 1);
  const auto replay = prepared();
  for (int i = 0; i < 10; ++i) replay->run();
  EXPECT_EQ(fake->messages["waitUntilCompleted"], 0);
  EXPECT_EQ(fake->messages["newIndirectCommandBufferWithDescriptor:maxCommandCount:options:"], 1);
  EXPECT_EQ(ran().size(), 20u);
}

TEST_F(MetalReplay, FollowsTheNumberOfChunks) {
  kernel.chunks = 8;
  kernel.chunk_limit = ChunkLimit{.terms = {{0, 1}}};
  launch(1, 5);
  launch(1, 2, true);
  const auto replay = prepared();
  for (const int64_t n : {2, 0, 7}) {
    set_number(1, n);
    replay->run();
    device().synchronize();
    const FakeMetalLaunch& l = fake->launches.back();
    EXPECT_EQ(l.numbers, (Numbers{n, n}));
    EXPECT_EQ(l.groups, static_cast<uint64_t>(std::max<int64_t>(n, 1)));
  }
}

TEST_F(MetalReplay, FindsABufferAgainThatTheSystemPutWhereAnotherWas) {
  launch(1, 0);
  launch(1, 1, true);
  const auto replay = prepared();
  for (int i = 0; i < 6; ++i) {
    const Allocation a = device().allocator().allocate(1 << 16);
    set_array(1, a);
    replay->run();
    device().synchronize();
    device().allocator().free(a);
    EXPECT_GT(device().allocator().release_cached(), 0);
  }
  const Allocation a = device().allocator().allocate(64);
  set_array(1, a);
  replay->run();
  EXPECT_EQ(ran().size(), 14u);
  device().allocator().free(a);
}

TEST_F(MetalReplay, NamesPipelinesToDevicesThatDoNotFindThem) {
  launch(1, 0);
  launch(1, 1);
  const auto replay = prepared();  // family 7: the device of these tests checks it
  fake->messages.clear();
  replay->run();
  EXPECT_EQ(fake->messages["setComputePipelineState:"], 1);
  EXPECT_EQ(ran().size(), 2u);
}

TEST_F(MetalReplay, OfOneKernelIsALaunch) {
  launch(1, 3, true);
  prepared()->run();
  EXPECT_EQ(fake->messages["newIndirectCommandBufferWithDescriptor:maxCommandCount:options:"], 0);
  EXPECT_EQ(ran(), Numbers{3});
}

TEST_F(MetalReplay, RefusesAnotherNumberOfArguments) {
  const Ref<Program> program = device().compile({&kernel, 1})[0].program;
  const std::vector<Call> calls(2, Call{program.get(), {}, {}});
  const std::vector<size_t> ends = {1, 2};
  EXPECT_THROW(device().prepare({calls, ends, {}}), InternalError);
}

TEST_F(MetalReplay, ThatStillRunsIsWaitedForWhenItGoes) {
  launch(1, 0);
  launch(1, 1, true);
  {
    const auto replay = prepared();
    replay->run();
    EXPECT_TRUE(fake->launches.empty());
  }
  EXPECT_EQ(fake->launches.size(), 2u);
}

// ---- faults
TEST_F(MetalReplay, OnASystemThatRecordsNothingIsLaunchedOneByOne) {
  fake->records = false;
  Options o = options();
  o.debug = 1;
  const OptionsScope verbose(o);
  std::string log;
  const LogSink before = set_log_sink([&](std::string_view line) { log += line; });
  launch(2, 0);
  launch(1, 10, true);
  const auto replay = prepared();
  set_log_sink(before);
  EXPECT_TRUE(contains(log, "Fake M1 records no commands")) << log;
  set_number(2, 12);
  replay->run();
  EXPECT_EQ(ran(), (Numbers{0, 1, 12}));
}

TEST_F(MetalReplay, WithoutMemoryForNumbersIsLaunchedOneByOne) {
  launch(1, 0);
  launch(1, 1);
  fake->room = fake->held;
  const auto replay = prepared();
  fake->room = int64_t{1} << 30;
  replay->run();
  EXPECT_EQ(fake->messages["executeCommandsInBuffer:withRange:"], 0);
  EXPECT_EQ(ran(), (Numbers{0, 1}));
}

TEST_F(MetalReplay, ThatFailsNamesItsFirstKernelAndRunsAgain) {
  launch(1, 0);
  launch(1, 1, true);
  const auto replay = prepared();
  fake->fails_with = 2;
  replay->run();
  const std::string text = test::device_error([&] { device().synchronize(); });
  EXPECT_TRUE(contains(text, "fibonacci")) << text;
  EXPECT_TRUE(contains(text, "ran for longer than the system allows")) << text;
  fake->fails_with = 0;
  set_number(1, 5);
  replay->run();
  EXPECT_EQ(ran(), (Numbers{0, 5}));
}

TEST_F(MetalReplay, ThatFailedIsFoundBeforeItsCommandsAreWrittenAgain) {
  launch(1, 0);
  launch(1, 1, true);
  const auto replay = prepared();
  fake->fails_with = 8;
  replay->run();
  replay->run();
  set_number(1, 7);
  EXPECT_TRUE(contains(test::device_error([&] { replay->run(); }), "fibonacci"));
  fake->fails_with = 0;
  replay->run();
  EXPECT_EQ(ran(), (Numbers{0, 7}));
}

TEST_F(MetalReplay, ThatFailsAsItGoesHasNobodyToTell) {
  launch(1, 0);
  launch(1, 1);
  {
    const auto replay = prepared();
    fake->fails_with = 3;
    replay->run();
  }
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(MetalReplay, IsRefusedByADeviceThatTakesNoCommands) {
  launch(1, 0);
  launch(1, 1);
  const auto replay = prepared();
  fake->gives_encoder = false;
  EXPECT_TRUE(
      contains(test::device_error([&] { replay->run(); }), "Fake M1 takes no more commands"));
  fake->gives_encoder = true;
  replay->run();
  EXPECT_EQ(ran(), (Numbers{0, 1}));
}

}  // namespace
}  // namespace tg::testing
