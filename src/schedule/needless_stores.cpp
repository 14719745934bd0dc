// One walk over the graph, sources before users. See needless_stores.h.
#include "schedule/needless_stores.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "tg/ir/walk.h"

namespace tg {
namespace {

bool stores_what_is_there(const UOp& effect) {
  return effect.is(Op::Store) && effect.src(0) == effect.src(1);
}

class NeedlessStores {
 public:
  UOp run(const UOp& graph) {
    const std::vector<const Node*> order = toposort(graph);
    if (std::ranges::none_of(order, [](const Node* n) { return n->op == Op::After; })) return graph;
    for (const Node* n : order) {
      for (const Node* s : n->src()) ++uses_[s];
    }
    for (const Node* n : order) {
      std::vector<UOp> src;
      for (const Node* s : n->src()) src.push_back(now_.at(s));
      if (n->op == Op::After && replaces_all_unread(n)) leave_out_base(n->src()[0], src);
      if (n->op == Op::After) std::erase_if(src, stores_what_is_there);
      const bool is_empty = n->op == Op::After && src.size() == 1;
      now_.emplace(n, is_empty ? src[0] : with_sources(UOp::share(n), src));
    }
    return now_.at(graph.node());
  }

 private:
  // The version before is known to this one alone, whose only store replaces every element of it.
  bool replaces_all_unread(const Node* version) const {
    const Node* base = version->src()[0];
    return base->op == Op::After && version->n_src == 2 && version->src()[1]->op == Op::Store &&
           version->src()[1]->src()[0] == base && uses_.at(base) == 2 &&
           uses_.at(version->src()[1]) == 1;
  }

  // The store starts from the version before the one that nobody reads, unless that is left
  // already.
  void leave_out_base(const Node* base, std::vector<UOp>& src) const {
    const UOp& before = now_.at(base->src()[0]);
    if (src[0] != before) src = {before, store(before, src[1].src(1))};
  }

  std::unordered_map<const Node*, int> uses_;
  std::unordered_map<const Node*, UOp> now_;
};

}  // namespace

UOp without_needless_stores(const UOp& graph) { return NeedlessStores().run(graph); }

}  // namespace tg
