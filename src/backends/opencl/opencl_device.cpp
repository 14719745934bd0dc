// See opencl_device.h, and the backend's descriptor.
#include "backends/opencl/opencl_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"
#include "support/thread_pool.h"

namespace tg::opencl {
namespace {

constexpr intptr_t kContextPlatform = 0x1084;
constexpr uint64_t kProfiling = 2;  // CL_QUEUE_PROFILING_ENABLE: commands know when they ran

bool uses(const LinearKernel& kernel, DType t) {
  return std::ranges::any_of(kernel.ops, [&](const UOp& u) { return u.dtype() == t; });
}

}  // namespace

OpenClDevice::OpenClDevice(const Api& api, DeviceInfo info, const Choice& choice)
    : name_(choice_text(choice).empty() ? "OPENCL" : "OPENCL:" + choice_text(choice)),
      api_(api),
      info_(std::move(info)),
      target_(target_of(info_, choice.items)) {
  const intptr_t properties[] = {kContextPlatform, reinterpret_cast<intptr_t>(info_.platform), 0};
  Status status = kSuccess;
  context_ = api_.CreateContext(properties, 1, &info_.id, nullptr, nullptr, &status);
  check(status, "clCreateContext for " + info_.name);
  queue_ = api_.CreateCommandQueue(context_, info_.id, kProfiling, &status);
  if (status != kSuccess) api_.ReleaseContext(context_);
  check(status, "clCreateCommandQueue for " + info_.name);
  allocator_ = std::make_unique<BufferAllocator>(api_, context_, queue_, info_.max_buffer_bytes);
  session_.reset(new Session{api_, info_, context_, queue_, *allocator_,
                             machine_of(info_, target_.max_items > 0)});
  builder_ = std::make_unique<const Builder>(*session_);
}

OpenClDevice::~OpenClDevice() {
  api_.Finish(queue_);
  allocator_.reset();
  api_.ReleaseCommandQueue(queue_);
  api_.ReleaseContext(context_);
}

void OpenClDevice::synchronize() { check(api_.Finish(queue_), "clFinish"); }

double OpenClDevice::timed(const Call& call) {
  LaunchClock clock(api_);
  const double by_host = Device::timed(call);
  return clock.seconds().value_or(by_host);
}

CompiledKernel OpenClDevice::build(const LinearKernel& kernel) const {
  if (!info_.has_doubles && uses(kernel, DType::Float64)) {
    user_error<DeviceError>(
        "compile",
        fmt::format("{} cannot compute in float64, which kernel {} does", info_.name, kernel.name),
        "Hint: cast to float32.");
  }
  std::string source = render_opencl(kernel, session_->machine);
  ProgramObject* program = builder_->build(source, "kernel " + kernel.name);
  return {Ref<Program>::adopt(new ClProgram(*session_, program, kernel, target_)),
          std::move(source),
          {}};
}

std::vector<CompiledKernel> OpenClDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out(kernels.size());
  parallel_for(std::ssize(kernels), 1, [&](int64_t begin, int64_t end, int) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      out[i] = build(kernels[i]);
  });
  return out;
}

namespace {

std::unique_ptr<Device> open_with(const std::string& settings) {
  const Choice choice = settings.empty() ? Choice{} : parse_choice(settings);
  const Api* api = find_api();
  std::vector<DeviceInfo> devices = api == nullptr ? std::vector<DeviceInfo>{} : find_devices(*api);
  if (devices.empty()) user_error<DeviceError>("OPENCL", missing_device_advice());
  const auto index = static_cast<size_t>(choice.index);
  if (index >= devices.size()) {
    std::string known;
    for (size_t i = 0; i < devices.size(); ++i)
      known += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, devices[i].name);
    user_error<DeviceError>("OPENCL", fmt::format("there is no device {}: {}", index, known));
  }
  return std::make_unique<OpenClDevice>(*api, std::move(devices[index]), choice);
}

std::unique_ptr<Device> open() { return open_with({}); }
std::string normalise(std::string_view settings) { return choice_text(parse_choice(settings)); }

}  // namespace

extern const Backend kOpenclBackend;
constinit const Backend kOpenclBackend = {.name = "OPENCL",
                                          .preference = -1,
                                          .probe = missing_device_advice,
                                          .open = open,
                                          .takes = kTakes,
                                          .normalise = normalise,
                                          .open_with = open_with};

}  // namespace tg::opencl
