// Kernels of more arrays than a target binds: how many they are cut into, what is stored, that no
// value changes, and what is refused.
#include "schedule/array_limit.h"

#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "kernel/merge_axes.h"
#include "kernel/split_reductions.h"
#include "rewrite/verify.h"
#include "support/effort.h"
#include "support/random_graph.h"
#include "support/run_schedule.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"
#include "tg/error.h"
#include "tg/ir/text.h"
#include "uop/shape.h"

namespace tg {
namespace {

using test::RandomGraph;
using test::run_schedule;

Target of(int64_t max_arrays) { return Target{.max_arrays = max_arrays}; }

// Graphs over arrays of small whole numbers, so that sums are exact in any order.
struct Inputs {
  BufferContents contents;
  std::vector<UOp> keep;

  UOp operator()(const Shape& shape, DType t = DType::Float32) {
    const auto k = static_cast<int64_t>(keep.size());
    keep.push_back(buffer(shape, t, 0, nullptr));
    std::vector<double> v;
    for (int64_t i = 0; i < numel(shape); ++i)
      v.push_back(static_cast<double>((i * 31 + k * 17 + 5) % 13 - 6));
    contents.emplace(keep.back().node(), TensorValue::of(shape, t, v));
    return keep.back();
  }
  UOp sum(int n, const Shape& shape) {
    UOp s = (*this)(shape);
    for (int i = 1; i < n; ++i) s = s + (*this)(shape);
    return s;
  }
};

std::vector<size_t> arrays_of(const Schedule& s) {
  std::vector<size_t> out;
  for (const ScheduleItem& item : s.items) out.push_back(item.buffers.size());
  return out;
}

// Elements of the values that kernels hand on.
std::vector<int64_t> stored_between(const Schedule& s) {
  std::vector<int64_t> out;
  for (size_t b = 0; b < s.buffers.size(); ++b) {
    if (s.buffers[b].external || std::ranges::count(s.results, static_cast<int>(b)) > 0) continue;
    out.push_back(numel(s.buffers[b].node->shape()));
  }
  return out;
}

void expect_legal(const Schedule& s, int64_t limit) {
  for (const ScheduleItem& item : s.items) {
    verify_ranged(item.kernel);
    EXPECT_TRUE(limit == 0 || item.buffers.size() <= static_cast<size_t>(limit))
        << print(item.kernel);
    EXPECT_EQ(std::set<int>(item.buffers.begin(), item.buffers.end()).size(), item.buffers.size());
  }
}

// The schedule under the limit, after it has been run: also with the members of batches backwards.
Schedule checked(const std::vector<UOp>& roots, const BufferContents& contents,
                 const Target& target, const FusionOptions& options = {}) {
  Schedule s = make_schedule(roots, target, options);
  expect_legal(s, target.max_arrays);
  const std::vector<TensorValue> want = evaluate(roots, contents);
  for (bool backwards : {false, true}) {
    const std::vector<TensorValue> got = run_schedule(s, roots, contents, backwards);
    for (size_t r = 0; r < roots.size(); ++r)
      EXPECT_TRUE(test::same_numbers(got[r], want[r])) << "root " << r << "\n" << print(roots[r]);
  }
  return s;
}
Schedule checked(const std::vector<UOp>& roots, const Inputs& in, int64_t limit,
                 const FusionOptions& options = {}) {
  return checked(roots, in.contents, of(limit), options);
}

// ---- sums
using SumCase = std::tuple<int, int64_t>;
class LimitedSum : public testing::TestWithParam<SumCase> {};

TEST_P(LimitedSum, TakesAsFewKernelsAsTheLimitAllows) {
  const auto [n, limit] = GetParam();
  Inputs in;
  const UOp sum = in.sum(n, {3, 2});
  const Schedule s = checked({sum}, in, limit);
  // Each but the first takes a partial sum, and each writes one.
  const int64_t least = std::max<int64_t>(1, (n - 1 + limit - 3) / (limit - 2));
  if (n <= 100) {
    EXPECT_EQ(std::ssize(s.items), least);
  } else {
    EXPECT_LE(std::ssize(s.items), least + n / 100) << "fusion cuts expressions of 400 nodes";
  }
}

TEST_P(LimitedSum, IsTheSameWithoutFusion) {
  const auto [n, limit] = GetParam();
  Inputs in;
  checked({in.sum(n, {4})}, in, limit, {.fuse = false});
}

INSTANTIATE_TEST_SUITE_P(OfMany, LimitedSum,
                         testing::Combine(testing::Values(29, 30, 31, 40, 100, 1000),
                                          testing::Values(3, 4, 8, 30)),
                         [](const testing::TestParamInfo<SumCase>& info) {
                           return std::to_string(std::get<0>(info.param)) + "Under" +
                                  std::to_string(std::get<1>(info.param));
                         });

// ---- loops
UOp sum_of_squares(Inputs& in, int n) {
  UOp sum;
  for (int i = 0; i < n; ++i) {
    const UOp x = in({4, 2 + i % 3});
    const UOp square = reduce(x * x, ReduceOp::Add, {{0, 1}});
    sum = i == 0 ? square : sum + square;
  }
  return sum;
}

size_t loops_of(const UOp& kernel) {
  std::set<const Node*> loops;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Reduce) loops.insert(n->src().begin() + 1, n->src().end());
  }
  return loops.size();
}

