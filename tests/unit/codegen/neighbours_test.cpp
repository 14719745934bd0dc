// What a search looks at: every schedule near another is legal, none comes twice, and whatever it
// is, the kernel's values are the same.
#include "codegen/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "codegen/heuristics.h"
#include "codegen/legality.h"
#include "codegen/schedule_time.h"
#include "support/kernel_values.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"

namespace tg {
namespace {

UOp float_product(Dim rows, Dim columns, Dim terms) {
  const UOp i = range(rows, 0), j = range(columns, 1), k = range(terms, 2);
  const UOp a = load(param(1, {rows, terms}, DType::Float32), {{i, k}});
  const UOp b = load(param(2, {terms, columns}, DType::Float32), {{k, j}});
  const std::vector<UOp> at = {i, j};
  const UOp root = end(store_at(param(0, {rows, columns}, DType::Float32), at,
                                reduce_ranges(a * b, ReduceOp::Add, {{k}})),
                       at);
  return sink(std::span(&root, 1));
}

TEST(Neighbours, AreLegalAndDifferent) {
  const UOp kernel = float_product(40, 48, 36);
  const Target target = test::processor(4);
  const KernelSchedule own = choose_schedule(kernel, target);
  const std::vector<KernelSchedule> near = neighbours_of(kernel, own, target);
  EXPECT_GT(near.size(), 40u);
  for (size_t i = 0; i < near.size(); ++i) {
    EXPECT_NO_THROW(check_legal(kernel, near[i])) << opts_text(near[i]);
    EXPECT_FALSE(near[i].opts == own.opts);
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(near[i].opts == near[j].opts);
  }
}

TEST(Neighbours, AreTheSameInEveryRun) {
  const UOp kernel = float_product(40, 48, 36);
  const Target target = test::processor(4);
  const KernelSchedule own = choose_schedule(kernel, target);
  const auto a = neighbours_of(kernel, own, target), b = neighbours_of(kernel, own, target);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].opts == b[i].opts);
}

// Some edits from the plain schedule, all that the heuristics use for a product can be found.
TEST(Neighbours, OfThePlainScheduleHaveLanesTilesCopiesAndThreads) {
  const UOp kernel = float_product(40, 48, 36);
  const Target target = test::processor(4);
  const auto near = neighbours_of(kernel, plain_schedule(kernel), target);
  for (const char* opt : {"VECTOR(r1,16", "UPCAST(r0,4", "UNROLL(r2,2", "TILE(r0,16", "STAGE(p2,",
                          "THREAD(1)", "MOVE("}) {
    EXPECT_TRUE(std::ranges::any_of(near, [&](const KernelSchedule& s) {
      return test::has_option(s, opt);
    })) << opt;
  }
}

class NeighboursOfTheZoo : public testing::TestWithParam<int> {};

TEST_P(NeighboursOfTheZoo, GiveTheValuesOfThePlainOne) {
  const uint64_t first = test::first_seed();
  test::Tally tally("neighbours of kind " + std::to_string(GetParam()));
  for (uint64_t seed = first; seed < first + 8; ++seed) {
    std::mt19937_64 random(seed);
    const test::DrawnSchedule d = test::draw_schedule(GetParam(), seed);
    const Target target = test::processor(2);
    KernelSchedule s = choose_schedule(d.kernel.ast, target);
    for (int edits = 0; edits < 3; ++edits) {
      auto near = neighbours_of(d.kernel.ast, s, target);
      if (!near.empty()) s = std::move(near[random() % near.size()]);
    }
    if (unrolled_points(s) > 256) continue;
    SCOPED_TRACE(d.kernel.name + " seed " + std::to_string(seed) + ": " + opts_text(s));
    const auto linear = test::lower_or_refuse(d.kernel.ast, s, target, tally);
    if (linear) test::expect_values(*linear, d.kernel);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, NeighboursOfTheZoo, testing::Range(0, test::Zoo::kKinds));

// ---- the model of time

double modelled(const UOp& kernel, const KernelSchedule& s, const Target& t) {
  return ScheduleTime(kernel, t).seconds_of(s);
}

TEST(ScheduleTime, KnowsLanesThreadsTilesAndOrder) {
  const UOp kernel = float_product(512, 512, 512);
  const Target target = test::processor(4);
  const KernelSchedule plain = plain_schedule(kernel), own = choose_schedule(kernel, target);
  KernelSchedule lanes = plain, across = plain, threads = own;
  opt_vector(lanes, 1, 16);
  opt_vector(across, 0, 16);  // strides of a whole row
  std::erase_if(threads.axes, [](const Axis& a) { return a.kind == Kind::Thread; });
  KernelSchedule alone = plain;
  for (const Opt& o : own.opts) {
    if (o.kind != Opt::Kind::Thread) apply_opt(alone, o);
  }
  EXPECT_LT(modelled(kernel, lanes, target), modelled(kernel, plain, target) / 4);
  EXPECT_LT(modelled(kernel, lanes, target), modelled(kernel, across, target));
  EXPECT_LT(modelled(kernel, own, target), modelled(kernel, alone, target) / 2);
  EXPECT_LT(modelled(kernel, own, target), modelled(kernel, lanes, target) / 2);
}

TEST(ScheduleTime, TooManySumsForTheRegistersCost) {
  const UOp kernel = float_product(512, 512, 512);
  const Target target = test::processor();
  const auto tiled = [&](int64_t rows) {
    KernelSchedule s = plain_schedule(kernel);
    opt_vector(s, 1, 16);
    opt_unroll(s, 1, 4);
    opt_unroll(s, 0, rows);
    return modelled(kernel, s, target);
  };
  EXPECT_LT(tiled(4), tiled(1));
  EXPECT_LT(tiled(4), tiled(32));
}

// Rows of a matrix that no cache holds, walked along memory and across it.
TEST(ScheduleTime, MemoryIsWalkedInOrder) {
  const UOp i = range(4096, 0), j = range(8192, 1);
  const UOp x = load(param(1, {4096, 8192}, DType::Float32), {{i, j}});
  const std::vector<UOp> at = {i, j};
  const UOp root = end(store_at(param(0, {4096, 8192}, DType::Float32), at, x + x), at);
  const UOp kernel = sink(std::span(&root, 1));
  KernelSchedule in_order = plain_schedule(kernel);
  opt_vector(in_order, 1, 16);
  KernelSchedule across = in_order;
  opt_move(across, 0, 1);
  EXPECT_LT(modelled(kernel, in_order, test::processor()) * 2,
            modelled(kernel, across, test::processor()));
}

}  // namespace
}  // namespace tg
