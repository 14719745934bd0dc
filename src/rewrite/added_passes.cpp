// A list behind a lock, exchanged as a whole. See added_passes.h.
#include "rewrite/added_passes.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "rewrite/verify.h"
#include "support/check.h"
#include "support/log.h"
#include "support/options.h"
#include "support/profile.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

using List = std::vector<ListedPass>;

struct Registry {
  std::mutex lock;
  std::shared_ptr<const List> list = std::make_shared<const List>();
  uint64_t last_id = 0;
  std::atomic<uint64_t> version{0};
};

// Never destroyed: a pass may be taken away by an object that outlives static destruction.
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

thread_local bool inside = false;

class Inside {
 public:
  Inside() : before_(std::exchange(inside, true)) {}
  ~Inside() { inside = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const bool before_;
};

[[noreturn]] void refuse(const Pass& pass, std::string_view problem) {
  user_error<ArgumentError>(fmt::format("pass {}", pass.name), problem,
                            "Hint: DEBUG=5 prints the graphs before and behind it.");
}

std::string type_of(const UOp& u) { return print_type(u.node()); }

bool is_same_type(const UOp& a, const UOp& b) {
  return a.dtype() == b.dtype() && a.device() == b.device() &&
         std::ranges::equal(a.shape(), b.shape()) &&
         std::ranges::equal(a.node()->limits(), b.node()->limits());
}

std::vector<const Node*> params_of(const UOp& graph) {
  std::vector<const Node*> out;
  for (const Node* n : toposort(graph)) {
    if (n->op == Op::Param || n->op == Op::Buffer) out.push_back(n);
  }
  std::ranges::sort(out);
  return out;
}

void check_roots(const Pass& pass, const UOp& before, const UOp& after) {
  if (!after.is(Op::Sink) || after.n_src() != before.n_src())
    refuse(pass, fmt::format("returns {} instead of a sink of {} roots",
                             after ? print_node(after.node()) : "nothing", before.n_src()));
  for (int i = 0; i < before.n_src(); ++i) {
    if (!is_same_type(before.src(i), after.src(i)))
      refuse(pass, fmt::format("makes {} of root {}, which was {}", type_of(after.src(i)), i,
                               type_of(before.src(i))));
  }
}

void check_storage(PassPoint at, const Pass& pass, const UOp& before, const UOp& after) {
  const std::vector<const Node*> had = params_of(before), has = params_of(after);
  if (!std::ranges::includes(had, has)) refuse(pass, "uses storage that the graph does not have");
  // Who launches a kernel counts on its arrays.
  if (at == PassPoint::Kernel && had.size() != has.size())
    refuse(pass, fmt::format("leaves {} of {} arrays of a kernel", has.size(), had.size()));
}

void check_stage(PassPoint at, const Pass& pass, const UOp& after) {
  try {
    at == PassPoint::Graph ? verify_tensor(after) : verify_ranged(after);
  } catch (const InternalError& e) {
    refuse(pass, fmt::format("returns what is no {}: {}",
                             at == PassPoint::Graph ? "graph of tensors" : "kernel", e.what()));
  }
}

UOp run_checked(const ListedPass& p, const UOp& graph) {
  const ProfileSpan span("pass", p.pass.name);
  UOp out;
  try {
    const Inside mark;
    out = p.pass.run(graph);
  } catch (const InternalError& e) {
    refuse(p.pass, fmt::format("breaks a rule of the graph: {}", e.what()));
  }
  if (out == graph) return graph;
  if (debug_at(5))
    log_text(fmt::format("before {}:\n{}after {}:\n{}", p.pass.name, print(graph), p.pass.name,
                         out ? print(out) : "nothing\n"));
  check_roots(p.pass, graph, out);
  check_storage(p.at, p.pass, graph, out);
  check_stage(p.at, p.pass, out);
  return out;
}

UOp run_from(const List& list, PassPoint at, std::string_view after, UOp graph) {
  for (const ListedPass& p : list) {
    if (p.at != at || p.after != after) continue;
    graph = run_checked(p, graph);
    graph = run_from(list, at, p.pass.name, std::move(graph));
  }
  return graph;
}

}  // namespace

Pass pass_of(std::string name, std::string purpose, RuleSet rules) {
  return {std::move(name), std::move(purpose),
          [rules = std::move(rules)](const UOp& graph) { return rewrite_fixpoint(graph, rules); }};
}

std::shared_ptr<const List> listed_passes() {
  const std::lock_guard guard(registry().lock);
  return registry().list;
}

uint64_t listed_passes_version() { return registry().version.load(std::memory_order_acquire); }

uint64_t list_pass(PassPoint at, Pass pass, std::string after,
                   std::span<const std::string_view> taken) {
  Registry& r = registry();
  const std::lock_guard guard(r.lock);
  const bool added_twice = std::ranges::any_of(
      *r.list, [&](const ListedPass& p) { return p.at == at && p.pass.name == pass.name; });
  if (added_twice || std::ranges::find(taken, pass.name) != taken.end())
    user_error<ArgumentError>("add_pass",
                              fmt::format("a pass is called \"{}\" already", pass.name));
  auto list = std::make_shared<List>(*r.list);
  list->push_back({++r.last_id, at, std::move(after), std::move(pass)});
  r.list = std::move(list);
  r.version.fetch_add(1, std::memory_order_release);
  return r.last_id;
}

void unlist_pass(uint64_t id) noexcept {
  Registry& r = registry();
  const std::lock_guard guard(r.lock);
  auto list = std::make_shared<List>(*r.list);
  const auto it = std::ranges::find(*list, id, &ListedPass::id);
  if (it == list->end()) return;
  const ListedPass gone = *it;
  list->erase(it);
  // Those behind it stay where they are.
  for (ListedPass& p : *list) {
    if (p.at == gone.at && p.after == gone.pass.name) p.after = gone.after;
  }
  r.list = std::move(list);
  r.version.fetch_add(1, std::memory_order_release);
}

UOp run_listed_passes(PassPoint at, std::string_view after, UOp graph) {
  if (listed_passes_version() == 0) return graph;
  return run_from(*listed_passes(), at, after, std::move(graph));
}

bool in_listed_pass() { return inside; }

}  // namespace tg
