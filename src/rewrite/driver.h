// The two ways to apply a rule set to a graph: until nothing changes, or in a single walk. Neither
// recurses over the graph; both give the same result in every process.
#pragma once

#include <functional>

#include "rewrite/rule.h"

namespace tg {

/// Called after each application: the rule, the node (its sources are rewritten already), the
/// replacement.
using RewriteTrace = std::function<void(const Rule&, const UOp& before, const UOp& after)>;

struct RewriteOptions {
  RewriteTrace trace;
  /// How many rewrites may follow from one another; beyond that the rules are taken to run in
  /// circles.
  int longest_chain = 1000;
};

/// Sources first, every node until no rule applies; replacements are visited again. Throws
/// InternalError that names the rules involved when a chain gets too long. Linear in nodes plus
/// applications.
UOp rewrite_fixpoint(const UOp& root, const RuleSet& rules, const RewriteOptions& options = {});

/// Sources first, each node once: at most one rule is applied to it, and the replacement is not
/// visited again.
UOp rewrite_once(const UOp& root, const RuleSet& rules, const RewriteOptions& options = {});

}  // namespace tg
