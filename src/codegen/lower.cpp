// The stages of lowering one kernel, in order. See lower.h.
#include "codegen/lower.h"

#include <algorithm>

#include "codegen/emit.h"
#include "codegen/param_uses.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// A call's copies may take a fiftieth of its time, if there are still four calls for each thread.
int64_t least_chunks(const LinearKernel& k, const Target& target) {
  constexpr double kStoreSeconds = 1e-9, kShare = 0.02;
  double stores = 0, times = 1;
  std::vector<double> open;
  for (const UOp& u : k.ops) {
    if (u.is(Op::Range)) {
      if (u.arg().size() > 1 && u.arg(1) == 1) break;
      open.push_back(times);
      if (u.src(0).is(Op::Const)) times *= static_cast<double>(u.src(0).arg(0));
    } else if (u.is(Op::End)) {
      times = open.back();
      open.pop_back();
    } else if (u.is(Op::Store)) {
      stores += times;
    }
  }
  const double chunk =
      k.flops / target.flops_per_second / static_cast<double>(std::max<int64_t>(k.chunks, 1));
  const int64_t most = std::max<int64_t>(1, k.chunks / (4 * std::max(1, target.threads)));
  if (chunk <= 0) return 1;
  const double wanted = stores * kStoreSeconds / kShare / chunk;
  return wanted >= static_cast<double>(most) ? most
                                             : std::max<int64_t>(1, static_cast<int64_t>(wanted));
}

}  // namespace

std::vector<UOp> variables_of(const UOp& kernel) {
  std::vector<UOp> out;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Var) out.push_back(UOp::share(n));
  }
  return out;
}

std::string kernel_name(const UOp& kernel, const KernelSchedule& schedule) {
  std::string name = "e";
  for (const BaseRange& b : schedule.bases) {
    if (b.role == Role::Red) name = "r";
  }
  const std::vector<LoopLimits> limits = variables_of(kernel).empty()
                                             ? std::vector<LoopLimits>(schedule.bases.size())
                                             : loop_limits(kernel, schedule);
  for (size_t b = 0; b < schedule.bases.size(); ++b) {
    const bool varies = limits[b].limit && has_variable(*limits[b].limit);
    name += varies ? "_n" : fmt::format("_{}", schedule.bases[b].extent);
  }
  uint64_t h = kernel.hash();
  for (const Opt& opt : schedule.opts) {
    const bool placed = opt.kind == Opt::Kind::Tile;  // which its text leaves out
    for (unsigned char c : text_of(schedule, opt)) h = (h ^ c) * 0x100000001b3ull;
    if (placed) h = (h ^ static_cast<uint64_t>(opt.at)) * 0x100000001b3ull;
  }
  return fmt::format("{}_{:08x}", name, static_cast<uint32_t>(h ^ (h >> 32)));
}

LinearKernel lower(const UOp& kernel, const KernelSchedule& schedule, const Target& target,
                   std::span<const UOp> vars) {
  const ScheduledKernel scheduled = apply_schedule(kernel, schedule, target);
  const LoopTree tree = build_loops(scheduled);
  LinearKernel out;
  out.name = kernel_name(kernel, schedule);
  out.vars.assign(vars.begin(), vars.end());
  emit_linear(scheduled, tree, target, out);
  if (target.local_bytes > 0 && out.scratch_bytes > target.local_bytes) {
    user_error<ArgumentError>("lower", fmt::format("{} bytes of scratch a group, of {}",
                                                   out.scratch_bytes, target.local_bytes));
  }
  out.params = param_uses(out.ops, kernel, schedule, target);
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Param && out.params.size() <= static_cast<size_t>(n->arg()[0])) {
      out.params.resize(static_cast<size_t>(n->arg()[0]) + 1);
    }
  }
  const KernelCost cost = cost_of(kernel);
  out.flops = cost.flops;
  out.bytes = cost.bytes;
  out.least_chunks = least_chunks(out, target);
  return out;
}

}  // namespace tg
