// Masked sums that are prefix sums: recognised in every spelling, with the numbers of the sum they
// replace; what only looks like one is left alone.
#include "schedule/recognise_scans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/tensors.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

// An operand over columns, spread over rows, and the places of its elements.
struct Table {
  Dim n, m;
  Shape wide = {n, m};
  std::mt19937_64 rng{static_cast<uint64_t>(n * 1000 + m)};
  test::Leaves leaves;

  UOp leaf(const Shape& shape, DType t) { return leaves.add(test::random_tensor(rng, shape, t)); }
  UOp row(DType t = DType::Int32) const { return iota(wide, 0, t); }
  UOp column(DType t = DType::Int32) const { return iota(wide, 1, t); }
  /// One value a column.
  UOp x(DType t = DType::Float32) { return expand(leaf({1, m}, t), wide); }
  UOp masked(const UOp& condition) {
    const UOp v = x();
    return where(condition, v, const_like(v, int64_t{0}));
  }
  static UOp sum(const UOp& v, IntSpan axes) { return reduce(v, ReduceOp::Add, axes); }
  static UOp sum(const UOp& v) { return sum(v, {{1}}); }
};

struct ScanForm {
  const char* name;
  UOp (*sum)(Table& t);
};

UOp numbers(const UOp& flag) { return cast(cast(flag, DType::Int32), DType::Float32); }
UOp plus(const UOp& a, int64_t v) { return a + const_like(a, v); }

const ScanForm kScans[] = {
    {"UpToTheRow", [](Table& t) { return t.sum(t.masked(ge(t.row(), t.column()))); }},
    {"BeforeTheRow", [](Table& t) { return t.sum(t.masked(lt(t.column(), t.row()))); }},
    {"ZeroAfterTheRow",
     [](Table& t) {
       const UOp v = t.x();
       return t.sum(where(lt(t.row(), t.column()), const_like(v, int64_t{0}), v));
     }},
    {"FromTheRowOn", [](Table& t) { return t.sum(t.masked(ge(t.column(), t.row()))); }},
    {"AfterTheRow", [](Table& t) { return t.sum(t.masked(lt(t.row(), t.column()))); }},
    {"AFewMore", [](Table& t) { return t.sum(t.masked(lt(t.column(), plus(t.row(), 3)))); }},
    {"AFewLess", [](Table& t) { return t.sum(t.masked(lt(plus(t.column(), 2), t.row()))); }},
    {"FromAFewBefore", [](Table& t) { return t.sum(t.masked(ge(plus(t.column(), 3), t.row()))); }},
    {"FromAFewAfter", [](Table& t) { return t.sum(t.masked(lt(plus(t.row(), 2), t.column()))); }},
    {"PlacesOf64Bits",
     [](Table& t) {
       return t.sum(t.masked(lt(t.column(DType::Int64), plus(t.row(DType::Int64), 1))));
     }},
    {"ProductWithAFlag", [](Table& t) { return t.sum(numbers(ge(t.row(), t.column())) * t.x()); }},
    {"ProductWithATriangleOfOnes",
     [](Table& t) {
       const UOp one = full(t.wide, Scalar::of_double(1, DType::Float32));
       return t.sum(t.x() * where(ge(t.row(), t.column()), one, const_like(one, int64_t{0})));
     }},
    {"OfAnExpression",
     [](Table& t) {
       const UOp v = t.x();
       const UOp w = v * v + cast(t.column(), DType::Float32);
       return t.sum(where(ge(t.row(), t.column()), w, const_like(w, int64_t{0})));
     }},
    {"UnderAConditionOfTheColumn",
     [](Table& t) {
       return t.sum(t.masked(ge(t.row(), t.column()) & lt(t.x(), const_like(t.x(), int64_t{4}))));
     }},
    {"OfIntegers",
     [](Table& t) {
       const UOp v = t.x(DType::Int8);
       return t.sum(where(ge(t.row(), t.column()), v, const_like(v, int64_t{0})));
     }},
    {"OverRows",
     [](Table& t) {
       const UOp v = expand(t.leaf({t.n, 1}, DType::Float32), t.wide);
       return t.sum(where(ge(t.column(), t.row()), v, const_like(v, int64_t{0})), {{0}});
     }},
    {"ThroughMovement",
     [](Table& t) {
       return t.sum(permute(t.masked(ge(t.row(), t.column())), {{1, 0}}), {{0}});
     }},
    {"BackwardsBothWays",
     [](Table& t) {
       return t.sum(flip(t.masked(ge(t.row(), t.column())), {{0, 1}}));
     }},
    {"ATriangleTimesAMatrix",
     [](Table& t) {
       const Shape wide = {t.n, t.m, 3};
       const UOp v = expand(t.leaf({1, t.m, 3}, DType::Float32), wide);
       return t.sum(numbers(ge(iota(wide, 0, DType::Int32), iota(wide, 1, DType::Int32))) * v);
     }},
    {"OfABatch",
     [](Table& t) {
       const Shape wide = {2, t.n, t.m};
       const UOp v = expand(t.leaf({2, 1, t.m}, DType::Float32), wide);
       const UOp mask = ge(iota(wide, 1, DType::Int32), iota(wide, 2, DType::Int32));
       return t.sum(where(mask, v, const_like(v, int64_t{0})), {{2}});
     }},
    {"OverAnotherAxisToo",
     [](Table& t) {
       const Shape wide = {t.n, t.m, 3};
       const UOp v = expand(t.leaf({1, t.m, 3}, DType::Float32), wide);
       const UOp mask = lt(iota(wide, 1, DType::Int32), iota(wide, 0, DType::Int32));
       return t.sum(where(mask, v, const_like(v, int64_t{0})), {{1, 2}});
     }},
};

