// Masks between brackets: reading against masked_select and loops, writing without knowing how many
// places there are, mixes with other items, gradients, messages.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor counted_storage(const Shape& s) {
  int64_t n = 1;
  for (const int64_t d : s) n *= d;
  return Tensor::arange(static_cast<double>(n), {.dtype = DType::Float64}).reshape(s).clone();
}
const Tensor kTwoOfThree{true, false, true};

TEST(Mask, PicksElementsInOrder) {
  const Tensor x = counted_storage({2, 3});
  expect_values(x[x % 2 == 1], {3}, {1, 3, 5});
  expect_values(x[x > 9], {0}, {});
  expect_values(x[x >= 0], {6}, {0, 1, 2, 3, 4, 5});
}
TEST(Mask, StandsForAsManyAxesAsItHas) {
  const Tensor x = counted_storage({3, 2});
  expect_values(x[kTwoOfThree], {2, 2}, {0, 1, 4, 5});
  expect_values(counted_storage({2, 3})[{Slice(), kTwoOfThree}], {2, 2}, {0, 2, 3, 5});
  expect_values(counted_storage({2, 3})[{Ellipsis, kTwoOfThree}], {2, 2}, {0, 2, 3, 5});
  const Tensor y = counted_storage({2, 2, 3}), square({{true, false}, {false, true}});
  expect_values(y[square], {2, 3}, {0, 1, 2, 9, 10, 11});
  expect_values(y[{square, 1}], {2}, {1, 10});
  expect_values(y[{square, Slice(0, 2)}], {2, 2}, {0, 1, 9, 10});
}
TEST(Mask, MeetsIndexTensorsAsItsPlaces) {
  const Tensor x = counted_storage({3, 4});
  expect_values(x[{kTwoOfThree, Tensor{1, 3}}], {2}, {1, 11});
  expect_values(x[{kTwoOfThree, Tensor{2}}], {2}, {2, 10});
  expect_values(x[{kTwoOfThree, Tensor{true, false, false, true}}], {2}, {0, 11});
}
TEST(Mask, AgreesWithMaskedSelect) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const Tensor x = random.tensor(random.shape(1, 3)).realize();
    const Tensor mask = x > random.real();
    const auto want = x.masked_select(mask).to_vector<double>();
    expect_values(x[mask], {static_cast<int64_t>(want.size())}, want, 0);
  }
}
TEST(Mask, GivesGradientsToWhatItPicks) {
  Random random(2);
  const Tensor mask({{true, false, true}, {false, false, true}});
  expect_gradients([&](const auto& x) { return x[0][mask].square(); }, {random.tensor({2, 3})});
}

TEST(Mask, IsNotReadInACapture) {
  TinyJit step([](const Tensor& x) { return x[x > 1]; });
  const Tensor x = counted_storage({4}).realize();
  step(x);
  EXPECT_NE(error_of<ArgumentError>([&] { step(x); }).find("is read on the host inside a captured"),
            std::string::npos);
}

