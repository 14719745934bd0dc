// See metal_device.h, and the backend's descriptor.
#include "backends/metal/metal_device.h"

#include <fmt/format.h>

#include "backends/metal/indirect.h"
#include "support/check.h"
#include "support/thread_pool.h"

namespace tg::metal {

MetalDevice::MetalDevice(const Objc& objc, DeviceInfo info, int index)
    : name_(index == 0 ? "METAL" : fmt::format("METAL:{}", index)),
      info_(std::move(info)),
      target_(metal_target(info_.facts)),
      queue_(objc, info_.device.get(), info_.facts.name),
      allocator_(objc, info_.device.get(), queue_, info_.facts.max_buffer_bytes),
      session_{objc, info_.device.get(), info_.facts.name, queue_, allocator_} {}

MetalDevice::~MetalDevice() = default;

std::string MetalDevice::compiler() const {
  const DeviceFacts& f = info_.facts;
  return f.family > 0 ? fmt::format("Metal, family Apple {}", f.family) : "Metal";
}

CompiledKernel MetalDevice::build(const LinearKernel& kernel) const {
  std::string source = render_metal(kernel, machine_of(info_.facts));
  Owned pipeline = compile_pipeline(session_, source, kernel.name);
  return {Ref<Program>::adopt(new MetalProgram(session_, std::move(pipeline), kernel, target_)),
          std::move(source),
          {}};
}

std::vector<CompiledKernel> MetalDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out(kernels.size());
  parallel_for(std::ssize(kernels), 1, [&](int64_t begin, int64_t end, int) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      out[i] = build(kernels[i]);
  });
  return out;
}

void MetalDevice::launch(std::span<const Call> calls) {
  std::vector<Dispatch> together;
  together.reserve(calls.size());
  for (const Call& c : calls) {
    Dispatch d = static_cast<const MetalProgram*>(c.program)->dispatch(c.buffers, c.vars);
    if (d.has_work()) together.push_back(std::move(d));
  }
  queue_.launch(together);
}

std::unique_ptr<Replay> MetalDevice::prepare(const CallSequence& sequence) {
  auto replay = IndirectReplay::record(session_, info_.facts, sequence);
  return replay != nullptr ? std::move(replay) : Device::prepare(sequence);
}

std::unique_ptr<Device> open_device(const Objc* objc, int index) {
  if (const std::string why = missing_device_advice(objc); !why.empty())
    user_error<DeviceError>("METAL", why);
  std::vector<DeviceInfo> devices = find_devices(*objc);
  if (index < std::ssize(devices))
    return std::make_unique<MetalDevice>(*objc, std::move(devices[static_cast<size_t>(index)]),
                                         index);
  std::string known;
  for (size_t i = 0; i < devices.size(); ++i)
    known += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, devices[i].facts.name);
  user_error<DeviceError>("METAL", fmt::format("there is no device {}: {}", index, known));
}

namespace {

std::string probe() { return missing_device_advice(find_objc()); }
std::unique_ptr<Device> open() { return open_device(find_objc(), 0); }
std::unique_ptr<Device> open_with(const std::string& settings) {
  return open_device(find_objc(), parse_index(settings));
}
std::string normalise(std::string_view settings) {
  const int index = parse_index(settings);
  return index == 0 ? "" : fmt::format("{}", index);
}

}  // namespace

extern const Backend kMetalBackend;
constinit const Backend kMetalBackend = {.name = "METAL",
                                         .preference = -1,
                                         .probe = probe,
                                         .open = open,
                                         .takes = kTakes,
                                         .normalise = normalise,
                                         .open_with = open_with};

}  // namespace tg::metal
