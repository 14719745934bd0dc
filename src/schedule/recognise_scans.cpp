// The terms of a sum are looked at as a kernel over all axes would compute them, where every mask
// is a comparison of two loop indices: what it says follows by index algebra, through any movement.
// The scan is built from the sum's own operand: the row of it in which the mask holds for all that
// any row needs. See recognise_scans.h.
#include "schedule/recognise_scans.h"

#include <algorithm>
#include <unordered_set>

#include "schedule/blocked_scan.h"
#include "schedule/gated_term.h"
#include "schedule/kernel_builder.h"
#include "schedule/place_scans.h"
#include "support/log.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr size_t kMostNodes = 300;  // of an expression that is worth a look

bool is_inlined(const Node* n) {
  return in_group(n->op, kElementwise) || in_group(n->op, kMovement) || in_group(n->op, kLeaf) ||
         n->op == Op::Detach;
}

// Does the expression compare, and count places? The cheap question, asked of every sum.
bool may_be_masked(const Node* value) {
  std::unordered_set<const Node*> seen{value};
  std::vector<const Node*> work{value};
  bool compares = false, counts = false;
  while (!work.empty()) {
    const Node* n = work.back();
    work.pop_back();
    if (!is_inlined(n) || is_storage(n)) continue;
    compares = compares || n->op == Op::CmpLt;
    counts = counts || n->op == Op::Iota;
    for (const Node* s : n->src()) {
      if (seen.insert(s).second) work.push_back(s);
    }
    if (seen.size() > kMostNodes) return false;
  }
  return compares && counts;
}

// A sum over `summed` whose element at `kept` = i adds what stands before j = i + last and at it;
// mirrored: with both axes read backwards.
struct MaskedSum {
  int kept, summed;
  bool mirrored;
  int64_t last;
};

class Terms {
 public:
  explicit Terms(const UOp& value) : shape_(value.shape_vec()) {
    const InMemory memory = [](const Node* n) { return !is_inlined(n); };
    ast_ = build_kernel(value.node(), memory).ast;
    const UOp ended = ast_.src(0), store = ended.is(Op::End) ? ended.src(0) : ended;
    const int rank = value.ndim();
    for (int d = 0; d < rank; ++d) idx_.push_back(store.src(1 + d));
    term_ = open_gates(store.src(1 + rank));
  }

  std::optional<MaskedSum> over(int kept, int summed) {
    const UOp &i = idx_[static_cast<size_t>(kept)], &j = idx_[static_cast<size_t>(summed)];
    if (!i.is(Op::Range) || !j.is(Op::Range) || depends_on(term_.value, i)) return {};
    const auto mask = only_condition_on(i);
    if (!mask || !has_other(*mask, j)) return {};
    const auto limit = range_limit(*mask, j, simplify_);
    if (!limit || limit->at.terms != std::vector<Affine::Term>{{i, 1}}) return {};
    const int64_t c = limit->at.constant;
    const Dim n = shape_[static_cast<size_t>(kept)], m = shape_[static_cast<size_t>(summed)];
    // Beyond this, rows are empty or whole, and sums with 64-bit constants could wrap.
    if (c < -n || c > m + n) return {};
    return limit->upper ? MaskedSum{kept, summed, false, c - 1}
                        : MaskedSum{kept, summed, true, m - n - c};
  }

 private:
  // Without, it is a count, for which recognise.h needs no loop at all.
  bool has_other(const UOp& mask, const UOp& j) const {
    return depends_on(term_.value, j) || std::ranges::any_of(term_.conditions, [&](const UOp& c) {
             return c != mask && depends_on(c, j);
           });
  }

  std::optional<UOp> only_condition_on(const UOp& i) const {
    std::optional<UOp> found;
    for (const UOp& c : term_.conditions) {
      if (!depends_on(c, i)) continue;
      if (found) return {};
      found = c;
    }
    return found;
  }

  Shape shape_;
  UOp ast_;
  std::vector<UOp> idx_;
  GatedTerm term_;
  IndexSimplifier simplify_;
};

UOp swapped(const UOp& x, int a, int b) {
  std::vector<int64_t> order;
  for (int d = 0; d < x.ndim(); ++d) order.push_back(d == a ? b : d == b ? a : d);
  return permute(x, order);
}

