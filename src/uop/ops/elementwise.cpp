// Records of the elementwise operations: evaluation on scalars (the meaning), intervals of integer results, gradients.
// Non-smooth points follow PyTorch: relu'(0) = 0 through max's tie rule at the Tensor level, ties of max split evenly.
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>

#include "support/check.h"
#include "tg/ir/uop.h"
#include "uop/ops/eval.h"
#include "uop/ops/records.h"
#include "uop/type_rules.h"

namespace tg::ops {
namespace {

using Args = std::span<const Scalar>;
using Words = std::span<const int64_t>;
using Bounds = std::span<const Interval>;

bool floats(const UOp& u) { return is_float(u.dtype()); }
Grads none(const GradContext& g) { return Grads(static_cast<size_t>(g.y.n_src())); }

Grads grad_add(const GradContext& g) { return floats(g.y) ? Grads{g.dy, g.dy} : none(g); }

Grads grad_mul(const GradContext& g) {
  if (!floats(g.y)) return none(g);
  return {g.dy * g.y.src(1), g.dy * g.y.src(0)};
}

Grads grad_max(const GradContext& g) {
  if (!floats(g.y)) return none(g);
  UOp a = g.y.src(0), b = g.y.src(1), zero = const_like(g.dy, 0.0), half = g.dy * const_like(g.dy, 0.5);
  UOp tie = where(eq(a, b), half, zero);
  return {where(lt(b, a), g.dy, tie), where(lt(a, b), g.dy, tie)};
}

Grads grad_div(const GradContext& g) {
  UOp b = g.y.src(1);
  return {g.dy / b, -(g.dy * g.y) / b};
}

Grads grad_sqrt(const GradContext& g) { return {g.dy / (g.y + g.y)}; }
Grads grad_exp2(const GradContext& g) { return {g.dy * g.y * const_like(g.y, std::numbers::ln2)}; }
Grads grad_log2(const GradContext& g) {
  UOp x = g.y.src(0);
  return {g.dy / (x * const_like(x, std::numbers::ln2))};
}
Grads grad_sin(const GradContext& g) {
  UOp x = g.y.src(0);
  return {g.dy * sin(const_like(x, std::numbers::pi / 2) - x)};
}
// The number that `u` is everywhere.
std::optional<double> number_everywhere(UOp u) {
  while (u.is(Op::Expand) || u.is(Op::Reshape)) u = u.src(0);
  if (!u.is(Op::Const)) return std::nullopt;
  return u.scalar().f64();
}
// Which source was taken. Of where(x < k, a, x) with numbers a < k, as relu is, the result itself
// tells: it is below k where x was. So nothing keeps x for the backward pass.
UOp condition_of(const UOp& where) {
  const UOp c = where.src(0);
  if (!c.is(Op::CmpLt) || c.src(0) != where.src(2)) return c;
  const auto k = number_everywhere(c.src(1)), a = number_everywhere(where.src(1));
  return k && a && *a < *k ? lt(where, c.src(1)) : c;
}
Grads grad_where(const GradContext& g) {
  if (!floats(g.y)) return none(g);
  UOp zero = const_like(g.dy, 0.0), c = condition_of(g.y);
  return {UOp{}, where(c, g.dy, zero), where(c, zero, g.dy)};
}
// Of a small float that was widened it is float32 until something needs it small (autodiff/gradient.cpp).
Grads grad_cast(const GradContext& g) {
  UOp x = g.y.src(0);
  if (!floats(x) || !floats(g.y)) return {UOp{}};
  const bool widened = dtype_size(x.dtype()) < 4 && g.dy.dtype() == DType::Float32;
  return {widened ? g.dy : cast(g.dy, x.dtype())};
}
Grads grad_fma(const GradContext& g) {
  if (!floats(g.y)) return none(g);
  return {g.dy * g.y.src(1), g.dy * g.y.src(0), g.dy};
}

// ---- evaluation
Scalar arith(Args s, DType t, auto on_int, auto on_float) {
  if (is_float(t)) return Scalar::of_double(on_float(s[0].f64(), s[1].f64()), t);
  return Scalar::of_uint(on_int(s[0].u64(), s[1].u64()), t);
}
Scalar eval_add(Args s, DType t, Words) {
  if (is_bool(t)) return Scalar::of_int((s[0].bits() | s[1].bits()) != 0, t);
  return arith(s, t, [](uint64_t a, uint64_t b) { return a + b; }, [](double a, double b) { return a + b; });
}
Scalar eval_mul(Args s, DType t, Words) {
  return arith(s, t, [](uint64_t a, uint64_t b) { return a * b; }, [](double a, double b) { return a * b; });
}
bool less(const Scalar& a, const Scalar& b) {
  if (is_float(a.dtype())) return a.f64() < b.f64();
  return a.dtype() == DType::UInt64 ? a.u64() < b.u64() : a.i64() < b.i64();
}
Scalar eval_max(Args s, DType t, Words) {
  if (is_float(t) && std::isnan(s[0].f64())) return s[0];
  if (is_float(t) && std::isnan(s[1].f64())) return s[1];
  return less(s[0], s[1]) ? s[1] : s[0];
}
Scalar eval_lt(Args s, DType, Words) { return Scalar::of_int(less(s[0], s[1]), DType::Bool); }
Scalar eval_ne(Args s, DType, Words) {
  bool differ = is_float(s[0].dtype()) ? s[0].f64() != s[1].f64() : s[0].bits() != s[1].bits();
  return Scalar::of_int(differ, DType::Bool);
}
Scalar eval_xor(Args s, DType t, Words) { return Scalar::of_uint(s[0].u64() ^ s[1].u64(), t); }
Scalar eval_and(Args s, DType t, Words) { return Scalar::of_uint(s[0].u64() & s[1].u64(), t); }
Scalar eval_or(Args s, DType t, Words) { return Scalar::of_uint(s[0].u64() | s[1].u64(), t); }

// Shifts by the width or more give 0 (or the sign): defined here so that every device agrees.
Scalar eval_shl(Args s, DType t, Words) {
  return Scalar::of_uint(s[1].u64() > 63 ? 0 : s[0].u64() << s[1].u64(), t);
}
Scalar eval_shr(Args s, DType t, Words) {
  uint64_t by = s[1].u64();
  if (is_unsigned(t) || is_bool(t)) return Scalar::of_uint(by > 63 ? 0 : s[0].u64() >> by, t);
  return Scalar::of_int(s[0].i64() >> (by > 63 ? 63 : by), t);
}
// Division by zero gives 0 and its remainder 0: a value, never a trap.
Scalar eval_idiv(Args s, DType t, Words) {
  if (s[1].bits() == 0) return Scalar::of_int(0, t);
  if (is_unsigned(t)) return Scalar::of_uint(s[0].u64() / s[1].u64(), t);
  if (s[1].i64() == -1) return Scalar::of_uint(0 - s[0].u64(), t);
  return Scalar::of_int(floor_div(s[0].i64(), s[1].i64()), t);
}
Scalar eval_mod(Args s, DType t, Words) {
  if (s[1].bits() == 0) return Scalar::of_int(0, t);
  if (is_unsigned(t)) return Scalar::of_uint(s[0].u64() % s[1].u64(), t);
  return Scalar::of_int(floor_mod(s[0].i64(), s[1].i64()), t);
}
Scalar eval_div(Args s, DType t, Words) { return Scalar::of_double(s[0].f64() / s[1].f64(), t); }

template <double (*F)(double)>
Scalar eval_unary(Args s, DType t, Words) {
  return Scalar::of_double(F(s[0].f64()), t);
}
double sqrt_of(double x) { return std::sqrt(x); }
double exp2_of(double x) { return std::exp2(x); }
double log2_of(double x) { return std::log2(x); }
double sin_of(double x) { return std::sin(x); }
double trunc_of(double x) { return std::trunc(x); }

Scalar eval_where(Args s, DType, Words) { return s[0].truthy() ? s[1] : s[2]; }
Scalar eval_cast(Args s, DType t, Words) { return s[0].cast(t); }
Scalar eval_bitcast(Args s, DType t, Words) { return s[0].bitcast(t); }
Scalar eval_threefry(Args s, DType t, Words arg) {
  auto word = [&](size_t i) { return static_cast<uint32_t>(s[i].u64()); };
  return Scalar::of_uint(threefry2x32({word(0), word(1)}, {word(2), word(3)})[static_cast<size_t>(arg[0])], t);
}
Scalar eval_fma(Args s, DType t, Words) {
  if (is_float(t)) return Scalar::of_double(std::fma(s[0].f64(), s[1].f64(), s[2].f64()), t);
  return Scalar::of_uint(s[0].u64() * s[1].u64() + s[2].u64(), t);
}

// ---- intervals (integers)
Interval hull(std::initializer_list<int64_t> v) { return {std::min(v), std::max(v)}; }
Interval bounds_add(Bounds s, Words) { return {saturating_add(s[0].lo, s[1].lo), saturating_add(s[0].hi, s[1].hi)}; }
Interval bounds_mul(Bounds s, Words) {
  return hull({saturating_mul(s[0].lo, s[1].lo), saturating_mul(s[0].lo, s[1].hi),
               saturating_mul(s[0].hi, s[1].lo), saturating_mul(s[0].hi, s[1].hi)});
}
Interval bounds_max(Bounds s, Words) { return {std::max(s[0].lo, s[1].lo), std::max(s[0].hi, s[1].hi)}; }
Interval bounds_lt(Bounds s, Words) {
  if (s[0].hi < s[1].lo) return {1, 1};
  return s[0].lo >= s[1].hi ? Interval{0, 0} : Interval{0, 1};
}
Interval bounds_ne(Bounds s, Words) {
  if (s[0].hi < s[1].lo || s[1].hi < s[0].lo) return {1, 1};
  return s[0].is_point() && s[0] == s[1] ? Interval{0, 0} : Interval{0, 1};
}
Interval bounds_idiv(Bounds s, Words) {
  if (s[1].lo <= 0) return {};
  const Interval q = hull({floor_div(s[0].lo, s[1].lo), floor_div(s[0].lo, s[1].hi),
                           floor_div(s[0].hi, s[1].lo), floor_div(s[0].hi, s[1].hi)});
  return {s[0].lo == Interval::kMin ? Interval::kMin : q.lo,
          s[0].hi == Interval::kMax ? Interval::kMax : q.hi};
}
Interval bounds_mod(Bounds s, Words) {
  if (s[1].lo <= 0) return {};
  if (s[0].lo >= 0 && s[0].hi < s[1].lo) return s[0];
  const bool same_block = s[1].is_point() && s[0].bounded() && floor_div(s[0].lo, s[1].lo) == floor_div(s[0].hi, s[1].lo);
  if (same_block) return {floor_mod(s[0].lo, s[1].lo), floor_mod(s[0].hi, s[1].lo)};
  return {0, s[1].hi == Interval::kMax ? Interval::kMax : s[1].hi - 1};
}
Interval bounds_and(Bounds s, Words) {
  if (s[0].lo < 0 || s[1].lo < 0) return {};
  return {0, std::min(s[0].hi, s[1].hi)};
}
// No bit above the highest of either.
Interval bounds_bits(Bounds s, Words) {
  const int64_t most = std::max(s[0].hi, s[1].hi);
  if (s[0].lo < 0 || s[1].lo < 0 || most > Interval::kMax / 2) return {};
  return {0, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(most) + 1)) - 1};
}
Interval bounds_where(Bounds s, Words) { return {std::min(s[1].lo, s[2].lo), std::max(s[1].hi, s[2].hi)}; }

