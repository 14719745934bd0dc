// See cuda_device.h, and the backend's descriptor.
#include "backends/cuda/cuda_device.h"

#include <fmt/format.h>

#include "backends/cuda/graph.h"
#include "backends/nvidia/cubin_device.h"
#include "runtime/backend_with_settings.h"
#include "runtime/compile_each.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"
#include "support/log.h"

namespace tg::cuda {
namespace {

constexpr size_t kLeastOfGraph = 2;  // kernels: one costs as much without

// A driver runs machine code of its own major version and older; newer code it does not know.
void check_versions(const Driver& driver, const nvidia::Nvrtc* nvrtc) {
  if (nvrtc == nullptr || nvrtc->version() / 1000 <= driver.version / 1000) return;
  user_error<DeviceError>(
      "CUDA",
      fmt::format("the driver is too old: it runs code of CUDA {}, and {} is of CUDA {}",
                  nvidia::version_text(driver.version), nvrtc->path(),
                  nvidia::version_text(nvrtc->version())),
      "Hint: install a newer driver, or set CUDA_PATH to an older toolkit.");
}

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, const nvidia::Nvrtc* nvrtc,
                       const nvidia::Choice& choice)
    : name_(device_name("CUDA", choice_text(choice))),
      facts_((check_versions(driver, nvrtc), facts_of(driver, choice.index))),
      builder_(nvrtc, facts_.capability),
      target_(nvidia::cuda_target(facts_, builder_.arch(), builder_.writes_ptx())),
      session_(driver, choice.index),
      memory_(session_, facts_.memory_bytes),
      place_{session_, memory_, builder_, target_, nvidia::machine_of(facts_)} {}

std::string CudaDevice::compiler() const {
  if (!builder_.writes_ptx()) return builder_.compiler();
  return fmt::format("the driver's assembler, CUDA {}",
                     nvidia::version_text(session_.driver().version));
}

std::vector<CompiledKernel> CudaDevice::compile(std::span<const LinearKernel> kernels) {
  return compile_each(kernels, [&](const LinearKernel& kernel) -> CompiledKernel {
    std::string source = builder_.render(kernel, place_.machine);
    return {Ref<Program>::adopt(new CudaProgram(place_, kernel, source)), std::move(source), {}};
  });
}

std::unique_ptr<Replay> CudaDevice::prepare(const CallSequence& sequence) {
  if (sequence.calls.size() < kLeastOfGraph) return Device::prepare(sequence);
  try {
    return std::make_unique<GraphReplay>(place_, sequence);
  } catch (const DeviceError& e) {
    debug_log(1, "{} The captured kernels are launched one by one.", e.what());
    return Device::prepare(sequence);
  }
}

double CudaDevice::timed(const Call& call) {
  return session_.timed([&] { call.program->launch(call.buffers, call.vars); });
}

std::string missing_device_advice() {
  return find_driver() == nullptr ? missing_driver_advice() : nvidia::missing_nvrtc_advice();
}

namespace {

std::unique_ptr<Device> open(const nvidia::Choice& choice) {
  if (!choice.arch.empty())
    return nvidia::open_cubin_device(choice, device_name("CUDA", choice_text(choice)));
  const std::string missing = choice.ptx ? missing_driver_advice() : missing_device_advice();
  if (!missing.empty()) user_error<DeviceError>("CUDA", missing);
  return std::make_unique<CudaDevice>(*find_driver(), choice.ptx ? nullptr : nvidia::find_nvrtc(),
                                      choice);
}

}  // namespace

extern const Backend kCudaBackend;
constinit const Backend kCudaBackend =
    backend_with_settings<nvidia::parse_choice, nvidia::choice_text, open>(
        "CUDA", missing_device_advice, nvidia::kTakes, kGraphicsPreference,
        [] { return find_driver() != nullptr && nvidia::find_nvrtc() != nullptr; });

}  // namespace tg::cuda
