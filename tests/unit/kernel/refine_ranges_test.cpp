// Refined kernels give the values of what they were, never leave an array, and hold no division
// where one could be solved: refine_ranges.h and residue_ranges.h.
#include "kernel/refine_ranges.h"

#include <gtest/gtest.h>

#include "kernel/residue_ranges.h"
#include "rules/index.h"
#include "support/effort.h"
#include "support/kernel_names.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

using test::over;
using test::rest;

UOp array(int slot, const Shape& shape) { return param(slot, shape, DType::Float32); }
UOp read_array(int slot, const Shape& shape, const std::vector<UOp>& idx, const UOp& gate = {}) {
  return load(array(slot, shape), idx, gate);
}
// SINK of array 0 at `at`, over all of `ranges`.
UOp kernel(const Shape& shape, const std::vector<UOp>& at, const UOp& v,
           const std::vector<UOp>& ranges) {
  const UOp root = end(store_at(array(0, shape), at, v), ranges);
  return sink(std::span(&root, 1));
}

int64_t divisions(const UOp& k) { return count_nodes(k, Op::IDiv) + count_nodes(k, Op::Mod); }

int64_t terms_of_sum(const UOp& k) {
  int64_t n = 1;
  for (const Node* x : toposort(k)) {
    if (x->op != Op::Reduce) continue;
    for (const Node* r : x->src().subspan(1)) n *= r->src()[0]->arg()[0];
  }
  return n;
}

std::vector<TensorValue> random_arrays(const UOp& k, std::mt19937_64& rng) {
  std::vector<TensorValue> out;
  for (const Node* n : toposort(k)) {
    if (n->op != Op::Param) continue;
    const auto slot = static_cast<size_t>(n->arg()[0]);
    if (out.size() <= slot) out.resize(slot + 1);
    out[slot] = test::random_tensor(rng, {n->shape().begin(), n->shape().end()}, n->dtype);
  }
  return out;
}

void expect_equal(const UOp& refined, const UOp& plain, std::mt19937_64& rng) {
  std::vector<TensorValue> want = random_arrays(plain, rng), got = want;
  evaluate_ranged(plain, want);
  ASSERT_NO_THROW(evaluate_ranged(refined, got));
  ASSERT_TRUE(test::same_numbers(got[0], want[0]));
}

UOp refined(const UOp& k) { return refine_ranges(solve_residues(k)); }

TEST(RefineRanges, MergedHeadsAreTwoSums) {
  const UOp t = range(3, 0), n = range(5, 1), k = range(8, 2);
  const UOp x = read_array(1, {2, 3, 4}, {over(k, 4), t, rest(k, 4)}),
            w = read_array(2, {8, 5}, {k, n});
  const UOp plain =
      kernel({3, 5}, {t, n}, reduce_ranges(x * w, ReduceOp::Add, std::vector<UOp>{k}), {t, n});
  const UOp fine = refined(plain);
  EXPECT_EQ(divisions(fine), 0);
  EXPECT_EQ(count_nodes(fine, Op::Range), 4);
  std::mt19937_64 rng(1);
  expect_equal(fine, plain, rng);
}

TEST(RefineRanges, SeveralDivisorsMakeOneChain) {
  const UOp r = range(24, 0);
  const UOp x = read_array(1, {2, 3, 4}, {rest(r, 2), rest(over(r, 2), 3), over(r, 6)});
  const UOp plain = kernel({24}, {r}, x, {r}), fine = refined(plain);
  EXPECT_EQ(divisions(fine), 0);
  EXPECT_EQ(count_nodes(fine, Op::Range), 3);
  std::mt19937_64 rng(1);
  expect_equal(fine, plain, rng);
}

