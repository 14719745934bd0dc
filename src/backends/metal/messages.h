// Table of the messages that we send to objects of Foundation and Metal, and of the values of their
// enumerations. How they are sent: objc.h.
#pragma once

#include <array>
#include <cstdint>

namespace tg::metal {

enum class Message : uint8_t {
  // any object, NSArray, NSError
  New,
  Count,
  ObjectAtIndex,
  Code,
  // MTLDevice
  Name,
  SupportsFamily,
  HasUnifiedMemory,
  RecommendedMaxWorkingSetSize,
  MaxBufferLength,
  MaxThreadgroupMemoryLength,
  NewCommandQueue,
  NewBuffer,
  NewLibrary,
  NewPipeline,
  NewIndirectCommands,
  // MTLBuffer, MTLCompileOptions, MTLLibrary, MTLComputePipelineState
  Contents,
  SetFastMathEnabled,
  SetMathMode,
  NewFunction,
  MaxTotalThreads,
  // MTLComputePipelineDescriptor, MTLIndirectCommandBufferDescriptor
  SetFunction,
  SetSupportsIndirect,
  SetCommandTypes,
  SetInheritBuffers,
  SetInheritPipeline,
  SetMaxKernelBuffers,
  // MTLIndirectCommandBuffer, MTLIndirectComputeCommand
  IndirectCommandAt,
  SetKernelBuffer,
  ConcurrentDispatch,
  SetBarrier,
  // MTLCommandQueue, MTLCommandBuffer
  CommandBuffer,
  ComputeCommandEncoder,
  Commit,
  WaitUntilCompleted,
  Status,
  Error,
  GpuStartTime,
  GpuEndTime,
  // MTLComputeCommandEncoder
  SetPipeline,
  SetBuffer,
  SetBytes,
  MemoryBarrier,
  Dispatch,
  UseResources,
  ExecuteIndirect,
  EndEncoding,
  kCount,
};

/// The selectors, in the order of the enumerators.
inline constexpr std::array<const char*, static_cast<size_t>(Message::kCount)> kSelectors = {
    "new",
    "count",
    "objectAtIndex:",
    "code",
    "name",
    "supportsFamily:",
    "hasUnifiedMemory",
    "recommendedMaxWorkingSetSize",
    "maxBufferLength",
    "maxThreadgroupMemoryLength",
    "newCommandQueue",
    "newBufferWithLength:options:",
    "newLibraryWithSource:options:error:",
    "newComputePipelineStateWithDescriptor:options:reflection:error:",
    "newIndirectCommandBufferWithDescriptor:maxCommandCount:options:",
    "contents",
    "setFastMathEnabled:",
    "setMathMode:",
    "newFunctionWithName:",
    "maxTotalThreadsPerThreadgroup",
    "setComputeFunction:",
    "setSupportIndirectCommandBuffers:",
    "setCommandTypes:",
    "setInheritBuffers:",
    "setInheritPipelineState:",
    "setMaxKernelBufferBindCount:",
    "indirectComputeCommandAtIndex:",
    "setKernelBuffer:offset:atIndex:",
    "concurrentDispatchThreadgroups:threadsPerThreadgroup:",
    "setBarrier",
    "commandBuffer",
    "computeCommandEncoderWithDispatchType:",
    "commit",
    "waitUntilCompleted",
    "status",
    "error",
    "GPUStartTime",
    "GPUEndTime",
    "setComputePipelineState:",
    "setBuffer:offset:atIndex:",
    "setBytes:length:atIndex:",
    "memoryBarrierWithScope:",
    "dispatchThreadgroups:threadsPerThreadgroup:",
    "useResources:count:usage:",
    "executeCommandsInBuffer:withRange:",
    "endEncoding",
};

/// MTLSize.
struct Size {
  uint64_t width = 1, height = 1, depth = 1;
};

/// NSRange.
struct Range {
  uint64_t first = 0, count = 0;
};

inline constexpr uint64_t kStorageShared = 0;       // MTLResourceStorageModeShared
inline constexpr int64_t kMathModeSafe = 0;         // MTLMathModeSafe
inline constexpr int64_t kFamilyApple1 = 1001;      // MTLGPUFamilyApple1, Apple2, …
inline constexpr uint64_t kDispatchConcurrent = 1;  // MTLDispatchTypeConcurrent
inline constexpr uint64_t kBarrierBuffers = 1;      // MTLBarrierScopeBuffers
inline constexpr uint64_t kCommandDispatch = 32;    // MTLIndirectCommandTypeConcurrentDispatch
inline constexpr uint64_t kReadAndWritten = 3;      // MTLResourceUsageRead | Write
inline constexpr uint64_t kStatusCompleted = 4;     // MTLCommandBufferStatusCompleted
inline constexpr uint64_t kStatusError = 5;         // MTLCommandBufferStatusError

}  // namespace tg::metal
