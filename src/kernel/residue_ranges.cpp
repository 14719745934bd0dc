// One gate after the other, until none is left that can be solved. See residue_ranges.h.
#include "kernel/residue_ranges.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "kernel/range_digits.h"
#include "rules/index.h"
#include "rules/valid.h"
#include "tg/ir/function_ref.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int kMostGates = 8;
constexpr int64_t kMostPhases = 64;

int64_t modulo(int64_t a, int64_t s) { return ((a % s) + s) % s; }
int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t steps_of(const Node* r) { return r->src()[0]->arg()[0]; }
bool is_fixed_range(const UOp& t) { return t.is(Op::Range) && t.src(0).is(Op::Const); }

// The factors of a value, conversions on the way left out: where one of them is zero, the value is.
// Numbers are taken for finite, as where a load outside its array is zero (value_builder.cpp).
// Without those that `left_out` names, and what stands below them.
std::vector<UOp> factors_of(
    const UOp& value, FunctionRef<bool(const UOp&)> left_out = [](const UOp&) { return false; }) {
  std::vector<UOp> work = {value}, out;
  while (!work.empty()) {
    const UOp v = work.back();
    work.pop_back();
    if (left_out(v)) continue;
    if (v.is(Op::Mul)) {
      work.insert(work.end(), {v.src(0), v.src(1)});
    } else if (v.is(Op::Cast)) {
      work.push_back(v.src(0));
    } else {
      out.push_back(v);
    }
  }
  return out;
}

// Is the load zero wherever `condition` is false?
bool vanishes_without(const UOp& factor, const UOp& condition) {
  if (!factor.is(Op::Load) || !gate_of(factor)) return false;
  const std::vector<UOp> all = conjuncts(gate_of(factor));
  return std::ranges::find(all, condition) != all.end();
}

bool stays_inside_ungated(const UOp& load) {
  for (int d = 0; d < load.src_node(0)->n_dim; ++d) {
    const Interval b = bounds(load.src(1 + d));
    if (b.lo < 0 || b.hi >= load.src(0).dim(d)) return false;
  }
  return true;
}

// By node: how many others use it.
std::unordered_map<const Node*, int> count_users(std::span<const Node* const> order) {
  std::unordered_map<const Node*, int> users;
  for (const Node* n : order) {
    for (const Node* s : n->src()) ++users[s];
  }
  return users;
}

// The factors of a sum's terms that nothing else uses.
std::vector<UOp> own_factors(const Node* sum, const std::unordered_map<const Node*, int>& users) {
  return factors_of(UOp::share(sum->src()[0]),
                    [&](const UOp& v) { return users.at(v.node()) > 1; });
}

// Terms are zero where one factor's gate is false: another factor needs no gate that says the same,
// if only the terms read it.
UOp without_doubled_gates(const UOp& kernel) {
  const std::vector<const Node*> order = toposort(kernel);
  const auto users = count_users(order);
  std::unordered_map<const Node*, UOp> free;
  for (const Node* sum : order) {
    if (sum->op != Op::Reduce || static_cast<ReduceOp>(sum->arg()[0]) != ReduceOp::Add) continue;
    const std::vector<UOp> factors = factors_of(UOp::share(sum->src()[0]));
    for (const UOp& load : own_factors(sum, users)) {
      if (!load.is(Op::Load) || !gate_of(load)) continue;
      const std::vector<UOp> said = conjuncts(gate_of(load));
      const bool doubled = std::ranges::any_of(factors, [&](const UOp& other) {
        return other != load && !free.contains(other.node()) &&
               std::ranges::all_of(said, [&](const UOp& c) { return vanishes_without(other, c); });
      });
      if (!doubled || !stays_inside_ungated(load)) continue;
      std::vector<UOp> src;
      for (int s = 0; s + 1 < load.n_src(); ++s) src.push_back(load.src(s));
      free.emplace(load.node(), with_sources(load, src));
    }
  }
  return free.empty() ? kernel : substitute(kernel, free);
}