// The rows and columns of a product as one axis that is cut off: the last row is whole in the
// loops, and stored in part.
TEST(RefineRanges, SumsMayRunOnBehindTheEndOfWhatIsStored) {
  const UOp r = range(19, 0), k = range(5, 1);
  const UOp x = read_array(1, {6, 5}, {over(r, 8), k}), w = read_array(2, {5, 8}, {k, rest(r, 8)});
  const UOp sum = reduce_ranges(x * w, ReduceOp::Add, std::vector<UOp>{k});
  const UOp plain = kernel({19}, {r}, sum, {r}), fine = refined(plain);
  EXPECT_EQ(divisions(fine), 0);
  EXPECT_EQ(count_nodes(fine, Op::Range), 3);
  std::mt19937_64 rng(1);
  expect_equal(fine, plain, rng);
}

TEST(RefineRanges, SumsDoNotRunOnWhereTheyWouldLeaveAnArray) {
  const UOp r = range(19, 0), k = range(5, 1);
  const UOp x = read_array(1, {3, 5}, {over(r, 8), k}), w = read_array(2, {5, 19}, {k, r});
  const UOp sum = reduce_ranges(x * w, ReduceOp::Add, std::vector<UOp>{k});
  const UOp plain = kernel({19}, {r}, sum, {r});
  EXPECT_EQ(refined(plain), plain);
}

TEST(RefineRanges, WhereTooMuchWouldBeSummedForNothingRangesStayWhole) {
  const UOp r = range(9, 0), k = range(5, 1);
  const UOp x = read_array(1, {6, 5}, {over(r, 8), k}), w = read_array(2, {5, 8}, {k, rest(r, 8)});
  const UOp sum = reduce_ranges(x * w, ReduceOp::Add, std::vector<UOp>{k});
  const UOp plain = kernel({9}, {r}, sum, {r});
  EXPECT_EQ(refined(plain), plain);
}

TEST(RefineRanges, WhereDivisorsFormNoChainTheLargerArrayIsRefined) {
  const UOp r = range(12, 0), q = range(50, 1);
  const UOp large = read_array(1, {3, 4, 50}, {over(r, 4), rest(r, 4), q});
  const UOp small = read_array(2, {2, 6}, {over(r, 6), rest(r, 6)});
  const UOp plain = kernel({12, 50}, {r, q}, large + small, {r, q}), fine = refined(plain);
  EXPECT_EQ(count_nodes(fine, Op::Range), 3);
  for (const Node* n : toposort(fine)) {
    const bool of_large = n->op == Op::Load && n->src()[0]->arg()[0] == 1;
    EXPECT_TRUE(!of_large || divisions(UOp::share(n)) == 0);
  }
  std::mt19937_64 rng(1);
  expect_equal(fine, plain, rng);
}

// A vector of neighbours is a few vectors of the array: their digits would not lie side by side.
TEST(RefineRanges, NeighboursThatReadNeighboursStayWhole) {
  const UOp r = range(96, 0);
  for (const UOp& place : {over(r, 2), over(r * 3, 2), over(r, 2) * 2 + rest(r, 2) * -1}) {
    const UOp near = kernel({96}, {r}, read_array(1, {200}, {place + 1}), {r});
    EXPECT_EQ(refined(near), near);
  }
  const UOp far = kernel({96}, {r}, read_array(1, {48, 9}, {over(r, 2), index_const(2)}), {r});
  EXPECT_EQ(divisions(refined(far)), 0);
  const UOp halves = kernel({96}, {r}, read_array(1, {2, 48}, {rest(r, 2), over(r, 2)}), {r});
  EXPECT_EQ(divisions(refined(halves)), 0);
}
TEST(RefineRanges, WhatSolvesNoMoreThanItLeavesStaysWhole) {
  const UOp r = range(12, 0), c = range(2, 1);
  const UOp v =
      read_array(1, {40}, {over(r, 2) * 5 + c}) + read_array(1, {40}, {over(r + 1, 2) * 5 + c});
  const UOp k = kernel({12}, {r}, reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{c}), {r});
  EXPECT_EQ(refined(k), k);
}

