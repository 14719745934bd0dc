// Order along an axis against std::stable_sort: every dtype with many ties, NaN, infinities, both
// zeros and the ends of the range; sizes about every border of the algorithm, axes, gradients.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

template <typename T>
bool comes_before(T a, T b, bool descending) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return descending ? std::isnan(a) && !std::isnan(b) : std::isnan(b) && !std::isnan(a);
    }
  }
  return descending ? b < a : a < b;
}

template <typename T>
std::vector<int64_t> stable_places(const std::vector<T>& row, bool descending) {
  std::vector<int64_t> places(row.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
    return comes_before(row[static_cast<size_t>(a)], row[static_cast<size_t>(b)], descending);
  });
  return places;
}

// Equal bits, but for those of NaN.
template <typename T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

// `x` has `rows` rows of `n`; the first k of each row in `values` and `places` must be those of a
// stable sort.
template <typename T>
void expect_order(const std::vector<T>& x, int64_t rows, int64_t k, const Tensor& values,
                  const Tensor& places, bool descending) {
  const auto n = static_cast<int64_t>(x.size()) / std::max<int64_t>(rows, 1);
  ASSERT_EQ(values.shape(), (Shape{rows, k}));
  ASSERT_EQ(places.shape(), (Shape{rows, k}));
  ASSERT_EQ(places.dtype(), DType::Int32);
  const auto got = values.template to_vector<T>();
  const auto at = places.to_vector<int64_t>();
  for (int64_t r = 0; r < rows; ++r) {
    const std::vector<T> row(x.begin() + r * n, x.begin() + (r + 1) * n);
    const auto expected = stable_places(row, descending);
    for (int64_t i = 0; i < k; ++i) {
      const auto e = static_cast<size_t>(r * k + i);
      ASSERT_EQ(at[e], expected[static_cast<size_t>(i)]) << "row " << r << ", place " << i;
      ASSERT_TRUE(same<T>(got[e], row[static_cast<size_t>(at[e])])) << "row " << r << ", " << i;
    }
  }
}

// Few different numbers, so that most are equal to others, and the special ones.
template <typename T>
std::vector<T> numbers_with_ties(Random& random, int64_t count, const std::vector<T>& special) {
  std::vector<T> out;
  for (int64_t i = 0; i < count; ++i) {
    if (random.whole(0, 3) == 0) {
      out.push_back(special[static_cast<size_t>(random.whole(0, std::ssize(special) - 1))]);
    } else {
      out.push_back(static_cast<T>(random.whole(0, 1 + count / 8)));
    }
  }
  return out;
}

template <typename T>
std::vector<T> special_numbers() {
  using L = std::numeric_limits<T>;
  std::vector<T> out = {L::lowest(), L::max(), T{0}, T{1}};
  if constexpr (std::is_floating_point_v<T>) {
    out.insert(out.end(), {L::infinity(), -L::infinity(), L::quiet_NaN(), -L::quiet_NaN(), -T{0},
                           -T{1}, L::denorm_min(), -L::denorm_min()});
  } else if constexpr (std::is_signed_v<T>) {
    out.insert(out.end(), {T{-1}, static_cast<T>(L::lowest() + 1)});
  }
  return out;
}

template <typename T>
void expect_sorted(uint32_t seed, DType t, int64_t rows, int64_t n, const std::vector<T>& special) {
  SCOPED_TRACE(std::string(dtype_name(t)) + " [" + std::to_string(rows) + "," + std::to_string(n) +
               "]");
  Random random(seed);
  const Tensor x = Tensor(numbers_with_ties<T>(random, rows * n, special), {rows, n}, {.dtype = t});
  const auto stored = x.to_vector<T>();  // as the dtype rounds them
  for (const bool descending : {false, true}) {
    const auto [values, places] = x.sort(1, descending);
    expect_order<T>(stored, rows, n, values, places, descending);
  }
}

