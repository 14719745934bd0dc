// The walk of IndexSimplifier and the cases that need no division; div and mod stand in divmod.cpp,
// comparisons in compare.cpp.
#include "rules/index.h"

#include <algorithm>
#include <array>

namespace tg {
namespace {

bool is_scalar(const Node* n) { return n->n_dim == 0 && n->lanes == 1 && n->space == Space::Value; }
bool is_truth(const UOp& u, bool value) { return u.is(Op::Const) && u.scalar().truthy() == value; }

// The constant that a CONST of dtype Index holds.
bool const_of(const UOp& u, int64_t& v) {
  if (!u.is(Op::Const)) return false;
  v = u.arg(0);
  return true;
}

// a and not a, in either order.
bool complementary(const UOp& a, const UOp& b) {
  auto negation = [](const UOp& n, const UOp& of) {
    return n.is(Op::Xor) && n.src_node(0) == of.node() && is_truth(n.src(1), true);
  };
  return negation(a, b) || negation(b, a);
}

// Appends the operands of nested `op`s; stops once there are more than an expression may have.
void flatten(const UOp& u, Op op, std::vector<UOp>& out, size_t limit) {
  std::vector<UOp> work{u};
  while (!work.empty() && out.size() <= limit) {
    UOp top = std::move(work.back());
    work.pop_back();
    if (top.is(op) && is_bool(top.dtype())) {
      work.push_back(top.src(1));
      work.push_back(top.src(0));
    } else {
      out.push_back(std::move(top));
    }
  }
}

UOp join(std::vector<UOp> parts, Op op) {
  UOp all = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) all = make(op, {all, parts[i]});
  return all;
}

// a = −b, constants aside.
bool is_negative_of(const Affine& a, const Affine& b) {
  return std::ranges::equal(a.terms, b.terms, [](const Affine::Term& x, const Affine::Term& y) {
    return x.term == y.term && x.coef == -y.coef;
  });
}
Interval negated(Interval i) {
  return {i.hi == Interval::kMax ? Interval::kMin : -i.hi,
          i.lo == Interval::kMin ? Interval::kMax : -i.lo};
}

}  // namespace

void IndexSimplifier::assume(const UOp& e, Interval i) {
  assumes_ = true;
  Affine sum = Affine::of(e);
  if (sum.is_constant()) return;
  i.lo = i.lo == Interval::kMin ? i.lo : saturating_add(i.lo, -sum.constant);
  i.hi = i.hi == Interval::kMax ? i.hi : saturating_add(i.hi, -sum.constant);
  sum.constant = 0;
  if (sum.is_single()) {
    bounds_.assume(sum.terms[0].term, i);
  } else {
    facts_.push_back({std::move(sum), i});
  }
}

Interval IndexSimplifier::bounds_of(const Affine& a) {
  Interval all{0, 0};
  for (const Affine::Term& t : a.terms) {
    const Interval i = bounds_of_term(t.term);
    const int64_t x = saturating_mul(i.lo, t.coef), y = saturating_mul(i.hi, t.coef);
    // An open end stays open: sums of saturated ends mean nothing else.
    const bool open_lo = t.coef > 0 ? i.lo == Interval::kMin : i.hi == Interval::kMax;
    const bool open_hi = t.coef > 0 ? i.hi == Interval::kMax : i.lo == Interval::kMin;
    all.lo = open_lo || all.lo == Interval::kMin ? Interval::kMin
                                                 : saturating_add(all.lo, std::min(x, y));
    all.hi = open_hi || all.hi == Interval::kMax ? Interval::kMax
                                                 : saturating_add(all.hi, std::max(x, y));
  }
  for (const Interval known : {known_of(a), known_of_quotients(a)})
    all = {std::max(all.lo, known.lo), std::min(all.hi, known.hi)};
  if (all.lo != Interval::kMin) all.lo = saturating_add(all.lo, a.constant);
  if (all.hi != Interval::kMax) all.hi = saturating_add(all.hi, a.constant);
  return all;
}

