// See platform.h.
#include "backends/metal/platform.h"

#include <fmt/format.h>

#include "runtime/c_language.h"
#include "runtime/entry_points.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"
#include "support/hash.h"

namespace tg::metal {
namespace {

constexpr int kNewestFamily = 12;  // asked for downwards, so that newer ones may come
/// A kernel's largest group on every device since family 4.
constexpr int64_t kMaxGroupSize = 1024;
constexpr int64_t kSimdgroupSize = 32;
/// Since this family there is simdgroup_matrix.
constexpr int kFamilyWithMatrices = 7;
// Metal tells neither; as of a small Apple processor, until `tg bench --calibrate` measures them.
constexpr int kCores = 8;
constexpr double kFlopsOfACore = 128 * 2 * 1.3e9;
constexpr double kBytesPerSecond = 68e9;
constexpr int64_t kGroupsOfACore = 256;

DeviceInfo describe(const Objc& objc, Owned device) {
  Object* d = device.get();
  const auto bytes = [&](const auto& method) { return static_cast<int64_t>(method(d)); };
  DeviceFacts facts{.name = objc.text(objc.name(d)),
                    .family = kNewestFamily,
                    .has_one_memory = objc.has_unified_memory(d) != 0,
                    .local_bytes = bytes(objc.max_threadgroup_memory),
                    .memory_bytes = bytes(objc.recommended_memory),
                    .max_buffer_bytes = bytes(objc.max_buffer_length)};
  const auto is_of = [&](int family) {
    return objc.supports_family(d, kFamilyApple1 + family - 1) != 0;
  };
  while (facts.family > 0 && !is_of(facts.family)) --facts.family;
  return {std::move(device), std::move(facts)};
}

}  // namespace

std::unique_ptr<const Objc> open_objc(std::span<const std::string_view> runtimes,
                                      std::span<const std::string_view> frameworks) {
  auto objc = std::make_unique<Objc>(runtimes);
  objc->framework = DynamicLibrary::find(frameworks);
  if (!*objc || !objc->framework) return nullptr;
  EntryPoints points(objc->framework);
  points.find("MTLCreateSystemDefaultDevice", objc->default_device);
  if (!points.missing().empty()) return nullptr;
  points.find("MTLCopyAllDevices", objc->copy_all_devices);
  return objc;
}

// Never closed: the frameworks run threads that do not survive it.
const Objc* find_objc() {
  struct Loaded {
    DynamicLibrary graphics = DynamicLibrary::find(kGraphics);
    std::unique_ptr<const Objc> objc = open_objc(kRuntimes, kFrameworks);
  };
  static const Loaded* const loaded = new Loaded;
  return loaded->objc.get();
}

Target metal_target(const DeviceFacts& device) {
  Target t;
  t.arch = device.name;
  t.machine = "metal-" + hash_bytes(device.name).hex();
  t.vector_bytes = 16;  // vectors of four lanes of 32 bits are the widest
  t.vector_registers = 32;
  t.max_lanes = 4;
  t.threads = kCores;
  t.max_group_size = kMaxGroupSize;
  t.subgroup_size = kSimdgroupSize;
  t.local_bytes = device.local_bytes;
  t.max_groups = kCores * kGroupsOfACore;
  t.max_arrays = MetalMachine{}.buffers - 1;  // one is for the arguments
  t.flops_per_second = kFlopsOfACore;
  t.bytes_per_second = kBytesPerSecond;
  t.launch_seconds = 10e-6;
  t.compile_seconds = 30e-3;
  if (device.family >= kFamilyWithMatrices) add_matrix_units(t, {"m8n8k8_f16", "m8n8k8_f32"});
  t.has_fma = true;
  finish_c_target(t, "METAL");
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle));
  t.dtypes.reset(static_cast<size_t>(DType::Float64));
  return t;
}

MetalMachine machine_of(const DeviceFacts& device) { return {.local_bytes = device.local_bytes}; }

std::vector<DeviceInfo> find_devices(const Objc& objc) {
  const Pool pool(objc);
  std::vector<DeviceInfo> out;
  Owned first(objc, objc.default_device());
  Object* const default_one = first.get();
  // What came with macOS 11 is asked for; a message that is not known would end the process.
  const auto add = [&](Owned device) {
    if (objc.responds(device.get(), objc.has_unified_memory) &&
        objc.responds(device.get(), objc.supports_family))
      out.push_back(describe(objc, std::move(device)));
  };
  if (first) add(std::move(first));
  const Owned all(objc, objc.copy_all_devices == nullptr ? nullptr : objc.copy_all_devices());
  const auto count = objc.count(all.get());
  for (uint64_t i = 0; i < count; ++i) {
    auto* d = objc.object_at(all.get(), i);
    if (d != default_one) add(Owned::retained(objc, d));
  }
  return out;
}

int parse_index(std::string_view settings) { return needed_device_number("METAL", settings); }

std::string missing_device_advice(const Objc* objc) {
  if (objc == nullptr)
    return "no Objective-C runtime with Metal: Metal is a part of macOS, and this is no Mac.";
  if (find_devices(*objc).empty())
    return "this Mac has no graphics processor that runs Metal as of macOS 11.";
  return {};
}

}  // namespace tg::metal
