// The executor of plans: arguments are bound, results allocated when first written, temporaries are
// places in an arena that lives as long as the run. See realize.h.
#include "engine/realize.h"

#include <chrono>
#include <cstring>
#include <unordered_map>

#include "engine/group_roots.h"
#include "engine/launch.h"
#include "engine/plan.h"
#include "engine/recorder.h"
#include "engine/state.h"
#include "engine/versions.h"
#include "rewrite/added_passes.h"
#include "runtime/buffer.h"
#include "support/check.h"
#include "support/forks.h"
#include "support/interrupt.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/text.h"
#include "tg/ir/walk.h"
#include "uop/device_groups.h"
#include "uop/devices.h"
#include "uop/limits.h"
#include "uop/shape.h"

namespace tg {
namespace {

Buffer& storage_of(const UOp& buffer_node) {
  return *static_cast<Buffer*>(buffer_node.node()->resource);
}

int64_t bytes_of(const Node* n) { return numel(n->shape()) * dtype_size(n->dtype); }

// An address means nothing on another device than the one that gave it.
void check_home(const Buffer& storage, const Device& home, const Node* named) {
  if (&storage.device() == &home) return;
  user_error<DeviceError>(
      "realize",
      fmt::format("an array of shape {} is called one of {}, but its memory is "
                  "that of {}",
                  format_shape(named->shape()), home.name(), storage.device().name()),
      "Hint: move it with to().");
}

// Memory of a run: one entry a buffer of the schedule.
class Run {
 public:
  Run(const Plan& plan, const std::vector<UOp>& arguments, const Bindings& bindings)
      : plan_(plan),
        bindings_(bindings),
        storage_(plan.schedule.buffers.size()),
        poison_(options().check) {
    for (size_t i = 0; i < storage_.size(); ++i) {
      const ScheduledBuffer& b = plan.schedule.buffers[i];
      if (!b.external) continue;
      storage_[i] =
          Ref<Buffer>::share(&storage_of(arguments[static_cast<size_t>(b.node->arg()[0])]));
      check_home(*storage_[i], *plan.homes[i], b.node);
    }
    for (const Arena& a : plan.arenas) {
      arenas_.push_back(make_ref<Buffer>(*a.device, a.memory.bytes));
    }
  }

  void execute() {
    for (size_t i = 0; i < plan_.launches.size(); ++i) {
      const Plan::Launch& l = plan_.launches[i];
      if (i <= plan_.clean_launches) check_interrupt("realize");
      if (poison_) poison(l, true);
      run(l);
      if (poison_) poison(l, false);
    }
    plan_.by_device.submit();
    count_launches(static_cast<int64_t>(plan_.launches.size()), plan_.by_device, plan_.flops,
                   plan_.bytes);
  }

  /// The storage of buffers that are no temporaries.
  std::vector<Ref<Buffer>>& storage() { return storage_; }

  /// One name for each value, whichever roots ask for it.
  UOp result(int index) {
    UOp& known = results_[index];
    if (!known) known = new_result(index);
    return known;
  }

 private:
  UOp new_result(int index) {
    const Node* value = plan_.schedule.buffers[static_cast<size_t>(index)].node;
    Ref<Buffer>& s = storage_[static_cast<size_t>(index)];
    if (!s) s = make_ref<Buffer>(home_of(index), bytes_of(value));
    const Shape shape(value->shape().begin(), value->shape().end());
    return buffer(shape, value->dtype, device_id(s->device().name()), s.get());
  }

  Allocation memory(int b) {
    const auto i = static_cast<size_t>(b);
    const Node* value = plan_.schedule.buffers[i].node;
    const Plan::Place place = plan_.places[i];
    if (place.arena >= 0) {
      auto* base = static_cast<std::byte*>(arenas_[static_cast<size_t>(place.arena)]->data());
      return {base + place.offset, bytes_of(value)};
    }
    if (!storage_[i]) storage_[i] = make_ref<Buffer>(*plan_.homes[i], bytes_of(value));
    return storage_[i]->allocation();
  }

  Device& home_of(int b) const { return *plan_.homes[static_cast<size_t>(b)]; }

  void run(const Plan::Launch& l) {
    Device& d = *plan_.devices[l.first];
    const std::span items = std::span(plan_.schedule.items).subspan(l.first, l.count);
    const std::span kernels = std::span(plan_.kernels).subspan(l.first, l.count);
    if (kernels[0] == nullptr) return copy(d, items[0]);
    pointers_.clear();
    values_.clear();
    for (size_t i = 0; i < l.count; ++i) {
      for (size_t slot = 0; slot < items[i].buffers.size(); ++slot)
        pointers_.push_back(moved(memory(items[i].buffers[slot]).data, kernels[i]->offset(slot)));
      bindings_.append(kernels[i]->vars, values_);
    }
    bind_calls(items, kernels);
    if (debug_at(2) || profiling()) return launch_and_report(d, calls_, kernels);
    launch(d, calls_);
  }

  // The calls of a launch, once all their arguments have been listed.
  void bind_calls(std::span<const ScheduleItem> items, std::span<const ReadyKernelRef> kernels) {
    calls_.clear();
    std::span<void* const> pointers = pointers_;
    std::span<const int64_t> values = values_;
    for (size_t i = 0; i < items.size(); ++i) {
      const size_t buffers = items[i].buffers.size(), vars = kernels[i]->vars.size();
      calls_.push_back({kernels[i]->program.get(), pointers.first(buffers), values.first(vars)});
      pointers = pointers.subspan(buffers);
      values = values.subspan(vars);
    }
  }

