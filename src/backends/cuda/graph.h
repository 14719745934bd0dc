// A captured sequence as one graph of the driver: built once, launched whole at each run, and only
// kernels whose arguments have changed are told so. What a launch is: program.h.
#pragma once

#include <deque>
#include <vector>

#include "backends/cuda/program.h"

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
  // A kernel whose arguments may change, with those that the graph has.
  struct Varying {
    const Call& call;
    GraphNode* node;
    Arguments arguments;
  };
  using Nodes = std::vector<GraphNode*>;
  void build(const CallSequence& sequence);
  GraphNode* add(const Call& call, const Nodes& after, bool varies);
  Nodes joined(Nodes nodes, size_t next) const;
  void destroy();

  const Workplace& place_;
  const Driver& driver_;
  Graph* graph_ = nullptr;
  GraphExec* exec_ = nullptr;
  std::deque<Varying> varying_;
};

}  // namespace tg::cuda
