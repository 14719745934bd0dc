// Which arguments of a kernel are stored past the caches: those that are written in whole lines,
// not read, and too large to be found in a cache afterwards.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/param_uses.h"
#include "support/kernel_names.h"

namespace tg {
namespace {

using test::kFloat;

Target cached_target() {
  Target t;
  t.vector_bytes = 64;
  t.l3_bytes = 1 << 20;
  t.ops.set();
  t.dtypes.set();
  return t;
}

// p0[i] = p1[i·step] + 1, or onto what is there.
LinearKernel kernel(int64_t n, const Target& target, int64_t step = 1, bool onto = false) {
  const UOp i = range(n, 0);
  const UOp to = param(0, {n}, kFloat), from = param(1, {n * step}, kFloat);
  UOp v = load(from, std::vector<UOp>{step == 1 ? i : i * step}) + 1;
  if (onto) v = v + load(to, std::vector<UOp>{i});
  const std::vector<UOp> place = {i};
  const std::vector<UOp> roots = {make(Op::End, {store_at(to, place, v), i})};
  const UOp k = sink(roots);
  return lower(k, choose_schedule(k, target), target);
}

constexpr int64_t kHalfCache = (1 << 20) / 2 / 4;

TEST(Streams, AreResultsOfHalfTheLastCache) {
  EXPECT_EQ(kernel(kHalfCache, cached_target()).params[0].stream_bytes, 64);
  EXPECT_EQ(kernel(kHalfCache - 16, cached_target()).params[0].stream_bytes, 0);
}
TEST(Streams, AreNotReadByTheKernel) {
  EXPECT_EQ(kernel(kHalfCache, cached_target(), 1, true).params[0].stream_bytes, 0);
  EXPECT_EQ(kernel(kHalfCache, cached_target()).params[1].stream_bytes, 0);
}
TEST(Streams, MayBePartsOfALineOfWhichTheRestFollows) {
  Target narrow = cached_target();
  for (const int64_t bytes : {32, 16}) {
    narrow.vector_bytes = bytes;
    EXPECT_EQ(kernel(kHalfCache, narrow).params[0].stream_bytes, bytes);
    EXPECT_EQ(kernel(kHalfCache - 16, narrow).params[0].stream_bytes, 0);
  }
}
TEST(Streams, MayComeFromScatteredReads) {
  EXPECT_EQ(kernel(kHalfCache, cached_target(), 3).params[0].stream_bytes, 64);
}

TEST(Streams, AreLessThanALastLevelThatOthersShare) {
  Target shared = cached_target();
  shared.l3_bytes = int64_t{1} << 30;
  const int64_t limit = most_cached_bytes(shared) / 4;
  EXPECT_EQ(kernel(limit + 16, shared).params[0].stream_bytes, 64);
  EXPECT_EQ(kernel(limit / 2, shared).params[0].stream_bytes, 0);
}

// p0[i, r, j] = p1[r, i, j] + 1: rows of n elements, 64 bytes at a time.
int64_t streamed_of_rows(int64_t n, Tail tail) {
  constexpr int64_t kRows = 512;
  const UOp i = range(kRows, 0), r = range(kRows, 1), j = range(n, 2);
  const std::vector<UOp> at = {i, r, j};
  const UOp v = load(param(1, {kRows, kRows, n}, kFloat), std::vector<UOp>{r, i, j}) + 1;
  const UOp root = end(store_at(param(0, {kRows, kRows, n}, kFloat), at, v), at);
  const UOp k = sink(std::span(&root, 1));
  KernelSchedule s = plain_schedule(k);
  opt_vector(s, s.find_base(j), 16, tail);
  return lower(k, s, cached_target()).params[0].stream_bytes;
}
TEST(Streams, AreRowsThatBeginWithALine) {
  EXPECT_EQ(streamed_of_rows(48, Tail::None), 64);
  EXPECT_EQ(streamed_of_rows(40, Tail::Peel), 0);
  EXPECT_EQ(streamed_of_rows(40, Tail::Shift), 0);
}

// p0[i, j] = p1[j, i], of which squares are turned: lines of many rows are written together.
int64_t streamed_when_turned(int64_t n, const Target& target) {
  const UOp i = range(n, 0), j = range(n, 1);
  const std::vector<UOp> at = {i, j};
  const UOp v = load(param(1, {n, n}, kFloat), std::vector<UOp>{j, i});
  const UOp root = end(store_at(param(0, {n, n}, kFloat), at, v), at);
  const UOp k = sink(std::span(&root, 1));
  return lower(k, choose_schedule(k, target), target).params[0].stream_bytes;
}
TEST(Streams, AreLinesThatAreWrittenApart) {
  Target target = cached_target();
  target.l2_bytes = 64 << 10;
  target.l3_bytes = int64_t{1} << 30;
  constexpr int64_t kLargest = 256;  // rows and columns of four times level 2
  EXPECT_EQ(streamed_when_turned(kLargest + 16, target), 64);
  EXPECT_EQ(streamed_when_turned(kLargest, target), 0);
  EXPECT_EQ(kernel((kLargest + 16) * (kLargest + 16), target).params[0].stream_bytes, 0)
      << "lines in a row are fetched ahead";
}

TEST(Streams, AreWholeLinesWhereTheyAreApart) {
  Target target = cached_target();
  target.vector_bytes = 32;
  EXPECT_EQ(streamed_when_turned(1024, target), 0);
}

// p0[i, j] = Σ_k p1[k, i, j]: between two stores is a loop.
TEST(Streams, OfPartsWaitForNoSum) {
  for (const int lanes : {8, 16}) {
    constexpr int64_t kRows = 512, kTerms = 300;
    const UOp i = range(kRows, 0), j = range(kRows, 1), k = range(kTerms, 2);
    const UOp x = load(param(1, {kTerms, kRows, kRows}, kFloat), std::vector<UOp>{k, i, j});
    const std::vector<UOp> at = {i, j};
    const UOp root = end(
        store_at(param(0, {kRows, kRows}, kFloat), at, reduce_ranges(x, ReduceOp::Add, {{k}})), at);
    const UOp sums = sink(std::span(&root, 1));
    KernelSchedule s = plain_schedule(sums);
    opt_vector(s, s.find_base(j), lanes);
    const Target target = cached_target();
    EXPECT_EQ(lower(sums, s, target).params[0].stream_bytes, lanes == 16 ? 64 : 0);
  }
}

}  // namespace
}  // namespace tg