  void copy(Device& d, const ScheduleItem& item) {
    const Allocation to = memory(item.buffers[0]);
    copy_between(d, to, home_of(item.buffers[1]), memory(item.buffers[1]));
  }

  // CHECK=1: temporaries hold nonsense before the step of their first use and after that of their
  // last.
  void poison(const Plan::Launch& l, bool before) {
    const std::vector<ScheduleItem>& items = plan_.schedule.items;
    const int step = items[l.first].step;
    size_t begin = l.first, end = l.first + l.count;
    while (begin > 0 && items[begin - 1].step == step) --begin;
    while (end < items.size() && items[end].step == step) ++end;
    if (before ? begin != l.first : end != l.first + l.count) return;
    for (; begin < end; ++begin) {
      for (int b : items[begin].buffers) {
        const ScheduledBuffer& s = plan_.schedule.buffers[static_cast<size_t>(b)];
        const bool inherits = plan_.storage_of[static_cast<size_t>(b)] != b;
        if (!plan_.is_temporary(b) ||
            (before ? inherits || s.first_use != step : bequeathed(b) || s.last_use != step))
          continue;
        const Allocation a = memory(b);
        if (home_of(b).allocator().host_visible())  // of a copy that it reads: another's
          std::memset(a.data, kPoison, static_cast<size_t>(a.bytes));
      }
    }
  }

  // Does another value live on in the same place?
  bool bequeathed(int b) const {
    const int last = plan_.schedule.buffers[static_cast<size_t>(b)].last_use;
    for (size_t other = 0; other < plan_.storage_of.size(); ++other) {
      const bool shares = plan_.storage_of[other] == plan_.storage_of[static_cast<size_t>(b)];
      if (shares && plan_.schedule.buffers[other].last_use > last) return true;
    }
    return false;
  }

  const Plan& plan_;
  const Bindings& bindings_;
  std::vector<Ref<Buffer>> storage_;
  std::vector<Ref<Buffer>> arenas_;
  std::vector<void*> pointers_;  // of the launch
  std::vector<int64_t> values_;  // of its variables
  std::vector<Call> calls_;
  std::unordered_map<int, UOp> results_;
  const bool poison_;
};

// DEBUG=1: a line for each call that ran something.
void report(const Plan& plan, std::chrono::steady_clock::time_point begin,
            std::chrono::steady_clock::time_point planned) {
  const auto now = std::chrono::steady_clock::now();
  const auto in = [](auto duration) {
    return human_time(std::chrono::duration<double>(duration).count());
  };
  const auto bytes = [](int64_t n) { return human_bytes(static_cast<uint64_t>(n)); };
  Device& d = *plan.devices.front();
  int64_t used = 0, least = 0;
  for (const Arena& a : plan.arenas) {
    used += a.memory.bytes;
    least += a.memory.lower_bound;
  }
  const size_t kernels = plan.devices.size(), launches = plan.launches.size();
  constexpr std::string_view kLine =
      "realize on {}: {} kernel{} in {} launch{}, planned in {}, ran in {}, "
      "temporaries {} (at least {}), {} in use";
  log_text(fmt::format(kLine, d.name(), kernels, kernels == 1 ? "" : "s", launches,
                       launches == 1 ? "" : "es", in(planned - begin), in(now - planned),
                       bytes(used), bytes(least), bytes(d.allocator().bytes_in_use())));
}

Realized realize_plain(std::span<const UOp> roots) {
  const CanonicalGraph graph = canonicalise(roots);
  check_versions(graph.arguments);
  const auto begin = std::chrono::steady_clock::now();
  const std::shared_ptr<const Plan> plan = plan_for(graph.sink);
  const auto planned = std::chrono::steady_clock::now();
  Run run(*plan, graph.arguments, graph.bindings);
  run.execute();
  if (debug_at(1) && !plan->devices.empty()) report(*plan, begin, planned);
  Realized out;
  std::unordered_map<const Node*, UOp> now;
  for (int b : plan->schedule.overwritten) {
    const UOp& before = graph.arguments[static_cast<size_t>(
        plan->schedule.buffers[static_cast<size_t>(b)].node->arg()[0])];
    out.versions.emplace_back(before, next_version(before));
    now.emplace(before.node(), out.versions.back().second);
  }
  for (size_t i = 0; i < roots.size(); ++i) {
    const int result = plan->schedule.results[i];
    out.values.push_back(result >= 0 ? with_limits_of(run.result(result), roots[i].node())
                                     : over_versions(roots[i], now));
  }
  if (Recorder* recorder = Recorder::current())
    recorder->add_run(graph, plan, std::move(run.storage()));
  return out;
}

}  // namespace

Realized realize(std::span<const UOp> roots) {
  if (in_listed_pass())
    user_error<ArgumentError>("realize", "a pass of the compiler asks for a computation",
                              "Hint: compute what it needs before it is added.");
  const Computing mark("realize");
  if (!reaches_groups(roots)) return realize_plain(roots);
  const GroupRoots on_groups(roots);
  return on_groups.joined(realize_plain(on_groups.plain()));
}

}  // namespace tg