// Where a gate says enough, its index needs no division.
UOp with_indices_under_gates(const UOp& kernel) {
  std::unordered_map<const Node*, UOp> simpler;
  for (const Node* n : toposort(kernel)) {
    const UOp load = UOp::share(n);
    if (n->op != Op::Load || !gate_of(load)) continue;
    std::vector<UOp> src(load.n_src()), idx;
    for (int i = 0; i < load.n_src(); ++i) src[static_cast<size_t>(i)] = load.src(i);
    const auto first = src.begin() + 1;
    idx.assign(first, first + load.src_node(0)->n_dim);
    std::ranges::copy(simplify_under(gate_of(load), idx), first);
    simpler.emplace(n, with_sources(load, src));
  }
  return substitute(kernel, simpler);
}

// a·x + b·k + c ≡ 0 (mod s), with coefficients from 0 to s − 1; without x or k where one has none.
struct Residue {
  const Node* sum = nullptr;  // the REDUCE that runs over k
  UOp gated;                  // the factor of its terms that has the gate
  UOp k, x;
  int64_t a = 0, b = 1, c = 0, s = 1;

  // b⁻¹ (mod s): s is small.
  int64_t inverse() const {
    int64_t i = 1;
    while (i < s && i * b % s != 1 % s) ++i;
    return i;
  }
  // Of k, for the phase p of x.
  int64_t of_phase(int64_t p) const { return modulo(-inverse() * modulo(a * p + c, s), s); }
};

class ResidueSolver {
 public:
  explicit ResidueSolver(const UOp& kernel)
      : kernel_(kernel), order_(toposort(kernel)), next_range_(next_range_of(kernel)) {}

  // The kernel with one gate less; empty if there is none to be solved.
  UOp run() {
    for (const Node* n : order_) {
      if (n->op == Op::Stage) return {};
    }
    for (const Node* n : order_) {
      if (n->op != Op::Reduce || static_cast<ReduceOp>(n->arg()[0]) != ReduceOp::Add) continue;
      if (const auto r = residue_of(n)) return solved(*r);
    }
    return {};
  }

 private:
  std::optional<Residue> residue_of(const Node* sum) const {
    const UOp value = UOp::share(sum->src()[0]);
    const std::vector<UOp> factors = factors_of(value);
    for (const Node* n : toposort(value)) {
      if (required_divisor(UOp::share(n)) == 1) continue;
      const auto gated = std::ranges::find_if(
          factors, [n](const UOp& f) { return vanishes_without(f, UOp::share(n)); });
      if (gated == factors.end()) continue;
      auto r = residue(sum, UOp::share(n->src()[0]));
      if (!r || !is_reused(factors, r->x)) continue;
      r->gated = *gated;
      return r;
    }
    return {};
  }

  // Is there a factor that all rounds of x share? Without one, memory bounds the sum, and lanes
  // along x are worth more than fewer terms.
  static bool is_reused(std::span<const UOp> factors, const UOp& x) {
    return std::ranges::any_of(factors, [&](const UOp& f) {
      const std::vector<UOp> ranges = free_ranges(f);
      return !ranges.empty() && (!x || std::ranges::find(ranges, x) == ranges.end());
    });
  }

  std::optional<Residue> residue(const Node* sum, const UOp& mod) const {
    Residue r{.sum = sum, .s = mod.src(1).arg(0)};
    const Affine e = Affine::of(mod.src(0));
    if (!e.ok || r.s < 2 || r.s > kMostPhases) return {};
    r.c = modulo(e.constant, r.s);
    for (const Affine::Term& t : e.terms) {
      const int64_t coef = modulo(t.coef, r.s);
      if (coef == 0) continue;
      if (!is_fixed_range(t.term)) return {};
      if (!r.k && std::gcd(coef, r.s) == 1 && only_closed_by(t.term, sum)) {
        r.k = t.term;
        r.b = coef;
      } else if (!r.x) {
        r.x = t.term;
        r.a = coef;
      } else {
        return {};
      }
    }
    // Whatever sums up over x must have whole rounds of it.
    const bool whole = !r.x || steps_of(r.x.node()) % r.s == 0 || !is_reduced(r.x);
    // Without k whole phases of x are zero; x is one already if it has no more steps than those.
    const bool runs = r.k || (r.x && steps_of(r.x.node()) > r.s && !is_reduced(r.x));
    return runs && whole ? std::optional(r) : std::nullopt;
  }

  bool closes(const Node* n, const UOp& r) const {
    return (n->op == Op::End || n->op == Op::Reduce) &&
           std::ranges::find(n->src().subspan(1), r.node()) != n->src().end();
  }
  bool only_closed_by(const UOp& r, const Node* sum) const {
    return std::ranges::all_of(order_, [&](const Node* n) { return closes(n, r) == (n == sum); });
  }
  bool is_reduced(const UOp& r) const {
    return std::ranges::any_of(order_,
                               [&](const Node* n) { return n->op == Op::Reduce && closes(n, r); });
  }