// Elements of the scan: those before the last row's end, then zeros if that lies beyond the axis.
Dim scan_length(const UOp& value, const MaskedSum& s) { return value.dim(s.kept) + s.last; }

UOp scanned(const UOp& reduce, const MaskedSum& s) {
  const UOp value = reduce.src(0);
  const Dim n = value.dim(s.kept), m = value.dim(s.summed), length = scan_length(value, s);
  const Scalar zero = Scalar::of_int(0, value.dtype());
  UOp f = shrink_axis(value, s.kept, s.mirrored ? 0 : n - 1, 1);
  std::vector<int64_t> others;
  for (int64_t a : reduce.arg().subspan(1)) {
    if (a != s.summed) others.push_back(a);
  }
  if (!others.empty()) f = tg::reduce(f, ReduceOp::Add, others);
  if (s.mirrored) f = flip(f, {{int64_t{s.summed}}});
  f = length <= m ? shrink_axis(f, s.summed, 0, length)
                  : padded_axis(f, s.summed, 0, length - m, zero);
  UOp sums = scan(f, ReduceOp::Add, s.summed);
  sums = s.last >= 0 ? shrink_axis(sums, s.summed, s.last, n)
                     : padded_axis(sums, s.summed, -s.last, 0, zero);
  if (s.mirrored) sums = flip(sums, {{int64_t{s.summed}}});
  return swapped(sums, s.kept, s.summed);
}

std::optional<MaskedSum> masked_sum(const UOp& reduce) {
  if (!reduce.is(Op::Reduce) || static_cast<ReduceOp>(reduce.arg(0)) != ReduceOp::Add) return {};
  const UOp value = reduce.src(0);
  // Of rows that may not exist none could stand for all.
  if (value.node()->n_limit != 0) return {};
  if (numel(value.shape()) == 0 || !may_be_masked(value.node())) return {};
  Terms terms(value);
  const IntSpan axes = reduce.arg().subspan(1);
  for (int64_t j : axes) {
    for (int i = 0; i < value.ndim(); ++i) {
      if (std::ranges::find(axes, i) != axes.end()) continue;
      auto found = terms.over(i, static_cast<int>(j));
      if (found && scan_length(value, *found) > 0) return found;
    }
  }
  return {};
}

bool is_less_work(const UOp& reduce, const MaskedSum& s, const Target& target) {
  const UOp value = reduce.src(0);
  const Dim length = scan_length(value, s);
  const double terms = static_cast<double>(numel(value.shape()));
  const double rows =
      terms / static_cast<double>(value.dim(s.kept)) / static_cast<double>(value.dim(s.summed));
  return terms / target.flops_per_second > scan_seconds(rows, length, target);
}

}  // namespace

std::optional<UOp> masked_sum_as_scan(const UOp& reduce) {
  const auto s = masked_sum(reduce);
  if (!s) return {};
  return scanned(reduce, *s);
}

std::vector<UOp> recognise_scans(std::span<const UOp> roots, const Target& target) {
  const std::vector<const Node*> order = toposort(roots);
  std::unordered_map<const Node*, MaskedSum> found;
  for (const Node* n : order) {
    if (n->op != Op::Reduce) continue;
    const UOp reduce = UOp::share(n);
    const auto s = masked_sum(reduce);
    if (!s || !is_less_work(reduce, *s, target)) continue;
    debug_log(3, "scan along axis {} in place of a masked sum of shape {}", s->summed,
              format_shape(reduce.src(0).shape()));
    found.emplace(n, *s);
  }
  std::vector<UOp> out(roots.begin(), roots.end());
  if (found.empty()) return out;
  std::unordered_map<const Node*, UOp> done;
  std::vector<UOp> src;
  for (const Node* n : order) {
    src.clear();
    for (const Node* s : n->src()) src.push_back(done.at(s));
    const UOp rebuilt = with_sources(UOp::share(n), src);
    const auto it = found.find(n);
    done.emplace(n, it == found.end() ? rebuilt : scanned(rebuilt, it->second));
  }
  for (UOp& r : out) r = done.at(r.node());
  return out;
}

}  // namespace tg
