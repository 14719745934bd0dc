// See held_formats.h.
#include "codegen/decompose/held_formats.h"

#include <algorithm>
#include <optional>

#include "codegen/decompose/compositions.h"

namespace tg {
namespace {

bool is_narrow(DType t) { return is_float(t) && dtype_size(t) <= 2; }
bool has_negative_zero(DType t) { return t != DType::Fp8E4M3Fnuz && t != DType::Fp8E5M2Fnuz; }

bool is_one_or_its_negative(const UOp& u) {
  return u.is(Op::Const) && (u.scalar().f64() == 1 || u.scalar().f64() == -1);
}

bool is_sign_change(const UOp& u) {
  return u.is(Op::Mul) && (is_one_or_its_negative(u.src(0)) || is_one_or_its_negative(u.src(1)));
}

// The sources that a value of `u` may be made of: not the condition of a Where.
std::vector<UOp> values_of(const UOp& u) {
  if (const UOp x = magnitude_source(u)) return {x};
  std::vector<UOp> out;
  for (int i = u.is(Op::Where) ? 1 : 0; i < u.n_src(); ++i) out.push_back(u.src(i));
  return out;
}

}  // namespace

bool keeps_format(const UOp& u, DType t) {
  if (u.is(Op::Max) || u.is(Op::Where)) return true;
  return has_negative_zero(t) && (u.is(Op::Trunc) || is_sign_change(u) || magnitude_source(u));
}

bool HeldFormats::holds(const UOp& u, DType t) const {
  if (u.dtype() == t) return true;
  if (u.is(Op::Const)) {
    const double value = u.scalar().f64();
    return Scalar::of_double(value, t).f64() == value;
  }
  const auto known = format_.find(u.node());
  return known != format_.end() && known->second == t;
}

void HeldFormats::visit(const UOp& u) {
  if (u.dtype() != DType::Float32 || u.n_src() == 0) return;
  if (u.is(Op::Cast)) {
    if (is_narrow(u.src(0).dtype())) format_[u.node()] = u.src(0).dtype();
    return;
  }
  if (!keeps_format(u, DType::BFloat16)) return;
  const std::vector<UOp> values = values_of(u);
  for (const UOp& x : values) {
    const auto known = format_.find(x.node());
    if (known == format_.end()) continue;
    const DType t = known->second;
    if (keeps_format(u, t) &&
        std::ranges::all_of(values, [&](const UOp& v) { return holds(v, t); }))
      format_[u.node()] = t;
    return;
  }
}

}  // namespace tg
