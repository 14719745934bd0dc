// Table of Metal's entry points and methods with their types, opened at run time; of the values of
// its enumerations, and of what to do about its errors. How messages are sent:
// runtime/objective_c.h; who opens it: platform.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "runtime/objective_c.h"

namespace tg::metal {

using Object = ObjcObject;
using Owned = ObjcOwned;
using Pool = ObjcPool;

// Where the entry points are.
inline constexpr std::array<std::string_view, 1> kRuntimes = {"/usr/lib/libobjc.A.dylib"};
inline constexpr std::array<std::string_view, 1> kFrameworks = {
    "/System/Library/Frameworks/Metal.framework/Metal"};
/// A program without windows has a default device only with it.
inline constexpr std::array<std::string_view, 1> kGraphics = {
    "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"};

/// MTLSize.
struct Size {
  uint64_t width = 1, height = 1, depth = 1;
  /// Of one dimension.
  static constexpr Size line(int64_t width) { return {.width = static_cast<uint64_t>(width)}; }
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

/// What to do about an error of a command buffer, by MTLCommandBufferError.
struct CommandAdvice {
  int64_t code;
  std::string_view advice;
};
// clang-format off
inline constexpr std::array<CommandAdvice, 7> kCommandAdvice = {{
    // Timeout
    {2, "Hint: the kernel ran for longer than the system allows; use smaller tensors, or realize "
        "parts of the expression."},
    // PageFault
    {3, "Hint: VALIDATE_WITH_CPU=1 finds the kernel that reads or writes outside its arrays."},
    // AccessRevoked
    {4, "Hint: the system has barred this process from the device after errors; start it again."},
    // NotPermitted
    {7, "Hint: a process in the background may not use the device."},
    // OutOfMemory
    {8, "Hint: use a smaller batch, or free tensors that are no longer needed."},
    // InvalidResource
    {9, "Hint: VALIDATE_WITH_CPU=1 finds the kernel that reads or writes outside its arrays."},
    // DeviceRemoved
    {11, "Hint: the device is gone with its memory; start the program again on another."},
}};
// clang-format on
/// About any other.
inline constexpr std::string_view kOtherAdvice =
    "Hint: the device's memory may be damaged; start the program again.";

/// Metal on the Objective-C runtime: its functions, and the methods that we call, by class.
struct Objc : ObjectiveC {
  using ObjectiveC::ObjectiveC;
  template <typename Signature>
  using Method = ObjcMethod<Signature>;

  DynamicLibrary framework;
  Object* (*copy_all_devices)() = nullptr;  ///< of macOS only: may be nullptr
  Object* (*default_device)() = nullptr;

  // NSArray, NSError
  const Method<uint64_t()> count = message("count");
  const Method<Object*(uint64_t index)> object_at = message("objectAtIndex:");
  const Method<int64_t()> code = message("code");

  // MTLDevice
  const Method<Object*()> name = message("name");
  const Method<uint8_t(int64_t family)> supports_family = message("supportsFamily:");
  const Method<uint8_t()> has_unified_memory = message("hasUnifiedMemory");
  const Method<uint64_t()> recommended_memory = message("recommendedMaxWorkingSetSize");
  const Method<uint64_t()> max_buffer_length = message("maxBufferLength");
  const Method<uint64_t()> max_threadgroup_memory = message("maxThreadgroupMemoryLength");
  const Method<Object*()> new_command_queue = message("newCommandQueue");
  const Method<Object*(uint64_t bytes, uint64_t options)> new_buffer =
      message("newBufferWithLength:options:");
  const Method<Object*(Object* source, Object* options, Object** error)> new_library =
      message("newLibraryWithSource:options:error:");
  const Method<Object*(Object* descriptor, uint64_t options, Object** reflection, Object** error)>
      new_pipeline = message("newComputePipelineStateWithDescriptor:options:reflection:error:");
  const Method<Object*(Object* descriptor, uint64_t count, uint64_t options)>
      new_indirect_commands =
          message("newIndirectCommandBufferWithDescriptor:maxCommandCount:options:");

  // MTLBuffer, MTLCompileOptions, MTLLibrary, MTLComputePipelineState
  const Method<char*()> contents = message("contents");
  const Method<void(uint8_t)> set_fast_math_enabled = message("setFastMathEnabled:");
  const Method<void(int64_t)> set_math_mode = message("setMathMode:");
  const Method<Object*(Object* name)> new_function = message("newFunctionWithName:");
  const Method<uint64_t()> max_total_threads = message("maxTotalThreadsPerThreadgroup");

  // MTLComputePipelineDescriptor, MTLIndirectCommandBufferDescriptor
  const Method<void(Object*)> set_function = message("setComputeFunction:");
  const Method<void(uint8_t)> set_supports_indirect = message("setSupportIndirectCommandBuffers:");
  const Method<void(uint64_t)> set_command_types = message("setCommandTypes:");
  const Method<void(uint8_t)> set_inherit_buffers = message("setInheritBuffers:");
  const Method<void(uint8_t)> set_inherit_pipeline = message("setInheritPipelineState:");
  const Method<void(uint64_t)> set_max_kernel_buffers = message("setMaxKernelBufferBindCount:");

  // MTLIndirectCommandBuffer, MTLIndirectComputeCommand
  const Method<Object*(uint64_t index)> indirect_command_at =
      message("indirectComputeCommandAtIndex:");
  const Method<void(Object*, uint64_t offset, uint64_t index)> set_kernel_buffer =
      message("setKernelBuffer:offset:atIndex:");
  const Method<void(Size groups, Size group_size)> concurrent_dispatch =
      message("concurrentDispatchThreadgroups:threadsPerThreadgroup:");
  const Method<void()> set_barrier = message("setBarrier");

  // MTLCommandQueue, MTLCommandBuffer
  const Method<Object*()> command_buffer = message("commandBuffer");
  const Method<Object*(uint64_t type)> compute_command_encoder =
      message("computeCommandEncoderWithDispatchType:");
  const Method<void()> commit = message("commit");
  const Method<void()> wait_until_completed = message("waitUntilCompleted");
  const Method<uint64_t()> status = message("status");
  const Method<Object*()> error = message("error");
  const Method<double()> gpu_start_time = message("GPUStartTime");
  const Method<double()> gpu_end_time = message("GPUEndTime");

  // MTLComputeCommandEncoder, and some of MTLIndirectComputeCommand
  const Method<void(Object*)> set_pipeline = message("setComputePipelineState:");
  const Method<void(Object*, uint64_t offset, uint64_t index)> set_buffer =
      message("setBuffer:offset:atIndex:");
  const Method<void(const void*, uint64_t bytes, uint64_t index)> set_bytes =
      message("setBytes:length:atIndex:");
  const Method<void(uint64_t scope)> memory_barrier = message("memoryBarrierWithScope:");
  const Method<void(Size groups, Size group_size)> dispatch =
      message("dispatchThreadgroups:threadsPerThreadgroup:");
  const Method<void(Object* const*, uint64_t count, uint64_t usage)> use_resources =
      message("useResources:count:usage:");
  const Method<void(Object* commands, Range)> execute_indirect =
      message("executeCommandsInBuffer:withRange:");
  const Method<void()> end_encoding = message("endEncoding");
};

}  // namespace tg::metal
