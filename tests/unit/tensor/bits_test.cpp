// Bitcast as a view: what is assigned to it is in the storage that it shows.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

constexpr int64_t kTwo = 0x40000000, kFour = 0x40800000;

Tensor words(std::initializer_list<int64_t> values) {
  return Tensor(std::vector<int64_t>(values)).cast(DType::UInt32);
}
Tensor stored(std::initializer_list<float> values) { return Tensor(values).realize(); }

TEST(Bits, AssignedToABitcastAreInTheStorage) {
  const Tensor x = stored({1, 2, 3}), before = x + 1;
  x.bitcast(DType::UInt32).assign(words({kFour, kTwo, kFour}));
  expect_values(x, {3}, {4, 2, 4});
  expect_values(before, {3}, {2, 3, 4});
}
TEST(Bits, OfASliceStayInIt) {
  const Tensor x = stored({1, 2, 3, 5});
  x[{Slice(1, 3)}].bitcast(DType::UInt32).assign(words({kTwo, kFour}));
  expect_values(x, {4}, {1, 2, 4, 5});
  x.bitcast(DType::UInt32).reshape({2, 2})[{Ellipsis, 0}].assign(words({kFour, kTwo}));
  expect_values(x, {4}, {4, 2, 2, 5});
}
TEST(Bits, OfBitsGoToTheStorageToo) {
  const Tensor x = stored({1, 2});
  x.bitcast(DType::UInt32).bitcast(DType::Int32).assign(Tensor{0x40800000, 0x40000000}).realize();
  expect_values(x, {2}, {4, 2});
  const Tensor last = x.bitcast(DType::UInt32)[{Slice(1, 2)}].bitcast(DType::Int32);
  last.assign(Tensor{0x40800000});  // what stands between is gone
  expect_values(x, {2}, {4, 4});
}
TEST(Bits, ShowWhatWasAssignedToThem) {
  const Tensor x = stored({1, 2}), bits = x.bitcast(DType::UInt32), first = bits[{Slice(0, 1)}];
  bits.assign(words({kFour, kTwo}));
  expect_values(bits, {2}, {kFour, kTwo});
  expect_values(first, {1}, {kFour});
  bits.set({1}, words({kFour}).squeeze(0));
  expect_values(x, {2}, {4, 4});
  expect_values(bits, {2}, {kFour, kFour});
}
TEST(Bits, OfAnotherSizeAreAssignedAsAWholeOrInParts) {
  const Tensor bytes = Tensor::zeros({8}, DType::UInt8).contiguous().realize();
  bytes.bitcast(DType::Int64).assign(Tensor(std::vector<int64_t>{0x0201}));
  expect_values(bytes, {8}, {1, 2, 0, 0, 0, 0, 0, 0});
  bytes.bitcast(DType::UInt16)[{Slice(2, 3)}].assign(Tensor{0x0403}.cast(DType::UInt16));
  expect_values(bytes, {8}, {1, 2, 0, 0, 3, 4, 0, 0});
  const Tensor x = stored({1, 2});
  x.bitcast(DType::UInt8)[{Slice(3, 4)}].assign(Tensor{0x40}.cast(DType::UInt8));
  expect_values(x, {2}, {4, 2});
}
TEST(Bits, UnderTheSameDTypeAreAViewOfTheStorage) {
  const Tensor x = stored({1, 2});
  x.bitcast(DType::Float32).assign(Tensor{3.f, 4.f});
  expect_values(x, {2}, {3, 4});
}
TEST(Bits, OfStorageThatNobodyNamesAreTheirOwn) {
  const Tensor bits = stored({1, 2}).bitcast(DType::UInt32);
  bits.assign(words({kFour, kTwo}));
  expect_values(bits, {2}, {kFour, kTwo});
}
TEST(Bits, OfAnExpressionAreTheirOwn) {
  const Tensor x = stored({1, 2}), sum = x + 1, bits = sum.bitcast(DType::UInt32);
  bits.assign(words({kFour, kTwo}));
  expect_values(sum, {2}, {2, 3});
  expect_values(bits, {2}, {kFour, kTwo});
}

}  // namespace
}  // namespace tg
