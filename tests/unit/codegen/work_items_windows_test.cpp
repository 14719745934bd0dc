// Convolutions and their gradients on work-items: strips of results that a work-item keeps in
// registers, windows that a group copies once. Sizes that nobody has chosen, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "codegen/heuristics.h"
#include "codegen/scheduled_kernel.h"
#include "support/effort.h"
#include "support/kernel_values.h"
#include "support/seeds_of_the_day.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using test::inside;
using test::kFloat;

Target copying_target() {
  Target t = test::graphics_processor();
  t.async_copy_bytes = 16;
  return t;
}

struct Sizes {
  Dim images, channels, filters, height, width, taps, stride = 1, border = 0;

  Dim rows() const { return (height + 2 * border - taps) / stride + 1; }
  Dim columns() const { return (width + 2 * border - taps) / stride + 1; }
};

UOp store_over(const UOp& value, const Shape& shape, std::span<const UOp> at) {
  const UOp root = end(store_at(param(0, shape, kFloat), at, value), at);
  return sink(std::span(&root, 1));
}

// y[n, f, i, j] = Σ x[n, c, s·i + p − b, s·j + q − b] · w[f, c, p, q]
UOp forward(const Sizes& z) {
  const std::vector<UOp> at = {range(z.images, 0), range(z.filters, 1), range(z.rows(), 2),
                               range(z.columns(), 3)};
  const UOp c = range(z.channels, 4), p = range(z.taps, 5), q = range(z.taps, 6);
  const UOp row = at[2] * z.stride + p - z.border, column = at[3] * z.stride + q - z.border;
  const UOp array = param(1, {z.images, z.channels, z.height, z.width}, kFloat);
  const UOp x = z.border == 0 ? load(array, {{at[0], c, row, column}})
                              : load(array, {{at[0], c, row, column}},
                                     inside(row, z.height) & inside(column, z.width));
  const UOp w = load(param(2, {z.filters, z.channels, z.taps, z.taps}, kFloat), {{at[1], c, p, q}});
  return store_over(reduce_ranges(x * w, ReduceOp::Add, {{c, p, q}}),
                    {z.images, z.filters, z.rows(), z.columns()}, at);
}

// dx[n, c, i, j] = Σ dy[n, f, i − p, j − q] · w[f, c, p, q], of a stride of 1 and no border
UOp to_input(const Sizes& z) {
  const std::vector<UOp> at = {range(z.images, 0), range(z.channels, 1), range(z.height, 2),
                               range(z.width, 3)};
  const UOp f = range(z.filters, 4), p = range(z.taps, 5), q = range(z.taps, 6);
  const UOp row = at[2] - p, column = at[3] - q;
  const UOp dy =
      load(param(1, {z.images, z.filters, z.rows(), z.columns()}, kFloat),
           {{at[0], f, row, column}}, inside(row, z.rows()) & inside(column, z.columns()));
  const UOp w = load(param(2, {z.filters, z.channels, z.taps, z.taps}, kFloat), {{f, at[1], p, q}});
  return store_over(reduce_ranges(dy * w, ReduceOp::Add, {{f, p, q}}),
                    {z.images, z.channels, z.height, z.width}, at);
}

// dw[f, c, p, q] = Σ dy[n, f, i, j] · x[n, c, i + p, j + q]
UOp to_filter(const Sizes& z) {
  const std::vector<UOp> at = {range(z.filters, 0), range(z.channels, 1), range(z.taps, 2),
                               range(z.taps, 3)};
  const UOp n = range(z.images, 4), i = range(z.rows(), 5), j = range(z.columns(), 6);
  const UOp dy =
      load(param(1, {z.images, z.filters, z.rows(), z.columns()}, kFloat), {{n, at[0], i, j}});
  const UOp x = load(param(2, {z.images, z.channels, z.height, z.width}, kFloat),
                     {{n, at[1], i + at[2], j + at[3]}});
  return store_over(reduce_ranges(dy * x, ReduceOp::Add, {{n, i, j}}),
                    {z.filters, z.channels, z.taps, z.taps}, at);
}

using Make = UOp (*)(const Sizes&);

struct Direction {
  const char* name;
  Make make;
};
constexpr Direction kDirections[] = {
    {"forward", forward}, {"to_input", to_input}, {"to_filter", to_filter}};

