// The table, and the loop over it. See graph_passes.h.
#include "schedule/graph_passes.h"

#include "rewrite/added_passes.h"
#include "rules/algebra.h"
#include "schedule/needless_stores.h"
#include "schedule/place_scans.h"
#include "schedule/recognise_scans.h"
#include "schedule/signed_dots.h"
#include "schedule/window.h"
#include "support/log.h"
#include "support/profile.h"
#include "tg/ir/text.h"
#include "uop/devices.h"

namespace tg {
namespace {

constexpr GraphPass kPasses[] = {
    {"masked-sums",
     "sums of what stands before a place become running sums, where that is less work", true,
     [](const UOp& g, const Target& t) { return sink(recognise_scans(g.srcs(), t)); }},
    {"place-scans", "running sums are cut into blocks, where rows are few or work-items many",
     false, [](const UOp& g, const Target& t) { return place_scans(g, t); }},
    {"simplify",
     "the rules of algebra: what constants and equal operands make needless is left out", true,
     [](const UOp& g, const Target&) { return simplify(g); }},
    {"needless-stores",
     "stores of what is there already, or of what is replaced before it is read, are left out",
     true, [](const UOp& g, const Target&) { return without_needless_stores(g); }},
    {"signed-dots", "products of signed bytes, for instructions that want the first ones unsigned",
     true, [](const UOp& g, const Target& t) { return shift_signed_dots(g, t); }},
};

// A root stays where it lived, also if nothing is left that lives there; one that turns out to be
// another storage is a copy.
std::vector<UOp> lasting(std::vector<UOp> roots, const UOp& graph) {
  for (size_t i = 0; i < roots.size(); ++i) {
    const bool names_storage = storage_below(roots[i].node()) != nullptr;
    const UOp now = placed(graph.src(static_cast<int>(i)), roots[i].device());
    roots[i] = names_storage || storage_below(now.node()) == nullptr ? now : copied(now);
  }
  return roots;
}

}  // namespace

std::span<const GraphPass> graph_passes() { return kPasses; }

std::vector<UOp> run_graph_passes(std::vector<UOp> roots, const Target& target, bool fuse) {
  UOp graph = run_listed_passes(PassPoint::Graph, {}, sink(roots));
  for (const GraphPass& pass : kPasses) {
    if (fuse || !pass.optional) {
      const ProfileSpan span("schedule", pass.name);
      graph = pass.run(graph, target);
    }
    graph = run_listed_passes(PassPoint::Graph, pass.name, std::move(graph));
  }
  return lasting(std::move(roots), graph);
}

}  // namespace tg
