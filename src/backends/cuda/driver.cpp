// See driver.h.
#include "backends/cuda/driver.h"

#include <fmt/format.h>

#include "support/check.h"

namespace tg::cuda {
namespace {

constexpr const char* kDriver = "libcuda.so.1";
constexpr Status kNoDevice = 100;

template <typename F>
bool find(const DynamicLibrary& library, const char* name, F& function, std::string& missing) {
  function = reinterpret_cast<F>(library.find_symbol(name));
  if (function == nullptr && missing.empty()) missing = name;
  return function != nullptr;
}

// The first function that the driver lacks; empty if none.
std::string find_all(Driver& d) {
  const DynamicLibrary& l = d.library;
  std::string missing;
  find(l, "cuInit", d.Init, missing);
  find(l, "cuDriverGetVersion", d.DriverGetVersion, missing);
  find(l, "cuGetErrorName", d.GetErrorName, missing);
  find(l, "cuGetErrorString", d.GetErrorString, missing);
  find(l, "cuDeviceGetCount", d.DeviceGetCount, missing);
  find(l, "cuDeviceGet", d.DeviceGet, missing);
  find(l, "cuDeviceGetName", d.DeviceGetName, missing);
  find(l, "cuDeviceTotalMem_v2", d.DeviceTotalMem, missing);
  find(l, "cuDeviceGetAttribute", d.DeviceGetAttribute, missing);
  find(l, "cuDevicePrimaryCtxRetain", d.DevicePrimaryCtxRetain, missing);
  find(l, "cuDevicePrimaryCtxRelease_v2", d.DevicePrimaryCtxRelease, missing);
  find(l, "cuCtxSetCurrent", d.CtxSetCurrent, missing);
  find(l, "cuStreamCreate", d.StreamCreate, missing);
  find(l, "cuStreamDestroy_v2", d.StreamDestroy, missing);
  find(l, "cuStreamSynchronize", d.StreamSynchronize, missing);
  find(l, "cuEventCreate", d.EventCreate, missing);
  find(l, "cuEventDestroy_v2", d.EventDestroy, missing);
  find(l, "cuEventRecord", d.EventRecord, missing);
  find(l, "cuEventSynchronize", d.EventSynchronize, missing);
  find(l, "cuEventElapsedTime", d.EventElapsedTime, missing);
  find(l, "cuMemAlloc_v2", d.MemAlloc, missing);
  find(l, "cuMemFree_v2", d.MemFree, missing);
  find(l, "cuMemHostAlloc", d.MemHostAlloc, missing);
  find(l, "cuMemFreeHost", d.MemFreeHost, missing);
  find(l, "cuMemcpyHtoDAsync_v2", d.MemcpyHtoDAsync, missing);
  find(l, "cuMemcpyDtoHAsync_v2", d.MemcpyDtoHAsync, missing);
  find(l, "cuModuleLoadData", d.ModuleLoadData, missing);
  find(l, "cuModuleLoadDataEx", d.ModuleLoadDataEx, missing);
  find(l, "cuModuleUnload", d.ModuleUnload, missing);
  find(l, "cuModuleGetFunction", d.ModuleGetFunction, missing);
  find(l, "cuFuncSetAttribute", d.FuncSetAttribute, missing);
  find(l, "cuLaunchKernel", d.LaunchKernel, missing);
  find(l, "cuGraphCreate", d.GraphCreate, missing);
  find(l, "cuGraphDestroy", d.GraphDestroy, missing);
  find(l, "cuGraphAddKernelNode", d.GraphAddKernelNode, missing);
  find(l, "cuGraphAddEmptyNode", d.GraphAddEmptyNode, missing);
  find(l, "cuGraphInstantiateWithFlags", d.GraphInstantiate, missing);
  find(l, "cuGraphExecDestroy", d.GraphExecDestroy, missing);
  find(l, "cuGraphExecKernelNodeSetParams", d.GraphExecKernelNodeSetParams, missing);
  find(l, "cuGraphLaunch", d.GraphLaunch, missing);
  return missing;
}

std::string text_or(const char* text, const std::string& otherwise) {
  return text == nullptr ? otherwise : std::string(text);
}

[[noreturn]] void unusable(const std::string& problem, const std::string& hint) {
  user_error<DeviceError>("CUDA", problem, hint);
}

}  // namespace

std::string status_text(const Driver& driver, Status status) {
  const char *name = nullptr, *meaning = nullptr;
  driver.GetErrorName(status, &name);
  driver.GetErrorString(status, &meaning);
  return fmt::format("{} ({}): {}", text_or(name, "error"), status, text_or(meaning, "unknown"));
}

std::unique_ptr<const Driver> open_driver(const std::string& path) {
  auto d = std::make_unique<Driver>();
  d->library = DynamicLibrary(path);
  if (const std::string missing = find_all(*d); !missing.empty()) {
    unusable(fmt::format("the driver {} is too old: it has no {}", path, missing),
             "Hint: install NVIDIA's driver of version 525 or later.");
  }
  if (const Status s = d->Init(0); s != kSuccess) {
    unusable(fmt::format("the driver {} does not start: {}", path, status_text(*d, s)),
             s == kNoDevice
                 ? "Hint: it needs a graphics processor of NVIDIA's that this process may use: see "
                   "CUDA_VISIBLE_DEVICES and `nvidia-smi`."
                 : "Hint: `nvidia-smi` says whether driver and kernel module are of one version.");
  }
  d->DriverGetVersion(&d->version);
  return d;
}

namespace {

// Never closed: a driver runs threads that do not survive it.
struct Found {
  std::unique_ptr<const Driver> driver;
  std::string problem;
  Found() {
    const std::string_view names[] = {kDriver};
    if (!DynamicLibrary::find(names)) {
      problem = fmt::format("{} is not found: install NVIDIA's driver.", kDriver);
      return;
    }
    try {
      driver = open_driver(kDriver);
    } catch (const DeviceError& e) {
      problem = e.what();
    }
  }
};

const Found& found() {
  static const Found* const f = new Found;
  return *f;
}

}  // namespace

const Driver* find_driver() { return found().driver.get(); }
std::string missing_driver_advice() { return found().problem; }

}  // namespace tg::cuda