class WindowsOnWorkItems : public testing::TestWithParam<Direction> {};

// Products for each element that is read from scratch; without strips it is a half.
double products_per_read(const LinearKernel& k) {
  double products = 0, reads = 0;
  for (const UOp& u : k.ops) {
    products += u.is(Op::Fma);
    const Node* array = u.is(Op::Load) ? u.src_node(0) : nullptr;
    while (array != nullptr && array->op == Op::After) array = array->src()[0];
    if (array != nullptr && array->op == Op::Alloc) reads += u.lanes();
  }
  return products / reads;
}

TEST_P(WindowsOnWorkItems, MakeStripsOfCopiedWindows) {
  const Sizes z{.images = 4, .channels = 8, .filters = 16, .height = 16, .width = 16, .taps = 5};
  const UOp kernel = GetParam().make(z);
  const Target target = copying_target();
  const KernelSchedule s = choose_schedule(kernel, target);
  SCOPED_TRACE(opts_text(s));
  EXPECT_TRUE(test::has_option(s, "STAGE(p1,") && test::has_option(s, "STAGE(p2,"));
  EXPECT_GT(products_per_read(lower(kernel, s, target)), 2);
  test::expect_values(kernel, s, target);
}

TEST_P(WindowsOnWorkItems, HaveTheValuesOfThePlainKernelForAllSizes) {
  std::mt19937_64 rng(test::first_seed());
  const auto upto = [&](Dim least, Dim most) {
    return least + static_cast<Dim>(rng() % static_cast<uint64_t>(most - least + 1));
  };
  for (uint64_t trial = 0; trial < test::trials(16); ++trial) {
    Sizes z{upto(1, 4), upto(1, 9), upto(1, 17), upto(7, 15), upto(7, 15), upto(1, 5)};
    if (GetParam().make == forward) {
      z.stride = upto(1, 2);
      z.border = upto(0, 2);
    }
    const UOp kernel = GetParam().make(z);
    Target target = copying_target();
    if (trial % 3 == 0) target.async_copy_bytes = 0;
    if (trial % 5 == 0) target.local_bytes = 2 << 10;
    const KernelSchedule s = choose_schedule(kernel, target);
    SCOPED_TRACE(fmt::format("trial {}: {}", trial, opts_text(s)));
    test::expect_values(kernel, s, target);
    if (HasFatalFailure()) return;
  }
}

// Prime numbers of rows and columns: what is computed in vain is a small share.
TEST_P(WindowsOnWorkItems, MaskWhatSizesDoNotDivide) {
  const bool to_filters = GetParam().make == to_filter;
  const Dim height = to_filters ? 13 : 43, width = to_filters ? 11 : 39;
  const Sizes z{2,
                to_filters ? 16 : 3,
                to_filters ? 24 : 5,
                height,
                width,
                GetParam().make == to_input ? 2 : 3};
  const UOp kernel = GetParam().make(z);
  const Target target = copying_target();
  const KernelSchedule s = choose_schedule(kernel, target);
  SCOPED_TRACE(opts_text(s));
  EXPECT_GT(products_per_read(lower(kernel, s, target)), 1);
  test::expect_values(kernel, s, target);
}

INSTANTIATE_TEST_SUITE_P(All, WindowsOnWorkItems, testing::ValuesIn(kDirections),
                         [](const auto& i) { return std::string(i.param.name); });

// Few products for each result: neighbours store neighbours.
TEST(WindowsOnWorkItems, KeepNeighboursTogetherWhereStoresCount) {
  const UOp kernel =
      forward({.images = 4, .channels = 1, .filters = 16, .height = 28, .width = 28, .taps = 5});
  const Target target = copying_target();
  const LinearKernel k = lower(kernel, choose_schedule(kernel, target), target);
  for (const UOp& u : k.ops) {
    if (!u.is(Op::Store) || !u.src(0).is(Op::Param)) continue;
    const Affine at = Affine::of(u.src(1));
    EXPECT_TRUE(std::ranges::any_of(at.terms, [](const Affine::Term& t) { return t.coef == 1; }))
        << print_expr(u);
  }
}

}  // namespace
}  // namespace tg
