// What heuristics look at: the accesses of a kernel with their strides along each base range.
// Internal to codegen.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "codegen/legality.h"
#include "kernel/affine.h"
#include "kernel/kernel_schedule.h"
#include "target/target.h"

namespace tg {

/// A LOAD or STORE with the element stride along each base range of the plain schedule.
struct AccessFacts {
  UOp access;
  std::vector<int64_t> stride;  ///< by base; where `opaque`, of the affine part only
  std::vector<bool> depends;    ///< by base, through any term
  bool store = false;
  bool gated = false;
  int64_t elements = 0;  ///< of the whole array
};

struct KernelFacts {
  std::vector<AccessFacts> accesses;
  std::vector<UOp> reduces;    ///< without running ones
  std::vector<UOp> quotients;  ///< of indices by positive constants, and remainders
  bool runs = false;           ///< there are some
  SharingBases sharing;
  std::vector<bool> shared;                          ///< by base: every store runs over it
  bool updates_in_place = false;                     ///< some array is read and written
  int min_element_bytes = 8, max_element_bytes = 1;  ///< narrowest and widest of the accesses
  int max_value_bytes = 1;  ///< widest value among these and what is computed of them

  /// Whether iterations of base `b` keep their order: see SharingBases.
  bool ordered(size_t b) const { return sharing.with_others[b]; }
  bool any_ordered() const {
    return std::ranges::find(sharing.with_others, true) != sharing.with_others.end();
  }
};

/// Vectors of neighbouring results that are picked into whole ones, whatever their number is: two
/// shuffles for each vector of a row but one. More, and each lane is stored alone.
inline constexpr int64_t kMostWoven = 4;

KernelFacts facts_of(const UOp& kernel, const KernelSchedule& plain);

/// Whether the kernel computes each point from elements that all lie where ranges say, along every
/// base that memory is contiguous along: no sums, no gates, no quotients.
bool streams(const KernelFacts& facts);

/// Whether vectors of which some lanes are left over are loaded by a mask at no cost.
bool masks_loads(const Target& target, const KernelFacts& facts);

/// Schedule of a contraction Σ a·b, or nothing if the kernel is none.
std::optional<KernelSchedule> schedule_contraction(const UOp& kernel, const KernelSchedule& plain,
                                                   const KernelFacts& facts, const Target& target);

/// Parts of at most `b` that `a` things make.
inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Whether `load` reads an array that ranges walk, with zeros around it at most: it can be copied.
bool is_walked(const UOp& load);
/// Position in the loop order of the outermost digit of `base`, −1 if it has no loop.
int loop_of(const KernelSchedule& s, int base);
/// The same of the innermost.
int innermost_loop_of(const KernelSchedule& s, int base);
int loop_count(const KernelSchedule& s);
/// Whether some digit of `base` is unrolled.
bool is_unrolled(const KernelSchedule& s, int base);
/// Elements of the copy that `staging` asks for, the axes being what they are in `s`.
int64_t staged_elements(const KernelSchedule& s, const Staging& staging);

}  // namespace tg
