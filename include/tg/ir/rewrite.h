// The two ways to apply a rule set to a graph: until nothing changes, or in a single walk. Neither
// recurses over the graph; both give the same result in every process. And a rule set, or any other
// function of graphs, as a pass: the compiler's own are tables in src/schedule/graph_passes.h and
// src/codegen/pipeline.h, a program adds its own with pass.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tg/export.h"
#include "tg/ir/rule.h"

namespace tg {

/// Called after each application: the rule, the node (its sources are rewritten already), the
/// replacement.
using RewriteTrace = std::function<void(const Rule&, const UOp& before, const UOp& after)>;

struct RewriteOptions {
  RewriteTrace trace;
  /// How many rewrites may follow from one another; beyond that the rules are assumed to loop.
  int longest_chain = 1000;
};

/// Sources first, every node until no rule applies; replacements are visited again. Throws
/// InternalError that names the rules involved when a chain gets too long. Linear in nodes plus
/// applications.
TG_API UOp rewrite_fixpoint(const UOp& root, const RuleSet& rules,
                            const RewriteOptions& options = {});

/// Sources first, each node once: at most one rule is applied to it, and the replacement is not
/// visited again.
TG_API UOp rewrite_once(const UOp& root, const RuleSet& rules, const RewriteOptions& options = {});

/// Where in the compiler a pass runs, and so what it gets.
enum class PassPoint : uint8_t {
  /// The tensor graph of an evaluation: a SINK of the requested values. Storage is a PARAM,
  /// numbered by first use; nothing is cut into kernels yet.
  Graph,
  /// A kernel: a SINK of END(STORE…), scalars over RANGEs with explicit indices.
  Kernel,
};

/// A step of the compiler by name.
struct Pass {
  std::string name;     ///< as messages, profiles and DEBUG=5 show it: "join-roots"
  std::string purpose;  ///< one line
  /// A graph that gives the same values. May be called by several threads at once.
  std::function<UOp(const UOp&)> run;
};

/// The pass that applies `rules` until none does.
TG_API Pass pass_of(std::string name, std::string purpose, RuleSet rules);

}  // namespace tg
