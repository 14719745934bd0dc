// One walk, sources first; each reduction is tried range by range. See recognise.h.
#include "schedule/recognise.h"

#include <algorithm>

#include "rules/valid.h"
#include "schedule/gated_term.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

class Recogniser {
 public:
  UOp run(const UOp& kernel) {
    std::unordered_map<const Node*, UOp> done;
    std::vector<UOp> src;
    for (const Node* n : toposort(kernel)) {
      src.clear();
      for (const Node* s : n->src()) src.push_back(done.at(s));
      UOp rebuilt = with_sources(UOp::share(n), src);
      done.emplace(n, n->op == Op::Reduce ? without_loops(rebuilt) : rebuilt);
    }
    return done.at(kernel.node());
  }

 private:
  // The reduction with every range removed that can be.
  UOp without_loops(const UOp& reduce) {
    const ReduceOp op = static_cast<ReduceOp>(reduce.arg(0));
    UOp v = reduce.src(0);
    std::vector<UOp> ranges;
    for (int i = 1; i < reduce.n_src(); ++i) {
      const UOp& r = reduce.src(i);
      if (std::optional<UOp> removed = without_range(v, op, r)) {
        v = *removed;
      } else {
        ranges.push_back(r);
      }
    }
    if (ranges.size() + 1 == static_cast<size_t>(reduce.n_src())) return reduce;
    return ranges.empty() ? v : reduce_ranges(v, op, ranges);
  }

  std::optional<UOp> without_range(const UOp& v, ReduceOp op, const UOp& r) {
    if (extent_of(r) < 1) return {};
    if (!depends_on(v, r)) {
      if (op == ReduceOp::Max) return v;
      if (op == ReduceOp::Add) return v * cast(index_const(extent_of(r)), v.dtype());
      return {};
    }
    if (op != ReduceOp::Add) return {};
    const GatedTerm term = open_gates(v);
    if (term.conditions.empty()) return {};
    if (auto one = one_hot(term, r)) return one;
    return counted(term, r);
  }

  // ---- one-hot
  std::optional<UOp> one_hot(const GatedTerm& term, const UOp& r) {
    for (size_t i = 0; i < term.conditions.size(); ++i) {
      const UOp& c = term.conditions[i];
      const bool equal = c.is(Op::Xor) && c.src(1).is_const(1) && c.src(0).is(Op::CmpNe);
      if (!equal) continue;
      const auto d = range_difference(c.src(0).src(0), c.src(0).src(1), r, simplify_);
      if (!d) continue;
      const UOp e = simplify_(d->rest.times(-d->sign).to_uop());
      const UOp inside = simplify_gate(lt(index_const(-1), e) & lt(e, index_const(extent_of(r))));
      GatedTerm out = term;
      out.conditions.erase(out.conditions.begin() + static_cast<std::ptrdiff_t>(i));
      out.value = at_place(out.value, r, e, inside);
      for (UOp& other : out.conditions) other = at_place(other, r, e, inside);
      for (const UOp& part : conjuncts(inside)) out.conditions.push_back(part);
      return close_gates(out);
    }
    return {};
  }

  // `u` with r = e, its loads gated by `inside` as e may lie outside the loop that r ran over.
  static UOp at_place(const UOp& u, const UOp& r, const UOp& e, const UOp& inside) {
    const std::unordered_map<const Node*, UOp> map{{r.node(), e}};
    const UOp moved = substitute(u, map);
    if (conjuncts(inside).empty()) return moved;
    std::unordered_map<const Node*, UOp> done;
    std::vector<UOp> src;
    for (const Node* n : toposort(moved)) {
      src.clear();
      for (const Node* s : n->src()) src.push_back(done.at(s));
      if (n->op == Op::Load && n->src()[0]->op == Op::Param) {
        const size_t ungated = 1 + n->src()[0]->n_dim;
        if (src.size() == ungated) {
          src.push_back(inside);
        } else {
          src[ungated] = src[ungated] & inside;
        }
      }
      done.emplace(n, with_sources(UOp::share(n), src));
    }
    return done.at(moved.node());
  }

  // ---- a known number of equal terms
  std::optional<UOp> counted(const GatedTerm& term, const UOp& r) {
    if (depends_on(term.value, r)) return {};
    UOp lo = index_const(0), hi = index_const(extent_of(r));
    GatedTerm out{term.value, {}};
    for (const UOp& c : term.conditions) {
      if (!depends_on(c, r)) {
        out.conditions.push_back(c);
        continue;
      }
      const auto limit = range_limit(c, r, simplify_);
      if (!limit) return {};
      if (limit->upper) {
        hi = minimum(hi, limit->at.to_uop());
      } else {
        lo = maximum(lo, limit->at.to_uop());
      }
    }
    UOp count = maximum(simplify_(hi) - simplify_(lo), index_const(0));
    out.value = out.value * cast(simplify_(count), out.value.dtype());
    return close_gates(out);
  }

  IndexSimplifier simplify_;
};

}  // namespace

UOp recognise_reductions(const UOp& kernel) { return Recogniser().run(kernel); }

}  // namespace tg
