// What is chosen for reductions that are no contractions, and that it computes the same: lanes go
// where memory is contiguous, strips of results serve kernels with several reductions, short axes
// have lanes of their own, masked sums of a block share their terms.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "codegen/heuristics.h"
#include "support/executed_flops.h"
#include "support/kernel_values.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using test::kFloat;
using test::kTwoThreads;

// Stored at `at`, in an array of its extents.
UOp kernel_of(const UOp& value, const std::vector<UOp>& at) {
  Shape shape;
  for (const UOp& r : at) shape.push_back(r.src(0).arg(0));
  const UOp root = end(store_at(param(0, shape, value.dtype()), at, value), at);
  return sink(std::span(&root, 1));
}

TEST(ReductionSchedules, AVectorTimesColumnsHasLanesAlongTheColumns) {
  const UOp m = range(96, 0), k = range(128, 1);
  const UOp a = load(param(1, {128, 96}, kFloat), {{k, m}}),
            v = load(param(2, {128}, kFloat), {{k}});
  const UOp kernel = kernel_of(reduce_ranges(a * v, ReduceOp::Add, {{k}}), {m});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r0,16)")) << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
TEST(ReductionSchedules, RowsTimesAVectorAreReducedInLanes) {
  const UOp m = range(96, 0), k = range(256, 1);
  const UOp a = load(param(1, {96, 256}, kFloat), {{m, k}}),
            v = load(param(2, {256}, kFloat), {{k}});
  const UOp kernel = kernel_of(reduce_ranges(a * v, ReduceOp::Add, {{k}}), {m});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VREDUCE(r1,16)")) << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
// As a product with quantised weights: a block is two vectors, whose sum would wait for the last
// block's. Four rows wait at the same time, and share what they are multiplied by.
TEST(ReductionSchedules, RowsOfShortBlocksGoSideBySide) {
  const UOp m = range(96, 0), b = range(18, 1), k = range(32, 2);
  const UOp a = load(param(1, {96, 18, 32}, kFloat), {{m, b, k}}),
            scale = load(param(2, {96, 18}, kFloat), {{m, b}}),
            v = load(param(3, {18, 32}, kFloat), {{b, k}});
  const UOp kernel = kernel_of(reduce_ranges(v * (a * scale), ReduceOp::Add, {{b, k}}), {m});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VREDUCE(r2,16)") && test::has_option(s, "UNROLL(r2,2)") &&
              test::has_option(s, "UPCAST(r0,4)"))
      << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
// Of no rows, and of rows without elements, there is nothing to keep or to share.
TEST(ReductionSchedules, OfNothingStayPlain) {
  for (const auto& [rows, columns] : {std::pair<Dim, Dim>{0, 256}, {7, 0}}) {
    const Shape shape = {rows, columns};
    const UOp r = range(rows, 0), c = range(columns, 1), i = range(columns, 2),
              j = range(columns, 3);
    const auto x = [&](const UOp& at) { return load(param(1, shape, kFloat), {{r, at}}); };
    const UOp most = reduce_ranges(x(i), ReduceOp::Max, {{i}});
    const UOp sum = reduce_ranges(exp2(x(j) - most), ReduceOp::Add, {{j}});
    const UOp kernel = kernel_of(exp2(x(c) - most) / sum, {r, c});
    const KernelSchedule s = choose_schedule(kernel, test::processor());
    EXPECT_TRUE(s.opts.empty()) << opts_text(s);
    EXPECT_NO_THROW(lower(kernel, s, test::processor()));
  }
}
TEST(ReductionSchedules, BesideResultsOfOtherLanesHaveLanesOfTheirOwn) {  // as softmax of rows
  const UOp r = range(7, 0), c = range(256, 1), i = range(256, 2), j = range(256, 3);
  const auto x = [&](const UOp& at) { return load(param(1, {7, 256}, kFloat), {{r, at}}); };
  const UOp most = reduce_ranges(x(i), ReduceOp::Max, {{i}});
  const UOp sum = reduce_ranges(x(j) - most, ReduceOp::Add, {{j}});
  const UOp kernel = kernel_of((x(c) - most) * sum, {r, c});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VREDUCE(r2,16)") && test::has_option(s, "VREDUCE(r3,16)"))
      << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r1,16)")) << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
// As batch normalisation: what is left of a channel when its sum is taken off. Chunks of less than
// a channel would add it up once more each.
TEST(ReductionSchedules, AreNotComputedAgainByEachChunk) {
  const UOp c = range(128, 0), n = range(8, 1), i = range(196, 2), m = range(8, 3),
            j = range(196, 4);
  const auto x = [&](const UOp& image, const UOp& at) {
    return load(param(1, {8, 128, 196}, kFloat), {{image, c, at}});
  };
  const UOp sum = reduce_ranges(x(m, j), ReduceOp::Add, {{m, j}});
  const UOp root =
      end(store_at(param(0, {8, 128, 196}, kFloat), {{n, c, i}}, x(n, i) - sum), {{c, n, i}});
  const UOp kernel = sink(std::span(&root, 1));
  const auto chunks = [&](int threads) {
    const Target target = test::processor(threads);
    const KernelSchedule s = choose_schedule(kernel, target);
    test::expect_values(kernel, s, target);
    int64_t count = 1;
    for (const Axis& a : s.axes) {
      if (a.kind == Kind::Thread) count *= a.extent;
    }
    const double once = 8 * 128 * 196 * 2;
    if (threads == 2) {
      EXPECT_LE(test::executed_flops(lower(kernel, s, target)), 1.2 * once);
    }
    return count;
  };
  EXPECT_GE(chunks(2), 2);
  EXPECT_GE(chunks(64), 16);  // idle threads are worse than sums that are made twice
}
// What a channel's sum becomes is made once a channel, not once in each of its rounds.
TEST(ReductionSchedules, ThatOtherLoopsUseAreInsideTheLoopTheyBelongTo) {
  const UOp n = range(6, 0), c = range(40, 1), i = range(64, 2), m = range(6, 3), j = range(64, 4);
  const auto x = [&](const UOp& image, const UOp& at) {
    return load(param(1, {6, 40, 64}, kFloat), {{image, c, at}});
  };
  UOp scale = reduce_ranges(x(m, j), ReduceOp::Add, {{m, j}});
  for (int k = 0; k < 30; ++k) scale = scale * (scale + const_like(scale, 0.5));
  const UOp kernel = kernel_of(x(n, i) * scale, {n, c, i});
  for (const Target& target : {test::processor(), kTwoThreads}) {
    const KernelSchedule s = choose_schedule(kernel, target);
    const double sums = 6 * 40 * 64, made = 40 * 60, results = 6 * 40 * 64;
    EXPECT_LE(test::executed_flops(lower(kernel, s, target)), 1.1 * (sums + made + results))
        << opts_text(s);
    test::expect_values(kernel, s, target);
  }
}
TEST(ReductionSchedules, ShortRowsAreReducedSideBySide) {
  const UOp r = range(41, 0), i = range(10, 1), j = range(10, 2), c = range(10, 3);
  const auto x = [&](const UOp& at) { return load(param(1, {41, 10}, kFloat), {{r, at}}); };
  const UOp most = reduce_ranges(x(i), ReduceOp::Max, {{i}});
  const UOp kernel = kernel_of(x(c) * reduce_ranges(x(j) - most, ReduceOp::Add, {{j}}), {r, c});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "UPCAST(r0,8,peel)")) << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
