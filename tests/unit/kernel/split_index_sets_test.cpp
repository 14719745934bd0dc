// Kernels in pieces give the values of the whole, each element from one piece, and no piece asks or
// loads what it does not need: split_index_sets.h.
#include "kernel/split_index_sets.h"

#include <gtest/gtest.h>

#include <random>

#include "rewrite/verify.h"
#include "rules/valid.h"
#include "support/effort.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

constexpr Dim kHeight = 9, kWidth = 40;

UOp is_below(const UOp& r, int64_t limit) { return lt(r, index_const(limit)); }
UOp is_from(const UOp& i, int64_t least) { return lt(index_const(least - 1), i); }
// The element, or 0 where there is none.
UOp cell(int slot, const std::vector<UOp>& idx, UOp gate = {}) {
  const Dim extents[] = {kHeight, kWidth};
  for (size_t d = 0; d < 2; ++d)
    gate = both_gates(gate, both_gates(is_from(idx[d], 0), is_below(idx[d], extents[d])));
  gate = simplify_gate(gate);
  return load(param(slot, {kHeight, kWidth}, DType::Float32), idx, gate.is_const(1) ? UOp{} : gate);
}
UOp turned(const UOp& r, int64_t at) { return index_const(at) - r; }

class IndexSets : public testing::Test {
 protected:
  // p0[r, c] = value.
  UOp kernel_of(const UOp& value) const {
    const UOp out = param(0, {kHeight, kWidth}, value.dtype());
    const UOp root = end(store_at(out, std::vector{r, c}, value), std::vector{r, c});
    return sink(std::span(&root, 1));
  }
  static std::vector<UOp> pieces_of(const UOp& kernel) {
    const auto phases = split_index_sets(kernel, 1);
    if (!phases) return {};
    EXPECT_EQ(phases->first_workspace, slots_of(kernel));
    for (const UOp& k : phases->kernels) EXPECT_NO_THROW(verify_ranged(k));
    return phases->kernels;
  }
  static void expect_whole(const UOp& kernel, const std::vector<UOp>& pieces, uint64_t seed) {
    std::mt19937_64 rng(seed);
    std::vector<TensorValue> want(static_cast<size_t>(slots_of(kernel)));
    for (TensorValue& v : want) v = test::random_tensor(rng, {kHeight, kWidth}, DType::Float32);
    std::vector<TensorValue> got = want;
    evaluate_ranged(kernel, want);
    for (const UOp& piece : pieces) ASSERT_NO_THROW(evaluate_ranged(piece, got));
    ASSERT_TRUE(test::same_numbers(got[0], want[0]));
  }
  const UOp r = range(kHeight, 0), c = range(kWidth, 1);
  const UOp x = cell(1, {r, c}), y = cell(2, {r, c});
};

TEST_F(IndexSets, OfJoinedArraysAreOneCopyEach) {
  const UOp kernel = kernel_of(
      where(is_below(c, 16), x, where(is_below(c, 24), y, cell(3, {r, c + index_const(-24)}))));
  const std::vector<UOp> pieces = pieces_of(kernel);
  ASSERT_EQ(pieces.size(), 3u);
  for (const UOp& p : pieces) {
    EXPECT_EQ(count_nodes(p, Op::Load), 1);
    EXPECT_EQ(count_nodes(p, Op::CmpLt), 0);
  }
  expect_whole(kernel, pieces, 1);
}

// A copy in the middle, and two rows that fill vectors; the columns beside them are one kernel.
TEST_F(IndexSets, OfBordersAreTheMiddleAndTheBorders) {
  const UOp i = r + index_const(-1), j = c + index_const(-2);
  const UOp kernel = kernel_of(cell(1, {i, j}));
  std::vector<UOp> pieces = pieces_of(kernel);
  ASSERT_EQ(pieces.size(), 3u);
  int64_t loads = 0, stores = 0;
  for (const UOp& p : pieces)
    loads += count_nodes(p, Op::Load), stores += count_nodes(p, Op::Store);
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(stores, 4);
  expect_whole(kernel, pieces, 2);
}

TEST_F(IndexSets, OfMirroredBordersLoadEachElementOnce) {
  const UOp kernel = kernel_of(where(
      is_below(c, 3), cell(1, {r, turned(c, 3)}),
      where(is_below(c, 37), cell(1, {r, c + index_const(-3)}), cell(1, {r, turned(c, 70)}))));
  const std::vector<UOp> pieces = pieces_of(kernel);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(count_nodes(pieces[0], Op::Load), 1);
  EXPECT_EQ(pieces[1].n_src(), 2);
  expect_whole(kernel, pieces, 3);
}

