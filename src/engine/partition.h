// A graph over several devices taken apart: each node on a group becomes a node a member, of the
// shape of its part, and what remains is an ordinary graph in which COPY alone goes from device to
// device. Elementwise operations act on parts, movement moves them, a reduction over the axis that
// is split is a reduction a member and an all-reduce; what cannot act on parts acts on the whole,
// which is then collected on every member. Reductions across members: all_reduce.h; how a value
// lies: sharding.h; running what comes out: realize_groups.cpp.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/spread.h"

namespace tg {

class Partition {
 public:
  /// Of everything below the roots, whose storage must be there (Buffer).
  explicit Partition(std::span<const UOp> roots);

  /// What stands in the place of a node that lives nowhere or on one device.
  const UOp& single(const Node* n) const;
  /// The parts of a node on a group.
  const Spread& parts(const Node* n) const;
  /// The BUFFER on a group that a member's BUFFER is a part of; empty if it is none.
  UOp whole_of(const Node* part) const;

 private:
  void build(const Node* n);
  UOp rebuilt(const Node* n) const;
  Spread taken_apart(const Node* n);
  Spread storage(const Node* n);
  Spread copied_to_group(const Node* n) const;
  Spread computed(const Node* n) const;
  Spread written(const Node* n) const;
  Spread after_store(const Node* base, const Node* store, const Spread& before) const;
  Spread operand(const Node* source, DeviceId group, int axis) const;
  int axis(const Node* n) const;

  std::unordered_map<const Node*, UOp> single_;
  std::unordered_map<const Node*, Spread> parts_;
  std::unordered_map<const Node*, UOp> whole_;
};

}  // namespace tg