TEST(MaskedSet, SpreadsANumberAndARow) {
  const Tensor x = counted_storage({3, 2});
  x.set({x > 2}, -1);
  expect_values(x, {3, 2}, {0, 1, 2, -1, -1, -1});
  x.set({kTwoOfThree}, Tensor(Doubles{7, 8}));
  expect_values(x, {3, 2}, {7, 8, 2, -1, 7, 8});
  x.set({kTwoOfThree}, Tensor(Doubles{5, 6}, {2, 1}));
  expect_values(x, {3, 2}, {5, 5, 2, -1, 6, 6});
}
TEST(MaskedSet, GivesEachPlaceItsValue) {
  const Tensor x = counted_storage({2, 3}), mask({{false, true, true}, {true, false, false}});
  x.set({mask}, Tensor(Doubles{10, 20, 30}));
  expect_values(x, {2, 3}, {0, 10, 20, 30, 4, 5});
  const Tensor y = counted_storage({2, 3});
  y.set({Slice(), kTwoOfThree}, Tensor(Doubles{10, 20, 30, 40}, {2, 2}));
  expect_values(y, {2, 3}, {10, 1, 20, 30, 4, 40});
  const Tensor z = counted_storage({2, 3, 2});
  z.set({1, kTwoOfThree}, Tensor(Doubles{-1, -2, -3, -4}, {2, 2}));
  expect_values(z, {2, 3, 2}, {0, 1, 2, 3, 4, 5, -1, -2, 8, 9, -3, -4});
  const Tensor w = counted_storage({2, 2, 2}), square({{true, false}, {false, true}});
  w.set({square, 0}, Tensor(Doubles{-1, -2}));
  expect_values(w, {2, 2, 2}, {-1, 1, 2, 3, 4, 5, -2, 7});
}
TEST(MaskedSet, LeavesOverWhatDoesNotMeet) {
  const Tensor few = counted_storage({4}), many = counted_storage({4});
  few.set({few >= 0}, Tensor(Doubles{10, 20}));
  expect_values(few, {4}, {10, 20, 2, 3});
  many.set({many > 2}, Tensor(Doubles{10, 20}));
  expect_values(many, {4}, {0, 1, 2, 10});
  many.set({many >= 0}, Tensor(Doubles{}, {0}));
  expect_values(many, {4}, {0, 1, 2, 10});
}
TEST(MaskedSet, WritesThroughAView) {
  const Tensor x = counted_storage({2, 3}), column = x.T()[1];
  column.set({column > 1}, 9);
  expect_values(column, {2}, {1, 9});
  expect_values(x, {2, 3}, {0, 1, 2, 3, 9, 5});
}
TEST(MaskedSet, ReadsWhatItWrites) {
  const Tensor x = counted_storage({4});
  x.set({x < 3}, x[{Slice(1)}] * 10);
  expect_values(x, {4}, {10, 20, 30, 3});
}
TEST(MaskedSet, AnExpressionGetsStorage) {
  const Tensor x = counted_storage({3}) * 2;
  x.set({kTwoOfThree}, 9);
  expect_values(x, {3}, {9, 2, 9});
}
// Nothing is read, so a captured function may do it; the mask of each call counts.
TEST(MaskedSet, IsCaptured) {
  TinyJit step([](const Tensor& x) {
    const Tensor y = x.clone();
    y.set({x > 1}, Tensor(Doubles{10, 20, 30}).cast(DType::Float64));
    return y;
  });
  for (int i = 0; i < 4; ++i) {
    const Tensor x = (counted_storage({4}) + i).realize();
    Doubles want;
    double next = 10;
    for (int k = 0; k < 4; ++k) {
      const bool chosen = k + i > 1 && next <= 30;
      want.push_back(chosen ? std::exchange(next, next + 10) : k + i);
    }
    expect_values(step(x), {4}, want);
  }
}
TEST(MaskedSet, BesideAnIndexTensorNamesItsPlaces) {
  const Tensor x = counted_storage({3, 4});
  x.set({kTwoOfThree, Tensor{1, 3}}, Tensor(Doubles{-1, -2}));
  expect_values(x, {3, 4}, {0, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -2});
}
TEST(MaskedSet, AgreesWithALoop) {
  Random random(3);
  for (int round = 0; round < 30; ++round) {
    const int64_t rows = random.whole(1, 4), columns = random.whole(1, 4), n = random.whole(2, 6);
    Doubles want = random.reals(rows * columns);
    const Doubles values = random.reals(n);
    const Tensor x = Tensor(want, {rows, columns}).clone(), mask = x > random.real();
    const auto chosen = mask.to_vector<bool>();
    size_t next = 0;
    for (size_t i = 0; i < want.size(); ++i)
      if (chosen[i] && next < values.size()) want[i] = values[next++];
    x.set({mask}, Tensor(values));
    expect_values(x, {rows, columns}, want, 0);
  }
}

TEST(Mask, SaysWhatDoesNotFit) {
  const Tensor x = counted_storage({2, 3});
  EXPECT_EQ(error_of<IndexError>([&] { x[kTwoOfThree]; }),
            "index: a mask must have the sizes of the axes that it stands for: mask [3], axes [2] "
            "of shape [2,3].");
  EXPECT_EQ(error_of<IndexError>([&] { x[Tensor(true).cast(DType::Bool)]; }),
            "index: a mask must have the sizes of the axes that it stands for: mask [], axes [] of "
            "shape [2,3].");
  EXPECT_EQ(error_of<IndexError>([&] {
              x[{0, x > 1}];
            }),
            "index: too many indices: 3 for shape [2,3].");
  EXPECT_EQ(error_of<ShapeError>([&] {
              x.set({Slice(), kTwoOfThree}, counted_storage({3, 2}));
            }),
            "set: the value does not fit the places: [3,2] to [2,places].");
  EXPECT_EQ(error_of<DTypeError>([&] {
              x.set({x > 1}, Tensor{1, 2});
            }),
            "set: dtypes differ: target float64, value int32. Hint: cast the value.");
}

}  // namespace
}  // namespace tg
