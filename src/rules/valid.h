// Indices and gates together: an index only matters where its gate holds, so the gate's comparisons
// may be assumed when the index is simplified, and a comparison that the others imply is no
// comparison. The algebra itself is index.h.
#pragma once

#include "rules/index.h"

namespace tg {

/// `index` in a form that equals it wherever `gate` is true (elsewhere its value is of no account).
/// `gate`: a conjunction of comparisons of index expressions; other conjuncts are ignored. Assumes
/// of every comparison a·x + … < k also what it implies for each single term. Idempotent for a
/// fixed gate.
UOp simplify_under(const UOp& gate, const UOp& index);
/// The same for several indices with one gate (the coordinates of one access).
std::vector<UOp> simplify_under(const UOp& gate, std::span<const UOp> indices);

/// An equal gate without conjuncts that bounds or the other conjuncts imply; false if they
/// contradict each other. Conjuncts are tried in structural order. Quadratic in their number.
UOp simplify_gate(const UOp& gate);

/// Adds to `simplify` what `gate` says: see IndexSimplifier::assume. False if the gate is seen to
/// be never true; then nothing useful can be derived.
bool assume_gate(IndexSimplifier& simplify, const UOp& gate);

}  // namespace tg
