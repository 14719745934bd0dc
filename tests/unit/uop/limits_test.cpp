// Sizes that are expressions: what ops make of the limits of their sources, what is filled before
// elements meet, and the meaning of LIMIT and OFFSET to the evaluator.
#include "uop/limits.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/symbol.h"
#include "tg/error.h"
#include "tg/ir/text.h"
#include "uop/evaluate_tensor.h"

namespace tg {
namespace {

const int64_t kMost = 5;
UOp var_n() { return variable("n", 0, kMost); }
UOp n_is(int64_t v) { return bind(var_n(), v); }

UOp data(const Shape& s) { return buffer(s, DType::Float32, 0, nullptr); }
UOp rows(int64_t n) { return limited(data({kMost, 2}), 0, n_is(n)); }

TensorValue counted(const Shape& shape) {
  TensorValue v = TensorValue::zeros(shape, DType::Float32);
  for (int64_t i = 0; i < v.numel(); ++i) {
    v.set(i, Scalar::of_double(static_cast<double>(i), DType::Float32));
  }
  return v;
}
std::vector<double> values_of(const UOp& u, const UOp& storage) {
  const TensorValue v = evaluate(u, {{storage.node(), counted(storage.shape_vec())}});
  std::vector<double> out;
  for (int64_t i = 0; i < v.numel(); ++i) out.push_back(v.at(i).as_double());
  return out;
}
UOp storage_of(UOp u) {
  while (!u.is(Op::Buffer)) u = u.src(0);
  return u;
}

template <typename E>
std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "no error";
}

TEST(Limits, LimitSetsTheSizeOfOneAxis) {
  const UOp x = rows(3);
  EXPECT_EQ(format_sizes(x.node()), "[n,2]");
  EXPECT_EQ(x.shape_vec(), (Shape{5, 2}));
  EXPECT_EQ(bound_shape(x.node()), (Shape{3, 2}));
  EXPECT_EQ(size_of(x, 0), n_is(3));
  EXPECT_EQ(size_of(x, 1), index_const(2));
}
TEST(Limits, TheWholeExtentIsNoLimit) {
  const UOp x = data({5});
  EXPECT_EQ(limited(x, 0, index_const(5)), x);
  EXPECT_EQ(limited(limited(x, 0, n_is(3)), 0, index_const(5)), x);
}
TEST(Limits, NodesDifferByTheirLimits) { EXPECT_NE(rows(3), rows(2)); }
TEST(Limits, AreFreedWithTheirNodes) {
  const int64_t before = interner_stats().live_nodes;
  {
    const UOp y = exp2(rows(3));
    EXPECT_GT(interner_stats().live_nodes, before);
  }
  EXPECT_EQ(interner_stats().live_nodes, before);
}
TEST(Limits, ElementwiseOpsJoinThem) {
  const UOp x = rows(3), plain = data({5, 2});
  EXPECT_EQ(format_sizes((x + x).node()), "[n,2]");
  EXPECT_EQ(format_sizes((plain * x).node()), "[n,2]");
  EXPECT_EQ(format_sizes(where(lt(plain, x), plain, x).node()), "[n,2]");
  EXPECT_EQ(error_of<ShapeError>([&] { x + limited(plain, 0, bind(variable("m", 0, 5), 3)); }),
            "add: axis 0 has the sizes n and m. Hint: sizes that are variables must be the same "
            "expression.");
}
TEST(Limits, MovementKeepsTheAxis) {
  const UOp x = rows(3);
  EXPECT_EQ(format_sizes(permute(x, {{1, 0}}).node()), "[2,n]");
  EXPECT_EQ(format_sizes(reshape(x, {1, 5, 2, 1}).node()), "[1,n,2,1]");
  EXPECT_EQ(format_sizes(expand(reshape(x, {5, 2, 1}), {5, 2, 7}).node()), "[n,2,7]");
  EXPECT_EQ(format_sizes(shrink(x, {{0, 5, 1, 1}}).node()), "[n,1]");
  EXPECT_EQ(format_sizes(pad(x, {{1, 1, 0, 3}}).node()), "[n + 2,5]");
  EXPECT_EQ(format_sizes(flip(x, {{1}}).node()), "[n,2]");
}
TEST(Limits, MovementThatNeedsNumbersIsRefused) {
  const UOp x = rows(3);
  EXPECT_EQ(error_of<ShapeError>([&] { reshape(x, {10}); }),
            "reshape: axis 0 has the variable size n and cannot be split or merged. Hint: keep it "
            "as an axis of its own.");
  EXPECT_THROW(flip(x, {{0}}), ShapeError);
  EXPECT_THROW(shrink(x, {{0, 4, 0, 2}}), ShapeError);
  EXPECT_THROW(shear(x, 0, 1, 1, 0, 4, Scalar::of_int(0, DType::Float32)), ShapeError);
}
TEST(Limits, ReductionsSkipWhatDoesNotExist) {
  for (int64_t n = 0; n <= kMost; ++n) {
    const UOp x = rows(n);
    const auto sums = values_of(reduce(x, ReduceOp::Add, {{0}}), storage_of(x));
    EXPECT_EQ(sums, (std::vector<double>{double(n * (n - 1)), double(n * n)})) << n;
  }
}
TEST(Limits, BordersStandWhereElementsEnd) {
  const UOp x = limited(data({5}), 0, n_is(2));
  const UOp y = pad(x, {{1, 2}}, Scalar::of_double(9, DType::Float32));
  auto v = values_of(y, storage_of(x));
  EXPECT_EQ((std::vector<double>(v.begin(), v.begin() + 5)), (std::vector<double>{9, 0, 1, 9, 9}));
}
TEST(Limits, DelimitedFillsTheRest) {
  const UOp x = limited(data({5}), 0, n_is(2));
  const UOp y = delimited(x, 7.0);
  EXPECT_EQ(y.node()->n_limit, 0u);
  EXPECT_EQ(values_of(y, storage_of(x)), (std::vector<double>{0, 1, 7, 7, 7}));
}
TEST(Limits, GathersReadZeroOutside) {
  const UOp x = limited(data({5}), 0, n_is(2));
  const UOp y = gather(x, iota({5}, 0, DType::Int32), 0);
  EXPECT_EQ(values_of(y, storage_of(x)), (std::vector<double>{0, 1, 0, 0, 0}));
}
TEST(Limits, ScatterPutsOnlyWhatExists) {
  const UOp x = limited(data({5}), 0, n_is(2));
  const UOp base = full({5}, Scalar::of_double(-1, DType::Float32));
  const UOp y = scatter(base, iota({5}, 0, DType::Int32), x, 0, Combine::Set);
  EXPECT_EQ(values_of(y, storage_of(x)), (std::vector<double>{0, 1, -1, -1, -1}));
}
TEST(Limits, OffsetReadsFromItsPlaceAndZeroOutside) {
  const UOp x = data({5});
  const UOp y = offset(x, 0, n_is(3), 4);
  EXPECT_EQ(values_of(y, x), (std::vector<double>{3, 4, 0, 0}));
  EXPECT_EQ(values_of(offset(x, 0, -n_is(2), 4), x), (std::vector<double>{0, 0, 0, 1}));
}
TEST(Limits, StoresWriteOnlyWhatExistsAndIsInside) {
  const UOp x = data({5}), nine = full({4}, Scalar::of_double(9, DType::Float32));
  const UOp cut =
      after(x, {{store(limited(x, 0, n_is(2)), full({5}, Scalar::of_double(9, DType::Float32)))}});
  EXPECT_EQ(values_of(cut, x), (std::vector<double>{9, 9, 2, 3, 4}));
  const UOp moved = after(x, {{store(offset(x, 0, n_is(3), 4), nine)}});
  EXPECT_EQ(values_of(moved, x), (std::vector<double>{0, 1, 2, 9, 9}));
}
TEST(Limits, PrintAndParseGiveTheSameNode) {
  const UOp y = reduce(offset(rows(3) + rows(3), 1, n_is(3), 2), ReduceOp::Max, {{0}});
  EXPECT_EQ(parse(print(y)), y);
}
TEST(Limits, ValuesNeedBindings) {
  EXPECT_EQ(bound_value((n_is(3) * 2 + index_const(1)).node()), 7);
  EXPECT_EQ(error_of<ArgumentError>([] { bound_value((var_n() + index_const(1)).node()); }),
            "size: the variable n has no value. Hint: use what bind() returns.");
}
TEST(Limits, HostileTextIsRefused) {
  const auto text = [](const std::string& op, const std::string& type) {
    return "%0 = var{n, 1, 5} : index\n%1 = param{0, 4} : float32[4] global\n%2 = " + op + " : " +
           type + "\n";
  };
  EXPECT_NO_THROW(parse(text("limit{0} %1, %0", "float32[4] global")));
  EXPECT_THROW(parse(text("limit{1} %1, %0", "float32[4] global")), ArgumentError);
  EXPECT_THROW(parse(text("limit{0} %1, %1", "float32[4] global")), ArgumentError);
  EXPECT_THROW(parse(text("offset{0, -1} %1, %0", "float32[4] global")), ArgumentError);
  EXPECT_THROW(parse(text("bind{7} %0", "index")), ArgumentError);
  EXPECT_THROW(parse(text("bind{1} %1", "index")), ArgumentError);
}

}  // namespace
}  // namespace tg
