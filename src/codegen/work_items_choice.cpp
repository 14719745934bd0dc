// See work_items_choice.h.
#include "codegen/work_items_choice.h"

#include "tg/ir/walk.h"

namespace tg {

int64_t power_of_two_up_to(int64_t n) {
  int64_t p = 1;
  while (2 * p <= n) p *= 2;
  return p;
}

int64_t largest_divisor_up_to(int64_t n, int64_t most) {
  for (int64_t d = std::min(n, most); d > 1; --d) {
    if (n % d == 0) return d;
  }
  return 1;
}

const AccessFacts* WorkItemsChoice::only_load_of(const UOp& u) const {
  const AccessFacts* found = nullptr;
  for (const Node* n : toposort(u)) {
    if (n->op == Op::Reduce) return nullptr;
    if (n->op != Op::Load) continue;
    if (found != nullptr) return nullptr;
    for (const AccessFacts& a : facts.accesses) found = a.access.node() == n ? &a : found;
  }
  return found;
}

std::optional<std::array<const AccessFacts*, 2>> WorkItemsChoice::factors() const {
  if (facts.reduces.size() != 1 || !facts.reduces[0].src(0).is(Op::Mul)) return std::nullopt;
  const UOp mul = facts.reduces[0].src(0);
  const std::array loads = {only_load_of(mul.src(0)), only_load_of(mul.src(1))};
  if (loads[0] == nullptr || loads[1] == nullptr) return std::nullopt;
  return loads;
}

int64_t staged_bytes(const KernelSchedule& s) {
  int64_t bytes = 0;
  for (const Staging& st : s.stages)
    bytes +=
        staged_elements(s, st) * st.depth * static_cast<int64_t>(dtype_size(st.operand.dtype()));
  return bytes;
}

int64_t WorkItemsChoice::planes(int across, int down) const {
  int64_t n = 1;
  for (int b = 0; b < n_bases(); ++b) n *= is_par(b) && b != across && b != down ? extent(b) : 1;
  return n;
}

int WorkItemsChoice::unit_score(int b) const {
  int score = 0;
  for (const AccessFacts& a : facts.accesses) {
    if (a.depends[static_cast<size_t>(b)])
      score += a.stride[static_cast<size_t>(b)] == 1 ? (a.store ? 4 : 2) : -1;
  }
  return score;
}

int WorkItemsChoice::best_base(FunctionRef<bool(int)> wanted) const {
  int best = -1;
  for (int b = 0; b < n_bases(); ++b) {
    if (!wanted(b)) continue;
    const auto key = [&](int x) { return std::pair(unit_score(x), extent(x)); };
    if (best < 0 || key(b) >= key(best)) best = b;
  }
  return best;
}

bool WorkItemsChoice::all_unit_or_fixed(int b, std::span<const UOp> staged) const {
  return std::ranges::all_of(facts.accesses, [&](const AccessFacts& a) {
    const int64_t step = a.stride[static_cast<size_t>(b)];
    return step == 1 || (step == 0 && !a.depends[static_cast<size_t>(b)]) ||
           std::ranges::find(staged, a.access) != staged.end();
  });
}

}  // namespace tg
