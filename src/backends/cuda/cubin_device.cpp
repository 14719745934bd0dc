// See cubin_device.h.
#include "backends/cuda/cubin_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/launch_shape.h"
#include "support/check.h"
#include "support/thread_pool.h"

namespace tg::cuda {
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

}  // namespace

CompiledImage compile_image(const Nvrtc& nvrtc, const LinearKernel& kernel,
                            const std::string& arch) {
  const CudaMachine machine = machine_of(typical_facts(capability_of(arch)));
  std::string source = render_cuda(kernel, machine);
  Image image = nvrtc.compile(source, arch, "kernel " + kernel.name);
  image.use.shared_bytes += cuda_dynamic_bytes(kernel, machine);
  return {std::move(source), std::move(image)};
}

CompiledImage assemble_image(const Assembler& assembler, const LinearKernel& kernel,
                             const std::string& arch) {
  const CudaMachine machine = machine_of(typical_facts(capability_of(arch)));
  std::string source = render_kernel(kernel, machine, arch, true);
  Image image = assembler.assemble(source, arch, "kernel " + kernel.name);
  image.use.shared_bytes += cuda_dynamic_bytes(kernel, machine);
  return {std::move(source), std::move(image)};
}

CubinDevice::CubinDevice(const Nvrtc* nvrtc, const Assembler* assembler, std::string arch,
                         std::string name)
    : nvrtc_(nvrtc),
      assembler_(assembler),
      name_(std::move(name)),
      target_(cuda_target(typical_facts(capability_of(arch)), arch)),
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
  if (nvrtc_ == nullptr)
    return fmt::format("nvJitLink {} ({})", version_text(assembler_->version()),
                       assembler_->path());
  return fmt::format("NVRTC {} ({})", version_text(nvrtc_->version()), nvrtc_->path());
}

std::vector<CompiledKernel> CubinDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out(kernels.size());
  std::vector<Report> reports(kernels.size());
  parallel_for(std::ssize(kernels), 1, [&](int64_t begin, int64_t end, int) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const LinearKernel& k = kernels[i];
      CompiledImage compiled = nvrtc_ != nullptr ? compile_image(*nvrtc_, k, target_.arch)
                                                 : assemble_image(*assembler_, k, target_.arch);
      reports[i] = {k.name, k.items, std::ssize(compiled.image.bytes), compiled.image.use};
      auto program = Ref<Program>::adopt(new DryProgram(LaunchShape(k, target_)));
      out[i] = {std::move(program), std::move(compiled.source), {}};
    }
  });
  const std::lock_guard guard(lock_);
  reports_.insert(reports_.end(), reports.begin(), reports.end());
  return out;
}

std::vector<CubinDevice::Report> CubinDevice::reports() const {
  const std::lock_guard guard(lock_);
  return reports_;
}

}  // namespace tg::cuda