template <typename T>
void expect_sorted_in(DType t, const std::vector<T>& special) {
  uint32_t seed = 100 * static_cast<uint32_t>(t);
  for (const int64_t n : {1, 2, 15, 16, 17, 40}) expect_sorted<T>(seed++, t, 3, n, special);
  expect_sorted<T>(seed++, t, 9, 21, special);  // enough rows to fill vectors
}

TEST(Sort, Bools) { expect_sorted_in<uint8_t>(DType::Bool, {0, 1}); }
TEST(Sort, SignedBytes) { expect_sorted_in<int8_t>(DType::Int8, special_numbers<int8_t>()); }
TEST(Sort, Bytes) { expect_sorted_in<uint8_t>(DType::UInt8, special_numbers<uint8_t>()); }
TEST(Sort, ShortIntegers) {
  expect_sorted_in<int16_t>(DType::Int16, special_numbers<int16_t>());
  expect_sorted_in<uint16_t>(DType::UInt16, special_numbers<uint16_t>());
}
TEST(Sort, Integers) {
  expect_sorted_in<int32_t>(DType::Int32, special_numbers<int32_t>());
  expect_sorted_in<uint32_t>(DType::UInt32, special_numbers<uint32_t>());
}
TEST(Sort, LongIntegers) {
  expect_sorted_in<int64_t>(DType::Int64, special_numbers<int64_t>());
  expect_sorted_in<uint64_t>(DType::UInt64, special_numbers<uint64_t>());
}
TEST(Sort, Floats) { expect_sorted_in<float>(DType::Float32, special_numbers<float>()); }
TEST(Sort, DoubleFloats) { expect_sorted_in<double>(DType::Float64, special_numbers<double>()); }
TEST(Sort, SmallFloats) {
  expect_sorted_in<float>(DType::Float16, special_numbers<float>());
  expect_sorted_in<float>(DType::BFloat16, special_numbers<float>());
  expect_sorted_in<float>(DType::Fp8E4M3, {0.F, -0.F, 448.F, -448.F, 0.5F, NAN});
  expect_sorted_in<float>(DType::Fp8E5M2, {0.F, -0.F, INFINITY, -INFINITY, 0.5F, NAN});
  expect_sorted_in<float>(DType::Fp8E5M2Fnuz, {0.F, 57344.F, -57344.F, 0.5F, NAN});
}
TEST(Sort, LongIntegersThatDifferInEitherWordOnly) {
  std::vector<int64_t> x;
  for (const int64_t high : {-2, -1, 0, 1}) {
    for (const int64_t low : {0LL, 1LL, 0x7fffffffLL, 0x80000000LL, 0xffffffffLL})
      x.push_back(high * (int64_t{1} << 32) + low);
  }
  Random random(7);
  for (size_t i = x.size(); i-- > 1;)
    std::swap(x[i], x[static_cast<size_t>(random.whole(0, static_cast<int64_t>(i)))]);
  const auto [values, places] = Tensor(x, {1, 20}).sort();
  expect_order<int64_t>(x, 1, 20, values, places, false);
}

TEST(Sort, AllSizesOfAFewDozen) {
  for (int64_t n = 0; n <= 70; ++n) {
    if (n > 20 && n < 60 && n % 7 != 0) continue;  // between borders of the algorithm
    expect_sorted<float>(static_cast<uint32_t>(n), DType::Float32, 2, n, special_numbers<float>());
  }
}
TEST(Sort, ThousandsOfElements) {
  expect_sorted<float>(1, DType::Float32, 1, 3000, special_numbers<float>());
  expect_sorted<int32_t>(2, DType::Int32, 8, 1025, special_numbers<int32_t>());
}

