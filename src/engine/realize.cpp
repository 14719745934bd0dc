// The executor. A graph is first brought into canonical form (its buffers become numbered parameters), so that the schedule of a
// training step is found again in the next one; then temporaries are allocated when first written and let go after their last use.
#include "engine/realize.h"

#include <chrono>
#include <mutex>
#include <unordered_map>

#include "engine/compile.h"
#include "engine/state.h"
#include "runtime/buffer.h"
#include "schedule/schedule.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/symbol.h"
#include "support/text.h"
#include "uop/shape.h"
#include "uop/walk.h"

namespace tg {
namespace {

// The graph below the roots with BUFFERs replaced by PARAM slots in order of first visit.
struct CanonicalGraph {
  UOp sink;
  std::vector<UOp> arguments;  // BUFFER by slot
};

CanonicalGraph canonicalise(std::span<const UOp> roots) {
  CanonicalGraph g;
  const UOp all = sink(roots);
  std::unordered_map<const Node*, UOp> slots;
  for (const Node* n : toposort(all)) {
    if (n->op != Op::Buffer) continue;
    std::vector<int64_t> arg = {static_cast<int64_t>(g.arguments.size())};
    arg.insert(arg.end(), n->shape().begin(), n->shape().end());
    slots.emplace(n, make(Op::Param, {}, arg, n->dtype, n->device));
    g.arguments.push_back(UOp::share(n));
  }
  g.sink = substitute(all, slots);
  return g;
}

// A schedule with its programs.
struct Plan {
  Schedule schedule;
  std::vector<Device*> devices;               // by item
  std::vector<const ReadyKernel*> kernels;    // by item; null for copies
};

struct PlanKey {
  UOp graph;
  std::string device;
  bool noopt;
  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};
struct PlanKeyHash {
  size_t operator()(const PlanKey& k) const { return k.graph.hash() ^ std::hash<std::string>{}(k.device) ^ static_cast<size_t>(k.noopt); }
};

constexpr size_t kMaxPlans = 1024;

struct PlanCache {
  std::mutex lock;
  std::unordered_map<PlanKey, std::shared_ptr<const Plan>, PlanKeyHash> plans;
};

PlanCache& plan_cache() {
  static auto* c = new PlanCache;
  return *c;
}

Device& device_of(DeviceId id) { return device(id == 0 ? default_device() : symbol_name(id)); }

DeviceId first_device(std::span<const UOp> roots) {
  for (const UOp& r : roots) {
    if (r.device() != 0) return r.device();
  }
  return 0;
}

std::shared_ptr<const Plan> make_plan(const UOp& graph) {
  auto plan = std::make_shared<Plan>();
  const std::vector<UOp> roots = graph.srcs();
  plan->schedule = make_schedule(roots, device_of(first_device(roots)).target());
  count_scheduled();
  std::vector<ScheduleItem>& items = plan->schedule.items;
  plan->kernels.resize(items.size(), nullptr);
  std::unordered_map<Device*, std::vector<size_t>> by_device;
  std::vector<Device*> order;
  for (size_t i = 0; i < items.size(); ++i) {
    Device& d = device_of(items[i].device);
    plan->devices.push_back(&d);
    if (!items[i].kernel) continue;
    auto [it, fresh] = by_device.try_emplace(&d);
    if (fresh) order.push_back(&d);
    it->second.push_back(i);
  }
  for (Device* d : order) {
    std::vector<UOp> kernels;
    for (size_t i : by_device[d]) kernels.push_back(items[i].kernel);
    const auto ready = compile_kernels(*d, kernels);
    for (size_t k = 0; k < ready.size(); ++k) plan->kernels[by_device[d][k]] = ready[k];
  }
  return plan;
}

std::shared_ptr<const Plan> plan_for(const UOp& graph) {
  PlanKey key{graph, default_device(), options().noopt};
  PlanCache& c = plan_cache();
  {
    std::lock_guard guard(c.lock);
    if (auto it = c.plans.find(key); it != c.plans.end()) return it->second;
  }
  std::shared_ptr<const Plan> plan = make_plan(graph);
  std::lock_guard guard(c.lock);
  if (c.plans.size() >= kMaxPlans) c.plans.clear();
  return c.plans.emplace(key, plan).first->second;
}

Buffer& storage_of(const UOp& buffer_node) { return *static_cast<Buffer*>(buffer_node.node()->resource); }

UOp new_buffer(const Node* value, Device& d) {
  const Shape shape(value->shape().begin(), value->shape().end());
  Ref<Buffer> storage = make_ref<Buffer>(d, numel(shape) * dtype_size(value->dtype));
  return buffer(shape, value->dtype, static_cast<DeviceId>(intern_symbol(d.name())), storage.get());
}

class Run {
 public:
  Run(const Plan& plan, const std::vector<UOp>& arguments) : plan_(plan), memory_(plan.schedule.buffers.size()) {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const ScheduledBuffer& b = plan.schedule.buffers[i];
      if (b.external) memory_[i] = arguments[static_cast<size_t>(b.node->arg()[0])];
    }
    keep_.resize(memory_.size(), false);
    for (int r : plan.schedule.results) {
      if (r >= 0) keep_[static_cast<size_t>(r)] = true;
    }
  }

