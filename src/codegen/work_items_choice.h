// What the heuristics for work-items share: a kernel with its facts and a target, and the products
// among its reductions. The families are in heuristics_work_items.cpp, products in
// heuristics_work_items_product.cpp. Internal to codegen.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "codegen/kernel_facts.h"
#include "tg/ir/function_ref.h"

namespace tg {

struct WorkItemsChoice {
  /// Work-items that hide latency without starving registers.
  static constexpr int64_t kGroup = 256;
  static constexpr int kLanes = 4;  ///< elements of one access, of four bytes: 16 bytes
  /// Steps whose copies are kept where the target copies asynchronously: two are on their way while
  /// one is read. Copies that pass through registers would need them for as long.
  static constexpr int kStepsInFlight = 3;

  WorkItemsChoice(const UOp& k, const Target& t)
      : kernel(k),
        target(t),
        plain(plain_schedule(k)),
        facts(facts_of(k, plain)),
        group(std::min(kGroup, t.max_group_size)) {}

  const UOp& kernel;
  const Target& target;
  const KernelSchedule plain;
  const KernelFacts facts;
  const int64_t group;  ///< work-items of most groups

  int n_bases() const { return static_cast<int>(plain.bases.size()); }
  int64_t extent(int b) const { return plain.bases[static_cast<size_t>(b)].extent; }
  bool is_par(int b) const { return plain.bases[static_cast<size_t>(b)].role == Role::Par; }
  /// Outputs of the kernel beside those of one plane of two bases.
  int64_t planes(int across, int down) const;
  bool ordered(int b) const { return facts.ordered(static_cast<size_t>(b)); }
  /// How much of the traffic is contiguous along the base.
  int unit_score(int b) const;
  /// The base among those that `wanted` takes with the best score, ties to the longest; −1 if none.
  int best_base(FunctionRef<bool(int)> wanted) const;
  /// The access of the one load that a value is made from, by a cast or by what a cast was
  /// decomposed into; null if there are several, or a reduction.
  const AccessFacts* only_load_of(const UOp& u) const;
  /// The loads of the two factors, where the kernel is one reduction of their product.
  std::optional<std::array<const AccessFacts*, 2>> factors() const;
  /// Whether every access but `staged` steps by 1 along the base, or does not move.
  bool all_unit_or_fixed(int b, std::span<const UOp> staged = {}) const;
};

int64_t power_of_two_up_to(int64_t n);
int64_t largest_divisor_up_to(int64_t n, int64_t most);

/// A reduction of a product of two operands that each miss a parallel axis of the other.
struct WorkItemsProduct {
  int across, down;  ///< those axes, the one with the better strides first
  int reduced;       ///< the longest axis that both operands are reduced over
  UOp x, y;          ///< LOADs
};

std::optional<WorkItemsProduct> find_product(const WorkItemsChoice& c);
/// A tile of outputs for a group, a smaller one for a work-item; `vector`: lanes across, where they
/// are whole; `staged`: the operands will be copied, to where lanes are. Throws ArgumentError if it
/// is illegal.
void tile_product(const WorkItemsChoice& c, const WorkItemsProduct& p, bool vector, bool staged,
                  KernelSchedule& s);
/// Splits the reduction of a tiled product whose groups are placed, and has the work-items of a
/// group copy both operands' part of each step to scratch, `depth` − 1 steps ahead. Throws
/// ArgumentError if there is nothing to gain; whether scratch is large enough is known when the
/// schedule is applied.
void stage_product(const WorkItemsChoice& c, const WorkItemsProduct& p, int depth,
                   KernelSchedule& s);
/// A tile of outputs for a group by a matrix unit; the reduction in steps of `step` terms, or not
/// split if that is 0. Throws ArgumentError if it is illegal or a step is too long; whether the
/// unit suits the operands is known when the schedule is applied.
void tile_unit_product(const WorkItemsChoice& c, const WorkItemsProduct& p, const MatrixUnit& unit,
                       int64_t step, KernelSchedule& s);
/// Of units that read their factors from scratch: what the product would take by this one, to be
/// compared with others.
double unit_seconds(const WorkItemsChoice& c, const WorkItemsProduct& p, const MatrixUnit& unit);
/// Has the work-items of a group copy both operands' part of each step, `depth` − 1 steps ahead,
/// once the groups are placed. Throws ArgumentError if there are too few steps for that.
void stage_unit_product(const WorkItemsProduct& p, int depth, KernelSchedule& s);
/// Both operands' part of each step of the loop at position `loop` is copied `depth` − 1 steps
/// ahead.
void stage_operands(const WorkItemsProduct& p, int loop, int depth, KernelSchedule& s);

/// Scratch that the copies of a schedule take, in bytes.
int64_t staged_bytes(const KernelSchedule& s);

/// A product one of whose operands is read in windows that overlap: those of neighbours along a
/// strip of results share elements, by the terms (taps) that step through them alike. In a gradient
/// to the filter results are the taps, and the strip is summed over.
struct WindowProduct {
  const AccessFacts *windows, *others;
  std::vector<int> strips, taps;  ///< bases, one pair for each axis of the windows
};

/// Nothing where no window overlaps another, or an operand has no results of its own.
std::optional<WindowProduct> find_window_product(const WorkItemsChoice& c);
/// What a work-item makes, and the work-items of a group. Throws ArgumentError if nothing fits.
void tile_windows(const WorkItemsChoice& c, const WindowProduct& p, KernelSchedule& s);
/// Has the work-items of a group copy both operands, for the longest step that fits scratch;
/// `ahead`: one or two steps before they are read. Throws ArgumentError if none does.
void stage_windows(const WorkItemsChoice& c, const WindowProduct& p, bool ahead, KernelSchedule& s);

}  // namespace tg
