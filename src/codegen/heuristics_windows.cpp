// See heuristics_windows.h.
#include "codegen/heuristics_windows.h"

#include <algorithm>

#include "codegen/scheduled_kernel.h"

namespace tg {

bool Windows::unroll(int lanes) {
  constexpr int64_t kMostTerms = 64;
  int64_t points = unrolled_points(s_);
  std::vector<int> ranges;
  for (const UOp& reduce : facts_.reduces) {
    int64_t terms = 1;
    for (int i = 1; i < reduce.n_src(); ++i) {
      const int b = s_.find_base(reduce.src(i));
      if (std::ranges::find(ranges, b) == ranges.end() && !is_unrolled(s_, b)) ranges.push_back(b);
      terms *= base(b).extent;
    }
    if (terms == 0 || terms > kMostTerms) return false;
  }
  for (const int b : ranges) points *= base(b).extent;
  if (points > kMaxUnrolled) return false;
  find_overlap(lanes, ranges);
  // Products are added term by term, so those that several rows need come in turn; other terms are
  // summed by rows of the window, so that rows of results share these sums (emit_items.cpp).
  const bool products = facts_.reduces.front().src(0).is(Op::Mul);
  std::ranges::stable_partition(ranges, [&](int b) { return (b == overlap_.term) != products; });
  for (const int b : ranges) opt_unroll(s_, b, base(b).extent, Tail::None);
  unrolled_ = std::move(ranges);
  return true;
}

// Of the longest rows along `b` of an array in memory, some of which a window over `terms` has one
// after the other; 0 if there are none.
int64_t Windows::row_bytes(int b, std::span<const int> terms) const {
  int64_t longest = 0;
  for (const AccessFacts& a : facts_.accesses) {
    const int64_t row = std::abs(a.stride[static_cast<size_t>(b)]) * base(b).extent;
    const auto size = static_cast<int64_t>(dtype_size(a.access.src(0).dtype()));
    if (a.store || row == 0 || a.elements * size <= target_.l2_bytes) continue;
    const bool rows = std::ranges::any_of(
        terms, [&](int t) { return std::abs(a.stride[static_cast<size_t>(t)]) >= row; });
    if (rows) longest = std::max(longest, row * size);
  }
  return longest;
}

// Rows that are read side by side, a page or less apart, come from memory at half its speed
// (docs/kernel-facts.md). They stay in order where they are summed in registers only if LLVM cannot
// move their loads, across the branches of gates.
void Windows::walk_rows(int b, int lanes) {
  const bool whole = base(b).extent % lanes == 0 && base(b).tile == 0 && !is_unrolled(s_, b);
  const int64_t vectors = base(b).extent / lanes;
  if (whole && vectors > 1 && fits_registers(vectors) && overlap_.result < 0 && is_gated() &&
      row_bytes(b, unrolled_) > 0 && unrolled_points(s_) * vectors <= kMaxUnrolled)
    opt_unroll(s_, b, vectors, Tail::None);
}

bool Windows::strips(int b, int lanes) const {
  constexpr int64_t kPage = 4096;
  std::vector<int> terms;
  for (size_t t = 0; t < s_.bases.size(); ++t) {
    if (s_.bases[t].role == Role::Red) terms.push_back(static_cast<int>(t));
  }
  const int64_t bytes = row_bytes(b, terms), vectors = base(b).extent / lanes;
  const bool in_registers = is_gated() && fits_registers(vectors);
  const bool masks_cost = is_gated_along(b) && !target_.has_masked_access;
  return bytes > 0 && bytes <= kPage && vectors > 1 && !in_registers && !masks_cost;
}

bool Windows::is_gated() const { return std::ranges::any_of(facts_.accesses, &AccessFacts::gated); }

bool Windows::is_gated_along(int b) const {
  return std::ranges::any_of(facts_.accesses, [&](const AccessFacts& a) {
    if (!a.gated) return false;
    const std::vector<UOp> named = free_ranges(gate_of(a.access));
    return std::ranges::find(named, base(b).range) != named.end();
  });
}

bool Windows::fits_registers(int64_t vectors) const {
  return vectors <= target_.vector_registers / 2;
}

// That of the closest windows, along a base that is not the lanes'.
void Windows::find_overlap(int lanes, std::span<const int> terms) {
  double best = 1.5;  // rows that share less than half are quicker alone
  for (const AccessFacts& a : facts_.accesses) {
    for (size_t b = 0; !a.store && b < s_.bases.size(); ++b) {
      const int result = static_cast<int>(b);
      const bool free = base(result).role == Role::Par && !facts_.ordered(b);
      if (!free || result == lanes || is_unrolled(s_, result)) continue;
      for (const int term : terms) {
        const int64_t each = a.stride[static_cast<size_t>(term)], step = a.stride[b];
        if (each == 0 || step == 0 || step % each != 0 || step / each < 0) continue;
        const double shared = static_cast<double>(base(term).extent) / double(step / each);
        if (shared <= best) continue;
        best = shared;
        overlap_ = {result, term};
      }
    }
  }
}

void Windows::share_rows() {
  if (overlap_.result < 0) return;
  const int64_t extent = base(overlap_.result).extent;
  int64_t rows = std::min<int64_t>(target_.vector_registers / 4, extent);
  while (rows > 1 && unrolled_points(s_) * rows > kMaxUnrolled) rows /= 2;
  for (int64_t even = rows; 2 * even > rows; --even) {
    if (extent % even != 0) continue;
    rows = even;
    break;
  }
  if (rows > 1) opt_unroll(s_, overlap_.result, rows, extent % rows == 0 ? Tail::None : Tail::Peel);
}

void Windows::copy_borders() {
  if (overlap_.result < 0) return;
  for (const AccessFacts& a : facts_.accesses) {
    if (!a.store && a.gated) copy_with_border(a);
  }
}

// As far out as the copy stays in a third of level 2, before the launch's loop or inside it, if its
// elements are read several times.
void Windows::copy_with_border(const AccessFacts& a) {
  constexpr double kLeastReads = 2;  // to pay for loading and storing an element once more
  const UOp array = a.access.src(0);
  if (!is_walked(a.access) || array.ndim() == 0 || is_written(array)) return;
  const UOp operand = operand_of(a.access);
  double reads = 1, copied = 1;
  for (const BaseRange& b : s_.bases) reads *= static_cast<double>(b.extent);
  reads /= static_cast<double>(base(overlap_.term).extent);
  const auto threads = std::ranges::count(s_.axes, Kind::Thread, &Axis::kind);
  for (int level = 0; level < loop_count(s_); ++level) {
    const int64_t elements = staged_elements(s_, {operand, level});
    const auto bytes = elements * static_cast<int64_t>(dtype_size(a.access.dtype()));
    const bool once_a_chunk = level == 0 || level >= threads;
    if (once_a_chunk && bytes <= target_.l2_bytes / 3 &&
        copied * double(elements) * kLeastReads <= reads)
      return opt_stage(s_, {operand, level});
    copied *= static_cast<double>(s_.axes[static_cast<size_t>(level)].extent);
  }
}

bool Windows::is_written(const UOp& array) const {
  return std::ranges::any_of(
      facts_.accesses, [&](const AccessFacts& a) { return a.store && a.access.src(0) == array; });
}

// The load with the selections around it that give it a border.
UOp Windows::operand_of(const UOp& load) const {
  UOp operand = load;
  const Node* outermost = load.node();
  for (const Node* n : order_) {
    if (n->op != Op::Where || n->src()[1] != outermost) continue;
    outermost = n;
    if (border_of(UOp::share(n))) operand = UOp::share(n);
  }
  return operand;
}

}  // namespace tg
