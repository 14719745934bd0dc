// One walk, sources first; each reduction is tried range by range. See recognise.h.
#include "schedule/recognise.h"

#include <algorithm>
#include <optional>

#include "rules/valid.h"
#include "uop/walk.h"

namespace tg {
namespace {

int64_t extent_of(const UOp& range) { return range.src(0).arg(0); }

bool depends_on(const UOp& u, const UOp& range) {
  const std::vector<UOp> free = free_ranges(u);
  return std::ranges::find(free, range) != free.end();
}

// A term of a sum as a value that counts where all of `conditions` hold.
struct GatedTerm {
  UOp value;
  std::vector<UOp> conditions;
};

void gate_by(GatedTerm& t, const UOp& condition) {
  for (const UOp& c : conjuncts(condition)) t.conditions.push_back(c);
}

bool is_zero_outside(const UOp& u) {
  return u.is(Op::Where) && (u.src(1).is_const(0) || u.src(2).is_const(0));
}
// The comparison under casts that make it 0 or 1; empty if `u` is no such thing.
UOp flag_of(UOp u) {
  while (u.is(Op::Cast) && u.src(0).dtype() != DType::Bool) u = u.src(0);
  return u.is(Op::Cast) ? u.src(0) : UOp{};
}

// where(c, a, 0) and cast(c) as a and 1 under c; anything else as it is.
UOp open_gate(const UOp& u, GatedTerm& t) {
  if (const UOp flag = flag_of(u)) {
    gate_by(t, flag);
    return const_like(u, int64_t{1});
  }
  if (!is_zero_outside(u)) return u;
  const bool inside = u.src(2).is_const(0);
  gate_by(t, inside ? u.src(0) : logical_not(u.src(0)));
  return u.src(inside ? 1 : 2);
}

GatedTerm open_gates(const UOp& v) {
  GatedTerm t{v, {}};
  while (true) {
    const UOp before = t.value;
    if (t.value.is(Op::Mul)) {
      const UOp a = open_gate(t.value.src(0), t), b = open_gate(t.value.src(1), t);
      if (a != before.src(0) || b != before.src(1))
        t.value = a.is_const(1) ? b : b.is_const(1) ? a : a * b;
    } else if (t.value.is(Op::Cast) && is_zero_outside(t.value.src(0))) {
      t.value = cast(open_gate(t.value.src(0), t), t.value.dtype());
    } else {
      t.value = open_gate(t.value, t);
    }
    if (t.value == before) return t;
  }
}

UOp close_gates(const GatedTerm& t) {
  if (t.conditions.empty()) return t.value;
  return where(conjunction(t.conditions), t.value, const_like(t.value, int64_t{0}));
}

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

  // ---- comparisons of integers as comparisons of indices

  // The value of an integer expression as an index, if it cannot wrap.
  std::optional<UOp> as_index(const UOp& u) {
    if (u.dtype() == DType::Index) return u;
    if (!is_int(u.dtype())) return {};
    if (u.is(Op::Const)) return index_const(u.arg(0));
    if (u.is(Op::Cast) && u.src(0).dtype() == DType::Index) return fits(u.src(0), u.dtype());
    if (u.is(Op::Add) || u.is(Op::Mul)) {
      const auto a = as_index(u.src(0)), b = as_index(u.src(1));
      if (!a || !b) return {};
      return fits(u.is(Op::Add) ? *a + *b : *a * *b, u.dtype());
    }
    return cast(u, DType::Index);
  }

  std::optional<UOp> fits(const UOp& index, DType dtype) {
    const Interval b = simplify_.bounds_of(index);
    const bool wide = dtype_size(dtype) >= 8;
    const int bits = static_cast<int>(8 * dtype_size(dtype)) - (is_unsigned(dtype) ? 0 : 1);
    const int64_t hi = wide ? Interval::kMax : (int64_t{1} << bits) - 1;
    const int64_t lo = is_unsigned(dtype) ? 0 : wide ? Interval::kMin : -hi - 1;
    if (b.bounded() && b.lo >= lo && b.hi <= hi) return index;
    return {};
  }

  // a − b = sign·r + rest, with `rest` free of r.
  struct Difference {
    int64_t sign;
    Affine rest;
  };
  std::optional<Difference> difference(const UOp& a, const UOp& b, const UOp& r) {
    const auto ia = as_index(a), ib = as_index(b);
    if (!ia || !ib) return {};
    Affine d = Affine::of(*ia);
    d.add(Affine::of(*ib), -1);
    if (!d.ok) return {};
    Difference out{0, {}};
    out.rest.constant = d.constant;
    for (const Affine::Term& t : d.terms) {
      if (t.term == r) {
        out.sign = t.coef;
      } else if (depends_on(t.term, r)) {
        return {};
      } else {
        out.rest.add_term(t.term, t.coef);
      }
    }
    if (out.sign != 1 && out.sign != -1) return {};
    return out;
  }

  // ---- one-hot
  std::optional<UOp> one_hot(const GatedTerm& term, const UOp& r) {
    for (size_t i = 0; i < term.conditions.size(); ++i) {
      const UOp& c = term.conditions[i];
      const bool equal = c.is(Op::Xor) && c.src(1).is_const(1) && c.src(0).is(Op::CmpNe);
      if (!equal) continue;
      const auto d = difference(c.src(0).src(0), c.src(0).src(1), r);
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
      } else if (!narrow(c, r, lo, hi)) {
        return {};
      }
    }
    UOp count = maximum(simplify_(hi) - simplify_(lo), index_const(0));
    out.value = out.value * cast(simplify_(count), out.value.dtype());
    return close_gates(out);
  }

  // A comparison with r as a bound of it.
  bool narrow(UOp c, const UOp& r, UOp& lo, UOp& hi) {
    bool holds = true;
    while (c.is(Op::Xor) && c.src(1).is_const(1)) {
      holds = !holds;
      c = c.src(0);
    }
    if (!c.is(Op::CmpLt)) return false;
    const auto d = difference(c.src(0), c.src(1), r);
    if (!d || !simplify_.bounds_of(d->rest).bounded())
      return false;  // 64-bit data: rest + 1 and −rest could wrap
    const UOp rest = d->rest.to_uop();
    // sign·r + rest < 0, or its opposite sign·r + rest ≥ 0.
    if (d->sign == 1) {
      if (holds) {
        hi = minimum(hi, rest * -1);
      } else {
        lo = maximum(lo, rest * -1);
      }
    } else if (holds) {
      lo = maximum(lo, rest + 1);
    } else {
      hi = minimum(hi, rest + 1);
    }
    return true;
  }

  IndexSimplifier simplify_;
};

}  // namespace

UOp recognise_reductions(const UOp& kernel) { return Recogniser().run(kernel); }

}  // namespace tg
