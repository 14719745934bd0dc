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
  ~GraphReplay() override;
  GraphReplay(const GraphReplay&) = delete;
  GraphReplay& operator=(const GraphReplay&) = delete;

  /// Queued, not waited for.
  void run() override;

 private:
  using Nodes = std::vector<GraphNode*>;
  void build(const CallSequence& sequence);
  GraphNode* add(const Call& call, const Nodes& after);
  Nodes joined(Nodes nodes, size_t next) const;
  void destroy();

  const Workplace& place_;
  const Driver& driver_;
  Graph* graph_ = nullptr;
  GraphExec* exec_ = nullptr;
  Nodes varying_;  // kernels whose arguments may change
  ChangedCalls changed_;
};

}  // namespace tg::cuda
