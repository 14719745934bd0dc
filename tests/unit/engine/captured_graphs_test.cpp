// Random graphs as captured functions of their leaves: each call has the values that the evaluator
// gives for its arguments.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <algorithm>

#include "support/device_graph.h"
#include "support/effort.h"
#include "support/options.h"
#include "support/same_numbers.h"
#include "tensor/ops.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

constexpr int kGraphCalls = 4;

struct CapturedBlock {
  const char* device;
  uint64_t first_seed;
  uint64_t graphs;
};

class CapturedGraphs : public testing::TestWithParam<CapturedBlock> {};

// The same numbers in another order: bounds on values hold as before.
BufferContents shuffled(const test::RandomGraph& g, std::mt19937_64& rng) {
  BufferContents out;
  for (const UOp& leaf : g.leaves) {
    TensorValue v = g.contents.at(leaf.node());
    for (int64_t i = v.numel() - 1; i > 0; --i) {
      const auto k = static_cast<int64_t>(rng() % static_cast<uint64_t>(i + 1));
      const Scalar a = v.at(i), b = v.at(k);
      v.set(i, b);
      v.set(k, a);
    }
    out.emplace(leaf.node(), std::move(v));
  }
  return out;
}

void run(const test::RandomGraph& g, Device& on) {
  TinyJit jit([&](const std::vector<Tensor>& leaves) {
    std::unordered_map<const Node*, UOp> map;
    for (size_t i = 0; i < leaves.size(); ++i) {
      map.emplace(g.leaves[i].node(), ops_detail::node_of(leaves[i], "test"));
    }
    std::vector<Tensor> out;
    for (const UOp& r : g.roots) out.push_back(ops_detail::wrap(substitute(r, map)));
    return out;
  });
  std::mt19937_64 rng(g.seed);
  for (int call = 0; call < kGraphCalls; ++call) {
    const BufferContents contents = shuffled(g, rng);
    const std::vector<TensorValue> want = evaluate(g.roots, contents);
    std::vector<Tensor> leaves;
    for (const UOp& leaf : g.leaves) {
      leaves.push_back(ops_detail::wrap(test::device_leaf(on, contents.at(leaf.node()))));
    }
    const std::vector<Tensor> got = jit(leaves);
    for (size_t r = 0; r < got.size(); ++r) {
      const UOp value = ops_detail::node_of(got[r].contiguous().realize(), "test");
      EXPECT_TRUE(test::same_numbers(test::device_value(value), want[r]))
          << "call " << call << " root " << r << "\n"
          << print(g.roots[r]);
    }
  }
  EXPECT_TRUE(jit.stats().captured);
}

TEST_P(CapturedGraphs, HaveTheValuesOfTheEvaluatorInEveryCall) {
  const CapturedBlock& b = GetParam();
  Options o = options();
  o.device = b.device;
  const OptionsScope scope(o);
  for (uint64_t seed = b.first_seed; seed < b.first_seed + test::trials(b.graphs); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run(test::random_graph(seed, {}), device(b.device));
    if (HasFailure()) return;
  }
}

std::vector<CapturedBlock> captured_blocks(const char* device, uint64_t first, uint64_t count,
                                           uint64_t graphs) {
  std::vector<CapturedBlock> out;
  for (uint64_t k = 0; k < count; ++k) out.push_back({device, first + k * graphs, graphs});
  return out;
}

std::string captured_block_name(const testing::TestParamInfo<CapturedBlock>& info) {
  return "From" + std::to_string(info.param.first_seed);
}

INSTANTIATE_TEST_SUITE_P(Interp, CapturedGraphs,
                         testing::ValuesIn(captured_blocks("INTERP", 1, 20, 50)),
                         captured_block_name);
INSTANTIATE_TEST_SUITE_P(Cpu, CapturedGraphs,
                         testing::ValuesIn(captured_blocks("CPU", 700001, 4, 20)),
                         captured_block_name);

}  // namespace
}  // namespace tg
