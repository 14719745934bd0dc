// Live tensors and what realising does to them. After the engine has run, a tensor whose graph
// contains a computed root, or an executed in-place store, refers to the stored value instead; a
// tensor that still wants contents which a store has replaced is poisoned: it raises instead of
// showing a wrong number. Views: storage_under; execution: src/engine.
#include "tensor/state.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/realize.h"
#include "runtime/buffer.h"
#include "schedule/window.h"
#include "support/check.h"
#include "uop/shape.h"
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

std::atomic<uint64_t> assignments{0};  // made so far

uint64_t this_thread() {
  static std::atomic<uint64_t> next{0};
  thread_local const uint64_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

Buffer* storage_of_version(const Node* n) {
  while (n->op == Op::After) n = n->src()[0];
  return n->op == Op::Buffer ? static_cast<Buffer*>(n->resource) : nullptr;
}

using NodeMap = std::unordered_map<const Node*, UOp>;
using NodeSet = std::unordered_set<const Node*>;

bool is_view(Op op) { return in_group(op, kMovement) || op == Op::Detach; }

// In-place stores that the roots execute: the last version of each storage will be the storage
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

// What names the contents of a storage once the engine has run: another node than before.
void name_versions(const std::vector<std::pair<UOp, UOp>>& versions, NodeMap& done) {
  NodeMap now;
  for (const auto& [before, after] : versions) now.emplace(before.node(), after);
  for (auto& [node, base] : done) {
    if (auto it = now.find(base.node()); it != now.end()) base = it->second;
  }
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

// A copy of the contents of a storage, or of a window of it.
bool is_copy(const Node* n) {
  return n->op == Op::Contiguous && storage_below(n->src()[0]) != nullptr;
}

// Views of a copy are views of storage that is still to be made: that is computed, not the view.
UOp node_to_compute(const TensorState& s) {
  UOp node = s.node();
  const Node* n = node.node();
  while (is_view(n->op)) n = n->src()[0];
  return is_copy(n) && root_of(s).node() == n ? UOp::share(n) : node;
}

// What must not be lost when the batch overwrites what it reads: assignments that still wait
// (running statistics that depend on the weights of a step), for they were asked for and later they
// could not run; copies of contents (see advance in storage.cpp); and single numbers (the loss of a
// step), which cost nothing. They are computed with the batch. True if there were any.
bool add_endangered(Batch& batch) {
  std::vector<UOp> waiting, all;
  for (const auto& s : live_states()) {
    UOp node = s->node();
    if (node.is(Op::Const) || node.is(Op::Buffer)) continue;
    all.push_back(node);
    UOp base = storage_under(node);
    if (base && base.is(Op::After)) node = base;
    const bool keep = node.is(Op::After) || (!base && node.numel() == 1);
    if (keep && !batch.done.contains(node.node())) waiting.push_back(std::move(node));
  }
  if (all.empty()) return false;
  NodeMap computed = batch.done;
  for (const UOp& r : batch.roots) computed.try_emplace(r.node());
  const auto order = toposort(all);
  const NodeSet stale = stale_nodes(order, computed, batch.gone);
  bool added = false;
  for (const Node* n : order) {
    if (stale.contains(n) && is_copy(n)) added = batch.add(UOp::share(n)) || added;
  }
  for (UOp& w : waiting) {
    if (stale.contains(w.node())) added = batch.add(std::move(w)) || added;
  }
  return added;
}

// The value that a state is a view of may have got storage, or only the view of it.
void update_aliases(TensorState& state, const NodeMap& done) {
  const auto group = state.aliases();
  if (!group) return;
  std::lock_guard lock(group->mutex);
  if (!group->root) return;
  const UOp root = substitute(group->root, done);
  group->root = storage_under(root) ? UOp{} : root;
  if (group->root && storage_under(state.node())) state.set_apart();
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
  for (const auto& s : states) update_aliases(*s, done);
}

}  // namespace

TensorState::TensorState(UOp node) : node_(std::move(node)), thread_(this_thread()) {}
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

void TensorState::join_aliases(TensorState& base) {
  {
    std::lock_guard lock(base.mutex_);
    if (!base.aliases_) {
      base.aliases_ = std::make_shared<AliasGroup>();
      if (!storage_under(base.node_)) base.aliases_->root = base.node_;
    }
  }
  std::shared_ptr<AliasGroup> group = base.aliases();
  std::lock_guard lock(mutex_);
  aliases_ = std::move(group);
}

std::shared_ptr<AliasGroup> TensorState::aliases() const {
  std::lock_guard lock(mutex_);
  return aliases_;
}

void TensorState::leave_aliases() {
  std::lock_guard lock(mutex_);
  aliases_.reset();
  apart_ = false;
}

void TensorState::set_assigned_here() { thread_.store(this_thread(), std::memory_order_relaxed); }
bool TensorState::assigned_here() const {
  return thread_.load(std::memory_order_relaxed) == this_thread();
}

bool TensorState::is_alias_of(const TensorState& other) const {
  if (this == &other) return true;
  const auto mine = aliases();
  return mine != nullptr && mine == other.aliases();
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

std::vector<std::shared_ptr<TensorState>> pending_assignments(FunctionRef<bool(Buffer*)> uses) {
  auto out = live_states();
  std::erase_if(out, [&](const auto& s) {
    const UOp base = storage_under(s->node());
    if (!base || !base.is(Op::After)) return true;
    return !s->assigned_here() && !uses(storage_of_version(base.node()));
  });
  return out;
}

uint64_t assignments_made() { return assignments.load(std::memory_order_relaxed); }
void note_assignment() { assignments.fetch_add(1, std::memory_order_relaxed); }

std::vector<std::shared_ptr<TensorState>> live_aliases(const TensorState& state) {
  auto out = live_states();
  std::erase_if(out, [&](const auto& s) { return !s->is_alias_of(state); });
  return out;
}

UOp root_of(const TensorState& state) {
  const auto group = state.aliases();
  if (!group) return state.node();
  std::lock_guard lock(group->mutex);
  return group->root ? group->root : state.node();
}

void replace_root(TensorState& state, const UOp& next) {
  const UOp root = root_of(state);
  for (const auto& s : live_aliases(state)) {
    UOp node = s->node();
    s->weak.reset();
    s->replace_node(node, rebase(node, next, root.node()));
  }
  if (const auto group = state.aliases()) {
    std::lock_guard lock(group->mutex);
    group->root = storage_under(next) ? UOp{} : next;
  }
}

void check_aliases(const TensorState& state, std::string_view fn) {
  if (!state.aliases()) return;
  const auto aliases = live_aliases(state);
  if (aliases.size() < 2) return;
  if (std::ranges::none_of(aliases, [](const auto& s) { return s->apart(); })) return;
  user_error<ArgumentError>(fn,
                            fmt::format("a view of this value of shape {} was computed on its own "
                                        "and can no longer show what is written",
                                        format_shape(state.node().shape())),
                            "Hint: realize() the base tensor before its views.");
}

namespace {

void compute(const std::vector<UOp>& nodes) {
  Batch batch;
  for (const UOp& n : nodes) batch.add(n);
  if (batch.roots.empty()) return;
  batch.find_stores();
  while (!batch.gone.empty() && add_endangered(batch)) batch.find_stores();
  const Realized realized = realize(batch.roots);
  name_versions(realized.versions, batch.done);
  for (size_t i = 0; i < batch.roots.size(); ++i)
    batch.done.insert_or_assign(batch.roots[i].node(), realized.values[i]);
  update_live(batch.done, batch.gone);
}

// Another thread that computed a part of the same graph has put the result in its place while this
// one ran: the state names an equal graph, which was not the one that got storage.
bool was_exchanged(const TensorState& s, const UOp& before) {
  const UOp now = s.node();
  return now != before && !now.is(Op::Const) && !storage_under(now) && !s.poisoned();
}

}  // namespace

void realize_states(const std::vector<std::shared_ptr<TensorState>>& states) {
  std::vector<std::shared_ptr<TensorState>> left = states;
  while (!left.empty()) {
    std::vector<UOp> before, nodes;
    for (const auto& s : left) {
      before.push_back(s->node());
      nodes.push_back(node_to_compute(*s));
    }
    compute(nodes);
    std::vector<std::shared_ptr<TensorState>> exchanged;
    for (size_t i = 0; i < left.size(); ++i) {
      if (was_exchanged(*left[i], before[i])) exchanged.push_back(left[i]);
    }
    left = std::move(exchanged);
  }
}

UOp storage_under(const UOp& view) { return UOp::share(storage_below(view.node())); }

UOp rebase(const UOp& view, const UOp& base, const Node* from) {
  std::vector<UOp> chain;
  UOp u = view;
  for (; u.node() != from && is_view(u.op()); u = u.src(0)) {
    if (!u.is(Op::Detach)) chain.push_back(u);
  }
  TG_CHECK(from == nullptr || u.node() == from, "a view of another value");
  u = base;
  for (size_t i = chain.size(); i-- > 0;) {
    std::vector<UOp> sources = chain[i].srcs();
    sources[0] = u;
    u = with_sources(chain[i], sources);
  }
  return u;
}

}  // namespace tg
