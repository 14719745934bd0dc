// Movement, joining, indexing: against plain loops over the index, over random shapes, with empty
// and one-element tensors.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor numbered(const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return Tensor::arange(static_cast<double>(n), {.dtype = DType::Float64}).reshape(shape);
}

// Element `at` of a tensor like numbered(shape).
double number_at(const Shape& shape, const std::vector<int64_t>& at) {
  int64_t flat = 0;
  for (size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + at[i];
  return static_cast<double>(flat);
}

// Values of `f` at every index of `shape`, row-major.
Doubles each(const Shape& shape, const std::function<double(const std::vector<int64_t>&)>& f) {
  Doubles out;
  std::vector<int64_t> at(shape.size(), 0);
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i;
    for (size_t a = shape.size(); a-- > 0;) {
      at[a] = rest % shape[a];
      rest /= shape[a];
    }
    out.push_back(f(at));
  }
  return out;
}

TEST(Reshape, InfersOneSize) {
  EXPECT_EQ(numbered({2, 6}).reshape({3, -1}).shape(), (Shape{3, 4}));
}
TEST(Reshape, InfersOfAnEmptyTensor) {
  EXPECT_EQ(Tensor::zeros({0, 3}).reshape({-1, 3}).shape(), (Shape{0, 3}));
}
TEST(Reshape, TakesAScalarToAVectorAndBack) {
  expect_values(Tensor(3.0f).reshape({1}).reshape({}), {}, {3});
}
TEST(Expand, AddsAxesInFront) { expect_values(Tensor{1, 2}.expand({2, -1}), {2, 2}, {1, 2, 1, 2}); }
TEST(Expand, StretchesToZero) { expect_values(Tensor::zeros({1, 2}).expand({0, 2}), {0, 2}, {}); }
TEST(Squeeze, DropsAllAxesOfSizeOne) {
  EXPECT_EQ(numbered({1, 3, 1}).squeeze().shape(), (Shape{3}));
}
TEST(Squeeze, KeepsALargerAxis) { EXPECT_EQ(numbered({2, 3}).squeeze(0).shape(), (Shape{2, 3})); }
TEST(Unsqueeze, CountsFromTheEnd) {
  EXPECT_EQ(numbered({2, 3}).unsqueeze(-1).shape(), (Shape{2, 3, 1}));
}
TEST(Flatten, MergesARunOfAxes) {
  EXPECT_EQ(numbered({2, 3, 4}).flatten(1, 2).shape(), (Shape{2, 12}));
}
TEST(Flatten, MakesAVectorOfAScalar) { EXPECT_EQ(Tensor(1).flatten().shape(), (Shape{1})); }
TEST(Unflatten, SplitsAnAxis) {
  EXPECT_EQ(numbered({2, 12}).unflatten(1, {3, -1}).shape(), (Shape{2, 3, 4}));
}
TEST(Pad, UsesTheValueAndCrops) {
  expect_values(Tensor{1, 2, 3}.pad({{-1, 2}}, 7), {4}, {2, 3, 7, 7});
}
TEST(Pad, TakesAValueThatIsComputed) {
  const Tensor value = Tensor(Doubles{2, 5}).sum().reshape({1});
  expect_values(Tensor{1, 2, 3}.pad({{-1, 2}}, value), {4}, {2, 3, 7, 7});
  expect_values(Tensor{1, 2, 3}.pad_to({5}, value), {5}, {1, 2, 3, 7, 7});
  EXPECT_EQ((Tensor{1, 2}.pad({{1, 1}}, value).dtype()), DType::Int32);
}
TEST(Pad, HasGradientsOfItsElementsAndOfAComputedValue) {
  const Tensor x = Tensor(Doubles{1, 2}).is_param_(), value = Tensor(Doubles{3}).is_param_();
  x.pad({{1, 2}}, value * 2).sum().backward();
  expect_values(x.grad(), {2}, {1, 1});
  expect_values(value.grad(), {1}, {6});
}
TEST(Roll, WrapsAround) { expect_values(Tensor{1, 2, 3, 4}.roll(5), {4}, {4, 1, 2, 3}); }
TEST(Roll, ByWholeTurnsIsNothing) { expect_values(Tensor{1, 2, 3}.roll(-3), {3}, {1, 2, 3}); }
TEST(Repeat, AddsAxesInFront) {
  expect_values(Tensor{1, 2}.repeat({2, 2}), {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
}
TEST(Repeat, ZeroTimesIsEmpty) { expect_values(Tensor{1, 2}.repeat({0}), {0}, {}); }
TEST(Triangle, WorksOnTheLastTwoAxes) {
  expect_values(Tensor::ones({1, 2, 3}).tril(), {1, 2, 3}, {1, 0, 0, 1, 1, 0});
  expect_values(Tensor::ones({1, 2, 3}).triu(1), {1, 2, 3}, {0, 1, 1, 0, 0, 1});
}
TEST(Diagonal, OfAnEmptyMatrixIsEmpty) { expect_values(Tensor::zeros({0, 0}).diagonal(), {0}, {}); }
TEST(Cat, SkipsEmptyPieces) {
  expect_values(Tensor::cat({Tensor::zeros({0}), Tensor{1.f}, Tensor::zeros({0})}), {1}, {1});
}
TEST(Cat, PromotesDtypes) {
  EXPECT_EQ(Tensor::cat({Tensor{1, 2}, Tensor{0.5f}}).dtype(), DType::Float32);
}
TEST(Cat, KeepsSpecialNumbers) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  expect_values(Tensor::cat({Tensor(Doubles{nan, inf}), Tensor(Doubles{-inf, 1})}), {4},
                {nan, inf, -inf, 1});
}
TEST(Cat, KeepsTheSignOfZero) {
  const auto v = Tensor::cat({Tensor(Doubles{-0.0}), Tensor(Doubles{-0.0})}).to_vector<double>();
  EXPECT_TRUE(std::signbit(v[0]) && std::signbit(v[1]));
}
TEST(Split, TheLastPieceIsTheRest) {
  const auto parts = numbered({7}).split(3);
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[2], {1}, {6});
}
TEST(Split, OfAnEmptyAxisIsOneEmptyPiece) { EXPECT_EQ(Tensor::zeros({0}).split(2).size(), 1u); }
TEST(Chunk, MakesAtMostSoMany) {
  const auto parts = numbered({5}).chunk(4);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[2].shape(), (Shape{1}));
}

