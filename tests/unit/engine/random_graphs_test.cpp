// The whole pipeline against the evaluator: thousands of random graphs, many in one call of
// realize, on the interpreter and on the CPU.
#include <gtest/gtest.h>

#include "engine/counters.h"
#include "support/device_graph.h"
#include "support/effort.h"
#include "support/options.h"
#include "support/same_numbers.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

struct GraphBlock {
  const char* device;
  uint64_t first_seed;
  uint64_t graphs;
  bool stores;
  bool noopt;
};

class RandomGraphsOnDevice : public testing::TestWithParam<GraphBlock> {};

TEST_P(RandomGraphsOnDevice, HaveTheValuesOfTheEvaluator) {
  const GraphBlock& b = GetParam();
  Options o = options();
  o.device = b.device;
  o.noopt = b.noopt;
  const OptionsScope scope(o);
  test::RandomGraphOptions limits{.stores = b.stores, .variables = true};
  limits.make_leaf = [&](const TensorValue& v) { return test::device_leaf(device(b.device), v); };
  std::vector<test::RandomGraph> graphs;
  std::vector<UOp> roots;
  std::vector<TensorValue> want;
  for (uint64_t seed = b.first_seed; seed < b.first_seed + test::trials(b.graphs); ++seed) {
    graphs.push_back(test::random_graph(seed, limits));
    const test::RandomGraph& g = graphs.back();
    for (TensorValue& v : evaluate(g.roots, g.contents)) want.push_back(std::move(v));
    roots.insert(roots.end(), g.roots.begin(), g.roots.end());
  }
  const EngineCounters before = counters();
  const std::vector<TensorValue> got = test::realized_values(roots);
  EXPECT_LT(counters().launches - before.launches, counters().kernels - before.kernels)
      << "no batch among graphs that are independent of each other";
  size_t i = 0;
  for (const test::RandomGraph& g : graphs) {
    for (size_t r = 0; r < g.roots.size(); ++r, ++i) {
      EXPECT_TRUE(test::same_numbers(got[i], want[i])) << "seed " << g.seed << " root " << r << "\n"
                                                       << print(g.roots[r]);
    }
  }
}

std::vector<GraphBlock> graph_blocks(const char* device, uint64_t count, uint64_t graphs) {
  std::vector<GraphBlock> out;
  for (uint64_t k = 0; k < count; ++k) {
    out.push_back({device, 100000 + k * graphs, graphs, k % 3 == 2, k % 4 == 3});
  }
  return out;
}

std::string graph_block_name(const testing::TestParamInfo<GraphBlock>& info) {
  const GraphBlock& b = info.param;
  return std::string(b.stores ? "InPlace" : "Pure") + (b.noopt ? "Plain" : "Optimised") + "From" +
         std::to_string(b.first_seed);
}

INSTANTIATE_TEST_SUITE_P(Interp, RandomGraphsOnDevice,
                         testing::ValuesIn(graph_blocks("INTERP", 120, 50)), graph_block_name);
INSTANTIATE_TEST_SUITE_P(Cpu, RandomGraphsOnDevice, testing::ValuesIn(graph_blocks("CPU", 16, 70)),
                         graph_block_name);

}  // namespace
}  // namespace tg
