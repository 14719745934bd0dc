// Copies of elements that lie far apart along a dimension of their array: the copy holds what is
// read, not all that lies between.
#include <gtest/gtest.h>

#include "codegen/kernel_facts.h"
#include "codegen/lower.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using test::kFloat;

// Σ over k of x[row, 256·k + 16·a + b] · w[c, k], as a step of a Fourier transform reads the first
// 513 of 1,024 elements.
struct Kernel {
  UOp sink, x;
  int row = 0, a = 1, b = 2, c = 3;

  explicit Kernel(int64_t sign = 1) {
    const UOp r = range(6, row), ra = range(2, a), rb = range(16, b), rc = range(8, c),
              k = range(4, 4);
    const UOp low = ra * 16 + rb, high = k * 256,
              at = sign > 0 ? high + low : index_const(768 + 31) - (high + low);
    x = load(param(1, {6, 513}, kFloat), {{r, at}}, test::inside(at, 513));
    const UOp w = load(param(2, {8, 4}, kFloat), {{rc, k}});
    const std::vector<UOp> out = {r, ra, rb, rc};
    const UOp sum = reduce_ranges(x * w, ReduceOp::Add, {{k}});
    const UOp root = end(store_at(param(0, {6, 2, 16, 8}, kFloat), out, sum), out);
    sink = tg::sink(std::span(&root, 1));
  }
};

int64_t scratch_elements(const LinearKernel& code) {
  return code.scratch_bytes / static_cast<int64_t>(sizeof(float));
}

TEST(SparseCopies, HoldWhatIsRead) {
  for (const int64_t sign : {1, -1}) {
    const Kernel k(sign);
    for (const int level : {0, 1, 2, 3}) {
      KernelSchedule s = plain_schedule(k.sink);
      opt_stage(s, {.operand = k.x, .level = level});
      const int64_t rows = level == 0 ? 6 : 1, a = level < 2 ? 2 : 1, b = level < 3 ? 16 : 1;
      const LinearKernel code = lower(k.sink, s, test::kProcessor);
      const int64_t read = rows * a * b * 4;
      EXPECT_LE(scratch_elements(code), read + 16) << opts_text(s);
      EXPECT_EQ(staged_elements(s, s.stages[0]), read) << "what the choice of a schedule counts";
      test::expect_values(k.sink, s, test::kProcessor);
    }
  }
}

// Reading all of a row beats leaving out a part of it: vectors are copied.
TEST(SparseCopies, AreDenseWhereLittleLiesBetween) {
  const UOp i = range(32, 0), j = range(2, 1), k = range(3, 2);
  const UOp x = load(param(1, {200}, kFloat), {{i * 6 + j * 3 + k}}),
            w = load(param(2, {3}, kFloat), {{k}});
  const UOp root =
      end(store_at(param(0, {32, 2}, kFloat), {{i, j}}, reduce_ranges(x * w, ReduceOp::Add, {{k}})),
          {{i, j}});
  const UOp kernel = sink(std::span(&root, 1));
  KernelSchedule s = plain_schedule(kernel);
  opt_stage(s, {.operand = x, .level = 0});
  EXPECT_GE(scratch_elements(lower(kernel, s, test::kProcessor)), 192);
  test::expect_values(kernel, s, test::kProcessor);
}

TEST(SparseCopies, HaveLanesAndTiles) {
  const Kernel k;
  for (const int lanes_along : {k.row, k.a, k.b, k.c}) {
    KernelSchedule s = plain_schedule(k.sink);
    opt_vector(s, lanes_along, 4, Tail::Peel);
    opt_unroll(s, lanes_along == k.b ? k.row : k.b, 2);
    opt_stage(s, {.operand = k.x, .level = 0});
    test::expect_values(k.sink, s, test::kProcessor);
  }
}

}  // namespace
}  // namespace tg
