// See cubin_device.h.
#include "backends/nvidia/cubin_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/compile_each.h"
#include "runtime/launch_shape.h"
#include "support/check.h"

namespace tg::nvidia {
namespace {

class DryProgram final : public Program {
 public:
  explicit DryProgram(LaunchShape shape) : shape_(std::move(shape)) {}
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override {
    shape_.check(buffers, vars);
  }

 private:
  const LaunchShape shape_;
};

template <typename Compiler, typename Compile>
CompiledImage image_of(const Compiler& compiler, Compile compile, const LinearKernel& kernel,
                       const std::string& arch, bool ptx) {
  const CudaMachine machine = machine_of(typical_facts(capability_of(arch)));
  std::string source = render_kernel(kernel, machine, arch, ptx);
  Image image = (compiler.*compile)(source, arch, "kernel " + kernel.name);
  image.use.shared_bytes += cuda_dynamic_bytes(kernel, machine);
  return {std::move(source), std::move(image)};
}

}  // namespace

CompiledImage compile_image(const Nvrtc& nvrtc, const LinearKernel& kernel,
                            const std::string& arch) {
  return image_of(nvrtc, &Nvrtc::compile, kernel, arch, false);
}

CompiledImage assemble_image(const Assembler& assembler, const LinearKernel& kernel,
                             const std::string& arch) {
  return image_of(assembler, &Assembler::assemble, kernel, arch, true);
}

CubinDevice::CubinDevice(const Nvrtc* nvrtc, const Assembler* assembler, std::string arch,
                         std::string name)
    : nvrtc_(nvrtc),
      assembler_(assembler),
      name_(std::move(name)),
      target_(cuda_target(typical_facts(capability_of(arch)), arch, assembler != nullptr)),
      allocator_(name_) {}

CubinDevice::CubinDevice(const Assembler& assembler, std::string arch, std::string name)
    : CubinDevice(nullptr, &assembler, std::move(arch), std::move(name)) {}

CubinDevice::CubinDevice(const Nvrtc& nvrtc, std::string arch, std::string name)
    : CubinDevice(&nvrtc, nullptr, std::move(arch), std::move(name)) {
  const std::vector<int>& known = nvrtc.archs();
  if (std::ranges::find(known, capability_of(target_.arch)) == known.end()) {
    user_error<DeviceError>("CUDA", fmt::format("{} makes no code for {}: it knows {}", compiler(),
                                                target_.arch, fmt::join(known, ", ")));
  }
}

std::string CubinDevice::compiler() const {
  if (nvrtc_ != nullptr) return nvrtc_->description();
  return fmt::format("nvJitLink {} ({})", version_text(assembler_->version()), assembler_->path());
}

std::vector<CompiledKernel> CubinDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<Report> reports(kernels.size());
  auto out = compile_each(kernels, [&](const LinearKernel& k) -> CompiledKernel {
    CompiledImage compiled = nvrtc_ != nullptr ? compile_image(*nvrtc_, k, target_.arch)
                                               : assemble_image(*assembler_, k, target_.arch);
    reports[static_cast<size_t>(&k - kernels.data())] = {
        k.name, k.group_size, std::ssize(compiled.image.bytes), compiled.image.use};
    return {Ref<Program>::adopt(new DryProgram(LaunchShape(k, target_))),
            std::move(compiled.source),
            {}};
  });
  const std::lock_guard guard(lock_);
  reports_.insert(reports_.end(), reports.begin(), reports.end());
  return out;
}

std::vector<CubinDevice::Report> CubinDevice::reports() const {
  const std::lock_guard guard(lock_);
  return reports_;
}

std::unique_ptr<Device> open_cubin_device(const Choice& choice, const std::string& name) {
  if (choice.ptx) {
    if (find_assembler() == nullptr) user_error<DeviceError>("CUDA", missing_assembler_advice());
    return std::make_unique<CubinDevice>(*find_assembler(), choice.arch, name);
  }
  if (find_nvrtc() == nullptr) user_error<DeviceError>("CUDA", missing_nvrtc_advice());
  return std::make_unique<CubinDevice>(*find_nvrtc(), choice.arch, name);
}

}  // namespace tg::nvidia
