// The rules of the tensor and ranged grammars: a table of sentences with a predicate each, then
// what no single node shows. Linear code is checked in verify_linear.cpp.
#include "rewrite/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "rewrite/verify_rules.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

bool is_storable(DType t) { return t != DType::Void && t != DType::Index; }

// ---- T
const Node* below_movement(const Node* n) {
  while (in_group(n->op, kMovement)) n = n->src()[0];
  return n;
}

bool stores_to_view(const Node* n) {
  if (n->op != Op::Store) return true;
  const Op base = below_movement(n->src()[0])->op;
  return n->n_arg == 0 && (base == Op::Buffer || base == Op::Param || base == Op::After);
}

bool keeps_effects_apart(const Node* n) {
  if (n->op == Op::Sink) return true;
  for (size_t i = 0; i < n->n_src; ++i) {
    const bool effect = n->src()[i]->dtype == DType::Void;
    const bool wanted = (n->op == Op::After && i > 0) || (n->op == Op::End && i == 0);
    if (effect != wanted) return false;
  }
  return true;
}

bool names_storable_dtype(const Node* n) {
  const bool storage = n->op == Op::Buffer || n->op == Op::Param || n->op == Op::Contiguous;
  return !storage || is_storable(n->dtype);
}

constexpr VerifyRule kTensorRules[] = {
    {"only ops of the tensor stage",
     [](const Node* n) { return (stages_of(n->op) & kTensorStage) != 0; }},
    {"values have one lane", [](const Node* n) { return n->lanes == 1; }},
    {"reduce names axes, not ranges",
     [](const Node* n) { return n->op != Op::Reduce || n->n_src == 1; }},
    {"store writes to a movement chain over storage", stores_to_view},
    {"effects are used by after and sink only", keeps_effects_apart},
    {"storage has a storable dtype", names_storable_dtype},
};

// ---- R
bool is_pointer(const Node* n) { return n->space != Space::Value; }

bool closes_ranges(const Node* n) {
  if (!is_closing(n)) return true;
  return n->n_src > 1 &&
         std::ranges::all_of(n->src().subspan(1), [](const Node* r) { return r->op == Op::Range; });
}

// Sources of LOAD and STORE after the pointer: indices, then the value of a STORE, then perhaps a
// gate.
bool indexes_with_index(const Node* n) {
  if (n->op != Op::Load && n->op != Op::Store) return true;
  const size_t n_idx = n->src()[0]->n_dim, n_fixed = 1 + n_idx + (n->op == Op::Store ? 1 : 0);
  if (n->n_src != n_fixed && n->n_src != n_fixed + 1) return false;
  for (size_t i = 1; i <= n_idx; ++i) {
    if (n->src()[i]->dtype != DType::Index) return false;
  }
  return n->n_src == n_fixed || is_bool(n->src()[n_fixed]->dtype);
}

bool states_ranged_form(const Node* n) {
  switch (n->op) {
    case Op::Load:
    case Op::End:
      return n->n_arg == 0;
    case Op::Store:
      return n->n_arg == 1;
    case Op::Reduce:
      return n->n_arg == 1 || ranges_along(n).size() == 1;
    default:
      return true;
  }
}

constexpr VerifyRule kRangedRules[] = {
    {"only ops of the ranged stage",
     [](const Node* n) { return (stages_of(n->op) & kRangedStage) != 0; }},
    {"values are scalars",
     [](const Node* n) { return n->lanes == 1 && (n->n_dim == 0 || is_pointer(n)); }},
    {"load, store, reduce and end have the ranged form", states_ranged_form},
    {"indices have dtype index and gates bool", indexes_with_index},
    {"reduce, stage and end close ranges", closes_ranges},
    {"effects are used by after, end and sink only", keeps_effects_apart},
    {"a range counts index",
     [](const Node* n) { return n->op != Op::Range || n->dtype == DType::Index; }},
};

using Bits = std::vector<uint64_t>;

void set_bit(Bits& b, size_t i) {
  if (b.size() <= i / 64) b.resize(i / 64 + 1, 0);
  b[i / 64] |= uint64_t{1} << (i % 64);
}
bool has_bit(const Bits& b, size_t i) {
  return i / 64 < b.size() && (b[i / 64] >> (i % 64) & 1) != 0;
}
void merge(Bits& into, const Bits& b) {
  if (into.size() < b.size()) into.resize(b.size(), 0);
  for (size_t i = 0; i < b.size(); ++i) into[i] |= b[i];
}

// Per node: the ranges that it depends on and that are still open, and those closed at or below it.
struct Reach {
  Bits open, closed;
};

class Ranges {
 public:
  size_t number(const Node* range) { return numbers_.at(range); }
  void add(const Node* range) {
    auto [it, fresh] = by_id_.try_emplace(range->arg()[0], range);
    if (!fresh) verify_failure("verify_ranged", "range ids are unique", range);
    numbers_.emplace(range, numbers_.size());
  }

 private:
  std::unordered_map<const Node*, size_t> numbers_;
  std::unordered_map<int64_t, const Node*> by_id_;
};

Reach close(const Node* n, const std::unordered_map<const Node*, Reach>& reach, Ranges& ranges) {
  Reach r = reach.at(n->src()[0]);
  for (const Node* range : ranges_along(n)) set_bit(r.open, ranges.number(range));
  for (const Node* range : closed_ranges(n)) {
    const size_t i = ranges.number(range);
    if (has_bit(r.closed, i))
      verify_failure("verify_ranged", "no node closes a range that was closed below it", n);
    if (i / 64 < r.open.size()) r.open[i / 64] &= ~(uint64_t{1} << (i % 64));
    set_bit(r.closed, i);
  }
  return r;
}

void verify_closed(std::span<const Node* const> order) {
  Ranges ranges;
  std::unordered_map<const Node*, Reach> reach;
  for (const Node* n : order) {
    Reach r;
    if (n->op == Op::Range) {
      ranges.add(n);
      set_bit(r.open, ranges.number(n));
    } else if (is_closing(n)) {
      r = close(n, reach, ranges);
    } else {
      for (const Node* s : n->src()) {
        merge(r.open, reach.at(s).open);
        merge(r.closed, reach.at(s).closed);
      }
    }
    const bool open = std::ranges::any_of(r.open, [](uint64_t word) { return word != 0; });
    if (n->op == Op::Sink && open) verify_failure("verify_ranged", "nothing is open at a sink", n);
    reach.emplace(n, std::move(r));
  }
}

}  // namespace

[[noreturn]] void verify_failure(std::string_view grammar, std::string_view rule, const Node* n) {
  throw InternalError(fmt::format("{}: {}: {}", grammar, rule, print_node(n)));
}

void check_rules(std::string_view grammar, std::span<const VerifyRule> rules, const Node* n) {
  for (const VerifyRule& r : rules) {
    if (!r.holds(n)) verify_failure(grammar, r.sentence, n);
  }
}

void verify_tensor(const UOp& root) {
  for (const Node* n : toposort(root)) check_rules("verify_tensor", kTensorRules, n);
}

void verify_ranged(const UOp& root) {
  const std::vector<const Node*> order = toposort(root);
  for (const Node* n : order) check_rules("verify_ranged", kRangedRules, n);
  verify_closed(order);
}

}  // namespace tg
