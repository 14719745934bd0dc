// Kernels in slices: what they hand over is a part of what it was, and results are the same.
#include "schedule/slice_items.h"

#include <gtest/gtest.h>

#include <set>

#include "kernel/window_form.h"
#include "support/run_schedule.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/ir/text.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr Dim kBatch = 3, kHeads = 4, kQueries = 16, kKeys = 64;

// A cache of 16 KiB: scores of one head are 4 KiB, all of them 48 KiB.
Target small_cache() {
  Target t;
  t.l2_bytes = 8 << 10;
  t.l3_bytes = 16 << 10;
  return t;
}

UOp input(int slot, const Shape& shape) { return param(slot, shape, DType::Float32); }
UOp sum_of(const UOp& x, int64_t axis) {
  return reduce(x, ReduceOp::Add, std::vector<int64_t>{axis});
}

// Σ over the last axis of a[.., i, k]·b[.., j, k].
UOp product(const UOp& a, const UOp& b) {
  Shape wide = a.shape_vec();
  const Dim columns = b.dim(b.ndim() - 2);
  wide.insert(wide.end() - 1, columns);
  Shape one = a.shape_vec();
  one.insert(one.end() - 1, 1);
  Shape other = b.shape_vec();
  other.insert(other.end() - 2, 1);
  const UOp terms = expand(reshape(a, one), wide) * expand(reshape(b, other), wide);
  Shape result = wide;
  result.pop_back();
  return reshape(sum_of(terms, static_cast<int64_t>(wide.size()) - 1), result);
}

struct Attention {
  UOp scores, weights, result;
};
Attention attention(Dim queries = kQueries, Dim size = 4) {
  const UOp q = input(0, {kBatch, kHeads, queries, size}),
            k = input(1, {kBatch, kHeads, kKeys, size}),
            v = input(2, {kBatch, kHeads, size, kKeys});
  Attention a;
  a.scores = contiguous(product(q, k));
  const UOp e = exp2(a.scores);
  Shape rows = e.shape_vec();
  rows.back() = 1;
  a.weights = contiguous(e / expand(reshape(sum_of(e, 3), rows), e.shape_vec()));
  a.result = contiguous(product(a.weights, v));
  return a;
}

int64_t largest_temporary(const Schedule& s) {
  int64_t most = 0;
  for (const ScheduledBuffer& b : s.buffers) {
    if (!b.external && b.first_use >= 0)
      most = std::max(most, numel(b.node->shape()) * dtype_size(b.node->dtype));
  }
  return most;
}

void expect_same_values(const std::vector<UOp>& roots, const Schedule& a, const Schedule& b) {
  std::mt19937_64 rng(1);
  BufferContents contents;
  for (const UOp& r : roots) {
    for (const Node* n : toposort(r)) {
      if (n->op == Op::Param)
        contents.try_emplace(
            n, test::random_tensor(rng, {n->shape().begin(), n->shape().end()}, n->dtype));
    }
  }
  const auto want = test::run_schedule(a, roots, contents),
             got = test::run_schedule(b, roots, contents);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(test::same_numbers(got[i], want[i]));
}

TEST(SliceItems, ScoresOfAttentionAreHandedOverByPart) {
  const std::vector<UOp> roots = {attention().result};
  const Schedule whole = make_schedule(roots, Target{}),
                 sliced = make_schedule(roots, small_cache());
  ASSERT_EQ(whole.items.size(), 3U);
  EXPECT_EQ(sliced.items.size(), 36U);  // heads one by one
  EXPECT_EQ(largest_temporary(whole), kBatch * kHeads * kQueries * kKeys * 4);
  EXPECT_EQ(largest_temporary(sliced), kQueries * kKeys * 4);
  expect_same_values(roots, whole, sliced);
}

