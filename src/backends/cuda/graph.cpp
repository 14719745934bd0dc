// See graph.h.
#include "backends/cuda/graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace tg::cuda {
namespace {

const CudaProgram& program_of(const Call& call) {
  return static_cast<const CudaProgram&>(*call.program);
}

}  // namespace

GraphReplay::GraphReplay(const Workplace& place, const CallSequence& sequence)
    : place_(place), driver_(place.session.driver()), changed_(sequence) {
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
  size_t call = 0;
  for (const size_t end : sequence.ends) {
    before = joined(std::move(before), end - call);
    Nodes launch;
    for (; call < end; ++call) {
      launch.push_back(add(sequence.calls[call], before));
      if (std::ranges::binary_search(sequence.varying, call)) varying_.push_back(launch.back());
    }
    before = std::move(launch);
  }
  place_.retry(
      [&] { return driver_.GraphInstantiate(&exec_, graph_, 0); },
      [&] { return fmt::format("cuGraphInstantiate of {} kernels", sequence.calls.size()); });
}

GraphNode* GraphReplay::add(const Call& call, const Nodes& after) {
  const CudaProgram& program = program_of(call);
  Arguments arguments = program.arguments(call);
  const KernelLaunch launch = program.launch_of(arguments);
  GraphNode* node = nullptr;
  place_.session.check(
      driver_.GraphAddKernelNode(&node, graph_, after.data(), after.size(), &launch),
      "cuGraphAddKernelNode of " + program.name());
  return node;
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
  changed_.update([&](size_t varying, const Call& call) {
    const CudaProgram& program = program_of(call);
    Arguments arguments = program.arguments(call);
    const KernelLaunch launch = program.launch_of(arguments);
    const Status s = driver_.GraphExecKernelNodeSetParams(exec_, varying_[varying], &launch);
    if (s != kSuccess)
      place_.session.check(s, "cuGraphExecKernelNodeSetParams of " + program.name());
  });
  place_.retry([&] { return driver_.GraphLaunch(exec_, place_.session.stream()); },
               [] { return std::string("cuGraphLaunch"); });
}

}  // namespace tg::cuda
