// Products of a batch that lies innermost in the results: lanes run along the batch, whatever order
// the operands have, and copies are turned in registers.
#include <gtest/gtest.h>

#include <random>

#include "codegen/heuristics.h"
#include "codegen/kernel_facts.h"
#include "codegen/lower.h"
#include "support/kernel_values.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

struct Sizes {
  Dim m, n, b, k;
};

// p0[m, n, b] = Σ_k p1·p2, whose axes stand in the orders `first` of m, b, k and `second` of n, b,
// k.
UOp batch_last(const Sizes& size, const std::string& first, const std::string& second,
               DType t = DType::Float32) {
  const UOp m = range(size.m, 0), n = range(size.n, 1), b = range(size.b, 2), k = range(size.k, 3);
  const auto factor = [&](int slot, const std::string& axes) {
    Shape shape;
    std::vector<UOp> at;
    for (const char c : axes) {
      at.push_back(c == 'm' ? m : c == 'n' ? n : c == 'b' ? b : k);
      shape.push_back(c == 'm' ? size.m : c == 'n' ? size.n : c == 'b' ? size.b : size.k);
    }
    return load(param(slot, shape, t), at);
  };
  const UOp sum = reduce_ranges(factor(1, first) * factor(2, second), ReduceOp::Add, {{k}});
  const std::vector<UOp> at = {m, n, b};
  const UOp root = end(store_at(param(0, {size.m, size.n, size.b}, t), at, sum), at);
  return sink(std::span(&root, 1));
}

const std::pair<const char*, const char*> kOrders[] = {
    {"mbk", "bkn"}, {"bmk", "bnk"}, {"kmb", "nkb"}, {"kbm", "knb"}, {"mkb", "bnk"}, {"bkm", "kbn"}};

TEST(SharedLanes, RunAlongABatchThatLiesInnermost) {
  for (const auto& [first, second] : kOrders) {
    const UOp kernel = batch_last({24, 40, 32, 16}, first, second);
    const KernelSchedule s = choose_schedule(kernel, test::kProcessor);
    EXPECT_TRUE(test::has_option(s, "VECTOR(r2,16)")) << first << second << ": " << opts_text(s);
    EXPECT_TRUE(first[2] == 'b' || test::has_option(s, "STAGE(p1,")) << first << opts_text(s);
    EXPECT_TRUE(second[2] == 'b' || test::has_option(s, "STAGE(p2,")) << second << opts_text(s);
    test::expect_values(kernel, s, test::kProcessor);
  }
}

TEST(SharedLanes, AreMaskedBehindTheLast) {
  for (const auto& [first, second] : kOrders) {
    const UOp kernel = batch_last({9, 13, 21, 11}, first, second);
    const KernelSchedule s = choose_schedule(kernel, test::kProcessor);
    EXPECT_TRUE(test::has_option(s, "VECTOR(r2,16,mask)")) << opts_text(s);
    test::expect_values(kernel, s, test::kProcessor);
  }
}

// Level 2 holds neither operand's copy: both are made in parts.
TEST(SharedLanes, AreCopiedInPartsThatFit) {
  Target small = test::kProcessor;
  small.l2_bytes = 64 << 10;
  const UOp kernel = batch_last({40, 80, 16, 24}, "bmk", "bkn");
  const KernelSchedule s = choose_schedule(kernel, small);
  EXPECT_TRUE(test::has_option(s, "TILE(r0,")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "TILE(r1,")) << opts_text(s);
  test::expect_values(kernel, s, small);
}

// Sums so long that no copy of them fits are read where they are.
TEST(SharedLanes, ReadLongSumsInPlace) {
  const UOp kernel = batch_last({8, 16, 16, 150000}, "mkb", "knb");
  const KernelSchedule s = choose_schedule(kernel, test::kProcessor);
  EXPECT_TRUE(s.stages.empty()) << opts_text(s);
  EXPECT_NO_THROW(lower(kernel, s, test::kProcessor));
}

// p0[m, h, n, b] = Σ_k p1[b, m, h, k]·p2[b, k, n]: rows of two axes, too many for one copy.
UOp rows_of_two_axes(Dim rows, Dim others) {
  const UOp m = range(rows, 0), h = range(others, 1), n = range(20, 2), b = range(16, 3),
            k = range(24, 4);
  const UOp x =
      load(param(1, {16, rows, others, 24}, DType::Float32), std::vector<UOp>{b, m, h, k});
  const UOp w = load(param(2, {16, 24, 20}, DType::Float32), std::vector<UOp>{b, k, n});
  const std::vector<UOp> at = {m, h, n, b};
  const UOp root = end(store_at(param(0, {rows, others, 20, 16}, DType::Float32), at,
                                reduce_ranges(x * w, ReduceOp::Add, {{k}})),
                       at);
  return sink(std::span(&root, 1));
}
TEST(SharedLanes, CopyRowsOfSeveralAxesInParts) {
  Target small = test::kProcessor;
  small.l2_bytes = 64 << 10;
  for (const Dim others : {2, 30}) {
    const UOp kernel = rows_of_two_axes(32, others);
    const KernelSchedule s = choose_schedule(kernel, small);
    const auto copy = std::ranges::find_if(
        s.stages, [](const Staging& c) { return staged_load(c.operand).src(0).arg(0) == 1; });
    ASSERT_NE(copy, s.stages.end()) << opts_text(s);
    EXPECT_LE(staged_elements(s, *copy) * 4, 64 << 10) << opts_text(s);
    test::expect_values(kernel, s, small);
  }
}

