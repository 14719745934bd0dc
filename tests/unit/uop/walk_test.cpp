// Traversals: order, sharing, depth, and which ranges are open.
#include "tg/ir/walk.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/uop/support/nodes.h"

namespace tg {
namespace {

using test::f32;

TEST(Toposort, PutsSourcesBeforeUsersAndRootsLast) {
  const UOp a = f32(1), b = f32(2), s = a + b, root = s * a;
  EXPECT_EQ(toposort(root), (std::vector<const Node*>{a.node(), b.node(), s.node(), root.node()}));
}
TEST(Toposort, VisitsSharedNodesOnce) {
  UOp x = f32(1);
  for (int i = 0; i < 60; ++i) x = x + x;  // 2^60 paths
  EXPECT_EQ(toposort(x).size(), 61u);
}
TEST(Toposort, TakesSeveralRootsInOrder) {
  const UOp a = f32(1), b = f32(2);
  const std::vector<UOp> roots = {b, a, b};
  EXPECT_EQ(toposort(roots), (std::vector<const Node*>{b.node(), a.node()}));
}
TEST(Toposort, OfNothingIsEmpty) { EXPECT_TRUE(toposort(UOp{}).empty()); }
TEST(Toposort, GoesAMillionDeep) {
  UOp x = f32(1);
  for (int i = 0; i < 1000000; ++i) x = sqrt(x);
  EXPECT_EQ(toposort(x).size(), 1000001u);
}

TEST(Toposort, ListsLeavesAndStopsThere) {
  const UOp a = f32(1), b = f32(2), s = sqrt(a), root = s + b;
  const auto is_leaf = [&](const Node* n) { return n == s.node(); };
  EXPECT_EQ(toposort(std::span(&root, 1), is_leaf),
            (std::vector<const Node*>{s.node(), b.node(), root.node()}));
}

TEST(AllNodes, AsksEachNodeOnceAfterAUser) {
  const UOp a = f32(1), s = sqrt(a), root = s + a;
  std::vector<const Node*> asked;
  EXPECT_TRUE(all_nodes(root, [&](const Node* n) { return asked.push_back(n), true; }));
  EXPECT_EQ(asked, (std::vector<const Node*>{root.node(), s.node(), a.node()}));
  EXPECT_TRUE(all_nodes(UOp{}, [](const Node*) { return false; }));
}
TEST(AllNodes, AsksNoMoreAfterTheFirstThatFails) {
  UOp x = f32(1);
  for (int i = 0; i < 1000; ++i) x = sqrt(x + x);
  int asked = 0;
  EXPECT_FALSE(all_nodes(x, [&](const Node* n) { return ++asked, n->op == Op::Sqrt; }));
  EXPECT_EQ(asked, 2);
}

TEST(Substitute, ReplacesWhereverANodeStands) {
  const UOp a = f32(1), b = f32(2), c = f32(3);
  EXPECT_EQ(substitute((a + b) * a, {{a.node(), c}}), (c + b) * c);
}
TEST(Substitute, LooksAtTheOuterNodeFirst) {
  const UOp a = f32(1), s = sqrt(a);
  EXPECT_EQ(substitute(s, {{a.node(), f32(2)}, {s.node(), f32(9)}}), f32(9));
}
TEST(Substitute, DoesNotLookIntoReplacements) {
  const UOp a = f32(1), s = sqrt(a);
  EXPECT_EQ(substitute(a, {{a.node(), s}}), s);
}
TEST(Substitute, WithoutHitsReturnsTheSameNode) {
  const UOp x = sqrt(f32(1) + f32(2));
  EXPECT_EQ(substitute(x, {{f32(77).node(), f32(1)}}), x);
}
TEST(Substitute, AsksAFunctionOnceANode) {
  const UOp a = f32(1), b = f32(2), root = (a + b) * (a + b) + a;
  std::vector<const Node*> asked;
  const UOp now = substitute(root, [&](const Node* n) {
    asked.push_back(n);
    return n == b.node() ? f32(9) : UOp();
  });
  EXPECT_EQ(now, (a + f32(9)) * (a + f32(9)) + a);
  std::ranges::sort(asked);
  EXPECT_TRUE(std::ranges::adjacent_find(asked) == asked.end());
}
TEST(Substitute, GoesDeep) {
  const UOp a = f32(1), b = f32(2);
  UOp x = a, y = b;
  for (int i = 0; i < 200000; ++i) {
    x = sqrt(x);
    y = sqrt(y);
  }
  EXPECT_EQ(substitute(x, {{a.node(), b}}), y);
}

class FreeRanges : public testing::Test {
 protected:
  UOp i = range(4, 0), j = range(5, 1), p = param(0, {4, 5}, DType::Float32);
  UOp v = load(p, {{i, j}});
};
using List = std::vector<UOp>;

TEST_F(FreeRanges, OfALoadAreItsIndices) { EXPECT_EQ(free_ranges(v), (List{i, j})); }
TEST_F(FreeRanges, OfARangeAreItself) { EXPECT_EQ(free_ranges(i), List{i}); }
TEST_F(FreeRanges, OfConstantsAreNone) { EXPECT_TRUE(free_ranges(f32(1)).empty()); }
TEST_F(FreeRanges, AreClosedByReduce) {
  EXPECT_EQ(free_ranges(reduce_ranges(v, ReduceOp::Add, {{j}})), List{i});
}
TEST_F(FreeRanges, AreClosedByEnd) {
  const UOp s = store_at(p, {{i, j}}, f32(1));
  EXPECT_EQ(free_ranges(end(s, {{i}})), List{j});
  EXPECT_TRUE(free_ranges(end(s, {{i, j}})).empty());
}
TEST_F(FreeRanges, AreClosedByStageAndOpenedAgainByItsReader) {
  const UOp staged = stage(v, {{j}}, 0, Space::Scratch), k = range(5, 2);
  EXPECT_EQ(free_ranges(staged), List{i});
  EXPECT_EQ(free_ranges(load(staged, {{k}})), (List{i, k}));
}
TEST_F(FreeRanges, StayOpenOutsideTheNodeThatClosesThem) {
  const UOp sum = reduce_ranges(v, ReduceOp::Add, {{j}});
  EXPECT_EQ(free_ranges(sum + cast(j, DType::Float32)), (List{i, j}));
}

}  // namespace
}  // namespace tg
