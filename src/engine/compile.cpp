// See compile.h. DEBUG=3 shows the schedule of each new kernel, 4 its source, 5 the graph, 6 the linear code.
#include "engine/compile.h"

#include <condition_variable>
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
#include "support/thread_pool.h"
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

// A kernel that some thread builds has an empty entry.
struct KernelCache {
  std::mutex lock;
  std::condition_variable changed;
  std::unordered_map<KernelKey, ReadyKernelRef, KernelKeyHash> ready;
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
ReadyKernelRef ready_kernel(Device& device, const LoweredKernel& k, std::span<const CompiledKernel> compiled) {
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
  return std::make_shared<ReadyKernel>(ReadyKernel{std::move(program), fmt::format("{}", fmt::join(names, "+")), k.cost.flops, k.cost.bytes});
}

std::vector<CompiledKernel> compile_all(Device& device, std::span<const LinearKernel> linear) {
  if (linear.empty()) return {};
  ProfileSpan span("compile", device.name());
  span.note("kernels", static_cast<double>(linear.size()));
  return device.compile(linear);
}

// Lowering is independent work; in order where each kernel is printed.
std::vector<LoweredKernel> lower_all(Device& device, std::span<const KernelKey> keys) {
  std::vector<LoweredKernel> lowered(keys.size());
  const auto count = static_cast<int64_t>(keys.size());
  parallel_for(count, debug_at(3) ? count : 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(i);
      lowered[at] = lower_for(device, keys[at]);
    }
  });
  return lowered;
}

std::vector<ReadyKernelRef> build(Device& device, std::span<const KernelKey> keys) {
  const std::vector<LoweredKernel> lowered = lower_all(device, keys);
  std::vector<LinearKernel> linear;
  for (const LoweredKernel& k : lowered) linear.insert(linear.end(), k.linear.begin(), k.linear.end());
  const std::vector<CompiledKernel> compiled = compile_all(device, linear);
  count_compiled(static_cast<int64_t>(compiled.size()));
  std::vector<ReadyKernelRef> out;
  size_t done = 0;
  for (const LoweredKernel& k : lowered) {
    out.push_back(ready_kernel(device, k, std::span(compiled).subspan(done, k.linear.size())));
    done += k.linear.size();
  }
  return out;
}

// The keys that no thread has or builds, now marked as being built here.
std::vector<KernelKey> claim(std::span<const KernelKey> keys) {
  KernelCache& c = cache();
  std::lock_guard guard(c.lock);
  std::vector<KernelKey> mine;
  for (const KernelKey& k : keys) {
    if (c.ready.emplace(k, nullptr).second) mine.push_back(k);
  }
  return mine;
}

// Ends the claim: with the kernels, or without if building failed, so that others may try.
void settle(std::span<const KernelKey> mine, std::span<const ReadyKernelRef> built) {
  KernelCache& c = cache();
  {
    std::lock_guard guard(c.lock);
    for (size_t i = 0; i < mine.size(); ++i) {
      if (i < built.size()) {
        c.ready.insert_or_assign(mine[i], built[i]);
      } else {
        c.ready.erase(mine[i]);
      }
    }
  }
  c.changed.notify_all();
}

// Waits for kernels that other threads build; false if one of them failed.
bool collect(std::span<const KernelKey> keys, std::vector<ReadyKernelRef>& out) {
  KernelCache& c = cache();
  std::unique_lock guard(c.lock);
  out.clear();
  for (const KernelKey& k : keys) {
    auto it = c.ready.find(k);
    while (it != c.ready.end() && it->second == nullptr) {
      c.changed.wait(guard);
      it = c.ready.find(k);
    }
    if (it == c.ready.end()) return false;
    out.push_back(it->second);
  }
  return true;
}

}  // namespace

std::vector<ReadyKernelRef> compile_kernels(Device& device, std::span<const UOp> kernels) {
  std::vector<KernelKey> keys;
  for (const UOp& k : kernels) keys.push_back({&device, k, options().noopt});
  std::vector<ReadyKernelRef> out;
  do {
    const std::vector<KernelKey> mine = claim(keys);
    if (mine.empty()) continue;
    try {
      settle(mine, build(device, mine));
    } catch (...) {
      settle(mine, {});
      throw;
    }
  } while (!collect(keys, out));
  return out;
}

// Claims stay: the threads that build will settle them.
void clear_kernel_cache() {
  std::lock_guard guard(cache().lock);
  for (auto it = cache().ready.begin(); it != cache().ready.end();) {
    it = it->second != nullptr ? cache().ready.erase(it) : std::next(it);
  }
}

}  // namespace tg
