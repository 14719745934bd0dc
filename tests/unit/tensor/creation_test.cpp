// Creation from data, numbers and patterns; facts; conversion to C++ values; text.
#include <sstream>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(FromData, LiteralsBecomeVectorsOfTheirKind) {
  EXPECT_EQ((Tensor{1, 2, 3}.dtype()), DType::Int32);
  EXPECT_EQ((Tensor{1.0, 2.0}.dtype()), DType::Float32);
  EXPECT_EQ((Tensor{true, false}.dtype()), DType::Bool);
  expect_values(Tensor{1.5f, 2.5f}, {2}, {1.5, 2.5});
}
TEST(FromData, RowsBecomeAMatrix) { expect_values(Tensor({{1, 2}, {3, 4}}), {2, 2}, {1, 2, 3, 4}); }
TEST(FromData, VectorsKeepTheirDtype) {
  EXPECT_EQ(Tensor(std::vector<double>{1}).dtype(), DType::Float64);
  EXPECT_EQ(Tensor(std::vector<int8_t>{1}).dtype(), DType::Int8);
  EXPECT_EQ(Tensor(std::vector<uint64_t>{1}).dtype(), DType::UInt64);
  EXPECT_EQ(Tensor(std::vector<bool>{true, false}).to_vector<bool>(),
            (std::vector<bool>{true, false}));
}
TEST(FromData, OptionsConvert) {
  const Tensor t(std::vector<double>{1.5, -2.5}, Shape{2}, {.dtype = DType::Int16});
  EXPECT_EQ(t.to_vector<int16_t>(), (std::vector<int16_t>{1, -2}));
}
TEST(FromData, ANumberIsAScalar) {
  EXPECT_EQ(Tensor(3).shape(), Shape{});
  EXPECT_EQ(Tensor(3).dtype(), DType::Int32);
  EXPECT_EQ(Tensor(int64_t{1} << 40).dtype(), DType::Int64);
  EXPECT_EQ(Tensor(2.5).dtype(), DType::Float32);
  EXPECT_EQ(Tensor(true).item<bool>(), true);
  EXPECT_EQ(Tensor(int64_t{1} << 40).item<int64_t>(), int64_t{1} << 40);
}
TEST(FromData, BytesAreReadAsStored) {
  const std::vector<uint16_t> half = {0x3C00, 0xC000};
  const Tensor t = Tensor::from_bytes(std::as_bytes(std::span(half)), {2}, DType::Float16);
  expect_values(t, {2}, {1, -2});
  EXPECT_EQ(t.to_bytes().size(), 4u);
}
TEST(FromData, AnEmptyVectorIsEmpty) { expect_values(Tensor(std::vector<float>{}), {0}, {}); }

TEST(Creation, FillsWithZerosOnesAndValues) {
  expect_values(Tensor::zeros({2}), {2}, {0, 0});
  expect_values(Tensor::ones({1, 2}, DType::Int64), {1, 2}, {1, 1});
  expect_values(Tensor::full({2}, 2.5), {2}, {2.5, 2.5});
  EXPECT_EQ(Tensor::full({2}, 3).dtype(), DType::Int32);
  expect_values(Tensor::full({2}, 7, {.buffer = false}), {2}, {7, 7});
}
TEST(Creation, LikeTakesShapeAndDtype) {
  const Tensor x = Tensor::zeros({2, 1}, DType::Float16);
  for (const Tensor& t :
       {x.ones_like(), x.zeros_like(), x.full_like(3), x.empty_like(), x.rand_like()}) {
    EXPECT_EQ(t.shape(), (Shape{2, 1}));
    EXPECT_EQ(t.dtype(), DType::Float16);
  }
}
TEST(Creation, ArangeExcludesItsEnd) {
  expect_values(Tensor::arange(4), {4}, {0, 1, 2, 3});
  expect_values(Tensor::arange(5, {.start = 2}), {3}, {2, 3, 4});
  expect_values(Tensor::arange(0, {.start = 5, .step = -2}), {3}, {5, 3, 1});
  expect_values(Tensor::arange(1, {.step = 0.25}), {4}, {0, 0.25, 0.5, 0.75});
  expect_values(Tensor::arange(0), {0}, {});
  expect_values(Tensor::arange(-3), {0}, {});
}
TEST(Creation, ArangeIsWholeForWholeNumbers) {
  EXPECT_EQ(Tensor::arange(4).dtype(), DType::Int32);
  EXPECT_EQ(Tensor::arange(4.5).dtype(), DType::Float32);
  EXPECT_EQ(Tensor::arange(0x1p31).dtype(), DType::Int32);
  EXPECT_EQ(Tensor::arange(0x1p31 + 4, {.start = 0x1p31 + 2}).to_vector<int64_t>(),
            (std::vector<int64_t>{2147483650, 2147483651}));
  EXPECT_EQ(Tensor::arange(4, {.dtype = DType::UInt8}).dtype(), DType::UInt8);
}
TEST(Creation, LinspaceIncludesBothEnds) {
  expect_values(Tensor::linspace(0, 1, 5), {5}, {0, 0.25, 0.5, 0.75, 1});
  expect_values(Tensor::linspace(3, 9, 1), {1}, {3});
  expect_values(Tensor::linspace(3, 9, 0), {0}, {});
}
TEST(Creation, EyeHasOnesOnTheDiagonal) {
  expect_values(Tensor::eye(2), {2, 2}, {1, 0, 0, 1});
  expect_values(Tensor::eye(2, 3, {.dtype = DType::Int32}), {2, 3}, {1, 0, 0, 0, 1, 0});
  expect_values(Tensor::eye(0), {0, 0}, {});
}
TEST(Creation, EmptyHasShapeAndDtype) {
  const Tensor t = Tensor::empty({2, 3}, {.dtype = DType::BFloat16});
  EXPECT_EQ(t.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.dtype(), DType::BFloat16);
}

