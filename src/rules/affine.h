// Sums of index terms with integer coefficients: the form in which index algebra computes. A term
// is any index expression that is itself neither a sum nor a multiple of a constant. What is done
// with the form is index.h.
#pragma once

#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// A total order of nodes that depends on structure only: ranges by id, then variables by name,
/// then the rest by op and structural hash (equal hashes by full comparison). Equal only for the
/// same node.
bool structurally_less(const Node* a, const Node* b);
inline bool structurally_less(const UOp& a, const UOp& b) {
  return structurally_less(a.node(), b.node());
}

/// Σ coefᵢ·termᵢ + constant, terms in structural order, each once, no coefficient 0. Coefficients
/// stay below 2^62 in magnitude: an operation that would leave that range, or more than kMaxTerms
/// terms, clears `ok`, and the caller keeps what it had.
struct Affine {
  struct Term {
    UOp term;
    int64_t coef;
    friend bool operator==(const Term&, const Term&) = default;
  };
  static constexpr size_t kMaxTerms = 64;

  std::vector<Term> terms;
  int64_t constant = 0;
  bool ok = true;

  static Affine of_constant(int64_t c);
  /// Reads sums, products with constants and constants; everything else is a term.
  static Affine of(const UOp& u);

  bool is_constant() const { return terms.empty(); }
  /// Exactly one term, coefficient 1; any constant.
  bool is_single() const { return terms.size() == 1 && terms[0].coef == 1; }
  /// this += k·other.
  void add(const Affine& other, int64_t k = 1);
  void add_term(const UOp& term, int64_t k);
  void add_constant(int64_t c);
  Affine times(int64_t k) const;
  /// Greatest common divisor of the coefficients (not of the constant); 0 without terms.
  int64_t gcd() const;

  /// The expression: terms in order, the constant last.
  UOp to_uop() const;

  friend bool operator==(const Affine&, const Affine&) = default;
};

}  // namespace tg
