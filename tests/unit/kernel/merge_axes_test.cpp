// Axes are joined where every access walks them as one, and with them the dimensions of arrays that
// they go through, no others.
#include "kernel/merge_axes.h"

#include <gtest/gtest.h>

#include "codegen/scheduled_kernel.h"
#include "support/kernel_names.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

using test::kFloat;

const Node* find(const UOp& kernel, Op op, int64_t slot = -1) {
  for (const Node* n : toposort(kernel)) {
    if (n->op == op && (slot < 0 || n->arg()[0] == slot)) return n;
  }
  return nullptr;
}
Shape shape_of(const UOp& kernel, int64_t slot) {
  const Node* array = find(kernel, Op::Param, slot);
  return {array->shape().begin(), array->shape().end()};
}

void expect_same_merged(const UOp& kernel, const UOp& merged, const std::vector<Shape>& shapes) {
  std::mt19937_64 rng(1);
  std::vector<TensorValue> want;
  for (const Shape& s : shapes) want.push_back(test::random_tensor(rng, s, kFloat));
  std::vector<TensorValue> got = want;
  for (size_t i = 0; i < got.size(); ++i)
    got[i] = TensorValue::from_bytes(shape_of(merged, static_cast<int64_t>(i)), kFloat,
                                     want[i].to_bytes());
  evaluate_ranged(kernel, want);
  evaluate_ranged(merged, got);
  EXPECT_EQ(got[0].to_bytes(), want[0].to_bytes());
}

TEST(MergeAxes, OfAnArrayInOrderAreOne) {
  const std::vector<UOp> at = {range(3, 0), range(4, 1), range(5, 2)};
  const UOp x = load(param(1, {3, 4, 5}, kFloat), at);
  const UOp root = end(store_at(param(0, {3, 4, 5}, kFloat), at, x), at);
  const UOp kernel = sink(std::span(&root, 1)), merged = merge_axes(kernel);
  EXPECT_EQ(shape_of(merged, 1), Shape{60});
  EXPECT_EQ(find(merged, Op::End)->n_src, 2);
  expect_same_merged(kernel, merged, {{3, 4, 5}, {3, 4, 5}});
}

TEST(MergeAxes, KeepDimensionsWhoseBoundsAGateStates) {
  const UOp n = range(3, 0), c = range(4, 1), h = range(5, 2), w = range(6, 3);
  const UOp row = h - 1;
  const UOp gate = lt(row, index_const(0)) ^ constant(1, DType::Bool);
  const UOp x = load(param(1, {3, 4, 4, 6}, kFloat), {{n, c, row, w}}, gate);
  const std::vector<UOp> at = {n, c, h, w};
  const UOp root = end(store_at(param(0, {3, 4, 5, 6}, kFloat), at, x), at);
  const UOp kernel = sink(std::span(&root, 1)), merged = merge_axes(kernel);
  EXPECT_EQ(shape_of(merged, 1), (Shape{12, 4, 6}));
  EXPECT_TRUE(gate_is_bounds(UOp::share(find(merged, Op::Load)))) << "so that it may be staged";
  EXPECT_EQ(shape_of(merged, 0), (Shape{12, 5, 6}));
  expect_same_merged(kernel, merged, {{3, 4, 5, 6}, {3, 4, 4, 6}});
}

// Copies of an operand are boxes of its dimensions.
TEST(MergeAxes, OfAContractionLeaveItsOperandsTheirOtherDimensions) {
  const UOp n = range(2, 0), out = range(3, 1), y = range(4, 2), x = range(5, 3), c = range(6, 4);
  const UOp pixel = load(param(1, {2, 6, 4, 5}, kFloat), {{n, c, y, x}});
  const UOp weight =
      load(param(2, {3, 6, 1, 1}, kFloat), {{out, c, index_const(0), index_const(0)}});
  const UOp sum = reduce_ranges(pixel * weight, ReduceOp::Add, {{c}});
  const std::vector<UOp> at = {n, out, y, x};
  const UOp root = end(store_at(param(0, {2, 3, 4, 5}, kFloat), at, sum), at);
  const UOp kernel = sink(std::span(&root, 1)), merged = merge_axes(kernel);
  EXPECT_EQ(shape_of(merged, 1), (Shape{2, 6, 20}));
  EXPECT_EQ(shape_of(merged, 0), (Shape{2, 3, 20}));
  expect_same_merged(kernel, merged, {{2, 3, 4, 5}, {2, 6, 4, 5}, {3, 6, 1, 1}});
}

TEST(MergeAxes, JoinSeveralSumsOfAContraction) {
  const UOp m = range(3, 0), n = range(4, 1), j = range(5, 2), k = range(6, 3);
  const UOp a = load(param(1, {3, 5, 6}, kFloat), {{m, j, k}});
  const UOp b = load(param(2, {5, 6, 4}, kFloat), {{j, k, n}});
  const UOp sum = reduce_ranges(a * b, ReduceOp::Add, {{j, k}});
  const std::vector<UOp> at = {m, n};
  const UOp root = end(store_at(param(0, {3, 4}, kFloat), at, sum), at);
  const UOp kernel = sink(std::span(&root, 1)), merged = merge_axes(kernel);
  EXPECT_EQ(shape_of(merged, 1), (Shape{3, 30}));
  EXPECT_EQ(shape_of(merged, 2), (Shape{30, 4}));
  expect_same_merged(kernel, merged, {{3, 4}, {3, 5, 6}, {5, 6, 4}});
}

}  // namespace
}  // namespace tg
