// Identities of value graphs (tensor, ranged or lowered), as named rules; none of them changes a
// result, not even a rounding or the sign of a zero. Index arithmetic with bounds is index.h: run
// that on indices.
#pragma once

#include "tg/ir/rewrite.h"

namespace tg {

/// x + 0, x · 1, x & x, … : what needs no more than a look at constants and equal operands. All
/// rules are data.
const RuleSet& identity_rules();
/// Operations on constants become constants, by the op records' own evaluation.
const RuleSet& folding_rules();
/// Casts that lose nothing on the way, casts of casts, selects of selects.
const RuleSet& conversion_rules();
/// All of the above.
const RuleSet& simple_rules();

/// True if every value of `from` survives a cast to `to` unchanged.
bool cast_is_exact(DType from, DType to);

/// `root` rewritten with simple_rules() until nothing changes.
UOp simplify(const UOp& root);

}  // namespace tg
