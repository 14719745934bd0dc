// Indices as sums: coefficient × term + … + constant, where a term is a RANGE or any expression that is not itself a sum or a
// multiple. All decisions about strides, contiguity and footprints read this form; simplification of expressions is src/rules.
#pragma once

#include <cstdint>
#include <vector>

#include "uop/uop.h"

namespace tg {

struct AffineTerm {
  UOp term;
  int64_t coef;
};

/// Σ coef·term + constant. Terms are distinct, coefficients not 0, in order of first appearance.
struct AffineIndex {
  std::vector<AffineTerm> terms;
  int64_t constant = 0;

  /// Coefficient of `term`, 0 if it does not occur as a term of its own.
  int64_t coef(const UOp& term) const;
  void add(const UOp& term, int64_t coef);
  void add(const AffineIndex& other, int64_t factor);
};

/// The affine form of an Index expression; sums, and products with constants, are opened.
AffineIndex affine_of(const UOp& expr);
/// The form of the flat, row-major element index of `idx` in an array of `extents`.
AffineIndex flat_index(std::span<const UOp> idx, std::span<const Dim> extents);
/// Back to an expression: terms in their order, then the constant.
UOp to_expr(const AffineIndex& a);

}  // namespace tg
