// How many lanes elementwise kernels get: as many as a register has of the widest value, where all
// elements lie where ranges say; of words at the least, where something is counted.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "support/kernel_values.h"

namespace tg {
namespace {

constexpr Dim kSide = 256;
const UOp kI = range(kSide, 0), kJ = range(kSide, 1);

UOp stored_square(const UOp& value) {
  const std::vector<UOp> at = {kI, kJ};
  const UOp root = end(store_at(param(0, {kSide, kSide}, value.dtype()), at, value), at);
  return sink(std::span(&root, 1));
}
UOp read_square(DType t, const UOp& i = kI, const UOp& j = kJ) {
  return load(param(1, {kSide, kSide}, t), {{i, j}});
}
// By the options that are expected; the values are the kernel's.
void expect_options(const UOp& kernel, std::initializer_list<std::string_view> options,
                    const Target& target = test::processor()) {
  const KernelSchedule s = choose_schedule(kernel, target);
  for (const std::string_view o : options) EXPECT_TRUE(test::has_option(s, o)) << opts_text(s);
  test::expect_values(kernel, s, target);
}

TEST(Lanes, AreThoseOfTheWidestValue) {
  expect_options(stored_square(read_square(DType::UInt8) + 1), {"VECTOR(r1,64)"});
  expect_options(stored_square(read_square(DType::Int16) + 1), {"VECTOR(r1,32)"});
  expect_options(stored_square(read_square(DType::Float32) + 1), {"VECTOR(r1,16)"});
  expect_options(stored_square(cast(read_square(DType::UInt8), DType::Float32)), {"VECTOR(r1,16)"});
  expect_options(
      stored_square(cast(cast(read_square(DType::UInt8), DType::Int32) + 1, DType::UInt8)),
      {"VECTOR(r1,16)"});
}
TEST(Lanes, AreOfWordsWhereSomethingIsCounted) {
  const UOp below = lt(kJ, kI), byte = read_square(DType::UInt8);
  expect_options(stored_square(where(below, byte, const_like(byte, int64_t{0}))),
                 {"VECTOR(r1,16)"});
  expect_options(stored_square(read_square(DType::UInt8, kI, idiv(kJ, index_const(2)))),
                 {"VECTOR(r1,16)"});
}
TEST(Lanes, AreNoMoreThanTheLanguageHas) {
  Target narrow = test::processor();
  narrow.max_lanes = 16;
  expect_options(stored_square(read_square(DType::UInt8) + 1), {"VECTOR(r1,16)"}, narrow);
}
TEST(Lanes, OfASquareOfBytesAreThoseThatRegistersHold) {
  expect_options(stored_square(read_square(DType::UInt8, kJ, kI)),
                 {"UPCAST(r0,32)", "VECTOR(r1,32)"});
}

}  // namespace
}  // namespace tg
