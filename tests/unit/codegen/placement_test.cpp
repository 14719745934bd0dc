// Schedules in which the users of a result or of a copy stand in loops that the result itself does
// not depend on, or in different ones: where code goes must follow from what it needs.
#include <gtest/gtest.h>

#include <functional>

#include "codegen/loop_tree.h"
#include "support/same_numbers.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

// The load of parameter `slot` whose number among such loads is `which`.
UOp load_of(const UOp& kernel, int slot, int which = 0) {
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Load && n->src()[0]->arg()[0] == slot && which-- == 0) return UOp::share(n);
  }
  throw std::out_of_range("no such load");
}

struct Placement {
  const char* name;
  int kind;       // of the zoo
  int64_t loops;  // fewest ranges: kernels with axes of extent 1 have fewer
  std::function<void(KernelSchedule&, const UOp&)> opts;
};

using S = KernelSchedule;

const Placement kPlacements[] = {
    {"CopiesAtTwoLevels", 1, 3,
     [](S& s, const UOp& k) {
       opt_tile(s, 1, 8, 0, Tail::Mask);
       opt_stage(s, {load_of(k, 2), 2});
       opt_stage(s, {load_of(k, 1), 0});
     }},
    {"ACopyInsideAReducedLoop", 2, 2,
     [](S& s, const UOp& k) {
       opt_move(s, 1, 0);
       opt_stage(s, {load_of(k, 1), 1});
     }},
    {"ACopyOfInnerLoopsInsideThreads", 6, 7,
     [](S& s, const UOp& k) {
       opt_stage(s, {load_of(k, 1), 3});
       opt_thread(s, 1);
     }},
    {"AResultReadInsideAReducedLoopAndOutside", 5, 4,
     [](S& s, const UOp&) {
       opt_vector(s, 1, 2, Tail::Mask);
       opt_move(s, 3, 0);
     }},
    {"ResultsInsideTiledThreads", 5, 4,
     [](S& s, const UOp&) {
       opt_tile(s, 0, 7, 0, Tail::Mask);
       opt_thread(s, 2);
     }},
    {"ResultsOfTilesInsideTiles", 5, 4,
     [](S& s, const UOp&) {
       opt_tile(s, 0, 6, 0, Tail::Absorb);
       opt_tile(s, 2, 7, 0, Tail::Absorb);
     }},
    {"AnArrayOfAccumulatorsBesideACopy", 5, 4,
     [](S& s, const UOp& k) {
       opt_stage(s, {load_of(k, 1, 2), 3});
       opt_move(s, 2, 0);
     }},
    {"RowsOutsideAndInsideTheirColumns", 12, 4,
     [](S& s, const UOp&) {
       opt_move(s, 3, 0);
       opt_move(s, 2, 1);
     }},
    {"AnArrayIndexedByItsOwnLoops", 5, 4,
     [](S& s, const UOp&) {
       opt_unroll(s, 1, 2, Tail::Absorb);
       opt_move(s, 0, 3);
     }},
};

class Placements : public testing::TestWithParam<Placement> {};

TEST_P(Placements, GiveTheValuesOfThePlainSchedule) {
  const Placement& p = GetParam();
  Target t;
  t.ops.set();
  t.dtypes.set();
  int run = 0;
  const uint64_t first = test::first_seed();
  // More where most were too small for the Opts.
  for (uint64_t seed = first; seed < first + 40 || (run < 3 && seed < first + 1000); ++seed) {
    const test::ZooKernel z = test::Zoo(seed).make(p.kind);
    KernelSchedule s = plain_schedule(z.ast);
    if (static_cast<int64_t>(s.bases.size()) < p.loops) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      p.opts(s, z.ast);
    } catch (const ArgumentError&) {
      continue;  // tiles that do not fit these sizes
    }
    std::vector<TensorValue> want = z.params;
    evaluate_ranged(z.ast, want);
    const std::vector<TensorValue> got = test::run_linear(lower(z.ast, s, t), z.params);
    for (size_t i = 0; i < want.size(); ++i) ASSERT_TRUE(test::same_numbers(got[i], want[i]));
    ++run;
  }
  EXPECT_GE(run, 3);
}

INSTANTIATE_TEST_SUITE_P(All, Placements, testing::ValuesIn(kPlacements),
                         [](const auto& info) { return std::string(info.param.name); });

// out[i, j] = x[i, j − i] where that is inside: in an array of one column the flat index is j,
// which misses i; the gate does not.
TEST(Gates, DependOnWhatCancelsInTheFlatIndex) {
  const UOp i = range(4, 0), j = range(4, 1);
  const UOp out = param(0, {4, 4}, DType::Float32), x = param(1, {4, 1}, DType::Float32);
  const UOp column = j - i;
  const std::vector<UOp> ij = {i, j}, at = {i, column};
  const UOp inside = lt(column, index_const(1)) & lt(index_const(-1), column);
  const std::vector<UOp> effects = {end(store_at(out, ij, load(x, at, inside)), ij)};
  const UOp kernel = sink(effects);
  std::mt19937_64 rng(1);
  const std::vector<TensorValue> params = {TensorValue::zeros({4, 4}, DType::Float32),
                                           test::random_tensor(rng, {4, 1}, DType::Float32, 1, 9)};
  std::vector<TensorValue> want = params;
  evaluate_ranged(kernel, want);
  Target t;
  t.ops.set();
  t.dtypes.set();
  for (int base : {0, 1}) {
    KernelSchedule s = plain_schedule(kernel);
    opt_vector(s, base, 4);
    EXPECT_TRUE(test::same_numbers(test::run_linear(lower(kernel, s, t), params)[0], want[0]));
  }
}

// Rows' maxima are needed by sums over rows and by the store. Where a reduced loop of the sums
// stands outside the rows, the maxima of the two are not complete in one scope.
TEST(Productions, AreRepeatedWhereUsersDoNotShareAScope) {
  const test::ZooKernel z = test::Zoo(3616).make(5);
  KernelSchedule s = plain_schedule(z.ast);
  ASSERT_EQ(s.bases.size(), 4u);
  Target t;
  t.ops.set();
  t.dtypes.set();
  EXPECT_EQ(build_loops(apply_schedule(z.ast, s, t)).productions.size(), 2u);
  opt_move(s, 3, 0);
  const LoopTree tree = build_loops(apply_schedule(z.ast, s, t));
  ASSERT_EQ(tree.productions.size(), 3u);
  int arrays = 0;
  for (const Production& p : tree.productions) arrays += p.uses_array();
  EXPECT_EQ(arrays, 1);
}

}  // namespace
}  // namespace tg
