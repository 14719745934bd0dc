// See compile.h. DEBUG=3 shows the schedule of each new kernel, 4 its source, 5 the graph, 6 the linear code.
#include "engine/compile.h"

#include <condition_variable>
#include <mutex>
#include <unordered_map>

#include "codegen/decompose/decompose.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "engine/state.h"
#include "kernel/merge_axes.h"
#include "rewrite/verify.h"
#include "support/log.h"
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

LinearKernel lower_for(Device& device, const UOp& graph) {
  const UOp kernel = merge_axes(decompose(graph, device.target()));
  if (debug_at(5)) {
    log_text("kernel as scheduled:\n" + print(graph));
    if (kernel != graph) log_text("decomposed, axes joined:\n" + print(kernel));
  }
  if (options().check) verify_ranged(kernel);
  const KernelSchedule schedule = options().noopt ? plain_schedule(kernel) : choose_schedule(kernel, device.target());
  debug_log(3, "{}: {}", kernel_name(kernel, schedule), schedule.log.empty() ? "plain" : fmt::format("{}", fmt::join(schedule.log, " ")));
  LinearKernel linear = lower(kernel, schedule, device.target());
  if (options().check) verify_linear(linear.ops);
  if (debug_at(6)) log_text("linear code:\n" + print(linear.ops));
  return linear;
}

// Lowering is independent work; in order where each kernel is printed.
std::vector<LinearKernel> lower_all(Device& device, std::span<const KernelKey> keys) {
  std::vector<LinearKernel> linear(keys.size());
  const auto count = static_cast<int64_t>(keys.size());
  parallel_for(count, debug_at(3) ? count : 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(i);
      linear[at] = lower_for(device, keys[at].kernel);
    }
  });
  return linear;
}

std::vector<ReadyKernelRef> build(Device& device, std::span<const KernelKey> keys) {
  const std::vector<LinearKernel> linear = lower_all(device, keys);
  std::vector<CompiledKernel> compiled = device.compile(linear);
  count_compiled(static_cast<int64_t>(compiled.size()));
  std::vector<ReadyKernelRef> out;
  for (size_t i = 0; i < compiled.size(); ++i) {
    if (debug_at(4)) log_text(compiled[i].source);
    out.push_back(std::make_shared<ReadyKernel>(
        ReadyKernel{compiled[i].program, linear[i].name, linear[i].flops, linear[i].bytes}));
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
