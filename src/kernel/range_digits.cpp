// See range_digits.h.
#include "kernel/range_digits.h"

#include <algorithm>

#include "rules/affine.h"
#include "rules/index.h"
#include "tg/ir/walk.h"

namespace tg {

Digits digits_ending_at(std::span<const int64_t> ends, int64_t& next_range) {
  Digits out;
  Affine sum;
  int64_t weight = 1;
  for (const int64_t end : ends) {
    out.ranges.push_back(range(end / weight, next_range++));
    sum.add_term(out.ranges.back(), weight);
    weight = end;
  }
  std::ranges::reverse(out.ranges);
  out.whole = sum.to_uop();
  return out;
}

int64_t next_range_of(const UOp& kernel) {
  int64_t next = 0;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Range) next = std::max(next, n->arg()[0] + 1);
  }
  return next;
}

UOp gated(const UOp& access, const UOp& condition) {
  std::vector<UOp> src = access.srcs();
  src.resize((access.is(Op::Store) ? size_t{2} : size_t{1}) + access.src_node(0)->n_dim);
  src.push_back(both_gates(gate_of(access), condition));
  return with_sources(access, src);
}

UOp with_digits(const UOp& kernel, const std::unordered_map<const Node*, Digits>& digits,
                FunctionRef<UOp(const Node*, const UOp&)> change) {
  std::unordered_map<const Node*, UOp> done;
  std::vector<UOp> src;
  for (const Node* n : toposort(kernel)) {
    if (const auto split = digits.find(n); split != digits.end()) {
      done.emplace(n, split->second.whole);
      continue;
    }
    src.clear();
    const bool closes = n->op == Op::End || n->op == Op::Reduce;
    for (size_t i = 0; i < n->n_src; ++i) {
      const auto closed = closes && i > 0 ? digits.find(n->src()[i]) : digits.end();
      if (closed == digits.end()) {
        src.push_back(done.at(n->src()[i]));
      } else {
        src.insert(src.end(), closed->second.ranges.begin(), closed->second.ranges.end());
      }
    }
    const UOp now = with_sources(UOp::share(n), src);
    const bool asked = n->op == Op::Load || n->op == Op::Store || n->op == Op::Reduce;
    done.emplace(n, asked ? change(n, now) : now);
  }
  return done.at(kernel.node());
}

}  // namespace tg
