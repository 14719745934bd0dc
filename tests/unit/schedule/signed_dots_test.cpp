// Products of signed bytes in the form that a dot instruction takes: equal values, one copy of the
// factor whose sign goes, and only where that pays and the instruction is there.
#include "schedule/signed_dots.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/same_numbers.h"
#include "support/tensors.h"
#include "target/matrix_unit.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_tensor.h"

namespace tg {
namespace {

Target with_unit() {
  Target t;
  t.matrix_units = {find_matrix_unit("m1n16k4_u8i8")};
  return t;
}

class SignedDots : public testing::Test {
 protected:
  UOp bytes(const Shape& shape) {
    TensorValue v = test::random_tensor(rng_, shape, DType::Int8);
    for (int64_t i = 0; i < v.numel(); i += 7) v.set(i, Scalar::of_int(-128, DType::Int8));
    return leaves_.add(v);
  }
  static UOp wide(const UOp& x, const Shape& shape) { return expand(cast(x, DType::Int32), shape); }
  // x [m, 1, k] · w [1, n, k].
  UOp product(Dim m, Dim n, Dim k) {
    const Shape all = {m, n, k};
    const std::vector<int64_t> terms = {2};
    return reduce(wide(bytes({m, 1, k}), all) * wide(bytes({1, n, k}), all), ReduceOp::Add, terms);
  }
  // Whether the root is changed; its values are not.
  bool shifted(const UOp& root, const Target& target = with_unit()) {
    const UOp graph = sink(std::span(&root, 1)), now = shift_signed_dots(graph, target);
    const std::vector<UOp> was = {root}, is = {now.src(0)};
    EXPECT_TRUE(
        test::same_numbers(evaluate(is, leaves_.contents)[0], evaluate(was, leaves_.contents)[0]));
    return now != graph;
  }

  std::mt19937_64 rng_{3};
  test::Leaves leaves_;
};

TEST_F(SignedDots, AreShiftedWhereTheFactorIsReadOften) {
  EXPECT_TRUE(shifted(product(64, 64, 64)));
  EXPECT_TRUE(shifted(product(130, 70, 68)));
}
TEST_F(SignedDots, StayWhereItDoesNotPay) {
  EXPECT_FALSE(shifted(product(8, 64, 1024))) << "few rows";
  EXPECT_FALSE(shifted(product(64, 16, 16))) << "little to do";
  EXPECT_FALSE(shifted(product(64, 64, 66))) << "no groups of four terms";
}
TEST_F(SignedDots, NeedTheInstruction) { EXPECT_FALSE(shifted(product(64, 64, 64), Target{})); }
TEST_F(SignedDots, InARowShareWhatIsCopied) {
  const Shape all = {64, 64, 64};
  const std::vector<int64_t> terms = {2};
  const UOp x = bytes({64, 1, 64});
  const auto by = [&](const UOp& w) {
    return reduce(wide(x, all) * wide(w, all), ReduceOp::Add, terms);
  };
  const UOp root = by(bytes({1, 64, 64})) + by(bytes({1, 64, 64}));
  EXPECT_TRUE(shifted(root));
  const UOp now = shift_signed_dots(sink(std::span(&root, 1)), with_unit());
  EXPECT_EQ(std::ranges::count_if(
                toposort(now),
                [](const Node* n) { return n->op == Op::Contiguous && n->dtype == DType::UInt8; }),
            1);
}
TEST_F(SignedDots, OfWhatAnotherProductMade) {
  const Shape all = {64, 64, 64};
  const std::vector<int64_t> terms = {2};
  const UOp hidden = cast(product(64, 64, 64), DType::Int8);
  EXPECT_TRUE(
      shifted(reduce(wide(reshape(hidden, {64, 1, 64}), all) * wide(bytes({1, 64, 64}), all),
                     ReduceOp::Add, terms)));
}

}  // namespace
}  // namespace tg
