// See platform.h.
#include "backends/opencl/platform.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/c_language.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"
#include "support/hash.h"
#include "support/os/os.h"
#include "support/text.h"

namespace tg::opencl {
namespace {

constexpr int64_t kPlacesForNumbers = 16;  // among a launch's arguments: variables and its range

constexpr std::string_view kLoaders[] = {"libOpenCL.so.1", "libOpenCL.so", "OpenCL.dll",
                                         "/System/Library/Frameworks/OpenCL.framework/OpenCL"};

// A number that the device says about itself; 0 if it does not know the question.
template <typename T>
T number(const Api& api, DeviceId* device, uint32_t what) {
  T value{};
  return api.GetDeviceInfo(device, what, sizeof value, &value, nullptr) == kSuccess ? value : T{};
}

// All handles that `get` gives as (room, to, available); empty on errors.
template <typename Handle, typename Get>
std::vector<Handle*> handles(Get get) {
  uint32_t count = 0;
  if (get(0u, nullptr, &count) != kSuccess || count == 0) return {};
  std::vector<Handle*> out(count);
  if (get(count, out.data(), &count) != kSuccess) return {};
  out.resize(std::min<size_t>(out.size(), count));
  return out;
}

std::string platform_text(const Api& api, Platform* p, uint32_t what) {
  return text([&](auto... x) { return api.GetPlatformInfo(p, what, x...); });
}
std::string device_text(const Api& api, DeviceId* d, uint32_t what) {
  return text([&](auto... x) { return api.GetDeviceInfo(d, what, x...); });
}

/// Larger groups do not run faster, and leave fewer registers to a work-item.
constexpr int64_t kLargestGroup = 1024;
/// Work-items in lockstep on most graphics processors; there is no portable question for it.
constexpr int64_t kSubgroupSize = 32;
constexpr int kMaxLanes = 16;  // of the vectors of OpenCL C

// The code is little-endian and needs a compiler.
bool is_usable(const Api& api, DeviceId* d) {
  return number<uint32_t>(api, d, kAvailable) != 0 && number<uint32_t>(api, d, kCompiler) != 0 &&
         number<uint32_t>(api, d, kLittleEndian) != 0;
}

bool has_half(const Api& api, DeviceId* d) {
  const std::string all = device_text(api, d, kExtensions);
  const std::vector<std::string_view> names = split(all, ' ');
  return std::ranges::find(names, "cl_khr_fp16") != names.end() &&
         (number<uint64_t>(api, d, kHalfConfig) & kStrictHalf) == kStrictHalf;
}

DeviceInfo describe(const Api& api, Platform* platform, DeviceId* d) {
  const auto single = number<uint64_t>(api, d, kSingleConfig);
  DeviceInfo info{
      .id = d,
      .platform = platform,
      .name = device_text(api, d, kName),
      .is_cpu = (number<uint64_t>(api, d, kType) & kCpu) != 0,
      .is_gpu = (number<uint64_t>(api, d, kType) & kGpu) != 0,
      .compute_units = std::max<int64_t>(1, number<uint32_t>(api, d, kComputeUnits)),
      .max_group_size = static_cast<int64_t>(number<size_t>(api, d, kMaxGroupSize)),
      .local_bytes = static_cast<int64_t>(number<uint64_t>(api, d, kLocalMemory)),
      .memory_bytes = static_cast<int64_t>(number<uint64_t>(api, d, kMemory)),
      .max_buffer_bytes = static_cast<int64_t>(number<uint64_t>(api, d, kMaxAllocation)),
      .argument_bytes = static_cast<int64_t>(number<size_t>(api, d, kMaxArguments)),
      .native_float_lanes = number<uint32_t>(api, d, kNativeFloats),
      .has_doubles = number<uint64_t>(api, d, kDoubleConfig) != 0,
      .has_half = has_half(api, d),
      .rounds_correctly = (single & kRoundsDivision) != 0,
      .has_fma = (single & kHasFma) != 0};
  info.identity = fmt::format("{} {} / {} {} {}", platform_text(api, platform, kPlatformName),
                              platform_text(api, platform, kPlatformVersion), info.name,
                              device_text(api, d, kVersion), device_text(api, d, kDriver));
  return info;
}

}  // namespace

// ---- the interface
// Never closed: drivers run threads that do not survive it.
const Api* find_api() {
  struct Loaded {
    DynamicLibrary library = DynamicLibrary::find(kLoaders);
    Api api;
    bool complete = library && find_entry_points(library, api);
  };
  static const Loaded* const loaded = new Loaded;
  return loaded->complete ? &loaded->api : nullptr;
}

// CL_OUT_OF_RESOURCES is what many drivers say when a buffer does not fit at its first use.
bool is_out_of_memory(Status status) {
  return status == -4 || status == -5 || status == -6 || status == -61;
}

void check(Status status, const std::string& what) {
  if (status != kSuccess)
    user_error<DeviceError>("OPENCL", fmt::format("{} failed: {}", what, status_name(status)));
}

std::string text(FunctionRef<Status(size_t size, void* to, size_t* needed)> get) {
  size_t size = 0;
  if (get(0, nullptr, &size) != kSuccess || size == 0) return {};
  std::string out(size, '\0');
  if (get(size, out.data(), nullptr) != kSuccess) return {};
  return out.substr(0, out.find('\0'));
}

// ---- its devices
std::vector<DeviceInfo> find_devices(const Api* api) {
  std::vector<DeviceInfo> found;
  if (api == nullptr) return found;
  for (Platform* p : handles<Platform>([&](auto... x) { return api->GetPlatformIDs(x...); })) {
    const auto devices =
        handles<DeviceId>([&](auto... x) { return api->GetDeviceIDs(p, kAllKinds, x...); });
    for (DeviceId* d : devices) {
      if (is_usable(*api, d)) found.push_back(describe(*api, p, d));
    }
  }
  std::ranges::stable_sort(found, {}, [](const DeviceInfo& d) { return d.is_cpu - d.is_gpu; });
  return found;
}

std::string missing_device_advice() {
  if (find_api() == nullptr) {
    return "libOpenCL.so.1 is not found: install an OpenCL loader and a driver, on Debian "
           "pocl-opencl-icd (for processors), which brings both.";
  }
  if (find_devices(find_api()).empty()) {
    return "no OpenCL driver offers a device: install the vendor's, or on Debian pocl-opencl-icd "
           "(for processors).";
  }
  return {};
}

bool has_graphics_processor() {
  static const bool has = os::may_have_graphics_processor() &&
                          std::ranges::any_of(find_devices(find_api()), &DeviceInfo::is_gpu);
  return has;
}

Choice parse_choice(std::string_view settings) {
  Choice choice;
  for (std::string_view part : split(settings, ':')) {
    if (to_lower(part) == "work_items") {
      choice.work_items = true;
    } else if (const auto number = parse_device_number(part)) {
      choice.index = *number;
    } else {
      user_error<DeviceError>("OPENCL", fmt::format("takes {}, got \"{}\"", kTakes, settings),
                              "Hint: DEV=OPENCL:1 is the second device of `tg devices`.");
    }
  }
  return choice;
}

std::string choice_text(const Choice& choice) {
  std::string text = device_number_text(choice.index);
  if (choice.work_items) text += text.empty() ? "WORK_ITEMS" : ":WORK_ITEMS";
  return text;
}

Target target_of(const DeviceInfo& device, bool work_items) {
  constexpr double kClock = 2e9;
  Target t;
  t.arch = device.name;
  t.machine = "opencl-" + hash_bytes(device.identity).hex();
  // Of graphics processors 16 bytes are the widest access.
  const bool by_work_items = work_items || !device.is_cpu;
  const int64_t lanes =
      by_work_items ? 4 : std::clamp<int64_t>(device.native_float_lanes, 4, kMaxLanes);
  t.vector_bytes = static_cast<int>(4 * lanes);
  t.vector_registers = 32;
  t.max_lanes = kMaxLanes;
  t.threads = static_cast<int>(device.compute_units);
  t.local_bytes = by_work_items ? device.local_bytes : 0;
  t.max_group_size = by_work_items ? std::min(device.max_group_size, kLargestGroup) : 0;
  t.subgroup_size = by_work_items ? kSubgroupSize : 1;
  t.max_groups = device.compute_units * (device.is_cpu ? 8 : 64);
  t.max_arrays = std::max<int64_t>(0, device.argument_bytes / 8 - kPlacesForNumbers);
  t.flops_per_second = kClock * t.vector_bytes / 4.0 * 4;
  t.launch_seconds = 10e-6;
  t.compile_seconds = 50e-3;
  t.has_fma = device.has_fma;
  finish_c_target(t, "OPENCL");
  if (!device.has_doubles) t.dtypes.reset(static_cast<size_t>(DType::Float64));
  return t;
}

OpenClMachine machine_of(const DeviceInfo& device, bool work_items) {
  return {.local_bytes = device.local_bytes,
          .has_fma = device.has_fma,
          .narrow_index = work_items || !device.is_cpu,
          .has_half = device.has_half};
}

// No option that loosens values.
std::string build_options(const DeviceInfo& device) {
  return device.rounds_correctly ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                                 : "-cl-std=CL1.2";
}

}  // namespace tg::opencl
