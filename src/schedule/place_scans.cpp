// Blocks of the scan of a row x of n = B·L elements, B blocks of L:
//
//     total[b]  = ⊕_k x[b, k]
//     before[b] = total[0] ⊕ … ⊕ total[b−1]     the scan of the totals moved on by one
//     out[b, k] = before[b] ⊕ x[b, 0] ⊕ … ⊕ x[b, k]
//
// See place_scans.h.
#include "schedule/place_scans.h"

#include <algorithm>
#include <unordered_map>

#include "kernel/running_reductions.h"
#include "schedule/blocked_scan.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr Dim kRowsOfThread = 32;        // that keep one busy: two vectors of rows side by side
constexpr Dim kLeastElements = 1 << 15;  // below this a second launch costs more than it saves
constexpr double kRunningFlops = 4;      // of an element: it waits for the one before

ScanMonoid monoid(ReduceOp op, DType t) {
  const Scalar identity = reduce_identity(op, t);
  switch (op) {
    case ReduceOp::Add:
      return {identity, reduced_prefix<ReduceOp::Add>, tg::operator+ };
    case ReduceOp::Mul:
      return {identity, reduced_prefix<ReduceOp::Mul>, tg::operator* };
    case ReduceOp::Max:
      break;
  }
  return {identity, reduced_prefix<ReduceOp::Max>, tg::maximum};
}

// Into how many blocks rows of `length` elements are cut; a divisor of it if there is one near.
Dim blocks_of(Dim rows, Dim length, const Target& target) {
  const Dim wanted = kRowsOfThread * std::max(1, target.threads);
  if (rows * 2 > wanted || rows * length < kLeastElements) return 1;
  const Dim least = std::min((wanted + rows - 1) / rows, length);
  for (Dim b = least; b < 4 * least; ++b) {
    if (length % b == 0) return b;
  }
  return least;
}

UOp scan_of_blocks(const UOp& x, ReduceOp op, int axis, Dim blocks) {
  const ScanMonoid m = monoid(op, x.dtype());
  const Dim n = x.dim(axis), length = (n + blocks - 1) / blocks;
  const bool exact = blocks * length == n;
  const UOp whole = exact ? x : padded_axis(x, axis, 0, blocks * length - n, m.identity);
  const UOp cut = reshape(whole, cut_axis(x, axis, blocks, length));
  const UOp totals = contiguous(m.of_prefix(cut, axis + 1));
  const UOp shifted = padded_axis(shrink_axis(totals, axis, 0, blocks - 1), axis, 1, 0, m.identity);
  const UOp before = contiguous(scan(shifted, op, axis));
  return m.combine(expand(before, cut.shape_vec()), scan(cut, op, axis + 1));
}

UOp placed(const UOp& scan_node, const Target& target) {
  const UOp x = scan_node.src(0);
  const auto op = static_cast<ReduceOp>(scan_node.arg(0));
  const int axis = static_cast<int>(scan_node.arg(1));
  if (!runs_in_order(target)) return blocked_scan(x, axis, monoid(op, x.dtype()));
  const bool widens =
      x.dtype() == DType::Float32 && op != ReduceOp::Max && target.supports(DType::Float64);
  const UOp wide = widens ? cast(x, DType::Float64) : x;
  const Dim n = x.dim(axis), rows = numel(x.shape()) / std::max<Dim>(1, n);
  const bool varies =
      x.node()->n_limit != 0 && x.node()->limit(static_cast<size_t>(axis)) != nullptr;
  const Dim blocks = varies ? 1 : blocks_of(rows, n, target);
  if (blocks == 1) return cast(scan(wide, op, axis), x.dtype());
  const UOp out = cast(scan_of_blocks(wide, op, axis, blocks), x.dtype());
  Shape flat = x.shape_vec();
  flat[static_cast<size_t>(axis)] = out.dim(axis) * out.dim(axis + 1);
  // Made in its own steps, for all readers.
  const UOp whole = contiguous(reshape(out, flat));
  return flat[static_cast<size_t>(axis)] == n ? whole : shrink_axis(whole, axis, 0, n);
}

}  // namespace

UOp place_scans(const UOp& graph, const Target& target) {
  const std::vector<const Node*> order = toposort(graph);
  if (std::ranges::none_of(order, [](const Node* n) { return n->op == Op::Scan; })) return graph;
  std::unordered_map<const Node*, UOp> done;
  std::vector<UOp> src;
  for (const Node* n : order) {
    src.clear();
    for (const Node* s : n->src()) src.push_back(done.at(s));
    const UOp rebuilt = with_sources(UOp::share(n), src);
    done.emplace(n, n->op == Op::Scan ? placed(rebuilt, target) : rebuilt);
  }
  return done.at(graph.node());
}

double scan_seconds(double rows, Dim length, const Target& target) {
  const double elements = rows * static_cast<double>(length);
  if (runs_in_order(target)) {
    const double launches = blocks_of(static_cast<Dim>(rows), length, target) == 1 ? 1 : 3;
    return elements * kRunningFlops / target.flops_per_second + launches * target.launch_seconds;
  }
  const double launches = 1 + 2 * scan_levels(length);
  return elements * (1 + kScanBlock) / target.flops_per_second + launches * target.launch_seconds;
}

}  // namespace tg
