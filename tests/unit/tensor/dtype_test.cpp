// Every function family on every dtype it takes: the small floats are computed in float32 and
// rounded once, integers exactly.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

constexpr DType kAllDTypes[] = {
    DType::Bool,    DType::Int8,        DType::UInt8,       DType::Int16,   DType::UInt16,
    DType::Int32,   DType::UInt32,      DType::Int64,       DType::UInt64,  DType::Fp8E4M3,
    DType::Fp8E5M2, DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz, DType::Float16, DType::BFloat16,
    DType::Float32, DType::Float64};

class EveryDType : public ::testing::TestWithParam<DType> {
 protected:
  DType t() const { return GetParam(); }
  // Values that every dtype but bool holds exactly.
  Tensor small() const { return Tensor({{1, 2, 0}, {3, 1, 2}}).cast(t()); }
  bool number() const { return t() != DType::Bool; }
};

TEST_P(EveryDType, KeepsItsValuesThroughBytes) {
  const Tensor x = small();
  const auto bytes = x.to_bytes();
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), x.nbytes());
  expect_values(Tensor::from_bytes(bytes, {2, 3}, t()), {2, 3}, x.to_vector<double>());
}
TEST_P(EveryDType, AddsAndMultiplies) {
  const Tensor x = small();
  EXPECT_EQ((x + x).dtype(), t());
  if (number()) expect_values(x + x * x, {2, 3}, {2, 6, 0, 12, 2, 6});
}
TEST_P(EveryDType, ComparesAndSelects) {
  if (!number()) return;
  const Tensor x = small();
  expect_values((x > 1).where(x, 0), {2, 3}, {0, 2, 0, 3, 0, 2});
  EXPECT_EQ((x > 1).where(x, 0).dtype(), t());
}
TEST_P(EveryDType, FindsExtremesAndPlaces) {
  const Tensor x = small();
  expect_values(x.max({.axis = 1}), {2}, number() ? Doubles{2, 3} : Doubles{1, 1});
  expect_values(x.min({.axis = 1}), {2}, number() ? Doubles{0, 1} : Doubles{0, 1});
  expect_values(x.argmax({.axis = 1}), {2}, number() ? Doubles{1, 0} : Doubles{0, 0});
  EXPECT_EQ(x.max().dtype(), t());
}
TEST_P(EveryDType, SumsInItsAccumulationDtype) {
  EXPECT_EQ(small().sum().dtype(), sum_dtype(t()));
  expect_values(small().sum({.axis = 1}), {2}, number() ? Doubles{3, 6} : Doubles{2, 3});
}
TEST_P(EveryDType, MultipliesMatrices) {
  if (!number()) return;
  const Tensor x = small();
  expect_values(x.matmul(x.T()), {2, 2}, {5, 5, 5, 14});
  EXPECT_EQ(x.matmul(x.T()).dtype(), t());
}
TEST_P(EveryDType, MovesJoinsAndIndexes) {
  const Tensor x = small();
  const auto v = x.to_vector<double>();
  expect_values(Tensor::cat({x, x.flip({1})}, 1)[{0, Slice(2, 5)}], {3}, {v[2], v[2], v[1]});
  expect_values(x[Tensor{1, 1}], {2, 3}, {v[3], v[4], v[5], v[3], v[4], v[5]});
  EXPECT_EQ(x[Tensor{1}].dtype(), t());
}
TEST_P(EveryDType, AssignsInPlace) {
  const Tensor x = Tensor::zeros({2, 3}, t());
  x[0].assign(small()[1]);
  const auto v = small().to_vector<double>();
  expect_values(x, {2, 3}, {v[3], v[4], v[5], 0, 0, 0});
}
TEST_P(EveryDType, PoolsAndConvolves) {
  if (!number()) return;
  const Tensor x = small().reshape({1, 1, 2, 3});
  expect_values(x.max_pool2d({.kernel_size = {2, 2}, .stride = {1}}), {1, 1, 1, 2}, {3, 2});
  expect_values(x.conv2d(Tensor::ones({1, 1, 2, 2}, t())), {1, 1, 1, 2}, {7, 5});
}
TEST_P(EveryDType, PrintsItsName) {
  EXPECT_NE(small().str().find(std::string(dtype_name(t())) + "[2,3]"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(DTypes, EveryDType, ::testing::ValuesIn(kAllDTypes),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tg
