// From the stores to the loads: a node matters where one of its users does, an arm of a choice only
// where it is chosen. See needed_places.h.
#include "schedule/needed_places.h"

#include <algorithm>
#include <unordered_map>

#include "rules/index.h"
#include "support/check.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;  // places are below

bool negates(const UOp& u) { return u.is(Op::Xor) && u.src(1).is_const(1); }

UOp negated(const UOp& condition) {
  return negates(condition) ? condition.src(0) : condition ^ constant(1, DType::Bool);
}

class Walker {
 public:
  explicit Walker(const UOp& kernel) : order_(toposort(kernel)) {}

  std::vector<std::optional<PlaceConditions>> run() {
    where_[order_.back()] = {};
    for (size_t i = order_.size(); i-- > 0;) visit(order_[i]);
    return std::move(out_);
  }

 private:
  void visit(const Node* n) {
    const auto known = where_.find(n);
    if (known == where_.end()) return;
    PlaceConditions here = known->second;
    if (n->op == Op::Load || n->op == Op::Store) {
      if (const UOp gate = gate_of(UOp::share(n))) add(gate, here);
      if (n->op == Op::Load) note_load(n, here);
    }
    for (size_t s = 0; s < n->n_src; ++s) {
      const bool is_arm = n->op == Op::Where && s > 0;
      if (!is_arm) {
        meet(n->src()[s], here);
        continue;
      }
      PlaceConditions chosen = here;
      const UOp condition = UOp::share(n->src()[0]);
      add(s == 1 ? condition : negated(condition), chosen);
      meet(n->src()[s], std::move(chosen));
    }
  }

  static void add(const UOp& condition, PlaceConditions& out) {
    for (const UOp& c : conjuncts(condition)) {
      if (std::ranges::find(out, c) == out.end()) out.push_back(c);
    }
  }

  void meet(const Node* source, PlaceConditions here) {
    const auto [known, fresh] = where_.try_emplace(source, std::move(here));
    if (!fresh) known->second = common_conditions(known->second, here);
  }

  void note_load(const Node* load, const PlaceConditions& here) {
    const Node* array = load->src()[0];
    if (array->op != Op::Param) return;
    std::unordered_map<const Node*, UOp> places;
    for (size_t axis = 0; axis < array->n_dim; ++axis) {
      const Node* index = load->src()[1 + axis];
      if (index->op == Op::Range) places.try_emplace(index, place(axis));
    }
    PlaceConditions found;
    for (const UOp& c : here) {
      if (compares_places(c, places)) found.push_back(substitute(c, places));
    }
    const auto slot = static_cast<size_t>(array->arg()[0]);
    if (out_.size() <= slot) out_.resize(slot + 1);
    out_[slot] = out_[slot] ? common_conditions(*out_[slot], found) : std::move(found);
  }

  // Of one axis alone a box says it (trim_stores.cpp).
  static bool compares_places(const UOp& condition,
                              const std::unordered_map<const Node*, UOp>& places) {
    size_t compared = 0;
    for (const Node* n : toposort(condition)) {
      if (n->op == Op::Load || n->op == Op::Reduce) return false;
      if (n->op != Op::Range) continue;
      if (!places.contains(n)) return false;
      ++compared;
    }
    return compared > 1;
  }

  std::vector<const Node*> order_;
  std::unordered_map<const Node*, PlaceConditions> where_;  // by node, in terms of its loops
  std::vector<std::optional<PlaceConditions>> out_;         // by slot
};

}  // namespace

UOp place(size_t axis) { return variable(fmt::format("place{}", axis), 0, kFar); }

PlaceConditions common_conditions(const PlaceConditions& a, const PlaceConditions& b) {
  PlaceConditions out;
  std::ranges::copy_if(a, std::back_inserter(out),
                       [&](const UOp& c) { return std::ranges::find(b, c) != b.end(); });
  return out;
}

std::vector<std::optional<PlaceConditions>> needed_places(const UOp& kernel) {
  return Walker(kernel).run();
}

}  // namespace tg
