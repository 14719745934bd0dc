// Slopes as whole numbers: how much a node grows over the period of its sources. See lane_turns.h.
#include "kernel/lane_turns.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "tg/ir/interval.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int64_t kLongestPeriod = 1 << 16;

// After `period` places the value has grown by `growth`.
struct Repeat {
  int64_t period = 1, growth = 0;

  int64_t growth_over(int64_t places) const { return growth * (places / period); }
};

Repeat repeat_of(const Node* n, const Node* range,
                 const std::unordered_map<const Node*, Repeat>& known) {
  constexpr Repeat kNone{0, 0};
  if (n == range) return {1, 1};
  if (n->op == Op::Const || n->op == Op::Range || n->op == Op::Var) return {};
  Repeat of[2];
  for (size_t i = 0; i < n->n_src; ++i) {
    const Repeat source = known.at(n->src()[i]);
    if (source.period == 0 || i >= 2) return kNone;
    of[i] = source;
  }
  const bool by_constant = n->n_src == 2 && n->src()[1]->op == Op::Const;
  const int64_t by = by_constant ? n->src()[1]->arg()[0] : 0;
  switch (n->op) {
    case Op::Add: {
      const int64_t period = std::lcm(of[0].period, of[1].period);
      return {period, of[0].growth_over(period) + of[1].growth_over(period)};
    }
    case Op::Mul:
      return by_constant ? Repeat{of[0].period, saturating_mul(of[0].growth, by)} : kNone;
    case Op::IDiv:
    case Op::Mod: {
      if (by <= 0) return kNone;
      const int64_t times = by / std::gcd(by, of[0].growth);
      const int64_t growth = saturating_mul(of[0].growth, times) / by;
      return {saturating_mul(of[0].period, times), n->op == Op::IDiv ? growth : 0};
    }
    default:
      return kNone;
  }
}

}  // namespace

int64_t lane_turns(int64_t period, int64_t extent, int lanes) {
  const int64_t all = (extent + lanes - 1) / lanes;
  const int64_t turns = std::min(period / std::gcd(period, int64_t{lanes}), all);
  return turns <= kMostLaneTurns ? turns : 0;
}

int64_t period_of(const UOp& index, const UOp& range) {
  std::unordered_map<const Node*, Repeat> known;
  for (const Node* n : toposort(index)) {
    Repeat r = repeat_of(n, range.node(), known);
    const bool far =
        r.period > kLongestPeriod || std::abs(r.growth) > kLongestPeriod * kLongestPeriod;
    known.emplace(n, far ? Repeat{0, 0} : r);
  }
  return known.at(index.node()).period;
}

}  // namespace tg
