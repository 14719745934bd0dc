// How Metal binds the arguments of a kernel: by the attribute of each parameter, [[buffer(n)]] or a
// place in the launch. Reads the head of the function and refuses what Metal's compiler would.
#pragma once

#include <vector>

#include "runner/module.h"

namespace tg::emulator {

/// The parameters in order. Throws DeviceError naming the parameter and what is wrong with it.
std::vector<Parameter> metal_signature(const Program& program);

}  // namespace tg::emulator
