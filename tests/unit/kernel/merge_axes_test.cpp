// Axes are joined where every access walks them as one; arrays become flat, except for the
// dimensions of which a gate speaks.
#include "kernel/merge_axes.h"

#include <gtest/gtest.h>

#include "codegen/scheduled_kernel.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

constexpr DType kFloat = DType::Float32;

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

void expect_same(const UOp& kernel, const UOp& merged, const std::vector<Shape>& shapes) {
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
  expect_same(kernel, merged, {{3, 4, 5}, {3, 4, 5}});
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
  EXPECT_EQ(shape_of(merged, 0), Shape{360}) << "no gate speaks of what is stored";
  expect_same(kernel, merged, {{3, 4, 5, 6}, {3, 4, 4, 6}});
}

}  // namespace
}  // namespace tg
