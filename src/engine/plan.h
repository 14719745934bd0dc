// What the engine remembers of a graph: its canonical form (storage numbered, so that the next
// training step finds the schedule of this one), its kernels in order with their programs, and
// where its temporaries lie. Running it: realize.cpp; recording a sequence of runs: capture.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/compile.h"
#include "engine/state.h"
#include "schedule/memory_plan.h"
#include "schedule/schedule.h"

namespace tg {

/// The values of variables. A handful: looked up one by one.
class Bindings {
 public:
  /// ArgumentError if the variable has another value already.
  void add(const UOp& variable, int64_t value);
  bool has(const UOp& variable) const;
  /// ArgumentError if it has none.
  int64_t value_of(const UOp& variable) const;
  /// Adds those of `variables`, in order; a CONST is its own value.
  void append(std::span<const UOp> variables, std::vector<int64_t>& values) const;
  const std::vector<std::pair<UOp, int64_t>>& all() const { return all_; }

 private:
  std::vector<std::pair<UOp, int64_t>> all_;
};

/// A graph whose BUFFERs are PARAM slots in order of first visit, and whose BINDs are their VARs;
/// of those with another value than the first of their name, VARs of other names.
struct CanonicalGraph {
  UOp sink;
  std::vector<UOp> arguments;  ///< BUFFER by slot
  Bindings bindings;
};
CanonicalGraph canonicalise(std::span<const UOp> roots);

/// One block of a device that holds temporaries.
struct Arena {
  Device* device = nullptr;
  MemoryPlan memory;
};

/// A schedule with its programs. Immutable and shared.
struct Plan {
  struct Place {
    int arena = -1;  ///< index, or −1: storage of its own (arguments, results)
    int64_t offset = 0;
  };
  /// Neighbouring items of one step that run together.
  struct Launch {
    size_t first = 0, count = 1;
  };
  Schedule schedule;
  std::vector<Launch> launches;  ///< in order
  size_t clean_launches = 0;     ///< the first ones, which overwrite nothing that exists outside:
                                 ///< until they are through, a run may be given up
  std::vector<Device*> devices;  ///< by item
  std::vector<ReadyKernelRef> kernels;  ///< by item; null for copies
  std::vector<int> storage_of;  ///< by buffer: the one whose memory it takes over, or itself
  std::vector<Place> places;    ///< by buffer
  std::vector<Device*> homes;   ///< by buffer: where its memory is
  std::vector<Arena> arenas;    ///< one a device
  double flops = 0, bytes = 0;  ///< of all launches
  KernelsByDevice by_device;    ///< copies too, by where they go

  bool is_temporary(int buffer) const { return places[static_cast<size_t>(buffer)].arena >= 0; }
};

/// Are neighbouring items, given by step and kernel, one launch? Those of a step are, but a program
/// that waits in between keeps out of batches.
inline bool run_together(int step, const ReadyKernel* kernel, int next_step,
                         const ReadyKernel* next) {
  return step == next_step && !(kernel && kernel->runs_alone) && !(next && next->runs_alone);
}

/// The plan of a canonical graph, from the cache or made now. Thread-safe; no lock is held while it
/// is made.
std::shared_ptr<const Plan> plan_for(const UOp& graph);

/// What evaluating the roots now would run, in order: kernels, behind all passes, each a SINK; and
/// copies between devices, each a COPY of the PARAM that it reads.
std::vector<UOp> items_for(std::span<const UOp> roots);
/// The kernels among them.
std::vector<UOp> kernels_for(std::span<const UOp> roots);

/// DeviceError if an item's arrays do not all live where it runs (but for what a copy reads): an
/// address of one device means nothing on another.
void check_devices(const Plan& plan);

/// The device of an item, buffer or root; id 0 is the default device.
Device& device_of(DeviceId id);

/// Plans in the cache.
int64_t kept_plans();

/// Forgets plans and programs, so that the nodes they hold die. Results do not change; what is used
/// again is planned and compiled again.
void clear_caches();

}  // namespace tg