// A schedule has 64 axes, of which a loop may take three: weights' norms are added up in parts.
TEST(LoopLimit, CutsSumsOfManyReductions) {
  for (const int n : {10, 11, 40, 200}) {
    Inputs in;
    const Schedule s = checked({sum_of_squares(in, n)}, in, 0);
    EXPECT_EQ(s.items.size() > 1, n > 10) << n;
    for (const ScheduleItem& item : s.items) EXPECT_LE(loops_of(item.kernel), 20u);
  }
}
TEST(LoopLimit, HoldsBesideALimitOfArrays) {
  for (const int64_t limit : {3, 6, 31}) {
    Inputs in;
    const Schedule s = checked({sum_of_squares(in, 50)}, in, limit);
    for (const ScheduleItem& item : s.items) EXPECT_LE(loops_of(item.kernel), 20u);
  }
}

TEST(ArrayLimit, CutsALongSumEvenly) {
  Inputs in;
  const Schedule s = checked({in.sum(40, {5})}, in, 30);
  EXPECT_EQ(arrays_of(s), (std::vector<size_t>{22, 21}));
}

TEST(ArrayLimit, ChangesNothingThatFits) {
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + test::trials(50); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph g = test::random_graph(seed, {.max_ops = 24, .stores = seed % 2 == 0});
    const Schedule a = make_schedule(g.roots, Target{}), b = make_schedule(g.roots, of(100));
    ASSERT_EQ(a.items.size(), b.items.size());
    for (size_t i = 0; i < a.items.size(); ++i) {
      EXPECT_EQ(a.items[i].kernel, b.items[i].kernel);
      EXPECT_EQ(a.items[i].step, b.items[i].step);
    }
  }
}

// ---- which value is stored
TEST(ArrayLimit, StoresTheValueOfFewestBytes) {
  Inputs in;
  const UOp row = in.sum(6, {1, 50}), matrix = in.sum(6, {40, 50});
  const Schedule s = checked({matrix * expand(row, {40, 50})}, in, 8);
  EXPECT_EQ(stored_between(s), (std::vector<int64_t>{50}));
}

TEST(ArrayLimit, StoresWhatAReductionGivesRatherThanWhatItReads) {
  Inputs in;
  const UOp sums = reduce(in.sum(4, {8, 40}), ReduceOp::Max, {{int64_t{1}}});
  const Schedule s = checked({in.sum(4, {8, 40}) + expand(sums, {8, 40})}, in, 6);
  EXPECT_EQ(stored_between(s), (std::vector<int64_t>{8}));
}

