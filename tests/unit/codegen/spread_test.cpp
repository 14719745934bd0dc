// Quotients along lanes, as resampling reads and as its gradient gates them: neighbours are loaded
// once and a shuffle gives each lane its own; a gate is a comparison of lane numbers, or known.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "support/kernel_values.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using test::kFloat;
using test::kProcessor;
using test::over;
using test::rest;

constexpr Dim kFewRows = 3, kRowPlaces = 96;
const UOp kFewRow = range(kFewRows, 0);

UOp stored_row(const UOp& value, const UOp& column) {
  const std::vector<UOp> at = {kFewRow, column};
  const Shape shape = {kFewRows, column.src(0).arg(0)};
  const UOp root = end(store_at(param(0, shape, kFloat), at, value), at);
  return sink(std::span(&root, 1));
}
UOp read_row(const UOp& place, const UOp& gate = {}) {
  return load(param(1, {kFewRows, kRowPlaces}, kFloat), {{kFewRow, place}}, gate);
}
UOp inside_row(const UOp& place) {
  return (lt(place, index_const(0)) ^ constant(1, DType::Bool)) &
         lt(place, index_const(kRowPlaces));
}

LinearKernel lowered(const UOp& kernel) {
  const KernelSchedule s = choose_schedule(kernel, kProcessor);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r1,16")) << opts_text(s);
  test::expect_values(kernel, s, kProcessor);
  return lower(kernel, s, kProcessor);
}
// Loads with a place for each lane.
int64_t gathers(const LinearKernel& k) {
  return std::ranges::count_if(k.ops,
                               [](const UOp& u) { return u.is(Op::Load) && u.src(1).lanes() > 1; });
}
bool has_shuffle(const LinearKernel& k) {
  return std::ranges::any_of(k.ops, [](const UOp& u) { return u.is(Op::Shuffle); });
}

class Spread : public testing::TestWithParam<int64_t> {};

TEST_P(Spread, QuotientsOfLanesLoadNeighbours) {
  const int64_t by = GetParam();
  for (const int64_t first : {int64_t{0}, int64_t{1}, by - 1, by + 3}) {
    for (const Dim columns : {64, 128}) {
      const UOp column = range(columns, 1);
      const LinearKernel k = lowered(stored_row(read_row(over(column + first, by)), column));
      EXPECT_EQ(gathers(k), 0) << "(i + " << first << ") div " << by;
      EXPECT_TRUE(has_shuffle(k));
    }
  }
}
TEST_P(Spread, TheSumWithTheRemainderIsAQuotientToo) {  // pairs that are exchanged
  const int64_t by = GetParam();
  const UOp column = range(96, 1);
  const UOp place = over(column, by) * by + (rest(column, by) * -1 + (by - 1));
  EXPECT_EQ(gathers(lowered(stored_row(read_row(place), column))), 0);
}
TEST_P(Spread, BordersAreZeros) {
  const int64_t by = GetParam();
  const UOp column = range(kRowPlaces * by, 1), place = over(column + 1, by) - 2;
  EXPECT_EQ(gathers(lowered(stored_row(read_row(place, inside_row(place)), column))), 0);
}
INSTANTIATE_TEST_SUITE_P(By, Spread, testing::Values(2, 4, 16), testing::PrintToStringParamName());

// Vectors of a turn: as many as it takes until the quotients begin again.
TEST(Spread, QuotientsThatDivideNoVectorTakeTurns) {
  for (const int64_t by : {3, 5, 6, 7, 25}) {
    for (const Dim columns : {96, 100, 37, 450}) {
      const UOp column = range(columns, 1), array = param(1, {kFewRows, 400}, kFloat);
      const UOp kernel = stored_row(load(array, {{kFewRow, over(column * 2 + 1, by)}}), column);
      EXPECT_EQ(gathers(lowered(kernel)), 0) << columns << " by " << by;
    }
  }
}
TEST(Spread, QuotientsThatNeverRepeatAreGathered) {
  const UOp column = range(2048, 1);
  EXPECT_GT(gathers(lowered(stored_row(read_row(over(column * 2, 1021)), column))), 0);
}
// Steps of one and a half to three: the lanes of a vector lie on two to four of the array.
TEST(Spread, WideStepsAreSeveralVectors) {
  for (const auto& [step, by] : {std::pair<int64_t, int64_t>{3, 2}, {7, 4}, {5, 2}, {9, 3}}) {
    const UOp column = range(32, 1);
    const UOp kernel = stored_row(read_row(over(column * step, by)), column);
    EXPECT_EQ(gathers(lowered(kernel)), 0) << step << " / " << by;
  }
}
TEST(Spread, QuotientsOfQuotientsAreQuotients) {
  const UOp column = range(96, 1);
  const UOp place = over(column + over(column + 1, 2), 3);
  EXPECT_EQ(gathers(lowered(stored_row(read_row(place), column))), 0);
}

// Comparisons of indices of 64 bits in every lane.
int64_t compared_indices(const LinearKernel& k) {
  return std::ranges::count_if(k.ops, [](const UOp& u) {
    const bool compares = u.is(Op::CmpLt) || u.is(Op::CmpNe);
    return compares && u.lanes() > 1 && u.src(0).dtype() == DType::Index;
  });
}
// As the gradient of resampling asks where an element was put.
TEST(Spread, ConditionsOnRemaindersAreKnown) {
  const UOp column = range(96, 1), place = over(column * 3 + 1, 2);
  for (const UOp& there :
       {lt(rest(column + 1, 2), index_const(1)), ne(over(place * 2 + 1, 3), column + 1),
        lt(place, index_const(kRowPlaces)) & lt(index_const(3), over(column, 2))}) {
    const UOp inside_too = there & lt(place, index_const(kRowPlaces));
    const LinearKernel k = lowered(stored_row(read_row(place, inside_too), column));
    EXPECT_EQ(gathers(k), 0);
    EXPECT_EQ(compared_indices(k), 0);
  }
}
TEST(Spread, ConditionsOfOtherThingsStay) {
  const UOp column = range(96, 1), odd = lt(index_const(0), rest(column, 2));
  lowered(stored_row(read_row(over(column, 2), odd), column));
}
// All lanes of a vector read one row, which may lie before the first.
TEST(Spread, OfRowsLoadsNeighboursInARow) {
  const UOp column = range(48, 1), row = over(column, 16) - 1;
  const UOp inside = lt(index_const(-1), row);
  for (const Dim rows : {2, 4}) {
    const UOp array = param(1, {rows, kFewRows}, kFloat);
    lowered(stored_row(load(array, {{row, kFewRow}}, inside), column));
  }
}
TEST(Spread, TheLastVectorMayBeShiftedByAnything) {
  for (const Dim columns : {65, 71, 100}) {
    const UOp column = range(columns, 1);
    EXPECT_LE(gathers(lowered(stored_row(read_row(over(column + 1, 2)), column))), 1);
  }
}

TEST(StridedGates, AreComparisonsOfLaneNumbers) {
  const UOp column = range(48, 1);
  for (const int64_t step : {2, 3, -2, -3}) {
    for (const int64_t first : {-5, 0, 7, 98}) {
      const UOp place = column * step + first;
      const LinearKernel k = lowered(stored_row(read_row(place, inside_row(place)), column));
      for (const UOp& u : k.ops) {
        const bool on_lanes = u.is(Op::CmpLt) && u.lanes() > 1;
        EXPECT_FALSE(on_lanes && u.src(0).dtype() == DType::Index) << step;
      }
    }
  }
}

}  // namespace
}  // namespace tg