// What is assumed of the sum, its constant left aside.
Interval IndexSimplifier::known_of(const Affine& a) const {
  Interval all{Interval::kMin, Interval::kMax};
  for (const Fact& f : facts_) {
    const bool negative = is_negative_of(f.sum, a);
    if (!negative && f.sum.terms != a.terms) continue;
    const Interval i = negative ? negated(f.interval) : f.interval;
    all = {std::max(all.lo, i.lo), std::min(all.hi, i.hi)};
  }
  return all;
}

// The same by x/c + r = (x + c·r)/c, of which the dividend may be what is assumed of.
Interval IndexSimplifier::known_of_quotients(const Affine& a) const {
  Interval all{Interval::kMin, Interval::kMax};
  if (facts_.empty() || a.terms.size() < 2) return all;
  for (const Affine::Term& t : a.terms) {
    const bool divides = t.coef == 1 && t.term.is(Op::IDiv) && t.term.src(1).is(Op::Const);
    if (!divides || t.term.src(1).arg(0) <= 0) continue;
    const int64_t c = t.term.src(1).arg(0);
    Affine rest = a, dividend = Affine::of(t.term.src(0));
    rest.constant = 0;
    rest.add_term(t.term, -1);
    dividend.add(rest, c);
    if (!dividend.ok) continue;
    const Interval known = known_of(dividend);
    const auto quotient = [&](int64_t end) {
      return floor_div(saturating_add(end, dividend.constant), c);
    };
    if (known.lo != Interval::kMin) all.lo = std::max(all.lo, quotient(known.lo));
    if (known.hi != Interval::kMax) all.hi = std::min(all.hi, quotient(known.hi));
  }
  return all;
}

// Of a quotient also what is assumed of its dividend.
Interval IndexSimplifier::bounds_of_term(const UOp& term) {
  Interval i = bounds_(term);
  if (facts_.empty() || !term.is(Op::IDiv) || !term.src(1).is(Op::Const) || term.src(1).arg(0) <= 0)
    return i;
  const Affine dividend = Affine::of(term.src(0));
  const Interval known = known_of(dividend);
  const int64_t c = term.src(1).arg(0);
  if (known.lo != Interval::kMin)
    i.lo = std::max(i.lo, floor_div(saturating_add(known.lo, dividend.constant), c));
  if (known.hi != Interval::kMax)
    i.hi = std::min(i.hi, floor_div(saturating_add(known.hi, dividend.constant), c));
  return i;
}

UOp IndexSimplifier::from_affine(Affine a) {
  recombine(a);
  const Interval i = bounds_of(a);
  return i.is_point() ? index_const(i.lo) : a.to_uop();
}

UOp IndexSimplifier::operator()(const UOp& e) {
  if (auto it = memo_.find(e.node()); it != memo_.end()) return it->second;
  std::vector<std::pair<UOp, uint32_t>> stack{{e, 0}};
  std::vector<UOp> src;
  while (!stack.empty()) {
    auto& [top, next] = stack.back();
    const UOp n = top;
    if (assumes_ &&
        n.is(Op::Load)) {  // runs whatever is assumed, so its own index and gate must stay
      memo_.emplace(n.node(), n);
      keep_.push_back(n);
      stack.pop_back();
      continue;
    }
    const UOp alias = next == 0 ? lifted(n.node()) : UOp{};
    if (alias) {
      if (auto it = memo_.find(alias.node()); it != memo_.end()) {
        memo_.emplace(n.node(), it->second);
        keep_.push_back(n);
        stack.pop_back();
      } else {
        stack.emplace_back(alias, 0);
      }
      continue;
    }
    if (next < static_cast<uint32_t>(n.n_src())) {
      UOp child = n.src(static_cast<int>(next++));
      if (!memo_.contains(child.node())) stack.emplace_back(std::move(child), 0);
      continue;
    }
    stack.pop_back();
    src.clear();
    for (const Node* s : n.node()->src()) src.push_back(memo_.at(s));
    UOp result = build(n.node(), src);
    memo_.emplace(result.node(), result);
    memo_.emplace(n.node(), std::move(result));
    keep_.push_back(n);
  }
  return memo_.at(e.node());
}

