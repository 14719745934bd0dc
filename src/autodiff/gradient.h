// Reverse-mode differentiation as a transformation of the tensor graph: the result is graph again,
// so it fuses, prints and can be differentiated once more. Each op's rule stands in its record
// (src/uop/ops); Tensor::backward is in src/tensor.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// d(Σ loss·seed)/d(target) for each target: `seed` is the gradient that reaches `loss`, of its
/// shape and dtype (ShapeError, DTypeError). Empty where `loss` does not depend on the target
/// through differentiable ops. A target inside the graph of another is no obstacle: both get their
/// own. Contributions are added in the order of the graph's structure, so equal programs give equal
/// graphs. An op without gradient on a needed path is a DTypeError naming it. One walk, O(nodes +
/// edges).
std::vector<UOp> gradient(const UOp& loss, const UOp& seed, std::span<const UOp> targets);

/// Of nodes in topological order those that a target's value reaches by differentiable steps, the
/// targets among them included.
std::unordered_set<const Node*> differentiable_from(std::span<const Node* const> order,
                                                    const std::unordered_set<const Node*>& targets);

}  // namespace tg
