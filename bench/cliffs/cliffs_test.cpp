// Every row of the cliff suite once, at extents of a few elements: it builds, runs, and its numbers
// are finite. What it costs by the table is what the engine counts, where that is no question.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/neighbours.h"
#include "codegen/pipeline.h"
#include "engine/counters.h"
#include "report.h"
#include "rewrite/verify.h"
#include "runtime/device.h"
#include "support/seeds_of_the_day.h"
#include "tg/error.h"
#include "tg/ir/graph.h"
#include "tg/ir/text.h"

namespace tg::cliffs {
namespace {

constexpr int64_t kFew = 4;

const Row& row_named(const std::vector<Row>& rows, const std::string& name) {
  return *std::ranges::find(rows, name, &Row::name);
}

int64_t flops_of(const Row& row) {
  Inputs inputs = row.inputs();
  row.write(inputs).realize();
  inputs.rewind();
  const int64_t before = counters().flops;
  row.write(inputs).realize();
  return counters().flops - before;
}

TEST(Cliffs, EveryRowRunsAndIsFinite) {
  for (const Row& row : all_rows(kFew)) {
    Inputs inputs = row.inputs();
    const Tensor result = row.write(inputs);
    for (const double value : result.cast(f64).to_vector<double>())
      ASSERT_TRUE(std::isfinite(value)) << row.name;
    EXPECT_GT(inputs.bytes(), 0) << row.name;
  }
}

TEST(Cliffs, RowsHaveNamesOfTheirOwnAndWorkThatIsWorthMeasuring) {
  std::set<std::string> names;
  const std::vector<Row> rows = all_rows();
  EXPECT_GE(rows.size(), 150u);
  for (const Row& row : rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_GE(row.operations, 0) << row.name;
  }
}

TEST(Cliffs, WorkOfTheTableIsWhatTheEngineCounts) {
  const std::vector<Row> rows = all_rows(kFew);
  for (const char* name : {"mk,kn->mn, float32", "km,kn->nm, float32", "bmk,bnk->bmn, float32",
                           "abcd,cdef->abef, float32", "merged heads, float32"}) {
    const Row& row = row_named(rows, name);
    EXPECT_EQ(static_cast<double>(flops_of(row)), row.operations) << name;
  }
}

TEST(Cliffs, RooflinesAreThoseOfThePeaks) {
  cli::Peaks peaks;
  peaks.arithmetic = {{f32, "multiply", 1e9}};
  peaks.levels = {{"near", 1000, 100, 100, 100}, {"far", INT64_MAX, 10, 5, 8}};
  Measured m;
  m.row = row_named(all_rows(kFew), "mk,kn->mn, float32");
  m.read = 120;
  m.written = 40;
  EXPECT_DOUBLE_EQ(roofline(m, peaks).seconds, 1.6);
  EXPECT_EQ(roofline(m, peaks).by, "near");
  m.read = 1000;
  EXPECT_DOUBLE_EQ(roofline(m, peaks).seconds, 80 / 8.0 + 960 / 10.0);
  m.row.operations = 1e12;
  EXPECT_DOUBLE_EQ(roofline(m, peaks).seconds, 1000);
  EXPECT_TRUE(roofline(m, peaks).arithmetic);
}

// Whatever edits a search tries on any of these kernels: lowering takes the schedule, or says why
// not.
TEST(Cliffs, SchedulesNearTheHeuristicsOwnAreLoweredOrRefused) {
  constexpr int64_t kSome = 40;  // two vectors and a half
  constexpr int kEdits = 4;
  const uint64_t seed = test::first_seed();
  std::mt19937_64 random(seed);
  const Target& target = device("CPU").target();
  int lowered = 0;
  for (const Row& row : all_rows(kSome)) {
    Inputs inputs = row.inputs();
    for (const UOp& scheduled : kernels_of(row.write(inputs))) {
      const UOp kernel = run_kernel_passes(scheduled, target);
      KernelSchedule s = choose_schedule(kernel, target);
      for (int edits = 0; edits < kEdits; ++edits) {
        std::vector<KernelSchedule> near = neighbours_of(kernel, s, target);
        if (!near.empty()) s = std::move(near[random() % near.size()]);
        if (unrolled_points(s) > 256) break;
        try {
          const LinearKernel linear = lower(kernel, s, target);
          ASSERT_NO_THROW(verify_linear(linear.ops)) << opts_text(s);
          ++lowered;
        } catch (const ArgumentError&) {
          break;
        } catch (const InternalError& e) {
          ADD_FAILURE() << row.name << ", seed " << seed << ": " << opts_text(s) << "\n"
                        << e.what() << "\n"
                        << print(kernel);
        }
      }
    }
  }
  EXPECT_GT(lowered, 500);
}

TEST(Cliffs, SummariesCountRowsBelowTheGoal) {
  cli::Peaks peaks;
  peaks.arithmetic = {{f32, "multiply", 1e9}};
  peaks.levels = {{"far", INT64_MAX, 1e12, 1e12, 1e12}};
  Measured fast{.row = all_rows(kFew)[0]}, slow = fast, failed = fast;
  fast.row.operations = slow.row.operations = 1e9;
  fast.best = fast.median = 1;
  slow.best = slow.median = 4;
  failed.error = "matmul: rule broken.";
  const std::string text = summary(results({fast, slow, failed}, peaks, false));
  EXPECT_NE(text.find("all: 3 rows, 2 below the goal, 1 failed, geometric mean 0.500"),
            std::string::npos)
      << text;
}

TEST(Cliffs, RatiosAreToWhatTheMachineGaveMeanwhile) {
  cli::Peaks peaks;
  peaks.arithmetic = {{f32, "multiply", 1e9}};
  peaks.levels = {{"far", INT64_MAX, 1e12, 1e12, 1e12}};
  Measured m{.row = all_rows(kFew)[0]};
  m.row.operations = 1e9;
  m.best = m.median = 4;
  m.machine = 0.5;  // half of the processor's time was another's
  EXPECT_DOUBLE_EQ(results({m}, peaks, false)[0].ratio, 0.5);
}

TEST(Cliffs, ProbesLookBetweenEvaluations) {
  const Target& here = device("CPU").target();
  const cli::Peaks peaks = cli::measure_peaks(here, 1);
  const Row row = row_named(all_rows(kFew), "mk,kn->mn, float32");
  EXPECT_EQ(measure(row, {.repetitions = 3}, peaks).machine, 1);
  const Measured m = measure(row, {.repetitions = 3, .beside = true}, peaks);
  EXPECT_EQ(m.error, "");
  EXPECT_NE(m.machine, 1);
  EXPECT_GT(m.machine, 0);
}

}  // namespace
}  // namespace tg::cliffs