// A copy inside the loops that threads share is made for each of their steps.
TEST(SharedLanes, ShareNoLoopsInsideACopyIfTheOthersAreEnough) {
  const UOp kernel = batch_last({24, 200, 64, 16}, "bmk", "bkn");
  EXPECT_TRUE(test::has_option(choose_schedule(kernel, test::kTwoThreads), "THREAD(1)"));
  const UOp few = batch_last({24, 200, 16, 16}, "bmk", "bkn");
  EXPECT_FALSE(test::has_option(choose_schedule(few, test::kTwoThreads), "STAGE(p1,0)"));
}

TEST(SharedLanes, AreLeftWhereManyTermsHideTheStores) {
  const UOp kernel = batch_last({24, 40, 32, 2048}, "bmk", "bkn");
  const KernelSchedule s = choose_schedule(kernel, test::kProcessor);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r1,16")) << opts_text(s);
}

TEST(SharedLanes, AgreeForRandomSizes) {
  constexpr uint64_t kSeed = 31;
  std::mt19937_64 rng(kSeed);
  const auto some = [&](Dim most) {
    return 1 + static_cast<Dim>(rng() % static_cast<uint64_t>(most));
  };
  for (int i = 0; i < 40; ++i) {
    const auto& [first, second] = kOrders[static_cast<size_t>(i) % std::size(kOrders)];
    const Sizes size{some(30), some(70), some(40), some(24)};
    const DType t = i % 3 == 0 ? DType::Float64 : DType::Float32;
    Target target = i % 2 == 0 ? test::kProcessor : test::kTwoThreads;
    if (i % 5 == 0) target.l2_bytes = 32 << 10;
    const UOp kernel = batch_last(size, first, second, t);
    test::expect_values(kernel, choose_schedule(kernel, target), target);
  }
}

// ---- copies that are turned

// Lanes of the stores to copies.
std::vector<int64_t> copied_lanes(const UOp& kernel, const Target& target) {
  std::vector<int64_t> out;
  for (const UOp& u : lower(kernel, choose_schedule(kernel, target), target).ops) {
    if (!u.is(Op::Store)) continue;
    UOp to = u.src(0);
    while (to.is(Op::After)) to = to.src(0);
    if (!to.is(Op::Param)) out.push_back(u.src(1).lanes() > 1 ? -1 : u.src(2).lanes());
  }
  return out;
}

// p0[m, n] = Σ_k p1[m, k]·p2[n, k]: the lanes of the copy of p2 lie across its rows.
TEST(TurnedCopies, AreStoredInWholeVectors) {
  const UOp m = range(64, 0), n = range(128, 1), k = range(96, 2);
  const UOp term = load(param(1, {64, 96}, DType::Float32), {{m, k}}) *
                   load(param(2, {128, 96}, DType::Float32), {{n, k}});
  const std::vector<UOp> at = {m, n};
  const UOp root = end(
      store_at(param(0, {64, 128}, DType::Float32), at, reduce_ranges(term, ReduceOp::Add, {{k}})),
      at);
  const UOp kernel = sink(std::span(&root, 1));
  EXPECT_EQ(copied_lanes(kernel, test::kProcessor), std::vector<int64_t>(16, 16));
  test::expect_values(kernel, choose_schedule(kernel, test::kProcessor), test::kProcessor);
}

// out[b, m, n], with rows that are copied for each b: no chunk of a thread makes a copy again.
TEST(FewColumnsOfABatch, AreTurnedOnceForAllRows) {
  const UOp b = range(6, 0), m = range(480, 1), n = range(6, 2), k = range(128, 3);
  const UOp term = load(param(1, {480, 6, 128}, DType::Float32), {{m, b, k}}) *
                   load(param(2, {128, 6, 6}, DType::Float32), {{k, b, n}});
  const std::vector<UOp> at = {b, m, n};
  const UOp root = end(store_at(param(0, {6, 480, 6}, DType::Float32), at,
                                reduce_ranges(term, ReduceOp::Add, {{k}})),
                       at);
  const UOp kernel = sink(std::span(&root, 1));
  const KernelSchedule s = choose_schedule(kernel, test::kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "STAGE(p2,1)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "THREAD(1)")) << opts_text(s);
  test::expect_values(kernel, s, test::kTwoThreads);
}

}  // namespace
}  // namespace tg
