// See compile.h. DEBUG=3 shows the schedule of each new kernel, 4 its source, 5 the graph, 6 the
// linear code, 7 the machine code.
#include "engine/compile.h"

#include <memory>

#include "codegen/decompose/decompose.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "engine/phased_program.h"
#include "engine/state.h"
#include "engine/validate.h"
#include "kernel/merge_axes.h"
#include "kernel/split_reductions.h"
#include "rewrite/verify.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/single_flight.h"
#include "support/thread_pool.h"
#include "uop/text.h"
#include "uop/walk.h"

namespace tg {
namespace {

struct KernelKey {
  const Device* device;
  UOp kernel;
  bool noopt;
  bool validated;
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};
struct KernelKeyHash {
  size_t operator()(const KernelKey& k) const {
    return k.kernel.hash() ^ reinterpret_cast<size_t>(k.device) ^ static_cast<size_t>(k.noopt) ^
           (static_cast<size_t>(k.validated) << 1);
  }
};

using KernelCache = SingleFlight<KernelKey, ReadyKernelRef, KernelKeyHash>;

KernelCache& cache() {
  static auto* c =
      new KernelCache;  // programs may be launched by objects that outlive static destruction
  return *c;
}

// A kernel of the schedule on its way to a program: one linear kernel a phase.
struct LoweredKernel {
  KernelCost cost;
  KernelPhases phases;
  std::vector<LinearKernel> linear;
  std::vector<UOp> vars;  // of the whole: every phase takes them all
};

std::vector<UOp> variables_of(const UOp& kernel) {
  std::vector<UOp> out;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Var) out.push_back(UOp::share(n));
  }
  return out;
}

LinearKernel lower_phase(const UOp& kernel, const Target& target) {
  ProfileSpan span("lower", "kernel");
  if (options().check) verify_ranged(kernel);
  const KernelSchedule schedule =
      options().noopt ? plain_schedule(kernel) : choose_schedule(kernel, target);
  debug_log(3, "{}: {}", kernel_name(kernel, schedule),
            schedule.log.empty() ? "plain" : fmt::format("{}", fmt::join(schedule.log, " ")));
  LinearKernel linear = lower(kernel, schedule, target);
  span.rename(linear.name);
  if (options().check) verify_linear(linear.ops);
  if (debug_at(6)) log_text("linear code:\n" + print(linear.ops));
  return linear;
}

LoweredKernel lower_for(Device& device, const UOp& graph) {
  const UOp kernel = merge_axes(decompose(graph, device.target()));
  if (debug_at(5)) {
    log_text("kernel as scheduled:\n" + print(graph));
    if (kernel != graph) log_text("decomposed, axes joined:\n" + print(kernel));
  }
  LoweredKernel out{cost_of(kernel),
                    options().noopt ? KernelPhases{{kernel}, 0, {}} : split_reductions(kernel),
                    {},
                    variables_of(kernel)};
  if (debug_at(5) && out.phases.kernels.size() > 1) {
    for (const UOp& phase : out.phases.kernels) log_text("phase:\n" + print(phase));
  }
  for (const UOp& phase : out.phases.kernels) {
    out.linear.push_back(lower_phase(phase, device.target()));
    out.linear.back().vars = out.vars;
  }
  return out;
}

// The program of a kernel whose phases have been compiled, in order, from `compiled` on.
ReadyKernelRef ready_kernel(Device& device, const LoweredKernel& k,
                            std::span<const CompiledKernel> compiled) {
  std::vector<Phase> phases;
  std::vector<std::string> names;
  for (size_t i = 0; i < k.linear.size(); ++i) {
    if (debug_at(4)) log_text(compiled[i].source);
    if (!compiled[i].assembly.empty()) log_text(compiled[i].assembly);
    phases.push_back({compiled[i].program, k.linear[i].params.size()});
    names.push_back(k.linear[i].name);
  }
  std::vector<int64_t> workspace_bytes;
  for (const Workspace& w : k.phases.workspaces) workspace_bytes.push_back(w.bytes());
  Ref<Program> program =
      program_of_phases(device, std::move(phases), static_cast<size_t>(k.phases.first_workspace),
                        std::move(workspace_bytes));
  return std::make_shared<const ReadyKernel>(
      ReadyKernel{std::move(program), fmt::format("{}", fmt::join(names, "+")), k.cost.flops,
                  k.cost.bytes, k.vars, k.phases.kernels.size() > 1});
}

std::vector<CompiledKernel> compile_linear(Device& device, std::span<const LinearKernel> linear) {
  ProfileSpan span("compile", device.name());
  span.note("kernels", static_cast<double>(linear.size()));
  return device.compile(linear);
}

// The kernels that one call must make: their tickets, and the graphs in the same order.
struct Work {
  std::vector<KernelCache::Ticket> tickets;
  std::vector<UOp> graphs;
};

// Lowered side by side, except where their DEBUG output would be mixed up.
std::vector<LoweredKernel> lower_all(Device& device, std::span<const UOp> graphs) {
  std::vector<LoweredKernel> out(graphs.size());
  const auto lower_range = [&](int64_t begin, int64_t end, int) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      out[i] = lower_for(device, graphs[i]);
  };
  const auto count = static_cast<int64_t>(graphs.size());
  if (debug_at(3)) {
    lower_range(0, count, 0);
  } else {
    parallel_for(count, 1, lower_range);
  }
  return out;
}

std::string source_of(std::span<const CompiledKernel> phases) {
  std::string out;
  for (const CompiledKernel& k : phases) out += k.source + "\n";
  return out;
}

void make_all(Device& device, const Work& work) {
  const std::vector<LoweredKernel> lowered = lower_all(device, work.graphs);
  std::vector<LinearKernel> linear;
  for (const LoweredKernel& k : lowered)
    linear.insert(linear.end(), k.linear.begin(), k.linear.end());
  const std::vector<CompiledKernel> compiled = compile_linear(device, linear);
  count_compiled(static_cast<int64_t>(compiled.size()));
  const bool validated = is_validated(device);
  const std::vector<ReadyKernelRef> references =
      validated ? compile_kernels(reference_device(), work.graphs) : std::vector<ReadyKernelRef>{};
  size_t done = 0;
  for (size_t i = 0; i < lowered.size(); ++i) {
    const auto own = std::span(compiled).subspan(done, lowered[i].linear.size());
    ReadyKernelRef ready = ready_kernel(device, lowered[i], own);
    if (validated)
      ready = validated_kernel(device, work.graphs[i], ready, references[i], source_of(own));
    cache().put(work.tickets[i], std::move(ready));
    done += own.size();
  }
}

}  // namespace

// No lock is held while kernels are made, and all of this call's own are made before it waits for
// those of other threads.
std::vector<ReadyKernelRef> compile_kernels(Device& device, std::span<const UOp> kernels) {
  Work work;
  std::vector<KernelCache::Ticket> all;
  const bool validated = is_validated(device);
  for (const UOp& k : kernels) {
    all.push_back(cache().claim({&device, k, options().noopt, validated}));
    if (!all.back().is_mine()) continue;
    work.tickets.push_back(all.back());
    work.graphs.push_back(k);
  }
  try {
    if (!work.graphs.empty()) make_all(device, work);
  } catch (...) {
    for (const KernelCache::Ticket& t : work.tickets) cache().fail(t, std::current_exception());
  }
  std::vector<ReadyKernelRef> out;
  for (const KernelCache::Ticket& t : all) out.push_back(cache().wait(t));
  return out;
}

void clear_kernel_cache() { cache().clear(); }

}  // namespace tg
