// Sums and maxima of windows over a padded image: rows of results share what their windows share,
// and the image is copied once with its border, whatever the border is.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/heuristics.h"
#include "codegen/scheduled_kernel.h"
#include "support/kernel_values.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using test::inside;
using test::kFloat;
using test::kProcessor;

constexpr Dim kImages = 3, kHeight = 20, kWidth = 37;
const UOp kImage = range(kImages, 0), kImageRow = range(kHeight, 1),
          kImageColumn = range(kWidth, 2);

// The image with `border` around it, as a kernel reads it.
UOp bordered(const UOp& row, const UOp& column, double border) {
  const UOp rows = inside(row, kHeight), columns = inside(column, kWidth);
  const UOp x =
      load(param(1, {kImages, kHeight, kWidth}, kFloat), {{kImage, row, column}}, rows & columns);
  if (border == 0) return x;
  const UOp outside = constant(border, kFloat);
  return where(columns, where(rows, x, outside), outside);
}

UOp image_kernel(const UOp& value) {
  const std::vector<UOp> at = {kImage, kImageRow, kImageColumn};
  const UOp root = end(store_at(param(0, {kImages, kHeight, kWidth}, kFloat), at, value), at);
  return sink(std::span(&root, 1));
}

struct WindowsCase {
  const char* name;
  ReduceOp op;
  double border;
  bool filter;  // terms are multiplied by a filter's
};
constexpr WindowsCase kWindowsCases[] = {{"sums", ReduceOp::Add, 0, false},
                                         {"maxima", ReduceOp::Max, -INFINITY, false},
                                         {"sums_of_a_framed_image", ReduceOp::Add, 7, false},
                                         {"filtered", ReduceOp::Add, 0, true}};

UOp windows(const WindowsCase& c, Dim taps) {
  const UOp i = range(taps, 3), j = range(taps, 4);
  UOp x = bordered(kImageRow + i - taps / 2, kImageColumn + j - taps / 2, c.border);
  if (c.filter) x = x * load(param(2, {kImages, taps, taps}, kFloat), {{kImage, i, j}});
  return image_kernel(reduce_ranges(x, c.op, {{i, j}}));
}

class Windows : public testing::TestWithParam<WindowsCase> {};

