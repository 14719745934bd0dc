// Sums of products are tiled by what their indices say, whatever their dtype and whatever stands
// around a factor: that the schedule is the tiled one, and that it computes the same.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "kernel/refine_ranges.h"
#include "kernel/residue_ranges.h"
#include "rules/index.h"
#include "support/kernel_values.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using test::kProcessor;

constexpr Dim kM = 24, kK = 32, kN = 40;
const UOp kRow = range(kM, 0), kColumn = range(kN, 1), kTerm = range(kK, 2);

UOp read_gated(int slot, DType t, const Shape& shape, const std::vector<UOp>& at,
               const UOp& gate = {}) {
  return load(param(slot, shape, t), at, gate);
}
UOp sum_kernel(const UOp& term, const Shape& shape, const std::vector<UOp>& at,
               const std::vector<UOp>& over) {
  const UOp sum = reduce_ranges(term, ReduceOp::Add, over);
  const UOp root = end(store_at(param(0, shape, sum.dtype()), at, sum), at);
  return sink(std::span(&root, 1));
}
UOp product_kernel(const UOp& a, const UOp& b) {
  return sum_kernel(a * b, {kM, kN}, {kRow, kColumn}, {kTerm});
}
UOp largest_sums() {
  const UOp term = read_gated(1, DType::Float32, {kM, kK}, {kRow, kTerm}) +
                   read_gated(2, DType::Float32, {kK, kN}, {kTerm, kColumn});
  const UOp most = reduce_ranges(term, ReduceOp::Max, {{kTerm}});
  const std::vector<UOp> at = {kRow, kColumn};
  const UOp root = end(store_at(param(0, {kM, kN}, DType::Float32), at, most), at);
  return sink(std::span(&root, 1));
}
// Of each of `inner` products, which lie side by side in both operands and in the result.
UOp products_side_by_side(Dim inner) {
  const UOp b = range(inner, 3);
  return sum_kernel(read_gated(1, DType::Float32, {kM, kK, inner}, {kRow, kTerm, b}) *
                        read_gated(2, DType::Float32, {kK, kN, inner}, {kTerm, kColumn, b}),
                    {kM, kN, inner}, {kRow, kColumn, b}, {kTerm});
}
UOp left_rows(DType t) { return read_gated(1, t, {kM, kK}, {kRow, kTerm}); }
UOp right_columns(DType t) { return read_gated(2, t, {kK, kN}, {kTerm, kColumn}); }

// Numbers of other dtypes, relu, a scale of each column, heads that are merged, every second tap,
// terms that are no products, lanes that both operands have.
const struct {
  const char* name;
  UOp kernel;
} kContractions[] = {
    {"float32", product_kernel(left_rows(DType::Float32), right_columns(DType::Float32))},
    {"float64", product_kernel(left_rows(DType::Float64), right_columns(DType::Float64))},
    {"int32", product_kernel(left_rows(DType::Int32), right_columns(DType::Int32))},
    {"int8_in_int32", product_kernel(cast(left_rows(DType::Int8), DType::Int32),
                                     cast(right_columns(DType::Int8), DType::Int32))},
    {"relu_before", product_kernel(maximum(left_rows(DType::Float32), constant(0, DType::Float32)),
                                   right_columns(DType::Float32))},
    {"scaled_columns",
     product_kernel(left_rows(DType::Float32), right_columns(DType::Float32) *
                                                   read_gated(3, DType::Float32, {kN}, {kColumn}))},
    {"scaled_terms",
     product_kernel(left_rows(DType::Float32) * right_columns(DType::Float32),
                    read_gated(3, DType::Float32, {kK}, {kTerm}))},
    {"merged_heads",
     product_kernel(read_gated(1, DType::Float32, {4, kM, 8},
                               {idiv(kTerm, index_const(8)), kRow, mod(kTerm, index_const(8))}),
                    right_columns(DType::Float32))},
    {"every_second_tap", [] {
       const UOp c = range(40, 0), x = range(48, 1), i = range(16, 2), k = range(4, 3);
       const UOp gate = lt(mod(x + k, index_const(2)), index_const(1));
       const UOp v =
           read_gated(1, DType::Float32, {16, 26}, {i, idiv(x + k, index_const(2))}, gate);
       return sum_kernel(v * read_gated(2, DType::Float32, {16, 40, 4}, {i, c, k}), {40, 48},
                         {c, x}, {i, k});
     }()},
    {"squares_of_differences",
     [] {
       const UOp d = left_rows(DType::Float32) - right_columns(DType::Float32);
       return sum_kernel(d * d, {kM, kN}, {kRow, kColumn}, {kTerm});
     }()},
    {"largest_sums", largest_sums()},
    {"side_by_side", products_side_by_side(32)},
    {"side_by_side_and_some", products_side_by_side(37)}};

