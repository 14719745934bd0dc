// Algebra of index expressions and gates: one normal form, so that equal indices become the same
// node and reshape round trips vanish. Computes on affine forms (affine.h) with bounds (bounds.h).
// The rules, with floor division and 0 ≤ r < c:
// - sums: like terms join, constants last; k·d·(x/d) + k·(x%d) → k·x
// - division: (c·q + r)/c → q; (x/a)/b → x/(a·b); (g·y + r)/(g·c) → y/c for 0 ≤ r < g
// - modulo: (c·q + x)%c → x%c; (x%(a·b))%a → x%a; (g·y + r)%(g·c) → g·(y%c) + r;
//   (x%(a·b))/a → (x/a)%b
// - compare: as terms < constant, first coefficient positive; c·x + r < k → x < ceil(k/c);
//   decided by bounds
// - logic: constants, duplicates and complements folded, conjunctions flat and sorted
// - where, max: by bounds
// Sources of these rules: tinygrad's symbolic rules and Halide's simplifier; gates as assumptions:
// valid.h.
#pragma once

#include "rules/affine.h"
#include "rules/bounds.h"

namespace tg {

/// The constant true or false.
inline UOp boolean(bool value) { return constant(value, DType::Bool); }

/// Simplifies index and bool scalars wherever they stand in a graph; all other nodes are only
/// rebuilt over simplified sources. Results are fixed points. A memo lasts as long as the object
/// and keeps its nodes alive: make one per pass. Linear in the nodes seen for the first time (sums
/// of up to Affine::kMaxTerms terms count as one); never recurses over the graph. Not thread-safe.
class IndexSimplifier {
 public:
  UOp operator()(const UOp& e);

  /// From now on `e` (a simplified index) is known to lie in `i`. Must precede the first
  /// simplification: results that rest on it hold only where the assumption does.
  /// Loads inside an expression are left alone from then on: they run whether it holds or not.
  void assume(const UOp& e, Interval i);

  /// Bounds of an index, with the assumptions.
  Interval bounds_of(const Affine& a);
  Interval bounds_of(const UOp& u) { return bounds_of(Affine::of(u)); }

 private:
  struct Step;
  struct Fact {
    Affine sum;  // constant 0
    Interval interval;
  };

  UOp build(const Node* n, std::span<UOp> src);
  UOp build_index(const Node* n, std::span<const UOp> src);
  UOp build_bool(const Node* n, std::span<const UOp> src);
  UOp lifted(const Node* n);
  bool is_exact(const Node* n);

  Interval known_of(const Affine& a) const;
  Interval known_of_quotients(const Affine& a) const;
  Interval bounds_of_term(const UOp& term);
  UOp from_affine(Affine a);
  void recombine(Affine& a);
  Affine div(Affine a, int64_t d);
  Affine mod(Affine a, int64_t d);
  Step step(Affine a, int64_t d);
  bool step_by_factor(const Affine& a, int64_t d, Step& out);
  UOp less_than_zero(Affine a);
  UOp not_zero(Affine a);
  bool drop_rest(Affine& a, int64_t& k);
  UOp product(const UOp& a, const UOp& b);
  UOp max_of(const UOp& a, const UOp& b);
  UOp select(const UOp& c, const UOp& a, const UOp& b);
  UOp negate(const UOp& a);
  UOp junction(Op op, const UOp& a, const UOp& b);

  Bounds bounds_;
  std::vector<Fact> facts_;
  bool assumes_ = false;
  std::unordered_map<const Node*, UOp> memo_;
  std::unordered_map<const Node*, bool> exact_;
  std::vector<UOp> keep_;
};

/// One expression without a memo to share.
UOp simplify_index(const UOp& e);

/// The conjuncts of a gate: `a & b & c` → {a, b, c}; a constant true gives none.
std::vector<UOp> conjuncts(const UOp& gate);
/// Their conjunction in structural order; true for none.
UOp conjunction(std::vector<UOp> parts);
/// `a & b`, where either may be empty.
UOp both_gates(const UOp& a, const UOp& b);
/// s if the condition says that s divides an index, e mod s < 1; else 1.
int64_t required_divisor(const UOp& condition);
/// The gate of a LOAD or STORE in ranged form, or empty.
UOp gate_of(const UOp& access);

}  // namespace tg
