// Expressions that a kernel computes twice, of one range where they are reduced and of another
// where results are made of them: the exponentials of a softmax. What a copy of such a row is:
// Staging (src/kernel/kernel_schedule.h); how the second expression comes to read it:
// scheduled_kernel.cpp.
#pragma once

#include <optional>

#include "codegen/kernel_facts.h"

namespace tg {

/// `operand` of another base than `base` that the kernel has as well.
struct Twin {
  UOp expression;
  int base;
};
std::optional<Twin> twin_of(const UOp& kernel, const KernelSchedule& s, const UOp& operand,
                            int base);

/// Whether `operand`, or what it is computed of, has a copy: a load has one, of its own or of what
/// is computed of it.
bool is_staged(const KernelSchedule& s, const UOp& operand);

/// The largest part of a REDUCE's term that has a twin and takes at least `operations` of an
/// element; empty if there is none. O(bases · nodes).
UOp repeated_term(const UOp& kernel, const KernelSchedule& s, const UOp& reduce,
                  int64_t operations);

/// Copies of such parts, each made once a row and kept for it, where computing them again would
/// take longer than storing and loading them and loops are left inside. `s` is complete otherwise.
void keep_repeated_terms(const UOp& kernel, const KernelFacts& facts, const Target& target,
                         KernelSchedule& s);

}  // namespace tg
