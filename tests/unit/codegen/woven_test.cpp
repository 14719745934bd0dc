// Stores of unrolled points that lie between the lanes of each other, as those of `stack` along a
// last axis: woven in registers, and written in whole vectors.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "support/kernel_values.h"

namespace tg {
namespace {

constexpr Dim kWovenPlaces = 64;

// p0[i·n + j] = p1[j, i] + 1, of `stored` of the n places between two lanes.
UOp stacked(Dim n, DType t, Dim stored) {
  const UOp i = range(kWovenPlaces, 0), j = range(stored, 1);
  const UOp v = load(param(1, {stored, kWovenPlaces}, t), {{j, i}}) + 1;
  const UOp root =
      end(store_at(param(0, {kWovenPlaces * n}, t), {{i * n + j}}, v), std::vector<UOp>{i, j});
  return sink(std::span(&root, 1));
}

KernelSchedule in_lanes(const UOp& kernel, int lanes) {
  KernelSchedule s = plain_schedule(kernel);
  opt_vector(s, 0, lanes);
  opt_unroll(s, 1, s.bases[1].extent);
  return s;
}

// Lanes of each store; −1 for one with a place for each lane.
std::vector<int64_t> stores(const UOp& kernel, int lanes, const Target& target) {
  const KernelSchedule s = in_lanes(kernel, lanes);
  test::expect_values(kernel, s, target);
  std::vector<int64_t> out;
  for (const UOp& u : lower(kernel, s, target).ops) {
    if (u.is(Op::Store)) out.push_back(u.src(1).lanes() > 1 ? -1 : u.src(2).lanes());
  }
  return out;
}
using Lanes = std::vector<int64_t>;

TEST(WovenStores, AreVectorsOfARegister) {
  EXPECT_EQ(stores(stacked(2, DType::Float32, 2), 16, test::processor()), (Lanes{16, 16}));
  EXPECT_EQ(stores(stacked(4, DType::Float32, 4), 16, test::processor()), (Lanes{16, 16, 16, 16}));
  EXPECT_EQ(stores(stacked(4, DType::UInt8, 4), 16, test::processor()), Lanes{64});
  EXPECT_EQ(stores(stacked(2, DType::Float64, 2), 8, test::processor()), (Lanes{8, 8}));
  EXPECT_EQ(stores(stacked(4, DType::Float32, 4), 32, test::processor()), Lanes(8, 16));
}
TEST(WovenStores, OfManyPlacesAreShuffledInVectorsOfARegister) {
  EXPECT_EQ(stores(stacked(16, DType::Float32, 16), 16, test::processor()), Lanes(16, 16));
  EXPECT_EQ(stores(stacked(64, DType::UInt8, 64), 16, test::processor()), Lanes(16, 64));
}
TEST(WovenStores, OfThreeArePickedFromOneAfterTheOther) {
  EXPECT_EQ(stores(stacked(3, DType::Float32, 3), 16, test::processor()), (Lanes{16, 16, 16}));
  EXPECT_EQ(stores(stacked(3, DType::UInt8, 3), 64, test::processor()), (Lanes{64, 64, 64}));
}
TEST(WovenStores, NeedAllPlacesBetweenTheLanes) {
  EXPECT_EQ(stores(stacked(4, DType::Float32, 3), 16, test::processor()), (Lanes{-1, -1, -1}));
}
TEST(WovenStores, HaveNoWiderVectorsThanTheLanguage) {
  Target narrow = test::processor();
  narrow.max_lanes = 16;
  EXPECT_EQ(stores(stacked(4, DType::UInt8, 4), 16, narrow), (Lanes{16, 16, 16, 16}));
  EXPECT_EQ(stores(stacked(8, DType::UInt8, 8), 16, narrow), Lanes(8, 16));
}
TEST(WovenStores, AreChosenForAFewChannels) {
  const Target target = test::processor();
  for (const Dim channels : {2, 3, 4}) {
    const UOp i = range(kWovenPlaces, 0), c = range(channels, 1);
    const UOp v = load(param(1, {channels, kWovenPlaces}, DType::Float32), {{c, i}}) + 1;
    const std::vector<UOp> at = {i, c};
    const UOp root = end(store_at(param(0, {kWovenPlaces, channels}, DType::Float32), at, v), at);
    const UOp kernel = sink(std::span(&root, 1));
    const KernelSchedule s = choose_schedule(kernel, target);
    EXPECT_TRUE(test::has_option(s, "VECTOR(r0,16)")) << opts_text(s);
    test::expect_values(kernel, s, target);
  }
}

}  // namespace
}  // namespace tg
