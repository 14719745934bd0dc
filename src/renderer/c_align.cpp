// See c_align.h. Sums and products that wrap keep their low bits, so no bounds are needed.
#include "renderer/c_align.h"

#include <algorithm>
#include <bit>

namespace tg {
namespace {

constexpr int kAll = 63;

int zeros_of(int64_t v) {
  return v == 0 ? kAll : std::min(kAll, std::countr_zero(static_cast<uint64_t>(v)));
}

bool is_constant(const UOp& u) { return u.is(Op::Const) && u.lanes() == 1; }

}  // namespace

std::unordered_map<const Node*, int> c_zero_bits(std::span<const UOp> ops) {
  std::unordered_map<const Node*, int> known;
  const auto of = [&](const UOp& u, int i) {
    const auto found = known.find(u.src_node(i));
    return found == known.end() ? 0 : found->second;
  };
  const auto zeros = [&](const UOp& u) {
    switch (u.op()) {
      case Op::Const:
        return zeros_of(u.arg(0));
      case Op::Add:
      case Op::Max:
      case Op::Xor:
        return std::min(of(u, 0), of(u, 1));
      case Op::Where:
        return std::min(of(u, 1), of(u, 2));
      case Op::Mul:
        return std::min(kAll, of(u, 0) + of(u, 1));
      case Op::Mod:  // what is taken off is a multiple of the divisor
        return is_constant(u.src(1)) && u.src(1).arg(0) > 0 ? std::min(of(u, 0), of(u, 1)) : 0;
      case Op::IDiv:
        return is_constant(u.src(1)) && std::has_single_bit(static_cast<uint64_t>(u.src(1).arg(0)))
                   ? std::max(0, of(u, 0) - of(u, 1))
                   : 0;
      case Op::Cast:
        return is_int(u.src(0).dtype()) ? of(u, 0) : 0;
      default:
        return 0;
    }
  };
  for (const UOp& u : ops) {
    if (u.lanes() != 1 || !(is_int(u.dtype()) || u.dtype() == DType::Index)) continue;
    if (const int n = zeros(u); n > 0) known.emplace(u.node(), n);
  }
  return known;
}

}  // namespace tg
