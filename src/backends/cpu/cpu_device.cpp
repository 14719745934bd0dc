// See cpu_device.h, and the backend's descriptor.
#include "backends/cpu/cpu_device.h"

#include <algorithm>
#include <set>

#include "backends/cpu/program.h"
#include "backends/cpu/target.h"
#include "renderer/render.h"
#include "support/check.h"
#include "support/options.h"
#include "support/thread_pool.h"

namespace tg::cpu {
namespace {

/// Fewest kernels for which another invocation of the compiler pays: starting one costs about as
/// much as five kernels.
constexpr int64_t kKernelsPerInvocation = 6;

std::string require_compiler() {
  auto found = find_compiler();
  if (!found) user_error<DeviceError>("CPU", missing_compiler_advice());
  return *found;
}

std::string arch_option() { return options().arch.empty() ? "native" : options().arch; }

}  // namespace

CpuDevice::CpuDevice()
    : target_(detect_target(arch_option())),
      compiler_(make_toolchain(require_compiler(), target_)) {}

void CpuDevice::build(std::span<Pending> batch) const {
  std::vector<LinearKernel> kernels;
  for (const Pending& p : batch) kernels.push_back(*p.kernel);
  const std::string what = batch.size() == 1 ? "kernel " + batch[0].kernel->name
                                             : fmt::format("{} kernels", batch.size());
  LoadedCode code;
  try {
    code = compiler_.load(batch.size() == 1 ? batch[0].source : render_c(kernels), what);
  } catch (const DeviceError&) {
    if (batch.size() == 1) throw;
    return build_each(batch);
  }
  for (Pending& p : batch)
    p.program = Ref<Program>::adopt(new CpuProgram(code, *p.kernel, target_));
}

// One by one, so that the error names the kernel.
void CpuDevice::build_each(std::span<Pending> batch) const {
  for (size_t i = 0; i < batch.size(); ++i) build(batch.subspan(i, 1));
}

std::vector<CompiledKernel> CpuDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out(kernels.size());
  std::vector<Hash128> keys;
  std::vector<Pending> pending;
  std::set<Hash128> asked;
  for (size_t i = 0; i < kernels.size(); ++i) {
    out[i].source = render_c(kernels.subspan(i, 1));
    keys.push_back(hash_bytes(out[i].source));
    const std::lock_guard guard(lock_);
    if (programs_.contains(keys[i]) || !asked.insert(keys[i]).second) continue;
    pending.push_back({&kernels[i], out[i].source, keys[i], {}});
  }
  const int64_t threads = options().thread_count(), count = static_cast<int64_t>(pending.size());
  const int64_t batches =
      std::clamp<int64_t>(count / kKernelsPerInvocation, count > 0 ? 1 : 0, threads);
  parallel_for(batches, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t b = begin; b < end; ++b) {
      const auto from = static_cast<size_t>(b * count / batches),
                 to = static_cast<size_t>((b + 1) * count / batches);
      build(std::span(pending).subspan(from, to - from));
    }
  });
  const std::lock_guard guard(lock_);
  for (Pending& p : pending) programs_.emplace(p.key, p.program);
  for (size_t i = 0; i < kernels.size(); ++i) out[i].program = programs_.at(keys[i]);
  return out;
}

namespace {

std::string probe() { return find_compiler() ? std::string() : missing_compiler_advice(); }
std::unique_ptr<Device> open() { return std::make_unique<CpuDevice>(); }

}  // namespace

extern const Backend kCpuBackend;
constinit const Backend kCpuBackend = {
    .name = "CPU", .preference = 10, .probe = probe, .open = open};

}  // namespace tg::cpu
