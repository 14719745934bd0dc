// See quotient_turns.h.
#include "codegen/quotient_turns.h"

#include <algorithm>
#include <numeric>

#include "kernel/lane_turns.h"

namespace tg {
namespace {

// Whether a quotient by `by`, or what it leaves, is the same in all lanes of a vector: whatever is
// in the sum besides the range counts whole vectors of it, `vector` apart.
bool is_one_in_lanes(const Affine& sum, const UOp& range, int64_t vector, int64_t by) {
  const auto is_whole = [&](const Affine::Term& t) {
    return t.term == range || t.coef % vector == 0;
  };
  return by % vector == 0 && sum.constant % vector == 0 && std::ranges::all_of(sum.terms, is_whole);
}

}  // namespace

int64_t quotient_turns(const KernelFacts& facts, const BaseRange& base, int lanes) {
  int64_t all = 1;
  for (const UOp& q : facts.quotients) {
    const int64_t period = period_of(q, base.range);
    const Affine sum = Affine::of(q.src(0));
    const int64_t vector = std::abs(coef_of(sum, base.range)) * lanes;
    if (period <= 1 || (vector > 0 && is_one_in_lanes(sum, base.range, vector, q.src(1).arg(0))))
      continue;
    const int64_t turns = lane_turns(period, base.extent, lanes);
    if (turns == 0) return 1;
    all = std::lcm(all, turns);
  }
  all = std::min(all, base.extent / lanes);
  return all <= kMostLaneTurns ? std::max<int64_t>(all, 1) : 1;
}

}  // namespace tg