UOp IndexSimplifier::build(const Node* n, std::span<UOp> src) {
  const UOp same = UOp::share(n);
  if (n->n_src == 0) return same;
  if (!is_scalar(n) || !in_group(n->op, kElementwise)) return with_sources(same, src);
  // A range of extent 1 stays itself where a loop is closed, but is a constant in arithmetic.
  for (UOp& s : src) {
    if (s.dtype() != DType::Index || s.is(Op::Const)) continue;
    if (const Interval i = bounds_(s); i.is_point()) s = index_const(i.lo);
  }
  if (n->op == Op::Where) return select(src[0], src[1], src[2]);
  if (n->dtype == DType::Index) return build_index(n, src);
  if (is_bool(n->dtype)) return build_bool(n, src);
  return with_sources(same, src);
}

UOp IndexSimplifier::build_index(const Node* n, std::span<const UOp> src) {
  const UOp same = with_sources(UOp::share(n), src);
  int64_t c = 0;
  switch (n->op) {
    case Op::Add: {
      Affine sum = Affine::of(src[0]);
      sum.add(Affine::of(src[1]));
      return sum.ok ? from_affine(std::move(sum)) : same;
    }
    case Op::Mul:
      return product(src[0], src[1]);
    case Op::Max:
      return max_of(src[0], src[1]);
    case Op::Shl:
      return const_of(src[1], c) && c >= 0 && c < 62 ? product(src[0], index_const(int64_t{1} << c))
                                                     : same;
    case Op::IDiv:
    case Op::Mod:
    case Op::Shr: {
      if (!const_of(src[1], c)) return same;
      if (n->op == Op::Shr) c = c >= 0 && c < 62 ? int64_t{1} << c : -1;
      if (c == 0) return index_const(0);
      if (c < 0) return same;
      Affine a = Affine::of(src[0]);
      Affine r = n->op == Op::Mod ? mod(std::move(a), c) : div(std::move(a), c);
      return r.ok ? from_affine(std::move(r)) : same;
    }
    default:
      break;
  }
  const Interval i = bounds_(same);
  return i.is_point() ? index_const(i.lo) : same;
}

UOp IndexSimplifier::product(const UOp& a, const UOp& b) {
  Affine x = Affine::of(a), y = Affine::of(b);
  if (x.is_constant()) std::swap(x, y);
  if (y.is_constant()) {
    Affine r = x.times(y.constant);
    return r.ok ? from_affine(std::move(r)) : a * b;
  }
  // Products of variables: constants in front, factors in structural order.
  if (x.terms.size() > 1 || y.terms.size() > 1 || x.constant != 0 || y.constant != 0) {
    return structurally_less(b, a) ? b * a : a * b;
  }
  std::vector<UOp> factors;
  for (const Affine& f : {x, y}) {
    UOp rest = f.terms[0].term;
    while (rest.is(Op::Mul) && factors.size() < Affine::kMaxTerms) {
      factors.push_back(rest.src(1));
      rest = rest.src(0);
    }
    factors.push_back(rest);
  }
  std::sort(factors.begin(), factors.end(),
            [](const UOp& p, const UOp& q) { return structurally_less(p, q); });
  Affine one;
  one.add_term(join(std::move(factors), Op::Mul), 1);
  int64_t k = 0;
  if (__builtin_mul_overflow(x.terms[0].coef, y.terms[0].coef, &k)) return a * b;
  Affine r = one.times(k);
  return r.ok ? from_affine(std::move(r)) : a * b;
}

UOp IndexSimplifier::max_of(const UOp& a, const UOp& b) {
  Affine d = Affine::of(a);
  d.add(Affine::of(b), -1);
  const Interval i = d.ok ? bounds_of(d) : Interval{};
  if (i.lo >= 0) return a;
  if (i.hi <= 0) return b;
  return structurally_less(b, a) ? maximum(b, a) : maximum(a, b);
}

