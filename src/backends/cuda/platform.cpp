// See platform.h.
#include "backends/cuda/platform.h"

#include <fmt/format.h>

#include "runtime/found_library.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"

namespace tg::cuda {
namespace {

constexpr const char* kDriver = "libcuda.so.1";

std::string text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

std::string name_of(const Driver& d, int device) {
  char name[256] = {};
  d.DeviceGetName(name, sizeof name - 1, device);
  return name;
}

}  // namespace

// ---- the driver
std::string status_text(const Driver& driver, Status status) {
  const char *name = nullptr, *meaning = nullptr;
  driver.GetErrorName(status, &name);
  driver.GetErrorString(status, &meaning);
  return fmt::format("{} ({}): {}", text_or(name, "error"), status, text_or(meaning, "unknown"));
}

std::unique_ptr<const Driver> open_driver(const std::string& path) {
  auto d = std::make_unique<Driver>();
  d->library = DynamicLibrary(path);
  if (const std::string missing = find_entry_points(*d); !missing.empty()) {
    user_error<DeviceError>("CUDA",
                            fmt::format("the driver {} is too old: it has no {}", path, missing),
                            "Hint: install NVIDIA's driver of version 525 or later.");
  }
  if (const Status s = d->Init(0); s != kSuccess) {
    user_error<DeviceError>(
        "CUDA", fmt::format("the driver {} does not start: {}", path, status_text(*d, s)),
        s == kNoDevice
            ? "Hint: it needs a graphics processor of NVIDIA's that this process may use: see "
              "CUDA_VISIBLE_DEVICES and `nvidia-smi`."
            : "Hint: `nvidia-smi` says whether driver and kernel module are of one version.");
  }
  d->DriverGetVersion(&d->version);
  return d;
}

namespace {

const FoundLibrary<Driver>& found() {
  static const std::string_view names[] = {kDriver};
  static const auto* const f = new FoundLibrary<Driver>(
      DynamicLibrary::find(names).path(),
      fmt::format("{} is not found: install NVIDIA's driver.", kDriver), open_driver);
  return *f;
}

}  // namespace

const Driver* find_driver() { return found().library.get(); }
std::string missing_driver_advice() { return found().problem; }

// ---- its devices
nvidia::CudaFacts facts_of(const Driver& d, int index) {
  int count = 0, device = 0;
  d.DeviceGetCount(&count);
  std::vector<std::string> names;
  for (int i = 0; i < count && d.DeviceGet(&device, i) == kSuccess; ++i)
    names.push_back(name_of(d, device));
  check_device_number("CUDA", index, names);
  d.DeviceGet(&device, index);
  nvidia::CudaFacts f;
  f.name = names[static_cast<size_t>(index)];
  const auto ask = [&](int attribute, int64_t otherwise) {
    int value = 0;
    const Status s = d.DeviceGetAttribute(&value, attribute, device);
    return s == kSuccess && value > 0 ? int64_t{value} : otherwise;
  };
  f.capability = static_cast<int>(ask(kMajor, 8) * 10 + ask(kMinor, 0));
  f.multiprocessors = ask(kMultiprocessors, f.multiprocessors);
  f.clock_khz = ask(kClock, f.clock_khz);
  f.memory_clock_khz = ask(kMemoryClock, f.memory_clock_khz);
  f.bus_bits = ask(kBusWidth, f.bus_bits);
  f.l2_bytes = ask(kL2, f.l2_bytes);
  f.max_group_size = ask(kMaxThreadsPerBlock, f.max_group_size);
  f.shared_bytes = ask(kSharedOptIn, 48 << 10);
  size_t memory = 0;
  if (d.DeviceTotalMem(&memory, device) == kSuccess) f.memory_bytes = static_cast<int64_t>(memory);
  return f;
}

}  // namespace tg::cuda
