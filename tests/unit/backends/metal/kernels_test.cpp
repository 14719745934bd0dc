// Memory, compilation and launches: what the device gets, and when. Kernels are run by the
// interpreter on the memory that the launch names, so their results show that all of it arrived.
#include <cstring>
#include <map>
#include <thread>

#include "../../renderer/kernels.h"
#include "fake_system.h"
#include "runtime/device.h"

namespace tg::testing {
namespace {

using Bytes = std::vector<char>;

std::vector<LinearKernel> four_lane_kernels() {
  return {masked_axpy(4),
          row_sum(4),
          small_matmul(4),
          fibonacci(),
          row_argmax(),
          gather_scatter(4),
          odd_only(),
          floor_division(),
          shifted(),
          lane_reductions(4),
          half_increment(4),
          staged_reverse(Space::Scratch, 0),
          staged_reverse(Space::Reg, 0),
          reversed_by_work_items(),
          wrapping_sums()};
}

// Contents of all arguments: small numbers that are valid as floats, as indices and as bools.
std::vector<Bytes> inputs_of(const LinearKernel& k) {
  std::vector<Bytes> out(k.params.size(), Bytes(64));
  for (const UOp& u : k.ops) {
    if (!u.is(Op::Param)) continue;
    Bytes& bytes = out[static_cast<size_t>(u.arg(0))];
    const int64_t size = dtype_size(u.dtype());
    bytes.assign(static_cast<size_t>(u.numel() * size), 0);
    for (int64_t i = 0; i < u.numel(); ++i) {
      const int64_t v = is_bool(u.dtype()) ? i % 2 : (i * 7 + u.arg(0) * 3) % 11 - 1;
      const uint64_t raw = Scalar::of_int(v, u.dtype()).to_memory();
      std::memcpy(bytes.data() + i * size, &raw, static_cast<size_t>(size));
    }
  }
  return out;
}

std::vector<Bytes> run_on(Device& d, const LinearKernel& k, std::vector<Bytes> contents,
                          const std::vector<int64_t>& vars) {
  const CompiledKernel compiled = d.compile({&k, 1})[0];
  std::vector<Allocation> held;
  std::vector<void*> pointers;
  for (const Bytes& b : contents) {
    held.push_back(d.allocator().allocate(std::ssize(b)));
    d.allocator().copy_in(held.back(), b.data(), std::ssize(b));
    pointers.push_back(held.back().data);
  }
  compiled.program->launch(pointers, vars);
  for (size_t i = 0; i < contents.size(); ++i) {
    d.allocator().copy_out(contents[i].data(), held[i], std::ssize(contents[i]));
    d.allocator().free(held[i]);
  }
  return contents;
}

// ---- memory
using MetalMemory = OnFakeMetal;

TEST_F(MetalMemory, HoldsWhatIsCopiedInto) {
  const auto d = open();
  const std::string text = "what was copied";
  const Allocation a = d->allocator().allocate(100);
  d->allocator().copy_in(a, text.data(), std::ssize(text));
  std::string back(text.size(), ' ');
  d->allocator().copy_out(back.data(), a, std::ssize(back));
  EXPECT_EQ(back, text);
  d->allocator().free(a);
}

TEST_F(MetalMemory, CopiesToAndFromTheMiddleOfABlock) {
  const auto d = open();
  const Allocation a = d->allocator().allocate(256);
  const Bytes zeros(256);
  d->allocator().copy_in(a, zeros.data(), 256);
  const Allocation part{static_cast<char*>(a.data) + 100, 8};
  d->allocator().copy_in(part, "eight by", 8);
  Bytes all(256);
  d->allocator().copy_out(all.data(), a, 256);
  EXPECT_EQ(std::string(all.begin() + 100, all.begin() + 108), "eight by");
  EXPECT_EQ(all[99] + all[108], 0);
  d->allocator().free(a);
}

TEST_F(MetalMemory, OfTheCacheIsGivenBackOnRequest) {
  const auto d = open();
  d->allocator().free(d->allocator().allocate(1 << 20));
  const int64_t held = fake->held;
  EXPECT_GE(held, 1 << 20);
  EXPECT_EQ(d->allocator().release_cached(), held);
  EXPECT_EQ(fake->held, 0);
}

TEST_F(MetalMemory, IsKeptForTheNextOfItsSize) {
  const auto d = open();
  d->allocator().free(d->allocator().allocate(1000));
  const int64_t held = fake->held;
  d->allocator().free(d->allocator().allocate(1000));
  EXPECT_EQ(fake->held, held);
}

TEST_F(MetalMemory, OfTheCacheIsGivenBackBeforeARequestFails) {
  fake->room = 4096;
  const auto d = open();
  d->allocator().free(d->allocator().allocate(1024));
  d->allocator().free(d->allocator().allocate(2048));
  const Allocation all = d->allocator().allocate(4096);
  EXPECT_EQ(fake->held, 4096);
  d->allocator().free(all);
}

TEST_F(MetalMemory, ThatIsNotThereIsAnErrorWithAllSizes) {
  fake->room = 4096;
  const auto d = open();
  const Allocation some = d->allocator().allocate(2048);
  const std::string text = test::device_error([&] { d->allocator().allocate(4096); });
  EXPECT_TRUE(contains(text, "METAL has no memory left: 4096 bytes asked for, 2048 in use"))
      << text;
  d->allocator().free(some);
}

TEST_F(MetalMemory, OfMoreThanOneBufferHoldsIsRefused) {
  const auto d = open();
  const std::string text =
      test::device_error([&] { d->allocator().allocate((int64_t{1} << 30) + 1); });
  EXPECT_TRUE(contains(text, "at most 1073741824 in one block")) << text;
}

// ---- compilation
using MetalCompiler = OnFakeMetal;

TEST_F(MetalCompiler, GetsTheSourceThatIsShown) {
  const auto d = open();
  const LinearKernel k = row_sum(4);
  const std::string shown = d->compile({&k, 1})[0].source;
  EXPECT_EQ(fake->sources, std::vector<std::string>{shown});
  EXPECT_EQ(shown, render_metal(k, {}));
}

TEST_F(MetalCompiler, IsToldToKeepValues) {
  const auto d = open();
  const LinearKernel k = row_sum(4);
  d->compile({&k, 1});
  EXPECT_EQ(fake->fast_math, 0);
  EXPECT_EQ(fake->math_mode, 0);
}

TEST_F(MetalCompiler, OfOlderSystemsIsNotAskedForWhatItDoesNotKnow) {
  fake->has_math_mode = false;
  const auto d = open();
  const LinearKernel k = row_sum(4);
  d->compile({&k, 1});
  EXPECT_EQ(fake->fast_math, 0);
  EXPECT_EQ(fake->math_mode, -1);
}

TEST_F(MetalCompiler, GivesProgramsInTheOrderOfTheKernels) {
  const auto d = open();
  const std::vector<LinearKernel> kernels = four_lane_kernels();
  const std::vector<CompiledKernel> compiled = d->compile(kernels);
  ASSERT_EQ(compiled.size(), kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i)
    EXPECT_TRUE(contains(compiled[i].source, "kernel void " + kernels[i].name + "("));
}

// ---- launches
using MetalLaunch = OnFakeMetal;

TEST_F(MetalLaunch, BindsBuffersBySlotFromWhereTheyStart) {
  const auto d = open();
  const LinearKernel k = row_sum(4);
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(4096);
  char* start = static_cast<char*>(a.data);
  compiled.program->launch(std::vector<void*>{start + 1024, start + 64}, {});
  d->synchronize();
  ASSERT_EQ(fake->launches.size(), 1u);
  const FakeMetalLaunch& l = fake->launches[0];
  ASSERT_EQ(l.buffers.size(), 2u);
  EXPECT_EQ(l.buffers[0] - l.buffers[1], 1024 - 64);
  EXPECT_EQ(l.name, "row_sum");
  d->allocator().free(a);
}

TEST_F(MetalLaunch, BindsNothingForAnArrayWithoutMemory) {
  const auto d = open();
  const LinearKernel k = row_sum(4);
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  compiled.program->launch(std::vector<void*>{a.data, nullptr}, {});
  d->synchronize();
  EXPECT_EQ(fake->launches.at(0).buffers.at(1), nullptr);
  d->allocator().free(a);
}

TEST_F(MetalLaunch, PutsTheVariablesAndTheEndBehindTheBuffers) {
  const auto d = open();
  const LinearKernel k = fibonacci();
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{17});
  d->synchronize();
  EXPECT_EQ(fake->launches.at(0).numbers, (std::vector<int64_t>{17, 1}));
  d->allocator().free(a);
}

TEST_F(MetalLaunch, HasAGroupAChunkAndTheWorkItemsOfTheKernel) {
  const auto d = open();
  const LinearKernel k = reversed_by_work_items();
  run_on(*d, k, inputs_of(k), {});
  EXPECT_EQ(fake->launches.at(0).groups, 37u);
  EXPECT_EQ(fake->launches.at(0).group_size, 8u);
  EXPECT_EQ(fake->launches.at(0).numbers, std::vector<int64_t>{37});
}

TEST_F(MetalLaunch, HasAtMostAsManyGroupsAsTheTargetSays) {
  const auto d = open();
  LinearKernel k = row_sum(4);
  k.chunks = 1 << 20;
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  compiled.program->launch(std::vector<void*>{a.data, a.data}, {});
  d->synchronize();
  EXPECT_EQ(fake->launches.at(0).groups, static_cast<uint64_t>(d->target().max_groups));
  EXPECT_EQ(fake->launches.at(0).numbers, std::vector<int64_t>{1 << 20});
  d->allocator().free(a);
}

TEST_F(MetalLaunch, OfNoChunksReachesNoDevice) {
  const auto d = open();
  LinearKernel k = fibonacci();
  k.chunks = 8;
  k.chunk_limit = ChunkLimit{.terms = {{0, 1}}};
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{0});
  compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{3});
  d->synchronize();
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(fake->launches[0].numbers, (std::vector<int64_t>{3, 3}));
  d->allocator().free(a);
}