TEST(RefineRanges, KernelsThatNeedNothingAreLeftAlone) {
  const UOp r = range(12, 0);
  const UOp plain = kernel({12}, {r}, read_array(1, {12}, {r}), {r});
  EXPECT_EQ(refined(plain), plain);
  // 5 does not divide 12.
  const UOp uneven = kernel({12}, {r}, read_array(1, {3, 5}, {over(r, 5), rest(r, 5)}), {r});
  EXPECT_EQ(refined(uneven), uneven);
}

// out[x] = Σ_k in[(x + k + c) div s]·w[taps − 1 − k] over the k that s divides x + k + c for.
UOp transposed(int64_t size, int64_t taps, int64_t s, int64_t c, int64_t in) {
  const UOp x = range(size, 0), k = range(taps, 1);
  const UOp at = over(x + k + c, s);
  const UOp gate =
      lt(rest(x + k + c, s), index_const(1)) & lt(at, index_const(in)) & lt(index_const(-1), at);
  const UOp v = read_array(1, {in}, {at}, gate) * read_array(2, {taps}, {k * -1 + (taps - 1)});
  IndexSimplifier simplify;
  return simplify(kernel({size}, {x}, reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{k}), {x}));
}

TEST(SolveResidues, TransposedConvolutionsRunOverTheirOwnTaps) {
  std::mt19937_64 rng(1);
  for (const int64_t s : {2, 3, 4}) {
    for (const int64_t taps : {2, 3, 4, 5, 7}) {
      for (const int64_t size : {6, 7, 12, 13}) {
        for (int64_t c = 0; c < s; ++c) {
          SCOPED_TRACE(testing::Message() << "stride " << s << ", " << taps << " taps, " << size
                                          << " results, offset " << c);
          const UOp plain = transposed(size, taps, s, c, 3), fine = refined(plain);
          EXPECT_LE(terms_of_sum(fine), (taps + s - 1) / s);
          EXPECT_EQ(divisions(fine), 0);
          expect_equal(fine, plain, rng);
        }
      }
    }
  }
}

TEST(SolveResidues, WhatIsNotZeroOutsideStays) {
  const UOp x = range(6, 0), k = range(4, 1);
  const UOp gate = lt(rest(x + k, 2), index_const(1));
  const auto sum = [&](const UOp& v, ReduceOp op) {
    return kernel({6}, {x}, reduce_ranges(v, op, std::vector<UOp>{k}), {x});
  };
  const UOp w = read_array(2, {4}, {k}), v = read_array(1, {10}, {x + k}) * w;
  const UOp gated = read_array(1, {10}, {x + k}, gate) * w;
  const UOp one = constant(Scalar::of_int(1, DType::Float32));
  EXPECT_NE(solve_residues(sum(gated, ReduceOp::Add)), sum(gated, ReduceOp::Add));
  for (const UOp& plain : {sum(where(gate, v, one), ReduceOp::Add), sum(gated + one, ReduceOp::Add),
                           sum(gated, ReduceOp::Max)})
    EXPECT_EQ(solve_residues(plain), plain);
}

TEST(SolveResidues, ASumOverBothRangesNeedsWholeRounds) {
  const UOp x = range(7, 0), k = range(4, 1), n = range(2, 2);
  const UOp v = read_array(1, {10}, {x + k}, lt(rest(x + k, 2), index_const(1)));
  const UOp plain = kernel({2}, {n}, reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{x, k}), {n});
  std::mt19937_64 rng(1);
  expect_equal(refined(plain), plain, rng);
}

TEST(SolveResidues, WhatNothingReusesStays) {
  const UOp x = range(6, 0), k = range(4, 1);
  const UOp v = read_array(1, {10}, {x + k}, lt(rest(x + k, 2), index_const(1)));
  const UOp plain = kernel({6}, {x}, reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{k}), {x});
  EXPECT_EQ(solve_residues(plain), plain);
}

