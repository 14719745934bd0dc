// What of a kernel needs no instruction in PTX: sums whose constant part goes into addresses, and
// arrays whose elements are registers.
#pragma once

#include <unordered_set>

#include "codegen/linear.h"

namespace tg {

/// Sums with a constant, and ramps, of which nothing but the places of accesses are made.
std::unordered_set<const Node*> ptx_address_sums(std::span<const UOp> ops);
/// ALLOCs in Space::Reg all of whose accesses are at places that are known.
std::unordered_set<const Node*> ptx_register_arrays(std::span<const UOp> ops);

}  // namespace tg
