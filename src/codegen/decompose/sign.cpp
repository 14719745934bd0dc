// See sign.h.
#include "codegen/decompose/sign.h"

#include <algorithm>
#include <unordered_map>

#include "tg/ir/op.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

// The constant in all lanes.
std::optional<double> number(UOp u) {
  if (u.is(Op::Splat)) u = u.src(0);
  if (!u.is(Op::Const)) return std::nullopt;
  return u.scalar().f64();
}

bool is_negation(const UOp& u, const UOp& of) {
  return u.is(Op::Mul) && u.src(0) == of && number(u.src(1)) == -1.0;
}

// where(x < 0, a, b)
bool asks_sign(const UOp& u) {
  return u.is(Op::Where) && u.src(0).is(Op::CmpLt) && number(u.src(0).src(1)) == 0.0;
}

bool is_square(const UOp& u) { return u.is(Op::Mul) && u.src(0) == u.src(1); }
bool is_magnitude(const UOp& u) {
  if (!asks_sign(u)) return false;
  const UOp x = u.src(0).src(0);
  return is_negation(u.src(1), x) && u.src(2) == x;
}
bool is_negated_magnitude(const UOp& u) {
  if (!asks_sign(u)) return false;
  const UOp x = u.src(0).src(0);
  return u.src(1) == x && is_negation(u.src(2), x);
}

// Is `a` one of the values whose maximum `m` is? The ranges that it has beyond those of `m` then
// take the place of the reduced ones.
bool is_among(const UOp& a, const UOp& m) {
  if (!m.is(Op::Reduce) || static_cast<ReduceOp>(m.arg(0)) != ReduceOp::Max) return false;
  const std::vector<UOp> outside = free_ranges(m);
  std::vector<UOp> own;
  for (const UOp& r : free_ranges(a)) {
    if (std::ranges::find(outside, r) == outside.end()) own.push_back(r);
  }
  if (std::ssize(own) + 1 != m.n_src()) return false;
  std::unordered_map<const Node*, UOp> renamed;
  for (int i = 1; i < m.n_src(); ++i) {
    const UOp& r = own[static_cast<size_t>(i - 1)];
    if (r.src(0) != m.src(i).src(0)) return false;
    renamed.emplace(m.src_node(i), r);
  }
  return substitute(m.src(0), renamed) == a;
}

// a − m with m ≥ a.
bool is_below_maximum(const UOp& u) {
  if (!u.is(Op::Add)) return false;
  for (const int i : {0, 1}) {
    const UOp minus = u.src(i);
    if (minus.is(Op::Mul) && number(minus.src(1)) == -1.0 && is_among(u.src(1 - i), minus.src(0)))
      return true;
  }
  return false;
}

}  // namespace

bool is_never_positive(const UOp& x) {
  UOp u = x;
  double sign = 1;
  while (u.is(Op::Mul) && !is_square(u)) {
    const auto factor = number(u.src(1));
    if (!factor || *factor == 0) return false;
    sign *= *factor < 0 ? -1 : 1;
    u = u.src(0);
  }
  if (sign < 0) return is_square(u) || is_magnitude(u);
  return is_negated_magnitude(u) || is_below_maximum(u);
}

}  // namespace tg
