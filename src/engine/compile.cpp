// See compile.h. DEBUG=3 shows the schedule of each new kernel, 4 its source, 5 the graph, 6 the linear code.
#include "engine/compile.h"

#include <mutex>
#include <unordered_map>

#include "codegen/decompose/decompose.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "engine/state.h"
#include "kernel/merge_axes.h"
#include "rewrite/verify.h"
#include "support/log.h"
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

}  // namespace

std::vector<const ReadyKernel*> compile_kernels(Device& device, std::span<const UOp> kernels) {
  KernelCache& c = cache();
  std::lock_guard guard(c.lock);
  std::vector<LinearKernel> linear;
  std::vector<KernelKey> fresh;
  std::unordered_map<KernelKey, bool, KernelKeyHash> wanted;
  for (const UOp& k : kernels) {
    KernelKey key{&device, k, options().noopt};
    if (c.ready.contains(key) || !wanted.emplace(key, true).second) continue;
    linear.push_back(lower_for(device, k));
    fresh.push_back(key);
  }
  std::vector<CompiledKernel> compiled = linear.empty() ? std::vector<CompiledKernel>{} : device.compile(linear);
  count_compiled(static_cast<int64_t>(compiled.size()));
  for (size_t i = 0; i < compiled.size(); ++i) {
    if (debug_at(4)) log_text(compiled[i].source);
    c.ready.emplace(fresh[i], std::make_unique<ReadyKernel>(ReadyKernel{compiled[i].program, linear[i].name,
                                                                        linear[i].flops, linear[i].bytes}));
  }
  std::vector<const ReadyKernel*> out;
  for (const UOp& k : kernels) out.push_back(c.ready.at({&device, k, options().noopt}).get());
  return out;
}

}  // namespace tg