TEST(ElementwiseSchedules, TwoVectorsTakeTurnsInLongChains) {
  const UOp r = range(1000, 0), x = load(param(1, {1000}, kFloat), {{r}});
  UOp shortened = x, chain = x;
  for (int i = 0; i < 40; ++i) {
    chain = maximum(chain * x, x);
    if (i < 4) shortened = chain;
  }
  const UOp deep = kernel_of(chain, {r}), flat = kernel_of(shortened, {r});
  const KernelSchedule two = choose_schedule(deep, kTwoThreads),
                       one = choose_schedule(flat, kTwoThreads);
  EXPECT_TRUE(test::has_option(two, "VECTOR(r0,32")) << opts_text(two);
  EXPECT_TRUE(test::has_option(one, "VECTOR(r0,16")) << opts_text(one);
  Target narrow = kTwoThreads;  // its language has no wider vectors, as OpenCL C has none
  narrow.max_lanes = 16;
  const KernelSchedule narrow_one = choose_schedule(deep, narrow);
  EXPECT_TRUE(test::has_option(narrow_one, "VECTOR(r0,16")) << opts_text(narrow_one);
  test::expect_values(flat, one, kTwoThreads);
}
TEST(ReductionSchedules, TwoReductionsOfColumnsShareStrips) {
  const UOp c = range(600, 0), i = range(200, 1), j = range(200, 2);
  const auto x = [&](const UOp& row) { return load(param(1, {200, 600}, kFloat), {{row, c}}); };
  const UOp sum = reduce_ranges(x(i), ReduceOp::Add, {{i}});
  const UOp kernel = kernel_of(reduce_ranges(maximum(x(j), sum), ReduceOp::Add, {{j}}), {c});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r0,16,peel)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "UNROLL(r1,8)") && test::has_option(s, "UNROLL(r2,8)"))
      << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "TILE(r0,")) << "a strip for each thread: " << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
