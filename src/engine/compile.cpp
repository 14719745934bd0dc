// See compile.h. DEBUG=3 shows the schedule of each new kernel, 4 its source, 5 the graph, 6 the
// linear code, 7 the machine code.
#include "engine/compile.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/param_uses.h"
#include "codegen/pipeline.h"
#include "engine/nan_check.h"
#include "engine/phased_program.h"
#include "engine/search.h"
#include "engine/state.h"
#include "engine/validate.h"
#include "kernel/asked_loops.h"
#include "kernel/flat_kernel.h"
#include "kernel/running_reductions.h"
#include "kernel/split_index_sets.h"
#include "kernel/split_reductions.h"
#include "kernel/window_form.h"
#include "rewrite/added_passes.h"
#include "rewrite/verify.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/progress.h"
#include "support/single_flight.h"
#include "support/text.h"
#include "support/thread_pool.h"
#include "tg/ir/function_ref.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

// A kernel of a schedule, or a phase of one with all variables of the whole.
struct KernelKey {
  const Device* device;
  UOp kernel;
  std::vector<UOp> vars;
  bool noopt;
  int beam;
  bool allow_tf32;
  bool validated;
  int nan_check = 0;    // CHECK_NAN; of phases 0, for they are what they are
  uint64_t passes = 0;  // which the program has added; of phases 0: they stand behind them all
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};
struct KernelKeyHash {
  size_t operator()(const KernelKey& k) const {
    return k.kernel.hash() ^ reinterpret_cast<size_t>(k.device) ^ static_cast<size_t>(k.noopt) ^
           (static_cast<size_t>(k.validated) << 1) ^ (static_cast<size_t>(k.allow_tf32) << 2) ^
           (static_cast<size_t>(k.beam) << 32) ^ (static_cast<size_t>(k.nan_check) << 40) ^
           static_cast<size_t>(k.passes << 3);
  }
};

struct CompiledPhase {
  std::string name;
  Phase phase;
  std::string source;  // only of kernels that are validated
};

// Kernels as schedules have them; and the phases that they are made of, which kernels of other
// shapes and sizes may share.
using KernelCache = SingleFlight<KernelKey, ReadyKernelRef, KernelKeyHash>;
using PhaseCache = SingleFlight<KernelKey, CompiledPhase, KernelKeyHash>;

// Never destroyed: programs may be launched by objects that outlive static destruction.
KernelCache& cache() {
  static auto* c = new KernelCache;
  return *c;
}
PhaseCache& phase_cache() {
  static auto* c = new PhaseCache;
  return *c;
}

// What a kernel of the schedule is made of, before anything is lowered.
struct PreparedKernel {
  KernelCost cost;
  KernelPhases phases;
  std::vector<UOp> vars;         // every phase takes them all
  std::vector<UOp> arguments;    // their values: VARs of the kernel, or constants
  std::vector<int64_t> offsets;  // of the arrays
  std::vector<PhaseCache::Ticket> tickets;
};

// Elements of arrays that may stay in the last cache, in whole tiles.
int64_t most_cached(const Target& target, const UOp& kernel) {
  constexpr int64_t kWholeTiles = 1 << 16;
  int64_t widest = 1;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Param) widest = std::max(widest, static_cast<int64_t>(dtype_size(n->dtype)));
  }
  const int64_t elements = most_cached_bytes(target) / widest;
  return std::max(kWholeTiles, elements / kWholeTiles * kWholeTiles);
}

// Whether one program should serve this kernel in all sizes: where compiling costs something, and a
// gate on each access does not. Work-items have no whole tiles without gates, so that they access
// elements one by one, which is hidden only behind a launch.
bool is_for_many_sizes(const Target& target, const KernelCost& cost) {
  const bool gates_cost = target.max_group_size > 0 && !target.has_masked_access;
  const bool is_short = cost.bytes < target.launch_seconds * target.bytes_per_second;
  return target.compile_seconds > 0 && (is_short || !gates_cost);
}

// Whether kernels are loops of compiled code: what the reference device runs stays as it is.
bool runs_loops(const Target& target) {
  return runs_in_order(target) && target.compile_seconds > 0;
}

PreparedKernel prepare(Device& device, const UOp& graph) {
  const Target& target = device.target();
  UOp kernel = run_kernel_passes(graph, target);
  PreparedKernel out{cost_of(kernel), {}, variables_of(kernel), {}, {}, {}};
  if (auto window = window_form(kernel)) {
    kernel = std::move(window->kernel);
    out.offsets = std::move(window->offsets);
    if (debug_at(5)) log_text("from where its windows begin:\n" + print(kernel));
  }
  out.phases = {{kernel}, 0, {}};
  out.arguments = out.vars;
  const bool asked = has_asked_loops(kernel);
  const auto flat = !asked && is_for_many_sizes(target, out.cost)
                        ? flat_form(kernel, most_cached(target, kernel))
                        : std::nullopt;
  if (flat) {
    out.phases.kernels = {flat->kernel};
    out.vars = {flat->size};
    out.arguments = {index_const(flat->value)};
    if (debug_at(5)) log_text("of any size:\n" + print(flat->kernel));
  } else if (!asked && !options().noopt) {
    auto pieces = runs_loops(target) ? split_index_sets(kernel) : std::nullopt;
    out.phases = pieces ? *std::move(pieces) : split_reductions(kernel, target);
  }
  if (debug_at(5) && out.phases.kernels.size() > 1) {
    for (const UOp& phase : out.phases.kernels) log_text("phase:\n" + print(phase));
  }
  return out;
}