constexpr uint32_t kAlu = kElementwise;
constexpr uint32_t kSym = kElementwise | kCommutative | kAssociative;

}  // namespace

constinit const OpRecord kAdd = {.op = Op::Add, .name = "add", .arity = 2, .arg = ArgKind::None, .groups = kSym,
    .doc = "Sum. Integers wrap; bool: or.", .type = type_rule::elementwise, .eval = eval_add,
    .interval = bounds_add, .grad = &grad_add};
constinit const OpRecord kMul = {.op = Op::Mul, .name = "mul", .arity = 2, .arg = ArgKind::None, .groups = kSym,
    .doc = "Product. Integers wrap; bool: and.", .type = type_rule::elementwise, .eval = eval_mul,
    .interval = bounds_mul, .grad = &grad_mul};
constinit const OpRecord kMax = {.op = Op::Max, .name = "max", .arity = 2, .arg = ArgKind::None, .groups = kSym,
    .doc = "Larger value; NaN if either is NaN.", .type = type_rule::elementwise, .eval = eval_max,
    .interval = bounds_max, .grad = &grad_max};
constinit const OpRecord kCmpLt = {.op = Op::CmpLt, .name = "cmplt", .arity = 2, .arg = ArgKind::None,
    .groups = kAlu | kComparison, .doc = "a < b as bool; false for NaN.", .type = type_rule::compare,
    .eval = eval_lt, .interval = bounds_lt, .grad = kZeroGrad};
