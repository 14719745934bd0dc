// What instructions that touch registers only compute, by the PTX manual; apart from the library
// that wrote them, so that both must agree.
#pragma once

#include <span>

#include "ptx/text.h"

namespace tg::emulator::ptx {

/// The bits of the result; `x` are the operands behind it. Throws Wrong for what the manual leaves
/// open, and for arithmetic of floats that does not say how it rounds.
uint64_t evaluate(const Instruction& i, std::span<const uint64_t> x);

/// What one work-item brings to mma.sync: registers of 32 bits, and its part of the sum.
struct Fragments {
  std::span<const uint64_t> a, b, c;
};
/// The part of work-item `lane` of the product of all 32; `i` says which instruction it is.
std::vector<uint64_t> multiply(const Instruction& i, std::span<const Fragments> work_items,
                               size_t lane);

}  // namespace tg::emulator::ptx
