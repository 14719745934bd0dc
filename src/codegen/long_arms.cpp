// See long_arms.h. From the users to the sources, each value learns under which conditions it is
// needed at all: those of its users that all of them have, and that of a select whose arm it is.
// It waits for the last of those that enough values wait for to be worth a jump.
#include "codegen/long_arms.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "tg/ir/walk.h"

namespace tg {
namespace {

/// Operations from which on a jump is worth more than it costs where it is predicted wrongly.
constexpr int kLongArm = 64;
/// Conditions that a value remembers.
constexpr size_t kMostConditions = 8;

// Accesses and reductions stand where they stand; what may wait is arithmetic.
bool can_wait(const Node* n) { return in_group(n->op, kElementwise); }

/// Conditions by number, those of outer selects first.
using Conditions = std::vector<int>;

class Needs {
 public:
  explicit Needs(std::span<const Node* const> order) {
    for (const Node* n : order | std::views::reverse) {
      for (size_t i = 0; i < n->src().size(); ++i) {
        const Node* source = n->src()[i];
        if (can_wait(source)) needed(source, under(n, i));
      }
    }
  }

  /// The number of a select's condition and arm; −1 if no value belongs to it.
  int number_of(const Node* select, size_t arm) const {
    const auto it = numbers_.find(select->src()[0]);
    return it == numbers_.end() ? -1 : it->second + static_cast<int>(arm) - 1;
  }
  const Conditions& of(const Node* n) const {
    static const Conditions kAlways;
    const auto it = needs_.find(n);
    return it == needs_.end() ? kAlways : it->second;
  }
  size_t count() const { return 2 * numbers_.size(); }

 private:
  Conditions under(const Node* user, size_t source) {
    if (!can_wait(user)) return {};
    Conditions out = of(user);
    if (user->op != Op::Where || source == 0 || out.size() == kMostConditions) return out;
    const int next = static_cast<int>(count());
    const int number =
        numbers_.emplace(user->src()[0], next).first->second + static_cast<int>(source) - 1;
    if (std::ranges::find(out, number) == out.end()) out.push_back(number);
    return out;
  }

  void needed(const Node* n, Conditions when) {
    const auto [it, first] = needs_.try_emplace(n, when);
    if (first) return;
    std::erase_if(it->second, [&](int c) { return std::ranges::find(when, c) == when.end(); });
  }

  std::unordered_map<const Node*, Conditions> needs_;
  std::unordered_map<const Node*, int> numbers_;  ///< of conditions, for arm 1; arm 2 is the next
};

// Conditions that enough values wait for, and one arm of each.
std::vector<bool> worth_a_jump(const Needs& needs, std::span<const Node* const> order) {
  std::vector<int> size(needs.count(), 0);
  for (const Node* n : order) {
    for (const int c : needs.of(n)) ++size[static_cast<size_t>(c)];
  }
  std::vector<bool> worth(size.size());
  for (size_t k = 0; k < worth.size(); ++k)
    worth[k] = size[k] >= kLongArm && (k % 2 == 0 || !worth[k - 1]);
  return worth;
}

}  // namespace

LongArms::LongArms(const UOp& kernel) {
  const std::vector<const Node*> order = toposort(kernel);
  if (std::ranges::none_of(order, [](const Node* n) { return n->op == Op::Where; })) return;
  const Needs needs(order);
  const std::vector<bool> worth = worth_a_jump(needs, order);
  for (const Node* n : order) {
    for (const int c : needs.of(n)) {
      if (worth[static_cast<size_t>(c)]) region_[n] = c;
    }
  }
  for (const Node* n : order) {
    for (const size_t arm : {size_t{1}, size_t{2}}) {
      if (n->op != Op::Where) continue;
      const int number = needs.number_of(n, arm);
      if (number >= 0 && region_of(n->src()[arm]) == number) arm_[n] = static_cast<int>(arm);
    }
  }
}

int LongArms::arm_of(const Node* select) const {
  const auto it = arm_.find(select);
  return it == arm_.end() ? 0 : it->second;
}

int LongArms::region_of(const Node* n) const {
  const auto it = region_.find(n);
  return it == region_.end() ? -1 : it->second;
}

}  // namespace tg
