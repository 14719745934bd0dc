// Live tensors and what realising does to them. After the engine has run, a tensor whose graph
// contains a computed root, or an executed in-place store, refers to the stored value instead; a
// tensor that still wants contents which a store has replaced is poisoned: it raises instead of
// showing a wrong number. Views: storage_under; execution: src/engine.
#include "tensor/state.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/realize.h"
#include "support/check.h"
#include "uop/walk.h"

namespace tg {
namespace {

// Leaked on purpose: tensors with static storage may outlive any destructor here.
struct Registry {
  std::mutex mutex;
  uint64_t next = 0;
  std::map<uint64_t, std::weak_ptr<TensorState>> live;
};
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

using NodeMap = std::unordered_map<const Node*, UOp>;
using NodeSet = std::unordered_set<const Node*>;

bool is_view(Op op) { return in_group(op, kMovement) || op == Op::Detach; }

// In-place stores that the roots executed: the last version of each storage is now the storage
// itself, earlier ones are gone.
void executed_stores(std::span<const Node* const> order, NodeMap& done, NodeSet& gone) {
  for (const Node* n : order) {
    if (n->op != Op::After) continue;
    const Node* before = n->src()[0];
    UOp base = before->op == Op::After ? done.at(before) : UOp::share(before);
    done.insert_or_assign(n, base);
    gone.insert(before);
  }
  for (const Node* n : gone) done.erase(n);
}

// Nodes of `order` that need contents which are gone and do not pass through a computed node.
NodeSet stale_nodes(std::span<const Node* const> order, const NodeMap& done, const NodeSet& gone) {
  NodeSet stale;
  if (gone.empty()) return stale;
  for (const Node* n : order) {
    if (done.contains(n)) continue;
    bool is_stale = gone.contains(n);
    for (const Node* s : n->src()) is_stale = is_stale || stale.contains(s);
    if (is_stale) stale.insert(n);
  }
  return stale;
}

// What one call computes, and which storage it overwrites.
struct Batch {
  std::vector<UOp> roots;
  NodeSet seen;
  NodeMap done;
  NodeSet gone;

  bool add(UOp node) {
    if (node.is(Op::Const) || node.is(Op::Buffer) || !seen.insert(node.node()).second) return false;
    roots.push_back(std::move(node));
    return true;
  }
  void find_stores() {
    done.clear();
    gone.clear();
    executed_stores(toposort(roots), done, gone);
  }
};

// What must not be lost when the batch overwrites what it reads: assignments that still wait
// (running statistics that depend on the weights of a step), for they were asked for and later they
// could not run; and single numbers (the loss of a step), which cost nothing. They are computed
// with the batch. True if there were any.
bool add_endangered(Batch& batch) {
  std::vector<UOp> waiting;
  for (const auto& s : live_states()) {
    UOp node = s->node();
    UOp base = storage_under(node);
    if (base && base.is(Op::After)) node = base;
    const bool keep = node.is(Op::After) || (!base && !node.is(Op::Const) && node.numel() == 1);
    if (keep && !batch.done.contains(node.node())) waiting.push_back(std::move(node));
  }
  if (waiting.empty()) return false;
  NodeMap computed = batch.done;
  for (const UOp& r : batch.roots) computed.try_emplace(r.node());
  const NodeSet stale = stale_nodes(toposort(waiting), computed, batch.gone);
  bool added = false;
  for (UOp& w : waiting) {
    if (stale.contains(w.node())) added = batch.add(std::move(w)) || added;
  }
  return added;
}

void update_live(const NodeMap& done, const NodeSet& gone) {
  std::vector<std::shared_ptr<TensorState>> states;
  std::vector<UOp> nodes;
  for (auto& s : live_states()) {
    UOp node = s->node();
    if (node.is(Op::Const) || (node.is(Op::Buffer) && !gone.contains(node.node()))) continue;
    states.push_back(std::move(s));
    nodes.push_back(std::move(node));
  }
  if (states.empty()) return;
  const NodeSet stale = stale_nodes(toposort(nodes), done, gone);
  const UOp updated = substitute(sink(nodes), done);
  for (size_t i = 0; i < states.size(); ++i) {
    if (stale.contains(nodes[i].node())) {
      states[i]->poison(nodes[i]);
    } else {
      states[i]->replace_node(nodes[i], updated.src(static_cast<int>(i)));
    }
  }
}

}  // namespace

TensorState::TensorState(UOp node) : node_(std::move(node)) {}
TensorState::~TensorState() = default;

UOp TensorState::node() const {
  std::lock_guard lock(mutex_);
  return node_;
}

void TensorState::set_node(UOp node) {
  std::lock_guard lock(mutex_);
  std::swap(node_, node);
}

void TensorState::replace_node(const UOp& before, UOp node) {
  std::lock_guard lock(mutex_);
  if (node_ == before) std::swap(node_, node);
}

// Keeps shape and dtype for messages, lets go of the graph.
void TensorState::poison(const UOp& before) {
  UOp blank = full(before.shape_vec(), Scalar::of_int(0, before.dtype()));
  std::lock_guard lock(mutex_);
  if (node_ != before) return;
  std::swap(node_, blank);
  poisoned_ = true;
}

bool TensorState::poisoned() const {
  std::lock_guard lock(mutex_);
  return poisoned_;
}

std::vector<std::shared_ptr<TensorState>> live_states() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::vector<std::shared_ptr<TensorState>> out;
  for (auto& [id, weak] : r.live) {
    if (auto s = weak.lock()) out.push_back(std::move(s));
  }
  return out;
}

std::shared_ptr<TensorState> make_state(UOp node) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  const uint64_t id = r.next++;
  lock.unlock();
  std::shared_ptr<TensorState> s(new TensorState(std::move(node)), [id](TensorState* state) {
    {
      std::lock_guard guard(registry().mutex);
      registry().live.erase(id);
    }
    delete state;
  });
  lock.lock();
  r.live.emplace_hint(r.live.end(), id, s);
  return s;
}

void realize_states(const std::vector<std::shared_ptr<TensorState>>& states) {
  Batch batch;
  for (const auto& s : states) batch.add(s->node());
  if (batch.roots.empty()) return;
  batch.find_stores();
  while (!batch.gone.empty() && add_endangered(batch)) batch.find_stores();
  std::vector<UOp> realized;
  realize(batch.roots, realized);
  TG_CHECK(realized.size() == batch.roots.size(), "{} roots gave {} values", batch.roots.size(),
           realized.size());
  for (size_t i = 0; i < realized.size(); ++i)
    batch.done.insert_or_assign(batch.roots[i].node(), realized[i]);
  update_live(batch.done, batch.gone);
}

UOp storage_under(const UOp& view) {
  const Node* n = view.node();
  while (is_view(n->op)) n = n->src()[0];
  return n->op == Op::Buffer || n->op == Op::After ? UOp::share(n) : UOp{};
}

UOp rebase(const UOp& view, const UOp& base) {
  std::vector<UOp> chain;
  UOp u = view;
  for (; is_view(u.op()); u = u.src(0)) {
    if (!u.is(Op::Detach)) chain.push_back(u);
  }
  u = base;
  for (size_t i = chain.size(); i-- > 0;) u = with_sources(chain[i], {{u}});
  return u;
}

}  // namespace tg
