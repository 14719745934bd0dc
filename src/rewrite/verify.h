// The grammars of the stages as checks: run between passes, they name the pass that broke an
// invariant instead of the one that stumbled over it. Which ops a stage has at all:
// src/uop/grammar.h.
#pragma once

#include <span>

#include "tg/ir/uop.h"

namespace tg {

/// T, the tensor graph: ops of the stage, one lane, STORE to a movement chain over a BUFFER, PARAM
/// or AFTER, effects used only by AFTER and SINK, storage of a storable dtype. Throws InternalError
/// "verify_tensor: rule: node" for the first node in toposort order that breaks a rule. Linear.
void verify_tensor(const UOp& root);

/// R, ranged kernels: values are scalars, pointers have extents; indices are of dtype Index and
/// gates bool; REDUCE, STAGE and END close RANGEs; range ids are unique; no node closes a range
/// that was closed below it; nothing is open at a SINK. Throws as above. Linear in nodes × ranges
/// / 64.
void verify_ranged(const UOp& root);

/// N, linear code: definitions before uses, each once; loops and ifs nest; what is made inside a
/// scope is used inside it; carries follow their RANGE and END feeds each; accesses state lanes and
/// alignment. Throws as above. Linear.
void verify_linear(std::span<const UOp> list);

}  // namespace tg