TEST(ArrayLimit, CutsWhereNoValueHidesAnArray) {
  // Any two neighbours of a ring share an array, so that one cut alone hides none.
  Inputs in;
  const UOp a = in({6}), b = in({6}), c = in({6}), d = in({6});
  const UOp ring = maximum(a * b, b * c) * maximum(c * d, d * a);
  for (int64_t limit : {3, 4}) checked({ring}, in, limit);
}

TEST(ArrayLimit, CutsNoExponentialFromTheFactorThatMakesItOne) {
  Inputs in;
  const UOp x = in.sum(6, {7});
  const UOp scaled = x * const_like(x, std::numbers::log2e), turned = x * int64_t{-1};
  const UOp e = exp2(scaled) * in({7}) + scaled;
  const UOp c = sin(turned + const_like(x, std::numbers::pi / 2)) * in({7}) + turned;
  for (int64_t limit : {3, 4, 6}) {
    const Schedule s = make_schedule(std::vector{e, c}, of(limit));
    expect_legal(s, limit);
    for (const ScheduleItem& item : s.items) {
      for (const Node* n : toposort(item.kernel)) {
        EXPECT_TRUE(n->op != Op::Exp2 || n->src()[0]->op == Op::Mul);
        if (n->op != Op::Sin) continue;
        ASSERT_EQ(n->src()[0]->op, Op::Add);
        EXPECT_TRUE(std::ranges::any_of(n->src()[0]->src(),
                                        [](const Node* a) { return a->op == Op::Mul; }));
      }
    }
  }
}

// ---- other forms of kernels
TEST(ArrayLimit, HoldsForConcatenations) {
  Inputs in;
  UOp all;
  for (int64_t i = 0; i < 40; ++i) {
    const UOp part = pad(in({2, 3}), {{2 * i, 2 * (39 - i), 0, 0}});
    all = all ? all + part : part;
  }
  for (int64_t limit : {3, 4, 8, 30}) checked({all}, in, limit);
}

TEST(ArrayLimit, KeepsKernelsOfManyResultsBelowIt) {
  Inputs in;
  const UOp x = in({300});
  std::vector<UOp> roots;
  for (int64_t i = 0; i < 20; ++i) roots.push_back(x * (i + 2) + in({300}));
  EXPECT_LT(make_schedule(roots, Target{}).items.size(), roots.size()) << "nothing is merged";
  for (int64_t limit : {3, 4, 8, 30}) checked(roots, in, limit);
}

TEST(ArrayLimit, HoldsForWritesInPlace) {
  Inputs in;
  const UOp x = in({4, 6});
  UOp sum = x;
  for (int i = 0; i < 20; ++i) sum = sum + in({4, 6});
  const UOp now = after(x, std::vector{store(x, sum)});
  for (int64_t limit : {3, 4, 8}) checked({now + in({4, 6})}, in, limit);
}

TEST(ArrayLimit, HoldsWhereTheOldContentsAreReadElsewhere) {
  Inputs in;
  const UOp x = in({5, 5});
  UOp sum = permute(x, {{1, 0}});
  for (int i = 0; i < 12; ++i) sum = sum + in({5, 5});
  const UOp now = after(x, std::vector{store(x, sum)});
  for (int64_t limit : {3, 4, 8}) checked({now, copied(x) + in({5, 5})}, in, limit);
}

UOp places(Inputs& in, int n, const Shape& shape, Dim extent) {
  const UOp sum = in.sum(n, shape);
  return mod(cast(sum, DType::Int32), full(shape, Scalar::of_int(extent, DType::Int32)));
}

TEST(ArrayLimit, HoldsForGathers) {
  Inputs in;
  const UOp at = places(in, 6, {5, 4}, 5);
  const UOp x = gather(in.sum(6, {5, 4}), at, 0) + in({5, 4});
  for (int64_t limit : {3, 4, 8}) checked({x}, in, limit);
}

class LimitedScatter : public testing::TestWithParam<Combine> {};

TEST_P(LimitedScatter, KeepsTheOrderOfItsWrites) {
  Inputs in;
  const UOp at = places(in, 6, {9, 4}, 5);
  const UOp x = scatter(in.sum(5, {5, 4}), at, in.sum(6, {9, 4}), 0, GetParam());
  for (int64_t limit : {3, 4, 8}) checked({x}, in, limit);
}

