// Loops that a program asks for by itself: which axes of the kernel that stores a value have
// several points computed together. They travel as the argument of the value's CONTIGUOUS, then of
// the SINK of its kernel, and are a wish: what the kernel, whose axes fusion and simplification
// decide on, does not allow is left out. The edits themselves: kernel_schedule.h.
#pragma once

#include <cstdint>
#include <span>

#include "kernel/kernel_schedule.h"
#include "tg/ir/uop.h"

namespace tg {

struct AskedLoop {
  enum class Kind : uint8_t {
    Upcast,  ///< of all axes, those of the result first, then those that are reduced
    Unroll   ///< of the axes that are reduced
  };
  Kind kind;
  int64_t axis;  ///< which of the kernel's, from 0, of more than one point each
  int64_t size;  ///< points
};

/// The value in storage of its own, by a kernel with these loops; without any by the plain one.
UOp stored_by(const UOp& value, std::span<const AskedLoop> loops);

/// Whether a CONTIGUOUS, or a kernel, has loops that were asked for, be it none.
bool has_asked_loops(const UOp& u);

/// The kernel, with the loops that were asked for at a CONTIGUOUS, or at another kernel.
UOp with_asked_loops(const UOp& kernel, const UOp& from);

/// The plain schedule of the kernel with the loops that were asked for, as far as it allows them;
/// DEBUG=3 tells of those that are left out.
KernelSchedule asked_schedule(const UOp& kernel);

}  // namespace tg