TEST(ReductionSchedules, AShortAxisHasLanesOfItsOwn) {
  const UOp a = range(9, 0), c = range(7, 1), k = range(40, 2);
  const UOp x = load(param(1, {9, 40, 7}, kFloat), {{a, k, c}});
  const UOp kernel = kernel_of(reduce_ranges(x, ReduceOp::Max, {{k}}), {a, c});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r1,8,peel)")) << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
  Target unmasked = kTwoThreads;
  unmasked.has_masked_access = false;
  EXPECT_FALSE(test::has_option(choose_schedule(kernel, unmasked), "VECTOR(r1,8,peel)"));
}
// Loads are masked, and results are stored in vectors of 4, 2 and 1: a mask costs more.
TEST(ReductionSchedules, AShortAxisHasLanesWhereLoadsAreMasked) {
  const Target target = test::processor_of_short_vectors();
  const UOp a = range(9, 0), c = range(7, 1), k = range(40, 2);
  const auto columns = [&](DType t) {
    const UOp x = cast(load(param(1, {9, 40, 7}, t), {{a, k, c}}), kFloat);
    return kernel_of(reduce_ranges(x, ReduceOp::Max, {{k}}), {a, c});
  };
  const KernelSchedule s = choose_schedule(columns(kFloat), target);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r1,8,peel)")) << opts_text(s);
  const LinearKernel code = lower(columns(kFloat), s, target);
  std::vector<int> stored;
  for (const UOp& u : code.ops) {
    if (!u.is(Op::Store) || !u.src(0).is(Op::Param)) continue;
    stored.push_back(u.src(2).lanes());
    EXPECT_EQ(u.n_src(), 3) << "gated";
  }
  EXPECT_EQ(stored, (std::vector{4, 2, 1}));
  test::expect_values(columns(kFloat), s, target);
  const KernelSchedule narrow = choose_schedule(columns(DType::BFloat16), target);
  EXPECT_FALSE(test::has_option(narrow, "VECTOR(r1,8,peel)")) << opts_text(narrow);
}
TEST(ReductionSchedules, AShortAxisAcrossMemoryHasNone) {
  const UOp a = range(400, 0), c = range(3, 1);
  const UOp x = load(param(1, {3, 400}, kFloat), {{c, a}});
  const KernelSchedule s = choose_schedule(kernel_of(x, {a, c}), kTwoThreads);
  EXPECT_FALSE(test::has_option(s, "VECTOR(r1,4,peel)")) << opts_text(s);
}
// As the gradient of rotated pairs: 8 pairs, of which one number each is read.
TEST(ReductionSchedules, AShortAxisOfPairsHasLanes) {
  for (const int64_t step : {2, 4, 8}) {
    const UOp a = range(9, 0), c = range(8, 1), k = range(40, 2);
    const UOp x = load(param(1, {40, 9, 8 * step}, kFloat), {{k, a, c * step}});
    const UOp kernel = kernel_of(reduce_ranges(x, ReduceOp::Add, {{k}}), {a, c});
    const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
    EXPECT_EQ(test::has_option(s, "VECTOR(r1,8)"), step <= 4) << opts_text(s);
    test::expect_values(kernel, s, kTwoThreads);
  }
}
// Results of i and j are stored at i + j: the last one stays.
TEST(ReductionSchedules, OfResultsThatMeetKeepTheirOrder) {
  const UOp i = range(8, 0), j = range(64, 1), k = range(40, 2), d = range(64, 3);
  const auto stored = [&](const UOp& sum) {
    const UOp at[] = {i + j};
    const UOp root = end(store_at(param(0, {71}, kFloat), at, sum), {{i, j}});
    return sink(std::span(&root, 1));
  };
  const UOp rows = load(param(1, {8, 40, 64}, kFloat), {{i, k, j}}),
            inner_rows = load(param(1, {40, 64, 8, 64}, kFloat), {{k, j, i, d}});
  for (const UOp& kernel : {stored(reduce_ranges(rows, ReduceOp::Add, {{k}})),
                            stored(reduce_ranges(inner_rows, ReduceOp::Add, {{k, d}}))}) {
    KernelSchedule s;
    ASSERT_NO_THROW(s = choose_schedule(kernel, kTwoThreads));
    ASSERT_NO_THROW(lower(kernel, s, kTwoThreads)) << opts_text(s);
    test::expect_values(kernel, s, kTwoThreads);
  }
}

