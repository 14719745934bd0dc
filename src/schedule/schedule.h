// Tensor graph to a list of kernels: what is stored is decided (fusion.cpp), kernels are built
// (kernel_builder.cpp), cut to what is read of them (trim_stores.cpp), merged (merge_kernels.cpp)
// and put in an order in which every kernel finds its inputs and no value is overwritten before its
// last reader; those with more arrays than the target binds are divided (array_limit.cpp); small
// ones that are independent of each other share a step (batch_kernels.cpp). Compiling and running:
// src/engine.
#pragma once

#include <vector>

#include "schedule/tensor_graph.h"
#include "schedule/window.h"

namespace tg {

/// Storage that a schedule touches: an argument of the graph, or a temporary that the executor
/// provides.
struct ScheduledBuffer {
  const Node* node = nullptr;  ///< the BUFFER or PARAM, or the node whose value it holds; of a
                               ///< kernel's value that no node has, a BUFFER without memory
  bool external = false;
  int first_use = -1;  ///< steps from which to which a temporary must exist; −1: never
  int last_use = -1;
};

/// A kernel, or a copy between devices (then `kernel` is empty: buffers[0] ← buffers[1]).
struct ScheduleItem {
  UOp kernel;
  std::vector<int> buffers;  ///< by slot, indices into Schedule::buffers
  DeviceId device = 0;
  int step = 0;  ///< items of equal step are neighbours that run as one launch, on one device: a
                 ///< batch, see batch_kernels.h
};

struct Schedule {
  UOp graph;  ///< keeps every node referred to alive
  std::vector<ScheduledBuffer> buffers;
  std::vector<ScheduleItem> items;
  std::vector<int> results;  ///< for each root the buffer with its value, or −1 if the root is a
                             ///< view that needs no kernel
  std::vector<int>
      overwritten;  ///< external buffers that stores replace the contents of, each once
  /// Old versions that had to be copied because a kernel needs them after, or together with, the
  /// store that replaces them.
  std::vector<UOp> version_copies;
};

/// Schedules what `roots` need. Pure: depends on the graph, target and options only. Every value is
/// computed and stored on the device of the kernels that read it (uop/devices.h). Every read
/// sees the version that it names: stores wait for the readers of what they replace, and where that
/// is impossible the old version is copied. Throws ArgumentError if two stores replace one version,
/// DeviceError if an operation has more operands than the target has arrays.
Schedule make_schedule(std::span<const UOp> roots, const Target& target,
                       const FusionOptions& options = {});

}  // namespace tg
