// Construction and arithmetic of affine forms; see affine.h.
#include "rules/affine.h"

#include <algorithm>
#include <numeric>

#include "support/symbol.h"

namespace tg {
namespace {

int rank(const Node* n) { return n->op == Op::Range ? 0 : n->op == Op::Var ? 1 : 2; }

int compare_args(const Node* a, const Node* b) {
  const bool named = record(a->op).arg == ArgKind::Symbol;
  size_t i = 0;
  if (named && a->n_arg > 0 && b->n_arg > 0) {
    if (int c = symbol_name(a->arg()[0]).compare(symbol_name(b->arg()[0])); c != 0) return c;
    i = 1;
  }
  for (; i < std::min(a->arg().size(), b->arg().size()); ++i) {
    if (a->arg()[i] != b->arg()[i]) return a->arg()[i] < b->arg()[i] ? -1 : 1;
  }
  return static_cast<int>(a->n_arg) - static_cast<int>(b->n_arg);
}

// Everything of two nodes except their sources.
int compare_heads(const Node* a, const Node* b) {
  if (rank(a) != rank(b)) return rank(a) - rank(b);
  if (a->op != b->op) return a->op < b->op ? -1 : 1;
  if (rank(a) < 2) {
    if (int c = compare_args(a, b); c != 0) return c;
  }
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  if (a->dtype != b->dtype) return a->dtype < b->dtype ? -1 : 1;
  if (a->n_src != b->n_src) return a->n_src < b->n_src ? -1 : 1;
  if (int c = compare_args(a, b); c != 0) return c;
  return symbol_name(a->device).compare(symbol_name(b->device));
}

bool too_big(int64_t v) { return v >= (int64_t{1} << 62) || v <= -(int64_t{1} << 62); }

// k·a + b, or false when it leaves the allowed range.
bool mul_add(int64_t k, int64_t a, int64_t b, int64_t& out) {
  int64_t p = 0;
  return !__builtin_mul_overflow(k, a, &p) && !__builtin_add_overflow(p, b, &out) && !too_big(out);
}

bool index_const_of(const Node* n, int64_t& v) {
  if (n->op != Op::Const || n->dtype != DType::Index) return false;
  v = n->arg()[0];
  return true;
}

}  // namespace

// Nodes with equal heads differ in a source; the first such pair decides. Collisions of the hash
// are so rare that the walk costs nothing in practice.
bool structurally_less(const Node* a, const Node* b) {
  while (a != b) {
    if (int c = compare_heads(a, b); c != 0) return c < 0;
    size_t i = 0;
    while (i < a->n_src && a->src()[i] == b->src()[i]) ++i;
    if (i == a->n_src) return false;
    const Node* next_a = a->src()[i];
    b = b->src()[i];
    a = next_a;
  }
  return false;
}

Affine Affine::of_constant(int64_t c) {
  Affine a;
  a.add_constant(c);
  return a;
}

Affine Affine::of(const UOp& u) {
  Affine a;
  std::vector<std::pair<const Node*, int64_t>> work{{u.node(), 1}};
  size_t visited = 0;
  while (!work.empty()) {
    auto [n, k] = work.back();
    work.pop_back();
    int64_t v = 0, scaled = 0;
    if (++visited > 4 * kMaxTerms) a.ok = false;
    if (!a.ok) break;
    if (index_const_of(n, v)) {
      a.ok = mul_add(k, v, a.constant, a.constant);
    } else if (n->op == Op::Add && n->dtype == DType::Index) {
      work.emplace_back(n->src()[1], k);
      work.emplace_back(n->src()[0], k);
    } else if (n->op == Op::Mul && index_const_of(n->src()[1], v) && mul_add(k, v, 0, scaled)) {
      work.emplace_back(n->src()[0], scaled);
    } else if (n->op == Op::Mul && index_const_of(n->src()[0], v) && mul_add(k, v, 0, scaled)) {
      work.emplace_back(n->src()[1], scaled);
    } else {
      a.add_term(UOp::share(n), k);
    }
  }
  if (a.ok) return a;
  Affine whole;  // too wide or too large: the expression is a term of its own
  whole.add_term(u, 1);
  return whole;
}

void Affine::add_term(const UOp& term, int64_t k) {
  auto less = [](const Term& t, const UOp& u) { return structurally_less(t.term, u); };
  const bool last = terms.empty() || structurally_less(terms.back().term, term);
  auto it = last ? terms.end() : std::lower_bound(terms.begin(), terms.end(), term, less);
  if (it != terms.end() && it->term == term) {
    ok = ok && mul_add(1, k, it->coef, it->coef);
    if (it->coef == 0) terms.erase(it);
    return;
  }
  ok = ok && !too_big(k) && terms.size() < kMaxTerms;
  if (k != 0 && ok) terms.insert(it, Term{term, k});
}

void Affine::add_constant(int64_t c) { ok = ok && mul_add(1, c, constant, constant); }

void Affine::add(const Affine& other, int64_t k) {
  ok = ok && other.ok && mul_add(k, other.constant, constant, constant);
  for (const Term& t : other.terms) {
    int64_t c = 0;
    ok = ok && mul_add(k, t.coef, 0, c);
    if (!ok) return;
    add_term(t.term, c);
  }
}

Affine Affine::times(int64_t k) const {
  Affine r;
  r.add(*this, k);
  return r;
}

int64_t Affine::gcd() const {
  int64_t g = 0;
  for (const Term& t : terms) g = std::gcd(g, t.coef);
  return g;
}

UOp Affine::to_uop() const {
  UOp sum;
  for (const Term& t : terms) {
    UOp x = t.coef == 1 ? t.term : t.term * index_const(t.coef);
    sum = sum ? sum + x : x;
  }
  if (!sum) return index_const(constant);
  return constant == 0 ? sum : sum + index_const(constant);
}

}  // namespace tg