constinit const OpRecord kCmpNe = {.op = Op::CmpNe, .name = "cmpne", .arity = 2, .arg = ArgKind::None,
    .groups = kAlu | kComparison | kCommutative, .doc = "a != b as bool; true for NaN.",
    .type = type_rule::compare, .eval = eval_ne, .interval = bounds_ne, .grad = kZeroGrad};
constinit const OpRecord kXor = {.op = Op::Xor, .name = "xor", .arity = 2, .arg = ArgKind::None,
    .groups = kSym | kIntOnly, .doc = "Exclusive or of bits.", .type = type_rule::int_only, .eval = eval_xor,
    .interval = bounds_bits, .grad = kZeroGrad};
constinit const OpRecord kAnd = {.op = Op::And, .name = "and", .arity = 2, .arg = ArgKind::None,
    .groups = kSym | kIntOnly, .doc = "And of bits.", .type = type_rule::int_only, .eval = eval_and,
    .interval = bounds_and, .grad = kZeroGrad};
constinit const OpRecord kOr = {.op = Op::Or, .name = "or", .arity = 2, .arg = ArgKind::None,
    .groups = kSym | kIntOnly, .doc = "Or of bits.", .type = type_rule::int_only, .eval = eval_or,
    .interval = bounds_bits, .grad = kZeroGrad};
