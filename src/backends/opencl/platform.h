// Which OpenCL devices there are, and what they say about themselves as facts for the compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/opencl/api.h"
#include "renderer/render.h"
#include "target/target.h"
#include "tg/ir/function_ref.h"

namespace tg::opencl {

/// The functions, opened at the first call and kept; nullptr if the loader or one of them is
/// missing. Thread-safe.
const Api* find_api();
/// Whether the device, or the host on its behalf, had no memory.
bool is_out_of_memory(Status status);
/// Throws DeviceError "OPENCL: <what> failed: <status>" unless it succeeded.
void check(Status status, const std::string& what);
/// A text that `get` gives in pieces of (size, to, needed size); empty on errors.
std::string text(FunctionRef<Status(size_t size, void* to, size_t* needed)> get);

/// One device of one platform.
struct DeviceInfo {
  DeviceId* id = nullptr;
  Platform* platform = nullptr;
  std::string name;      ///< of the device
  std::string identity;  ///< platform, device and driver with their versions: part of cache keys
  bool is_cpu = false;
  bool is_gpu = false;
  int64_t compute_units = 1;
  int64_t max_group_size = 1;      ///< of a work-group
  int64_t local_bytes = 0;         ///< local memory
  int64_t memory_bytes = 0;        ///< global memory
  int64_t max_buffer_bytes = 0;    ///< of one buffer
  int64_t argument_bytes = 0;      ///< of one launch; 0: unknown
  int64_t native_float_lanes = 1;  ///< of its registers
  bool has_doubles = false;
  bool has_half = false;          ///< cl_khr_fp16, with denormals and rounding to nearest even
  bool rounds_correctly = false;  ///< float32 division and square root can be exact
  bool has_fma = false;           ///< of float32, in one instruction
};

/// The usable devices of all platforms: graphics processors first, then accelerators, then
/// processors; else in the order of the platforms. Empty if there is none.
std::vector<DeviceInfo> find_devices(const Api* api);
/// What may follow the name of the backend.
inline constexpr std::string_view kTakes = "[:INDEX][:WORK_ITEMS]";
/// Which device, and whether kernels have work-items: graphics processors need them, processors run
/// faster without, by vectors.
struct Choice {
  int index = 0;
  bool work_items = false;
};
/// "1", "WORK_ITEMS", "1:WORK_ITEMS". Throws DeviceError naming what may be said.
Choice parse_choice(std::string_view settings);
/// The same in one form; empty for the default.
std::string choice_text(const Choice& choice);

/// Empty if there is a device, else a sentence that says what to install.
std::string missing_device_advice();
/// Whether a driver offers a graphics processor. Starts no driver on a machine that can have none.
bool has_graphics_processor();

/// `work_items`: with work-items whatever the device is.
Target target_of(const DeviceInfo& device, bool work_items);
OpenClMachine machine_of(const DeviceInfo& device, bool work_items);
/// Options of every program's build.
std::string build_options(const DeviceInfo& device);

}  // namespace tg::opencl
