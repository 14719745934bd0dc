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
      if (n->op == Op::Reduce) place_reduce(n);
      if (n->op == Op::Stage) place({Item::Kind::Copy, n}, (k_.deps.at(n) | k_.closed_by(n)) & k_.loops());
      if (n->op == Op::Store) place_store(n);
    }
    build_trie();
    return std::move(tree_);
  }

 private:
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

  int plan_index(const Node* reduce) const {
    for (size_t i = 0; i < tree_.plans.size(); ++i) {
      if (tree_.plans[i].reduce == reduce) return static_cast<int>(i);
    }
    TG_CHECK(false, "reduction without a plan");
  }

  void place_reduce(const Node* n) {
    AccumulatorPlan plan{.reduce = n};
    const LeafSet red = k_.closed_by(n) & k_.loops();
    plan.path = (k_.deps.at(n->src()[0]) | k_.closed_by(n)) & k_.loops();
    if (red != 0) {
      plan.first_red = std::countr_zero(red);
      plan.array_loops = (plan.path & ~red) & ~((LeafSet{2} << plan.first_red) - 1);
      const int last_array = plan.array_loops == 0 ? -1 : 63 - std::countl_zero(plan.array_loops);
      plan.carried = last_array < 0 ? red : red & ~((LeafSet{2} << last_array) - 1);
    }
    const int index = static_cast<int>(tree_.plans.size());
    tree_.plans.push_back(plan);
    if (plan.uses_array()) {
      const LeafSet before = plan.path & ((LeafSet{1} << plan.first_red) - 1);
      place({Item::Kind::Clear, n, index}, before | plan.array_loops);
    }
    place({Item::Kind::Update, n, index}, plan.path);
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

  bool holds_update(int loop_index, int plan) const {
    std::vector<int> work{loop_index};
    while (!work.empty()) {
      const LoopNode& loop = tree_.loops[static_cast<size_t>(work.back())];
      work.pop_back();
      for (const LoopNode::Child& c : loop.body) {
        if (c.is_loop) {
          work.push_back(c.index);
        } else {
          const Item& it = tree_.items[static_cast<size_t>(c.index)];
          if (it.kind == Item::Kind::Update && it.plan == plan) return true;
        }
      }
    }
    return false;
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
      tree_.loops[static_cast<size_t>(at)].body.push_back({false, static_cast<int>(tree_.items.size())});
      tree_.items.push_back(item);
    }
  }

  // The last entry of the body if it is a loop over the same leaf that may be shared, else a new loop.
  int enter(int at, int leaf, const Item& item) {
    const auto& body = tree_.loops[static_cast<size_t>(at)].body;
    if (!body.empty() && body.back().is_loop) {
      const int last = body.back().index;
      if (tree_.loops[static_cast<size_t>(last)].leaf == leaf && !must_wait_for(item, last)) return last;
    }
    const int fresh = static_cast<int>(tree_.loops.size());
    tree_.loops.push_back({leaf, {}});
    tree_.loops[static_cast<size_t>(at)].body.push_back({true, fresh});
    return fresh;
  }

  const ScheduledKernel& k_;
  LoopTree tree_;
  std::vector<std::pair<Item, LeafSet>> placed_;
  std::unordered_map<const Node*, std::vector<int>> needs_;
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