UOp IndexSimplifier::select(const UOp& c, const UOp& a, const UOp& b) {
  if (is_truth(c, true) || a == b) return a;
  if (is_truth(c, false)) return b;
  if (c.is(Op::Xor) && is_truth(c.src(1), true)) return select(c.src(0), b, a);
  if (!is_bool(a.dtype())) return where(c, a, b);
  if (is_truth(a, true)) return junction(Op::Or, c, b);
  if (is_truth(b, false)) return junction(Op::And, c, a);
  if (is_truth(a, false)) return junction(Op::And, negate(c), b);
  if (is_truth(b, true)) return junction(Op::Or, negate(c), a);
  return where(c, a, b);
}

UOp IndexSimplifier::negate(const UOp& a) {
  if (a.is(Op::Const)) return boolean(!a.scalar().truthy());
  if (a.is(Op::Xor) && is_truth(a.src(1), true)) return a.src(0);
  return logical_not(a);
}

UOp IndexSimplifier::junction(Op op, const UOp& a, const UOp& b) {
  const bool absorbing = op == Op::Or;  // true absorbs in or, false in and
  std::vector<UOp> parts;
  flatten(a, op, parts, Affine::kMaxTerms);
  flatten(b, op, parts, Affine::kMaxTerms);
  if (parts.size() > Affine::kMaxTerms) return make(op, {a, b});
  std::sort(parts.begin(), parts.end(),
            [](const UOp& p, const UOp& q) { return structurally_less(p, q); });
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  std::erase_if(parts, [&](const UOp& p) { return is_truth(p, !absorbing); });
  for (const UOp& p : parts) {
    if (is_truth(p, absorbing)) return boolean(absorbing);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j) {
      if (complementary(parts[i], parts[j])) return boolean(absorbing);
    }
  }
  return parts.empty() ? boolean(!absorbing) : join(std::move(parts), op);
}

UOp IndexSimplifier::build_bool(const Node* n, std::span<const UOp> src) {
  const UOp same = with_sources(UOp::share(n), src);
  const DType t = src[0].dtype();
  if (t == DType::Index && (n->op == Op::CmpLt || n->op == Op::CmpNe)) {
    Affine d = Affine::of(src[0]);
    d.add(Affine::of(src[1]), -1);
    if (!d.ok) return same;
    return n->op == Op::CmpLt ? less_than_zero(std::move(d)) : not_zero(std::move(d));
  }
  if (is_bool(t)) {
    switch (n->op) {
      case Op::And:
      case Op::Mul:
        return junction(Op::And, src[0], src[1]);
      case Op::Or:
      case Op::Max:
      case Op::Add:
        return junction(Op::Or, src[0], src[1]);
      case Op::CmpLt:
        return junction(Op::And, negate(src[0]), src[1]);
      case Op::Xor:
      case Op::CmpNe:
        if (src[0] == src[1]) return boolean(false);
        if (src[0].is(Op::Const)) return is_truth(src[0], true) ? negate(src[1]) : src[1];
        if (src[1].is(Op::Const)) return is_truth(src[1], true) ? negate(src[0]) : src[0];
        if (complementary(src[0], src[1])) return boolean(true);
        return structurally_less(src[1], src[0]) ? src[1] ^ src[0] : src[0] ^ src[1];
      default:
        break;
    }
  }
  const Interval i = is_float(t) ? Interval{} : bounds_(same);
  return i.is_point() ? boolean(i.lo != 0) : same;
}