TEST_P(Windows, AreReadFromACopyWithItsBorder) {
  for (const Dim taps : {3, 5}) {
    const UOp kernel = windows(GetParam(), taps);
    const KernelSchedule s = choose_schedule(kernel, kProcessor);
    EXPECT_TRUE(test::has_option(s, "STAGE(p1,") && test::has_option(s, "UPCAST(r1,5)"))
        << opts_text(s);
    test::expect_values(kernel, s, kProcessor);
  }
}
TEST_P(Windows, AskNothingOfTheirPlaces) {
  const UOp kernel = windows(GetParam(), 3);
  const LinearKernel code = lower(kernel, choose_schedule(kernel, kProcessor), kProcessor);
  // What the window reads lies in the copy: a load that is gated fills it.
  const auto gated =
      std::ranges::count_if(code.ops, [](const UOp& u) { return u.is(Op::Load) && u.n_src() > 2; });
  EXPECT_LE(gated, 2) << "whole vectors of the copy's rows, and their last one";
}
INSTANTIATE_TEST_SUITE_P(All, Windows, testing::ValuesIn(kWindowsCases),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(Windows, OfSeveralRowsShareTheSumsOfTheirOwn) {
  const UOp kernel = windows(kWindowsCases[0], 5);
  const KernelSchedule s = choose_schedule(kernel, kProcessor);
  const LinearKernel code = lower(kernel, s, kProcessor);
  const auto additions = std::ranges::count_if(
      code.ops, [](const UOp& u) { return u.is(Op::Add) && is_float(u.dtype()); });
  // Five results, twice (the last columns apart): 9 rows of 5 terms, then 5 sums of 5 rows and the
  // start. Windows of their own would be 25 additions each.
  EXPECT_LE(additions, 2 * (9 * 4 + 5 * 5));
}

// A strip would ask each lane of each term where it is.
TEST(Windows, AreUnrolledWhereMasksCost) {
  Target target = test::processor_of_short_vectors();
  target.vector_registers = 4;
  target.l2_bytes = 4096;
  const UOp kernel = windows(kWindowsCases[0], 3);
  const KernelSchedule s = choose_schedule(kernel, target);
  EXPECT_TRUE(test::has_option(s, "UNROLL(r3,3")) << opts_text(s);
  test::expect_values(kernel, s, target);
  target.has_masked_access = true;
  const KernelSchedule strips = choose_schedule(kernel, target);
  EXPECT_FALSE(test::has_option(strips, "UNROLL(r3,3")) << opts_text(strips);
  test::expect_values(kernel, strips, target);
}

// A filter for each channel: the channels of an image fit into level 2 together, but each chunk of
// the launch reads one of them.
TEST(Windows, AreCopiedByTheChunkThatReadsThem) {
  constexpr Dim kBatch = 4, kChannels = 576, kSide = 14;
  const UOp n = range(kBatch, 0), c = range(kChannels, 1), y = range(kSide, 2), x = range(kSide, 3);
  const UOp i = range(3, 4), j = range(3, 5), row = y + i - 1, column = x + j - 1;
  const UOp pixel = load(param(1, {kBatch, kChannels, kSide, kSide}, kFloat), {{n, c, row, column}},
                         inside(row, kSide) & inside(column, kSide));
  const UOp weight = load(param(2, {kChannels, 3, 3}, kFloat), {{c, i, j}});
  const std::vector<UOp> at = {n, c, y, x};
  const UOp sum = reduce_ranges(pixel * weight, ReduceOp::Add, {{i, j}});
  const UOp root = end(store_at(param(0, {kBatch, kChannels, kSide, kSide}, kFloat), at, sum), at);
  Target target = kProcessor;
  target.l2_bytes = 2 << 20;
  const KernelSchedule s = choose_schedule(sink(std::span(&root, 1)), target);
  ASSERT_EQ(s.stages.size(), 1u) << opts_text(s);
  EXPECT_EQ(std::ranges::count(s.axes, Kind::Thread, &Axis::kind), 2) << opts_text(s);
  EXPECT_GE(s.stages.front().level, 2) << opts_text(s);
}

TEST(Borders, AreKnownByTheGateOfTheLoad) {
  const UOp rows = inside(kImageRow, kHeight - 1);
  const UOp x = load(param(1, {kImages, kHeight - 1, kWidth}, kFloat),
                     {{kImage, kImageRow, kImageColumn}}, rows);
  const UOp one = constant(1.0, kFloat), two = constant(2.0, kFloat);
  EXPECT_EQ(border_of(where(rows, x, one)), one);
  EXPECT_FALSE(border_of(x)) << "zeros, without a selection";
  EXPECT_FALSE(border_of(cast(x, DType::Float16))) << "a factor of products, no selection";
  EXPECT_FALSE(border_of(where(inside(kImageRow, kHeight - 2), x, one)))
      << "the last row is kept out";
  EXPECT_FALSE(border_of(where(inside(kImageColumn, 5), x, one))) << "says nothing of rows";
  EXPECT_FALSE(border_of(where(rows, where(rows, x, two), one))) << "two borders";
  const UOp v = load(param(2, {kHeight}, kFloat), {{kImageRow}});
  EXPECT_FALSE(border_of(where(rows, x, v))) << "no constant";
}

// p0[row, column] = Σ over k of p1[2·row + k + first, column], zeros around it; more than level 2
// holds.
UOp pairs_of_rows(Dim columns, int64_t first) {
  const Dim rows = (1 << 19) / columns;
  const UOp row = range(rows / 2, 0), column = range(columns, 1), k = range(2, 2);
  const UOp from = row * 2 + k + first;
  const UOp gate = first == 0 ? UOp{} : inside(from, rows);
  const UOp x = load(param(1, {rows, columns}, kFloat), {{from, column}}, gate);
  const std::vector<UOp> at = {row, column};
  const UOp sum = reduce_ranges(x, ReduceOp::Add, std::vector<UOp>{k});
  const UOp root = end(store_at(param(0, {rows / 2, columns}, kFloat), at, sum), at);
  return sink(std::span(&root, 1));
}
KernelSchedule checked(const UOp& kernel) {
  const KernelSchedule s = choose_schedule(kernel, kProcessor);
  test::expect_values(kernel, s, kProcessor);
  return s;
}

// Rows that lie less than a page apart are not read side by side.
TEST(PairsOfRows, AreSummedIntoAStripRowAfterRow) {
  for (const Dim columns : {128, 256, 1024}) {
    const KernelSchedule s = checked(pairs_of_rows(columns, 0));
    EXPECT_FALSE(test::has_option(s, "UNROLL(r2,2")) << opts_text(s);
  }
}
TEST(PairsOfRows, StayInRegistersWhereGatesKeepThemInOrder) {
  const KernelSchedule s = checked(pairs_of_rows(256, -1));
  EXPECT_TRUE(test::has_option(s, "UNROLL(r2,2")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "UPCAST(r1,16")) << opts_text(s);
}
TEST(PairsOfRows, FurtherApartAreReadSideBySide) {
  const KernelSchedule s = checked(pairs_of_rows(4096, 0));
  EXPECT_TRUE(test::has_option(s, "UNROLL(r2,2")) << opts_text(s);
}

// Of the two terms the first alone may lie before the array, and only that is asked.
TEST(Gates, AreAskedOfThePointsThatNeedThem) {
  const UOp kernel = pairs_of_rows(256, -1);
  const LinearKernel k = lower(kernel, choose_schedule(kernel, kProcessor), kProcessor);
  int64_t gated = 0, loads = 0;
  for (const UOp& u : k.ops) {
    loads += u.is(Op::Load);
    gated += u.is(Op::Load) && u.n_src() > 2;
  }
  EXPECT_EQ(2 * gated, loads);
}

// out[r] = Σ_{i, k} x[324·i + 9·r + k]·w[r]: the loop over results is cut for two threads first.
TEST(RowsOfSums, AreNotUnrolledWhereTheirLoopIsCutUnevenly) {
  const UOp r = range(36, 0), i = range(2, 1), k = range(9, 2);
  const UOp x = load(param(1, {648}, DType::Float32), std::vector<UOp>{i * 324 + r * 9 + k}),
            w = load(param(2, {36}, DType::Float32), std::vector<UOp>{r});
  const UOp sum = reduce_ranges(x * w + x * w, ReduceOp::Add, std::vector<UOp>{i, k});
  const std::vector<UOp> at = {r};
  const UOp root = end(store_at(param(0, {36}, DType::Float32), at, sum), at);
  const UOp kernel = sink(std::span(&root, 1));
  const Target target = test::processor(2);
  test::expect_values(kernel, choose_schedule(kernel, target), target);
}

}  // namespace
}  // namespace tg