TEST_F(MetalLaunch, WithTheWrongNumberOfArgumentsIsRefused) {
  const auto d = open();
  const LinearKernel k = fibonacci();
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  EXPECT_THROW(compiled.program->launch({}, std::vector<int64_t>{1}), InternalError);
  EXPECT_THROW(compiled.program->launch(std::vector<void*>{nullptr}, {}), InternalError);
}

TEST_F(MetalLaunch, ManyShareCommandBuffersWhileTheDeviceIsBusy) {
  const auto d = open();
  const LinearKernel k = fibonacci();
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  for (int64_t i = 0; i < 100; ++i)
    compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{i});
  EXPECT_EQ(fake->commits, 1 + 99 / 32);
  EXPECT_TRUE(fake->launches.empty());
  d->synchronize();
  ASSERT_EQ(fake->launches.size(), 100u);
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(fake->launches[static_cast<size_t>(i)].numbers[0], i);
  d->allocator().free(a);
}

TEST_F(MetalLaunch, GoesOutAtOnceToADeviceThatWaits) {
  fake->runs_at_once = true;
  const auto d = open();
  const LinearKernel k = fibonacci();
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  for (int64_t i = 0; i < 5; ++i)
    compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{i});
  EXPECT_EQ(fake->launches.size(), 5u);
  d->allocator().free(a);
}

