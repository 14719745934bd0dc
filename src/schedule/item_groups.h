// Items of a schedule joined into groups, and an order in which the groups can run, kept as they
// are joined. Which groups become one kernel: merge_kernels.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tg {

/// Each item is a group of its own at first; a group has the number of its first item.
class ItemGroups {
 public:
  /// `users[i]` are the items that wait for item i, without cycles; it must outlive this object.
  explicit ItemGroups(const std::vector<std::vector<size_t>>& users);

  size_t group_of(size_t item) const { return group_of_[item]; }
  /// In an order in which they can run.
  std::span<const size_t> members(size_t group) const { return members_[group]; }
  /// Those of both, in an order in which they can run.
  std::vector<size_t> joined_members(size_t a, size_t b) const;

  /// Can the two groups become one: is there no way from one to the other through a third? Looks
  /// only at groups that stand between them. A way is also assumed where there are more than
  /// kMaxSearch of those.
  bool can_join(size_t a, size_t b) const { return reached_between(a, b).has_value(); }
  /// Joins two groups that can be joined. O(groups that stand between them), as Pearce and Kelly,
  /// "A dynamic topological sort algorithm for directed acyclic graphs" (2006), insert an edge.
  /// Returns the number of the joined group.
  size_t join(size_t a, size_t b);

  /// The groups so that each comes after those that it waits for; ties by their first item.
  std::vector<size_t> order() const;

  static constexpr size_t kMaxSearch = 4096;

 private:
  // What the earlier of both reaches before the later one; nothing if it reaches that through
  // others.
  std::optional<std::vector<size_t>> reached_between(size_t a, size_t b) const;

  const std::vector<std::vector<size_t>>& users_;
  std::vector<size_t> group_of_;              // by item
  std::vector<size_t> rank_;                  // by item
  std::vector<std::vector<size_t>> members_;  // by group
  std::vector<size_t> place_;                 // by group: in an order in which groups can run
  std::vector<size_t> at_;                    // by place; kNone where a group went into another
};

}  // namespace tg