using Case = std::tuple<ScanForm, std::pair<Dim, Dim>>;
std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto [n, m] = std::get<1>(info.param);
  return std::string(std::get<0>(info.param).name) + std::to_string(n) + "x" + std::to_string(m);
}

class MaskedSum : public testing::TestWithParam<Case> {};

TEST_P(MaskedSum, AsAScanHasItsNumbers) {
  const auto [n, m] = std::get<1>(GetParam());
  Table t{n, m};
  const UOp sum = std::get<0>(GetParam()).sum(t);
  const auto scan = masked_sum_as_scan(sum);
  if (n < 5 || m < 5) {
    if (!scan) return;
  }
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->shape_vec(), sum.shape_vec());
  EXPECT_EQ(scan->dtype(), sum.dtype());
  EXPECT_EQ(t.leaves(*scan), t.leaves(sum));
}

INSTANTIATE_TEST_SUITE_P(
    Scans, MaskedSum,
    testing::Combine(testing::ValuesIn(kScans),
                     testing::Values(std::pair<Dim, Dim>{1, 7}, std::pair<Dim, Dim>{2, 3},
                                     std::pair<Dim, Dim>{5, 5}, std::pair<Dim, Dim>{40, 40},
                                     std::pair<Dim, Dim>{6, 70}, std::pair<Dim, Dim>{70, 6},
                                     std::pair<Dim, Dim>{33, 64}, std::pair<Dim, Dim>{64, 33})),
    name_of);