class Contractions : public testing::TestWithParam<size_t> {};

TEST_P(Contractions, AreTiled) {
  const UOp plain = kContractions[GetParam()].kernel;
  const UOp kernel = refine_ranges(solve_residues(plain));
  const KernelSchedule s = choose_schedule(kernel, kProcessor);
  EXPECT_TRUE(test::has_option(s, "ORDER")) << "not taken for a contraction";
  test::expect_values(lower(kernel, s, kProcessor), plain, test::whole_params(plain));
}
INSTANTIATE_TEST_SUITE_P(All, Contractions, testing::Range<size_t>(0, std::size(kContractions)),
                         [](const auto& i) { return std::string(kContractions[i.param].name); });

// Factors that are computed are copied as they are multiplied: widened, normalised, scaled. Sizes
// of whole tiles, and such as leave a part of one along every axis.
UOp with_computed_factors(Dim m, Dim k, Dim n) {
  const UOp row = range(m, 0), column = range(n, 1), term = range(k, 2);
  const UOp x = cast(read_gated(1, DType::Float16, {m, k}, {row, term}), DType::Float32);
  const UOp mean = read_gated(2, DType::Float32, {m}, {row});
  const UOp scale = read_gated(3, DType::Float32, {k}, {term});
  const UOp w = cast(read_gated(4, DType::Float16, {k, n}, {term, column}), DType::Float32);
  return sum_kernel((x - mean) * scale * w, {m, n}, {row, column}, {term});
}

TEST(ComputedFactors, AreCopiedAsTheyAreMultiplied) {
  for (const auto& [m, k, n] : {std::tuple{24, 32, 128}, {29, 37, 75}, {61, 19, 48}}) {
    const UOp kernel = with_computed_factors(m, k, n);
    const KernelSchedule s = choose_schedule(kernel, kProcessor);
    ASSERT_EQ(s.stages.size(), 2u) << opts_text(s);
    for (const Staging& copy : s.stages) {
      EXPECT_TRUE(is_copied_expression(copy.operand)) << opts_text(s);
      EXPECT_EQ(copy.operand.dtype(), DType::Float32);
    }
    test::expect_values(kernel, s, kProcessor);
  }
}

TEST(ComputedFactors, AreComputedWhereTheyAreReadIfTheirPlacesAreNotKnown) {
  const UOp row = range(kM, 0), term = range(kK, 1);
  const UOp window = read_gated(1, DType::Float32, {kM + kK}, {row + term});
  EXPECT_FALSE(is_copied_expression(window * constant(2, DType::Float32)));
  const UOp gate = lt(row, index_const(3));
  const UOp gated = read_gated(1, DType::Float32, {kM, kK}, {row, term}, gate);
  EXPECT_FALSE(is_copied_expression(gated * constant(2, DType::Float32)));
  const UOp of_places = cast(term, DType::Float32) * read_gated(1, DType::Float32, {kM}, {row});
  EXPECT_FALSE(is_copied_expression(of_places));
  const UOp plain = read_gated(1, DType::Float32, {kM, kK}, {row, term});
  EXPECT_FALSE(is_copied_expression(plain));
  EXPECT_TRUE(is_copied_expression(plain * read_gated(2, DType::Float32, {kK}, {term})));
}

// out[m, n] = Σ x[m, k]·w, w being [n, k] or [k, n], or [m, k] for a matrix of its own each.
UOp few_columns(Dim columns, bool turned, Dim batches = 1) {
  const UOp b = range(batches, 0), m = range(480, 1), n = range(columns, 2), k = range(128, 3);
  const UOp x = read_gated(1, DType::Float32, {batches, 480, 128}, {b, m, k});
  const UOp w = turned ? read_gated(2, DType::Float32, {batches, 128, columns}, {b, k, n})
                       : read_gated(2, DType::Float32, {batches, columns, 128}, {b, n, k});
  return sum_kernel(x * w, {batches, 480, columns}, {b, m, n}, {k});
}