TEST_F(MetalLaunch, StandsBehindABarrierFromTheOneBefore) {
  const auto d = open();
  const LinearKernel k = fibonacci();
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  for (int64_t i = 0; i < 4; ++i)
    compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{i});
  d->synchronize();
  ASSERT_EQ(fake->launches.size(), 4u);
  // The first went out alone.
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(fake->launches[i].barriers, static_cast<int>(i) - 1);
  d->allocator().free(a);
}

TEST_F(MetalLaunch, OfABatchHasNoBarrierInside) {
  const auto d = open();
  LinearKernel k = fibonacci();
  k.chunks = 8;
  k.chunk_limit = ChunkLimit{.terms = {{0, 1}}};
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  const std::vector<void*> buffers = {a.data};
  const std::vector<int64_t> none = {0}, one = {1}, two = {2};
  const Call idle{compiled.program.get(), buffers, none},
      first{compiled.program.get(), buffers, one}, second{compiled.program.get(), buffers, two};
  d->launch(std::vector<Call>{first});
  d->launch(std::vector<Call>{first, idle, second});
  d->launch(std::vector<Call>{idle});
  d->launch(std::vector<Call>{second, first});
  d->synchronize();
  std::vector<std::pair<int64_t, int>> seen;
  for (const FakeMetalLaunch& l : fake->launches) seen.emplace_back(l.numbers[0], l.barriers);
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int>>{{1, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}}));
  EXPECT_EQ(fake->commits, 2);
  d->allocator().free(a);
}

