// The registry of passes: a line each; see passes.h.
#include "passes.h"

#include "rewrite/verify.h"
#include "rules/algebra.h"
#include "rules/valid.h"

namespace tg::opt {
namespace {

// Every load and store under a gate of its own: indices under the gate, the gate without what is
// implied.
UOp simplify_access(const Match& m) {
  const UOp n = m.root();
  if (n.src_node(0)->space == Space::Value || n.n_src() < 3) return {};
  std::vector<UOp> src = n.srcs();
  const UOp gate = src.back();
  if (!is_bool(gate.dtype())) return {};
  for (size_t i = 1; i + 1 < src.size(); ++i) {
    if (src[i].dtype() == DType::Index) src[i] = simplify_under(gate, src[i]);
  }
  src.back() = simplify_gate(gate);
  return with_sources(n, src);
}

const RuleSet& access_rules() {
  static const RuleSet set = {rule("simplify-access", any_of({Op::Load, Op::Store}),
                                   [](const Match& m) { return simplify_access(m); })};
  return set;
}

constexpr NamedPass kPasses[] = {
    {"simplify", "identities, constant folding and casts of value graphs, until nothing changes",
     [](Program& p, const RewriteOptions& o) {
       p.set_root(rewrite_fixpoint(p.root(), simple_rules(), o));
     }},
    {"fold-constants", "constant folding only",
     [](Program& p, const RewriteOptions& o) {
       p.set_root(rewrite_fixpoint(p.root(), folding_rules(), o));
     }},
    {"simplify-index", "normal form of index expressions and gates",
     [](Program& p, const RewriteOptions&) { p.set_root(simplify_index(p.root())); }},
    {"simplify-valid",
     "indices simplified under the gates of their accesses, gates without what is implied",
     [](Program& p, const RewriteOptions& o) {
       p.set_root(rewrite_once(p.root(), access_rules(), o));
     }},
    {"verify-tensor", "checks the grammar of tensor graphs",
     [](Program& p, const RewriteOptions&) { verify_tensor(p.root()); }},
    {"verify-ranged", "checks the grammar of ranged kernels",
     [](Program& p, const RewriteOptions&) { verify_ranged(p.root()); }},
    {"verify-linear", "checks the grammar of linear code (all lines, in order)",
     [](Program& p, const RewriteOptions&) { verify_linear(p.list); }},
};

}  // namespace

std::span<const NamedPass> passes() { return kPasses; }

const NamedPass* find_pass(std::string_view name) {
  for (const NamedPass& p : kPasses) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

}  // namespace tg::opt