  void execute() {
    const std::vector<ScheduleItem>& items = plan_.schedule.items;
    std::vector<std::vector<size_t>> dies(items.size());
    for (size_t i = 0; i < memory_.size(); ++i) {
      const ScheduledBuffer& b = plan_.schedule.buffers[i];
      if (!b.external && !keep_[i]) dies[static_cast<size_t>(b.last_use)].push_back(i);
    }
    for (size_t i = 0; i < items.size(); ++i) {
      run_item(i);
      for (size_t b : dies[i]) memory_[b] = {};
    }
  }

  UOp result(int buffer_index) const { return memory_[static_cast<size_t>(buffer_index)]; }

 private:
  void run_item(size_t i) {
    const ScheduleItem& item = plan_.schedule.items[i];
    Device& d = *plan_.devices[i];
    std::vector<void*> pointers;
    for (int b : item.buffers) {
      UOp& m = memory_[static_cast<size_t>(b)];
      if (!m) m = new_buffer(plan_.schedule.buffers[static_cast<size_t>(b)].node, d);
      pointers.push_back(storage_of(m).data());
    }
    if (plan_.kernels[i] == nullptr) return copy(item);
    launch(d, *plan_.kernels[i], pointers);
  }

  // Between devices by way of the host.
  void copy(const ScheduleItem& item) {
    Buffer& to = storage_of(memory_[static_cast<size_t>(item.buffers[0])]);
    Buffer& from = storage_of(memory_[static_cast<size_t>(item.buffers[1])]);
    std::vector<std::byte> bytes(static_cast<size_t>(from.bytes()));
    from.copy_out(bytes.data(), from.bytes());
    to.copy_in(bytes.data(), from.bytes());
  }

  void launch(Device& d, const ReadyKernel& k, std::span<void* const> pointers) {
    using Clock = std::chrono::steady_clock;
    if (!debug_at(2) && !profiling()) {
      k.program->launch(pointers, {});
      return count_launch(k.flops, k.bytes, 0);
    }
    ProfileSpan span("run", k.name);
    span.note("flops", k.flops);
    span.note("bytes", k.bytes);
    const auto begin = Clock::now();
    k.program->launch(pointers, {});
    d.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    count_launch(k.flops, k.bytes, seconds);
    if (!debug_at(2)) return;
    log_text(fmt::format("{:>6} {:<44} {:>10.1f} us {:>8.1f} GFLOP/s {:>7.1f} GB/s  mem {}", d.name(), k.name, seconds * 1e6,
                         k.flops / seconds * 1e-9, k.bytes / seconds * 1e-9, human_bytes(static_cast<uint64_t>(d.allocator().bytes_in_use()))));
  }

  const Plan& plan_;
  std::vector<UOp> memory_;  // BUFFER by schedule index
  std::vector<bool> keep_;
};

// A root that only names storage, over the storage itself: versions are what the storage now holds.
UOp without_versions(const UOp& view) {
  std::unordered_map<const Node*, UOp> map;
  const Node* below = storage_below(view.node());
  const Node* base = below;
  while (base->op == Op::After) base = base->src()[0];
  map.emplace(below, UOp::share(base));
  return substitute(view, map);
}

// DEBUG=1: a line for each call that ran something.
void report(const Plan& plan, std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point planned) {
  const auto now = std::chrono::steady_clock::now();
  log_text(fmt::format("realize on {}: {} launches, planned in {}, ran in {}, {} in use", plan.devices.front()->name(),
                       plan.devices.size(), human_time(std::chrono::duration<double>(planned - begin).count()),
                       human_time(std::chrono::duration<double>(now - planned).count()),
                       human_bytes(static_cast<uint64_t>(plan.devices.front()->allocator().bytes_in_use()))));
}

}  // namespace

void realize(std::span<const UOp> roots, std::vector<UOp>& realized) {
  realized.clear();
  const CanonicalGraph graph = canonicalise(roots);
  const auto begin = std::chrono::steady_clock::now();
  const std::shared_ptr<const Plan> plan = plan_for(graph.sink);
  const auto planned = std::chrono::steady_clock::now();
  Run run(*plan, graph.arguments);
  run.execute();
  if (debug_at(1) && !plan->devices.empty()) report(*plan, begin, planned);
  for (size_t i = 0; i < roots.size(); ++i) {
    const int result = plan->schedule.results[i];
    realized.push_back(result >= 0 ? run.result(result) : without_versions(roots[i]));
  }
}

}  // namespace tg
