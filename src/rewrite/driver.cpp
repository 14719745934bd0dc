// Explicit stacks and a memo by node; see driver.h.
#include "tg/ir/rewrite.h"

#include <algorithm>
#include <unordered_map>

#include "support/check.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

struct Frame {
  UOp node;           // as it was asked for
  const Rule* by;     // the rule that made it, null for what stood in the graph
  int chain;          // rewrites that led here
  uint32_t next = 0;  // next source to visit
  UOp rebuilt;        // over rewritten sources
  UOp replacement;    // what a rule made of that; its result will be this one's
};

[[noreturn]] void report_circle(const std::vector<Frame>& stack, const UOp& at) {
  std::vector<std::string> names;
  for (size_t i = stack.size(); i-- > 0 && names.size() < 8;) {
    if (stack[i].by == nullptr) continue;
    const std::string& name = stack[i].by->name();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  TG_CHECK(false, "rewriting does not end: the rules {} keep rewriting {}", fmt::join(names, ", "),
           print_expr(at));
}

class Fixpoint {
 public:
  Fixpoint(const RuleSet& rules, const RewriteOptions& options)
      : rules_(rules), options_(options) {}

  UOp run(const UOp& root) {
    enter(root, nullptr, 0);
    while (!stack_.empty()) step();
    return done_.at(root.node());
  }

 private:
  void enter(const UOp& n, const Rule* by, int chain) {
    if (!done_.contains(n.node())) stack_.push_back({n, by, chain, 0, {}, {}});
  }

  void step() {
    Frame& f = stack_.back();
    if (f.replacement) return finish(done_.at(f.replacement.node()));
    const Node* n = f.node.node();
    if (f.next < n->n_src) {
      const UOp child = UOp::share(n->src()[f.next++]);
      enter(child, f.by, f.chain);
      return;
    }
    src_.clear();
    for (const Node* s : n->src()) src_.push_back(done_.at(s));
    const UOp rebuilt = with_sources(f.node, src_);
    if (auto it = done_.find(rebuilt.node()); it != done_.end()) return finish(UOp(it->second));
    const Rule* by = nullptr;
    UOp result = rules_.apply(rebuilt.node(), &by);
    if (!result) {
      remember(rebuilt, rebuilt);
      return finish(rebuilt);
    }
    if (options_.trace) options_.trace(*by, rebuilt, result);
    if (f.chain >= options_.longest_chain) report_circle(stack_, rebuilt);
    f.rebuilt = rebuilt;
    f.replacement = result;
    enter(result, by, f.chain + 1);
  }

  void finish(UOp result) {
    Frame f = std::move(stack_.back());
    stack_.pop_back();
    if (f.replacement) remember(f.rebuilt, result);
    remember(f.node, result);
  }

  void remember(const UOp& n, const UOp& result) {
    if (done_.emplace(n.node(), result).second) keep_.push_back(n);
  }

  const RuleSet& rules_;
  const RewriteOptions& options_;
  std::vector<Frame> stack_;
  std::unordered_map<const Node*, UOp> done_;
  std::vector<UOp> keep_;  // nodes whose addresses are keys
  std::vector<UOp> src_;
};

}  // namespace

UOp rewrite_fixpoint(const UOp& root, const RuleSet& rules, const RewriteOptions& options) {
  return Fixpoint(rules, options).run(root);
}

UOp rewrite_once(const UOp& root, const RuleSet& rules, const RewriteOptions& options) {
  std::unordered_map<const Node*, UOp> done;
  std::vector<std::pair<const Node*, uint32_t>> stack{{root.node(), 0}};
  std::vector<UOp> src;
  while (!stack.empty()) {
    auto& [n, next] = stack.back();
    if (next < n->n_src) {
      const Node* child = n->src()[next++];
      if (!done.contains(child)) stack.emplace_back(child, 0);
      continue;
    }
    src.clear();
    for (const Node* s : n->src()) src.push_back(done.at(s));
    UOp rebuilt = with_sources(UOp::share(n), src);
    const Rule* by = nullptr;
    UOp result = rules.apply(rebuilt.node(), &by);
    if (result && options.trace) options.trace(*by, rebuilt, result);
    done.emplace(n, result ? std::move(result) : std::move(rebuilt));
    stack.pop_back();
  }
  return done.at(root.node());
}

}  // namespace tg
