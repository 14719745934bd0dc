// See cpu_device.h, and the backend's descriptor.
#include "backends/cpu/cpu_device.h"

#include <algorithm>

#include "backends/cpu/compiler.h"
#include "backends/cpu/llvm_compiler.h"
#include "backends/cpu/program.h"
#include "backends/cpu/target.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/log.h"
#include "support/thread_pool.h"

namespace tg::cpu {
namespace {

// Empty, or why there is no compiler as these settings want it.
std::string missing_compiler(bool clang) {
  if (!clang) return has_llvm() ? "" : missing_llvm_advice();
  return find_compiler() ? "" : missing_compiler_advice();
}

std::unique_ptr<const KernelCompiler> make_compiler(const Settings& settings,
                                                    const Target& target) {
  if (const std::string reason = missing_compiler(settings.clang); !reason.empty())
    user_error<DeviceError>("CPU", reason);
  if (!settings.clang) return std::make_unique<LlvmCompiler>(find_llvm().value(), target);
  return std::make_unique<Compiler>(make_toolchain(find_compiler().value(), target));
}

// Matrix and dot instructions are spelled by LLVM's intrinsics only.
Target target_of(const Settings& settings) {
  Target t = detect_target(settings.arch);
  if (!settings.clang) add_matrix_instructions(t);
  return t;
}

}  // namespace

CpuDevice::CpuDevice(const Settings& settings, std::string name)
    : name_(std::move(name)),
      target_(target_of(settings)),
      compiler_(make_compiler(settings, target_)) {}

CodeRef CpuDevice::load(std::span<const Pending> batch) const {
  if (batch.size() == 1)
    return compiler_->load(*batch[0].source, "kernel " + batch[0].kernel->name);
  std::vector<LinearKernel> kernels;
  for (const Pending& p : batch) kernels.push_back(*p.kernel);
  return compiler_->load(compiler_->render(kernels), fmt::format("{} kernels", batch.size()));
}

void CpuDevice::build(std::span<const Pending> batch) {
  try {
    check_interrupt("compile");
    const CodeRef code = load(batch);
    for (const Pending& p : batch)
      programs_.put(p.ticket, Ref<Program>::adopt(new CpuProgram(code, *p.kernel, target_)));
  } catch (const DeviceError&) {
    if (batch.size() > 1) return build_each(batch);
    programs_.fail(batch[0].ticket, std::current_exception());
  } catch (...) {
    for (const Pending& p : batch) programs_.fail(p.ticket, std::current_exception());
  }
}

// One by one, so that the error names the kernel.
void CpuDevice::build_each(std::span<const Pending> batch) {
  for (size_t i = 0; i < batch.size(); ++i) build(batch.subspan(i, 1));
}

void CpuDevice::build_all(std::span<const Pending> pending) {
  const auto count = static_cast<int64_t>(pending.size());
  const int64_t per_call = compiler_->kernels_per_call();
  const int64_t most = per_call == 1 ? count : options().thread_count();
  const int64_t batches = std::clamp<int64_t>(count / per_call, count > 0 ? 1 : 0, most);
  parallel_for(batches, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t b = begin; b < end; ++b) {
      const auto from = static_cast<size_t>(b * count / batches),
                 to = static_cast<size_t>((b + 1) * count / batches);
      build(pending.subspan(from, to - from));
    }
  });
  compiler_->rest();
}

// All that is this call's own is built before it waits for others, as SingleFlight asks.
std::vector<CompiledKernel> CpuDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out(kernels.size());
  std::vector<Programs::Ticket> tickets;
  std::vector<Pending> pending;
  for (size_t i = 0; i < kernels.size(); ++i)
    out[i].source = compiler_->render(kernels.subspan(i, 1));
  for (size_t i = 0; i < kernels.size(); ++i) {
    tickets.push_back(programs_.claim(hash_bytes(out[i].source)));
    if (tickets[i].is_mine()) pending.push_back({&kernels[i], &out[i].source, tickets[i]});
  }
  build_all(pending);
  for (size_t i = 0; i < kernels.size(); ++i) {
    out[i].program = programs_.wait(tickets[i]);
    if (!debug_at(7)) continue;
    const auto& program = static_cast<const CpuProgram&>(*out[i].program);
    out[i].assembly = kernels[i].name + ":\n" + disassemble(program.instructions());
  }
  return out;
}

namespace {

std::string probe() { return missing_compiler(settings_of_options().clang); }
std::unique_ptr<Device> open() { return std::make_unique<CpuDevice>(default_settings()); }
std::unique_ptr<Device> open_with(const std::string& settings) {
  return std::make_unique<CpuDevice>(parse_settings(settings), "CPU:" + settings);
}

}  // namespace

extern const Backend kCpuBackend;
constinit const Backend kCpuBackend = {.name = "CPU",
                                       .preference = 10,
                                       .probe = probe,
                                       .open = open,
                                       .takes = kTakes,
                                       .normalise = normalise_settings,
                                       .open_with = open_with,
                                       .is_reference = true};

}  // namespace tg::cpu
