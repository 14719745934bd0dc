// Batches: small independent kernels share a step, nothing else does. What is checked of every
// schedule: members of a step neither write what another touches, before nor after in-place reuse,
// and may run in any order.
#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/accesses.h"
#include "schedule/memory_plan.h"
#include "support/random_graph.h"
#include "support/run_schedule.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr Dim kSmall = 1000, kLarge = 1 << 20;  // floats; by the default target 0.4 us and 400 us

UOp leaf(int slot, Dim n) { return param(slot, {n}, DType::Float32); }
// A kernel of its own.
UOp kernel(const UOp& x) { return contiguous(sqrt(x)); }

std::vector<int> steps_of(const Schedule& s) {
  std::vector<int> steps;
  for (const ScheduleItem& item : s.items) steps.push_back(item.step);
  return steps;
}
std::vector<int> steps(const std::vector<UOp>& roots, const Target& target = {}) {
  return steps_of(make_schedule(roots, target));
}
// The step that makes `x`.
int step_of(const Schedule& s, const UOp& x) {
  for (const ScheduleItem& item : s.items) {
    const std::vector<Access> accesses = accesses_of(item);
    for (size_t slot = 0; slot < accesses.size(); ++slot) {
      const Node* n = s.buffers[static_cast<size_t>(item.buffers[slot])].node;
      if (accesses[slot].writes && n == x.node()) return item.step;
    }
  }
  return -1;
}

using Steps = std::vector<int>;

