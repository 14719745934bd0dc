// What computing does to live tensors. After the engine has run, a tensor whose graph contains a
// computed root, or an executed in-place store, refers to the stored value instead; a tensor that
// still wants contents which a store has replaced is poisoned: it raises instead of showing a wrong
// number. A value that was only read leaves the graphs alone (kept.h). Execution: src/engine.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/realize.h"
#include "runtime/device.h"
#include "schedule/window.h"
#include "tensor/kept.h"
#include "tensor/state.h"
#include "tg/ir/walk.h"
#include "uop/devices.h"
#include "uop/shape.h"

namespace tg {
namespace {

using NodeMap = std::unordered_map<const Node*, UOp>;
using NodeSet = std::unordered_set<const Node*>;

bool is_kept(const Node* n) { return static_cast<bool>(kept_value(n)); }

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
    executed_stores(toposort(roots, is_kept), done, gone);  // what was read stores no more
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
// could not run; copies of contents (see advance in storage.cpp); and values of live tensors, such
// as the output of a model whose weights the batch changes. They are computed with the batch.
// Gradients are not, single numbers aside: after a step nobody looks at them, and they are as large
// as the model. True if there were any.
bool add_endangered(Batch& batch) {
  std::vector<UOp> waiting, all;
  for (const auto& s : live_states()) {
    UOp node = s->node();
    if (node.is(Op::Const) || node.is(Op::Buffer)) continue;
    all.push_back(node);
    UOp base = storage_under(node);
    if (base && base.is(Op::After)) node = base;
    const bool keep = node.is(Op::After) || (!base && (!s->is_gradient() || node.numel() == 1));
    if (keep && !batch.done.contains(node.node())) waiting.push_back(std::move(node));
  }
  if (all.empty()) return false;
  NodeMap computed = batch.done;
  for (const UOp& r : batch.roots) computed.try_emplace(r.node());
  for (const KeptValue& k : kept_values()) computed.try_emplace(k.node.node());
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

// Values that live nowhere and were computed: they are on a device now, where graphs that reach
// others cannot read them. Gives the nodes whose graphs do, and takes the values out of
// `elsewhere`.
NodeSet reaching_elsewhere(std::span<const Node* const> order, const NodeMap& done,
                           NodeMap& elsewhere) {
  NodeSet out;
  std::unordered_set<DeviceId> homes;
  for (const auto& [node, value] : done) {
    if (node->device != 0 || value.device() == 0) continue;
    homes.insert(value.device());
    elsewhere.erase(node);
  }
  if (homes.empty()) return out;
  for (const Node* n : order) {
    const bool away = n->device != 0 && (homes.size() > 1 || !homes.contains(n->device));
    const auto reaches = [&](const Node* s) { return out.contains(s); };
    if (away || std::ranges::any_of(n->src(), reaches)) out.insert(n);
  }
  return out;
}

// The graphs with what was computed in its place.
std::vector<UOp> with_computed(const std::vector<UOp>& nodes, std::span<const Node* const> order,
                               const NodeMap& done) {
  if (nodes.size() == 1 && done.contains(nodes[0].node())) return {done.at(nodes[0].node())};
  NodeMap elsewhere = done;
  const NodeSet away = reaching_elsewhere(order, done, elsewhere);
  if (away.empty()) return substitute(sink(nodes), done).srcs();
  std::vector<UOp> here, there, out;
  for (const UOp& n : nodes) (away.contains(n.node()) ? there : here).push_back(n);
  const std::vector<UOp> now_here = substitute(sink(here), done).srcs();
  const std::vector<UOp> now_there = substitute(sink(there), elsewhere).srcs();
  size_t h = 0, t = 0;
  for (const UOp& n : nodes)
    out.push_back(away.contains(n.node()) ? now_there[t++] : now_here[h++]);
  return out;
}

// A tensor that is storage goes on being that storage, also where a graph that was built by hand
// (`uop.after`) has stored into it. `now`: by the BUFFER that named the contents.
bool follow_storage(TensorState& state, const UOp& node, const NodeMap& now) {
  const UOp base = storage_under(node);
  const auto found = base ? now.find(base.node()) : now.end();
  if (found == now.end()) return false;
  state.replace_node(node, rebase(node, found->second, base.node()));
  return true;
}

void update_live(const NodeMap& done, const NodeSet& gone, const NodeMap& now) {
  std::vector<std::shared_ptr<TensorState>> states;
  std::vector<UOp> nodes;
  for (auto& s : live_states()) {
    UOp node = s->node();
    if (node.is(Op::Const) || (node.is(Op::Buffer) && !gone.contains(node.node()))) continue;
    states.push_back(std::move(s));
    nodes.push_back(std::move(node));
  }
  if (states.empty()) return;
  const auto order = toposort(nodes);
  const NodeSet stale = stale_nodes(order, done, gone);
  const std::vector<UOp> updated = with_computed(nodes, order, done);
  for (size_t i = 0; i < states.size(); ++i) {
    if (stale.contains(nodes[i].node())) {
      if (!follow_storage(*states[i], nodes[i], now)) states[i]->poison(nodes[i]);
    } else {
      states[i]->replace_node(nodes[i], updated[i]);
    }
  }
  for (const auto& s : states) update_aliases(*s, done);
}

// A value that is computed, whose graph lives on.
struct Read {
  UOp node;
  Behind behind;
};

// Of values that are read: the nodes go on naming their graphs. Only its own value can be kept:
// storage that the batch gave another root too becomes a live tensor's, which may be written.
void keep_reads(Batch& batch, const std::vector<Read>& reads) {
  std::unordered_map<const Node*, int> roots_of;  // by storage
  for (const UOp& r : batch.roots) ++roots_of[storage_under(batch.done.at(r.node())).node()];
  for (const auto& [node, behind] : reads) {
    const UOp value = batch.done.at(node.node());
    if (roots_of[storage_under(value).node()] > 1) continue;
    keep_value({node, value}, behind);
    batch.done.erase(node.node());
  }
}

// A root that becomes storage may be a view of a value that is kept, or that value: it gives up its
// graph along with the root, for its storage is a live tensor's from now on.
void give_up_kept(Batch& batch) {
  for (const UOp& root : batch.roots) {
    if (!batch.done.contains(root.node())) continue;
    UOp u = root;
    while (is_view(u.op()) && !is_kept(u.node())) u = u.src(0);
    if (const UOp value = kept_value(u.node())) batch.done.insert_or_assign(u.node(), value);
  }
}

// Kept values follow their graphs to where stores and computed roots have put them. One whose graph
// reads contents that are gone is all that is left of it.
void update_kept(NodeMap& done, const NodeSet& gone) {
  const auto kept = kept_values();
  if (kept.empty()) return;
  NodeMap values;
  std::vector<UOp> nodes;
  for (const auto& [node, value] : kept) {
    values.emplace(node.node(), value);
    nodes.push_back(node);
  }
  NodeSet stale;
  const auto order = toposort(nodes);
  for (const Node* n : order) {
    if (done.contains(n)) continue;
    const auto is_stale = [&](const Node* s) { return stale.contains(s); };
    if (!gone.contains(n) && std::ranges::none_of(n->src(), is_stale)) continue;
    if (const auto found = values.find(n); found != values.end()) {
      done.insert(*found);
    } else {
      stale.insert(n);
    }
  }
  const std::vector<UOp> updated = with_computed(nodes, order, done);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (updated[i] == nodes[i]) continue;
    if (storage_under(updated[i])) {
      drop_kept_value(nodes[i]);
    } else {
      move_kept_value(nodes[i], updated[i]);
    }
  }
}

UOp below_views(UOp u) {
  while (is_view(u.op())) u = u.src(0);
  return u;
}

// The values below the roots that contiguous() asked for. What lives nowhere would be stored on the
// default device, where graphs of others could not read it.
NodeSet stored_on_the_way(const std::vector<UOp>& roots) {
  const auto order = toposort(roots, is_kept);
  const auto is_stored = [](const Node* n) { return n->op == Op::Contiguous && !is_kept(n); };
  NodeSet out;
  if (std::ranges::none_of(order, is_stored)) return out;
  const DeviceId home = device_id(default_device());
  const bool at_home = std::ranges::all_of(
      order, [&](const Node* n) { return n->device == 0 || n->device == home; });
  for (const Node* n : order) {
    if (is_stored(n) && (n->device != 0 || at_home)) out.insert(n);
  }
  // What a root is a view of shares its storage.
  for (const UOp& r : roots) out.erase(below_views(r).node());
  return out;
}

// Such values become roots where live tensors name them, so that what is computed later takes them.
// Those that a gradient may pass keep their graphs.
std::vector<Read> add_stored_on_the_way(Batch& batch) {
  std::vector<Read> out;
  const NodeSet stored = stored_on_the_way(batch.roots);
  if (stored.empty()) return out;
  for (const auto& s : live_states()) {
    const UOp u = below_views(s->node());
    if (!stored.contains(u.node()) || !batch.add(u)) continue;
    if (const auto behind = worth_keeping(u)) out.push_back({u, *behind});
  }
  return out;
}

// Adds the versions that the batch makes. A store below a value may have no part in it (x·0, or
// what is assigned twice) and would be left out with the rest, but is taken to have run.
void add_versions(const Batch& batch, std::vector<UOp>& roots) {
  for (const Node* n : toposort(batch.roots, is_kept)) {
    if (n->op == Op::After && batch.done.contains(n) && !batch.seen.contains(n))
      roots.push_back(UOp::share(n));
  }
}

// Computes the nodes and gives their values.
std::vector<UOp> compute(const std::vector<UOp>& nodes, const Read* read = nullptr) {
  Batch batch;
  for (const UOp& n : nodes) batch.add(n);
  if (batch.roots.empty()) return nodes;
  std::vector<Read> reads = add_stored_on_the_way(batch);
  if (read != nullptr) reads.push_back(*read);
  batch.find_stores();
  while (!batch.gone.empty() && add_endangered(batch)) batch.find_stores();
  std::vector<UOp> roots = batch.roots;
  if (!batch.done.empty()) add_versions(batch, roots);
  const Realized realized = realize(with_kept_values(roots));
  name_versions(realized.versions, batch.done);
  for (size_t i = 0; i < batch.roots.size(); ++i)
    batch.done.insert_or_assign(batch.roots[i].node(), realized.values[i]);
  std::vector<UOp> values;
  for (const UOp& n : nodes) values.push_back(substitute(n, batch.done));
  if (!reads.empty()) keep_reads(batch, reads);
  give_up_kept(batch);
  if (batch.done.empty()) return values;
  update_kept(batch.done, batch.gone);
  NodeMap now;
  for (const auto& [before, after] : realized.versions) now.emplace(before.node(), after);
  update_live(batch.done, batch.gone, now);
  return values;
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

UOp read_value(const std::shared_ptr<TensorState>& state) {
  const UOp node = state->node();
  const UOp value = with_kept_values(std::span(&node, 1))[0];
  const UOp base = storage_under(value);
  if (base && base.is(Op::Buffer)) return value;
  if (!base) {  // else it is a store that waits, or a view of one: its storage is everybody's
    if (const auto behind = worth_keeping(node)) {
      const Read read{node, *behind};
      return compute({node}, &read)[0];
    }
  }
  realize_states({state});
  return state->node();
}

}  // namespace tg
