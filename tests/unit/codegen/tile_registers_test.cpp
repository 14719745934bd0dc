// Schedules for tile registers: convolutions of any extents, steps and strides, on targets with
// little and much of level 2 and with some threads, give the values of their kernel; and what is
// copied is copied once. Products of two axes: dots_test.cpp.
#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

#include "codegen/decompose/decompose.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "support/effort.h"
#include "support/kernel_values.h"
#include "support/seeds_of_the_day.h"

namespace tg {
namespace {

Target tile_target(DType t, int64_t l2_bytes, int threads) {
  Target target = test::processor(threads);
  target.has_fma = true;
  target.matrix_units = {find_matrix_unit(is_int(t) ? "m16n16k64_i8" : "m16n16k32_bf16")};
  target.dtypes.reset(static_cast<size_t>(DType::BFloat16));
  target.l2_bytes = l2_bytes;
  return target;
}

// A convolution of images [n, c, h, w] with filters [o, c, s, s]: zeros around the images keep
// h and w, but for the stride.
struct Convolution {
  DType dtype;
  Dim images, filters, channels, height, width;
  Dim side = 3, stride = 1;

  UOp kernel() const {
    const DType sum = is_int(dtype) ? DType::Int32 : DType::Float32;
    const UOp n = range(images, 0), o = range(filters, 1), y = range(height, 2),
              x = range(width, 3), c = range(channels, 4), i = range(side, 5), j = range(side, 6);
    const UOp row = y * stride + i - side / 2, column = x * stride + j - side / 2;
    const Dim rows = height * stride, columns = width * stride;
    const UOp first = index_const(-1);
    const UOp inside = lt(first, row) & lt(row, index_const(rows)) & lt(first, column) &
                       lt(column, index_const(columns));
    const UOp a = load(param(1, {images, channels, rows, columns}, dtype),
                       std::vector{n, c, row, column}, inside),
              w = load(param(2, {filters, channels, side, side}, dtype), std::vector{o, c, i, j});
    const UOp total = reduce_ranges(cast(a, sum) * cast(w, sum), ReduceOp::Add, {{c, i, j}});
    const UOp root = end(
        store_at(param(0, {images, filters, height, width}, sum), std::vector{n, o, y, x}, total),
        std::vector{n, o, y, x});
    return sink(std::span(&root, 1));
  }
};

// Levels of the copies, by parameter.
std::vector<int> copy_levels(const KernelSchedule& s) {
  std::vector<int> levels(3, -1);
  for (const Staging& copy : s.stages)
    levels[static_cast<size_t>(staged_load(copy.operand).src(0).arg(0))] = copy.level;
  return levels;
}

class TileRegistersOf : public testing::TestWithParam<DType> {};

TEST_P(TileRegistersOf, ConvolutionsGiveTheValuesOfTheirKernel) {
  const uint64_t first = test::first_seed();
  constexpr uint64_t kKernels = test::trials(8);
  int used = 0;
  // More where the unit was left alone by the first.
  for (uint64_t seed = first; seed < first + kKernels || (used == 0 && seed < first + 100);
       ++seed) {
    std::mt19937_64 rng(seed);
    const auto pick = [&](std::initializer_list<int> of) { return of.begin()[rng() % of.size()]; };
    const Convolution k{.dtype = GetParam(),
                        .images = pick({1, 2, 3}),
                        .filters = pick({16, 20, 33}),
                        .channels = pick({16, 31, 32, 64}),
                        .height = pick({1, 3, 5}),
                        .width = pick({13, 16, 18, 34}),
                        .side = pick({1, 2, 3}),
                        .stride = pick({1, 1, 2})};
    const Target target =
        tile_target(GetParam(), int64_t{1} << pick({12, 14, 16, 20}), pick({1, 2, 5}));
    const UOp ast = decompose(k.kernel(), target);
    const KernelSchedule s = choose_schedule(ast, target);
    SCOPED_TRACE("seed " + std::to_string(seed));
    used += s.unit.has_value();
    test::expect_values(ast, s, target);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(used, 0);
}

TEST_P(TileRegistersOf, ConvolutionsCopyEachFactorOnce) {
  const Convolution k{GetParam(), 4, 64, 64, 8, 32};
  const auto schedule = [&](int64_t l2_bytes, int threads) {
    const Target target = tile_target(GetParam(), l2_bytes, threads);
    return choose_schedule(decompose(k.kernel(), target), target);
  };
  EXPECT_EQ(copy_levels(schedule(1 << 21, 1)), (std::vector{-1, 0, 0}));
  const KernelSchedule two = schedule(1 << 21, 2);
  EXPECT_EQ(copy_levels(two), (std::vector{-1, 1, 0})) << opts_text(two);
  EXPECT_TRUE(test::has_option(two, "TILE(r0,2)")) << opts_text(two);
  EXPECT_TRUE(test::has_option(two, "THREAD(1)")) << opts_text(two);
  // Images are parts already; a part of one has the rows that its windows reach.
  const KernelSchedule eight = schedule(1 << 21, 8);
  EXPECT_EQ(copy_levels(eight), (std::vector{-1, 2, 0})) << opts_text(eight);
  EXPECT_TRUE(test::has_option(eight, "TILE(r2,4)")) << opts_text(eight);
  EXPECT_TRUE(test::has_option(eight, "THREAD(2)")) << opts_text(eight);
}

// Half of a register's terms, and zeros behind them: windows overlap in the copy all the same. Rows
// of 34 elements are copied by whole vectors.
TEST_P(TileRegistersOf, ConvolutionsOfFewChannelsCopyABoxOfTheImage) {
  const int terms = GetParam() == DType::Int8 ? 64 : 32;
  const Convolution k{.dtype = GetParam(),
                      .images = 2,
                      .filters = 16,
                      .channels = terms / 2 + 1,
                      .height = 8,
                      .width = 32};
  const Target target = tile_target(GetParam(), 1 << 21, 1);
  const UOp ast = decompose(k.kernel(), target);
  const KernelSchedule s = choose_schedule(ast, target);
  ASSERT_TRUE(s.unit.has_value()) << opts_text(s);
  const LinearKernel code = lower(ast, s, target);
  const int64_t box = 2 * (8 + 2) * 48 * terms, filters = 16 * 9 * terms, results = 4 * 16 * 64;
  EXPECT_LE(code.scratch_bytes,
            static_cast<int64_t>(dtype_size(GetParam())) * (box + filters) + results)
      << opts_text(s);
  test::expect_values(ast, s, target);
}

INSTANTIATE_TEST_SUITE_P(All, TileRegistersOf, testing::Values(DType::BFloat16, DType::Int8),
                         [](const auto& i) { return std::string(dtype_name(i.param)); });

// Rows of results that lie along the unit's rows: squares of sums are turned, and the last one is
// stored in part.
TEST(TileRegisters, StoreTurnedSquaresInPart) {
  const Convolution k{.dtype = DType::BFloat16,
                      .images = 1,
                      .filters = 32,
                      .channels = 32,
                      .height = 2,
                      .width = 28,
                      .side = 3,
                      .stride = 2};
  const Target target = tile_target(DType::BFloat16, 1 << 20, 1);
  const UOp ast = decompose(k.kernel(), target);
  const KernelSchedule s = choose_schedule(ast, target);
  test::expect_values(ast, s, target);
  int whole = 0;
  for (const UOp& u : lower(ast, s, target).ops) {
    if (!u.is(Op::Store) || u.src(0).node()->op != Op::Param) continue;
    EXPECT_EQ(u.src(1).lanes(), 1) << "a place for each lane";
    whole += u.src(2).lanes() == 16;
  }
  EXPECT_GT(whole, 0) << opts_text(s);
}

// A tile that is kept while a loop runs takes one of eight registers from it.
TEST(TileRegisters, AreLoadedInTheLoopThatReadsThem) {
  const Convolution k{.dtype = DType::BFloat16,
                      .images = 2,
                      .filters = 33,
                      .channels = 31,
                      .height = 6,
                      .width = 18,
                      .side = 1};
  const Target target = tile_target(DType::BFloat16, 1 << 20, 1);
  const UOp ast = decompose(k.kernel(), target);
  std::unordered_map<const Node*, int> loop_of_tile;
  int loops = 0, products = 0;
  for (const UOp& u : lower(ast, choose_schedule(ast, target), target).ops) {
    loops += u.is(Op::Range);
    if (u.is(Op::LoadRows)) loop_of_tile[u.node()] = loops;
    if (!u.is(Op::Mma)) continue;
    ++products;
    EXPECT_EQ(loop_of_tile.at(u.src_node(0)), loops);
    EXPECT_EQ(loop_of_tile.at(u.src_node(1)), loops);
  }
  EXPECT_GT(products, 0);
}

}  // namespace
}  // namespace tg
