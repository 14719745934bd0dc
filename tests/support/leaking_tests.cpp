// Tests that leave something behind on purpose, for tests/support/CMakeLists.txt to see that the
// check of live nodes and bytes finds it; and one that leaves something only in the engine's
// caches, which is none of its business.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <optional>

#include "runtime/device.h"
#include "tg/ir/uop.h"

namespace tg {
namespace {

UOp left_node;
UOp left_graph;
std::optional<Tensor> left_tensor;

TEST(Leaking, ANode) { left_node = constant(int64_t{4711}, DType::Int32); }

TEST(Leaking, AGraph) {
  left_graph = buffer({4}, DType::Float32, 0, nullptr);
  for (int i = 0; i < 1000; ++i) left_graph = sin(left_graph);
}

TEST(Leaking, ATensorWithStorage) { left_tensor = Tensor(std::vector<float>{1, 2, 3}).realize(); }

TEST(Leaking, StorageAlone) { device(default_device()).allocator().allocate(4096); }

// Made before main, and so before the count that the test starts from.
UOp early = constant(int64_t{4712}, DType::Int32);
TEST(Leaking, FreesWhatWasThereBefore) { early = UOp(); }

TEST(Leaking, NothingThatACacheHolds) {
  const Tensor x(std::vector<float>{1, 2, 3});
  EXPECT_EQ((x * 2).to_vector<float>(), (std::vector<float>{2, 4, 6}));
}

}  // namespace
}  // namespace tg
