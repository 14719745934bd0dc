// Placement in two steps. Backwards from the stores: which results are needed inside which loops.
// Forwards: the items, entered one by one into a trie of their loop paths. See loop_tree.h.
#include "codegen/loop_tree.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/check.h"
#include "tg/ir/op.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using Nodes = std::vector<const Node*>;

constexpr size_t kMaxProductions = 256;

bool makes_result(const Node* n) { return n->op == Op::Reduce || n->op == Op::Stage; }

LeafSet below(int leaf) { return (LeafSet{1} << leaf) - 1; }
LeafSet highest(LeafSet set) { return set == 0 ? 0 : LeafSet{1} << (63 - std::countl_zero(set)); }

template <typename T>
void sort_unique(std::vector<T>& v) {
  std::ranges::sort(v);
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

// ---- which results are made where

class Demand {
 public:
  explicit Demand(const ScheduledKernel& k) : k_(k), threads_(k.set_of(Kind::Thread)) {}

  struct Placed {
    Item item;
    LeafSet path;
  };

  // Users come after what they read, so going backwards meets a result when all its users' loops
  // are known.
  std::vector<Placed> run(LoopTree& tree) {
    const Nodes order = toposort(k_.sink);
    for (const Node* n : order) reads_.emplace(n, read_by(n));
    for (const Node* root : k_.sink.node()->src()) {
      if (root->op == Op::End) end_leaves_[root->src()[0]] |= k_.closed_by(root);
    }
    std::vector<Placed> stores;
    for (size_t i = order.size(); i-- > 0;) {
      const Node* n = order[i];
      if (n->op == Op::Store) stores.push_back(place_store(tree, n));
      for (int p : made_[n]) {
        const auto at = static_cast<size_t>(p);
        const int parts = tree.productions[at].parts;
        tree.productions[at].needs =
            parts >= 0 ? std::vector<int>{parts} : request(tree, n, tree.productions[at].path);
      }
    }
    std::vector<Placed> out;
    for (const Node* n : order) {
      for (int i : made_[n]) {
        const Production& p = tree.productions[static_cast<size_t>(i)];
        const Item::Kind kind = n->op == Op::Stage ? Item::Kind::Copy
                                : p.parts >= 0     ? Item::Kind::Gather
                                                   : Item::Kind::Update;
        out.push_back({{kind, n, i, p.needs}, p.path});
      }
    }
    out.insert(out.end(), stores.rbegin(), stores.rend());
    return out;
  }

 private:
  // The results that an evaluation of `n` reads directly, not through other results; in structural
  // order.
  Nodes read_by(const Node* n) const {
    Nodes out;
    for (const Node* s : n->src()) {
      auto add = [&](const Node* r) {
        if (std::ranges::find(out, r) == out.end()) out.push_back(r);
      };
      if (makes_result(s)) {
        add(s);
      } else {
        std::ranges::for_each(reads_.at(s), add);
      }
    }
    return out;
  }

  // The chunk loop runs all Thread leaves at once. Everything that work-items do is inside it.
  LeafSet with_threads(LeafSet set) const {
    return (set & threads_) != 0 || !k_.work_items.empty() ? set | threads_ : set;
  }

  Placed place_store(LoopTree& tree, const Node* n) {
    LeafSet path = end_leaves_[n];
    for (const Node* s : n->src()) path |= k_.deps.at(s);
    path = with_threads(path & k_.loops());
    return {{Item::Kind::Store, n, -1, request(tree, n, path)}, path};
  }

  // Productions of what `user` reads when it runs inside `path`.
  std::vector<int> request(LoopTree& tree, const Node* user, LeafSet path) {
    std::vector<int> needs;
    for (const Node* n : reads_.at(user)) needs.push_back(production(tree, n, path));
    sort_unique(needs);
    return needs;
  }

  // A result is complete inside those of its own parallel loops that stand outside the ones it
  // closes. A user's further loops between them surround the result too (which is then made once
  // for each of their iterations: schedules order loops so that this is rare).
  int production(LoopTree& tree, const Node* n, LeafSet user_path) {
    const LeafSet own = with_threads(k_.deps.at(n) & k_.loops()),
                  closed = k_.closed_by(n) & k_.loops(), ended = closed & ~own;
    const LeafSet outer = ended == 0 ? own : own & below(std::countr_zero(ended));
    const LeafSet scope = outer | (user_path & (highest(outer) == 0 ? 0 : highest(outer) - 1));
    const bool grouped = is_grouped(n);
    for (int p : made_[n]) {
      const Production& made = tree.productions[static_cast<size_t>(p)];
      if (made.scope == scope && (made.parts >= 0) == grouped) return p;
    }
    const int whole = add_production(tree, n, scope, own, closed);
    if (!grouped) return whole;
    Production result{.node = n, .path = scope, .scope = scope};
    result.parts = whole;
    return add(tree, std::move(result));
  }

  // Work-items reduce a part each.
  bool is_grouped(const Node* n) const {
    return n->op == Op::Reduce && (k_.closed_by(n) & k_.set_of(Kind::Local)) != 0;
  }

  int add_production(LoopTree& tree, const Node* n, LeafSet scope, LeafSet own, LeafSet closed) {
    Production p{.node = n, .path = scope | own | closed, .scope = scope};
    if (n->op == Op::Reduce && closed != 0) plan_accumulators(p, own, closed);
    if (is_grouped(n) && p.uses_array())
      user_error<ArgumentError>("GROUP", "a parallel loop stands inside the reduced one");
    return add(tree, std::move(p));
  }

  int add(LoopTree& tree, Production p) {
    if (tree.productions.size() == kMaxProductions) {
      user_error<ArgumentError>("MOVE", "the order of loops repeats reductions in too many places");
    }
    made_[p.node].push_back(static_cast<int>(tree.productions.size()));
    tree.productions.push_back(std::move(p));
    return static_cast<int>(tree.productions.size()) - 1;
  }

  static void plan_accumulators(Production& p, LeafSet own, LeafSet red) {
    p.first_red = std::countr_zero(red);
    p.array_loops = own & ~red & ~below(p.first_red);
    if (is_running(p.node) && p.uses_array())
      user_error<ArgumentError>("MOVE", "a loop stands inside that of a running reduction");
    p.carried = p.array_loops == 0 ? red : red & ~(highest(p.array_loops) - 1);
  }

  const ScheduledKernel& k_;
  const LeafSet threads_;
  std::unordered_map<const Node*, Nodes> reads_;
  std::unordered_map<const Node*, LeafSet>
      end_leaves_;  // of the END around a store: it runs once a point of them
  std::unordered_map<const Node*, std::vector<int>> made_;
};

// ---- the trie

class Trie {
 public:
  Trie(LoopTree& tree, LeafSet threads, bool work_items)
      : tree_(tree), threads_(threads), work_items_(work_items) {
    tree_.loops.emplace_back();
    chains_.resize(tree.productions.size());
  }

  void add(const Item& item, LeafSet path) {
    std::vector<int> chain{0};
    if (work_items_ || (path & threads_) != 0)
      chain.push_back(enter(chain, LoopNode::kThreads, item));
    for (LeafSet rest = path & ~threads_; rest != 0; rest &= rest - 1) {
      chain.push_back(enter(chain, std::countr_zero(rest), item));
    }
    check_scopes(item, chain);
    body_of(chain.back()).push_back(add_item(item));
    if (item.production >= 0) complete(item, chain);
  }

  void finish() {
    for (size_t p = 0; p < chains_.size(); ++p) add_clear(static_cast<int>(p));
    for (LoopNode& loop : tree_.loops) sort_body(loop.body);
  }

 private:
  using Body = std::vector<LoopNode::Child>;

  Body& body_of(int loop) { return tree_.loops[static_cast<size_t>(loop)].body; }

  LoopNode::Child add_item(const Item& item) {
    tree_.items.push_back(item);
    return {false, static_cast<int>(tree_.items.size()) - 1};
  }

  int add_loop(int leaf, Body body) {
    tree_.loops.push_back({leaf, std::move(body)});
    return static_cast<int>(tree_.loops.size()) - 1;
  }

  // Remembers the loops in which the item's result is complete, outermost first.
  void complete(const Item& item, std::vector<int> chain) {
    const LeafSet scope = tree_.productions[static_cast<size_t>(item.production)].scope,
                  serial = scope & ~threads_;
    chain.resize(1 + (work_items_ || serial != scope ? 1u : 0u) +
                 static_cast<size_t>(std::popcount(serial)));
    chains_[static_cast<size_t>(item.production)] = std::move(chain);
  }

  // An accumulator array is cleared in the scope of its result, in loops that nothing else may
  // join: users of what joined would have to stand before and after the updates.
  void add_clear(int production) {
    const Production& p = tree_.productions[static_cast<size_t>(production)];
    if (!p.uses_array()) return;
    LoopNode::Child clear = add_item({Item::Kind::Clear, p.node, production, {}});
    for (LeafSet rest = p.array_loops; rest != 0; rest &= ~highest(rest)) {
      clear = {true, add_loop(std::countr_zero(highest(rest)), {clear})};
    }
    body_of(chains_[static_cast<size_t>(production)].back()).push_back(clear);
  }

  // The loop over `leaf` in which a result that the item needs is complete. Else the last one that
  // may run before what the item needs is complete; else a new one.
  int enter(const std::vector<int>& chain, int leaf, const Item& item) {
    for (int p : item.needs) {
      const std::vector<int>& theirs = chains_[static_cast<size_t>(p)];
      if (chain.size() < theirs.size()) return theirs[chain.size()];
    }
    const Body& body = body_of(chain.back());
    const std::vector<bool> first = before(body, item);
    for (size_t i = body.size(); i-- > 0;) {
      if (!body[i].is_loop || first[i]) continue;
      if (tree_.loops[static_cast<size_t>(body[i].index)].leaf == leaf) return body[i].index;
    }
    const int fresh = add_loop(leaf, {});
    body_of(chain.back()).push_back({true, fresh});
    return fresh;
  }

  void check_scopes(const Item& item, const std::vector<int>& chain) const {
    for (int p : item.needs) {
      const std::vector<int>& theirs = chains_[static_cast<size_t>(p)];
      const bool inside =
          theirs.size() <= chain.size() && std::equal(theirs.begin(), theirs.end(), chain.begin());
      TG_CHECK(inside, "a {} reads a result outside its scope", op_name(item.node->op));
    }
  }

  // ---- order inside a body
  bool holds(const LoopNode::Child& child, const std::vector<int>& productions) const {
    bool found = false;
    tree_.for_items(child, [&](const Item& it) {
      found |= std::ranges::binary_search(productions, it.production);
    });
    return found;
  }
  bool stores_to(const LoopNode::Child& child, const Node* array) const {
    bool found = false;
    tree_.for_items(child, [&](const Item& it) {
      found |= it.kind == Item::Kind::Store && it.node->src()[0] == array;
    });
    return found;
  }
  bool holds_store(const LoopNode::Child& child) const {
    bool found = false;
    tree_.for_items(child, [&](const Item& it) { found |= it.kind == Item::Kind::Store; });
    return found;
  }

  // What the items of `child` read; updates also wait for the clearing of their array.
  std::vector<int> needs_of(const LoopNode::Child& child) const {
    std::vector<int> needs;
    tree_.for_items(child, [&](const Item& it) {
      needs.insert(needs.end(), it.needs.begin(), it.needs.end());
      if (it.kind == Item::Kind::Update) needs.push_back(it.production);
    });
    sort_unique(needs);
    return needs;
  }

  // Which children must have run before the item: those that make what it needs, and what they wait
  // for. A store also keeps its place behind others to the same array.
  std::vector<bool> before(const Body& body, const Item& item) const {
    std::vector<bool> first(body.size(), false);
    std::vector<int> needs = item.needs;
    for (bool grown = true; std::exchange(grown, false);) {
      for (size_t i = 0; i < body.size(); ++i) {
        const bool wanted = holds(body[i], needs) || (item.kind == Item::Kind::Store &&
                                                      stores_to(body[i], item.node->src()[0]));
        if (first[i] || !wanted) continue;
        first[i] = grown = true;
        const std::vector<int> more = needs_of(body[i]);
        needs.insert(needs.end(), more.begin(), more.end());
        sort_unique(needs);
      }
    }
    return first;
  }

  // Each child after those that it waits for, else in the order of creation. Stores come last: in a
  // kernel that updates in place, what others read of the array is read first. The chunk loop comes
  // after all else: nothing inside it can be needed outside.
  void sort_body(Body& body) const {
    std::ranges::stable_partition(body, [&](const auto& c) { return !holds_store(c); });
    std::ranges::stable_partition(body, [&](const auto& c) {
      return !c.is_loop || tree_.loops[static_cast<size_t>(c.index)].leaf != LoopNode::kThreads;
    });
    for (size_t at = 0; at < body.size(); ++at) {
      const auto ready = std::find_if(
          body.begin() + static_cast<std::ptrdiff_t>(at), body.end(), [&](const auto& c) {
            const std::vector<int> needs = needs_of(c);
            return std::none_of(
                body.begin() + static_cast<std::ptrdiff_t>(at), body.end(), [&](const auto& d) {
                  return (d.is_loop != c.is_loop || d.index != c.index) && holds(d, needs);
                });
          });
      TG_CHECK(ready != body.end(), "loops wait for each other");
      std::rotate(body.begin() + static_cast<std::ptrdiff_t>(at), ready, ready + 1);
    }
  }

  LoopTree& tree_;
  const LeafSet threads_;
  const bool work_items_;                 // everything runs on work-items, inside the chunk loop
  std::vector<std::vector<int>> chains_;  // by production: the loops of its scope, from the root
};

}  // namespace

LoopTree build_loops(const ScheduledKernel& kernel) {
  LoopTree tree;
  const std::vector<Demand::Placed> placed = Demand(kernel).run(tree);
  Trie trie(tree, kernel.set_of(Kind::Thread), !kernel.work_items.empty());
  for (const Demand::Placed& p : placed) trie.add(p.item, p.path);
  trie.finish();
  return tree;
}

}  // namespace tg
