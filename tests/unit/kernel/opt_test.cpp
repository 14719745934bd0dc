// The Opts one by one: what each does to the table, and which are refused. That values stay the
// same: codegen's random schedules.
#include <gtest/gtest.h>

#include "support/random_schedule.h"

namespace tg {
namespace {

// out[i, j] = Σ_k a[i, k]·b[k, j] with extents 9, 20, 7; bases in the order i, j, k.
UOp product_kernel() {
  const UOp i = range(9, 0), j = range(20, 1), k = range(7, 2);
  const UOp out = param(0, {9, 20}, DType::Float32), a = param(1, {9, 7}, DType::Float32),
            b = param(2, {7, 20}, DType::Float32);
  const std::vector<UOp> ik = {i, k}, kj = {k, j}, ij = {i, j}, red = {k};
  const UOp sum = reduce_ranges(load(a, ik) * load(b, kj), ReduceOp::Add, red);
  const std::vector<UOp> stores = {end(store_at(out, ij, sum), ij)};
  return sink(stores);
}

class Opts : public testing::Test {
 protected:
  static constexpr int kI = 0, kJ = 1, kK = 2;
  bool refused(const std::function<void(KernelSchedule&)>& opt) { return !test::try_opt(s_, opt); }

  UOp kernel_ = product_kernel();
  KernelSchedule s_ = plain_schedule(kernel_);
};

TEST_F(Opts, ThePlainScheduleIsOneSerialLoopARange) {
  ASSERT_EQ(s_.axes.size(), 3u);
  for (const Axis& a : s_.axes) EXPECT_EQ(a.kind, Kind::Serial);
  EXPECT_EQ(s_.bases[kI].role, Role::Par);
  EXPECT_EQ(s_.bases[kK].role, Role::Red);
}

TEST_F(Opts, TileSplitsALoopAndMovesTheOuterPart) {
  opt_tile(s_, kJ, 4, 0);
  ASSERT_EQ(s_.axes.size(), 4u);
  EXPECT_EQ(s_.axes[0].base, kJ);
  EXPECT_EQ(s_.axes[0].extent, 5);
  EXPECT_EQ(s_.axes[0].stride, 4);
  EXPECT_EQ(s_.axes[2].extent, 4);
}

TEST_F(Opts, ASizeThatDividesLeavesNoTail) {
  opt_tile(s_, kJ, 4, 1, Tail::Mask);
  EXPECT_EQ(s_.bases[kJ].tail, Tail::None);
}

TEST_F(Opts, ASizeThatDoesNotDivideLeavesTheTailAskedFor) {
  opt_unroll(s_, kI, 2, Tail::Mask);
  EXPECT_EQ(s_.bases[kI].tail, Tail::Mask);
  EXPECT_EQ(s_.bases[kI].tile, 2);
}

TEST_F(Opts, AWholeUnrolledAxisLeavesNoLoop) {
  opt_unroll(s_, kJ, 20);
  EXPECT_EQ(s_.digits(kJ).size(), 1u);
}

TEST_F(Opts, ThreadsAreTheOutermostLoops) {
  opt_thread(s_, 2);
  EXPECT_EQ(s_.axes[0].kind, Kind::Thread);
  EXPECT_EQ(s_.axes[1].kind, Kind::Thread);
  EXPECT_EQ(s_.axes[2].kind, Kind::Serial);
}

TEST_F(Opts, AReducedLoopIsNoThread) {
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_thread(s, 3); }));
}

TEST_F(Opts, NoLoopMovesOutsideTheThreads) {
  opt_thread(s_, 1);
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_move(s, 2, 0); }));
}

TEST_F(Opts, TilesOfNoSizeAreRefused) {
  for (int64_t size : {-1, 0, 1})
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_tile(s, kI, size, 0); })) << size;
  for (int64_t size : {-1, 0})
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_unroll(s, kI, size); })) << size;
  for (int lanes : {-4, 0})
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_vector(s, kI, lanes); })) << lanes;
}

TEST_F(Opts, APeeledTileNeedsOneThatIsFull) {
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_tile(s, kI, 10, 0, Tail::Peel); }));
}