TEST(Batches, HoldSmallKernelsOfAnyShapes) {
  EXPECT_EQ(steps({kernel(leaf(0, 10)), kernel(leaf(1, 200)), kernel(leaf(2, kSmall))}),
            (Steps{0, 0, 0}));
}
TEST(Batches, DoNotHoldLargeKernels) {
  EXPECT_EQ(steps({kernel(leaf(0, kLarge)), kernel(leaf(1, kLarge + 1))}), (Steps{0, 1}));
}
TEST(Batches, HoldMoreArithmeticWhereThereAreMoreThreads) {
  std::vector<UOp> roots = {leaf(0, 100'000), leaf(1, 100'001)};
  for (UOp& r : roots) {
    for (int i = 0; i < 100; ++i) r = sqrt(r);  // 200 us on one thread
  }
  EXPECT_EQ(steps(roots), (Steps{0, 1}));
  EXPECT_EQ(steps(roots, Target{.threads = 4}), (Steps{0, 0}));
}
TEST(Batches, HoldLargerKernelsWhereLaunchesAreDear) {
  const std::vector<UOp> roots = {kernel(leaf(0, kLarge)), kernel(leaf(1, kLarge + 1))};
  EXPECT_EQ(steps(roots, Target{.launch_seconds = 30e-6}), (Steps{0, 0}));
}
TEST(Batches, EndWhereAKernelReadsWhatAnotherMakes) {
  const UOp a = kernel(leaf(0, kSmall)), b = kernel(flip(a, {{0}}));
  EXPECT_EQ(steps({a, b}), (Steps{0, 1}));
}
TEST(Batches, OfChainsAreTheirLevels) {
  std::vector<UOp> roots;
  for (int c = 0; c < 5; ++c)
    roots.push_back(kernel(flip(kernel(flip(kernel(leaf(c, kSmall + c)), {{0}})), {{0}})));
  const Steps got = steps(roots);
  EXPECT_EQ(got, (Steps{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
}
TEST(Batches, WaitBehindKernelsThatDoNotNeedThem) {
  const UOp first = kernel(leaf(0, kSmall)), large = kernel(leaf(1, kLarge)),
            second = kernel(leaf(2, kSmall + 1));
  const std::vector<UOp> roots = {first, large, second};
  const Schedule s = make_schedule(roots, Target{});
  EXPECT_EQ(steps_of(s), (Steps{0, 1, 1}));
  EXPECT_EQ(step_of(s, large), 0);
}
TEST(Batches, RunBeforeALargeKernelThatNeedsThem) {
  const UOp first = kernel(leaf(0, kLarge)),
            sum = kernel(reduce(leaf(1, kSmall), ReduceOp::Add, {{0}})),
            large = kernel(leaf(2, kLarge) + expand(sum, {kLarge})), last = kernel(leaf(3, kSmall));
  const std::vector<UOp> roots = {first, large, last};
  const Schedule s = make_schedule(roots, Target{});
  EXPECT_LT(step_of(s, sum), step_of(s, large));
  EXPECT_EQ(s.items.back().step, 3);
}
TEST(Batches, LeaveAKernelWithoutCompanyWhereItWas) {
  const UOp a = kernel(leaf(0, kLarge)), b = kernel(leaf(1, kSmall)),
            c = kernel(leaf(2, kLarge + 1));
  const std::vector<UOp> roots = {a, b, c};
  const Schedule s = make_schedule(roots, Target{});
  EXPECT_EQ(step_of(s, a), 0);
  EXPECT_EQ(step_of(s, b), 1);
  EXPECT_EQ(step_of(s, c), 2);
}
TEST(Batches, AreClosedWhenTheyHoldMoreThanTheCaches) {
  const Target target{.l2_bytes = 1 << 12};  // one value of 1,000 floats
  std::vector<UOp> roots;
  for (int c = 0; c < 6; ++c) roots.push_back(kernel(flip(kernel(leaf(c, kSmall + c)), {{0}})));
  const Schedule all = make_schedule(roots, Target{}), few = make_schedule(roots, target);
  EXPECT_EQ(all.items.back().step, 1);
  EXPECT_GT(few.items.back().step, 1);
}
TEST(Batches, DoNotHoldReductionsThatAreSplitIntoPhases) {
  const auto sum = [](int slot, Dim n) { return reduce(leaf(slot, n), ReduceOp::Add, {{0}}); };
  const Target target{.threads = 16};
  EXPECT_EQ(steps({sum(0, 1 << 16), sum(1, (1 << 16) - 7)}, target), (Steps{0, 0}));
  EXPECT_EQ(steps({sum(0, 1 << 18), sum(1, (1 << 18) - 7)}, target), (Steps{0, 1}));
}
TEST(Batches, AreMadeOnlyWithFusion) {
  const std::vector<UOp> roots = {sqrt(leaf(0, 10)), sqrt(leaf(1, 20))};
  EXPECT_EQ(steps_of(make_schedule(roots, Target{}, {.fuse = false})), (Steps{0, 1}));
}
TEST(Batches, AStoreWaitsForTheReadersOfWhatItReplaces) {
  const UOp x = leaf(0, kSmall), old = kernel(flip(x, {{0}}));
  const UOp next = after(x, {{store(x, sqrt(leaf(1, kSmall)))}});
  const std::vector<UOp> roots = {old, next};
  const Schedule s = make_schedule(roots, Target{});
  ASSERT_EQ(s.items.size(), 2u);
  EXPECT_EQ(step_of(s, old), 0);
  EXPECT_EQ(step_of(s, x), 1);
}
TEST(Batches, StoresToOneStorageKeepTheirOrder) {
  const UOp x = leaf(0, kSmall);
  const UOp head = after(x, {{store(shrink(x, {{0, 100}}), sqrt(leaf(1, 100)))}});
  const UOp tail = after(head, {{store(shrink(head, {{50, 100}}), sqrt(leaf(2, 100)))}});
  const Schedule s = make_schedule(std::span(&tail, 1), Target{});
  EXPECT_EQ(steps_of(s), (Steps{0, 1}));
}

TEST(ReuseInPlaceInBatches, LeavesAloneWhatAnotherMemberReads) {
  // A product of matrices merges with no reader.
  const UOp a = expand(param(0, {8, 5, 1}, DType::Float32), {8, 5, 8});
  const UOp b = expand(param(1, {1, 5, 8}, DType::Float32), {8, 5, 8});
  const UOp made = reduce(a * b, ReduceOp::Add, {{1}});
  const UOp same = contiguous(sqrt(made)), turned = kernel(flip(reshape(made, {64}), {{0}}));
  const UOp out = reduce(flip(same, {{0}}), ReduceOp::Add, {{0, 1, 2}}) +
                  reshape(reduce(flip(turned, {{0}}), ReduceOp::Max, {{0}}), {1, 1, 1});
  Schedule s = make_schedule(std::span(&out, 1), Target{});
  ASSERT_EQ(step_of(s, same), step_of(s, turned));
  ASSERT_EQ(step_of(s, made), 0);
  ASSERT_EQ(step_of(s, same), 1);
  std::vector<int> storage_of;
  reuse_in_place(s, storage_of);
  for (size_t b = 0; b < s.buffers.size(); ++b) {
    if (s.buffers[b].node != made.node()) continue;
    EXPECT_EQ(std::ranges::count(storage_of, static_cast<int>(b)), 1);
  }
}

// ---- random graphs
// No member of a step writes memory that another one touches.
void expect_independent(const Schedule& s, std::span<const int> storage_of) {
  for (size_t i = 0; i < s.items.size(); ++i) {
    for (size_t j = 0; j < s.items.size(); ++j) {
      if (i == j || s.items[i].step != s.items[j].step) continue;
      EXPECT_EQ(s.items[i].device, s.items[j].device);
      const std::vector<Access> accesses = accesses_of(s.items[i]);
      for (size_t slot = 0; slot < accesses.size(); ++slot) {
        if (!accesses[slot].writes) continue;
        const int written = storage_of[static_cast<size_t>(s.items[i].buffers[slot])];
        for (int b : s.items[j].buffers) {
          EXPECT_NE(storage_of[static_cast<size_t>(b)], written)
              << "item " << j << " touches what item " << i << " writes";
        }
      }
    }
  }
}

// Temporaries of a schedule as the executor sees them: one lifetime for those that share memory.
void expect_room_for_members(const Schedule& s, std::span<const int> storage_of) {
  std::vector<Lifetime> lives;
  std::vector<int> owner;
  for (size_t b = 0; b < s.buffers.size(); ++b) {
    const ScheduledBuffer& x = s.buffers[b];
    if (x.external || x.first_use < 0) continue;
    const auto known = std::ranges::find(owner, storage_of[b]);
    if (known == owner.end()) {
      owner.push_back(storage_of[b]);
      lives.push_back(
          {numel(x.node->shape()) * dtype_size(x.node->dtype), x.first_use, x.last_use});
    } else {
      Lifetime& l = lives[static_cast<size_t>(known - owner.begin())];
      l.first = std::min(l.first, x.first_use);
      l.last = std::max(l.last, x.last_use);
    }
  }
  const MemoryPlan plan = plan_memory(lives);
  for (size_t a = 0; a < lives.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (lives[a].first > lives[b].last || lives[b].first > lives[a].last) continue;
      if (lives[a].bytes == 0 || lives[b].bytes == 0) continue;
      EXPECT_TRUE(plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                  plan.offsets[b] + lives[b].bytes <= plan.offsets[a]);
    }
  }
}

size_t batched_items(const Schedule& s) {
  const Steps all = steps_of(s);
  return static_cast<size_t>(
      std::ranges::count_if(all, [&](int step) { return std::ranges::count(all, step) > 1; }));
}

void expect_equal(const std::vector<TensorValue>& got, const std::vector<TensorValue>& want) {
  for (size_t r = 0; r < want.size(); ++r)
    ASSERT_TRUE(test::same_numbers(got[r], want[r])) << "root " << r;
}

class RandomBatches : public testing::TestWithParam<uint64_t> {};

// Three graphs in one schedule, with everything or what the solver likes materialised.
TEST_P(RandomBatches, HaveMembersThatMayRunInAnyOrder) {
  size_t batched = 0;
  for (uint64_t k = 0; k < 12; ++k) {
    const uint64_t seed = test::first_seed() + GetParam() * 12 + k;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<test::RandomGraph> graphs;  // contents are by node
    std::vector<UOp> roots;
    BufferContents contents;
    const test::RandomGraphOptions small{
        .max_ops = 20, .max_rank = 3, .max_extent = 4, .max_elements = 48, .stores = k % 2 != 0};
    for (uint64_t part = 0; part < 3; ++part) {
      graphs.push_back(test::random_graph(seed * 3 + part, small));
      const test::RandomGraph& g = graphs.back();
      roots.insert(roots.end(), g.roots.begin(), g.roots.end());
      contents.insert(g.contents.begin(), g.contents.end());
    }
    const std::vector<TensorValue> want = evaluate(roots, contents);
    test::ChoiceByBits everything(~uint64_t{0});
    Schedule s =
        make_schedule(roots, Target{}, k % 3 == 0 ? FusionOptions{} : everything.options());
    batched += batched_items(s);
    std::vector<int> storage_of;
    for (size_t b = 0; b < s.buffers.size(); ++b) storage_of.push_back(static_cast<int>(b));
    expect_independent(s, storage_of);
    expect_equal(test::run_schedule(s, roots, contents), want);
    expect_equal(test::run_schedule(s, roots, contents, true), want);
    reuse_in_place(s, storage_of);
    expect_independent(s, storage_of);
    expect_room_for_members(s, storage_of);
    expect_equal(test::run_schedule(s, roots, contents, true, storage_of), want);
  }
  EXPECT_GT(batched, 0u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomBatches, testing::Range<uint64_t>(0, 25));

}  // namespace
}  // namespace tg
