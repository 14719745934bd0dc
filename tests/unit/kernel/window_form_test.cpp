// Which kernels have a form without the places of their windows, that equal forms mean kernels that
// differ in nothing else, and that kernels of windows compute what they should where they lie.
#include "kernel/window_form.h"

#include <gtest/gtest.h>

#include "support/kernel_names.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

using test::kFloat;

using Indices = std::vector<UOp>;

UOp read_window(int slot, const Shape& extents, const Indices& at, const UOp& gate = {}) {
  return load(param(slot, extents, kFloat), at, gate);
}
UOp write(const UOp& value, const Indices& at, const Shape& extents, const Indices& loops) {
  const Indices roots = {end(store_at(param(0, extents, kFloat), at, value), loops)};
  return sink(roots);
}
// p0[i] = p1[n·t + i] + 1, of p1[100·n]
UOp behind(const UOp& i, int64_t n) { return n == 0 ? i : i + n; }
UOp step(int64_t t, int64_t n) {
  const UOp i = range(n, 0);
  return write(read_window(1, {100 * n}, {behind(i, n * t)}) + constant(1, kFloat), {i}, {n}, {i});
}

TEST(WindowForm, IsTheSameForAllWindows) {
  const auto a = window_form(step(3, 32)), b = window_form(step(77, 32));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->kernel, b->kernel);
  EXPECT_EQ(a->offsets, (std::vector<int64_t>{0, 3 * 32 * 4}));
  EXPECT_EQ(b->offsets, (std::vector<int64_t>{0, 77 * 32 * 4}));
}
TEST(WindowForm, EndsBehindTheWindow) {
  const UOp i = range(32, 0);
  EXPECT_EQ(window_form(step(3, 32))->kernel,
            write(read_window(1, {32}, {i}) + constant(1, kFloat), {i}, {32}, {i}));
}
TEST(WindowForm, OfTheFirstWindowIsThatOfAllOthers) {
  const auto first = window_form(step(0, 32));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->kernel, window_form(step(3, 32))->kernel);
  EXPECT_EQ(first->offsets, (std::vector<int64_t>{0, 0}));
}
TEST(WindowForm, IsNoneWhereWindowsAreWhole) {
  const UOp i = range(32, 0);
  EXPECT_FALSE(window_form(write(read_window(1, {32}, {i}) + constant(1, kFloat), {i}, {32}, {i})));
}
TEST(WindowForm, KeepsWhatIsNotAligned) {
  const auto form = window_form(step(3, 7));  // element 21: 16 in the address, 5 in the index
  ASSERT_TRUE(form);
  EXPECT_EQ(form->offsets, (std::vector<int64_t>{0, 64}));
  const UOp i = range(7, 0);
  EXPECT_EQ(form->kernel,
            write(read_window(1, {12}, {i + 5}) + constant(1, kFloat), {i}, {7}, {i}));
  EXPECT_EQ(window_form(step(2, 7))->offsets, (std::vector<int64_t>{0, 0}));  // element 14
}
TEST(WindowForm, MovesDimensionsByThemselves) {
  const UOp b = range(4, 0), i = range(8, 1);
  const auto step_of = [&](int64_t t) {
    return write(read_window(1, {6, 10, 8}, {b + 2, index_const(t), i}), {b, i}, {4, 8}, {b, i});
  };
  const auto even = window_form(step_of(4)), odd = window_form(step_of(5));
  ASSERT_TRUE(even && odd);
  EXPECT_EQ(even->offsets, (std::vector<int64_t>{0, (2 * 80 + 4 * 8) * 4}));
  EXPECT_EQ(odd->offsets, even->offsets);  // rows of 32 bytes: of two only one is aligned
  EXPECT_EQ(even->kernel,
            write(read_window(1, {4, 10, 8}, {b, index_const(0), i}), {b, i}, {4, 8}, {b, i}));
  EXPECT_NE(odd->kernel, even->kernel);
}
TEST(WindowForm, MovesReadsAndWritesOfAnArrayTogether) {
  const UOp i = range(32, 0);
  const auto step_of = [&](int64_t t) {
    return write(read_window(0, {3200}, {behind(i, 32 * (t - 1))}), {i + 32 * t}, {3200}, {i});
  };
  const auto form = window_form(step_of(9));
  ASSERT_TRUE(form);
  EXPECT_EQ(form->offsets, (std::vector<int64_t>{8 * 128}));
  EXPECT_EQ(form->kernel, window_form(step_of(50))->kernel);
  EXPECT_EQ(form->kernel, window_form(step_of(1))->kernel);
}
TEST(WindowForm, CountsBackwardsFromTheLastElement) {
  const UOp i = range(32, 0);
  const auto turned = [&](int64_t first) {
    return window_form(write(read_window(1, {3200}, {i * -1 + (first + 31)}), {i}, {32}, {i}));
  };
  ASSERT_TRUE(turned(64));
  EXPECT_EQ(turned(64)->offsets, (std::vector<int64_t>{0, 256}));
  EXPECT_EQ(turned(64)->kernel, turned(640)->kernel);
}
TEST(WindowForm, LeavesWhatAGateKeepsFromBeforeTheArray) {
  const UOp i = range(32, 0);
  const auto form =
      window_form(write(read_window(1, {3200}, {i - 16}, lt(index_const(15), i)), {i}, {32}, {i}));
  EXPECT_EQ(form->offsets, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(form->kernel,
            write(read_window(1, {16}, {i - 16}, lt(index_const(15), i)), {i}, {32}, {i}));
}
TEST(WindowForm, KeepsWhatIsComputedApart) {
  const UOp i = range(32, 0);
  const auto times = [&](int k) {
    return window_form(
        write(read_window(1, {3200}, {i + 64}) * constant(k, kFloat), {i}, {32}, {i}));
  };
  EXPECT_NE(times(2)->kernel, times(3)->kernel);
}

}  // namespace
}  // namespace tg
