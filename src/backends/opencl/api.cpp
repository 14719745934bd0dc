// Table of the names of the entry points and of their errors: api.h.
#include "backends/opencl/api.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "runtime/entry_points.h"

namespace tg::opencl {
namespace {

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

}  // namespace

bool find_entry_points(const DynamicLibrary& library, Api& a) {
  EntryPoints points(library);
  points.find("clGetPlatformIDs", a.GetPlatformIDs);
  points.find("clGetPlatformInfo", a.GetPlatformInfo);
  points.find("clGetDeviceIDs", a.GetDeviceIDs);
  points.find("clGetDeviceInfo", a.GetDeviceInfo);
  points.find("clCreateContext", a.CreateContext);
  points.find("clReleaseContext", a.ReleaseContext);
  points.find("clCreateCommandQueue", a.CreateCommandQueue);
  points.find("clReleaseCommandQueue", a.ReleaseCommandQueue);
  points.find("clCreateBuffer", a.CreateBuffer);
  points.find("clReleaseMemObject", a.ReleaseMemObject);
  points.find("clEnqueueReadBuffer", a.EnqueueReadBuffer);
  points.find("clEnqueueWriteBuffer", a.EnqueueWriteBuffer);
  points.find("clCreateProgramWithSource", a.CreateProgramWithSource);
  points.find("clCreateProgramWithBinary", a.CreateProgramWithBinary);
  points.find("clBuildProgram", a.BuildProgram);
  points.find("clGetProgramInfo", a.GetProgramInfo);
  points.find("clGetProgramBuildInfo", a.GetProgramBuildInfo);
  points.find("clReleaseProgram", a.ReleaseProgram);
  points.find("clCreateKernel", a.CreateKernel);
  points.find("clSetKernelArg", a.SetKernelArg);
  points.find("clReleaseKernel", a.ReleaseKernel);
  points.find("clEnqueueNDRangeKernel", a.EnqueueNDRangeKernel);
  points.find("clWaitForEvents", a.WaitForEvents);
  points.find("clGetEventProfilingInfo", a.GetEventProfilingInfo);
  points.find("clReleaseEvent", a.ReleaseEvent);
  points.find("clFlush", a.Flush);
  points.find("clFinish", a.Finish);
  return points.missing().empty();
}

std::string status_name(Status status) {
  for (const auto& [value, name] : kNames) {
    if (value == status) return fmt::format("{} ({})", name, status);
  }
  return fmt::format("error {}", status);
}

}  // namespace tg::opencl