// Sums of loads under gates, as the gradient of a mirrored border is: the places at which the
// gates end are cuts, the two loads in the middle are one.
TEST_F(IndexSets, OfSumsUnderGatesAreSumsOfWhatIsThere) {
  const UOp in_front = both_gates(is_from(c, 1), is_below(c, 11));
  const UOp kernel = kernel_of(x + cell(2, {r, turned(c, 11)}, in_front) +
                               cell(3, {r, turned(c, 70)}, is_from(c, 31)));
  const std::vector<UOp> pieces = pieces_of(kernel);
  ASSERT_FALSE(pieces.empty());
  for (const UOp& p : pieces) {
    for (const UOp& root : p.srcs()) EXPECT_LE(count_nodes(root, Op::Load), 2);
  }
  expect_whole(kernel, pieces, 4);
}

TEST_F(IndexSets, StayWholeWhereResultsWouldBeStoredOneByOne) {
  const UOp out = param(0, {kHeight * kWidth / 2, 2}, DType::Float32);
  const UOp q = range(kHeight * kWidth / 2, 0), half = range(2, 1);
  const auto flat = [&](int slot) {
    return load(param(slot, {kHeight * kWidth / 2}, DType::Float32), std::vector{q});
  };
  const UOp root =
      end(store_at(out, std::vector{q, half}, where(is_below(half, 1), flat(1), flat(2))),
          std::vector{q, half});
  EXPECT_TRUE(pieces_of(sink(std::span(&root, 1))).empty());
}

TEST_F(IndexSets, StayWholeWhereLittleIsSpared) {
  EXPECT_TRUE(pieces_of(kernel_of(x + y)).empty());
  EXPECT_TRUE(pieces_of(kernel_of(where(is_below(c, 20), x, y) + cell(3, {r, c}) + cell(4, {r, c}) +
                                  cell(5, {r, c})))
                  .empty());
  const UOp joined = kernel_of(where(is_below(c, 20), x, y));
  EXPECT_FALSE(split_index_sets(joined, kHeight * kWidth + 1));
  EXPECT_TRUE(split_index_sets(joined, kHeight * kWidth));
}

// Which value stays where two are stored at one place is what the order of the loops says.
TEST_F(IndexSets, StayWholeWherePlacesAreLoaded) {
  const UOp place = load(param(3, {kHeight}, DType::Int32), std::vector{r});
  const UOp out = param(0, {kHeight, kWidth}, DType::Float32);
  const UOp root =
      end(store_at(out, std::vector{cast(place, DType::Index), c}, where(is_below(r, 4), x, y)),
          std::vector{r, c});
  EXPECT_TRUE(pieces_of(sink(std::span(&root, 1))).empty());
}

TEST_F(IndexSets, StayWholeWhereSomethingIsSummed) {
  const UOp k = range(4, 2);
  const UOp sum = reduce_ranges(cell(1, {k, c}), ReduceOp::Add, std::vector<UOp>{k});
  EXPECT_TRUE(pieces_of(kernel_of(where(is_below(c, 20), sum, y))).empty());
}

// Selections and sums of what lies at an offset or mirrored, by comparisons of rows and columns.
class RandomIndexSets : public IndexSets {
 protected:
  UOp place(const UOp& at, Dim extent) {
    const auto shift = static_cast<int64_t>(rng() % static_cast<uint64_t>(extent));
    switch (rng() % 4) {
      case 0:
        return turned(at, shift);
      case 1:
        return at + index_const(shift - extent / 2);
      case 2:
        return at + at + index_const(-shift);
      default:
        return at;
    }
  }
  UOp condition() {
    const bool rows = rng() % 2 == 0;
    const auto limit = static_cast<int64_t>(rng() % (rows ? kHeight : kWidth));
    const UOp& at = rows ? r : c;
    return rng() % 2 == 0 ? is_below(at, limit) : is_from(at, limit);
  }
  UOp leaf() {
    const int slot = static_cast<int>(1 + rng() % 3);
    return cell(slot, {place(r, kHeight), place(c, kWidth)}, rng() % 2 == 0 ? condition() : UOp{});
  }
  UOp random_value() {
    UOp v = leaf();
    for (int i = static_cast<int>(rng() % 6); i > 0; --i)
      v = rng() % 3 == 0   ? v + leaf()
          : rng() % 2 == 0 ? where(condition(), v, leaf())
                           : where(condition(), leaf(), v);
    return v;
  }
  std::mt19937_64 rng;
};

TEST_F(RandomIndexSets, GiveTheValuesOfTheWhole) {
  const uint64_t first = test::first_seed();
  int split = 0;
  for (uint64_t seed = first;
       seed < first + test::trials(200) || (split == 0 && seed < first + 4000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    rng.seed(seed);
    const UOp kernel = kernel_of(random_value());
    const std::vector<UOp> pieces = pieces_of(kernel);
    if (pieces.empty()) continue;
    ++split;
    ASSERT_NO_FATAL_FAILURE(expect_whole(kernel, pieces, seed));
  }
  EXPECT_GT(split, 0);
}

}  // namespace
}  // namespace tg
