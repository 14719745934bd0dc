// See c_bounds.h.
#include "renderer/c_bounds.h"

#include <algorithm>
#include <limits>

namespace tg {
namespace {

Interval limits_of(DType t) {
  if (is_bool(t)) return {0, 1};
  if (!is_int(t) || t == DType::Index || t == DType::Int64 || t == DType::UInt64) return {};
  const int bits = 8 * static_cast<int>(dtype_size(t));
  if (is_unsigned(t)) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

Interval hull(std::span<const Interval> all) {
  Interval out = all[0];
  for (const Interval& i : all) out = {std::min(out.lo, i.lo), std::max(out.hi, i.hi)};
  return out;
}

Interval raw_bounds(const UOp& u, std::span<const Interval> src) {
  switch (u.op()) {
    case Op::Const:
      return u.dtype() == DType::UInt64 && u.arg(0) < 0 ? Interval{} : Interval{u.arg(0), u.arg(0)};
    case Op::Cast:
      return is_float(u.src_node(0)->dtype) ? Interval{} : src[0];
    case Op::Splat:
    case Op::Extract:
      return src[0];
    case Op::And:  // one operand that is not negative bounds the result, whatever the other is
      if (src[0].lo >= 0 || src[1].lo >= 0) {
        return {0, std::min(src[0].lo >= 0 ? src[0].hi : Interval::kMax,
                            src[1].lo >= 0 ? src[1].hi : Interval::kMax)};
      }
      return {};
    case Op::Stack:
    case Op::Shuffle:
      return hull(src);
    case Op::Ramp: {
      const int64_t last = saturating_mul(u.arg(1), u.arg(0) - 1);
      return {saturating_add(src[0].lo, std::min<int64_t>(last, 0)),
              saturating_add(src[0].hi, std::max<int64_t>(last, 0))};
    }
    default:
      break;
  }
  const OpRecord& r = record(u.op());
  return r.interval != nullptr ? r.interval(src, u.arg()) : Interval{};
}

}  // namespace

std::unordered_map<const Node*, Interval> c_bounds(std::span<const UOp> ops) {
  std::unordered_map<const Node*, Interval> known;
  std::vector<Interval> src;
  for (const UOp& u : ops) {
    if (is_float(u.dtype()) || u.dtype() == DType::Void) continue;
    const Interval limits = limits_of(u.dtype());
    src.clear();
    for (const Node* s : u.node()->src()) {
      const auto it = known.find(s);
      src.push_back(it == known.end() ? Interval{} : it->second);
    }
    const Interval raw = raw_bounds(u, src);
    // What may leave the dtype's limits wraps, so nothing is known about it; unsigned 64-bit values
    // past the middle are negative here. Index never wraps by agreement; an int64 sum that left the
    // interval may have.
    bool fits =
        raw.lo >= limits.lo && raw.hi <= limits.hi && (u.dtype() != DType::UInt64 || raw.lo >= 0);
    if (u.dtype() == DType::Int64 && (u.is(Op::Add) || u.is(Op::Mul))) fits = fits && raw.bounded();
    known.emplace(u.node(), fits ? raw : limits);
  }
  return known;
}

bool indices_are_narrow(std::span<const UOp> ops,
                        const std::unordered_map<const Node*, Interval>& bounds) {
  constexpr Interval kNarrow = {std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max()};
  return std::ranges::all_of(ops, [&](const UOp& u) {
    if (u.dtype() != DType::Index) return true;
    const auto known = bounds.find(u.node());
    return known != bounds.end() && known->second.lo >= kNarrow.lo &&
           known->second.hi <= kNarrow.hi;
  });
}

}  // namespace tg
