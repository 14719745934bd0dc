// Dot instructions and tile registers of processors: products of small numbers whose schedules use
// them, with operands in any order, batches, windows and borders, give the values of the kernel;
// the interpreter multiplies by the unit's maps. Where terms or columns do not fit, ordinary lanes
// do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "support/effort.h"
#include "support/kernel_values.h"
#include "support/product_kernels.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

Target dot_target(const MatrixUnit& unit) {
  Target t = unit.n == 8 ? test::processor_of_short_vectors() : test::processor();
  t.has_fma = true;
  t.matrix_units = {&unit};
  t.dtypes.reset(static_cast<size_t>(DType::BFloat16));
  return t;
}

const MatrixUnit& unit_for(DType t) {
  return *find_matrix_unit(is_int(t) ? "m1n16k2_i16" : "m1n16k2_bf16");
}

bool has_dots(const LinearKernel& k) {
  return std::ranges::any_of(k.ops, [](const UOp& u) { return u.is(Op::Mma); });
}

// A maximum is no number that was widened, so its products are ordinary ones.
constexpr int kConvolution = 4, kSquareOfTiles = 6;

/// How many kernels of this kind use `unit`; the values of all are right. Where some are `expected`
/// to, goes on until one does.
int used_in(const MatrixUnit& unit, int kind, DType left, DType right, bool expected = true) {
  int used = 0;
  const uint64_t first = test::first_seed();
  constexpr uint64_t kKernels = test::trials(24);
  const uint64_t most = expected ? 1000 : kKernels;
  for (uint64_t seed = first; seed < first + kKernels || (used == 0 && seed < first + most);
       ++seed) {
    const Target target = dot_target(unit);
    const test::ZooKernel z = test::Products(seed).make(kind, left, right);
    const UOp ast = decompose(z.ast, target);
    const KernelSchedule s = choose_schedule(ast, target);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + opts_text(s));
    const LinearKernel linear = lower(ast, s, target);
    EXPECT_EQ(s.unit.has_value(), has_dots(linear));
    used += s.unit.has_value();
    test::expect_values(linear, z);
    if (testing::Test::HasFatalFailure()) break;
  }
  return used;
}

using DtypeAndKind = std::tuple<DType, int>;
class Dots : public testing::TestWithParam<DtypeAndKind> {};

TEST_P(Dots, GiveTheValuesOfTheirKernel) {
  const auto [t, kind] = GetParam();
  EXPECT_GT(used_in(unit_for(t), kind, t, t), 0);
}
INSTANTIATE_TEST_SUITE_P(All, Dots,
                         testing::Combine(testing::Values(DType::BFloat16, DType::Int16,
                                                          DType::Int8, DType::UInt8),
                                          testing::Range(0, test::Products::kKinds)),
                         [](const auto& i) {
                           return std::string(dtype_name(std::get<0>(i.param))) + "_" +
                                  test::Products::name_of(std::get<1>(i.param));
                         });

// Of eight lanes, as in AVX2.
class DotsOfShortVectors : public testing::TestWithParam<DtypeAndKind> {};

TEST_P(DotsOfShortVectors, GiveTheValuesOfTheirKernel) {
  const auto [t, kind] = GetParam();
  EXPECT_GT(used_in(*find_matrix_unit("m1n8k2_i16"), kind, t, t), 0);
}
INSTANTIATE_TEST_SUITE_P(All, DotsOfShortVectors,
                         testing::Combine(testing::Values(DType::Int16, DType::Int8),
                                          testing::Range(0, test::Products::kKinds)),
                         [](const auto& i) {
                           return std::string(dtype_name(std::get<0>(i.param))) + "_" +
                                  test::Products::name_of(std::get<1>(i.param));
                         });

// Of bytes with a sign and bytes without, in either order.
class DotsOfTwoTypes : public testing::TestWithParam<int> {
 protected:
  static int used(DType left, DType right, bool expected = true) {
    return used_in(*find_matrix_unit("m1n16k4_u8i8"), GetParam(), left, right, expected);
  }
};