TEST(FewColumns, AreMultipliedAlongTheRowsOfMemory) {
  for (const Dim columns : {2, 7, 10}) {
    for (const bool turned : {false, true}) {
      for (const Dim batches : {1, 3}) {
        const UOp kernel = few_columns(columns, turned, batches);
        const KernelSchedule s = choose_schedule(kernel, kProcessor);
        EXPECT_TRUE(test::has_option(s, "VREDUCE(r3,16)"));
        EXPECT_EQ(test::has_option(s, "STAGE(p2,"), turned)
            << "the columns are turned once, the rows never";
        test::expect_values(kernel, s, kProcessor);
      }
    }
  }
}
TEST(FewColumns, AreNoMoreThanTwoVectors) {
  const KernelSchedule s = choose_schedule(few_columns(32, false), kProcessor);
  EXPECT_FALSE(test::has_option(s, "VREDUCE(r3,16)"));
}

// As a transposed convolution of stride 2: p0[n, o, 2j + b] = Σ_c p1[n, c, j] · p2[c, o, b].
UOp enlarged(Dim terms) {
  const Dim images = 64, channels = 64, places = 32;
  const UOp n = range(images, 0), o = range(channels, 1), j = range(places, 2), b = range(2, 3),
            c = range(terms, 4);
  const UOp x = load(param(1, {images, terms, places}, DType::Float32), {{n, c, j}}),
            w = load(param(2, {terms, channels, 2}, DType::Float32), {{c, o, b}});
  const UOp sum = reduce_ranges(x * w, ReduceOp::Add, {{c}});
  const UOp to = param(0, {images, channels, 2 * places}, DType::Float32);
  const UOp root = end(store_at(to, {{n, o, j * 2 + b}}, sum), std::vector<UOp>{n, o, j, b});
  return sink(std::span(&root, 1));
}

TEST(FewTerms, HaveLanesAlongTheirResults) {
  const UOp kernel = enlarged(16);
  const KernelSchedule s = choose_schedule(kernel, kProcessor);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r2,16)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(choose_schedule(enlarged(1024), kProcessor), "VECTOR(r1,16)"));
}

// As a transposed convolution of stride 2 to few channels: p0[n, o, i, 2j + b] = Σ_{c, v} p1[n, c,
// i, j + b + v]·p2[c, o, 3 − b − 2v]. Its rows are shorter than a vector.
UOp enlarged_rows(Dim channels) {
  const Dim images = 64, rows = 6, places = 14, terms = 20;
  const UOp n = range(images, 0), o = range(channels, 1), i = range(rows, 2), j = range(places, 3),
            b = range(2, 4), c = range(terms, 5), v = range(2, 6);
  const UOp x = load(param(1, {images, terms, rows, places + 2}, DType::Float32),
                     std::vector<UOp>{n, c, i, j + b + v});
  const UOp w = load(param(2, {terms, channels, 4}, DType::Float32),
                     std::vector<UOp>{c, o, b * -1 + v * -2 + 3});
  const UOp sum = reduce_ranges(x * w, ReduceOp::Add, {{c, v}});
  const UOp to = param(0, {images, channels, rows, 2 * places}, DType::Float32);
  const std::vector<UOp> at = {n, o, i, j * 2 + b}, loops = {n, o, i, j, b};
  const UOp root = end(store_at(to, at, sum), loops);
  return sink(std::span(&root, 1));
}

TEST(FewChannels, HaveLanesAlongRowsThatAreShort) {
  for (const Dim channels : {1, 3}) {
    const UOp kernel = refine_ranges(solve_residues(enlarged_rows(channels)));
    const KernelSchedule s = choose_schedule(kernel, kProcessor);
    const auto lanes = std::ranges::find(s.axes, Kind::Vector, &Axis::kind);
    ASSERT_NE(lanes, s.axes.end()) << channels << ": " << opts_text(s);
    EXPECT_EQ(s.bases[static_cast<size_t>(lanes->base)].extent, 14) << opts_text(s);
    EXPECT_FALSE(test::has_option(s, "STAGE(p1")) << "nothing is turned for three rows";
    test::expect_values(kernel, s, kProcessor);
  }
}

// Vectors along the inner axis, and the operand whose terms are far apart is copied.
TEST(ProductsSideBySide, HaveLanesAlongTheirAxis) {
  const KernelSchedule s = choose_schedule(products_side_by_side(32), kProcessor);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r3,16)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "STAGE(p2")) << opts_text(s);
}

