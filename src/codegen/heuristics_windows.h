// Sums and maxima over windows of neighbours (pools, taps of a filter), as heuristics.cpp schedules
// them. Internal to codegen.
#pragma once

#include <span>
#include <vector>

#include "codegen/kernel_facts.h"
#include "tg/ir/walk.h"

namespace tg {

/// Changes the schedule that it was made with, which is kept by reference.
class Windows {
 public:
  Windows(const UOp& kernel, const KernelFacts& facts, const Target& target, KernelSchedule& s)
      : order_(toposort(kernel)), facts_(facts), target_(target), s_(s) {}

  /// Unrolls reductions of few terms each, so that a vector of results along base `lanes` is summed
  /// in a register. False, and nothing is changed, if some have many.
  bool unroll(int lanes);

  /// Whether windows are of rows that lie one after the other in memory, and are summed row after
  /// row into a strip of results rather than in registers: `lanes` lanes along base `b`.
  bool strips(int b, int lanes) const;

  /// All vectors of a row of results together, where such windows are summed in registers. After
  /// unroll() and the lanes.
  void walk_rows(int b, int lanes);

  /// Several rows of results together: what their windows share is read once, and their sums do not
  /// wait for each other. After unroll() and the lanes; without windows that overlap, nothing.
  void share_rows();

  /// Padded operands of windows whose rows are shared are copied with their border: then no read
  /// asks where it is. After the threads, each chunk of which makes its own copies.
  void copy_borders();

 private:
  // Bases: windows of neighbours along `result` overlap in `term`, as in x[2·result + term].
  struct Overlap {
    int result = -1, term = -1;
  };

  const BaseRange& base(int b) const { return s_.bases[static_cast<size_t>(b)]; }
  void find_overlap(int lanes, std::span<const int> terms);
  int64_t row_bytes(int b, std::span<const int> terms) const;
  bool is_gated() const;
  bool is_gated_along(int b) const;
  bool fits_registers(int64_t vectors) const;
  void copy_with_border(const AccessFacts& a);
  bool is_written(const UOp& array) const;
  UOp operand_of(const UOp& load) const;

  const std::vector<const Node*> order_;
  const KernelFacts& facts_;
  const Target& target_;
  KernelSchedule& s_;
  Overlap overlap_;
  std::vector<int> unrolled_;  // bases of terms
};

}  // namespace tg