TEST(SliceItems, PartsAreAsLargeAsTheCacheHolds) {
  Target t = small_cache();
  t.l2_bytes *= 2;
  const std::vector<UOp> roots = {attention().result};
  const Schedule sliced = make_schedule(roots, t);
  EXPECT_EQ(sliced.items.size(), 18U);  // two heads at a time
  expect_same_values(roots, make_schedule(roots, Target{}), sliced);
}

TEST(SliceItems, CoresThatHoldMoreGetMore) {
  Target t = small_cache();
  t.threads = 3;
  EXPECT_EQ(make_schedule(std::vector<UOp>{attention().result}, t).items.size(), 9U);
}

// All slices are one kernel for other places: where heads of queries begin at no line of memory,
// parts are of so many heads that they do.
TEST(SliceItems, ShareTheirPrograms) {
  for (const auto& [queries, size] : {std::pair<Dim, Dim>{kQueries, 4}, {12, 2}, {17, 4}}) {
    Target t = small_cache();
    t.l3_bytes = 64 << 10;
    const Schedule sliced = make_schedule(std::vector<UOp>{attention(queries, size).result}, t);
    EXPECT_GT(sliced.items.size(), 3U);
    std::set<std::string> programs;
    for (const ScheduleItem& item : sliced.items) {
      const auto form = window_form(item.kernel);
      programs.insert(print(form ? form->kernel : item.kernel));
    }
    EXPECT_EQ(programs.size(), 3U) << queries << " queries";
  }
}

// The weights, too, are a result: they are not handed over alone, but they are written by part.
TEST(SliceItems, WhatIsNeededLaterStaysWhole) {
  const Attention a = attention();
  const UOp more = contiguous(exp2(a.scores + a.scores));
  const std::vector<UOp> roots = {a.result, contiguous(sum_of(more, 3)), a.weights};
  const Schedule whole = make_schedule(roots, Target{}),
                 sliced = make_schedule(roots, small_cache());
  EXPECT_GT(sliced.items.size(), whole.items.size());
  expect_same_values(roots, whole, sliced);
}

TEST(SliceItems, ASumOverTheSharedAxisIsNotCut) {
  const UOp x = input(0, {64, 8}), y = input(1, {64, 8});
  const UOp table = contiguous(product(x, y));  // [64, 64]
  const std::vector<UOp> roots = {
      contiguous(sum_of(exp2(table), 0) + reshape(sum_of(table, 1), {1, 64}))};
  const Schedule whole = make_schedule(roots, Target{});
  EXPECT_EQ(make_schedule(roots, small_cache()).items.size(), whole.items.size());
}

// Two layers: every slice would read both tables of weights again.
TEST(SliceItems, WeightsAreNotReadAgainForLess) {
  const UOp x = input(0, {512, 8}), w = input(1, {128, 8}), v = input(2, {64, 128});
  const UOp hidden = contiguous(exp2(product(x, w)));  // [512, 128]: 256 KiB
  const std::vector<UOp> roots = {contiguous(product(hidden, v))};
  Target t = small_cache();
  t.l2_bytes = t.l3_bytes = 2 << 10;
  EXPECT_EQ(make_schedule(roots, t).items.size(), 2U);
}

// Sums of long rows: what is handed over is little beside what is read.
TEST(SliceItems, WhatIsHandedOverIsMost) {
  const UOp x = input(0, {16, 8, 16, 64}), v = input(1, {16, 4, 16});
  const UOp sums = contiguous(reshape(sum_of(x, 3), {16, 8, 16}));  // 8 KiB of 512
  const std::vector<UOp> roots = {contiguous(product(sums, v))};
  Target t = small_cache();
  t.l2_bytes = 1 << 10;
  EXPECT_EQ(make_schedule(roots, t).items.size(), 2U);
}

TEST(SliceItems, WorkItemsHaveNoCacheOfTheirOwn) {
  Target t = small_cache();
  t.max_group_size = 256;
  EXPECT_EQ(make_schedule(std::vector<UOp>{attention().result}, t).items.size(), 3U);
}

}  // namespace
}  // namespace tg
