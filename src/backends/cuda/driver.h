// Table of the entry points of NVIDIA's driver that we use, opened at run time: no header, nothing
// to link. Types and values are those of the CUDA driver API, whose functions keep their meaning
// from one version to the next by a number in their name. How it is opened: platform.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
inline constexpr Status kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100, kInvalidPtx = 218,
                        kLaunchOutOfResources = 701, kLaunchTimeout = 702;
/// After these no call on the context succeeds: it was destroyed, the memory broke, a kernel
/// crashed or ran too long.
inline constexpr std::array<Status, 16> kSpoiling = {4,   46,  201, 214, 220, 226, 700, 702,
                                                     709, 710, 714, 715, 716, 717, 718, 719};

// What a device can be asked for (CUdevice_attribute).
inline constexpr int kMaxThreadsPerBlock = 1, kClock = 13, kMultiprocessors = 16, kMemoryClock = 36,
                     kBusWidth = 37, kL2 = 38, kMajor = 75, kMinor = 76, kSharedOptIn = 97;
inline constexpr int kMaxDynamicShared = 8;                // of a function
inline constexpr int kErrorLog = 5, kErrorLogBytes = 6;    // options of the assembler
inline constexpr uint32_t kNonBlocking = 1;                // of a stream
inline constexpr uint32_t kWithTiming = 0, kNoTiming = 2;  // of an event

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

/// Looks all functions up in the library of `driver`; the first that it lacks, empty if none.
std::string find_entry_points(Driver& driver);

}  // namespace tg::cuda
