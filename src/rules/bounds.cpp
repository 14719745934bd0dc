// Iterative post-order over the expression; see bounds.h.
#include "rules/bounds.h"

#include <algorithm>
#include <array>

namespace tg {
namespace {

bool is_integral(DType t) { return is_int(t) || is_bool(t) || t == DType::Index; }

Interval intersect(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

// A fixed-width result that may leave its dtype wraps, and then says nothing. Saturated ends of the
// 64-bit dtypes mean that the true bound is outside.
Interval clamp_to_dtype(Interval i, DType t) {
  if (t == DType::Index) return i;
  const Interval all = dtype_interval(t);
  const bool wide = t == DType::Int64 || t == DType::UInt64;
  const bool may_wrap = wide ? !i.bounded() || i.lo < all.lo : i.lo < all.lo || i.hi > all.hi;
  return may_wrap ? all : i;
}

// Values of UInt64 from 2⁶³ on lie at the open end.
Interval const_interval(const Node* n) {
  const int64_t v = n->arg()[0];
  if (n->dtype == DType::UInt64 && v < 0) return {Interval::kMax, Interval::kMax};
  return {v, v};
}

// What lies at the open end of UInt64 is many values: no point, and not above each other.
Interval with_open_end(Interval i, DType t) {
  if (t == DType::UInt64) i.lo = std::min(i.lo, Interval::kMax - 1);
  return i;
}

Interval cast_interval(Interval from, DType from_type, DType to) {
  const bool becomes_negative = from_type == DType::UInt64 && !from.bounded();
  return becomes_negative ? dtype_interval(to) : clamp_to_dtype(from, to);
}

}  // namespace

Interval dtype_interval(DType t) {
  if (is_bool(t)) return {0, 1};
  if (!is_int(t) || t == DType::Index) return {};
  const int bits = static_cast<int>(dtype_size(t)) * 8;
  if (bits == 64) return is_unsigned(t) ? Interval{0, Interval::kMax} : Interval{};
  if (is_unsigned(t)) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

Interval Bounds::compute(const Node* n) const {
  if (!is_integral(n->dtype)) return {};
  if (n->op == Op::Const) return const_interval(n);
  const OpRecord& r = record(n->op);
  const Interval all = dtype_interval(n->dtype);
  if (n->op == Op::Cast) {
    const Node* from = n->src()[0];
    return is_integral(from->dtype) && !is_bool(n->dtype)
               ? cast_interval(memo_.at(from).interval, from->dtype, n->dtype)
               : all;
  }
  if (r.interval == nullptr) return all;
  // Sums and products of bools are or and and: their record's interval rule speaks of integers.
  if (is_bool(n->dtype) && (n->op == Op::Add || n->op == Op::Mul)) {
    const Interval a = memo_.at(n->src()[0]).interval, b = memo_.at(n->src()[1]).interval;
    return n->op == Op::Add ? Interval{std::max(a.lo, b.lo), std::max(a.hi, b.hi)}
                            : Interval{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  }
  std::array<Interval, 4> src;
  if (n->n_src > src.size()) return all;
  for (size_t i = 0; i < n->n_src; ++i) {
    const Node* s = n->src()[i];
    if (!is_integral(s->dtype)) return all;
    src[i] = memo_.at(s).interval;
  }
  const Interval i = clamp_to_dtype(r.interval({src.data(), n->n_src}, n->arg()), n->dtype);
  return n->dtype == DType::Index ? i : intersect(i, all);
}

Interval Bounds::operator()(const Node* n) {
  if (auto it = memo_.find(n); it != memo_.end()) return it->second.interval;
  std::vector<std::pair<const Node*, uint32_t>> stack{{n, 0}};
  while (!stack.empty()) {
    auto& [top, next] = stack.back();
    const bool rule =
        is_integral(top->dtype) && (record(top->op).interval != nullptr || top->op == Op::Cast);
    if (rule && next < top->n_src) {
      const Node* child = top->src()[next++];
      if (!memo_.contains(child)) stack.emplace_back(child, 0);
      continue;
    }
    const Node* done = top;
    stack.pop_back();
    Interval i = compute(done);
    if (auto it = assumed_.find(done); it != assumed_.end()) i = intersect(i, it->second.interval);
    memo_.emplace(done, Entry{UOp::share(done), with_open_end(i, done->dtype)});
  }
  return memo_.at(n).interval;
}

void Bounds::assume(const UOp& u, Interval i) {
  auto [it, fresh] = assumed_.try_emplace(u.node(), Entry{u, i});
  if (!fresh) it->second.interval = intersect(it->second.interval, i);
  memo_.clear();
}

Interval bounds(const Node* n) { return Bounds()(n); }

}  // namespace tg
