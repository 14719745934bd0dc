// Types of nodes: what follows from the sources, and the exact words in which a mistake is refused.
#include <gtest/gtest.h>

#include <functional>

#include "support/symbol.h"
#include "tg/error.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

UOp ones(const Shape& s, DType t = DType::Float32) { return full(s, Scalar::of_int(1, t)); }
DeviceId device(const char* name) { return static_cast<DeviceId>(intern_symbol(name)); }
UOp on(const char* name, const Shape& s = {2}) {
  return buffer(s, DType::Float32, device(name), nullptr);
}

struct Typed {
  const char* name;
  UOp u;
  const char* type;
};

class TypeOf : public testing::TestWithParam<Typed> {};
TEST_P(TypeOf, FollowsFromTheSources) {
  EXPECT_EQ(print_type(GetParam().u.node()), GetParam().type);
}

std::vector<Typed> typed() {
  const UOp x = ones({2, 3}), i = ones({2, 3}, DType::Int32), b = ones({2, 3}, DType::Bool);
  const UOp r = range(5, 0), p = param(0, {4, 5}, DType::Float16);
  return {
      {"Add", x + x, "float32[2,3]"},
      {"CompareGivesBool", lt(x, x), "bool[2,3]"},
      {"WhereTakesTheArmsType", where(b, i, i), "int32[2,3]"},
      {"CastKeepsTheShape", cast(x, DType::Int8), "int8[2,3]"},
      {"BitcastKeepsTheShape", bitcast(x, DType::UInt32), "uint32[2,3]"},
      {"ScalarConstant", constant(1, DType::Bool), "bool"},
      {"Iota", iota({4, 2}, 0, DType::Int16), "int16[4,2]"},
      {"RangeCountsItsExtentsType", r, "index"},
      {"ParamIsAPointer", p, "float16[4,5] global"},
      {"Reshape", reshape(x, {6}), "float32[6]"},
      {"ReshapeOfStorageIsAView", reshape(on("CPU"), {2, 1}), "float32[2,1] global @CPU"},
      {"Permute", permute(ones({2, 3, 4}), {{2, 0, 1}}), "float32[4,2,3]"},
      {"Expand", expand(reshape(x, {2, 1, 3}), {2, 7, 3}), "float32[2,7,3]"},
      {"Pad", pad(x, {{1, 1, 0, 2}}), "float32[4,5]"},
      {"PadOfStorageIsAValue", pad(on("CPU"), {{1, 0}}), "float32[3] @CPU"},
      {"Shrink", shrink(x, {{0, 1, 1, 2}}), "float32[1,2]"},
      {"Flip", flip(x, {{0, 1}}), "float32[2,3]"},
      {"Shear", shear(x, 0, 1, 1, 0, 9, Scalar::of_int(0, DType::Float32)), "float32[9,3]"},
      {"GatherTakesTheIndexShape", gather(x, ones({2, 7}, DType::Int64), 1), "float32[2,7]"},
      {"ScatterTakesTheBaseShape",
       scatter(x, ones({2, 1}, DType::Int64), ones({2, 1}), 1, Combine::Set), "float32[2,3]"},
      {"ReduceKeepsAxes", reduce(x, ReduceOp::Add, {{1}}), "float32[2,1]"},
      {"RangedReduceIsAScalar", reduce_ranges(cast(r, DType::Float32), ReduceOp::Add, {{r}}),
       "float32"},
      {"StageIsAnArray", stage(constant(1.0, DType::Float32), {{r}}, 0, Space::Scratch),
       "float32[5] scratch"},
      {"LoadIsAScalar", load(p, {{r, r}}), "float16"},
      {"StoreIsAnEffect", store(on("CPU"), ones({2})), "void @CPU"},
      {"AfterIsItsFirstSource", after(on("CPU"), {{store(on("CPU"), ones({2}))}}),
       "float32[2] global @CPU"},
      {"CopyChangesTheDevice", copy_to(on("CPU"), device("GPU")), "float32[2] @GPU"},
      {"ContiguousIsAValue", contiguous(reshape(on("CPU"), {1, 2})), "float32[1,2] @CPU"},
      {"DevicesAreInherited", on("CPU") + ones({2}), "float32[2] @CPU"},
      {"Splat", make(Op::Splat, {constant(1, DType::Int8)}, {{16}}), "int8<16>"},
      {"Ramp", make(Op::Ramp, {r}, {{4, 1}}), "index<4>"},
      {"VectorLoad", make(Op::Load, {p, r}, {{8, 16}}), "float16<8>"},
      {"Extract", make(Op::Extract, {make(Op::Splat, {r}, {{4}})}, {{1}}), "index"},
      {"VReduce", make(Op::VReduce, {make(Op::Splat, {r}, {{4}})}, {{0}}), "index"},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, TypeOf, testing::ValuesIn(typed()),
                         [](const auto& i) { return std::string(i.param.name); });

struct Mistake {
  const char* name;
  std::function<UOp()> make;
  const char* message;
};

class Refused : public testing::TestWithParam<Mistake> {};
TEST_P(Refused, WithTheValuesInTheMessage) {
  try {
    GetParam().make();
    FAIL() << "accepted";
  } catch (const InternalError& e) {
    FAIL() << "an internal error: " << e.what();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), GetParam().message);
  }
}

