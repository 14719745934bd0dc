// See opencl_device.h, and the backend's descriptor.
#include "backends/opencl/opencl_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/backend_with_settings.h"
#include "runtime/compile_each.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"

namespace tg::opencl {
namespace {

bool uses(const LinearKernel& kernel, DType t) {
  return std::ranges::any_of(kernel.ops, [&](const UOp& u) { return u.dtype() == t; });
}

}  // namespace

OpenClDevice::OpenClDevice(const Api& api, DeviceInfo info, const Choice& choice)
    : name_(device_name("OPENCL", choice_text(choice))),
      api_(api),
      info_(std::move(info)),
      target_(target_of(info_, choice.work_items)) {
  const intptr_t properties[] = {kContextPlatform, reinterpret_cast<intptr_t>(info_.platform), 0};
  Status status = kSuccess;
  context_ = api_.CreateContext(properties, 1, &info_.id, nullptr, nullptr, &status);
  check(status, "clCreateContext for " + info_.name);
  queue_ = api_.CreateCommandQueue(context_, info_.id, kProfiling, &status);
  if (status != kSuccess) api_.ReleaseContext(context_);
  check(status, "clCreateCommandQueue for " + info_.name);
  allocator_ = std::make_unique<BufferAllocator>(api_, context_, queue_, info_.max_buffer_bytes);
  session_.reset(new Session{api_, info_, context_, queue_, *allocator_,
                             machine_of(info_, target_.max_group_size > 0)});
  builder_ = std::make_unique<const Builder>(*session_);
}

OpenClDevice::~OpenClDevice() {
  api_.Finish(queue_);
  allocator_.reset();
  api_.ReleaseCommandQueue(queue_);
  api_.ReleaseContext(context_);
}

void OpenClDevice::synchronize() { check(api_.Finish(allocator_->queue()), "clFinish"); }

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
  allocator_->opened_in.check(name_);
  return compile_each(kernels, [&](const LinearKernel& kernel) { return build(kernel); });
}

namespace {

std::unique_ptr<Device> open(const Choice& choice) {
  const Api* api = find_api();
  std::vector<DeviceInfo> devices = find_devices(api);
  if (devices.empty()) user_error<DeviceError>("OPENCL", missing_device_advice());
  check_device_number("OPENCL", choice.index, devices, &DeviceInfo::name);
  return std::make_unique<OpenClDevice>(*api, std::move(devices[static_cast<size_t>(choice.index)]),
                                        choice);
}

}  // namespace

extern const Backend kOpenclBackend;
constinit const Backend kOpenclBackend = backend_with_settings<parse_choice, choice_text, open>(
    "OPENCL", missing_device_advice, kTakes, kGraphicsPreference - 1, has_graphics_processor);

}  // namespace tg::opencl