  UOp solved(const Residue& r) {
    if (!r.k) {
      split_into_phases(r, shift_of_gate(r));
      return rebuilt();
    }
    Affine k;
    const int64_t rounds = ceil_div(steps_of(r.k.node()), r.s);
    const UOp whole_k = range(rounds, next_range_++);
    k.add_term(whole_k, r.s);
    if (r.x) {
      const int64_t shift = shift_of(r);
      add_residue_of_phase(k, r, split_into_phases(r, shift), shift);
    } else {
      k.add_constant(r.of_phase(0));
    }
    replace(r.k, k, {whole_k});
    k_ = r.k.node();
    for (const UOp& f : factors_of(UOp::share(r.sum->src()[0]))) factors_.push_back(f.node());
    if (ends_.contains(k_) && has_computed_factor(r.k)) selected_ = r.sum;
    const UOp out = rebuilt();
    if (!ends_.contains(k_) || ends_in_a_factor_) return out;
    // No factor's array ends where k does: the factor with the gate has to be zero there.
    must_end_ = r.gated.node();
    return rebuilt();
  }

  // x = s·X + p − shift; the phase p.
  UOp split_into_phases(const Residue& r, int64_t shift) {
    const UOp phase = range(r.s, next_range_++),
              whole = range(ceil_div(steps_of(r.x.node()) + shift, r.s), next_range_++);
    Affine x;
    x.add_term(whole, r.s);
    x.add_term(phase, 1);
    x.add_constant(-shift);
    replace(r.x, x, {phase, whole});
    return phase;
  }

  // A factor that is computed need not be finite where k has ended and what it reads is zero: 1/0.
  bool has_computed_factor(const UOp& k) const {
    return std::ranges::any_of(factors_, [&](const Node* f) {
      const std::vector<UOp> ranges = free_ranges(UOp::share(f));
      return f->op != Op::Load && std::ranges::find(ranges, k) != ranges.end();
    });
  }

  static bool is_line(const Residue& r, int64_t shift) {
    const int64_t first = r.of_phase(-shift), step = r.of_phase(1 - shift) - first;
    for (int64_t p = 0; p < r.s; ++p) {
      if (r.of_phase(p - shift) != first + step * p) return false;
    }
    return true;
  }
  // Rounds of x may begin before 0, so that the residues of k are a line through the phases.
  int64_t shift_of(const Residue& r) const {
    if (is_reduced(r.x)) return 0;
    for (int64_t shift = 0; shift < r.s; ++shift) {
      if (is_line(r, shift)) return shift;
    }
    return 0;
  }

  // Without k: so that terms exist in phase 0.
  static int64_t shift_of_gate(const Residue& r) {
    int64_t shift = 0;
    while (shift + 1 < r.s && modulo(r.c - r.a * shift, r.s) != 0) ++shift;
    return shift;
  }

  static void add_residue_of_phase(Affine& k, const Residue& r, const UOp& phase, int64_t shift) {
    const int64_t first = r.of_phase(-shift);
    if (is_line(r, shift)) {
      k.add_term(phase, r.of_phase(1 - shift) - first);
      k.add_constant(first);
      return;
    }
    Affine e;
    e.add_term(phase, modulo(-r.inverse() * r.a, r.s));
    e.add_constant(first);
    k.add_term(make(Op::Mod, {e.to_uop(), index_const(r.s)}, {}, DType::Index), 1);
  }

  void replace(const UOp& range, const Affine& value, std::vector<UOp> loops) {
    const UOp v = value.to_uop();
    digits_.emplace(range.node(), Digits{v, std::move(loops)});
    // The first round may begin too early, the last one be longer than what is left.
    const Interval bounds = simplify_.bounds_of(v);
    UOp inside;
    if (bounds.lo < 0) inside = simplify_(lt(index_const(-1), v));
    if (bounds.hi >= steps_of(range.node()))
      inside = both_gates(inside, simplify_(lt(v, index_const(steps_of(range.node())))));
    if (inside) ends_.emplace(range.node(), inside);
  }

