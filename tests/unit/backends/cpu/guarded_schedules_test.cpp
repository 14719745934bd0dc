// Random schedules as the CPU runs them: every array stands against a page that nobody may touch,
// at its front and then at its back, inputs may only be read, and the values are those of the
// interpreter.
#include <gtest/gtest.h>

#include "backends/cpu/target.h"
#include "support/linear_builder.h"
#include "support/run_guarded.h"
#include "support/same_numbers.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"

namespace tg::test {
namespace {

constexpr uint64_t kSeedsAKind = 4;  // a case

cpu::Compiler compiler_for(const Target& target) {
  return cpu::Compiler(cpu::make_toolchain(cpu::find_compiler().value(), target));
}
cpu::Compiler native_compiler() { return compiler_for(cpu::detect_target("native")); }

struct Batch {
  std::vector<DrawnSchedule> drawn;
  std::vector<LinearKernel> linear;
};

Batch draw_batch(uint64_t block, const Target& target, Tally& tally) {
  const uint64_t run = first_seed();
  Batch batch;
  for (int kind = 0; kind < Zoo::kKinds; ++kind) {
    for (uint64_t k = 0; k < kSeedsAKind; ++k) {
      const uint64_t seed = run + 100'000 + block * kSeedsAKind + k;
      DrawnSchedule d = draw_schedule(kind, seed, &target);
      auto linear = lower_or_refuse(d.kernel.ast, d.schedule, target, tally);
      if (!linear) continue;
      batch.drawn.push_back(std::move(d));
      batch.linear.push_back(std::move(*linear));
    }
  }
  return batch;
}

Batch draw_graphs(uint64_t block, const Target& target, Tally& tally) {
  constexpr uint64_t kGraphs = 30;
  const uint64_t run = first_seed();
  Batch batch;
  for (uint64_t k = 0; k < kGraphs; ++k) {
    const uint64_t seed = run + 100'000 + block * kGraphs + k;
    for (ZooKernel& z : random_graph_kernels(seed, target)) {
      z.ast = decompose(z.ast, target);
      KernelSchedule s = ScheduleMaker(z.ast, seed).make(1 + static_cast<int>(seed % 6));
      auto linear = lower_or_refuse(z.ast, s, target, tally);
      if (!linear) continue;
      const std::string text = z.name + " of graph " + std::to_string(seed) + ": " + opts_text(s);
      batch.drawn.push_back({std::move(z), std::move(s), text});
      batch.linear.push_back(std::move(*linear));
    }
  }
  return batch;
}

void check_under_guard(const Batch& batch, const Target& target) {
  const GuardedKernels kernels(compiler_for(target), batch.linear);
  for (size_t i = 0; i < batch.drawn.size(); ++i) {
    SCOPED_TRACE(batch.drawn[i].text);
    const std::vector<TensorValue> want = run_linear(batch.linear[i], batch.drawn[i].kernel.params);
    for (Flush flush : {Flush::Front, Flush::Back}) {
      std::vector<TensorValue> got = batch.drawn[i].kernel.params;
      EXPECT_EQ(kernels.run(i, got, flush), "");
      for (size_t p = 0; p < want.size(); ++p)
        EXPECT_TRUE(same_numbers(got[p], want[p])) << "argument " << p;
    }
  }
}

Target target_of(uint64_t block) {
  return cpu::detect_target(block % 3 == 0 ? "generic" : "native");
}

class GuardedSchedules : public testing::TestWithParam<uint64_t> {};

TEST_P(GuardedSchedules, OfTheZooStayInsideTheirArrays) {
  const Target target = target_of(GetParam());
  Tally tally("schedules under guard, " + target.arch);
  check_under_guard(draw_batch(GetParam(), target, tally), target);
  EXPECT_TRUE(tally.half_ran()) << tally.run() << " ran, " << tally.refused() << " were refused";
}

INSTANTIATE_TEST_SUITE_P(Zoo, GuardedSchedules, testing::Range<uint64_t>(0, 10));

class GuardedGraphs : public testing::TestWithParam<uint64_t> {};

TEST_P(GuardedGraphs, StayInsideTheirArrays) {
  const Target target = target_of(GetParam());
  Tally tally("schedules of random graphs under guard, " + target.arch);
  check_under_guard(draw_graphs(GetParam(), target, tally), target);
  EXPECT_TRUE(tally.half_ran()) << tally.run() << " ran, " << tally.refused() << " were refused";
}

INSTANTIATE_TEST_SUITE_P(Seeds, GuardedGraphs, testing::Range<uint64_t>(0, 6));

// ---- that the harness sees what it is there to see

// out[i] = in[i + offset] for i in 0 … 7.
LinearKernel shifted_copy(int64_t read_offset, int64_t write_offset, int lanes = 1) {
  LinearBuilder b("shifted_copy");
  const UOp out = b.out(DType::Float32, 8), in = b.in(DType::Float32, 8);
  const UOp i = b.loop(8 / lanes, 0);
  const UOp at = b.add(make(Op::Mul, {i, b.c(int64_t{lanes})}));
  const UOp from = b.add(make(Op::Add, {at, b.c(read_offset)}));
  const UOp to = b.add(make(Op::Add, {at, b.c(write_offset)}));
  b.store(out, to, b.load(in, from, {}, lanes));
  b.end(i);
  return b.kernel();
}

std::string fault_of(const LinearKernel& kernel, Flush flush) {
  const GuardedKernels kernels(native_compiler(), {kernel});
  std::vector<TensorValue> params(2, TensorValue::zeros({8}, DType::Float32));
  return kernels.run(0, params, flush);
}

TEST(GuardedMemory, LetsARightKernelPass) {
  EXPECT_EQ(fault_of(shifted_copy(0, 0), Flush::Front), "");
  EXPECT_EQ(fault_of(shifted_copy(0, 0), Flush::Back), "");
}

TEST(GuardedMemory, CatchesAReadPastTheEnd) {
  const std::string fault = fault_of(shifted_copy(1, 0), Flush::Back);
  EXPECT_NE(fault.find("byte 32 of the 32 of parameter 1"), std::string::npos) << fault;
}

TEST(GuardedMemory, CatchesAReadBeforeTheFront) {
  const std::string fault = fault_of(shifted_copy(-1, 0), Flush::Front);
  EXPECT_NE(fault.find("byte -4 of the 32 of parameter 1"), std::string::npos) << fault;
}

TEST(GuardedMemory, CatchesAVectorThatReachesOver) {
  const std::string fault = fault_of(shifted_copy(2, 0, 4), Flush::Back);
  EXPECT_NE(fault.find("of parameter 1"), std::string::npos) << fault;
}

TEST(GuardedMemory, CatchesAWritePastTheEnd) {
  const std::string fault = fault_of(shifted_copy(0, 1), Flush::Back);
  EXPECT_NE(fault.find("byte 32 of the 32 of parameter 0"), std::string::npos) << fault;
}

TEST(GuardedMemory, CatchesAWriteOnTheOtherSideOfTheGuard) {
  EXPECT_EQ(fault_of(shifted_copy(0, 1), Flush::Front), "a write next to parameter 0");
  EXPECT_EQ(fault_of(shifted_copy(0, -1), Flush::Back), "a write next to parameter 0");
}

TEST(GuardedMemory, CatchesAWriteToWhatMayOnlyBeRead) {
  GuardedMemory memory(32, Flush::Back);
  auto* bytes = reinterpret_cast<volatile char*>(memory.data());
  EXPECT_EQ(first_fault([&] { bytes[5] = 1; }), nullptr);
  memory.make_read_only();
  EXPECT_EQ(first_fault([&] { bytes[5] = 2; }), memory.data() + 5);
  EXPECT_EQ(bytes[5], 1);
}

TEST(GuardedMemory, ForbidsPagesInTheMiddleForATime) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  GuardedMemory memory(4 * page, Flush::Front);
  auto touched = [&](size_t i) {
    return first_fault([&] { reinterpret_cast<volatile char*>(memory.data())[i] = 1; }) == nullptr;
  };
  {
    const ForbiddenPages forbidden(memory.data() + 100, 2 * page);
    EXPECT_EQ(forbidden.bytes(), page);
    EXPECT_TRUE(touched(page - 1));
    EXPECT_FALSE(touched(page));
    EXPECT_FALSE(touched(2 * page - 1));
    EXPECT_TRUE(touched(2 * page));
  }
  EXPECT_TRUE(touched(page));
}

}  // namespace
}  // namespace tg::test
