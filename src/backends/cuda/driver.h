// The entry points of NVIDIA's driver that we use, opened at run time: no header, nothing to link.
// Types and values are those of the CUDA driver API, whose functions keep their meaning from one
// version to the next by a number in their name. What is done with them: session.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "support/dynamic_library.h"

namespace tg::cuda {

// Opaque types of the interface.
struct Context;
struct Stream;
struct Event;
struct Module;
struct Function;
struct Graph;
struct GraphNode;
struct GraphExec;

/// A launch as a graph takes it (CUDA_KERNEL_NODE_PARAMS of the first version); what `arguments`
/// point to is copied.
struct KernelLaunch {
  Function* function = nullptr;
  uint32_t grid_x = 1, grid_y = 1, grid_z = 1;
  uint32_t block_x = 1, block_y = 1, block_z = 1;
  uint32_t shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
};

using Status = int32_t;
inline constexpr Status kSuccess = 0, kOutOfMemory = 2, kLaunchOutOfResources = 701,
                        kLaunchTimeout = 702;

/// The functions, named after those of the driver without their prefix.
struct Driver {
  Status (*Init)(uint32_t flags);
  Status (*DriverGetVersion)(int* version);
  Status (*GetErrorName)(Status, const char**);
  Status (*GetErrorString)(Status, const char**);
  Status (*DeviceGetCount)(int* count);
  Status (*DeviceGet)(int* device, int index);
  Status (*DeviceGetName)(char* to, int size, int device);
  Status (*DeviceTotalMem)(size_t* bytes, int device);
  Status (*DeviceGetAttribute)(int* value, int attribute, int device);
  Status (*DevicePrimaryCtxRetain)(Context**, int device);
  Status (*DevicePrimaryCtxRelease)(int device);
  Status (*CtxSetCurrent)(Context*);
  Status (*StreamCreate)(Stream**, uint32_t flags);
  Status (*StreamDestroy)(Stream*);
  Status (*StreamSynchronize)(Stream*);
  Status (*EventCreate)(Event**, uint32_t flags);
  Status (*EventDestroy)(Event*);
  Status (*EventRecord)(Event*, Stream*);
  Status (*EventSynchronize)(Event*);
  Status (*EventElapsedTime)(float* milliseconds, Event* from, Event* to);
  Status (*MemAlloc)(uint64_t* address, size_t bytes);
  Status (*MemFree)(uint64_t address);
  Status (*MemHostAlloc)(void** to, size_t bytes, uint32_t flags);
  Status (*MemFreeHost)(void*);
  Status (*MemcpyHtoDAsync)(uint64_t to, const void* from, size_t bytes, Stream*);
  Status (*MemcpyDtoHAsync)(void* to, uint64_t from, size_t bytes, Stream*);
  Status (*ModuleLoadData)(Module**, const void* image);
  Status (*ModuleLoadDataEx)(Module**, const void* image, uint32_t count, int* options,
                             void** values);
  Status (*ModuleUnload)(Module*);
  Status (*ModuleGetFunction)(Function**, Module*, const char* name);
  Status (*FuncSetAttribute)(Function*, int attribute, int value);
  Status (*LaunchKernel)(Function*, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                         uint32_t block_x, uint32_t block_y, uint32_t block_z,
                         uint32_t shared_bytes, Stream*, void** arguments, void** extra);
  Status (*GraphCreate)(Graph**, uint32_t flags);
  Status (*GraphDestroy)(Graph*);
  Status (*GraphAddKernelNode)(GraphNode**, Graph*, GraphNode* const* after, size_t count,
                               const KernelLaunch*);
  Status (*GraphAddEmptyNode)(GraphNode**, Graph*, GraphNode* const* after, size_t count);
  Status (*GraphInstantiate)(GraphExec**, Graph*, unsigned long long flags);
  Status (*GraphExecDestroy)(GraphExec*);
  Status (*GraphExecKernelNodeSetParams)(GraphExec*, GraphNode*, const KernelLaunch*);
  Status (*GraphLaunch)(GraphExec*, Stream*);

  DynamicLibrary library;
  int version = 0;  ///< of CUDA, at most: 12040 is 12.4
};

/// Opens the driver `path` and starts it. Throws DeviceError that says what to do if the file is
/// missing, the driver too old, or it has no device.
std::unique_ptr<const Driver> open_driver(const std::string& path);

/// This machine's driver, opened at the first call and kept; nullptr if it cannot be used, which
/// missing_driver_advice() explains. Thread-safe.
const Driver* find_driver();
std::string missing_driver_advice();

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string status_text(const Driver& driver, Status status);

}  // namespace tg::cuda
