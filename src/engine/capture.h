// A recorded sequence of runs as one list of launches with every pointer bound: what a captured
// call replays. Planned as a whole: temporaries of all runs share one arena, batches go across
// runs, and kernels that depend only on storage which the calls never write run once. Arguments and
// results are slots, bound at each replay. What may change between calls is checked by the caller
// (src/tensor/jit.cpp).
#pragma once

#include <memory>
#include <vector>

#include "engine/recorder.h"
#include "engine/replay.h"
#include "engine/state.h"
#include "schedule/memory_plan.h"

namespace tg {

struct CaptureStats {
  int64_t launches = 0;  ///< of a replay
  int64_t kernels = 0;   ///< that these launches run
  int64_t once = 0;      ///< kernels that run once, and again when what they read has changed
  int64_t arena_bytes = 0;
  int64_t lower_bound = 0;  ///< most bytes of temporaries that live at one launch
};

/// Not thread-safe: one replay at a time. Holds the storage that it uses; its end frees the arena.
class CapturedGraph {
 public:
  /// `inputs`: storage of the arguments. `outputs`: storage of results, made while recording, that
  /// replays write to fresh storage instead. Throws DeviceError if there is no memory.
  CapturedGraph(const Recorder& recording, std::span<Buffer* const> inputs,
                std::span<Buffer* const> outputs);
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Runs all launches on this storage, as many inputs and outputs as were recorded. Variables
  /// take the values of `bindings`; those that it lacks keep the ones that were recorded. Throws
  /// DeviceError if storage lives on another device than what was recorded.
  void replay(std::span<Buffer* const> inputs, std::span<Buffer* const> outputs,
              const Bindings& bindings = {});

  /// Does a replay write the storage of input `i`?
  bool writes_input(size_t i) const { return input_written_[i]; }
  /// Storage besides inputs and outputs that a replay overwrites.
  const std::vector<Ref<Buffer>>& overwritten() const { return overwritten_; }
  /// Is this storage used, though it is no argument? `written`: and does a replay write it?
  bool uses(const Buffer* storage, bool& written) const;
  const CaptureStats& stats() const { return stats_; }

 private:
  friend class CaptureBuilder;
  struct Launch {
    Device* device = nullptr;
    Device* source = nullptr;  ///< of a copy; null: kernels
    size_t first = 0;          ///< call, or, of a copy, the place of the target in the table
    size_t count = 0;          ///< calls
    int64_t bytes = 0;         ///< of a copy
  };
  struct Source {
    Ref<Buffer> storage;
    int64_t version;
  };
  /// Where the table has an argument or a result, and how many bytes behind its beginning.
  struct Place {
    uint32_t at;
    int64_t offset;
  };
  void set(std::span<const Place> places, void* array);
  void run(const std::vector<Launch>& launches);
  void run_prologue();

  std::vector<void*> table_;     ///< arguments of all calls; stays where it is
  std::vector<int64_t> values_;  ///< of variables, by call; stays where it is
  std::vector<std::pair<UOp, uint32_t>> value_places_;  ///< variable, position in values_
  std::vector<Call> calls_;                             ///< of all kernels
  std::vector<ReadyKernelRef> kernels_;                 ///< by call
  std::vector<Launch> launches_, prologue_;             // to be shown, and to run once
  std::vector<std::vector<Place>> input_places_, output_places_;     ///< by argument, by result
  std::vector<const Device*> input_devices_, output_devices_;        ///< as recorded
  std::vector<bool> input_written_;
  std::vector<Source> prologue_sources_;
  bool prologue_done_ = false;
  std::vector<Ref<Buffer>> held_, overwritten_, arenas_;
  CaptureStats stats_;
  double flops_ = 0, bytes_ = 0;
  KernelsByDevice by_device_;  // of a replay
  ReplaySteps steps_;          // launches_, as devices get them; goes before the programs do
};

}  // namespace tg
