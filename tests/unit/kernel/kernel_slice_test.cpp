// All slices together store what the kernel stores, with arrays of their own that hold a part.
#include "kernel/kernel_slice.h"

#include <gtest/gtest.h>

#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

using LoopList = std::vector<const Node*>;

UOp read_whole(int slot, const Shape& shape, const std::vector<UOp>& idx) {
  return load(param(slot, shape, DType::Float32), idx);
}
UOp loop_storing(int slot, const Shape& shape, const std::vector<UOp>& at, const UOp& v,
                 const std::vector<UOp>& loops) {
  return end(store_at(param(slot, shape, DType::Float32), at, v), loops);
}
UOp kernel_storing(const Shape& shape, const std::vector<UOp>& at, const UOp& v,
                   const std::vector<UOp>& loops) {
  return sink(std::vector<UOp>{loop_storing(0, shape, at, v, loops)});
}

TEST(LeadingLoops, WalkTheFirstDimensions) {
  const UOp b = range(3, 0), i = range(4, 1), k = range(5, 2);
  const UOp sum =
      reduce_ranges(read_whole(1, {3, 4, 5}, {b, i, k}), ReduceOp::Add, std::vector<UOp>{k});
  const UOp kernel = kernel_storing({3, 4}, {b, i}, sum, {b, i});
  EXPECT_EQ(leading_loops(kernel, 1, 2), (LoopList{b.node(), i.node()}));
  EXPECT_EQ(leading_loops(kernel, 0, 1), (LoopList{b.node()}));
  EXPECT_EQ(leading_loops(kernel, 1, 3), std::nullopt);  // k is summed over
  EXPECT_EQ(leading_loops(kernel, 0, 3), std::nullopt);  // there are two dimensions
}

TEST(LeadingLoops, ADimensionOfOneElementHasNone) {
  const UOp i = range(4, 1);
  const UOp kernel =
      kernel_storing({1, 4}, {index_const(0), i}, read_whole(1, {1, 4}, {index_const(0), i}), {i});
  EXPECT_EQ(leading_loops(kernel, 1, 2), (LoopList{nullptr, i.node()}));
}

TEST(LeadingLoops, AnIndexIsTheLoopOfAllAccesses) {
  const UOp i = range(4, 0), j = range(4, 1);
  const auto kernel = [&](const UOp& v) { return kernel_storing({4, 4}, {i, j}, v, {i, j}); };
  const UOp x = read_whole(1, {4, 4}, {i, j});
  EXPECT_EQ(leading_loops(kernel(x), 1, 1), (LoopList{i.node()}));
  EXPECT_EQ(leading_loops(kernel(x + read_whole(1, {4, 4}, {j, i})), 1, 1), std::nullopt);
  EXPECT_EQ(leading_loops(kernel(read_whole(1, {5, 4}, {i + 1, j})), 1, 1), std::nullopt);
  EXPECT_EQ(leading_loops(kernel(read_whole(1, {5, 4}, {i, j})), 1, 1), std::nullopt);
}

// A kernel of two stores, one of which knows nothing of the loop.
TEST(LeadingLoops, EncloseAllThatIsStored) {
  const UOp i = range(4, 0), j = range(4, 1);
  const UOp first = loop_storing(0, {4}, {i}, read_whole(1, {4}, {i}), {i}),
            second = loop_storing(2, {4}, {j}, read_whole(3, {4}, {j}), {j}),
            same = loop_storing(2, {4}, {i}, read_whole(3, {4}, {i}), {i});
  EXPECT_EQ(leading_loops(sink(std::vector<UOp>{first, second}), 1, 1), std::nullopt);
  EXPECT_EQ(leading_loops(sink(std::vector<UOp>{first, same}), 1, 1), (LoopList{i.node()}));
}

TEST(KernelSlice, KeepsArraysOfWhichItReadsNothing) {
  const UOp b = range(4, 0), i = range(8, 1);
  const UOp first = load(param(2, {8}, DType::Float32), std::vector<UOp>{i}, lt(b, index_const(2)));
  const UOp kernel = kernel_storing({4, 8}, {b, i}, read_whole(1, {4, 8}, {b, i}) + first, {b, i});
  for (const int64_t begin : {0, 2}) {
    const std::vector<LoopPart> parts = {{b.node(), begin, 2}};
    EXPECT_EQ(count_nodes(kernel_slice(kernel, parts, {}), Op::Param), 3) << begin;
  }
}

// [5, 3, 4] of sums over [5, 3, 4, 6], in slices of two of five and all of three.
TEST(KernelSlice, SlicesStoreWhatTheKernelStores) {
  const UOp b = range(5, 0), h = range(3, 1), i = range(4, 2), k = range(6, 3);
  const Shape whole = {5, 3, 4, 6};
  const UOp term = read_whole(1, whole, {b, h, i, k}) * read_whole(2, {5, 6}, {b, k});
  const UOp kernel = kernel_storing(
      {5, 3, 4}, {b, h, i}, reduce_ranges(term, ReduceOp::Add, std::vector<UOp>{k}), {b, h, i});
  std::mt19937_64 rng(1);
  std::vector<TensorValue> want = {TensorValue::zeros({5, 3, 4}, DType::Float32),
                                   test::random_tensor(rng, whole, DType::Float32),
                                   test::random_tensor(rng, {5, 6}, DType::Float32)};
  std::vector<TensorValue> got = want;
  evaluate_ranged(kernel, want);
  for (int64_t begin = 0; begin < 5; begin += 2) {
    const int64_t length = std::min<int64_t>(2, 5 - begin);
    TensorValue part = TensorValue::zeros({length, 3, 4, 6}, DType::Float32);
    for (int64_t e = 0; e < part.numel(); ++e) part.set(e, got[1].at(begin * 72 + e));
    const std::vector<LoopPart> parts = {{b.node(), begin, length}, {h.node(), 0, 3}};
    std::vector<TensorValue> arrays = {got[0], part, got[2]};
    evaluate_ranged(kernel_slice(kernel, parts, std::vector<int>{1}), arrays);
    got[0] = arrays[0];
  }
  EXPECT_TRUE(test::same_numbers(got[0], want[0]));
}

}  // namespace
}  // namespace tg