constinit const OpRecord kShl = {.op = Op::Shl, .name = "shl", .arity = 2, .arg = ArgKind::None,
    .groups = kAlu | kIntOnly, .doc = "Shift left; 0 from 64 on.", .type = type_rule::int_only,
    .eval = eval_shl, .grad = kZeroGrad};
constinit const OpRecord kShr = {.op = Op::Shr, .name = "shr", .arity = 2, .arg = ArgKind::None,
    .groups = kAlu | kIntOnly, .doc = "Shift right: arithmetic for signed, logical for unsigned.",
    .type = type_rule::int_only, .eval = eval_shr, .grad = kZeroGrad};
constinit const OpRecord kIDiv = {.op = Op::IDiv, .name = "idiv", .arity = 2, .arg = ArgKind::None,
    .groups = kAlu | kIntOnly, .doc = "Division rounded towards minus infinity; 0 for a zero divisor.",
    .type = type_rule::int_only, .eval = eval_idiv, .interval = bounds_idiv, .grad = kZeroGrad};
constinit const OpRecord kMod = {.op = Op::Mod, .name = "mod", .arity = 2, .arg = ArgKind::None,
    .groups = kAlu | kIntOnly, .doc = "Remainder with the divisor's sign; 0 for a zero divisor.",
    .type = type_rule::int_only, .eval = eval_mod, .interval = bounds_mod, .grad = kZeroGrad};
