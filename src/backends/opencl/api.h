// The entry points of the OpenCL loader that we use, opened at run time: no header, nothing to
// link. Types and values are those of the OpenCL 1.2 specification. What is done with them:
// platform.h, allocator.h, program.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tg::opencl {

// Opaque types of the interface.
struct Platform;
struct DeviceId;
struct Context;
struct CommandQueue;
struct Memory;
struct ProgramObject;
struct KernelObject;
struct Event;

using Status = int32_t;
inline constexpr Status kSuccess = 0;
/// The functions, named after those of the specification without their prefix.
struct Api {
  Status (*GetPlatformIDs)(uint32_t count, Platform**, uint32_t* available);
  Status (*GetPlatformInfo)(Platform*, uint32_t what, size_t, void*, size_t*);
  Status (*GetDeviceIDs)(Platform*, uint64_t kind, uint32_t count, DeviceId**, uint32_t*);
  Status (*GetDeviceInfo)(DeviceId*, uint32_t what, size_t, void*, size_t*);
  Context* (*CreateContext)(const intptr_t* properties, uint32_t, DeviceId* const*,
                            void (*notify)(const char*, const void*, size_t, void*), void*,
                            Status*);
  Status (*ReleaseContext)(Context*);
  CommandQueue* (*CreateCommandQueue)(Context*, DeviceId*, uint64_t properties, Status*);
  Status (*ReleaseCommandQueue)(CommandQueue*);
  Memory* (*CreateBuffer)(Context*, uint64_t flags, size_t bytes, void* host, Status*);
  Status (*ReleaseMemObject)(Memory*);
  Status (*EnqueueReadBuffer)(CommandQueue*, Memory*, uint32_t wait, size_t offset, size_t bytes,
                              void* to, uint32_t, Event* const*, Event**);
  Status (*EnqueueWriteBuffer)(CommandQueue*, Memory*, uint32_t wait, size_t offset, size_t bytes,
                               const void* from, uint32_t, Event* const*, Event**);
  ProgramObject* (*CreateProgramWithSource)(Context*, uint32_t, const char* const*, const size_t*,
                                            Status*);
  ProgramObject* (*CreateProgramWithBinary)(Context*, uint32_t, DeviceId* const*, const size_t*,
                                            const unsigned char* const*, Status* each, Status*);
  Status (*BuildProgram)(ProgramObject*, uint32_t, DeviceId* const*, const char* options,
                         void (*notify)(ProgramObject*, void*), void*);
  Status (*GetProgramInfo)(ProgramObject*, uint32_t what, size_t, void*, size_t*);
  Status (*GetProgramBuildInfo)(ProgramObject*, DeviceId*, uint32_t what, size_t, void*, size_t*);
  Status (*ReleaseProgram)(ProgramObject*);
  KernelObject* (*CreateKernel)(ProgramObject*, const char* name, Status*);
  Status (*SetKernelArg)(KernelObject*, uint32_t place, size_t bytes, const void* value);
  Status (*ReleaseKernel)(KernelObject*);
  Status (*EnqueueNDRangeKernel)(CommandQueue*, KernelObject*, uint32_t dimensions,
                                 const size_t* offset, const size_t* global, const size_t* local,
                                 uint32_t, Event* const*, Event**);
  Status (*WaitForEvents)(uint32_t count, Event* const*);
  Status (*GetEventProfilingInfo)(Event*, uint32_t what, size_t, void*, size_t*);
  Status (*ReleaseEvent)(Event*);
  Status (*Flush)(CommandQueue*);
  Status (*Finish)(CommandQueue*);
};

/// The functions, opened at the first call and kept; nullptr if the loader or one of them is
/// missing. Thread-safe.
const Api* find_api();

/// "CL_OUT_OF_RESOURCES (-5)".
std::string status_name(Status status);
/// Whether the device, or the host on its behalf, had no memory.
bool is_out_of_memory(Status status);
/// Throws DeviceError "OPENCL: <what> failed: <status>" unless it succeeded.
void check(Status status, const std::string& what);

/// A number that the device says about itself; 0 if it does not know the question.
template <typename T>
T number(const Api& api, DeviceId* device, uint32_t what) {
  T value{};
  return api.GetDeviceInfo(device, what, sizeof value, &value, nullptr) == kSuccess ? value : T{};
}

/// A text that `get` gives in pieces of (size, to, needed size); empty on errors.
template <typename Get>
std::string text(Get get) {
  size_t size = 0;
  if (get(size_t{0}, nullptr, &size) != kSuccess || size == 0) return {};
  std::string out(size, '\0');
  if (get(size, out.data(), nullptr) != kSuccess) return {};
  return out.substr(0, out.find('\0'));
}

/// All handles that `get` gives as (room, to, available); empty on errors.
template <typename Handle, typename Get>
std::vector<Handle*> handles(Get get) {
  uint32_t count = 0;
  if (get(0u, nullptr, &count) != kSuccess || count == 0) return {};
  std::vector<Handle*> out(count);
  if (get(count, out.data(), &count) != kSuccess) return {};
  out.resize(std::min<size_t>(out.size(), count));
  return out;
}

}  // namespace tg::opencl
