// Rules and rule sets: the replacement of a pattern, its condition, and the index by which a set
// finds the rules for a node. `rule("mul-zero", x * 0, 0).when(is_integer(x))` is data: it prints,
// is counted and is fuzzed by evaluating both sides; a function on the right is for real
// computation only. Applying sets to graphs: rewrite.h.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "tg/export.h"
#include "tg/ir/pattern.h"

namespace tg {

/// The nodes that the placeholders of a match stand for. Valid while the matched graph is held.
class TG_API Match {
 public:
  UOp root() const { return UOp::share(root_); }
  /// The node bound by a placeholder; empty if the pattern does not have it.
  UOp operator[](Pattern placeholder) const;
  const Node* slot(int i) const { return slots_[static_cast<size_t>(i)]; }

  const Node* root_ = nullptr;
  std::array<const Node*, kMaxSlots> slots_{};
};

/// The value if `n` is a CONST, or one spread by RESHAPE, EXPAND, PERMUTE or SPLAT; else null.
TG_API const Node* constant_under(const Node* n);
/// `v` in the shape or lanes of `n`.
TG_API UOp spread_like(const Node* n, const Scalar& v);

/// Tries `p` on `n`, commutative ops in both orders, with full backtracking; the first match in a
/// fixed order wins.
TG_API bool match(Pattern p, const Node* n, Match& out);
/// `p` with its placeholders replaced. A literal takes dtype, shape and lanes of its first sibling
/// that is none, at the root those of the match's root.
TG_API UOp instantiate(Pattern p, const Match& m);

/// A condition on the dtype of a bound node; `any` stands for the matched node itself.
enum class DTypeClass : uint8_t { Integer, IntegerOrBool, Bool, Float, NotFloat };
struct Condition {
  int slot;
  DTypeClass of;
};
inline Condition is_integer(Pattern p) { return {p->slot, DTypeClass::Integer}; }
inline Condition is_integer_or_bool(Pattern p) { return {p->slot, DTypeClass::IntegerOrBool}; }
inline Condition is_bool(Pattern p) { return {p->slot, DTypeClass::Bool}; }
inline Condition is_float(Pattern p) { return {p->slot, DTypeClass::Float}; }
inline Condition is_not_float(Pattern p) { return {p->slot, DTypeClass::NotFloat}; }

/// Computes a replacement; empty: the rule does not apply.
using RuleFn = UOp (*)(const Match&);
using RulePredicate = bool (*)(const Match&);

template <typename F>
concept RuleFunction = std::is_class_v<F> && std::convertible_to<F, RuleFn>;

class TG_API Rule {
 public:
  Rule(std::string_view name, Pattern lhs, Pattern rhs);
  Rule(std::string_view name, Pattern lhs, RuleFn fn);

  Rule& when(Condition c) {
    conditions_.push_back(c);
    return *this;
  }
  template <typename F>
    requires std::is_class_v<F> && std::convertible_to<F, RulePredicate>
  Rule& when(F predicate) {
    predicate_ = predicate;
    return *this;
  }

  /// The replacement of `n`, or empty. A replacement by the node itself counts as none.
  UOp apply(const Node* n) const;
  bool matches(const Node* n, Match& m) const;

  const std::string& name() const { return name_; }
  Pattern lhs() const { return lhs_; }
  /// The right side of a data rule.
  Pattern rhs() const { return rhs_; }
  bool is_data() const { return fn_ == nullptr; }
  /// How often it has been applied in this process; shared by copies.
  int64_t hits() const { return hits_->load(std::memory_order_relaxed); }
  /// "mul-zero: x * 0 -> 0"
  std::string print() const;

 private:
  std::string name_;
  Pattern lhs_, rhs_;
  RuleFn fn_ = nullptr;
  RulePredicate predicate_ = nullptr;
  std::vector<Condition> conditions_;
  std::shared_ptr<std::atomic<int64_t>> hits_;
};

inline Rule rule(std::string_view name, Pattern lhs, Pattern rhs) { return {name, lhs, rhs}; }
template <RuleFunction F>
Rule rule(std::string_view name, Pattern lhs, F fn) {
  return {name, lhs, static_cast<RuleFn>(fn)};
}

/// Rules in order; the first that applies wins. Immutable and shareable between threads.
class TG_API RuleSet {
 public:
  RuleSet() = default;
  /// InternalError if two rules have one name.
  RuleSet(std::initializer_list<Rule> rules);
  /// The rules of both, `a`'s first.
  friend RuleSet operator+(const RuleSet& a, const RuleSet& b);

  /// The first replacement of `n` and the rule that gave it; empty if none applies.
  UOp apply(const Node* n, const Rule** by = nullptr) const;
  const std::vector<Rule>& rules() const { return rules_; }
  /// The rule with this name, or null.
  const Rule* find(std::string_view name) const;

 private:
  struct Entry {
    uint32_t rule;
    uint64_t source_ops;  // ops that the sources must have among them
  };
  void index();

  std::vector<Rule> rules_;
  std::array<std::vector<Entry>, kNumOps> by_op_;
};

}  // namespace tg
