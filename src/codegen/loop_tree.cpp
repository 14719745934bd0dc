// Placement by a trie of loop paths. See loop_tree.h.
#include "codegen/loop_tree.h"

#include <algorithm>
#include <bit>

#include "support/check.h"
#include "uop/walk.h"

namespace tg {
namespace {

class Builder {
 public:
  explicit Builder(const ScheduledKernel& k) : k_(k) { tree_.loops.emplace_back(); }

  LoopTree run() {
    for (const Node* n : toposort(k_.sink)) {
      needs_.emplace(n, needs_of(n));
      copies_.emplace(n, copies_of(n, copies_, true));
      reads_.emplace(n, copies_of(n, reads_, false));
      if (n->op == Op::Reduce) add_plan(n);
      if (n->op == Op::Stage) place({Item::Kind::Copy, n}, (k_.deps.at(n) | k_.closed_by(n)) & k_.loops());
      if (n->op == Op::Store) place_store(n);
    }
    surround_results();
    for (AccumulatorPlan& plan : tree_.plans) finish_plan(plan);
    add_clears();
    build_trie();
    return std::move(tree_);
  }

 private:
  using CopyMap = std::unordered_map<const Node*, std::vector<const Node*>>;

  // Plans whose results a node needs, as indices; sorted, unique.
  std::vector<int> needs_of(const Node* n) {
    std::vector<int> out;
    for (const Node* s : n->src()) {
      const std::vector<int>& theirs = needs_.at(s);
      out.insert(out.end(), theirs.begin(), theirs.end());
      if (s->op == Op::Reduce) out.push_back(plan_index(s));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // STAGEs that the sources are, or that `known` tells of them.
  std::vector<const Node*> copies_of(const Node* n, const CopyMap& known, bool below_reductions) const {
    std::vector<const Node*> out;
    for (const Node* s : n->src()) {
      if (s->op == Op::Reduce && !below_reductions) continue;
      for (const Node* c : known.at(s)) {
        if (std::ranges::find(out, c) == out.end()) out.push_back(c);
      }
      if (s->op == Op::Stage && std::ranges::find(out, s) == out.end()) out.push_back(s);
    }
    return out;
  }

  int plan_index(const Node* reduce) const {
    for (size_t i = 0; i < tree_.plans.size(); ++i) {
      if (tree_.plans[i].reduce == reduce) return static_cast<int>(i);
    }
    TG_CHECK(false, "reduction without a plan");
  }

  void add_plan(const Node* n) {
    const int index = static_cast<int>(tree_.plans.size());
    const LeafSet path = (k_.deps.at(n->src()[0]) | k_.closed_by(n)) & k_.loops();
    tree_.plans.push_back({.reduce = n, .path = path});
    place({Item::Kind::Update, n, index}, path);
  }

  // A result must be complete in a scope that its users stand in. Where a user has loops outside the reduction's own parallel ones,
  // the reduction moves inside them too (and is repeated there: schedules order loops so that this is rare). Users come later in
  // the list, so going backwards sees their final paths.
  void surround_results() {
    for (size_t i = placed_.size(); i-- > 0;) {
      const auto& [item, path] = placed_[i];
      surround_copies(item, path);
      for (int needed : needs_.at(item.node)) {
        AccumulatorPlan& plan = tree_.plans[static_cast<size_t>(needed)];
        const LeafSet own = k_.deps.at(plan.reduce) & k_.loops();
        if (own == 0) continue;
        const LeafSet inside_of = up_to_last(own) & path;
        plan.path |= inside_of;
        for (auto& [other, other_path] : placed_) {
          if (other.kind == Item::Kind::Update && other.plan == needed) other_path |= inside_of;
        }
      }
    }
  }

  // A copy that is made anew in a loop stands in that loop's instance where it is read, inside the reader's outer loops, whether
  // it depends on them or not.
  void surround_copies(const Item& reader, LeafSet path) {
    for (const Node* copy : reads_.at(reader.node)) {
      const LeafSet own = k_.deps.at(copy) & k_.loops();
      for (auto& [other, other_path] : placed_) {
        if (own != 0 && other.kind == Item::Kind::Copy && other.node == copy) other_path |= up_to_last(own) & path;
      }
    }
  }

  // All leaves up to the last one of a set that is not empty.
  static LeafSet up_to_last(LeafSet set) { return (LeafSet{2} << (63 - std::countl_zero(set))) - 1; }

  void finish_plan(AccumulatorPlan& plan) {
    const LeafSet red = k_.closed_by(plan.reduce) & k_.loops();
    if (red == 0) return;
    plan.first_red = std::countr_zero(red);
    plan.array_loops = (plan.path & ~red) & ~((LeafSet{2} << plan.first_red) - 1);
    const int last_array = plan.array_loops == 0 ? -1 : 63 - std::countl_zero(plan.array_loops);
    plan.carried = last_array < 0 ? red : red & ~((LeafSet{2} << last_array) - 1);
  }

  // The clearing of an accumulator array stands right before its first update.
  void add_clears() {
    std::vector<std::pair<Item, LeafSet>> all;
    for (const auto& [item, path] : placed_) {
      if (item.kind == Item::Kind::Update) {
        const AccumulatorPlan& plan = tree_.plans[static_cast<size_t>(item.plan)];
        const LeafSet before = plan.path & ((LeafSet{1} << std::max(plan.first_red, 0)) - 1);
        if (plan.uses_array()) all.emplace_back(Item{Item::Kind::Clear, item.node, item.plan}, before | plan.array_loops);
      }
      all.emplace_back(item, path);
    }
    placed_ = std::move(all);
  }

  void place_store(const Node* n) {
    LeafSet path = 0;
    for (const Node* s : n->src()) path |= k_.deps.at(s);
    path |= end_leaves(n);
    place({Item::Kind::Store, n}, path & k_.loops());
  }

  // Leaves of the END around a store: it runs once a point of them even where its value does not depend on one.
  LeafSet end_leaves(const Node* store) const {
    for (const Node* root : k_.sink.node()->src()) {
      if (root->op == Op::End && root->src()[0] == store) return k_.closed_by(root);
    }
    return 0;
  }

  // Is a result that `item` needs still incomplete inside this loop: is the loop the reduction's first one, or further in?
  bool must_wait_for(const Item& item, int loop_index) const {
    const int leaf = tree_.loops[static_cast<size_t>(loop_index)].leaf;
    for (int needed : needs_.at(item.node)) {
      const AccumulatorPlan& p = tree_.plans[static_cast<size_t>(needed)];
      if (p.first_red >= 0 && leaf >= p.first_red && holds_update(loop_index, needed)) return true;
    }
    return false;
  }

  template <typename Test>
  bool any_item(const LoopNode::Child& child, const Test& test) const {
    std::vector<LoopNode::Child> work{child};
    while (!work.empty()) {
      const LoopNode::Child c = work.back();
      work.pop_back();
      if (c.is_loop) {
        const auto& body = tree_.loops[static_cast<size_t>(c.index)].body;
        work.insert(work.end(), body.begin(), body.end());
      } else if (test(tree_.items[static_cast<size_t>(c.index)])) {
        return true;
      }
    }
    return false;
  }

  bool holds_update(int loop_index, int plan) const {
    return any_item({true, loop_index}, [&](const Item& it) { return it.kind == Item::Kind::Update && it.plan == plan; });
  }

  // Must `item` come after `child`? It waits for the results and copies that it needs, and for every store. A clearing waits for
  // the copies of its update that stand outside the update's loops, lest they come between the two.
  bool depends_on(const Item& item, const LoopNode::Child& child) const {
    if (item.kind == Item::Kind::Clear && child.is_loop) {
      const int leaf = tree_.loops[static_cast<size_t>(child.index)].leaf;
      if (leaf >= 0 && (tree_.plans[static_cast<size_t>(item.plan)].path >> leaf & 1) != 0) return false;
    }
    const std::vector<int>& needed = needs_.at(item.node);
    const std::vector<const Node*>& copies = copies_.at(item.node);
    return any_item(child, [&](const Item& it) {
      if (it.kind == Item::Kind::Copy) return std::ranges::find(copies, it.node) != copies.end();
      if (item.kind == Item::Kind::Clear) return false;
      if (it.kind == Item::Kind::Store) return true;
      return it.plan == item.plan || std::ranges::find(needed, it.plan) != needed.end();
    });
  }

  void place(const Item& item, LeafSet path) { placed_.emplace_back(item, path); }

  // Items outside the launch's chunk loop come first: nothing inside it can be needed outside.
  void build_trie() {
    const LeafSet threads = k_.set_of(Kind::Thread);
    std::ranges::stable_partition(placed_, [&](const auto& p) { return (p.second & threads) == 0; });
    for (const auto& [item, path] : placed_) {
      int at = 0;
      if ((path & threads) != 0) at = enter(at, LoopNode::kThreads, item);
      for (LeafSet rest = path & ~threads; rest != 0; rest &= rest - 1) at = enter(at, std::countr_zero(rest), item);
      insert(at, item, {false, static_cast<int>(tree_.items.size())});
      tree_.items.push_back(item);
    }
  }

  // As early as what the item needs allows: loops that others may still join then stay last, as does one that a copy shares with
  // its reader. The chunk loop comes after all else.
  void insert(int at, const Item& item, const LoopNode::Child& child) {
    auto& body = tree_.loops[static_cast<size_t>(at)].body;
    size_t place = body.size();
    const int leaf = child.is_loop ? tree_.loops[static_cast<size_t>(child.index)].leaf : 0;
    const bool shared = child.is_loop && item.kind == Item::Kind::Copy && leaf >= 0 && (k_.closed_by(item.node) >> leaf & 1) == 0;
    const bool stays = shared || leaf == LoopNode::kThreads;
    while (!stays && place > 0 && !depends_on(item, body[place - 1])) --place;
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(place), child);
  }

  // The last loop of the body over the same leaf that the item may join, else a new one.
  int enter(int at, int leaf, const Item& item) {
    const auto& body = tree_.loops[static_cast<size_t>(at)].body;
    for (size_t i = body.size(); i-- > 0;) {
      const int loop = body[i].index;
      if (body[i].is_loop && tree_.loops[static_cast<size_t>(loop)].leaf == leaf && !must_wait_for(item, loop)) return loop;
      if (depends_on(item, body[i])) break;
    }
    const int fresh = static_cast<int>(tree_.loops.size());
    tree_.loops.push_back({leaf, {}});
    insert(at, item, {true, fresh});
    return fresh;
  }

  const ScheduledKernel& k_;
  LoopTree tree_;
  std::vector<std::pair<Item, LeafSet>> placed_;
  std::unordered_map<const Node*, std::vector<int>> needs_;
  CopyMap copies_;  // STAGEs below a node
  CopyMap reads_;   // those that are read in this node's own loops: not the ones below a reduction
};

}  // namespace

const AccumulatorPlan& LoopTree::plan_of(const Node* reduce) const {
  for (const AccumulatorPlan& p : plans) {
    if (p.reduce == reduce) return p;
  }
  TG_CHECK(false, "reduction without a plan");
}

LoopTree build_loops(const ScheduledKernel& kernel) { return Builder(kernel).run(); }

}  // namespace tg