  UOp rebuilt() {
    const auto change = [this](const Node* before, const UOp& now) { return ended(before, now); };
    return with_indices_under_gates(simplify_(with_digits(kernel_, digits_, change)));
  }

  // The access, gated where one of its ranges may run on behind its end: a store there, a load
  // where it would leave its array. A load that may have to be zero behind the end of k: below.
  UOp ended(const Node* before, const UOp& access) {
    if (before->op == Op::Reduce) return before == selected_ ? without_ended_terms(access) : access;
    UOp end;
    bool has_k = false;
    const auto add = [&](const Node* range) {
      const auto e = ends_.find(range);
      if (e == ends_.end()) return;
      end = both_gates(end, e->second);
      has_k |= range == k_;
    };
    if (before->op == Op::Store) {
      for (const Node* range : closed_around(before)) add(range);
      return end ? gated(access, end) : access;
    }
    for (const Node* n : toposort(UOp::share(before))) add(n);
    if (!end) return access;
    if (before == must_end_) return gated(access, end);
    const UOp inside = missing_bounds(before, access);
    if (!inside) return access;
    const UOp out = gated(access, inside);
    if (has_k && std::ranges::find(factors_, before) != factors_.end()) {
      const UOp gate = simplify_gate(gate_of(out));
      ends_in_a_factor_ |= simplify_gate(both_gates(gate, ends_.at(k_))) == gate;
    }
    return out;
  }

  UOp without_ended_terms(const UOp& sum) const {
    std::vector<UOp> src;
    for (int i = 0; i < sum.n_src(); ++i) src.push_back(sum.src(i));
    src[0] = where(ends_.at(k_), src[0], const_like(src[0], int64_t{0}));
    return with_sources(sum, src);
  }

  // The ranges of the END around a store.
  std::vector<const Node*> closed_around(const Node* store) const {
    std::vector<const Node*> out;
    for (const Node* n : order_) {
      if (n->op == Op::End && n->src()[0] == store)
        out.insert(out.end(), n->src().begin() + 1, n->src().end());
    }
    return out;
  }

  // What the load's gate does not say of where its array ends, in the dimensions that one of the
  // two ranges has a part in; empty if the load stays inside.
  UOp missing_bounds(const Node* before, const UOp& load) {
    IndexSimplifier under;
    const UOp gate = gate_of(load);
    if (gate && !assume_gate(under, simplify_(gate))) return {};
    UOp missing;
    for (int d = 0; d < load.src_node(0)->n_dim; ++d) {
      const auto ranges = free_ranges(UOp::share(before->src()[1 + static_cast<size_t>(d)]));
      const auto ends = [this](const UOp& r) { return ends_.contains(r.node()); };
      if (std::ranges::none_of(ranges, ends)) continue;
      const UOp index = simplify_(load.src(1 + d));
      const Interval b = under.bounds_of(under(index));
      if (b.lo < 0) missing = both_gates(missing, simplify_(lt(index_const(-1), index)));
      if (b.hi >= load.src(0).dim(d))
        missing = both_gates(missing, simplify_(lt(index, index_const(load.src(0).dim(d)))));
    }
    return missing;
  }

  const UOp kernel_;
  const std::vector<const Node*> order_;
  IndexSimplifier simplify_;
  std::unordered_map<const Node*, Digits> digits_;  // by the range that is no more
  std::unordered_map<const Node*, UOp> ends_;       // and what holds within it
  const Node* k_ = nullptr;
  std::vector<const Node*> factors_;  // of the terms
  const Node* must_end_ = nullptr;    // a factor that has to be zero behind the end of k
  bool ends_in_a_factor_ = false;     // one whose array ends there is
  const Node* selected_ = nullptr;    // the sum, where no factor may be trusted to be zero there
  int64_t next_range_;
};

}  // namespace

UOp solve_residues(const UOp& kernel) {
  if (count_nodes(kernel, Op::Mod) == 0) return kernel;
  UOp out = ResidueSolver(with_indices_under_gates(without_doubled_gates(kernel))).run();
  if (!out) return kernel;
  for (int i = 1; i < kMostGates; ++i) {
    const UOp next = ResidueSolver(out).run();
    if (!next) break;
    out = next;
  }
  // Who launches the kernel counts on its arrays, also on those that no element is read of.
  const bool keeps = count_nodes(out, Op::Param) == count_nodes(kernel, Op::Param);
  return keeps ? out : kernel;
}

}  // namespace tg