TEST_F(MetalLaunch, IsTimedByTheDevice) {
  for (const bool at_once : {false, true}) {
    fake->runs_at_once = at_once;
    const auto d = open();
    const LinearKernel k = fibonacci();
    const CompiledKernel compiled = d->compile({&k, 1})[0];
    const Allocation a = d->allocator().allocate(64);
    const std::vector<void*> buffers = {a.data};
    const std::vector<int64_t> vars = {7};
    fake->seconds = 1000;  // what ran before does not count
    for (int i = 0; i < 40; ++i) compiled.program->launch(buffers, vars);
    d->synchronize();
    fake->seconds = 0.25;
    EXPECT_DOUBLE_EQ(d->timed({compiled.program.get(), buffers, vars}), 0.25);
    fake->seconds = -1;  // a clock that runs backwards
    EXPECT_DOUBLE_EQ(d->timed({compiled.program.get(), buffers, vars}), 0);
    d->allocator().free(a);
  }
}

TEST_F(MetalLaunch, ThatCannotBeTimedFailsAsAnyOther) {
  const auto d = open();
  const LinearKernel k = fibonacci();
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const std::vector<void*> buffers = {nullptr};
  const std::vector<int64_t> vars = {7};
  fake->fails_with = 2;
  EXPECT_THROW(d->timed({compiled.program.get(), buffers, vars}), DeviceError);
  fake->fails_with = 0;
  fake->seconds = 0.5;
  EXPECT_DOUBLE_EQ(d->timed({compiled.program.get(), buffers, vars}), 0.5);
}

TEST_F(MetalLaunch, ComesFromSeveralThreads) {
  const auto d = open();
  const LinearKernel k = fibonacci();
  const CompiledKernel compiled = d->compile({&k, 1})[0];
  const Allocation a = d->allocator().allocate(64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int64_t i = 0; i < 50; ++i)
        compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{i});
    });
  }
  for (std::thread& t : threads) t.join();
  d->synchronize();
  EXPECT_EQ(fake->launches.size(), 200u);
  d->allocator().free(a);
}

TEST_F(MetalLaunch, ThatStillWaitsIsRunBeforeTheDeviceGoes) {
  {
    const auto d = open();
    const LinearKernel k = fibonacci();
    const CompiledKernel compiled = d->compile({&k, 1})[0];
    const Allocation a = d->allocator().allocate(64);
    compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{1});
    compiled.program->launch(std::vector<void*>{a.data}, std::vector<int64_t>{2});
    d->allocator().free(a);
  }
  EXPECT_EQ(fake->launches.size(), 2u);
}

// ---- whole kernels
class MetalKernel : public OnFakeMetal, public ::testing::WithParamInterface<int> {
 public:
  static LinearKernel kernel(int i) { return four_lane_kernels()[static_cast<size_t>(i)]; }
};

TEST_P(MetalKernel, GivesTheBytesOfTheInterpreter) {
  const LinearKernel k = kernel(GetParam());
  Device& interpreter = device("INTERP");
  const CompiledKernel meaning = interpreter.compile({&k, 1})[0];
  fake->run = [&](const FakeMetalLaunch& l) {
    EXPECT_EQ(l.name, k.name);
    const std::vector<void*> pointers(l.buffers.begin(), l.buffers.end());
    meaning.program->launch(pointers, std::span(l.numbers).first(l.numbers.size() - 1));
  };
  const auto d = open();
  for (const int64_t var : {0, 1, 10}) {
    const std::vector<int64_t> vars(k.vars.size(), var);
    EXPECT_EQ(run_on(*d, k, inputs_of(k), vars), run_on(interpreter, k, inputs_of(k), vars));
  }
}

INSTANTIATE_TEST_SUITE_P(All, MetalKernel,
                         ::testing::Range(0, static_cast<int>(four_lane_kernels().size())),
                         [](const auto& info) { return MetalKernel::kernel(info.param).name; });

}  // namespace
}  // namespace tg::testing