TEST_P(DotsOfTwoTypes, GiveTheValuesOfTheirKernel) {
  EXPECT_GT(used(DType::UInt8, DType::Int8), 0);
}
// Here lanes would lie along the left operand: an image's rows are shorter than vectors, and a
// square's terms too few for results across memory.
TEST_P(DotsOfTwoTypes, GiveTheValuesOfTheirKernelTheOtherWayRound) {
  const bool expected = GetParam() != kConvolution && GetParam() != kSquareOfTiles;
  EXPECT_EQ(used(DType::Int8, DType::UInt8, expected) > 0, expected);
}
INSTANTIATE_TEST_SUITE_P(All, DotsOfTwoTypes, testing::Range(0, test::Products::kKinds),
                         [](const auto& i) { return test::Products::name_of(i.param); });

struct ProductOf {
  Dim rows, columns, terms;
  DType left, right;
  bool turned = false;  // the left factor's rows lie side by side

  DType sum() const { return is_int(left) ? DType::Int32 : DType::Float32; }
  Shape left_shape() const { return turned ? Shape{terms, rows} : Shape{rows, terms}; }
  UOp kernel() const {
    const UOp m = range(rows, 0), n = range(columns, 1), k = range(terms, 2);
    const UOp a =
        load(param(1, left_shape(), left), turned ? std::vector{k, m} : std::vector{m, k});
    const UOp x = cast(a, sum());
    const UOp w = cast(load(param(2, {terms, columns}, right), {{k, n}}), sum());
    const UOp total = reduce_ranges(x * w, ReduceOp::Add, {{k}});
    const UOp root = end(store_at(param(0, {rows, columns}, sum()), {{m, n}}, total), {{m, n}});
    return sink(std::span(&root, 1));
  }
  /// Its schedule's unit; the values are right.
  const MatrixUnit* expect_right(const Target& target, std::mt19937_64& rng) const {
    const UOp ast = decompose(kernel(), target);
    test::ZooKernel z{"product", kernel(), {TensorValue::zeros({rows, columns}, sum())}};
    z.params.push_back(test::random_tensor(rng, left_shape(), left));
    z.params.push_back(test::random_tensor(rng, {terms, columns}, right));
    const KernelSchedule s = choose_schedule(ast, target);
    SCOPED_TRACE(fmt::format("{}x{}x{} of {} and {}: {}", rows, columns, terms, dtype_name(left),
                             dtype_name(right), opts_text(s)));
    test::expect_values(lower(ast, s, target), z);
    return s.unit ? s.unit->unit : nullptr;
  }
};

UOp whole_product(Dim rows, Dim columns, Dim terms, DType from, bool turned = false) {
  return ProductOf{rows, columns, terms, from, from, turned}.kernel();
}
bool takes_unit(const UOp& kernel) {
  return choose_schedule(kernel, dot_target(unit_for(DType::Int16))).unit.has_value();
}

// Both factors are the same expression, of rows and of columns, and as many: neither is read from
// the copy of the other.
TEST(DotsOfAMatrixAndItsTranspose, GiveTheValuesOfTheirKernel) {
  for (const char* name : {"m1n16k2_bf16", "m16n16k32_bf16"}) {
    const Target target = dot_target(*find_matrix_unit(name));
    int used = 0;
    for (const Dim n : {16, 32, 40}) {
      for (const Dim k : {7, 16, 33, 64}) {
        SCOPED_TRACE(fmt::format("{} of [{}, {}]", name, n, k));
        const UOp i = range(n, 0), j = range(n, 1), r = range(k, 2);
        const auto row = [&](const UOp& at) {
          return cast(load(param(1, {n, k}, DType::BFloat16), std::vector{at, r}), DType::Float32);
        };
        const UOp sum = reduce_ranges(row(i) * row(j), ReduceOp::Add, std::vector{r});
        const std::vector<UOp> at = {i, j};
        const UOp root = end(store_at(param(0, {n, n}, DType::Float32), at, sum), at);
        const UOp ast = decompose(sink(std::span(&root, 1)), target);
        const KernelSchedule s = choose_schedule(ast, target);
        used += s.unit.has_value();
        test::expect_values(ast, s, target);
      }
    }
    EXPECT_GT(used, 4) << name;
  }
}

