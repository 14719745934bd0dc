// A worklist of sums whose values the element determines. See element_sharing.h.
#include "kernel/element_sharing.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "rules/valid.h"
#include "support/check.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

class Solver {
 public:
  // What does not write has no part in this: the index has the bounds that `gate` gives it.
  explicit Solver(const UOp& gate) {
    if (gate) assume_gate(simplify_, gate);
  }

  void learn(const UOp& u) { learn(Affine::of(u)); }
  void assume_known(const UOp& range) { known_.insert(range); }

  // Until no sum gives a term that was not known before.
  void run() {
    for (bool more = true; std::exchange(more, false);) {
      // By place: a sum that is solved may add others.
      for (size_t i = 0; i < sums_.size(); ++i) more = solve(i) || more;
      for (size_t i = 0; i < digits_.size(); ++i) more = join_digits(i) || more;
    }
  }

  bool is_known(const UOp& term) const { return known_.contains(term) || follows(term); }

 private:
  // Computed from what is known, or the same in all iterations.
  bool follows(const UOp& term) const {
    return std::ranges::all_of(toposort(term), [this](const Node* n) {
      const bool open = n->op == Op::Range && n->src()[0]->arg()[0] != 1;
      return n->op != Op::Load && (!open || known_.contains(UOp::share(n)));
    });
  }

  // By how much a term of a sum may vary, in the sum's unit.
  int64_t variation(const Affine::Term& t) {
    const Interval b = simplify_.bounds_of(t.term);
    if (!b.bounded()) return Interval::kMax;
    const int64_t width = saturating_add(b.hi, saturating_mul(b.lo, -1));
    return saturating_mul(std::abs(t.coef), width);
  }

  void learn(Affine sum) {
    if (sum.ok && !sum.terms.empty()) sums_.push_back(std::move(sum));
  }

  bool solve(size_t at) {
    Affine sum = std::move(sums_[at]);
    std::erase_if(sum.terms, [this](const Affine::Term& t) { return is_known(t.term); });
    bool more = false;
    while (const Affine::Term* t = separable(sum)) {
      const UOp term = t->term;
      std::erase_if(sum.terms, [&](const Affine::Term& x) { return x.term == term; });
      know(term);
      more = true;
    }
    sums_[at] = std::move(sum);
    return more;
  }

  // The term with the largest coefficient, or the one with the smallest variation.
  const Affine::Term* separable(const Affine& sum) {
    if (sum.terms.empty()) return nullptr;
    const auto coefficient = [](const Affine::Term& t) { return std::abs(t.coef); };
    const auto& largest = *std::ranges::max_element(sum.terms, {}, coefficient);
    int64_t others = 0;
    for (const Affine::Term& t : sum.terms) {
      if (&t != &largest) others = saturating_add(others, variation(t));
    }
    if (coefficient(largest) > others) return &largest;
    for (const Affine::Term& t : sum.terms) {
      int64_t divisor = 0;
      for (const Affine::Term& x : sum.terms) {
        if (&x != &t) divisor = std::gcd(divisor, x.coef);
      }
      if (variation(t) < divisor) return &t;
    }
    return nullptr;
  }

  void know(const UOp& term) {
    known_.insert(term);
    const bool digit = term.is(Op::IDiv) || term.is(Op::Mod);
    if (!digit || !term.src(1).is(Op::Const) || term.src(1).arg(0) <= 0) return;
    digits_.push_back(term);
    if (term.is(Op::Mod)) learn_residue(term.src(0), term.src(1).arg(0));
  }

  void learn_residue(const UOp& e, int64_t c) {
    Affine rest = Affine::of(e);
    std::erase_if(rest.terms, [&](const Affine::Term& t) { return t.coef % c == 0; });
    int64_t varies = 0;
    for (const Affine::Term& t : rest.terms) varies = saturating_add(varies, variation(t));
    if (varies < c) learn(std::move(rest));
  }

  // e of a digit e div c or e mod c whose other half is known too.
  bool join_digits(size_t at) {
    const UOp digit = digits_[at];
    if (!digit) return false;
    const UOp e = digit.src(0), c = digit.src(1);
    const Affine other = Affine::of(simplify_(digit.is(Op::Mod) ? idiv(e, c) : mod(e, c)));
    const bool both =
        std::ranges::all_of(other.terms, [&](const Affine::Term& t) { return is_known(t.term); });
    if (!other.ok || !both) return false;
    digits_[at] = {};
    learn(e);
    return true;
  }

  IndexSimplifier simplify_;
  std::vector<Affine> sums_;
  std::vector<UOp> digits_;  // known quotients and remainders; empty once their number is known
  std::unordered_set<UOp> known_;
};

}  // namespace

bool shares_elements_along(const WrittenElements& at, const UOp& range) {
  Solver solver(at.gate);
  for (const UOp& i : at.index) {
    for (const UOp& r : free_ranges(i)) {
      if (r != range) solver.assume_known(r);
    }
    solver.learn(i);
  }
  solver.run();
  return !solver.is_known(range);
}

std::vector<UOp> ranges_sharing_elements(const WrittenElements& at, std::span<const UOp> ranges) {
  const auto is_coordinate = [&](const UOp& r) {
    return std::ranges::find(at.index, r) != at.index.end();
  };
  if (std::ranges::all_of(ranges, is_coordinate)) return {};
  Solver solver(at.gate);
  for (const UOp& i : at.index) solver.learn(i);
  solver.run();
  std::vector<UOp> out;
  std::ranges::copy_if(ranges, std::back_inserter(out),
                       [&](const UOp& r) { return !solver.is_known(r); });
  return out;
}

WrittenElements written_by(const Node* store) {
  TG_CHECK(store->op == Op::Store, "the elements that {} writes", op_name(store->op));
  const size_t dims = store->src()[0]->n_dim;
  WrittenElements out;
  for (size_t d = 0; d < dims; ++d) out.index.push_back(UOp::share(store->src()[1 + d]));
  if (store->n_src > dims + 2) out.gate = UOp::share(store->src()[dims + 2]);
  return out;
}

std::vector<UOp> ranges_sharing_elements(const Node* end) {
  TG_CHECK(end->op == Op::End, "ranges of {}", op_name(end->op));
  std::vector<UOp> ranges;
  for (const Node* r : end->src().subspan(1)) ranges.push_back(UOp::share(r));
  return ranges_sharing_elements(written_by(end->src()[0]), ranges);
}

}  // namespace tg
