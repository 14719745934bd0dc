// See platform.h.
#include "backends/metal/platform.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/c_language.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"
#include "support/hash.h"

namespace tg::metal {
namespace {

constexpr int kNewestFamily = 12;  // asked for downwards, so that newer ones may come
/// A kernel's largest group on every device since family 4.
constexpr int64_t kMaxItems = 1024;
constexpr int64_t kSimdgroupItems = 32;
/// Since this family there is simdgroup_matrix.
constexpr int kFamilyWithMatrices = 7;
// Metal tells neither; as of a small Apple processor, until `tg bench --calibrate` measures them.
constexpr int kCores = 8;
constexpr double kFlopsOfACore = 128 * 2 * 1.3e9;
constexpr double kBytesPerSecond = 68e9;
constexpr int64_t kGroupsOfACore = 256;

DeviceInfo describe(const Objc& objc, Owned device) {
  Object* d = device.get();
  const auto bytes = [&](Message m) { return static_cast<int64_t>(objc.send<uint64_t>(d, m)); };
  DeviceFacts facts{.name = objc.text(objc.send<Object*>(d, Message::Name)),
                    .family = kNewestFamily,
                    .has_one_memory = objc.send<uint8_t>(d, Message::HasUnifiedMemory) != 0,
                    .local_bytes = bytes(Message::MaxThreadgroupMemoryLength),
                    .memory_bytes = bytes(Message::RecommendedMaxWorkingSetSize),
                    .max_buffer_bytes = bytes(Message::MaxBufferLength)};
  const auto is_of = [&](int family) {
    return objc.send<uint8_t>(d, Message::SupportsFamily, kFamilyApple1 + family - 1) != 0;
  };
  while (facts.family > 0 && !is_of(facts.family)) --facts.family;
  return {std::move(device), std::move(facts)};
}

}  // namespace

Target metal_target(const DeviceFacts& device) {
  Target t;
  t.arch = device.name;
  t.machine = "metal-" + hash_bytes(device.name).hex();
  t.vector_bytes = 16;  // vectors of four lanes of 32 bits are the widest
  t.vector_registers = 32;
  t.threads = kCores;
  t.max_items = kMaxItems;
  t.subgroup_items = kSimdgroupItems;
  t.local_bytes = device.local_bytes;
  t.max_groups = kCores * kGroupsOfACore;
  t.flops_per_second = kFlopsOfACore;
  t.bytes_per_second = kBytesPerSecond;
  t.launch_seconds = 10e-6;
  t.compile_seconds = 30e-3;
  if (device.family >= kFamilyWithMatrices) {
    for (const char* name : {"m8n8k8_f16", "m8n8k8_f32"})
      t.matrix_units.push_back(find_matrix_unit(name));
  }
  t.has_fma = true;
  finish_c_target(t, "METAL");
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
    if (objc.responds(device.get(), Message::HasUnifiedMemory) &&
        objc.responds(device.get(), Message::SupportsFamily))
      out.push_back(describe(objc, std::move(device)));
  };
  if (first) add(std::move(first));
  const Owned all(objc, objc.copy_all_devices());
  const auto count = objc.send<uint64_t>(all.get(), Message::Count);
  for (uint64_t i = 0; i < count; ++i) {
    auto* d = objc.send<Object*>(all.get(), Message::ObjectAtIndex, i);
    if (d != default_one) add(Owned::retained(objc, d));
  }
  return out;
}

int parse_index(std::string_view settings) {
  if (const auto number = parse_device_number(settings)) return *number;
  user_error<DeviceError>("METAL", fmt::format("takes {}, got \"{}\"", kTakes, settings),
                          "Hint: DEV=METAL:1 is the second device.");
}

std::string missing_device_advice(const Objc* objc) {
  if (objc == nullptr)
    return "no Objective-C runtime with Metal: Metal is a part of macOS, and this is no Mac.";
  if (find_devices(*objc).empty())
    return "this Mac has no graphics processor that runs Metal as of macOS 11.";
  return {};
}

}  // namespace tg::metal
