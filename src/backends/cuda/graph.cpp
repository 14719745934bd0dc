// See graph.h.
#include "backends/cuda/graph.h"

#include <fmt/format.h>

namespace tg::cuda {
namespace {

const CudaProgram& program_of(const Call& call) {
  return static_cast<const CudaProgram&>(*call.program);
}

}  // namespace

GraphReplay::GraphReplay(const Workplace& place, const CallSequence& sequence)
    : place_(place), driver_(place.session.driver()) {
  place_.session.enter();
  try {
    build(sequence);
  } catch (...) {
    destroy();
    throw;
  }
}

GraphReplay::~GraphReplay() {
  place_.session.enter_quietly();
  destroy();
}

// The driver waits for what still runs.
void GraphReplay::destroy() {
  if (exec_ != nullptr) driver_.GraphExecDestroy(exec_);
  if (graph_ != nullptr) driver_.GraphDestroy(graph_);
}

// Each launch waits for the one before; calls of one launch do not wait for each other.
void GraphReplay::build(const CallSequence& sequence) {
  place_.session.check(driver_.GraphCreate(&graph_, 0), "cuGraphCreate");
  Nodes before;
  size_t call = 0, next_varying = 0;
  for (const size_t end : sequence.ends) {
    before = joined(std::move(before), end - call);
    Nodes launch;
    for (; call < end; ++call) {
      const bool varies =
          next_varying < sequence.varying.size() && sequence.varying[next_varying] == call;
      if (varies) ++next_varying;
      launch.push_back(add(sequence.calls[call], before, varies));
    }
    before = std::move(launch);
  }
  place_.retry(
      [&] { return driver_.GraphInstantiate(&exec_, graph_, 0); },
      [&] { return fmt::format("cuGraphInstantiate of {} kernels", sequence.calls.size()); });
}

GraphNode* GraphReplay::add(const Call& call, const Nodes& after, bool varies) {
  const CudaProgram& program = program_of(call);
  const auto add_node = [&](Arguments& arguments) {
    GraphNode* node = nullptr;
    const KernelLaunch launch = program.launch_of(arguments);
    place_.session.check(
        driver_.GraphAddKernelNode(&node, graph_, after.data(), after.size(), &launch),
        "cuGraphAddKernelNode of " + program.name());
    return node;
  };
  if (!varies) {
    Arguments arguments = program.arguments(call);
    return add_node(arguments);
  }
  Varying& v = varying_.emplace_back(call, nullptr, program.arguments(call));
  return v.node = add_node(v.arguments);
}

// What `next` kernels must wait for: one node in place of many, where that saves edges.
GraphReplay::Nodes GraphReplay::joined(Nodes nodes, size_t next) const {
  if (nodes.size() * next <= nodes.size() + next) return nodes;
  GraphNode* join = nullptr;
  place_.session.check(driver_.GraphAddEmptyNode(&join, graph_, nodes.data(), nodes.size()),
                       "cuGraphAddEmptyNode");
  return {join};
}

void GraphReplay::run() {
  place_.session.enter();
  for (Varying& v : varying_) {
    const CudaProgram& program = program_of(v.call);
    Arguments now = program.arguments(v.call);
    if (now == v.arguments) continue;
    const KernelLaunch launch = program.launch_of(now);
    const Status s = driver_.GraphExecKernelNodeSetParams(exec_, v.node, &launch);
    if (s != kSuccess)
      place_.session.check(s, "cuGraphExecKernelNodeSetParams of " + program.name());
    v.arguments = std::move(now);
  }
  place_.retry([&] { return driver_.GraphLaunch(exec_, place_.session.stream()); },
               [] { return std::string("cuGraphLaunch"); });
}

}  // namespace tg::cuda