TEST(DotsAreTaken, WhereTermsAndColumnsFit) {
  EXPECT_TRUE(takes_unit(whole_product(64, 64, 64, DType::Int8)));
  EXPECT_TRUE(takes_unit(whole_product(64, 70, 64, DType::Int8))) << "the last columns are masked";
  EXPECT_TRUE(takes_unit(whole_product(64, 64, 63, DType::Int8)))
      << "the last term's partner is a zero of the copies";
  EXPECT_FALSE(takes_unit(whole_product(64, 64, 64, DType::Int32))) << "too many bits";
  EXPECT_FALSE(takes_unit(whole_product(64, 64, 64, DType::UInt16))) << "no sign, and all bits";
  EXPECT_FALSE(takes_unit(whole_product(4, 64, 64, DType::Int8))) << "a copy read four times";
}

// Whose loops are all unrolled, but for one or none.
TEST(DotsOfSmallKernels, GiveTheValuesOfTheirKernel) {
  const Target target = dot_target(unit_for(DType::Int8));
  std::mt19937_64 rng(1);
  int used = 0;
  for (const Dim rows : {12, 16, 24, 25, 49}) {
    for (const Dim columns : {16, 17, 32, 64, 70, 130}) {
      for (const Dim terms : {2, 4, 6}) {
        for (const bool turned : {false, true}) {
          const UOp kernel = whole_product(rows, columns, terms, DType::Int8, turned);
          const Shape left = turned ? Shape{terms, rows} : Shape{rows, terms};
          test::ZooKernel z{"small", kernel, {TensorValue::zeros({rows, columns}, DType::Int32)}};
          for (const Shape& s : {left, Shape{terms, columns}})
            z.params.push_back(test::random_tensor(rng, s, DType::Int8));
          const KernelSchedule s = choose_schedule(kernel, target);
          SCOPED_TRACE(opts_text(s));
          used += s.unit.has_value();
          test::expect_values(lower(kernel, s, target), z);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(used, 100);
}

// Each index backwards, or every second element: as flips and slices read their operands.
TEST(DotsOfTurnedOperands, GiveTheValuesOfTheirKernel) {
  const std::vector<std::function<UOp(const UOp&)>> ways = {
      [](const UOp& i) { return i; },
      [](const UOp& i) { return index_const(i.src(0).arg(0) - 1) - i; },
      [](const UOp& i) { return i * 2; }};
  int used = 0;
  for (const char* name : {"m1n16k4_u8i8", "m1n16k2_i16", "m16n16k64_i8"}) {
    const MatrixUnit& unit = *find_matrix_unit(name);
    const Dim rows = 32, columns = 48, terms = unit.is_tile() ? 2 * unit.k : 16;
    const UOp m = range(rows, 0), n = range(columns, 1), k = range(terms, 2);
    const auto factor = [&](int slot, DType t, const UOp& first, const UOp& second) {
      return cast(load(param(slot, {2 * terms, 2 * columns}, t), {{first, second}}), DType::Int32);
    };
    const Target target = dot_target(unit);
    const bool bytes = unit.tells_factors_apart();
    const DType left = bytes ? DType::UInt8 : DType::Int8;
    for (size_t way = 0; way < 81; ++way) {
      const UOp x = factor(1, left, ways[way % 3](k), ways[way / 3 % 3](m)),
                w = factor(2, DType::Int8, ways[way / 9 % 3](k), ways[way / 27](n));
      const UOp sum = reduce_ranges(x * w, ReduceOp::Add, {{k}});
      const UOp root =
          end(store_at(param(0, {rows, columns}, DType::Int32), {{m, n}}, sum), {{m, n}});
      const UOp kernel = sink(std::span(&root, 1));
      const KernelSchedule s = choose_schedule(kernel, target);
      used += s.unit.has_value();
      test::expect_values(kernel, s, target);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(used, 6);
}

TEST(DotsAreTaken, OnlyWhereEachFactorHasItsType) {
  const Target target = dot_target(*find_matrix_unit("m1n16k4_u8i8"));
  const auto takes = [&](DType t) {
    return choose_schedule(whole_product(64, 64, 64, t), target).unit.has_value();
  };
  EXPECT_FALSE(takes(DType::Int8));
  EXPECT_FALSE(takes(DType::UInt8));
}

// Each pair is read by all columns, so it is widened once; and a row of pairs is copied by vectors.
TEST(DotsOfBytes, TakeCopiesOfWidenedRows) {
  for (const char* name : {"m1n8k2_i16", "m1n16k2_i16"}) {
    const Target target = dot_target(*find_matrix_unit(name));
    const UOp kernel = whole_product(64, 64, 64, DType::Int8);
    const KernelSchedule s = choose_schedule(kernel, target);
    SCOPED_TRACE(opts_text(s));
    EXPECT_TRUE(test::has_option(s, "STAGE(p1,") && test::has_option(s, "STAGE(p2,"));
    const LinearKernel code = lower(kernel, s, target);
    const auto in_pairs = [](const UOp& u) {
      return u.is(Op::Load) && u.dtype() == DType::Int8 && u.lanes() <= 2;
    };
    EXPECT_TRUE(std::ranges::none_of(code.ops, in_pairs)) << print(code.ops);
    test::expect_values(kernel, s, target);
  }
}
TEST(DotsOfWords, ReadRowsWhereTheyAre) {
  const Target target = dot_target(*find_matrix_unit("m1n8k2_i16"));
  const KernelSchedule s = choose_schedule(whole_product(64, 64, 64, DType::Int16), target);
  EXPECT_FALSE(test::has_option(s, "STAGE(p1,")) << opts_text(s);
}

TEST(DotsAreTaken, OnlyByTargetsThatHaveThem) {
  Target t = dot_target(unit_for(DType::Int16));
  t.matrix_units.clear();
  EXPECT_FALSE(choose_schedule(whole_product(64, 64, 64, DType::Int8), t).unit.has_value());
}

// ---- tile registers

struct TileUnit {
  const char* name;
  DType left, right;
};
class Tiles : public testing::TestWithParam<TileUnit> {
 protected:
  static const MatrixUnit& unit() { return *find_matrix_unit(GetParam().name); }
  static ProductOf product(Dim rows, Dim columns, Dim groups, bool turned = false) {
    return {rows, columns, groups * unit().k, GetParam().left, GetParam().right, turned};
  }
};

// Rows and columns that fill tiles, and that do not: the last ones lie outside of arrays.
TEST_P(Tiles, GiveTheValuesOfTheirKernel) {
  const Target target = dot_target(unit());
  std::mt19937_64 rng(test::first_seed());
  int used = 0;
  for (const Dim rows : {12, 16, 31, 32, 47, 100}) {
    for (const Dim columns : {16, 33, 64, 70}) {
      for (const bool turned : {false, true}) {
        used += product(rows, columns, 2, turned).expect_right(target, rng) == &unit();
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_EQ(used, 48);
}

// One group of terms, and a last group that is short.
TEST_P(Tiles, OfAnyNumberOfTermsGiveTheValuesOfTheirKernel) {
  const Target target = dot_target(unit());
  std::mt19937_64 rng(test::first_seed());
  for (const Dim terms : {unit().k / 2, unit().k - 1, unit().k, unit().k + 1, 3 * unit().k - 7}) {
    for (const bool turned : {false, true}) {
      ProductOf p = product(40, 70, 1, turned);
      p.terms = terms;
      const bool used = p.expect_right(target, rng) == &unit();
      if (HasFatalFailure()) return;
      const Dim whole = (terms + unit().k - 1) / unit().k * unit().k;
      EXPECT_EQ(used, 2 * terms >= whole) << terms << " terms";
    }
  }
}

// The left factor's rows from the last to the first, or every second one.
TEST_P(Tiles, OfTurnedRowsGiveTheValuesOfTheirKernel) {
  const Target target = dot_target(unit());
  const ProductOf p = product(40, 48, 2);
  const UOp m = range(p.rows, 0), n = range(p.columns, 1), k = range(p.terms, 2);
  int used = 0;
  for (const UOp& row : {m * 2, index_const(p.rows - 1) - m, m * 2 + 1}) {
    const UOp x = cast(load(param(1, {2 * p.rows, p.terms}, p.left), {{row, k}}), p.sum()),
              w = cast(load(param(2, {p.terms, p.columns}, p.right), {{k, n}}), p.sum());
    const UOp total = reduce_ranges(x * w, ReduceOp::Add, {{k}});
    const UOp root =
        end(store_at(param(0, {p.rows, p.columns}, p.sum()), {{m, n}}, total), {{m, n}});
    const UOp ast = decompose(sink(std::span(&root, 1)), target);
    const KernelSchedule s = choose_schedule(ast, target);
    used += s.unit.has_value();
    test::expect_values(ast, s, target);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(used, 2);
}

TEST_P(Tiles, AddUpInMemoryWhereTermsAreMany) {
  Target target = dot_target(unit());
  target.l2_bytes = 1 << 15;
  std::mt19937_64 rng(test::first_seed());
  const ProductOf p = product(33, 40, 17);
  EXPECT_EQ(p.expect_right(target, rng), &unit());
  const KernelSchedule s = choose_schedule(decompose(p.kernel(), target), target);
  EXPECT_TRUE(
      std::ranges::any_of(s.opts, [](const Opt& o) { return o.kind == Opt::Kind::SplitReduce; }));
}

// Sums stay in registers while terms are added: a loop carries whole tiles.
TEST_P(Tiles, AreCarriedWhole) {
  const Target target = dot_target(unit());
  const UOp ast = decompose(product(64, 64, 4).kernel(), target);
  const LinearKernel k = lower(ast, choose_schedule(ast, target), target);
  int carried = 0;
  for (const UOp& u : k.ops) {
    if (!u.is(Op::Carry)) continue;
    EXPECT_EQ(u.lanes(), unit().c.registers());
    ++carried;
  }
  EXPECT_EQ(carried, 4);
}

TEST_P(Tiles, AreLeftWhereLittleOfThemIsUsed) {
  const auto takes = [](const ProductOf& p) {
    return choose_schedule(decompose(p.kernel(), dot_target(unit())), dot_target(unit()))
        .unit.has_value();
  };
  EXPECT_TRUE(takes(product(64, 64, 2)));
  EXPECT_FALSE(takes(product(8, 64, 2))) << "half of the rows";
  EXPECT_FALSE(takes(product(64, 12, 2))) << "no full row of columns";
  ProductOf odd = product(64, 64, 2);
  odd.terms -= 2;
  EXPECT_TRUE(takes(odd)) << "the copies have zeros for the terms that the last tile lacks";
  odd.terms = product(64, 64, 1).terms / 2 - 1;
  EXPECT_FALSE(takes(odd)) << "less than half of a tile's terms";
}
INSTANTIATE_TEST_SUITE_P(All, Tiles,
                         testing::Values(TileUnit{"m16n16k32_bf16", DType::BFloat16,
                                                  DType::BFloat16},
                                         TileUnit{"m16n16k64_i8", DType::Int8, DType::Int8},
                                         TileUnit{"m16n16k64_u8", DType::UInt8, DType::UInt8},
                                         TileUnit{"m16n16k64_u8i8", DType::UInt8, DType::Int8}),
                         [](const auto& i) { return std::string(i.param.name); });

// Factors that are no arrays of bfloat16, but have its values.
class ExactFactors : public testing::TestWithParam<DType> {};

TEST_P(ExactFactors, AreCopiedAsTheUnitTakesThem) {
  const MatrixUnit& unit = *find_matrix_unit("m16n16k32_bf16");
  const Target target = dot_target(unit);
  constexpr Dim kRows = 37, kColumns = 50, kBlocks = 3, kTerms = 20;
  const UOp m = range(kRows, 0), n = range(kColumns, 1), b = range(kBlocks, 2),
            k = range(kTerms, 3);
  // Beyond the last column of the array there are zeros, and two ranges walk over the terms.
  const UOp at = b * kTerms + k, inside = lt(at, index_const(kBlocks * kTerms - 5));
  const Shape left = {kRows, kBlocks * kTerms - 5}, right = {kBlocks * kTerms, kColumns};
  const UOp loaded = load(param(1, left, GetParam()), {{m, at}}, inside);
  const UOp a = where(inside, cast(loaded, DType::Float32), constant(0.0, DType::Float32));
  const UOp w = cast(load(param(2, right, DType::BFloat16), {{at, n}}), DType::Float32);
  const UOp total = reduce_ranges(a * w, ReduceOp::Add, {{b, k}});
  const UOp root =
      end(store_at(param(0, {kRows, kColumns}, DType::Float32), {{m, n}}, total), {{m, n}});
  const UOp kernel = sink(std::span(&root, 1));
  test::ZooKernel z{"exact", kernel, {TensorValue::zeros({kRows, kColumns}, DType::Float32)}};
  std::mt19937_64 rng(test::first_seed());
  z.params.push_back(test::random_tensor(rng, left, GetParam()));
  z.params.push_back(test::random_tensor(rng, right, DType::BFloat16));
  const UOp ast = decompose(kernel, target);
  const KernelSchedule s = choose_schedule(ast, target);
  SCOPED_TRACE(opts_text(s));
  const bool exact = GetParam() != DType::Int16 && GetParam() != DType::Float16;
  EXPECT_EQ(s.unit.has_value(), exact);
  test::expect_values(lower(ast, s, target), z);
}
INSTANTIATE_TEST_SUITE_P(All, ExactFactors,
                         testing::Values(DType::BFloat16, DType::Fp8E4M3, DType::Fp8E5M2,
                                         DType::Fp8E4M3Fnuz, DType::Int8, DType::UInt8,
                                         DType::Int16, DType::Float16),
                         [](const auto& i) { return std::string(dtype_name(i.param)); });

// Each factor is at least what one array of their terms says. `whole`: else a row, or a column,
// has one number for all of its terms, and the shared array is the larger.
void expect_raised_factors(bool whole, bool uses_unit) {
  const MatrixUnit& unit = *find_matrix_unit("m16n16k32_bf16");
  const Target target = dot_target(unit);
  constexpr Dim kRows = 37, kColumns = 50, kBlocks = 2, kTerms = 32, kAll = kBlocks * kTerms;
  const UOp m = range(kRows, 0), n = range(kColumns, 1), b = range(kBlocks, 2),
            k = range(kTerms, 3);
  const UOp at = b * kTerms + k, none = index_const(0), place = whole ? at : none;
  const UOp least = cast(load(param(3, {kAll}, DType::BFloat16), {{at}}), DType::Float32);
  const Shape left = {kRows, whole ? kAll : 1}, right = {whole ? kAll : 1, kColumns};
  const UOp x = load(param(1, left, DType::BFloat16), {{m, place}}),
            y = load(param(2, right, DType::BFloat16), {{place, n}});
  const UOp total = reduce_ranges(
      maximum(cast(x, DType::Float32), least) * maximum(cast(y, DType::Float32), least),
      ReduceOp::Add, {{b, k}});
  const UOp root =
      end(store_at(param(0, {kRows, kColumns}, DType::Float32), {{m, n}}, total), {{m, n}});
  const UOp kernel = sink(std::span(&root, 1));
  test::ZooKernel z{"raised", kernel, {TensorValue::zeros({kRows, kColumns}, DType::Float32)}};
  std::mt19937_64 rng(test::first_seed());
  for (const Shape& shape : {left, right, Shape{kAll}})
    z.params.push_back(test::random_tensor(rng, shape, DType::BFloat16));
  const UOp ast = decompose(kernel, target);
  const KernelSchedule s = choose_schedule(ast, target);
  SCOPED_TRACE(opts_text(s));
  EXPECT_EQ(s.unit.has_value(), uses_unit);
  test::expect_values(lower(ast, s, target), z);
}

TEST(FactorsThatShareAnArray, GiveTheValuesOfTheirKernel) {
  expect_raised_factors(true, true);
  expect_raised_factors(false, false);
}

}  // namespace
}  // namespace tg
