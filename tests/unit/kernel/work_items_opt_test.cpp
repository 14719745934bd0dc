// LOCAL and GROUP on the table, and what they refuse.
#include <gtest/gtest.h>

#include "support/random_schedule.h"

namespace tg {
namespace {

// out[i, j] = Σ_k a[i, k]·b[k, j] with extents 9, 20, 7; bases in the order i, j, k.
class WorkItemOpts : public testing::Test {
 protected:
  static constexpr int kI = 0, kJ = 1, kK = 2;
  static UOp kernel() {
    const UOp i = range(9, 0), j = range(20, 1), k = range(7, 2);
    const std::vector<UOp> ik = {i, k}, kj = {k, j}, ij = {i, j}, red = {k};
    const UOp out = param(0, {9, 20}, DType::Float32);
    const UOp a = load(param(1, {9, 7}, DType::Float32), ik),
              b = load(param(2, {7, 20}, DType::Float32), kj);
    const UOp sum = reduce_ranges(a * b, ReduceOp::Add, red);
    const std::vector<UOp> stores = {end(store_at(out, ij, sum), ij)};
    return sink(stores);
  }
  bool refused(const std::function<void(KernelSchedule&)>& opt) { return !test::try_opt(s_, opt); }

  KernelSchedule s_ = plain_schedule(kernel());
};

TEST_F(WorkItemOpts, LocalMakesTheInnerPartWorkItems) {
  opt_local(s_, kJ, 4);
  const Axis& work_items = s_.axes.back();
  EXPECT_EQ(work_items.kind, Kind::Local);
  EXPECT_EQ(work_items.stride, 1);
  EXPECT_EQ(work_items.extent, 4);
  EXPECT_EQ(text_of(s_, s_.opts.back()), "LOCAL(r1,4)");
}

TEST_F(WorkItemOpts, LocalOfAWholeAxisLeavesNoLoop) {
  opt_local(s_, kJ, 20);
  EXPECT_EQ(s_.digits(kJ).size(), 1u);
}

TEST_F(WorkItemOpts, LocalMasksARemainderUnlessAskedToPeel) {
  opt_local(s_, kI, 4);
  EXPECT_EQ(s_.bases[kI].tail, Tail::Mask);
  opt_local(s_, kJ, 3, Tail::Peel);
  EXPECT_EQ(s_.bases[kJ].tail, Tail::Peel);
}

TEST_F(WorkItemOpts, UnrollingAfterwardsStepsOverTheWorkItems) {
  opt_local(s_, kJ, 5);
  opt_unroll(s_, kJ, 2);
  EXPECT_EQ(s_.axes.back().kind, Kind::Unroll);
  EXPECT_EQ(s_.axes.back().stride, 5);
}

TEST_F(WorkItemOpts, GroupSharesAReduction) {
  opt_group(s_, kK, 4);
  EXPECT_EQ(s_.axes.back().kind, Kind::Local);
  EXPECT_EQ(text_of(s_, s_.opts.back()), "GROUP(r2,4,mask)");
}

TEST_F(WorkItemOpts, EachRefusesTheOthersAxes) {
  EXPECT_TRUE(refused([](auto& s) { opt_local(s, kK, 2); }));
  EXPECT_TRUE(refused([](auto& s) { opt_group(s, kI, 2); }));
  EXPECT_TRUE(refused([](auto& s) { opt_local(s, 7, 2); }));
}

TEST_F(WorkItemOpts, RefuseSizesThatAreNone) {
  for (const int64_t work_items : {int64_t{-3}, int64_t{0}, int64_t{1}, int64_t{1} << 20})
    EXPECT_TRUE(refused([&](auto& s) { opt_local(s, kJ, work_items); })) << work_items;
}

TEST_F(WorkItemOpts, RefuseTailsThatWorkItemsCannotHave) {
  EXPECT_TRUE(refused([](auto& s) { opt_local(s, kJ, 3, Tail::Shift); }));
  EXPECT_TRUE(refused([](auto& s) { opt_group(s, kK, 16, Tail::Peel); }));
}

TEST_F(WorkItemOpts, RefuseAnAxisWithoutALoop) {
  opt_unroll(s_, kK, 7);
  EXPECT_TRUE(refused([](auto& s) { opt_group(s, kK, 2); }));
}

}  // namespace
}  // namespace tg
