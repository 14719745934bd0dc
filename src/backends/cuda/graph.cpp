// See graph.h.
#include "backends/cuda/graph.h"

#include <fmt/format.h>

#include "runtime/launch_graph.h"

namespace tg::cuda {
namespace {

const CudaProgram& program_of(const Call& call) {
  return static_cast<const CudaProgram&>(*call.program);
}

}  // namespace

GraphReplay::GraphReplay(const Workplace& place, const CallSequence& sequence)
    : place_(place), driver_(place.session.driver()), changed_(sequence) {
  place_.session.enter();
  Graph* graph = nullptr;
  place_.session.check(driver_.GraphCreate(&graph, 0), "cuGraphCreate");
  graph_ = place_.session.own<&Driver::GraphDestroy>(graph);
  const Nodes nodes = build_launch_graph<GraphNode*>(
      sequence, [&](const Call& call, const Nodes& after) { return add(call, after); },
      [&](const Nodes& after) { return join(after); });
  for (const size_t call : sequence.varying) varying_.push_back(nodes[call]);
  GraphExec* exec = nullptr;
  place_.retry(
      [&] { return driver_.GraphInstantiate(&exec, graph, 0); },
      [&] { return fmt::format("cuGraphInstantiate of {} kernels", sequence.calls.size()); });
  exec_ = place_.session.own<&Driver::GraphExecDestroy>(exec);
}

GraphNode* GraphReplay::add(const Call& call, const Nodes& after) const {
  const CudaProgram& program = program_of(call);
  const BoundLaunch bound = program.bind(call);
  GraphNode* node = nullptr;
  place_.session.check(
      driver_.GraphAddKernelNode(&node, graph_.get(), after.data(), after.size(), &bound.launch),
      "cuGraphAddKernelNode of " + program.name());
  return node;
}

GraphNode* GraphReplay::join(const Nodes& after) const {
  GraphNode* node = nullptr;
  place_.session.check(driver_.GraphAddEmptyNode(&node, graph_.get(), after.data(), after.size()),
                       "cuGraphAddEmptyNode");
  return node;
}

void GraphReplay::run() {
  place_.session.enter();
  changed_.update([&](size_t varying, const Call& call) {
    const CudaProgram& program = program_of(call);
    const BoundLaunch bound = program.bind(call);
    const Status s =
        driver_.GraphExecKernelNodeSetParams(exec_.get(), varying_[varying], &bound.launch);
    if (s != kSuccess)
      place_.session.check(s, "cuGraphExecKernelNodeSetParams of " + program.name());
  });
  place_.retry([&] { return driver_.GraphLaunch(exec_.get(), place_.session.stream()); },
               [] { return std::string("cuGraphLaunch"); });
}

}  // namespace tg::cuda
