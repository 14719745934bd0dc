// What a kernel's graph says of the arrays that a launch takes. For those who run kernels on arrays
// of their own: validate.h compares devices, trial.h schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tg/ir/scalar.h"
#include "tg/ir/uop.h"

namespace tg {

struct KernelArgument {
  UOp param;  ///< empty where the kernel does not use the slot
  bool written = false;

  /// Of the whole array; that of variable size at its largest.
  int64_t bytes() const;
};

/// The element at an address.
Scalar element(DType t, const std::byte* at);

/// By slot. O(nodes).
std::vector<KernelArgument> arguments_of(const UOp& kernel);

}  // namespace tg