INSTANTIATE_TEST_SUITE_P(ArrayLimit, LimitedScatter,
                         testing::Values(Combine::Set, Combine::Add, Combine::Max));

// ---- phases
TEST(ArrayLimit, LeavesRoomForTheWorkspaceOfALargeReduction) {
  constexpr int64_t kLimit = 8;
  Inputs in;
  const UOp sum = reduce(in.sum(7, {1 << 18}), ReduceOp::Add, {{int64_t{0}}});
  const Schedule s = make_schedule({{sum}}, of(kLimit));
  expect_legal(s, kLimit);
  const ScheduleItem& last = s.items.back();
  const KernelPhases phases = split_reductions(merge_axes(last.kernel), of(kLimit));
  EXPECT_EQ(phases.kernels.size(), 2u);
  EXPECT_LE(phases.first_workspace + std::ssize(phases.workspaces), kLimit);
}

TEST(ArrayLimit, LeavesAContractionWholeWhoseWorkspaceWouldBeTheFourthArray) {
  Inputs in;
  const UOp a = in({1 << 18}), b = in({1 << 18});
  const UOp dot = reduce(a * b, ReduceOp::Add, {{int64_t{0}}});
  const Schedule s = make_schedule({{dot}}, of(3));
  ASSERT_EQ(s.items.size(), 1u);
  EXPECT_EQ(split_reductions(s.items[0].kernel, of(3)).kernels.size(), 1u);
  EXPECT_EQ(split_reductions(s.items[0].kernel, of(4)).kernels.size(), 2u);
}

// ---- what is refused
std::string message_of(const std::vector<UOp>& roots, int64_t limit) {
  try {
    make_schedule(roots, of(limit));
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "";
}

TEST(ArrayLimit, RefusesAnOperationOfMoreArraysByName) {
  Inputs in;
  const UOp x = in({3}) + in({3}) * in({3});
  EXPECT_EQ(message_of({x}, 2),
            "realize: a kernel of 4 arrays cannot be cut: mul takes 3, the device at most 2. Hint: "
            "make its operands contiguous() before, or use another device.");
  const UOp w = where(in({3}, DType::Bool), in({3}), in({3})) + in({3});
  EXPECT_EQ(message_of({w}, 3),
            "realize: a kernel of 5 arrays cannot be cut: where takes 4, the device at most 3. "
            "Hint: make its operands contiguous() before, or use another device.");
  EXPECT_EQ(message_of({w}, 4), "");
}

// ---- anything
class LimitedRandomGraphs : public testing::TestWithParam<int64_t> {};

TEST_P(LimitedRandomGraphs, HaveTheirValuesOrAreRefused) {
  const int64_t limit = GetParam();
  int cut = 0, refused = 0;
  const int n = static_cast<int>(test::trials(600));
  for (int k = 0; k < n && !testing::Test::HasFailure(); ++k) {
    const uint64_t seed = test::first_seed() + static_cast<uint64_t>(k);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph g = test::random_graph(
        seed,
        {.max_ops = 120, .max_rank = 3, .max_extent = 4, .max_elements = 48, .stores = k % 2 == 0});
    const auto fits = [&](const ScheduleItem& i) {
      return i.buffers.size() <= static_cast<size_t>(limit);
    };
    const bool fitted = std::ranges::all_of(make_schedule(g.roots, Target{}).items, fits);
    if (!message_of(g.roots, limit).empty()) {
      ++refused;
      continue;
    }
    cut += fitted ? 0 : 1;
    checked(g.roots, g.contents, of(limit));
  }
  EXPECT_TRUE(limit == 2 ? refused > 0 : cut > 0);
  EXPECT_LE(refused, limit == 2 ? n : limit == 3 ? n / 4 : n / 50);
  RecordProperty("cut", cut);
  RecordProperty("refused", refused);
}

INSTANTIATE_TEST_SUITE_P(Of, LimitedRandomGraphs, testing::Values(2, 3, 4, 5, 6));

}  // namespace
}  // namespace tg
