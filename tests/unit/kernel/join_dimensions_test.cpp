// Arrays whose dimensions are walked as one keep their values and lose their divisions.
#include "kernel/join_dimensions.h"

#include <gtest/gtest.h>

#include "support/kernel_names.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

using test::over;
using test::rest;

UOp read_joined(int slot, const Shape& shape, const std::vector<UOp>& idx, const UOp& gate = {}) {
  return load(param(slot, shape, DType::Float32), idx, gate);
}
// Stores `v`, which may read array 1 and array 2, along r.
UOp stored_along(const UOp& r, const UOp& v) {
  const UOp to = param(0, {r.src(0).arg(0)}, DType::Float32);
  const std::vector<UOp> loops = {r}, roots = {end(store_at(to, loops, v), loops)};
  return sink(roots);
}

int64_t divisions_in(const UOp& k) { return count_nodes(k, Op::IDiv) + count_nodes(k, Op::Mod); }

Shape shape_of_array(const UOp& k, int slot) {
  for (const Node* n : toposort(k)) {
    if (n->op == Op::Param && n->arg()[0] == slot) return {n->shape().begin(), n->shape().end()};
  }
  return {};
}

void expect_same_results(const UOp& a, const UOp& b, std::vector<TensorValue> arrays) {
  std::vector<TensorValue> got = arrays;
  evaluate_ranged(a, arrays);
  evaluate_ranged(b, got);
  EXPECT_TRUE(test::same_numbers(got[0], arrays[0]));
}
void expect_same_results(const UOp& a, const UOp& b, const Shape& read) {
  std::mt19937_64 rng(1);
  expect_same_results(a, b,
                      {TensorValue::zeros(shape_of_array(a, 0), DType::Float32),
                       test::random_tensor(rng, read, DType::Float32)});
}

TEST(JoinDimensions, WhatIsFlattenedAndCutIsReadInARow) {
  const UOp r = range(30, 0), at = r + 3;
  const UOp plain = stored_along(r, read_joined(1, {5, 7}, {over(at, 7), rest(at, 7)}));
  const UOp joined = join_dimensions(plain);
  EXPECT_EQ(divisions_in(joined), 0);
  EXPECT_EQ(shape_of_array(joined, 1), (Shape{35}));
  expect_same_results(plain, joined, {5, 7});
}

TEST(JoinDimensions, ThreeDimensionsAreOne) {
  const UOp r = range(20, 0), at = r + 3;
  const UOp plain =
      stored_along(r, read_joined(1, {2, 3, 4}, {over(at, 12), rest(over(at, 4), 3), rest(at, 4)}));
  const UOp joined = join_dimensions(plain);
  EXPECT_EQ(divisions_in(joined), 0);
  EXPECT_EQ(shape_of_array(joined, 1), (Shape{24}));
  expect_same_results(plain, joined, {2, 3, 4});
}

TEST(JoinDimensions, AGateStays) {
  const UOp r = range(30, 0), at = r + 3, gate = lt(r, index_const(20));
  const UOp plain = stored_along(r, read_joined(1, {5, 7}, {over(at, 7), rest(at, 7)}, gate));
  const UOp joined = join_dimensions(plain);
  EXPECT_EQ(divisions_in(joined), 0);
  expect_same_results(plain, joined, {5, 7});
}

// A place that is read is rebuilt with the array that it is read from.
TEST(JoinDimensions, PlacesThatAreReadAreJoined) {
  const UOp r = range(6, 0), at = r + 1;
  const std::vector<UOp> of_place = {over(at, 4), rest(at, 4)};
  const UOp place = cast(load(param(2, {2, 4}, DType::Int32), of_place), DType::Index);
  const UOp inside = lt(index_const(-1), place) & lt(place, index_const(35));
  const UOp plain =
      stored_along(r, read_joined(1, {5, 7}, {over(place, 7), rest(place, 7)}, inside));
  const UOp joined = join_dimensions(plain);
  EXPECT_EQ(divisions_in(joined), 0);
  std::vector<TensorValue> want = {TensorValue::zeros({6}, DType::Float32),
                                   TensorValue::zeros({5, 7}, DType::Float32),
                                   TensorValue::zeros({2, 4}, DType::Int32)};
  for (int64_t i = 0; i < 35; ++i) want[1].set(i, Scalar::of_int(i * i, DType::Float32));
  for (int64_t i = 0; i < 8; ++i) want[2].set(i, Scalar::of_int(5 * i - 3, DType::Int32));
  expect_same_results(plain, joined, std::move(want));
}

// The place is read from the array itself, at an index that is not simplified yet.
TEST(JoinDimensions, PlacesAreReadFromTheSameArray) {
  const UOp r = range(6, 0), at = (r + 2) - 1;
  const auto both = [](const UOp& i) { return std::vector<UOp>{over(i, 4), rest(i, 4)}; };
  const UOp table = param(1, {2, 4}, DType::Int32);
  const UOp place = cast(load(table, both(at)), DType::Index);
  const UOp inside = lt(index_const(-1), place) & lt(place, index_const(8));
  const UOp to = param(0, {6}, DType::Int32), v = load(table, both(place), inside);
  const std::vector<UOp> loops = {r}, roots = {end(store_at(to, loops, v), loops)};
  const UOp plain = sink(roots), joined = join_dimensions(plain);
  EXPECT_EQ(divisions_in(joined), 0);
  std::vector<TensorValue> want = {TensorValue::zeros({6}, DType::Int32),
                                   TensorValue::zeros({2, 4}, DType::Int32)};
  for (int64_t i = 0; i < 8; ++i) want[1].set(i, Scalar::of_int((3 * i) % 10, DType::Int32));
  expect_same_results(plain, joined, std::move(want));
}

// A gate that is never true reads nothing, but the kernel is launched with that array, too.
TEST(JoinDimensions, NoArrayIsLost) {
  const UOp r = range(30, 0), at = r + 3;
  const UOp nothing = read_joined(2, {5}, {r}, lt(r, index_const(0)));
  const UOp plain = stored_along(r, read_joined(1, {5, 7}, {over(at, 7), rest(at, 7)}) + nothing);
  EXPECT_EQ(count_nodes(join_dimensions(plain), Op::Param), 3);
}

// Each access counts: one that walks the dimensions by loops of their own keeps them.
TEST(JoinDimensions, WhatGainsNothingStays) {
  const UOp r = range(30, 0), at = r + 3;
  const UOp as_one = read_joined(1, {5, 7}, {over(at, 7), rest(at, 7)}),
            column = read_joined(1, {5, 7}, {over(at, 7), index_const(2)}),
            turned = read_joined(1, {5, 7}, {rest(at, 5), over(at, 7)});
  for (const UOp& v : {as_one + column, turned}) {
    const UOp plain = stored_along(r, v);
    EXPECT_EQ(join_dimensions(plain), plain);
  }
}

}  // namespace
}  // namespace tg
