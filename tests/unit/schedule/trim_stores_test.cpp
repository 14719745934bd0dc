// What is stored of a temporary is what somebody reads of it, and no less.
#include "schedule/trim_stores.h"

#include <gtest/gtest.h>

#include "rules/index.h"
#include "support/run_schedule.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "target/matrix_unit.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

// Twice [6, 10] numbers, stored; who reads them backwards is a kernel of its own.
class TrimmedStores : public testing::Test {
 protected:
  UOp columns(Dim begin, Dim length) const { return shrink_axis(twice_, 1, begin, length); }
  static UOp backwards(const UOp& x) { return contiguous(flip(x, {{1}})); }

  /// Extents of the loops that store the numbers; the results are those of the graph.
  std::vector<int64_t> stored(const std::vector<UOp>& roots) {
    const Schedule s = make_schedule(roots, Target{});
    const std::vector<TensorValue> got = test::run_schedule(s, roots, leaves_.contents);
    const std::vector<TensorValue> want = evaluate(roots, leaves_.contents);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(test::same_numbers(got[i], want[i]));
    const UOp first = s.items.front().kernel.src(0);
    std::vector<int64_t> extents;
    for (int i = 1; i < first.n_src(); ++i) extents.push_back(first.src(i).src(0).arg(0));
    return extents;
  }

  std::mt19937_64 rng_{7};
  test::Leaves leaves_;
  const UOp data_ = leaves_.add(test::random_tensor(rng_, {6, 10}, DType::Int32));
  const UOp twice_ = contiguous(data_ + data_);
};

using Extents = std::vector<int64_t>;

TEST_F(TrimmedStores, AreTheWindowThatIsRead) {
  EXPECT_EQ(stored({backwards(columns(3, 4))}), (Extents{6, 4}));
}

TEST_F(TrimmedStores, SpanAllWindowsThatAreRead) {
  EXPECT_EQ(stored({backwards(columns(1, 2)), backwards(columns(5, 3))}), (Extents{6, 7}));
}

TEST_F(TrimmedStores, OfOneColumnNeedNoLoopOverColumns) {
  EXPECT_EQ(stored({contiguous(flip(columns(9, 1), {{0}}))}), Extents{6});
}

TEST_F(TrimmedStores, AreWholeWhereSomebodyReadsAll) {
  EXPECT_EQ(stored({backwards(columns(3, 4)), backwards(twice_)}), (Extents{6, 10}));
}

TEST_F(TrimmedStores, AreWholeForResults) {
  EXPECT_EQ(stored({backwards(columns(3, 4)), twice_}), (Extents{6, 10}));
}

TEST_F(TrimmedStores, AreWholeWherePlacesComeFromData) {
  const UOp places = leaves_.add(TensorValue::zeros({6, 10}, DType::Int32));
  EXPECT_EQ(stored({gather(twice_, places, 1)}), (Extents{6, 10}));
}

// Of what is trimmed less is read.
TEST_F(TrimmedStores, CutWhatTheyAreComputedFrom) {
  const UOp sums = backwards(twice_);
  EXPECT_EQ(stored({backwards(shrink_axis(sums, 1, 0, 4))}), (Extents{6, 4}));
}

// Sums of products of which readers leave out those above the diagonal, or that are above it.
class Triangles : public testing::Test {
 protected:
  static constexpr Dim kSize = 12;
  UOp matrix() { return leaves_.add(test::random_tensor(rng_, {kSize, kSize}, DType::Int32)); }
  static UOp product(const UOp& a, const UOp& b) {
    const Shape all = {kSize, kSize, kSize};
    return reshape(reduce(expand(reshape(a, {kSize, 1, kSize}), all) *
                              expand(reshape(permute(b, {{1, 0}}), {1, kSize, kSize}), all),
                          ReduceOp::Add, {{2}}),
                   {kSize, kSize});
  }
  static UOp above() {
    return lt(iota({kSize, kSize}, 0, DType::Int64), iota({kSize, kSize}, 1, DType::Int64));
  }
  static UOp lower(const UOp& x) { return where(above(), const_like(x, int64_t{0}), x); }