TEST(Sort, GoesAlongEveryAxis) {
  Random random(11);
  const Tensor x = random.tensor({3, 5, 19, 2}).mul(2).floor();
  for (int64_t axis = 0; axis < 4; ++axis) {
    const auto [values, places] = x.sort(axis - 4, axis % 2 == 1);
    const auto [rows, at] = x.transpose(axis, 3).reshape({-1, x.size(axis)}).sort(1, axis % 2 == 1);
    const Shape turned = x.transpose(axis, 3).shape();
    EXPECT_EQ(values.to_vector<double>(),
              rows.reshape(turned).transpose(axis, 3).to_vector<double>());
    EXPECT_EQ(places.to_vector<int>(), at.reshape(turned).transpose(axis, 3).to_vector<int>());
    EXPECT_EQ(x.argsort(axis, axis % 2 == 1).to_vector<int>(), places.to_vector<int>());
  }
}
TEST(Sort, OfNothingAndOfOne) {
  EXPECT_EQ(Tensor::zeros({0}).sort().first.shape(), Shape{0});
  EXPECT_EQ(Tensor::zeros({3, 0}).sort().second.shape(), (Shape{3, 0}));
  EXPECT_EQ(Tensor::zeros({0, 3}).sort().second.to_vector<int>(), std::vector<int>());
  EXPECT_EQ(Tensor(2.5).sort().first.item<float>(), 2.5F);
  EXPECT_EQ(Tensor(2.5).sort().second.item<int>(), 0);
  EXPECT_EQ(Tensor(2.5).argsort(0).shape(), Shape{});
  EXPECT_EQ(Tensor(2.5).topk(1).first.item<float>(), 2.5F);
  EXPECT_EQ(Tensor(2.5).topk(0).first.shape(), Shape{0});
  EXPECT_EQ(Tensor::zeros({2}).topk(0).second.shape(), Shape{0});
}
TEST(Sort, GradientsGoToThePlacesOfTheValues) {
  const auto distinct = [](int64_t rows, int64_t n) {
    return Tensor::randperm(rows * n).cast(DType::Float64).reshape({rows, n}) * 0.1;
  };
  expect_gradients([](const auto& x) { return x[0].sort().first.square(); }, {distinct(3, 7)});
  expect_gradients([](const auto& x) { return x[0].sort(0, true).first.square(); },
                   {distinct(20, 2)});
  expect_gradients([](const auto& x) { return x[0].topk(2, 0).first.square(); }, {distinct(5, 3)});
}

// A variable size: what does not exist comes last and is not seen.
TEST(Sort, AlongAVariableSize) {
  const Variable n("n", 1, 9);
  const Tensor x(std::vector<float>{5, -1, 7, 3, 3, 9, -2, 0, 8});
  for (const int64_t count : {1, 4, 9}) {
    const auto [values, places] = x[Slice(0, n.bind(count))].sort(0, count == 4);
    auto row = x.to_vector<float>();
    row.resize(static_cast<size_t>(count));
    const auto expected = stable_places(row, count == 4);
    EXPECT_EQ(places.to_vector<int64_t>(), expected);
    EXPECT_EQ(values.size(0), 9);
  }
}