// Windows of `taps` rows and columns over a padded image whose axes were merged into one.
UOp merged_windows(ReduceOp op, Dim taps) {
  const UOp n = range(6, 0), h = range(20, 1), w = range(37, 2), i = range(taps, 3),
            j = range(taps, 4);
  const int64_t border = taps / 2;
  const UOp y = h + i - border, x = w + j - border;
  const auto inside = [](const UOp& at, int64_t extent) {
    const UOp low = lt(at, index_const(0)) ^ constant(1, DType::Bool);
    return low & lt(at, index_const(extent));
  };
  const UOp flat = n * index_const(20 * 37) + y * index_const(37) + x;
  const UOp v = load(param(1, {6 * 20 * 37}, kFloat), {{flat}}, inside(y, 20) & inside(x, 37));
  return kernel_of(reduce_ranges(v, op, {{i, j}}), {n, h, w});
}
// out[b, i, c] = op over j ≤ i of x[b, j, c].
UOp running(ReduceOp op, Dim n, Dim width = 32) {
  const UOp b = range(5, 0), i = range(n, 1), c = range(width, 2), j = range(n, 3);
  const UOp x = load(param(1, {5, n, width}, kFloat), {{b, j, c}});
  const UOp later = lt(cast(i, DType::Int32), cast(j, DType::Int32));
  const UOp masked = where(later, constant(reduce_identity(op, kFloat)), x);
  return kernel_of(reduce_ranges(masked, op, {{j}}), {b, i, c});
}
TEST(ReductionSchedules, RunningSumsOfABlockShareTheirTerms) {
  for (const ReduceOp op : {ReduceOp::Add, ReduceOp::Max}) {
    const UOp kernel = running(op, 32);
    const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
    EXPECT_TRUE(test::has_option(s, "UPCAST(r1,32)") && test::has_option(s, "UNROLL(r3,32)"))
        << opts_text(s);
    const LinearKernel code = lower(kernel, s, kTwoThreads);
    const Op alu = op == ReduceOp::Add ? Op::Add : Op::Max;
    const auto of = [&](Op o) {
      return std::ranges::count_if(code.ops,
                                   [&](const UOp& u) { return u.is(o) && is_float(u.dtype()); });
    };
    // Each of 32 prefixes is a sum of at most five shared parts, and the start: not of 32 terms.
    EXPECT_LE(of(alu), 32 * 6);
    EXPECT_EQ(of(Op::Where), 0);
    EXPECT_EQ(of(Op::Load), 32);
    test::expect_values(kernel, s, kTwoThreads);
  }
}
// 32 × 32 points and eight vectors of a row: more than a kernel may unroll.
TEST(ReductionSchedules, RunningSumsOfWideRowsUnrollTheirTermsAlone) {
  const UOp kernel = running(ReduceOp::Add, 32, 128);
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "UPCAST(r1,32)") && test::has_option(s, "UNROLL(r3,32)"))
      << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
