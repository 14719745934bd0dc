// Where temporaries lie: values with sizes and lifetimes are packed into one arena, so that two
// that live at the same time never overlap. In-place reuse, where a kernel writes over an input
// that dies with it, is decided here too. Pure functions of a schedule; allocation is the
// executor's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/schedule.h"

namespace tg {

/// A value that occupies `bytes` from step `first` to step `last`, both included.
struct Lifetime {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  ///< by value, multiples of kPlanAlignment
  int64_t bytes = 0;             ///< of the arena
  int64_t lower_bound = 0;       ///< most bytes that live at one step: no packing needs less
};

constexpr int64_t kPlanAlignment = 64;

/// Packs best fit first: largest values first, each into the tightest gap that its contemporaries
/// leave. O(n²) for up to some thousands of values; beyond, first come first placed in O(n log n).
MemoryPlan plan_memory(std::span<const Lifetime> values);

/// Lets each kernel that computes a temporary element by element, from elements of a dying
/// temporary of equal size at the same index, write over it: the two become one parameter of the
/// kernel and one entry of `storage_of` (indices into Schedule::buffers, each its own on return
/// otherwise). A value that other members of the kernel's batch read as well is not written over.
/// Returns how many were joined.
int reuse_in_place(Schedule& schedule, std::vector<int>& storage_of);

}  // namespace tg