const ScanForm kOthers[] = {
    {"APlainSum", [](Table& t) { return t.sum(t.x()); }},
    {"OfAMatrix",
     [](Table& t) {
       const UOp v = t.leaf(t.wide, DType::Float32);
       return t.sum(where(ge(t.row(), t.column()), v, const_like(v, int64_t{0})));
     }},
    {"OfRowTimesColumn",
     [](Table& t) {
       const UOp v = t.x() * cast(t.row(), DType::Float32);
       return t.sum(where(ge(t.row(), t.column()), v, const_like(v, int64_t{0})));
     }},
    {"ABand",
     [](Table& t) {
       return t.sum(t.masked(ge(t.row(), t.column()) & lt(t.row(), plus(t.column(), 3))));
     }},
    {"UpToAnEntryOfATable",
     [](Table& t) {
       const UOp end = expand(t.leaf({t.n, 1}, DType::Int32), t.wide);
       return t.sum(t.masked(lt(t.column(), end)));
     }},
    {"UpToTheRowAndAnEntry",
     [](Table& t) {
       const UOp more = expand(t.leaf({1, 1}, DType::Int32), t.wide);
       return t.sum(t.masked(lt(t.column(), t.row() + more)));
     }},
    {"EverySecondColumn",
     [](Table& t) {
       return t.sum(t.masked(lt(t.column() * const_like(t.column(), int64_t{2}), t.row())));
     }},
    {"TwoColumnsARow",
     [](Table& t) {
       return t.sum(t.masked(lt(t.column(), t.row() * const_like(t.row(), int64_t{2}))));
     }},
    {"BelowTheOtherDiagonal",
     [](Table& t) { return t.sum(t.masked(lt(t.column() + t.row(), const_like(t.row(), t.n)))); }},
    {"OfPlacesThatWrap",
     [](Table& t) {
       return t.sum(t.masked(lt(t.column(DType::UInt8), plus(t.row(DType::UInt8), 250))));
     }},
    {"FarMoreThanThereAre",
     [](Table& t) {
       return t.sum(
           t.masked(lt(t.column(DType::Int64), plus(t.row(DType::Int64), int64_t{1} << 40))));
     }},
    {"ToTheEndOf64Bits",
     [](Table& t) {
       const UOp end = const_like(t.row(DType::Int64), std::numeric_limits<int64_t>::max());
       return t.sum(t.masked(lt(t.row(DType::Int64) - t.column(DType::Int64), end)));
     }},
    {"PlacesAsFloats",
     [](Table& t) { return t.sum(t.masked(lt(t.column(DType::Float32), t.row(DType::Float32)))); }},
    {"OneOfARow", [](Table& t) { return t.sum(t.masked(eq(t.row(), t.column()))); }},
    {"AMaskOfColumnsAlone",
     [](Table& t) { return t.sum(t.masked(lt(t.column(), const_like(t.column(), int64_t{3})))); }},
    {"ACount", [](Table& t) { return t.sum(numbers(ge(t.row(), t.column()))); }},
    {"OneElsewhere",
     [](Table& t) {
       const UOp v = t.x();
       return t.sum(where(ge(t.row(), t.column()), v, const_like(v, int64_t{1})));
     }},
    {"TheLargest",
     [](Table& t) { return reduce(t.masked(ge(t.row(), t.column())), ReduceOp::Max, {{1}}); }},
    {"OverBothAxes",
     [](Table& t) {
       return t.sum(t.masked(ge(t.row(), t.column())), {{0, 1}});
     }},
};

class OtherSum : public testing::TestWithParam<ScanForm> {};

TEST_P(OtherSum, IsLeftAlone) {
  for (const auto& [n, m] : {std::pair<Dim, Dim>{40, 40}, {7, 300}, {300, 7}}) {
    Table t{n, m};
    const UOp sum = GetParam().sum(t);
    EXPECT_FALSE(masked_sum_as_scan(sum)) << n << " rows, " << m << " columns";
  }
}

INSTANTIATE_TEST_SUITE_P(Others, OtherSum, testing::ValuesIn(kOthers),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MaskedSums, AreScansOnlyWhereThatIsLessWork) {
  const Target target;
  for (const auto& [n, scan] : {std::pair<Dim, bool>{64, false}, {4096, true}}) {
    Table t{n, n};
    const UOp sum = t.sum(t.masked(ge(t.row(), t.column())));
    const std::vector<UOp> roots = recognise_scans(std::span(&sum, 1), target);
    ASSERT_EQ(roots.size(), 1u);
    EXPECT_EQ(roots[0] != sum, scan) << n;
  }
}

TEST(MaskedSums, OfMaskedSumsAreScansOfScans) {
  Target free_launches;
  free_launches.launch_seconds = 0;

  Table big{64, 64};
  const UOp inner = big.sum(big.masked(ge(big.row(), big.column())));
  const UOp spread = expand(permute(inner, {{1, 0}}), big.wide);
  const UOp outer =
      big.sum(where(lt(big.column(), big.row()), spread, const_like(spread, int64_t{0})));
  const std::vector<UOp> roots = recognise_scans(std::span(&outer, 1), free_launches);
  EXPECT_EQ(big.leaves(roots[0]), big.leaves(outer));
  const auto reads_all = [](const Node* n) {
    return n->op == Op::Reduce && n->src()[0]->shape()[0] == 64 && n->src()[0]->shape()[1] == 64;
  };
  EXPECT_TRUE(std::ranges::any_of(toposort(outer), reads_all));
  EXPECT_FALSE(std::ranges::any_of(toposort(roots), reads_all));
}

TEST(MaskedSums, OfLongExpressionsAreLeftAlone) {
  Table t{40, 40};
  UOp v = t.x();
  for (int i = 0; i < 100000; ++i) v = sin(v);
  EXPECT_FALSE(
      masked_sum_as_scan(t.sum(where(ge(t.row(), t.column()), v, const_like(v, int64_t{0})))));
}

}  // namespace
}  // namespace tg
