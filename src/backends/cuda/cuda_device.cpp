// See cuda_device.h, and the backend's descriptor.
#include "backends/cuda/cuda_device.h"

#include <fmt/format.h>

#include "backends/cuda/cubin_device.h"
#include "backends/cuda/graph.h"
#include "renderer/ptx.h"
#include "support/check.h"
#include "support/log.h"
#include "support/thread_pool.h"

namespace tg::cuda {
namespace {

constexpr size_t kLeastOfGraph = 2;  // kernels: one costs as much without

std::string device_name(const Choice& choice) {
  const std::string settings = choice_text(choice);
  return settings.empty() ? "CUDA" : "CUDA:" + settings;
}

// A driver runs machine code of its own major version and older; newer code it does not know.
void check_versions(const Driver& driver, const Nvrtc* nvrtc) {
  if (nvrtc == nullptr || nvrtc->version() / 1000 <= driver.version / 1000) return;
  user_error<DeviceError>(
      "CUDA",
      fmt::format("the driver is too old: it runs code of CUDA {}, and {} is of CUDA {}",
                  version_text(driver.version), nvrtc->path(), version_text(nvrtc->version())),
      "Hint: install a newer driver, or set CUDA_PATH to an older toolkit.");
}

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, const Nvrtc* nvrtc, const Choice& choice)
    : name_(device_name(choice)),
      facts_((check_versions(driver, nvrtc), facts_of(driver, choice.index))),
      driver_(driver),
      nvrtc_(nvrtc),
      builder_(nvrtc, nvrtc != nullptr ? arch_for(facts_.capability, nvrtc->archs())
                                       : ptx_arch(facts_.capability)),
      target_(cuda_target(facts_, builder_.arch())),
      session_(driver, choice.index),
      memory_(session_, facts_.memory_bytes),
      place_{session_, memory_, builder_, target_, machine_of(facts_)} {}

// Errors of what was queued have nobody left to hear them.
CudaDevice::~CudaDevice() {
  session_.enter_quietly();
  session_.driver().StreamSynchronize(session_.stream());
}

std::string CudaDevice::compiler() const {
  if (nvrtc_ == nullptr)
    return fmt::format("the driver's assembler, CUDA {}", version_text(driver_.version));
  return fmt::format("NVRTC {} ({})", version_text(nvrtc_->version()), nvrtc_->path());
}

std::vector<CompiledKernel> CudaDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out(kernels.size());
  parallel_for(std::ssize(kernels), 1, [&](int64_t begin, int64_t end, int) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      std::string source = builder_.render(kernels[i], place_.machine);
      auto program = Ref<Program>::adopt(new CudaProgram(place_, kernels[i], source));
      out[i] = {std::move(program), std::move(source), {}};
    }
  });
  return out;
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
  if (find_driver() == nullptr) return missing_driver_advice();
  if (find_nvrtc() == nullptr) return missing_nvrtc_advice();
  return {};
}

namespace {

std::unique_ptr<Device> open_with(const std::string& settings) {
  const Choice choice = settings.empty() ? Choice{} : parse_choice(settings);
  if (!choice.arch.empty() && choice.ptx) {
    if (find_assembler() == nullptr) user_error<DeviceError>("CUDA", missing_assembler_advice());
    return std::make_unique<CubinDevice>(*find_assembler(), choice.arch, device_name(choice));
  }
  if (choice.ptx) {
    if (find_driver() == nullptr) user_error<DeviceError>("CUDA", missing_driver_advice());
    return std::make_unique<CudaDevice>(*find_driver(), choice);
  }
  if (!choice.arch.empty()) {
    if (find_nvrtc() == nullptr) user_error<DeviceError>("CUDA", missing_nvrtc_advice());
    return std::make_unique<CubinDevice>(*find_nvrtc(), choice.arch, device_name(choice));
  }
  if (const std::string why = missing_device_advice(); !why.empty())
    user_error<DeviceError>("CUDA", why);
  return std::make_unique<CudaDevice>(*find_driver(), *find_nvrtc(), choice);
}

std::unique_ptr<Device> open() { return open_with({}); }
std::string normalise(std::string_view settings) { return choice_text(parse_choice(settings)); }

}  // namespace

// Not chosen by itself: it has run on no hardware yet.
extern const Backend kCudaBackend;
constinit const Backend kCudaBackend = {.name = "CUDA",
                                        .preference = -1,
                                        .probe = missing_device_advice,
                                        .open = open,
                                        .takes = kTakes,
                                        .normalise = normalise,
                                        .open_with = open_with};

}  // namespace tg::cuda