// out[m, b, n] = Σ_k x[m, k, b] · w[b, k, n]: the rows of a batch are elements of other lines each.
UOp rows_along_a_batch(Dim rows, Dim terms, Dim batches, Dim columns) {
  const UOp m = range(rows, 0), b = range(batches, 1), n = range(columns, 2), k = range(terms, 3);
  return sum_kernel(read_gated(1, DType::Float32, {rows, terms, batches}, {m, k, b}) *
                        read_gated(2, DType::Float32, {batches, terms, columns}, {b, k, n}),
                    {rows, batches, columns}, {m, b, n}, {k});
}

TEST(RowsAlongABatch, AreCopiedByLinesForAPartOfTheLaunch) {
  Target small = kProcessor;
  small.l1_bytes = 16 << 10;
  small.l2_bytes = 64 << 10;
  for (const auto& [m, k, b, n] : {std::tuple{96, 16, 32, 32}, {61, 19, 29, 35}}) {
    const UOp kernel = rows_along_a_batch(m, k, b, n);
    const KernelSchedule s = choose_schedule(kernel, small);
    EXPECT_TRUE(test::has_option(s, "STAGE(p1,2)")) << opts_text(s);
    ASSERT_EQ(s.bases[static_cast<size_t>(s.axes[0].base)].extent, m) << opts_text(s);
    EXPECT_LT(s.axes[0].extent, m / 2) << "a few rows together";
    test::expect_values(kernel, s, small);
  }
  const KernelSchedule few = choose_schedule(rows_along_a_batch(8, 16, 32, 32), small);
  EXPECT_NE(few.bases[static_cast<size_t>(few.axes[0].base)].extent, 8) << opts_text(few);
}

Target small_caches() {
  Target t = kProcessor;
  t.l1_bytes = 8 << 10;
  t.l2_bytes = 32 << 10;
  return t;
}

// out[b, c] = Σ_{d, a} x[d, b, a] · w[c, a, d]: the loop that goes outside the copy of w is not d,
// along which w lies, though x has its elements farther apart along d.
TEST(LongSums, AreCutAcrossTheLinesOfTheCopiedOperand) {
  Target small = small_caches();
  small.l2_bytes = 128 << 10;
  for (const auto& [b, c, a, d] : {std::tuple{9, 64, 100, 16}, {9, 70, 61, 13}}) {
    const UOp rb = range(b, 0), rc = range(c, 1), rd = range(d, 2), ra = range(a, 3);
    const UOp kernel = sum_kernel(read_gated(1, DType::Float32, {d, b, a}, {rd, rb, ra}) *
                                      read_gated(2, DType::Float32, {c, a, d}, {rc, ra, rd}),
                                  {b, c}, {rb, rc}, {rd, ra});
    const KernelSchedule s = choose_schedule(kernel, small);
    const int across = s.find_base(ra);
    EXPECT_NE(opts_text(s).find(fmt::format("SPLIT_REDUCE(r{}", across)), std::string::npos)
        << opts_text(s);
    test::expect_values(kernel, s, small);
  }
}

// out[d, b, a] = Σ_c x[b, c] · w[c, a, d]: the copy of w is made for a line of d together, and for
// so many terms as fit then.
TEST(LongSums, AreCutSoThatCopiesOfLinesFit) {
  const Target small = small_caches();
  for (const auto& [b, c, a, d] : {std::tuple{9, 192, 64, 32}, {9, 183, 70, 35}}) {
    const UOp rd = range(d, 0), rb = range(b, 1), ra = range(a, 2), rc = range(c, 3);
    const UOp kernel = sum_kernel(read_gated(1, DType::Float32, {b, c}, {rb, rc}) *
                                      read_gated(2, DType::Float32, {c, a, d}, {rc, ra, rd}),
                                  {d, b, a}, {rd, rb, ra}, {rc});
    const KernelSchedule s = choose_schedule(kernel, small);
    EXPECT_NE(opts_text(s).find("SPLIT_REDUCE"), std::string::npos) << opts_text(s);
    EXPECT_NE(opts_text(s).find("TILE(r0,16"), std::string::npos) << opts_text(s);
    test::expect_values(kernel, s, small);
  }
}

}  // namespace
}  // namespace tg
