// Stores into views and versions of a storage in the evaluator.
#include <array>

#include "support/tensors.h"
#include "tg/error.h"
#include "unit/uop/support/nodes.h"

namespace tg {
namespace {

using test::after_one;
using test::Leaves;
using Doubles = std::vector<double>;

class EvaluateViews : public testing::Test {
 protected:
  EvaluateViews()
      : x(leaves.add(TensorValue::of({2, 3}, DType::Int32, Doubles{1, 2, 3, 4, 5, 6}))) {}
  UOp numbers(const Shape& s, int64_t first) {
    TensorValue v = TensorValue::zeros(s, DType::Int32);
    for (int64_t i = 0; i < v.numel(); ++i) v.set(i, Scalar::of_int(first + i, DType::Int32));
    return leaves.add(v);
  }
  Leaves leaves;
  UOp x;
};

TEST_F(EvaluateViews, StoreReplacesTheWholeBuffer) {
  EXPECT_EQ(leaves(after_one(x, store(x, numbers({2, 3}, 10)))).doubles(),
            (Doubles{10, 11, 12, 13, 14, 15}));
}

TEST_F(EvaluateViews, OldVersionKeepsItsValue) {
  UOp fresh = after_one(x, store(x, numbers({2, 3}, 10)));
  EXPECT_EQ(leaves(fresh + x).doubles(), (Doubles{11, 13, 15, 17, 19, 21}));
}

TEST_F(EvaluateViews, StoreIntoAWindow) {
  UOp view = shrink(x, std::array<int64_t, 4>{1, 1, 0, 2});
  EXPECT_EQ(leaves(after_one(x, store(view, numbers({1, 2}, 10)))).doubles(),
            (Doubles{1, 2, 3, 10, 11, 6}));
}

TEST_F(EvaluateViews, StoreIntoATransposedView) {
  UOp view = permute(x, std::array<int64_t, 2>{1, 0});
  EXPECT_EQ(leaves(after_one(x, store(view, numbers({3, 2}, 10)))).doubles(),
            (Doubles{10, 12, 14, 11, 13, 15}));
}

TEST_F(EvaluateViews, StoreIntoAFlippedView) {
  UOp view = flip(x, std::array<int64_t, 1>{1});
  EXPECT_EQ(leaves(after_one(x, store(view, numbers({2, 3}, 10)))).doubles(),
            (Doubles{12, 11, 10, 15, 14, 13}));
}

TEST_F(EvaluateViews, StoreIntoAReshapedView) {
  UOp view = shrink(reshape(x, {6}), std::array<int64_t, 2>{2, 3});
  EXPECT_EQ(leaves(after_one(x, store(view, numbers({3}, 10)))).doubles(),
            (Doubles{1, 2, 10, 11, 12, 6}));
}

TEST_F(EvaluateViews, StoreThroughAChain) {
  UOp view =
      flip(permute(shrink(x, std::array<int64_t, 4>{0, 2, 1, 2}), std::array<int64_t, 2>{1, 0}),
           std::array<int64_t, 1>{0});
  EXPECT_EQ(leaves(after_one(x, store(view, numbers({2, 2}, 10)))).doubles(),
            (Doubles{1, 12, 10, 4, 13, 11}));
}

TEST_F(EvaluateViews, StoreIntoNothingChangesNothing) {
  UOp view = shrink(x, std::array<int64_t, 4>{0, 0, 0, 3});
  EXPECT_EQ(leaves(after_one(x, store(view, numbers({0, 3}, 10)))).doubles(),
            (Doubles{1, 2, 3, 4, 5, 6}));
}

TEST_F(EvaluateViews, StoresOfOneVersionAllCount) {
  UOp row0 = shrink(x, std::array<int64_t, 4>{0, 1, 0, 3}),
      row1 = shrink(x, std::array<int64_t, 4>{1, 1, 0, 3});
  const std::vector<UOp> effects = {store(row0, numbers({1, 3}, 10)),
                                    store(row1, numbers({1, 3}, 20))};
  EXPECT_EQ(leaves(after(x, effects)).doubles(), (Doubles{10, 11, 12, 20, 21, 22}));
}

TEST_F(EvaluateViews, VersionsFollowEachOther) {
  UOp first =
      after_one(x, store(shrink(x, std::array<int64_t, 4>{0, 1, 0, 3}), numbers({1, 3}, 10)));
  UOp second = after_one(
      first, store(shrink(first, std::array<int64_t, 4>{0, 2, 0, 1}), numbers({2, 1}, 90)));
  EXPECT_EQ(leaves(second).doubles(), (Doubles{90, 11, 12, 91, 5, 6}));
  EXPECT_EQ(leaves(first).doubles(), (Doubles{10, 11, 12, 4, 5, 6}));
}

TEST_F(EvaluateViews, LaterVersionReachesAnAfterOfTheBuffer) {
  UOp first = after_one(x, store(x, numbers({2, 3}, 10)));
  UOp second =
      after_one(x, store(shrink(first, std::array<int64_t, 4>{0, 1, 0, 1}), numbers({1, 1}, 90)));
  EXPECT_EQ(leaves(second).doubles(), (Doubles{90, 11, 12, 13, 14, 15}));
}

TEST_F(EvaluateViews, ValueMayReadWhatItReplaces) {
  EXPECT_EQ(leaves(after_one(x, store(x, x * 2))).doubles(), (Doubles{2, 4, 6, 8, 10, 12}));
}

TEST_F(EvaluateViews, ShiftReadsTheOldVersion) {
  UOp flat = reshape(x, {6});
  UOp to = shrink(flat, std::array<int64_t, 2>{1, 5}),
      from = shrink(flat, std::array<int64_t, 2>{0, 5});
  EXPECT_EQ(leaves(after_one(x, store(to, from))).doubles(), (Doubles{1, 1, 2, 3, 4, 5}));
}

TEST_F(EvaluateViews, ViewOfANewVersionIsItsView) {
  UOp fresh = after_one(x, store(x, numbers({2, 3}, 10)));
  EXPECT_EQ(leaves(shrink(fresh, std::array<int64_t, 4>{1, 1, 1, 2})).doubles(), (Doubles{14, 15}));
}

TEST_F(EvaluateViews, AfterOfAViewShowsTheNewVersion) {
  UOp view = permute(x, std::array<int64_t, 2>{1, 0});
  UOp fresh = after_one(view, store(view, numbers({3, 2}, 10)));
  EXPECT_EQ(leaves(fresh).doubles(), (Doubles{10, 11, 12, 13, 14, 15}));
}

TEST_F(EvaluateViews, AfterOfAViewCanBeStoredTo) {
  UOp view = permute(x, std::array<int64_t, 2>{1, 0});
  UOp first = after_one(view, store(view, numbers({3, 2}, 10)));
  UOp second = after_one(
      first, store(shrink(first, std::array<int64_t, 4>{0, 1, 0, 2}), numbers({1, 2}, 90)));
  EXPECT_EQ(leaves(second).doubles(), (Doubles{90, 91, 12, 13, 14, 15}));
}

TEST_F(EvaluateViews, StoreToAnotherStorageOnlyOrders) {
  UOp other = numbers({2, 3}, 50);
  EXPECT_EQ(leaves(after_one(x, store(other, x))).doubles(), (Doubles{1, 2, 3, 4, 5, 6}));
}

TEST_F(EvaluateViews, AfterOfAValueIsTheValue) {
  UOp sum = x + x;
  EXPECT_EQ(leaves(after_one(sum, store(x, numbers({2, 3}, 10)))).doubles(),
            (Doubles{2, 4, 6, 8, 10, 12}));
}

}  // namespace
}  // namespace tg