// Where the stride divides the dilation, terms are there for every s-th result only, for all taps:
// the others have none, and the loop over taps is the same for all results of a phase.
TEST(SolveResidues, ResultsWithoutTermsAreAPhase) {
  std::mt19937_64 rng(1);
  for (const int64_t s : {2, 3}) {
    for (int64_t c = 0; c < s; ++c) {
      SCOPED_TRACE(testing::Message() << "stride " << s << ", offset " << c);
      const UOp x = range(13, 0), k = range(4, 1);
      const UOp at = x + k * s + c;
      const UOp v = read_array(1, {13}, {over(at, s)}, lt(rest(at, s), index_const(1))) *
                    read_array(2, {4}, {k});
      const UOp plain =
          kernel({13}, {x}, reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{k}), {x});
      const UOp fine = refined(plain);
      EXPECT_EQ(divisions(fine), 0);
      EXPECT_EQ(count_nodes(fine, Op::Range), 3);
      expect_equal(fine, plain, rng);
    }
  }
}

// Each axis of a picture is solved without a gate that says more than where the arrays end.
TEST(SolveResidues, BothAxesOfAPicture) {
  const UOp y = range(7, 0), x = range(8, 1), j = range(3, 2), k = range(3, 3);
  const UOp b = over(y + j, 2), a = over(x + k, 2);
  const UOp gate = lt(rest(y + j, 2), index_const(1)) & lt(rest(x + k, 2), index_const(1)) &
                   lt(y + j, index_const(8)) & lt(x + k, index_const(8));
  const UOp v =
      read_array(1, {4, 4}, {b, a}, gate) * read_array(2, {3, 3}, {j * -1 + 2, k * -1 + 2});
  const UOp plain =
      kernel({7, 8}, {y, x}, reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{j, k}), {y, x});
  const UOp fine = refined(plain);
  EXPECT_EQ(terms_of_sum(fine), 4);
  EXPECT_EQ(divisions(fine), 0);
  for (const Node* n : toposort(fine)) {
    if (n->op != Op::Load || n->src()[0]->arg()[0] != 1) continue;
    EXPECT_EQ(conjuncts(gate_of(UOp::share(n))).size(), 2);
  }
  std::mt19937_64 rng(1);
  expect_equal(fine, plain, rng);
}

// Σ x·w and Σ w read w with one gate, the second of them for the zeros that it leaves.
TEST(SolveResidues, AGateThatAnotherSumNeedsStays) {
  const UOp x = range(6, 0), k = range(4, 1);
  const UOp gate = lt(rest(x + k, 2), index_const(1));
  const UOp w = read_array(2, {4}, {k}, gate), n = range(5, 2);
  const auto sum = [&](const UOp& v) {
    return reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{k});
  };
  const UOp v = sum(read_array(1, {5, 10}, {n, x + k}, gate) * w) + sum(w);
  const UOp plain = kernel({5, 6}, {n, x}, v, {n, x});
  std::mt19937_64 rng(1);
  expect_equal(refined(plain), plain, rng);
  // As two stores of one kernel, where the range of each sum is its own.
  const UOp j = range(4, 3), other = lt(rest(x + j, 2), index_const(1));
  const UOp u = read_array(2, {4}, {j}, other),
            y = read_array(3, {4}, {j}) * read_array(1, {10}, {x + j}, other);
  const UOp alone = kernel({6}, {x},
                           reduce_ranges(y * u, ReduceOp::Add, std::vector<UOp>{j}) +
                               reduce_ranges(u, ReduceOp::Add, std::vector<UOp>{j}),
                           {x});
  expect_equal(refined(alone), alone, rng);
}

TEST(SolveResidues, TermsBehindTheEndOfASumAreZero) {
  // Neither array ends with k, so the gate has to.
  const UOp x = range(6, 0), k = range(3, 1);
  const UOp v =
      read_array(1, {20}, {x + k}, lt(rest(x + k, 2), index_const(1))) * read_array(2, {20}, {k});
  const UOp plain = kernel({6}, {x}, reduce_ranges(v, ReduceOp::Add, std::vector<UOp>{k}), {x});
  std::mt19937_64 rng(1);
  EXPECT_EQ(terms_of_sum(refined(plain)), 2);
  expect_equal(refined(plain), plain, rng);
}

