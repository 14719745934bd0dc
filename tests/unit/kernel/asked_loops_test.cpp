// Loops that a program asks for: which axes they mean, and what is left out. That they reach the
// kernel of a value: bindings/python/tests/test_tinygrad_names.py.
#include "kernel/asked_loops.h"

#include <gtest/gtest.h>

#include "kernel/merge_axes.h"

namespace tg {
namespace {

constexpr auto kUpcast = AskedLoop::Kind::Upcast, kUnroll = AskedLoop::Kind::Unroll;

// out[i, j] = Σ_k a[i, k]·b[k, j] with extents 9, 20, 7; loops in the order i, j, k.
UOp product_kernel() {
  const UOp i = range(9, 0), j = range(20, 1), k = range(7, 2);
  const UOp out = param(0, {9, 20}, DType::Float32), a = param(1, {9, 7}, DType::Float32),
            b = param(2, {7, 20}, DType::Float32);
  const std::vector<UOp> ik = {i, k}, kj = {k, j}, ij = {i, j}, red = {k};
  const UOp sum = reduce_ranges(load(a, ik) * load(b, kj), ReduceOp::Add, red);
  const std::vector<UOp> stores = {end(store_at(out, ij, sum), ij)};
  return sink(stores);
}

UOp asked(const std::vector<AskedLoop>& loops) {
  return with_asked_loops(product_kernel(), stored_by(param(0, {2}, DType::Float32), loops));
}

std::string text(const UOp& kernel) { return opts_text(asked_schedule(kernel)); }

TEST(AskedLoops, UpcastCountsAllAxesAndUnrollThoseThatAreReduced) {
  EXPECT_EQ(text(asked({{kUpcast, 0, 3}})), "UPCAST(r0,3)");
  EXPECT_EQ(text(asked({{kUpcast, 1, 4}, {kUnroll, 0, 7}})), "UPCAST(r1,4) UNROLL(r2,7)");
  EXPECT_EQ(text(asked({{kUpcast, 2, 2}})), "UNROLL(r2,2,peel)");
}

TEST(AskedLoops, WithoutAnyTheScheduleIsThePlainOne) {
  EXPECT_TRUE(has_asked_loops(asked({})));
  EXPECT_EQ(text(asked({})), "plain");
}

TEST(AskedLoops, WhatTheKernelDoesNotAllowIsLeftOut) {
  EXPECT_EQ(text(asked({{kUnroll, 1, 2}, {kUpcast, 0, 3}})), "UPCAST(r0,3)");
  EXPECT_EQ(text(asked({{kUpcast, 1, 1 << 20}, {kUpcast, 0, 3}})), "UPCAST(r0,3)");
  EXPECT_EQ(text(asked({{kUpcast, -1, 2}})), "plain");
}

TEST(AskedLoops, AKernelThatNobodyAskedAboutHasNone) {
  const UOp kernel = product_kernel();
  EXPECT_FALSE(has_asked_loops(kernel));
  EXPECT_EQ(with_asked_loops(kernel, cloned(param(0, {2}, DType::Float32))), kernel);
}

TEST(AskedLoops, KeepTheAxesThatTheyName) {
  const UOp i = range(4, 0), j = range(8, 1);
  const std::vector<UOp> ij = {i, j};
  const UOp out = param(0, {4, 8}, DType::Float32), in = param(1, {4, 8}, DType::Float32);
  const std::vector<UOp> stores = {end(store_at(out, ij, load(in, ij)), ij)};
  const UOp kernel = sink(stores);
  EXPECT_NE(merge_axes(kernel), kernel);
  const UOp chosen = with_asked_loops(kernel, stored_by(in, {}));
  EXPECT_EQ(merge_axes(chosen), chosen);
}

}  // namespace
}  // namespace tg