class RandomMovement : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomMovement, PermuteMovesEveryElement) {
  Random r(GetParam());
  const Shape s = r.shape(1, 4);
  std::vector<int64_t> order(s.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<size_t>(r.whole(0, static_cast<int64_t>(i)))]);
  Shape out;
  for (int64_t a : order) out.push_back(s[static_cast<size_t>(a)]);
  expect_values(numbered(s).permute(order), out, each(out, [&](const auto& at) {
                  std::vector<int64_t> from(s.size());
                  for (size_t i = 0; i < order.size(); ++i)
                    from[static_cast<size_t>(order[i])] = at[i];
                  return number_at(s, from);
                }));
}

TEST_P(RandomMovement, SlicesFollowPythonsRules) {
  Random r(GetParam() + 100);
  const Shape s = r.shape(1, 3, 7);
  std::vector<IndexItem> items;
  std::vector<std::vector<int64_t>> kept;
  Shape out;
  for (int64_t n : s) {
    const int64_t start = r.whole(-n - 1, n + 1), stop = r.whole(-n - 1, n + 1);
    int64_t step = r.whole(1, 3) * (r.whole(0, 1) ? 1 : -1);
    items.push_back(Slice(start, stop, step));
    // Walk as Python documents it: clamp, then step until the end is passed.
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    const int64_t a = std::clamp(start < 0 ? start + n : start, low, high);
    const int64_t b = std::clamp(stop < 0 ? stop + n : stop, low, high);
    kept.emplace_back();
    for (int64_t i = a; step > 0 ? i < b : i > b; i += step) kept.back().push_back(i);
    out.push_back(static_cast<int64_t>(kept.back().size()));
  }
  expect_values(numbered(s)[items], out, each(out, [&](const auto& at) {
                  std::vector<int64_t> from;
                  for (size_t i = 0; i < at.size(); ++i)
                    from.push_back(kept[i][static_cast<size_t>(at[i])]);
                  return number_at(s, from);
                }));
}

TEST_P(RandomMovement, OpenSlicesReverse) {
  Random r(GetParam() + 200);
  const Shape s = {r.whole(1, 9)};
  const int64_t step = r.whole(1, 4);
  Doubles expected;
  for (int64_t i = s[0] - 1; i >= 0; i -= step) expected.push_back(static_cast<double>(i));
  expect_values(numbered(s)[Slice({}, {}, -step)], {static_cast<int64_t>(expected.size())},
                expected);
}

