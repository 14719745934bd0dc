// The generator of random graphs: repeatable, within its limits, varied, and evaluable.
#include "support/random_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/symbol.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using test::random_graph;
using test::RandomGraph;
using test::RandomGraphOptions;

class RandomGraphs : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomGraphs, EvaluateToTheirShapesWithExactNumbers) {
  for (uint64_t k = 0; k < 50; ++k) {
    const uint64_t seed = GetParam() * 1000 + k;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph g = random_graph(seed, {.stores = k % 2 == 1});
    const auto values = evaluate(g.roots, g.contents);
    ASSERT_EQ(values.size(), g.roots.size());
    for (size_t r = 0; r < values.size(); ++r) {
      ASSERT_EQ(values[r].shape, g.roots[r].shape_vec());
      ASSERT_EQ(values[r].dtype, g.roots[r].dtype());
      if (!is_float(values[r].dtype)) continue;
      for (double v : values[r].doubles()) ASSERT_EQ(v, std::trunc(v)) << "floats hold integers";
    }
  }
}

TEST_P(RandomGraphs, AreTheSameForTheSameSeed) {
  const RandomGraph a = random_graph(GetParam()), b = random_graph(GetParam());
  ASSERT_EQ(a.roots.size(), b.roots.size());
  EXPECT_EQ(evaluate(a.roots, a.contents), evaluate(b.roots, b.contents));
}

TEST_P(RandomGraphs, StayWithinTheLimits) {
  const RandomGraphOptions o{
      .max_ops = 8, .max_rank = 3, .max_extent = 3, .max_elements = 27, .gathers = false};
  const RandomGraph g = random_graph(GetParam(), o);
  for (const Node* n : toposort(g.roots)) {
    EXPECT_LE(n->n_dim, 3);
    EXPECT_NE(n->op, Op::Gather);
    EXPECT_NE(n->op, Op::Scatter);
    EXPECT_NE(n->op, Op::Store);
  }
  for (const UOp& r : g.roots) EXPECT_LE(r.numel(), 27);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range<uint64_t>(1, 21));

TEST(RandomGraphVariety, EveryOpOfTheGraphOccurs) {
  std::set<std::string_view> seen;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const RandomGraph g = random_graph(seed, {.stores = seed % 4 == 0, .variables = seed % 3 == 0});
    for (const Node* n : toposort(g.roots)) seen.insert(op_name(n->op));
  }
  for (Op op :
       {Op::Reshape, Op::Permute, Op::Expand, Op::Pad,        Op::Shrink,  Op::Flip,   Op::Offset,
        Op::Limit,   Op::Bind,    Op::Shear,  Op::Gather,     Op::Scatter, Op::Reduce, Op::Iota,
        Op::Const,   Op::Buffer,  Op::Add,    Op::Mul,        Op::Max,     Op::CmpLt,  Op::CmpNe,
        Op::Where,   Op::Cast,    Op::Xor,    Op::And,        Op::Or,      Op::IDiv,   Op::Mod,
        Op::Trunc,   Op::After,   Op::Store,  Op::Contiguous, Op::Detach}) {
    EXPECT_TRUE(seen.contains(op_name(op))) << op_name(op);
  }
}

TEST(RandomGraphVariety, LeavesCanBeMadeByTheCaller) {
  int made = 0;
  const auto device = static_cast<DeviceId>(intern_symbol("RANDOM_GRAPH_TEST"));
  RandomGraphOptions o;
  o.make_leaf = [&](const TensorValue& v) {
    ++made;
    return buffer(v.shape, v.dtype, device, nullptr);
  };
  const RandomGraph g = random_graph(3, o);
  EXPECT_EQ(made, static_cast<int>(g.leaves.size()));
  for (const UOp& leaf : g.leaves) EXPECT_EQ(leaf.device(), device);
}

}  // namespace
}  // namespace tg
