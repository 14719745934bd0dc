// Table of the entry points of the OpenCL loader that we use, opened at run time: no header,
// nothing to link. Types and values are those of the OpenCL 1.2 specification. What is done with
// them: platform.h, allocator.h, program.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "support/dynamic_library.h"

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

// What platforms, devices, programs and events can be asked for, and the values of the answers.
inline constexpr uint32_t kPlatformVersion = 0x0901, kPlatformName = 0x0902;
inline constexpr uint64_t kAllKinds = 0xFFFFFFFF, kCpu = 1 << 1, kGpu = 1 << 2;
inline constexpr uint32_t kType = 0x1000, kComputeUnits = 0x1002, kMaxGroupSize = 0x1004,
                          kMaxAllocation = 0x1010, kMaxArguments = 0x1017, kSingleConfig = 0x101B,
                          kMemory = 0x101F, kLocalMemory = 0x1023, kLittleEndian = 0x1026,
                          kAvailable = 0x1027, kCompiler = 0x1028, kName = 0x102B, kDriver = 0x102D,
                          kVersion = 0x102F, kExtensions = 0x1030, kDoubleConfig = 0x1032,
                          kHalfConfig = 0x1033, kNativeFloats = 0x103A;
inline constexpr uint64_t kHasFma = 1 << 5, kRoundsDivision = 1 << 7;
inline constexpr uint64_t kStrictHalf = 7;  // denormals, infinity and NaN, nearest even
inline constexpr intptr_t kContextPlatform = 0x1084;
inline constexpr uint64_t kProfiling = 2;  // of a queue: commands know when they ran
inline constexpr uint64_t kReadWrite = 1;  // of a buffer
inline constexpr uint32_t kBinarySizes = 0x1165, kBinaries = 0x1166, kBuildLog = 0x1183;
inline constexpr uint32_t kCommandStart = 0x1282, kCommandEnd = 0x1283;

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

/// Looks all functions up; whether `library` has them.
bool find_entry_points(const DynamicLibrary& library, Api& api);

/// "CL_OUT_OF_RESOURCES (-5)".
std::string status_name(Status status);

}  // namespace tg::opencl