// An integer expression over ranges, constants and loads whose operations cannot wrap: computing it
// in Index is the same.
bool IndexSimplifier::is_exact(const Node* n) {
  std::vector<std::pair<const Node*, uint32_t>> stack{{n, 0}};
  while (!stack.empty()) {
    auto& [top, next] = stack.back();
    if (exact_.contains(top)) {
      stack.pop_back();
      continue;
    }
    const bool arithmetic = top->op == Op::Add || top->op == Op::Mul || top->op == Op::Max ||
                            top->op == Op::IDiv || top->op == Op::Mod;
    const uint32_t first = top->op == Op::Where ? 1 : 0;  // a condition may be anything
    if ((arithmetic || first == 1) && first + next < top->n_src) {
      stack.emplace_back(top->src()[first + next++], 0);
      continue;
    }
    bool exact = is_scalar(top) && is_int(top->dtype) && top->dtype != DType::UInt64;
    if (arithmetic && exact) {
      for (const Node* s : top->src()) exact = exact && exact_.at(s);
      const Interval a = bounds_(top->src()[0]), b = bounds_(top->src()[1]);
      const std::array<Interval, 2> ends = {a, b};
      const Interval i = record(top->op).interval(ends, top->arg()),
                     all = dtype_interval(top->dtype);
      exact = exact && i.bounded() && i.lo >= all.lo && i.hi <= all.hi;
    } else if (top->op == Op::Where && exact) {
      exact = exact_.at(top->src()[1]) && exact_.at(top->src()[2]);
    } else if (top->op == Op::Cast && exact) {
      const Node* from = top->src()[0];
      const Interval i = bounds_(from), all = dtype_interval(top->dtype);
      exact = from->dtype == DType::Index && i.bounded() && i.lo >= all.lo && i.hi <= all.hi;
    } else if (top->op != Op::Const) {
      exact = false;
    }
    keep_.push_back(UOp::share(top));
    exact_.emplace(top, exact);
    stack.pop_back();
  }
  return exact_.at(n);
}

// cast<Index>(a ∘ b) → cast<Index>(a) ∘ cast<Index>(b), selections by their branches, and
// comparisons of fixed-width integers likewise, where nothing can wrap: the algebra above then sees
// through patterns that were written with int32, such as masks of an iota.
UOp IndexSimplifier::lifted(const Node* n) {
  if (!is_scalar(n)) return {};
  auto to_index = [](const Node* s) {
    if (s->op == Op::Cast && s->src()[0]->dtype == DType::Index) return UOp::share(s->src()[0]);
    if (s->op == Op::Const) return index_const(s->arg()[0]);
    return cast(UOp::share(s), DType::Index);
  };
  const bool compare = n->op == Op::CmpLt || n->op == Op::CmpNe;
  if (compare && n->src()[0]->dtype != DType::Index && is_exact(n->src()[0]) &&
      is_exact(n->src()[1])) {
    return make(n->op, {to_index(n->src()[0]), to_index(n->src()[1])});
  }
  if (n->op != Op::Cast || n->dtype != DType::Index || !is_exact(n->src()[0])) return {};
  const Node* s = n->src()[0];
  if (s->op == Op::Const || s->op == Op::Cast) return to_index(s);
  if (s->op == Op::Where)
    return make(s->op, {UOp::share(s->src()[0]), to_index(s->src()[1]), to_index(s->src()[2])});
  return make(s->op, {to_index(s->src()[0]), to_index(s->src()[1])});
}

UOp simplify_index(const UOp& e) { return IndexSimplifier()(e); }

std::vector<UOp> conjuncts(const UOp& gate) {
  std::vector<UOp> parts;
  flatten(gate, Op::And, parts, static_cast<size_t>(-1));
  std::erase_if(parts, [](const UOp& p) { return is_truth(p, true); });
  return parts;
}

UOp conjunction(std::vector<UOp> parts) {
  if (parts.empty()) return boolean(true);
  std::sort(parts.begin(), parts.end(),
            [](const UOp& p, const UOp& q) { return structurally_less(p, q); });
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return join(std::move(parts), Op::And);
}

UOp both_gates(const UOp& a, const UOp& b) {
  if (!a || !b) return a ? a : b;
  return a == b ? a : a & b;
}

int64_t required_divisor(const UOp& condition) {
  const bool divides = condition.is(Op::CmpLt) && condition.src(1).is_const(1) &&
                       condition.src(0).is(Op::Mod) && condition.src(0).src(1).is(Op::Const);
  return divides ? condition.src(0).src(1).arg(0) : 1;
}

UOp gate_of(const UOp& access) {
  const int n_idx = access.src_node(0)->n_dim;
  const int gate_at = access.is(Op::Store) ? 2 + n_idx : 1 + n_idx;
  return access.n_src() > gate_at ? access.src(gate_at) : UOp{};
}

}  // namespace tg