TEST(ReductionSchedules, WithoutPlacesOrTermsAreSchedulesToo) {
  for (const Dim n : {0, 1}) {
    for (const UOp& kernel : {running(ReduceOp::Mul, n), merged_windows(ReduceOp::Max, n)})
      test::expect_values(kernel, choose_schedule(kernel, kTwoThreads), kTwoThreads);
  }
  const UOp i = range(0, 0), j = range(6, 1);  // of a part that was cut away
  const UOp x = load(param(1, {6}, kFloat), {{j}});
  const UOp masked = where(lt(i, j), constant(1, kFloat), x);
  const UOp kernel = kernel_of(reduce_ranges(masked, ReduceOp::Mul, {{j}}), {i});
  EXPECT_NO_THROW(lower(kernel, choose_schedule(kernel, kTwoThreads), kTwoThreads));
}
TEST(ReductionSchedules, LongRunningSumsStayLoops) {
  const KernelSchedule s = choose_schedule(running(ReduceOp::Add, 64), kTwoThreads);
  EXPECT_FALSE(test::has_option(s, "UPCAST(r1,64)")) << opts_text(s);
}
TEST(ReductionSchedules, MaskedTermsThatDifferByResultStayLoops) {
  const UOp i = range(32, 0), c = range(32, 1), j = range(32, 2);
  const UOp x = load(param(1, {32, 32}, kFloat), {{j, c}}), y = load(param(2, {32}, kFloat), {{i}});
  const UOp masked = where(lt(i, j), constant(0, kFloat), maximum(x, y));
  const UOp kernel = kernel_of(reduce_ranges(masked, ReduceOp::Add, {{j}}), {i, c});
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_FALSE(test::has_option(s, "UPCAST(r0,32)")) << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}

TEST(ReductionSchedules, WindowsAreSummedInRegisters) {
  for (const Dim taps : {3, 5}) {
    const UOp kernel = merged_windows(ReduceOp::Add, taps);
    const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
    EXPECT_TRUE(test::has_option(s, fmt::format("UNROLL(r3,{})", taps)) &&
                test::has_option(s, "VECTOR(r2,16,peel)"))
        << opts_text(s);
    test::expect_values(kernel, s, kTwoThreads);
  }
}
TEST(ReductionSchedules, GatesOfAMergedImageAreNotAskedTwice) {
  const UOp kernel = merged_windows(ReduceOp::Add, 3);
  const LinearKernel code = lower(kernel, choose_schedule(kernel, kTwoThreads), kTwoThreads);
  for (const UOp& u : code.ops) {
    if (!u.is(Op::CmpLt)) continue;
    for (const UOp& side : u.srcs()) {
      const UOp bound = side.is(Op::Splat) ? side.src(0) : side;
      EXPECT_FALSE(bound.is(Op::Const) && bound.arg(0) == 6 * 20 * 37) << "asked of the array";
    }
    EXPECT_TRUE(u.lanes() == 1 || u.src(0).dtype() == DType::Int32) << "lanes compare sums";
  }
}

}  // namespace
}  // namespace tg