TEST(RefineRanges, NoArrayIsLost) {
  // Whatever array 2 holds, the condition is true; the kernel is launched with it all the same.
  const UOp r = range(12, 0);
  const UOp condition =
      load(param(2, {12}, DType::Bool), std::vector<UOp>{r}) | lt(r, index_const(12));
  const UOp v = where(condition, read_array(1, {3, 4}, {over(r, 4), rest(r, 4)}),
                      constant(Scalar::of_int(0, DType::Float32)));
  const UOp plain = kernel({12}, {r}, v, {r});
  EXPECT_EQ(count_nodes(IndexSimplifier()(plain), Op::Param), 2);
  EXPECT_EQ(count_nodes(refined(plain), Op::Param), 3);
}

// ---- random index expressions

class KernelMaker {
 public:
  explicit KernelMaker(uint64_t seed) : rng(seed) {
    for (int i = 0; i < 2; ++i) outer.push_back(range(between(1, 3) * between(1, 4), i));
    for (int i = 2; i < 4; ++i) summed.push_back(range(between(1, 3) * between(1, 4), i));
  }

  UOp make() {
    UOp v = factor(1);
    v = v * factor(2);
    const UOp sum = reduce_ranges(v, ReduceOp::Add, summed);
    Shape shape;
    for (const UOp& r : outer) shape.push_back(r.src(0).arg(0));
    IndexSimplifier simplify;
    return simplify(kernel(shape, outer, sum + factor_of_outer(), outer));
  }

  std::mt19937_64 rng;

 private:
  int64_t between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(rng() % static_cast<uint64_t>(hi - lo + 1));
  }
  UOp any(const std::vector<UOp>& of) {
    return of[static_cast<size_t>(between(0, std::ssize(of) - 1))];
  }
  std::vector<UOp> all() const {
    std::vector<UOp> out = outer;
    out.insert(out.end(), summed.begin(), summed.end());
    return out;
  }
  UOp index(const std::vector<UOp>& of) {
    const UOp e = any(of) * between(1, 4) + any(of) * between(-1, 3) + between(-1, 4);
    const int64_t c = between(2, 6);
    const int64_t kind = between(0, 5);
    return kind < 2 ? over(any(of), c) : kind < 4 ? rest(any(of), c) : kind == 4 ? over(e, c) : e;
  }
  UOp gate_of_residue() {
    const UOp e = any(outer) * between(1, 3) + any(summed) * between(1, 3) + between(0, 3);
    return lt(rest(e, between(2, 4)), index_const(1));
  }
  UOp factor(int slot) {
    const UOp i = index(all()), j = index(all());
    UOp gate = lt(i, index_const(6)) & lt(index_const(-1), i) & lt(j, index_const(5)) &
               lt(index_const(-1), j);
    if (between(0, 2) == 0) gate = gate & gate_of_residue();
    return read_array(slot, {6, 5}, {i, j}, gate);
  }
  UOp factor_of_outer() {
    const UOp i = index(outer);
    return read_array(3, {9}, {i}, lt(i, index_const(9)) & lt(index_const(-1), i));
  }

  std::vector<UOp> outer, summed;
};

TEST(RefineRanges, RandomKernelsKeepTheirValues) {
  uint64_t changed = 0;
  const auto trials = test::trials(1500);
  for (uint64_t seed = 1; seed <= trials; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    KernelMaker m(seed);
    const UOp plain = m.make(), fine = refined(plain);
    changed += fine != plain;
    EXPECT_LE(count_nodes(fine, Op::Range), 24);
    expect_equal(fine, plain, m.rng);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(changed, trials / 3);
}

}  // namespace
}  // namespace tg
