// See compositions.h.
#include "codegen/decompose/compositions.h"

#include <numbers>

#include "codegen/decompose/lanes.h"
#include "codegen/decompose/math.h"

namespace tg {
namespace {

bool is_single_or_double(DType t) { return t == DType::Float32 || t == DType::Float64; }

// A constant that is `v` rounded to its dtype.
bool is_rounded(const UOp& u, double v) {
  return u.is(Op::Const) && u.scalar() == Scalar::of_double(v, u.dtype());
}

// y of `op`(y, v) or `op`(v, y).
UOp other_than(Op op, const UOp& u, double v) {
  if (!u.is(op)) return {};
  if (is_rounded(u.src(1), v)) return u.src(0);
  return is_rounded(u.src(0), v) ? u.src(1) : UOp{};
}

// x of π/2 − x, which is a sum with x·(−1).
UOp complement(const UOp& u) {
  const UOp turned = other_than(Op::Add, u, std::numbers::pi / 2);
  return turned ? other_than(Op::Mul, turned, -1.0) : UOp{};
}

}  // namespace

UOp recognised_composition(Op op, const UOp& source, const Target& target) {
  if (!is_single_or_double(source.dtype())) return {};
  if (op == Op::Exp2) {
    const UOp x = other_than(Op::Mul, source, std::numbers::log2e);
    return x ? exp_polynomial(x) : UOp{};
  }
  if (op != Op::Sin) return {};
  const UOp x = complement(source);
  if (!x) return {};
  // The slope of a cosine is the complement of a complement.
  const UOp twice = complement(x);
  if (!twice) return cos_polynomial(x, target);
  return target.supports(Op::Sin) ? sin(twice) : sin_polynomial(twice, target);
}

UOp magnitude_source(const UOp& u) {
  if (!is_float(u.dtype())) return {};
  const UOp most = other_than(Op::Add, u, 0.0);
  if (!most || !most.is(Op::Max)) return {};
  for (const int i : {0, 1}) {
    if (other_than(Op::Mul, most.src(1 - i), -1.0) == most.src(i)) return most.src(i);
  }
  return {};
}

UOp magnitude(const UOp& x) {
  const int64_t bits = 8 * dtype_size(x.dtype());
  const DType code = bits == 64   ? DType::UInt64
                     : bits == 32 ? DType::UInt32
                     : bits == 16 ? DType::UInt16
                                  : DType::UInt8;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return bitcast(lanes::masked(bitcast(x, code), sign - 1), x.dtype());
}

}  // namespace tg