TEST_F(Opts, AReductionDoesNotShift) {
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_unroll(s, kK, 4, Tail::Shift); }));
}

TEST_F(Opts, ARemainderIsLeftOnce) {
  opt_tile(s_, kI, 6, 0);
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_unroll(s, kI, 4); }));
}

TEST_F(Opts, APeeledLoopIsNotSplitAgain) {
  opt_unroll(s_, kK, 2);
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_tile(s, kK, 2, 0); }));
}

TEST_F(Opts, APeeledLoopStaysOutsideItsTile) {
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_tile(s, kI, 4, 3); }));
}

TEST_F(Opts, LanesAreTheInnermostPart) {
  opt_unroll(s_, kJ, 2);
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_vector(s, kJ, 2); }));
}

TEST_F(Opts, AnAxisWithoutALoopHasNothingToGive) {
  opt_unroll(s_, kI, 9);
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_tile(s, kI, 3, 0); }));
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_unroll(s, kI, 3); }));
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_vector(s, kI, 4); }));
}

TEST_F(Opts, OnlyReducedAxesSplitTheirReduction) {
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_split_reduce(s, kI, 3, 0); }));
}

TEST_F(Opts, LoopsThatAreNotThereDoNotMove) {
  for (const auto& [from, to] : {std::pair{-1, 0}, {0, 3}, {3, 0}}) {
    EXPECT_TRUE(refused([from = from, to = to](KernelSchedule& s) { opt_move(s, from, to); }))
        << from << " to " << to;
  }
}

TEST_F(Opts, OnlyLoadsAreStagedOnceAndInsideTheLoops) {
  UOp load;
  for (const Node* n : toposort(kernel_)) {
    if (n->op == Op::Load) load = UOp::share(n);
  }
  EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_stage(s, {kernel_, 0}); }));
  EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_stage(s, {load, -1}); }));
  EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_stage(s, {load, 3}); }));
  EXPECT_FALSE(refused([&](KernelSchedule& s) { opt_stage(s, {load, 1}); }));
  EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_stage(s, {load, 0}); }));
}

TEST_F(Opts, RangesThatAreNotThereAreRefused) {
  for (int base : {-1, 3, 1 << 30}) {
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_tile(s, base, 2, 0); })) << base;
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_unroll(s, base, 2); })) << base;
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_vector(s, base, 2); })) << base;
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_split_reduce(s, base, 2, 0); })) << base;
  }
}

TEST_F(Opts, TilesDoNotMoveOutsideTheLoops) {
  for (int at : {-1, 4, 1 << 30})
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_tile(s, kI, 3, at); })) << at;
}

TEST_F(Opts, ThreadsAreSomeOfTheLoops) {
  for (int count : {-1, 0, 4, 1 << 30})
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_thread(s, count); })) << count;
}

TEST_F(Opts, LanesAreAPowerOfTwo) {
  for (int lanes : {1, 3, 20, 128, 1 << 30})
    EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_vector(s, kJ, lanes, Tail::Mask); })) << lanes;
}

TEST_F(Opts, SizesBeyondAllReasonAreRefused) {
  const int64_t huge = int64_t{1} << 62;
  EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_tile(s, kI, huge, 0, Tail::Mask); }));
  EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_unroll(s, kI, huge, Tail::Mask); }));
  EXPECT_TRUE(refused([&](KernelSchedule& s) { opt_unroll(s, kI, 4097, Tail::Mask); }));
}

TEST_F(Opts, UnrolledPointsAreLimitedTogether) {
  opt_unroll(s_, kI, 64, Tail::Mask);
  opt_unroll(s_, kJ, 64, Tail::Mask);
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_unroll(s, kK, 7); }));
}

TEST_F(Opts, OnlyALoadIsStaged) {
  EXPECT_TRUE(refused([](KernelSchedule& s) { opt_stage(s, {UOp{}, 0}); }));
}

TEST_F(Opts, TheLogSaysWhatWasDone) {
  opt_unroll(s_, kI, 4, Tail::Mask);
  opt_vector(s_, kJ, 4);
  EXPECT_EQ(opts_text(s_), "UPCAST(r0,4,mask) VECTOR(r1,4)");
}

}  // namespace
}  // namespace tg
