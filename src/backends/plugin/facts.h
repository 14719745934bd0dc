// The facts that a plug-in states about its machine, with every number checked.
#pragma once

#include <cstdint>
#include <string>

#include "backends/plugin/plugin.h"
#include "renderer/render.h"
#include "target/target.h"

namespace tg::plugin {

struct Facts {
  Target target;
  LlvmMachine llvm;       ///< for plug-ins that take LLVM IR
  CudaMachine cuda;       ///< CUDA C
  MetalMachine metal;     ///< MSL
  OpenClMachine opencl;   ///< OpenCL C
  int64_t max_bytes = 0;  ///< of an allocation; 0: unknown
  int max_buffers = 0;    ///< of a kernel; 0: any number
  int max_kernels = 0;    ///< of a call of compile; 0: any number
};

/// Asks the opened `device`. Throws DeviceError naming the fact that no machine can have.
Facts facts_of(const Plugin& plugin, void* device);

}  // namespace tg::plugin
