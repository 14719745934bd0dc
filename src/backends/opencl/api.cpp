// See api.h.
#include "backends/opencl/api.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "support/check.h"
#include "support/dynamic_library.h"

namespace tg::opencl {
namespace {

constexpr std::array<std::string_view, 4> kLoaders = {"libOpenCL.so.1", "libOpenCL.so",
                                                      "OpenCL.dll",
                                                      "/System/Library/Frameworks/OpenCL.framework/"
                                                      "OpenCL"};

constexpr std::array<std::pair<Status, std::string_view>, 31> kNames = {{
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
}};

template <typename F>
bool find(const DynamicLibrary& library, const char* name, F& function) {
  function = reinterpret_cast<F>(library.find_symbol(name));
  return function != nullptr;
}

bool find_all(const DynamicLibrary& l, Api& a) {
  return find(l, "clGetPlatformIDs", a.GetPlatformIDs) &&
         find(l, "clGetPlatformInfo", a.GetPlatformInfo) &&
         find(l, "clGetDeviceIDs", a.GetDeviceIDs) && find(l, "clGetDeviceInfo", a.GetDeviceInfo) &&
         find(l, "clCreateContext", a.CreateContext) &&
         find(l, "clReleaseContext", a.ReleaseContext) &&
         find(l, "clCreateCommandQueue", a.CreateCommandQueue) &&
         find(l, "clReleaseCommandQueue", a.ReleaseCommandQueue) &&
         find(l, "clCreateBuffer", a.CreateBuffer) &&
         find(l, "clReleaseMemObject", a.ReleaseMemObject) &&
         find(l, "clEnqueueReadBuffer", a.EnqueueReadBuffer) &&
         find(l, "clEnqueueWriteBuffer", a.EnqueueWriteBuffer) &&
         find(l, "clCreateProgramWithSource", a.CreateProgramWithSource) &&
         find(l, "clCreateProgramWithBinary", a.CreateProgramWithBinary) &&
         find(l, "clBuildProgram", a.BuildProgram) &&
         find(l, "clGetProgramInfo", a.GetProgramInfo) &&
         find(l, "clGetProgramBuildInfo", a.GetProgramBuildInfo) &&
         find(l, "clReleaseProgram", a.ReleaseProgram) &&
         find(l, "clCreateKernel", a.CreateKernel) && find(l, "clSetKernelArg", a.SetKernelArg) &&
         find(l, "clReleaseKernel", a.ReleaseKernel) &&
         find(l, "clEnqueueNDRangeKernel", a.EnqueueNDRangeKernel) &&
         find(l, "clWaitForEvents", a.WaitForEvents) &&
         find(l, "clGetEventProfilingInfo", a.GetEventProfilingInfo) &&
         find(l, "clReleaseEvent", a.ReleaseEvent) && find(l, "clFlush", a.Flush) &&
         find(l, "clFinish", a.Finish);
}

}  // namespace

// Never closed: drivers run threads that do not survive it.
const Api* find_api() {
  struct Loaded {
    DynamicLibrary library = DynamicLibrary::find(kLoaders);
    Api api;
    bool complete = library && find_all(library, api);
  };
  static const Loaded* const loaded = new Loaded;
  return loaded->complete ? &loaded->api : nullptr;
}

std::string status_name(Status status) {
  for (const auto& [value, name] : kNames) {
    if (value == status) return fmt::format("{} ({})", name, status);
  }
  return fmt::format("error {}", status);
}

// CL_OUT_OF_RESOURCES is what many drivers say when a buffer does not fit at its first use.
bool is_out_of_memory(Status status) {
  return status == -4 || status == -5 || status == -6 || status == -61;
}

void check(Status status, const std::string& what) {
  if (status != kSuccess)
    user_error<DeviceError>("OPENCL", fmt::format("{} failed: {}", what, status_name(status)));
}

}  // namespace tg::opencl