TEST(Facts, AreThoseOfTheTensor) {
  const Tensor t = Tensor::zeros({2, 3}, DType::Float16);
  EXPECT_EQ(t.ndim(), 2);
  EXPECT_EQ(t.numel(), 6);
  EXPECT_EQ(t.size(-1), 3);
  EXPECT_EQ(t.element_size(), 2);
  EXPECT_EQ(t.nbytes(), 12);
  EXPECT_TRUE(t.is_floating_point());
  EXPECT_FALSE(t.device().empty());
  EXPECT_TRUE(Tensor(1).device().empty());
}

TEST(Item, Converts) {
  EXPECT_EQ(Tensor(std::vector<float>{2.75f}).item<int>(), 2);
  EXPECT_EQ(Tensor({{5}}).item<double>(), 5.0);
}
TEST(ToVector, OfAViewIsInItsOrder) {
  EXPECT_EQ((Tensor({{1, 2}, {3, 4}}).realize().T().to_vector<int>()),
            (std::vector<int>{1, 3, 2, 4}));
}
TEST(ToVector, OfAnExpandedNumberRepeatsIt) {
  EXPECT_EQ(Tensor(2).expand({3}).to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

TEST(Text, ShowsValuesDtypeAndShape) {
  EXPECT_EQ(Tensor({{1.f, 2.5f}, {-3.f, 4.f}}).str(),
            "[[ 1.0000  2.5000]\n [-3.0000  4.0000]] float32[2,2]");
  EXPECT_EQ((Tensor{1.f, 20.f}.str()), "[ 1. 20.] float32[2]");
  EXPECT_EQ((Tensor{1, -20}.str()), "[  1 -20] int32[2]");
  EXPECT_EQ((Tensor{true, false}.str()), "[ true false] bool[2]");
  EXPECT_EQ(Tensor(7).str(), "7 int32[]");
  EXPECT_EQ(Tensor::zeros({0}).str(), "[] float32[0]");
  EXPECT_EQ(Tensor::zeros({2, 0}).str(), "[[]\n []] float32[2,0]");
}
TEST(Text, IsScientificForLargeAndSmallNumbers) {
  EXPECT_EQ((Tensor{1e9f, -1e-6f}.str()), "[ 1.0000e+09 -1.0000e-06] float32[2]");
}
TEST(Text, ShowsSpecialNumbers) {
  EXPECT_EQ(Tensor(Doubles{std::nan(""), HUGE_VAL, -HUGE_VAL, 1}).str(),
            "[ nan  inf -inf   1.] float64[4]");
}
TEST(Text, SeparatesBlocks) {
  EXPECT_EQ(Tensor::arange(4).reshape({2, 1, 2}).str(), "[[[0 1]]\n\n [[2 3]]] int32[2,1,2]");
}
TEST(Text, SummarisesManyElements) {
  EXPECT_EQ(Tensor::arange(2000).str(), "[   0    1    2 ... 1997 1998 1999] int32[2000]");
}
TEST(Text, GoesToStreams) {
  std::ostringstream out;
  out << Tensor{1, 2};
  EXPECT_EQ(out.str(), "[1 2] int32[2]");
}

TEST(DefaultFloat, IsTheDtypeOfWhatNamesNone) {
  const DType before = set_default_float(DType::BFloat16);
  for (const Tensor& t :
       {Tensor::zeros({2}), Tensor::ones({2}), Tensor::empty({2}), Tensor::eye(2), Tensor(1.5),
        Tensor::arange(2.5), Tensor::linspace(0, 1, 3), Tensor::rand({2}), Tensor::randn({2}),
        Tensor::uniform({2}, {}), Tensor{1, 2}.exp(), Tensor{1, 2} / 2, Tensor{1, 2}.mean()}) {
    EXPECT_EQ(t.dtype(), DType::BFloat16);
  }
  EXPECT_EQ((Tensor{1.f, 2.f} * 1.5).dtype(), DType::Float32);
  set_default_float(before);
  EXPECT_EQ(Tensor::zeros({2}).dtype(), DType::Float32);
}

}  // namespace
}  // namespace tg
