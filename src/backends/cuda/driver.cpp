// Table of the names of the driver's entry points: driver.h.
#include "backends/cuda/driver.h"

#include "runtime/entry_points.h"

namespace tg::cuda {

std::string find_entry_points(Driver& d) {
  EntryPoints points(d.library);
  points.find("cuInit", d.Init);
  points.find("cuDriverGetVersion", d.DriverGetVersion);
  points.find("cuGetErrorName", d.GetErrorName);
  points.find("cuGetErrorString", d.GetErrorString);
  points.find("cuDeviceGetCount", d.DeviceGetCount);
  points.find("cuDeviceGet", d.DeviceGet);
  points.find("cuDeviceGetName", d.DeviceGetName);
  points.find("cuDeviceTotalMem_v2", d.DeviceTotalMem);
  points.find("cuDeviceGetAttribute", d.DeviceGetAttribute);
  points.find("cuDevicePrimaryCtxRetain", d.DevicePrimaryCtxRetain);
  points.find("cuDevicePrimaryCtxRelease_v2", d.DevicePrimaryCtxRelease);
  points.find("cuCtxSetCurrent", d.CtxSetCurrent);
  points.find("cuStreamCreate", d.StreamCreate);
  points.find("cuStreamDestroy_v2", d.StreamDestroy);
  points.find("cuStreamSynchronize", d.StreamSynchronize);
  points.find("cuEventCreate", d.EventCreate);
  points.find("cuEventDestroy_v2", d.EventDestroy);
  points.find("cuEventRecord", d.EventRecord);
  points.find("cuEventSynchronize", d.EventSynchronize);
  points.find("cuEventElapsedTime", d.EventElapsedTime);
  points.find("cuMemAlloc_v2", d.MemAlloc);
  points.find("cuMemFree_v2", d.MemFree);
  points.find("cuMemHostAlloc", d.MemHostAlloc);
  points.find("cuMemFreeHost", d.MemFreeHost);
  points.find("cuMemcpyHtoDAsync_v2", d.MemcpyHtoDAsync);
  points.find("cuMemcpyDtoHAsync_v2", d.MemcpyDtoHAsync);
  points.find("cuModuleLoadData", d.ModuleLoadData);
  points.find("cuModuleLoadDataEx", d.ModuleLoadDataEx);
  points.find("cuModuleUnload", d.ModuleUnload);
  points.find("cuModuleGetFunction", d.ModuleGetFunction);
  points.find("cuFuncSetAttribute", d.FuncSetAttribute);
  points.find("cuLaunchKernel", d.LaunchKernel);
  points.find("cuGraphCreate", d.GraphCreate);
  points.find("cuGraphDestroy", d.GraphDestroy);
  points.find("cuGraphAddKernelNode", d.GraphAddKernelNode);
  points.find("cuGraphAddEmptyNode", d.GraphAddEmptyNode);
  points.find("cuGraphInstantiateWithFlags", d.GraphInstantiate);
  points.find("cuGraphExecDestroy", d.GraphExecDestroy);
  points.find("cuGraphExecKernelNodeSetParams", d.GraphExecKernelNodeSetParams);
  points.find("cuGraphLaunch", d.GraphLaunch);
  return points.missing();
}

}  // namespace tg::cuda