  // The gates of the stores, in order; the results are those of the graph.
  std::vector<std::string> gates(const std::vector<UOp>& roots) {
    const Schedule s = make_schedule(roots, Target{});
    const std::vector<TensorValue> got = test::run_schedule(s, roots, leaves_.contents);
    const std::vector<TensorValue> want = evaluate(roots, leaves_.contents);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(test::same_numbers(got[i], want[i]));
    std::vector<std::string> out;
    for (const ScheduleItem& item : s.items) {
      const UOp gate = gate_of(item.kernel.src(0).src(0));
      out.push_back(gate ? print_expr(gate) : "");
    }
    return out;
  }
  using Gates = std::vector<std::string>;

  std::mt19937_64 rng_{7};
  test::Leaves leaves_;
};

TEST_F(Triangles, AreComputedWhereTheyMatter) {
  const UOp scores = product(matrix(), matrix());
  const Gates all = gates({product(lower(scores), matrix())});
  ASSERT_EQ(all.size(), 2u);  // the triangle is no kernel of its own
  EXPECT_NE(all[0], "");
  EXPECT_EQ(all[1], "");
}
TEST_F(Triangles, AreWholeForOtherReaders) {
  const UOp scores = product(matrix(), matrix());
  for (const std::string& gate :
       gates({product(lower(scores), matrix()), product(scores, matrix())}))
    EXPECT_EQ(gate, "");
  for (const std::string& gate :
       gates({product(lower(scores), matrix()),
              product(where(above(), scores, const_like(scores, int64_t{0})), matrix())}))
    EXPECT_EQ(gate, "");
}
TEST_F(Triangles, AreWholeForResults) {
  const UOp scores = product(matrix(), matrix());
  for (const std::string& gate : gates({scores, product(lower(scores), matrix())}))
    EXPECT_EQ(gate, "");
}
TEST_F(Triangles, MatterOfWhatIsTransposedToo) {
  const UOp scores = product(matrix(), matrix());
  const Gates all = gates({product(lower(permute(scores, {{1, 0}})), matrix())});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0], "");
}
TEST_F(Triangles, OfWhatIsThereAreNoKernels) {
  EXPECT_EQ(gates({product(lower(matrix()), matrix())}), Gates{""});
}

// A dot instruction wants its factors in memory as they are.
TEST_F(Triangles, AreStoredForDotInstructions) {
  const Shape all = {64, 256, 64};
  const UOp a = leaves_.add(test::random_tensor(rng_, {64, 64}, DType::UInt8)),
            b = leaves_.add(test::random_tensor(rng_, {256, 64}, DType::Int8)),
            later = lt(iota({64, 64}, 0, DType::Int64), iota({64, 64}, 1, DType::Int64));
  const auto spread = [&](const UOp& x, const Shape& shape) {
    return expand(reshape(cast(x, DType::Int32), shape), all);
  };
  const UOp lower = where(later, const_like(a, int64_t{0}), a);
  const std::vector<UOp> roots = {
      reduce(spread(lower, {64, 1, 64}) * spread(b, {1, 256, 64}), ReduceOp::Add, {{2}})};
  Target target;
  target.matrix_units = {find_matrix_unit("m1n16k4_u8i8")};
  EXPECT_EQ(make_schedule(roots, target).items.size(), 2u);
}

// Kernels of Σ a·b of [64, 64] and [64, 256], both widened to float32, for a unit of bfloat16.
size_t kernels_of_widened(DType left, DType right) {
  std::mt19937_64 rng(1);
  test::Leaves leaves;
  const UOp a = leaves.add(test::random_tensor(rng, {64, 64}, left)),
            b = leaves.add(test::random_tensor(rng, {64, 256}, right));
  const Shape all = {64, 64, 256};
  const auto spread = [&](const UOp& x, const Shape& shape) {
    return expand(reshape(cast(x, DType::Float32), shape), all);
  };
  const std::vector<UOp> roots = {
      reduce(spread(a, {64, 64, 1}) * spread(b, {1, 64, 256}), ReduceOp::Add, {{1}})};
  Target target;
  target.matrix_units = {find_matrix_unit("m16n16k32_bf16")};
  return make_schedule(roots, target).items.size();
}

TEST(WidenedFactors, ArePartOfTheKernelOfAUnitThatHasTheirValues) {
  EXPECT_EQ(kernels_of_widened(DType::Fp8E4M3, DType::Fp8E5M2), 1u);
  EXPECT_EQ(kernels_of_widened(DType::BFloat16, DType::Int8), 1u);
  EXPECT_GT(kernels_of_widened(DType::Fp8E4M3, DType::Float16), 1u) << "float16 has more digits";
}

}  // namespace
}  // namespace tg
