// See compile.h. DEBUG=3 shows the schedule of each new kernel, 4 its source, 5 the graph, 6 the linear code.
#include "engine/compile.h"

#include <mutex>
#include <unordered_map>

#include "codegen/decompose/decompose.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "engine/phased_program.h"
#include "engine/state.h"
#include "kernel/merge_axes.h"
#include "kernel/split_reductions.h"
#include "rewrite/verify.h"
#include "support/log.h"
#include "support/profile.h"
#include "uop/text.h"

namespace tg {
namespace {

struct KernelKey {
  const Device* device;
  UOp kernel;
  bool noopt;
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};
struct KernelKeyHash {
  size_t operator()(const KernelKey& k) const {
    return k.kernel.hash() ^ reinterpret_cast<size_t>(k.device) ^ static_cast<size_t>(k.noopt);
  }
};

struct KernelCache {
  std::mutex lock;
  std::unordered_map<KernelKey, std::unique_ptr<ReadyKernel>, KernelKeyHash> ready;
};

KernelCache& cache() {
  static auto* c = new KernelCache;  // programs may be launched by objects that outlive static destruction
  return *c;
}

// A kernel of the schedule on its way to a program: one linear kernel a phase.
struct LoweredKernel {
  KernelKey key;
  KernelCost cost;
  KernelPhases phases;
  std::vector<LinearKernel> linear;
};

LinearKernel lower_phase(const UOp& kernel, const Target& target) {
  ProfileSpan span("lower", "kernel");
  if (options().check) verify_ranged(kernel);
  const KernelSchedule schedule = options().noopt ? plain_schedule(kernel) : choose_schedule(kernel, target);
  debug_log(3, "{}: {}", kernel_name(kernel, schedule), schedule.log.empty() ? "plain" : fmt::format("{}", fmt::join(schedule.log, " ")));
  LinearKernel linear = lower(kernel, schedule, target);
  span.rename(linear.name);
  if (options().check) verify_linear(linear.ops);
  if (debug_at(6)) log_text("linear code:\n" + print(linear.ops));
  return linear;
}

LoweredKernel lower_for(Device& device, const KernelKey& key) {
  const UOp kernel = merge_axes(decompose(key.kernel, device.target()));
  if (debug_at(5)) {
    log_text("kernel as scheduled:\n" + print(key.kernel));
    if (kernel != key.kernel) log_text("decomposed, axes joined:\n" + print(kernel));
  }
  LoweredKernel out{key, cost_of(kernel), key.noopt ? KernelPhases{{kernel}, 0, {}} : split_reductions(kernel), {}};
  if (debug_at(5) && out.phases.kernels.size() > 1) {
    for (const UOp& phase : out.phases.kernels) log_text("phase:\n" + print(phase));
  }
  for (const UOp& phase : out.phases.kernels) out.linear.push_back(lower_phase(phase, device.target()));
  return out;
}

// The program of a kernel whose phases have been compiled, in order, from `compiled` on.
std::unique_ptr<ReadyKernel> ready_kernel(Device& device, const LoweredKernel& k, std::span<const CompiledKernel> compiled) {
  std::vector<Phase> phases;
  std::vector<std::string> names;
  for (size_t i = 0; i < k.linear.size(); ++i) {
    if (debug_at(4)) log_text(compiled[i].source);
    phases.push_back({compiled[i].program, k.linear[i].params.size()});
    names.push_back(k.linear[i].name);
  }
  std::vector<int64_t> workspace_bytes;
  for (const Workspace& w : k.phases.workspaces) workspace_bytes.push_back(w.bytes());
  Ref<Program> program = program_of_phases(device, std::move(phases), static_cast<size_t>(k.phases.first_workspace), std::move(workspace_bytes));
  return std::make_unique<ReadyKernel>(ReadyKernel{std::move(program), fmt::format("{}", fmt::join(names, "+")), k.cost.flops, k.cost.bytes});
}

std::vector<CompiledKernel> compile_all(Device& device, std::span<const LinearKernel> linear) {
  if (linear.empty()) return {};
  ProfileSpan span("compile", device.name());
  span.note("kernels", static_cast<double>(linear.size()));
  return device.compile(linear);
}

}  // namespace

std::vector<const ReadyKernel*> compile_kernels(Device& device, std::span<const UOp> kernels) {
  KernelCache& c = cache();
  std::lock_guard guard(c.lock);
  std::vector<LoweredKernel> fresh;
  std::vector<LinearKernel> linear;
  std::unordered_map<KernelKey, bool, KernelKeyHash> wanted;
  for (const UOp& k : kernels) {
    KernelKey key{&device, k, options().noopt};
    if (c.ready.contains(key) || !wanted.emplace(key, true).second) continue;
    fresh.push_back(lower_for(device, key));
    linear.insert(linear.end(), fresh.back().linear.begin(), fresh.back().linear.end());
  }
  const std::vector<CompiledKernel> compiled = compile_all(device, linear);
  count_compiled(static_cast<int64_t>(compiled.size()));
  size_t done = 0;
  for (const LoweredKernel& k : fresh) {
    c.ready.emplace(k.key, ready_kernel(device, k, std::span(compiled).subspan(done, k.linear.size())));
    done += k.linear.size();
  }
  std::vector<const ReadyKernel*> out;
  for (const UOp& k : kernels) out.push_back(c.ready.at({&device, k, options().noopt}).get());
  return out;
}

}  // namespace tg
