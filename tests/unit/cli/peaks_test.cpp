// The hand-written loops run and move what they say, for every kind of target that this processor
// could be asked for; what is computed from measured peaks. How fast they are is for people.
#include "cli/peaks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "cli/instruction_loops.h"
#include "runtime/device.h"

namespace tg::cli {
namespace {

constexpr int64_t kBytes = 4096;

// The default device's target, and those with narrower vectors.
std::vector<Target> targets() {
  Target here = device(default_device()).target();
  std::vector<Target> all;
  for (; here.vector_bytes >= 16; here.vector_bytes /= 2) {
    all.push_back(here);
    here.arch = "generic";
  }
  return all;
}

struct Memory {
  alignas(64) char bytes[kBytes];
};

TEST(InstructionLoops, EveryDtypeOfContractionsHasOneOnEveryTarget) {
  for (const Target& t : targets()) {
    const auto loops = arithmetic_loops(t);
    for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16,
                              DType::Fp8E4M3, DType::Fp8E5M2, DType::Int8}) {
      EXPECT_TRUE(std::ranges::count(loops, dtype, &ArithmeticLoop::dtype) > 0)
          << dtype_name(dtype) << " in vectors of " << t.vector_bytes;
    }
  }
}

TEST(InstructionLoops, ArithmeticEnds) {
  for (const Target& t : targets()) {
    for (const ArithmeticLoop& loop : arithmetic_loops(t)) {
      loop.run(3);
      EXPECT_GT(loop.operations_per_turn, 0) << loop.instructions;
    }
  }
}

TEST(InstructionLoops, MemoryIsWrittenToItsEndAndNotBeyond) {
  for (const Target& t : targets()) {
    for (const MemoryLoop& loop : memory_loops(t)) {
      Memory from, to;
      std::ranges::fill(from.bytes, 5);
      std::ranges::fill(to.bytes, 7);
      loop.run(from.bytes, to.bytes, kBytes / 2);
      EXPECT_TRUE(std::ranges::all_of(from.bytes, [](char c) { return c == 5; }));
      const auto kept = std::ranges::subrange(to.bytes + kBytes / 2, to.bytes + kBytes);
      EXPECT_TRUE(std::ranges::all_of(kept, [](char c) { return c == 7; }));
      if (loop.kind == MemoryLoop::Kind::Copy) {
        EXPECT_TRUE(std::equal(to.bytes, to.bytes + kBytes / 2, from.bytes));
      }
    }
  }
}

// Peaks that no machine reaches, and ones that every machine passes: shares go by the peak's loop.
TEST(PeakProbes, AreSharesOfThePeak) {
  const Target& here = device(default_device()).target();
  const ArithmeticLoop loop = arithmetic_loops(here).front();
  for (const auto& [peak, least, most] : {std::tuple(1e18, 1e-15, 0.01), {1e3, 100., 1e15}}) {
    const Peaks peaks = {.threads = 1,
                         .arithmetic = {{loop.dtype, loop.instructions, peak}},
                         .levels = {{"L1", INT64_MAX, peak, peak, peak}}};
    const double arithmetic = PeakProbe::arithmetic(here, peaks, loop.dtype).share();
    const double copied = PeakProbe::copying(here, peaks, 1000).share();
    EXPECT_TRUE(arithmetic > least && arithmetic < most) << arithmetic;
    EXPECT_TRUE(copied > least && copied < most) << copied;
  }
}

const Peaks kPeaks = {.threads = 2,
                      .arithmetic = {{DType::Float32, "a", 8}, {DType::Int8, "b", 32}},
                      .levels = {{"L1", 100, 4, 4, 4}, {"memory", INT64_MAX, 2, 1, 1.5}}};

TEST(Peaks, DtypesWithoutInstructionsGoByFloat32) {
  EXPECT_EQ(kPeaks.of(DType::Int8).instructions, "b");
  EXPECT_EQ(kPeaks.of(DType::UInt64).instructions, "a");
}

TEST(Peaks, TheNearestLevelThatHoldsTheBytesCounts) {
  EXPECT_EQ(kPeaks.holding(100).name, "L1");
  EXPECT_EQ(kPeaks.holding(101).name, "memory");
}

TEST(Peaks, TrafficBothWaysGoesByTheRateOfCopies) {
  const LevelPeak& memory = kPeaks.levels[1];
  EXPECT_DOUBLE_EQ(seconds_of_traffic(memory, 6, 0), 3);
  EXPECT_DOUBLE_EQ(seconds_of_traffic(memory, 0, 6), 6);
  EXPECT_DOUBLE_EQ(seconds_of_traffic(memory, 6, 3), 6 / 1.5 + 3 / 2.0);
}

TEST(Peaks, TheBetterFigureOfTwoMeasurementsCounts) {
  Peaks other = kPeaks;
  other.arithmetic[0].operations_per_second = 9;
  other.levels[0].write = 1;
  const Peaks both = better(kPeaks, other);
  EXPECT_EQ(both.arithmetic[0].operations_per_second, 9);
  EXPECT_EQ(both.arithmetic[1].operations_per_second, 32);
  EXPECT_EQ(both.levels[0].write, 4);
}

TEST(Peaks, AreALineAFigure) {
  const std::string text = table(kPeaks);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5) << text;
}

}  // namespace
}  // namespace tg::cli