KernelSchedule schedule_of(const KernelKey& key, const std::optional<KernelSchedule>& found) {
  if (found) return *found;
  if (key.noopt) return plain_schedule(key.kernel);
  return has_asked_loops(key.kernel) ? asked_schedule(key.kernel)
                                     : choose_schedule(key.kernel, key.device->target());
}

LinearKernel lower_as(const KernelKey& key, const KernelSchedule& schedule) {
  debug_log(3, "{}: {}", kernel_name(key.kernel, schedule), opts_text(schedule));
  return lower(key.kernel, schedule, key.device->target(), key.vars);
}

// Whether the accesses of a kernel allow the loops that were asked for is known only now.
LinearKernel lower_as_asked(const KernelKey& key, const KernelSchedule& schedule) {
  try {
    return lower_as(key, schedule);
  } catch (const ArgumentError& e) {
    debug_log(3, "the loops that were asked for are left out: {}", e.what());
    return lower_as(key, plain_schedule(key.kernel));
  }
}

LinearKernel lower_phase(const KernelKey& key, const std::optional<KernelSchedule>& found) {
  check_interrupt("compile");
  ProfileSpan span("lower", "kernel");
  if (options().check) verify_ranged(key.kernel);
  const KernelSchedule schedule = schedule_of(key, found);
  LinearKernel linear =
      has_asked_loops(key.kernel) ? lower_as_asked(key, schedule) : lower_as(key, schedule);
  span.rename(linear.name);
  if (options().check) verify_linear(linear.ops);
  if (debug_at(6)) log_text("linear code:\n" + print(linear.ops));
  return linear;
}

ReadyKernelRef ready_kernel(Device& device, const PreparedKernel& k) {
  std::vector<Phase> phases;
  std::vector<std::string> names;
  for (const PhaseCache::Ticket& t : k.tickets) {
    CompiledPhase made = phase_cache().wait(t);
    phases.push_back(std::move(made.phase));
    names.push_back(std::move(made.name));
  }
  std::vector<int64_t> workspace_bytes;
  for (const Workspace& w : k.phases.workspaces) workspace_bytes.push_back(w.bytes());
  Ref<Program> program =
      program_of_phases(device, std::move(phases), static_cast<size_t>(k.phases.first_workspace),
                        std::move(workspace_bytes));
  return std::make_shared<const ReadyKernel>(
      ReadyKernel{std::move(program), fmt::format("{}", fmt::join(names, "+")), k.cost.flops,
                  k.cost.bytes, k.arguments, k.offsets, k.phases.kernels.size() > 1});
}

std::vector<CompiledKernel> compile_linear(Device& device, std::span<const LinearKernel> linear) {
  ProfileSpan span("compile", device.name());
  span.note("kernels", static_cast<double>(linear.size()));
  return device.compile(linear);
}

// Calls fn(i) for all i < count, side by side, except where their DEBUG output would be mixed up.
void for_each(size_t count, FunctionRef<void(size_t)> fn) {
  parallel_for(static_cast<int64_t>(count), debug_at(3) ? static_cast<int64_t>(count) : 1,
               [&](int64_t begin, int64_t end, int) {
                 for (int64_t i = begin; i < end; ++i) fn(static_cast<size_t>(i));
               });
}

// What one call must make: its claims in order, and what they are claims on.
template <typename Cache, typename Item>
struct Work {
  std::vector<typename Cache::Ticket> tickets;
  std::vector<Item> items;
};

// What BEAM finds for each, one after the other, for they are timed; none where it is off.
std::vector<std::optional<KernelSchedule>> found_schedules(Device& device,
                                                           const std::vector<KernelKey>& kernels) {
  std::vector<std::optional<KernelSchedule>> out(kernels.size());
  if (options().beam == 0 || options().noopt) return out;
  ProgressBar bar("search", static_cast<int64_t>(kernels.size()));
  double before = 0, after = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (has_asked_loops(kernels[i].kernel)) continue;
    FoundSchedule found = search_schedule(device, kernels[i].kernel, kernels[i].vars);
    before += found.before;
    after += found.after;
    out[i] = std::move(found.schedule);
    bar.advance(1, fmt::format("{} → {}", human_time(before), human_time(after)));
  }
  return out;
}

