// The table, and the loop over it. See pipeline.h.
#include "codegen/pipeline.h"

#include "codegen/decompose/decompose.h"
#include "codegen/decompose/fuse_products.h"
#include "kernel/gate_factors.h"
#include "kernel/join_dimensions.h"
#include "kernel/merge_axes.h"
#include "kernel/refine_ranges.h"
#include "kernel/residue_ranges.h"
#include "kernel/running_reductions.h"
#include "rewrite/added_passes.h"
#include "rewrite/verify.h"
#include "support/check.h"
#include "support/log.h"
#include "support/options.h"
#include "support/profile.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

constexpr KernelPass kPasses[] = {
    {"solve-residues", "sums whose terms exist for one residue only run over that residue", true,
     [](const UOp& k, const Target&) { return solve_residues(k); }},
    {"refine-ranges", "ranges are split until indices are sums of them", true,
     [](const UOp& k, const Target&) { return refine_ranges(k); }},
    {"join-dimensions", "quotient and remainder of one number are one index, that number", true,
     [](const UOp& k, const Target&) { return join_dimensions(k); }},
    {"gate-factors", "products that count up to a size only have factors that are 0 behind it", true,
     [](const UOp& k, const Target&) { return gate_factors(k); }},
    {"decompose", "what the target cannot do is written in terms of what it can", false,
     [](const UOp& k, const Target& t) { return decompose(k, t); }},
    {"fuse-products", "products in sums become one operation, rounded once", false,
     [](const UOp& k, const Target& t) { return fuse_products(k, t); }},
    {"merge-axes", "loops that no access tells apart are joined", false,
     [](const UOp& k, const Target&) { return merge_axes(k); }},
    {"running-reductions", "what stands before a place is kept from the place before, not summed",
     false,
     [](const UOp& k, const Target& t) { return runs_in_order(t) ? running_reductions(k) : k; }},
};

void verify_after(const UOp& kernel, std::string_view pass) {
  try {
    verify_ranged(kernel);
  } catch (const InternalError& e) {
    TG_CHECK(false, "the pass {} made a kernel that is none: {}", pass, e.what());
  }
}

UOp run_pass(const KernelPass& pass, const UOp& kernel, const Target& target) {
  const ProfileSpan span("lower", pass.name);
  const UOp next = pass.run(kernel, target);
  if (options().check) verify_after(next, pass.name);
  if (debug_at(5) && next != kernel) log_text(fmt::format("after {}:\n{}", pass.name, print(next)));
  return next;
}

}  // namespace

std::span<const KernelPass> kernel_passes() { return kPasses; }

UOp run_kernel_passes(const UOp& kernel, const Target& target) {
  if (debug_at(5)) log_text("kernel as scheduled:\n" + print(kernel));
  UOp k = run_listed_passes(PassPoint::Kernel, {}, kernel);
  for (const KernelPass& pass : kPasses) {
    if (!pass.optional || !options().noopt) k = run_pass(pass, k, target);
    k = run_listed_passes(PassPoint::Kernel, pass.name, std::move(k));
  }
  return k;
}

}  // namespace tg
