// A captured sequence as one graph of the driver: built once, launched whole at each run, and only
// kernels whose arguments have changed are told so. What a launch is: program.h.
#pragma once

#include <vector>

#include "backends/cuda/program.h"
#include "runtime/changed_calls.h"

namespace tg::cuda {

class GraphReplay final : public Replay {
 public:
  /// Throws DeviceError if the driver makes no such graph.
  GraphReplay(const Workplace& place, const CallSequence& sequence);

  /// Queued, not waited for.
  void run() override;

 private:
  using Nodes = std::vector<GraphNode*>;
  GraphNode* add(const Call& call, const Nodes& after) const;
  GraphNode* join(const Nodes& after) const;

  const Workplace& place_;
  const Driver& driver_;
  Session::Owned<Graph, &Driver::GraphDestroy> graph_;
  Session::Owned<GraphExec, &Driver::GraphExecDestroy> exec_;
  Nodes varying_;  // kernels whose arguments may change
  ChangedCalls changed_;
};

}  // namespace tg::cuda