void make_phases(Device& device, const Work<PhaseCache, KernelKey>& work) {
  const auto found = found_schedules(device, work.items);
  std::vector<LinearKernel> linear(work.items.size());
  for_each(linear.size(), [&](size_t i) { linear[i] = lower_phase(work.items[i], found[i]); });
  std::vector<CompiledKernel> compiled = compile_linear(device, linear);
  count_compiled(static_cast<int64_t>(compiled.size()));
  for (size_t i = 0; i < linear.size(); ++i) {
    if (debug_at(4)) log_text(compiled[i].source);
    if (!compiled[i].assembly.empty()) log_text(compiled[i].assembly);
    phase_cache().put(work.tickets[i],
                      {linear[i].name,
                       {std::move(compiled[i].program), linear[i].params.size()},
                       work.items[i].validated ? std::move(compiled[i].source) : std::string()});
  }
}

std::string source_of(const PreparedKernel& k) {
  std::string out;
  for (const PhaseCache::Ticket& t : k.tickets) out += phase_cache().wait(t).source + "\n";
  return out;
}

// Phases that nobody has are made together. A kernel of the reference device waits for none of
// another, so kernels of another may wait for it.
void make_all(Device& device, const Work<KernelCache, UOp>& work) {
  std::vector<PreparedKernel> prepared(work.items.size());
  for_each(prepared.size(), [&](size_t i) { prepared[i] = prepare(device, work.items[i]); });
  Work<PhaseCache, KernelKey> phases;
  for (PreparedKernel& k : prepared) {
    for (const UOp& phase : k.phases.kernels) {
      const KernelKey key{&device,
                          phase,
                          k.vars,
                          options().noopt,
                          options().beam,
                          options().allow_tf32,
                          is_validated(device)};
      k.tickets.push_back(phase_cache().claim(key));
      if (!k.tickets.back().is_mine()) continue;
      phases.tickets.push_back(k.tickets.back());
      phases.items.push_back(key);
    }
  }
  try {
    if (!phases.items.empty()) make_phases(device, phases);
  } catch (...) {
    for (const PhaseCache::Ticket& t : phases.tickets)
      phase_cache().fail(t, std::current_exception());
  }
  const std::vector<ReadyKernelRef> references =
      is_validated(device) ? compile_kernels(reference_device(), work.items)
                           : std::vector<ReadyKernelRef>{};
  for (size_t i = 0; i < prepared.size(); ++i) {
    try {
      ReadyKernelRef ready = ready_kernel(device, prepared[i]);
      if (!references.empty())
        ready =
            validated_kernel(device, work.items[i], ready, references[i], source_of(prepared[i]));
      if (options().check_nan > 0) ready = nan_checked_kernel(device, work.items[i], ready);
      cache().put(work.tickets[i], std::move(ready));
    } catch (...) {
      cache().fail(work.tickets[i], std::current_exception());
    }
  }
}

// No lock is held while kernels are made, and all of this call's own are made before it waits for
// those of other threads: first phases, then kernels.
std::vector<ReadyKernelRef> make_or_wait(Device& device, std::span<const UOp> kernels) {
  Work<KernelCache, UOp> work;
  std::vector<KernelCache::Ticket> all;
  const uint64_t passes = listed_passes_version();
  for (const UOp& k : kernels) {
    all.push_back(cache().claim({&device,
                                 k,
                                 {},
                                 options().noopt,
                                 options().beam,
                                 options().allow_tf32,
                                 is_validated(device),
                                 options().check_nan,
                                 passes}));
    if (!all.back().is_mine()) continue;
    work.tickets.push_back(all.back());
    work.items.push_back(k);
  }
  try {
    if (!work.items.empty()) make_all(device, work);
  } catch (...) {
    for (const KernelCache::Ticket& t : work.tickets) cache().fail(t, std::current_exception());
  }
  std::vector<ReadyKernelRef> out;
  for (const KernelCache::Ticket& t : all) out.push_back(cache().wait(t));
  return out;
}

}  // namespace

void ReadyKernel::launch(std::span<void* const> arrays, std::span<const int64_t> numbers) const {
  std::vector<void*> arguments(arrays.begin(), arrays.end());
  for (size_t slot = 0; slot < arguments.size(); ++slot)
    arguments[slot] = moved(arrays[slot], offset(slot));
  program->launch(arguments, numbers);
}

std::vector<ReadyKernelRef> compile_kernels(Device& device, std::span<const UOp> kernels) {
  // It would wait for kernels that the work below the hook is making.
  if (in_interrupt_hook())
    user_error<ArgumentError>("realize", "an interrupt hook asks for a computation",
                              "Hint: let it set a flag.");
  for (;;) {
    try {
      return make_or_wait(device, kernels);
    } catch (const MakerCancelled&) {
      // Another thread gave up what this one waited for: now it is free to make.
    }
  }
}

void clear_kernel_cache() {
  cache().clear();
  phase_cache().clear();
}

}  // namespace tg
