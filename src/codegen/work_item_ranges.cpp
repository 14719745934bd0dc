// See work_item_ranges.h.
#include "codegen/work_item_ranges.h"

#include <algorithm>
#include <bit>

#include "support/check.h"

namespace tg {
namespace {

// By leaf: the Local leaves that some value depends on together with it.
std::vector<LeafSet> leaves_sharing_values(const ScheduledKernel& k, LeafSet locals) {
  std::vector<LeafSet> together(k.leaves.size(), 0);
  for (const auto& [node, deps] : k.deps) {
    LeafSet all = deps | k.closed_by(node);
    for (const Node* s : node->src()) {
      if (node->op == Op::Reduce || node->op == Op::Stage || node->op == Op::End)
        all |= k.deps.at(s);
    }
    all &= locals;
    for (LeafSet rest = all; rest != 0; rest &= rest - 1)
      together[static_cast<size_t>(std::countr_zero(rest))] |= all;
  }
  return together;
}

}  // namespace

void share_work_items(ScheduledKernel& k, const Target& target) {
  const LeafSet locals = k.set_of(Kind::Local);
  if (locals == 0) return;
  if (target.max_group_size == 0)
    user_error<ArgumentError>("LOCAL", "the target has no work-items");
  const std::vector<LeafSet> together = leaves_sharing_values(k, locals);
  std::vector<LeafSet> shared;
  int64_t group_size = 1;
  for (LeafSet rest = locals; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(rest));
    Leaf& leaf = k.leaves[i];
    size_t at = leaf.unit_bit >= 0 ? shared.size() : 0;  // lanes of a unit are fastest
    while (at < shared.size() &&
           (k.work_items[at] != leaf.extent || (shared[at] & together[i]) != 0))
      ++at;
    if (at == shared.size()) {
      shared.push_back(0);
      k.work_items.push_back(leaf.extent);
      group_size = saturating_mul(group_size, leaf.extent);
    }
    shared[at] |= LeafSet{1} << i;
    leaf.work_items = static_cast<int>(at);
  }
  if (group_size > target.max_group_size) {
    user_error<ArgumentError>("LOCAL", fmt::format("a group of {} work-items, of {} allowed",
                                                   group_size, target.max_group_size));
  }
}

std::vector<int> ScheduledKernel::work_items_outside(LeafSet set) const {
  std::vector<int> out;
  for (size_t d = 0; d < work_items.size(); ++d) {
    bool inside = false;
    for (size_t i = 0; i < leaves.size(); ++i)
      inside = inside || ((set >> i & 1) != 0 && leaves[i].work_items == static_cast<int>(d));
    if (!inside) out.push_back(static_cast<int>(d));
  }
  return out;
}

}  // namespace tg
