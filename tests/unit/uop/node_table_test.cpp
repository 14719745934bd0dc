// Facts by node, few and many, against a map of the standard library.
#include "uop/node_table.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace tg {
namespace {

TEST(NodeTable, HasWhatWasPutIntoIt) {
  std::vector<UOp> nodes;
  for (int64_t i = 0; i < 3000; ++i) nodes.push_back(index_const(i));
  for (const size_t count : {size_t{1}, size_t{8}, size_t{9}, size_t{33}, nodes.size()}) {
    NodeTable<size_t> table;
    std::unordered_map<const Node*, size_t> want;
    std::mt19937_64 rng(count);
    for (size_t i = 0; i < 2 * count; ++i) {
      const Node* n = nodes[rng() % count].node();
      EXPECT_EQ(table.insert(n, i), want.emplace(n, i).second);
    }
    for (const UOp& n : nodes) {
      const auto known = want.find(n.node());
      const size_t* found = table.find(n.node());
      ASSERT_EQ(found != nullptr, known != want.end());
      EXPECT_TRUE(found == nullptr || *found == known->second);
    }
  }
}

}  // namespace
}  // namespace tg
