// Kernels whose ranges end at a variable, under random schedules: loops over whole tiles, where the
// gate is not asked, and over what is left must do together what the gates say, for every size.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "kernel/flat_kernel.h"
#include "support/kernel_names.h"
#include "support/same_numbers.h"
#include "support/schedule_fuzz.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

using test::kFloat;

constexpr int64_t kLongest = 96;  // no multiple of most tiles

Target target_of(uint64_t seed) {
  static constexpr int kVectorBytes[] = {16, 32, 64};
  Target t;
  t.vector_bytes = kVectorBytes[seed % std::size(kVectorBytes)];
  t.has_masked_access = seed % 2 == 0;
  t.ops.set();
  t.dtypes.set();
  return t;
}

UOp read(int slot, Shape extents, std::vector<UOp> at, const UOp& gate = {}) {
  return load(param(slot, std::move(extents), kFloat), at, gate);
}

UOp gated_kernel(const UOp& value, Shape extents, std::vector<UOp> at, const UOp& gate = {}) {
  const UOp stored = store_at(param(0, std::move(extents), kFloat), at, value, gate);
  const std::vector<UOp> roots = {end(stored, at)};
  return sink(roots);
}

// p0[i] = max(p1[i] · p2[0], p0[i] + 2)
UOp elementwise(int64_t n) {
  const UOp i = range(n, 0);
  return gated_kernel(maximum(read(1, {n}, {i}) * read(2, {1}, {index_const(0)}),
                              read(0, {n}, {i}) + constant(2, kFloat)),
                      {n}, {i});
}

// p0[i] = op over r < size (and ≤ i if `below`) of p1[i, r] · p2[r]
UOp rows_kernel(const UOp& size, ReduceOp op, bool below) {
  constexpr int64_t kRows = 5;
  const UOp i = range(kRows, 0), r = range(kLongest, 1);
  const UOp inside = below ? lt(r, size) & lt(r, i * 16 + 1) : lt(r, size);
  UOp term = read(1, {kRows, kLongest}, {i, r}, inside) * read(2, {kLongest}, {r}, inside);
  if (op != ReduceOp::Add) {
    term = where(inside, term, constant(reduce_identity(op, kFloat)));
  }
  const std::vector<UOp> reduced = {r};
  return gated_kernel(reduce_ranges(term, op, reduced), {kRows}, {i});
}

// p0[16·q + s] = p1[16·q + s] + 2 where that is below size: most rounds of q have nothing to do.
UOp digits(const UOp& size) {
  const UOp q = range(kLongest / 16, 0), s = range(16, 1), at = q * 16 + s;
  const UOp inside = lt(at, size);
  const UOp value = read(1, {kLongest}, {at}, inside) + constant(2, kFloat);
  const std::vector<UOp> index = {at}, ranges = {q, s};
  const std::vector<UOp> roots = {
      end(store_at(param(0, {kLongest}, kFloat), index, value, inside), ranges)};
  return sink(roots);
}

std::vector<TensorValue> arguments(const UOp& kernel, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<TensorValue> out;
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Param) continue;
    const auto slot = static_cast<size_t>(n->arg()[0]);
    if (out.size() <= slot) out.resize(slot + 1);
    out[slot] = test::random_tensor(rng, {n->shape().begin(), n->shape().end()}, kFloat, -3, 3);
  }
  return out;
}

class VariableSizes : public testing::TestWithParam<uint64_t> {
 protected:
  // Schedules of one kernel, drawn from `seed`, with every size that is drawn.
  static void expect_plain_values(const UOp& kernel, const UOp& size, uint64_t seed,
                                  test::Tally& tally) {
    const KernelSchedule s = test::ScheduleMaker(kernel, seed).make(1 + static_cast<int>(seed % 6));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + opts_text(s));
    const auto linear = test::lower_or_refuse(kernel, s, target_of(seed), tally);
    if (!linear) return;
    verify_linear(linear->ops);
    const std::vector<TensorValue> params = arguments(kernel, seed);
    for (const int64_t n : {int64_t{1}, 1 + static_cast<int64_t>(seed % kLongest), kLongest}) {
      std::vector<TensorValue> want = params;
      evaluate_ranged(kernel, want, {{size.node(), n}});
      const std::vector<TensorValue> got = test::run_linear(*linear, params, {{n}});
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_TRUE(test::same_numbers(got[i], want[i])) << "argument " << i << ", size " << n;
    }
  }
};

TEST_P(VariableSizes, OfElementwiseKernelsAreExact) {
  test::Tally tally("elementwise");
  const FlatKernel flat = flat_form(elementwise(67), kLongest).value();
  for (uint64_t seed = GetParam() * 24; seed < GetParam() * 24 + 24; ++seed)
    expect_plain_values(flat.kernel, flat.size, seed, tally);
  EXPECT_GT(tally.run(), 0);
}

