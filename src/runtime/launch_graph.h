// A captured sequence as a graph, for devices that take one: each launch comes behind the one
// before, and the calls of one launch do not wait for each other. What a node is, the backend
// knows; what changes from run to run: changed_calls.h.
#pragma once

#include <vector>

#include "runtime/device.h"
#include "tg/ir/function_ref.h"

namespace tg {

/// The nodes of all calls, in their order. `add` makes the node of a call that waits for all of
/// `after`; `join` one that does nothing but wait: it stands between two launches of many calls,
/// where that saves edges.
template <typename Node>
std::vector<Node> build_launch_graph(
    const CallSequence& sequence,
    FunctionRef<Node(const Call& call, const std::vector<Node>& after)> add,
    FunctionRef<Node(const std::vector<Node>& after)> join) {
  std::vector<Node> all, before, launch;
  for (const size_t end : sequence.ends) {
    const size_t count = end - all.size();
    if (before.size() * count > before.size() + count) before = {join(before)};
    launch.clear();
    while (all.size() < end) {
      launch.push_back(add(sequence.calls[all.size()], before));
      all.push_back(launch.back());
    }
    std::swap(before, launch);
  }
  return all;
}

}  // namespace tg
