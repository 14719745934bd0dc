// Values on several devices as roots of a run on each: what has to be computed, and how the results
// become storage of a whole again. The graph between is taken apart by partition.h.
#pragma once

#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/partition.h"
#include "engine/realize.h"

namespace tg {

class GroupRoots {
 public:
  /// ArgumentError if storage on a group that the roots read was overwritten since.
  explicit GroupRoots(std::span<const UOp> roots);

  /// What is to be computed, of nodes on single devices.
  const std::vector<UOp>& plain() const { return plain_; }
  /// What that gave, as values of the roots.
  Realized joined(const Realized& plain) const;

 private:
  struct Parts {
    std::vector<size_t> places;  // in plain_, by member
    int axis = kWhole;
  };
  void add_single(size_t root);
  void add_parts(size_t root);
  void add_pending();
  size_t add(const UOp& plain);
  UOp stored_together(const UOp& root, const Parts& parts, const Realized& plain) const;

  std::vector<UOp> roots_;
  Partition partition_;
  std::vector<UOp> plain_;
  std::vector<size_t> single_;  // by root: its place in plain_
  std::vector<size_t> group_;   // by root: which of parts_; of one that names storage: kNone
  std::vector<Parts> parts_;
  std::map<std::vector<size_t>, size_t> known_;  // of parts_, by the ids of their values
  std::unordered_map<const Node*, size_t> ids_;  // of values of parts
  std::unordered_set<const Node*> taken_;        // roots of plain_ that become storage
};

}  // namespace tg