std::vector<Mistake> mistakes() {
  const UOp x = ones({2, 3}), y = ones({3, 2}), i = ones({2, 3}, DType::Int32);
  return {
      {"ShapesDiffer", [=] { return x + y; },
       "add: shapes differ: [2,3] and [3,2]. Hint: reshape or expand one of them."},
      {"DTypesDiffer", [=] { return x * i; },
       "mul: dtypes differ: float32 and int32. Hint: cast one of them."},
      {"SqrtOfIntegers", [=] { return sqrt(i); },
       "sqrt: needs a float dtype, got int32. Hint: cast to float32 first."},
      {"DivisionOfIntegers", [=] { return i / i; },
       "fdiv: needs a float dtype, got int32. Hint: cast to float32 first."},
      {"XorOfFloats", [=] { return x ^ x; },
       "xor: needs an integer or bool dtype, got float32. Hint: cast to an integer first."},
      {"ConditionIsNoBool", [=] { return where(i, x, x); },
       "where: the condition must be bool, got int32. Hint: compare it with something."},
      {"ArmsDiffer", [=] { return where(lt(x, x), x, i); },
       "where: dtypes differ: float32 and int32. Hint: cast one of them."},
      {"BitcastOfAnotherSize", [=] { return bitcast(x, DType::Int64); },
       "bitcast: sizes differ: float32 has 4 bytes, int64 has 8. Hint: use cast to convert "
       "values."},
      {"ReshapeChangesTheCount", [=] { return reshape(x, {4}); },
       "reshape: the number of elements must stay the same: [2,3] has 6, [4] has 4."},
      {"NegativeSize", [=] { return reshape(x, {-6}); },
       "shape: sizes must not be negative: [-6]."},
      {"TooManyElements",
       [=] {
         return expand(ones({1, 1}), {int64_t{1} << 40, int64_t{1} << 40});
       },
       "shape: too many elements: [1099511627776,1099511627776]. Hint: at most 2^62 elements can "
       "be addressed."},
      {"PermuteTwice",
       [=] {
         return permute(x, {{0, 0}});
       },
       "permute: order must name each axis once: [0,0] for shape [2,3]."},
      {"ExpandALongAxis",
       [=] {
         return expand(x, {2, 6});
       },
       "expand: only axes of size 1 can be stretched: [2,3] to [2,6]. Hint: reshape to add axes of "
       "size 1 first."},
      {"NegativePadding",
       [=] {
         return pad(x, {{0, 0, -1, 0}});
       },
       "pad: padding must not be negative: (-1, 0) on axis 1. Hint: use shrink to crop."},
      {"ShrinkOutside",
       [=] {
         return shrink(x, {{0, 2, 2, 2}});
       },
       "shrink: [2, 4) is outside axis 1 of [2,3]."},
      {"FlipOutside", [=] { return flip(x, {{2}}); }, "flip: axis 2 is outside shape [2,3]."},
      {"ReduceOutside", [=] { return reduce(x, ReduceOp::Add, {{5}}); },
       "reduce: axis 5 is outside shape [2,3]."},
      {"GatherByFloats", [=] { return gather(x, x, 0); },
       "gather: the index must have an integer dtype, got float32."},
      {"GatherShapes",
       [=] {
         return gather(x, ones({3, 3}, DType::Int32), 1);
       },
       "gather: shapes must agree except on axis 1: [2,3] and index [3,3]."},
      {"ScatterValueShape", [=] { return scatter(x, i, y, 0, Combine::Set); },
       "scatter: index and values differ in shape: [2,3] and [3,2]."},
      {"ScatterValueDType", [=] { return scatter(x, i, i, 0, Combine::Set); },
       "scatter: base and values differ in dtype: float32 and int32."},
      {"StoreShape", [] { return store(on("CPU"), ones({3})); },
       "store: shapes differ: target [2], value [3]."},
      {"StoreDType", [] { return store(on("CPU"), ones({2}, DType::Int32)); },
       "store: dtypes differ: target float32, value int32. Hint: cast the value."},
      {"TwoDevices", [] { return on("CPU") + on("GPU"); },
       "add: operands live on different devices: CPU and GPU. Hint: move one of them with to()."},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, Refused, testing::ValuesIn(mistakes()),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(Refused, WrongNumberOfSourcesIsAnInternalError) {
  EXPECT_THROW(make(Op::Add, {ones({1})}), InternalError);
}
TEST(Refused, EmptySourcesAreAnInternalError) {
  EXPECT_THROW(make(Op::Sqrt, {UOp{}}), InternalError);
}

}  // namespace
}  // namespace tg