TEST_P(VariableSizes, OfReducedRangesAreExact) {
  test::Tally tally("reductions");
  const UOp size = variable("size", 1, kLongest);
  for (uint64_t seed = GetParam() * 24; seed < GetParam() * 24 + 24; ++seed) {
    const ReduceOp op = seed % 3 == 0 ? ReduceOp::Max : ReduceOp::Add;
    expect_plain_values(rows_kernel(size, op, seed % 2 == 0), size, seed, tally);
  }
  EXPECT_GT(tally.run(), 0);
}
TEST_P(VariableSizes, OfDigitsOfARangeAreExact) {
  test::Tally tally("digits");
  const UOp size = variable("size", 1, kLongest);
  for (uint64_t seed = GetParam() * 24; seed < GetParam() * 24 + 24; ++seed)
    expect_plain_values(digits(size), size, seed, tally);
  EXPECT_GT(tally.run(), 0);
}

INSTANTIATE_TEST_SUITE_P(Random, VariableSizes, testing::Range<uint64_t>(0, 8));

Target masked_target() {
  Target t = target_of(2);
  t.has_masked_access = true;
  return t;
}

TEST(ChunkLimits, FollowTheSizeOfAFlatKernel) {
  const FlatKernel flat = flat_form(elementwise(1000), 1 << 20).value();
  const LinearKernel k =
      lower(flat.kernel, choose_schedule(flat.kernel, masked_target()), masked_target());
  ASSERT_TRUE(k.chunk_limit);
  const auto chunks = [&](int64_t n) {
    return chunks_for(std::vector<int64_t>{n}, k.chunks, k.chunk_limit);
  };
  EXPECT_EQ(chunks(1), 1);
  EXPECT_EQ(chunks(4096), 1);
  EXPECT_EQ(chunks(4097), 2);
  EXPECT_EQ(chunks(1 << 20), k.chunks);
}

TEST(ChunkLimits, AreNoneWithoutVariables) {
  const UOp kernel = elementwise(1 << 20);
  EXPECT_FALSE(
      lower(kernel, choose_schedule(kernel, masked_target()), masked_target()).chunk_limit);
}

// p0[h, i] = Σ over r of p1[h, i, r], i below a size: chunks of both h and i. A launch counts
// whole rounds of h, so the chunks of i beyond the size are there, and do nothing.
TEST(ChunkLimits, OfInnerRangesAreAskedByTheChunk) {
  constexpr int64_t kHeads = 3;
  const UOp size = variable("size", 1, kLongest);
  const UOp h = range(kHeads, 0), i = range(kLongest, 1), r = range(16, 2);
  const UOp inside = lt(i, size);
  const std::vector<UOp> reduced = {r};
  const UOp sum = reduce_ranges(read(1, {kHeads, kLongest, 16}, {h, i, r}), ReduceOp::Add, reduced);
  const UOp kernel = gated_kernel(sum, {kHeads, kLongest}, {h, i}, inside);
  KernelSchedule s = plain_schedule(kernel);
  opt_unroll(s, 1, 4, Tail::Peel);
  opt_thread(s, 2);
  const LinearKernel k = lower(kernel, s, masked_target());
  EXPECT_FALSE(k.chunk_limit);
  EXPECT_EQ(std::ranges::count_if(k.ops, [](const UOp& u) { return u.is(Op::If); }), 1);
  const std::vector<TensorValue> params = arguments(kernel, 7);
  for (const int64_t n : {int64_t{1}, int64_t{5}, int64_t{40}, kLongest}) {
    std::vector<TensorValue> want = params;
    evaluate_ranged(kernel, want, {{size.node(), n}});
    const std::vector<TensorValue> got = test::run_linear(k, params, {{n}});
    EXPECT_TRUE(test::same_numbers(got[0], want[0])) << "size " << n;
  }
}

// Whole tiles are loaded and stored without a gate: that is what makes one kernel for all sizes as
// fast as one for each.
TEST(WholeTiles, AskNoGates) {
  const FlatKernel flat = flat_form(elementwise(1000), 1 << 20).value();
  const LinearKernel k =
      lower(flat.kernel, choose_schedule(flat.kernel, masked_target()), masked_target());
  int plain = 0, gated = 0;
  for (const UOp& u : k.ops) {
    if (u.is(Op::Store)) ++(u.n_src() > 3 ? gated : plain);
  }
  EXPECT_EQ(plain, 1);
  EXPECT_EQ(gated, 1);
}

}  // namespace
}  // namespace tg
