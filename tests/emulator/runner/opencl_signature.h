// What the head of an OpenCL kernel says about its launch: which arguments are arrays and which are
// numbers, and how many work-items a group has. Refuses what OpenCL 1.2 does not let a kernel be
// given, also where the compiler does not look.
#pragma once

#include <vector>

#include "runner/module.h"

namespace tg::emulator {

struct OpenClSignature {
  std::vector<Parameter> parameters;
  int64_t group_size = 0;  ///< that a group must have; 0: any number
};

/// Throws DeviceError naming the parameter and what is wrong with it.
OpenClSignature opencl_signature(const Program& program);

}  // namespace tg::emulator