TEST(TopK, IsTheBeginningOfTheOrder) {
  uint32_t seed = 40;
  for (const auto& [rows, n, k] : std::vector<std::array<int64_t, 3>>{{2, 10, 3},
                                                                      {1, 65, 65},
                                                                      {3, 66, 4},
                                                                      {2, 300, 1},
                                                                      {1, 1000, 9},
                                                                      {9, 700, 2},
                                                                      {1, 5000, 3}}) {
    SCOPED_TRACE("[" + std::to_string(rows) + "," + std::to_string(n) + "], " + std::to_string(k));
    Random random(seed++);
    const auto floats = numbers_with_ties<float>(random, rows * n, special_numbers<float>());
    const auto wide = numbers_with_ties<int64_t>(random, rows * n, special_numbers<int64_t>());
    for (const bool largest : {true, false}) {
      const auto [values, places] = Tensor(floats, {rows, n}).topk(k, 1, largest);
      expect_order<float>(floats, rows, k, values, places, largest);
    }
    const auto [values, places] = Tensor(wide, {rows, n}).topk(k);
    expect_order<int64_t>(wide, rows, k, values, places, true);
  }
}
TEST(TopK, FindsTheFirstOfEqualOnes) {
  const auto [values, places] = Tensor::zeros({2, 500}).topk(5);
  EXPECT_EQ(places.to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  const auto [least, at] = Tensor::full({300}, INT32_MAX).topk(2, 0, false);
  EXPECT_EQ(least.to_vector<int>(), (std::vector<int>{INT32_MAX, INT32_MAX}));
  EXPECT_EQ(at.to_vector<int>(), (std::vector<int>{0, 1}));
}
TEST(TopK, SaysWhatItNeeds) {
  EXPECT_EQ(error_of<ArgumentError>([] {
              Tensor::zeros({2, 3}).topk(4);
            }),
            "topk: k must lie between 0 and 3, the length of axis 1 of shape [2,3], got 4.");
  EXPECT_EQ(error_of<IndexError>([] {
              Tensor::zeros({2, 3}).topk(1, 2);
            }),
            "topk: axis 2 is outside shape [2,3].");
  EXPECT_EQ(error_of<IndexError>([] { Tensor::zeros({2}).sort(1); }),
            "sort: axis 1 is outside shape [2].");
}

TEST(Unique, IsWhatDiffersInOrder) {
  expect_values(Tensor(Doubles{3, 1, 3, -0.0, 0.0, 1}).unique(), {3}, {0, 1, 3});
  expect_values(Tensor({{5, 5}, {5, 5}}).unique(), {1}, {5});
  expect_values(Tensor(Doubles{NAN, 2, NAN}).unique(), {3}, {2, NAN, NAN});
  expect_values(Tensor{2, 7, 2}.unique({.size = 4, .fill_value = -1}), {4}, {2, 7, -1, -1});
  expect_values(Tensor{2, 7, 1}.unique({.size = 2}), {2}, {1, 2});
  EXPECT_EQ(Tensor::zeros({0}).unique().shape(), Shape{0});
  EXPECT_EQ(Tensor(4).unique().to_vector<int>(), std::vector<int>{4});
}
TEST(Unique, OfManyIsASet) {
  Random random(3);
  std::vector<int64_t> x;
  for (int i = 0; i < 200; ++i) x.push_back(random.whole(-30, 30));
  const std::set<int64_t> all(x.begin(), x.end());
  EXPECT_EQ(Tensor(x).unique().to_vector<int64_t>(), std::vector<int64_t>(all.begin(), all.end()));
}

TEST(RandPerm, HasEachNumberOnceAndEveryOrder) {
  for (const int64_t n : {0, 1, 2, 17, 100}) {
    auto got = Tensor::randperm(n).to_vector<int64_t>();
    std::sort(got.begin(), got.end());
    std::vector<int64_t> expected(static_cast<size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(got, expected);
  }
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 100; ++i) orders.insert(Tensor::randperm(3).to_vector<int>());
  EXPECT_EQ(orders.size(), 6U);
  EXPECT_EQ(Tensor::randperm(4, {.dtype = DType::UInt8}).dtype(), DType::UInt8);
}
TEST(RandPerm, SaysWhatItNeeds) {
  EXPECT_EQ(error_of<ArgumentError>([] { Tensor::randperm(-1); }),
            "randperm: n must lie between 0 and 2^31, got -1.");
  EXPECT_EQ(error_of<DTypeError>([] { Tensor::randperm(3, {.dtype = DType::Float32}); }),
            "randperm: needs an integer dtype, got float32.");
  EXPECT_EQ(error_of<DTypeError>([] { Tensor::randperm(129, {.dtype = DType::Int8}); }),
            "randperm: int8 has no room for the numbers below 129.");
  EXPECT_EQ(Tensor::randperm(128, {.dtype = DType::Int8}).sort().first.to_vector<int>().back(),
            127);
}

}  // namespace
}  // namespace tg