TEST_P(RandomMovement, TakingAlongAnAxisReadsTheIndexedElements) {
  Random r(GetParam() + 300);
  const Shape s = r.shape(2, 3);
  const auto axis = static_cast<size_t>(r.whole(0, static_cast<int64_t>(s.size()) - 1));
  const Shape index_shape = r.shape(0, 2);
  int64_t n = 1;
  for (int64_t d : index_shape) n *= d;
  std::vector<int32_t> index;
  for (int64_t i = 0; i < n; ++i)
    index.push_back(static_cast<int32_t>(r.whole(-s[axis], s[axis] - 1)));
  std::vector<IndexItem> items(axis, IndexItem(Slice()));
  items.emplace_back(Tensor(index, index_shape));
  Shape out(s.begin(), s.begin() + static_cast<int64_t>(axis));
  out.insert(out.end(), index_shape.begin(), index_shape.end());
  out.insert(out.end(), s.begin() + static_cast<int64_t>(axis) + 1, s.end());
  expect_values(numbered(s)[items], out, each(out, [&](const auto& at) {
                  std::vector<int64_t> from(at.begin(), at.begin() + static_cast<int64_t>(axis));
                  int64_t flat = 0;
                  for (size_t i = 0; i < index_shape.size(); ++i)
                    flat = flat * index_shape[i] + at[axis + i];
                  const int64_t v = index[static_cast<size_t>(flat)];
                  from.push_back(v < 0 ? v + s[axis] : v);
                  from.insert(from.end(),
                              at.begin() + static_cast<int64_t>(axis + index_shape.size()),
                              at.end());
                  return number_at(s, from);
                }));
}

TEST_P(RandomMovement, CatOfASplitIsTheTensor) {
  Random r(GetParam() + 400);
  const Shape s = r.shape(1, 3, 6);
  const int64_t axis = r.whole(0, static_cast<int64_t>(s.size()) - 1);
  const Tensor x = numbered(s);
  expect_values(Tensor::cat(x.split(r.whole(1, 3), axis), axis), s, x.to_vector<double>());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMovement, ::testing::Range(1u, 13u));

TEST(Index, ReadsZeroOutsideTheAxis) {
  expect_values(Tensor{5, 6, 7}[Tensor{0, 3, -4, 2}], {4}, {5, 0, 0, 7});
}
TEST(Index, ReadsZeroWhereOneOfSeveralIsOutside) {
  const Tensor x = numbered({2, 3}) + 1;
  expect_values(x[{Tensor{0, 1, 0}, Tensor{3, -3, -1}}], {3}, {0, 4, 3});
}
TEST(Index, TakesEveryIntegerDtype) {
  for (DType t :
       {DType::Int8, DType::UInt8, DType::Int16, DType::UInt32, DType::Int64, DType::UInt64}) {
    expect_values(Tensor{5, 6, 7}[Tensor{2, 0}.cast(t)], {2}, {7, 5});
  }
}
TEST(Index, ByAnEmptyTensorIsEmpty) {
  expect_values(numbered({3, 2})[Tensor::zeros({0}, DType::Int32)], {0, 2}, {});
}
TEST(Index, OfNothingIsTheTensor) { expect_values(Tensor(4)[std::vector<IndexItem>{}], {}, {4}); }
TEST(Index, IntegersDropTheirAxesBeforeTensorsPick) {
  EXPECT_EQ((numbered({2, 3, 4})[{0, Slice(), Tensor{1, 2}}].shape()), (Shape{3, 2}));
  EXPECT_EQ((numbered({2, 3, 4})[{Slice(), 0, Tensor{1, 2}}].shape()), (Shape{2, 2}));
  expect_values(numbered({2, 3, 4})[{Tensor{0, 1}, 2, Tensor{1, 3}}], {2}, {9, 23});
  EXPECT_EQ((numbered({2, 3, 4, 5})[{Slice(), Tensor{0, 1}, 0, Tensor{1, 2}}].shape()),
            (Shape{2, 2}));
  EXPECT_EQ((numbered({2, 3, 4, 5})[{0, Tensor{0, 1}, Slice(), Tensor{1, 2}}].shape()),
            (Shape{2, 4}));
}
TEST(Scatter, TheLastOfEqualPlacesWins) {
  expect_values(Tensor::zeros({3}).scatter(0, Tensor{1, 1}, Tensor{4.f, 5.f}), {3}, {0, 5, 0});
}
TEST(Scatter, AddSumsEqualPlaces) {
  expect_values(Tensor::zeros({3}).scatter_add(0, Tensor{1, 1, -1}, Tensor{4.f, 5.f, 1.f}), {3},
                {0, 9, 1});
}
TEST(OneHot, PutsAOneAtTheLabel) {
  expect_values(Tensor{2, 0}.one_hot(3), {2, 3}, {0, 0, 1, 1, 0, 0});
}

}  // namespace
}  // namespace tg