constinit const OpRecord kFDiv = {.op = Op::FDiv, .name = "fdiv", .arity = 2, .arg = ArgKind::None,
    .groups = kAlu | kFloatOnly, .doc = "IEEE quotient.", .type = type_rule::float_only, .eval = eval_div,
    .grad = &grad_div};
constinit const OpRecord kSqrt = {.op = Op::Sqrt, .name = "sqrt", .arity = 1, .arg = ArgKind::None,
    .groups = kAlu | kFloatOnly, .doc = "Square root, correctly rounded; NaN below 0.",
    .type = type_rule::float_only, .eval = eval_unary<sqrt_of>, .grad = &grad_sqrt};
constinit const OpRecord kExp2 = {.op = Op::Exp2, .name = "exp2", .arity = 1, .arg = ArgKind::None,
    .groups = kAlu | kFloatOnly, .doc = "2 to the power x.", .type = type_rule::float_only,
    .eval = eval_unary<exp2_of>, .grad = &grad_exp2};
constinit const OpRecord kLog2 = {.op = Op::Log2, .name = "log2", .arity = 1, .arg = ArgKind::None,
    .groups = kAlu | kFloatOnly, .doc = "Logarithm to base 2; -inf at 0, NaN below.",
    .type = type_rule::float_only, .eval = eval_unary<log2_of>, .grad = &grad_log2};
constinit const OpRecord kSin = {.op = Op::Sin, .name = "sin", .arity = 1, .arg = ArgKind::None,
    .groups = kAlu | kFloatOnly, .doc = "Sine of radians.", .type = type_rule::float_only,
    .eval = eval_unary<sin_of>, .grad = &grad_sin};
constinit const OpRecord kTrunc = {.op = Op::Trunc, .name = "trunc", .arity = 1, .arg = ArgKind::None,
    .groups = kAlu | kFloatOnly, .doc = "Integer part, rounded towards zero.", .type = type_rule::float_only,
    .eval = eval_unary<trunc_of>, .grad = kZeroGrad};
constinit const OpRecord kWhere = {.op = Op::Where, .name = "where", .arity = 3, .arg = ArgKind::None,
    .groups = kAlu, .doc = "Source 1 where source 0 is true, else source 2.", .type = type_rule::where,
    .eval = eval_where, .interval = bounds_where, .grad = &grad_where};
constinit const OpRecord kCast = {.op = Op::Cast, .name = "cast", .arity = 1, .arg = ArgKind::None,
    .groups = kAlu | kStatesType, .doc = "Value converted to the stated dtype; floats truncate to integers.",
    .type = type_rule::stated_dtype, .eval = eval_cast, .grad = &grad_cast};
constinit const OpRecord kBitcast = {.op = Op::Bitcast, .name = "bitcast", .arity = 1, .arg = ArgKind::None,
    .groups = kAlu | kStatesType, .doc = "The same bits read as the stated dtype of equal size.",
    .type = type_rule::bitcast, .eval = eval_bitcast, .grad = kZeroGrad};
constinit const OpRecord kThreefry = {.op = Op::Threefry, .name = "threefry", .arity = 4, .arg = ArgKind::Ints,
    .groups = kAlu | kIntOnly,
    .doc = "Threefry-2x32, 20 rounds (Salmon et al., SC 2011): key words 0, 1, counter words 0, 1, all uint32. "
           "Argument: which output word.",
    .type = type_rule::int_only, .eval = eval_threefry, .grad = kZeroGrad};
constinit const OpRecord kFma = {.op = Op::Fma, .name = "fma", .arity = 3, .arg = ArgKind::None, .groups = kAlu,
    .doc = "a*b + c, rounded once or twice as the target likes.", .type = type_rule::elementwise,
    .eval = eval_fma, .interval = nullptr, .grad = &grad_fma};

}  // namespace tg::ops
