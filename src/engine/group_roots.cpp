// See group_roots.h.
#include "engine/group_roots.h"

#include <limits>

#include "engine/versions.h"
#include "runtime/buffer.h"
#include "schedule/window.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/device_groups.h"
#include "uop/limits.h"

namespace tg {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

std::span<const UOp> checked(std::span<const UOp> roots) {
  std::vector<UOp> stored;
  for (const Node* n : toposort(roots)) {
    if (n->op == Op::Buffer && is_group(n->device)) stored.push_back(UOp::share(n));
  }
  check_versions(stored);
  return roots;
}

// Storage of its own, where this would be a mere name of some.
UOp computed(const UOp& x) { return storage_below(x.node()) != nullptr ? copied(x) : x; }

Buffer& storage_behind(const UOp& value) {
  const Node* n = value.node();
  while (in_group(n->op, kMovement)) n = n->src()[0];  // sizes that are expressions
  TG_CHECK(n->op == Op::Buffer, "a part became {}", op_name(n->op));
  return *static_cast<Buffer*>(n->resource);
}

}  // namespace

// Values of single devices first: a part that is equal to one of them has to be another storage.
GroupRoots::GroupRoots(std::span<const UOp> roots)
    : roots_(roots.begin(), roots.end()),
      partition_(checked(roots)),
      single_(roots.size(), kNone),
      group_(roots.size(), kNone) {
  for (size_t i = 0; i < roots_.size(); ++i) {
    if (!is_group(roots_[i].device())) add_single(i);
  }
  for (size_t i = 0; i < roots_.size(); ++i) {
    if (is_group(roots_[i].device())) add_parts(i);
  }
  add_pending();
}

// An assignment to storage on a group happens on all devices or on none: its name says so of all,
// even where the roots read one part only.
void GroupRoots::add_pending() {
  std::vector<const Node*> last;
  std::unordered_set<const Node*> overwritten;
  for (const Node* n : toposort(roots_)) {
    if (n->op != Op::After || !is_group(n->device)) continue;
    last.push_back(n);
    overwritten.insert(n->src()[0]);
  }
  for (const Node* n : last) {
    if (overwritten.contains(n)) continue;
    for (const UOp& p : partition_.parts(n).parts) add(p);
  }
}

size_t GroupRoots::add(const UOp& plain) {
  plain_.push_back(plain);
  return plain_.size() - 1;
}

void GroupRoots::add_single(size_t root) {
  const UOp& r = roots_[root];
  UOp now = partition_.single(r.node());
  if (storage_below(r.node()) == nullptr) {
    now = computed(now);
    taken_.insert(now.node());
  }
  single_[root] = add(now);
}

void GroupRoots::add_parts(size_t root) {
  const UOp& r = roots_[root];
  if (const Node* below = storage_below(r.node()); below != nullptr) {
    for (const UOp& p : partition_.parts(below).parts) add(p);  // what waits to be written
    return;
  }
  const Spread& value = partition_.parts(r.node());
  const auto members = members_of(value.group);
  std::vector<size_t> key = {static_cast<size_t>(value.group), static_cast<size_t>(value.axis + 1)};
  for (const UOp& p : value.parts) key.push_back(ids_.emplace(p.node(), ids_.size()).first->second);
  const auto [known, fresh] = known_.emplace(std::move(key), parts_.size());
  group_[root] = known->second;
  if (!fresh) return;
  Parts parts{{}, value.axis};
  for (size_t k = 0; k < members.size(); ++k) {
    UOp p = value.parts[k];
    p = computed(p.device() == 0 ? copy_to(p, members[k]) : p);
    while (!taken_.insert(p.node()).second) p = copied(p);
    parts.places.push_back(add(p));
  }
  parts_.push_back(std::move(parts));
}

UOp GroupRoots::stored_together(const UOp& root, const Parts& parts, const Realized& plain) const {
  std::vector<Ref<Buffer>> storage;
  for (const size_t place : parts.places)
    storage.push_back(Ref<Buffer>::share(&storage_behind(plain.values[place])));
  const auto whole = make_ref<Buffer>(std::move(storage), parts.axis);
  return buffer(root.shape_vec(), root.dtype(), root.device(), whole.get());
}

Realized GroupRoots::joined(const Realized& plain) const {
  Realized out;
  std::unordered_map<const Node*, UOp> now;
  for (const auto& [before, after] : plain.versions) {
    const UOp whole = partition_.whole_of(before.node());
    if (!whole) {
      out.versions.emplace_back(before, after);
    } else if (!now.contains(whole.node())) {
      out.versions.emplace_back(whole, next_version(whole));
      now.emplace(whole.node(), out.versions.back().second);
    }
  }
  std::vector<UOp> stored(parts_.size());
  for (size_t i = 0; i < roots_.size(); ++i) {
    const UOp& r = roots_[i];
    if (single_[i] != kNone) {
      out.values.push_back(plain.values[single_[i]]);
    } else if (group_[i] == kNone) {
      out.values.push_back(over_versions(r, now));
    } else {
      UOp& whole = stored[group_[i]];
      if (!whole) whole = stored_together(r, parts_[group_[i]], plain);
      out.values.push_back(with_limits_of(whole, r.node()));
    }
  }
  return out;
}

}  // namespace tg
