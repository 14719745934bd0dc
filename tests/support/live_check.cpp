// A listener that fails every test after which more, or fewer, nodes or bytes of device memory are
// alive than before it. The engine's caches hold graphs by design, so they are emptied first;
// nothing else is excused: the library has no other place that keeps nodes, and must not get one.
// The functions that count are weak here, so that an executable of a lower layer, which links
// neither engine nor runtime, is checked for what it has.
#include "support/live_check.h"

#include <gtest/gtest.h>

#include "runtime/memory_use.h"
#include "tg/ir/node.h"

namespace tg {

[[gnu::weak]] InternerStats interner_stats();
[[gnu::weak]] MemoryUse memory_use();
[[gnu::weak]] void clear_caches();

namespace test {
namespace {

class LiveCheck : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { before_ = live_counts(); }

  // A test that failed may have left its work half done, and has been reported.
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Failed()) return;
    const std::string difference = live_difference(before_, live_counts());
    if (!difference.empty()) ADD_FAILURE() << difference << " than before the test";
  }

  LiveCounts before_;
};

// Every executable has gtest's own main, which appends nothing; listeners are kept by gtest.
[[maybe_unused]] const bool listens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new LiveCheck);
  return true;
}();

std::string more_or_fewer(int64_t count, const char* one, const char* many) {
  const int64_t size = count < 0 ? -count : count;
  return std::to_string(size) + (size == 1 ? one : many) + (count < 0 ? " fewer" : " more");
}

}  // namespace

LiveCounts live_counts() {
  if (clear_caches != nullptr) clear_caches();
  LiveCounts now;
  if (interner_stats != nullptr) {
    const InternerStats s = interner_stats();
    now.nodes = s.live_nodes;
    now.node_bytes = s.live_bytes;
  }
  if (memory_use != nullptr) now.device_bytes = memory_use().in_use;
  return now;
}

std::string live_difference(const LiveCounts& before, const LiveCounts& after) {
  std::string out;
  const auto add = [&out](int64_t from, int64_t to, const char* one, const char* many) {
    if (from == to) return;
    if (!out.empty()) out += ", ";
    out += more_or_fewer(to - from, one, many);
  };
  add(before.nodes, after.nodes, " live node", " live nodes");
  add(before.node_bytes, after.node_bytes, " byte of nodes", " bytes of nodes");
  add(before.device_bytes, after.device_bytes, " byte of device memory", " bytes of device memory");
  return out;
}

}  // namespace test
}  // namespace tg
