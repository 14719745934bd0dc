// See metal_device.h, and the backend's descriptor.
#include "backends/metal/metal_device.h"

#include <fmt/format.h>

#include "backends/metal/indirect.h"
#include "runtime/backend_with_settings.h"
#include "runtime/compile_each.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"

namespace tg::metal {

MetalDevice::MetalDevice(const Objc& objc, DeviceInfo info, int index)
    : name_(device_name("METAL", device_number_text(index))),
      info_(std::move(info)),
      target_(metal_target(info_.facts)),
      queue_(objc, info_.device.get(), info_.facts.name),
      allocator_(objc, info_.device.get(), queue_, info_.facts.max_buffer_bytes),
      session_{objc, info_.device.get(), info_.facts.name, queue_, allocator_} {}

std::string MetalDevice::compiler() const {
  const DeviceFacts& f = info_.facts;
  return f.family > 0 ? fmt::format("Metal, family Apple {}", f.family) : "Metal";
}

std::vector<CompiledKernel> MetalDevice::compile(std::span<const LinearKernel> kernels) {
  return compile_each(kernels, [&](const LinearKernel& kernel) -> CompiledKernel {
    std::string source = render_metal(kernel, machine_of(info_.facts));
    Owned pipeline = compile_pipeline(session_, source, kernel.name);
    return {Ref<Program>::adopt(new MetalProgram(session_, std::move(pipeline), kernel, target_)),
            std::move(source),
            {}};
  });
}

void MetalDevice::launch(std::span<const Call> calls) {
  std::vector<Dispatch> together;
  together.reserve(calls.size());
  for (const Call& c : calls)
    together.push_back(static_cast<const MetalProgram*>(c.program)->dispatch(c.buffers, c.vars));
  queue_.launch(std::move(together));
}

std::unique_ptr<Replay> MetalDevice::prepare(const CallSequence& sequence) {
  auto replay = IndirectReplay::record(session_, info_.facts, sequence);
  return replay != nullptr ? std::move(replay) : Device::prepare(sequence);
}

std::unique_ptr<Device> open_device(const Objc* objc, int index) {
  if (const std::string why = missing_device_advice(objc); !why.empty())
    user_error<DeviceError>("METAL", why);
  std::vector<DeviceInfo> devices = find_devices(*objc);
  check_device_number("METAL", index, devices, [](const DeviceInfo& d) { return d.facts.name; });
  return std::make_unique<MetalDevice>(*objc, std::move(devices[static_cast<size_t>(index)]),
                                       index);
}

namespace {

std::string probe() { return missing_device_advice(find_objc()); }
std::unique_ptr<Device> open(int index) { return open_device(find_objc(), index); }

}  // namespace

extern const Backend kMetalBackend;
constinit const Backend kMetalBackend =
    backend_with_settings<parse_index, device_number_text, open>(
        "METAL", probe, kTakesNumber, kGraphicsPreference, [] {
          static const bool usable = probe().empty();
          return usable;
        });

}  // namespace tg::metal
