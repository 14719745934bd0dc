// Powers. Whole and half exponents that are numbers need products and roots only; all others go by
// logarithms, with the values of C's pow (IEEE 754-2019, 9.2.1) and the gradients of PyTorch, which
// the composition itself would not give at 0, at infinities and where there is no real power.
#include <array>
#include <cmath>
#include <limits>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// x to a whole power by repeated squaring.
UOp whole_power(const UOp& x, int64_t n) {
  if (n == 0) return const_like(x, int64_t{1});
  UOp result, square = x;
  for (; n > 0; n >>= 1) {
    if (n & 1) result = result ? result * square : square;
    if (n > 1) square = square * square;
  }
  return result;
}

// exp2(e·log2|x|) with the sign of odd powers; 0^e, 1^e and x^0 apart, where that would be 0·∞. A
// negative number has no broken power, but −∞ has.
UOp power_value(const UOp& x, const UOp& e) {
  const UOp zero = const_like(x, 0.0), one = const_like(x, 1.0), inf = const_like(x, kInfinity);
  const UOp nan = const_like(x, std::numeric_limits<double>::quiet_NaN());
  const UOp at_zero = tg::eq(x, zero), size_of_x = magnitude(x);
  const UOp powered = tg::exp2(e * tg::log2(tg::where(at_zero, one, size_of_x)));
  const UOp size = tg::where(tg::eq(size_of_x, one), one, powered);

  const UOp whole = tg::eq(tg::trunc(e), e), half = e * const_like(x, 0.5);
  const UOp odd = whole & tg::ne(tg::trunc(half), half);
  const UOp broken = tg::where(tg::eq(size_of_x, inf), size, nan);
  const UOp of_negative = tg::where(whole, tg::where(odd, -size, size), broken);

  // −0 keeps its sign in odd powers; a NaN in the exponent stays one.
  const UOp risen = tg::where(tg::lt(zero, e), tg::where(odd, x, zero), e);
  const UOp of_zero = tg::where(tg::lt(e, zero), tg::where(odd, one / x, inf), risen);

  const UOp nonzero = tg::where(tg::lt(x, zero), of_negative, size);
  return tg::where(tg::eq(e, zero), one, tg::where(at_zero, of_zero, nonzero));
}

UOp float_power(const UOp& x, const UOp& e);

// Of y = x^e: e·x^(e − 1) and y·ln x. They are 0 where y does not change: at e = 0 for x, and for e
// at 0^e of e ≥ 0.
class PowerGradient final : public CustomGradient {
 public:
  std::vector<UOp> backward(const UOp& y, const UOp& dy) override {
    const UOp x = y.src(1), e = y.src(2), zero = const_like(x, 0.0), one = const_like(x, 1.0);
    const UOp constant = tg::eq(e, zero), by = tg::where(constant, one, e);
    const UOp of_x = tg::where(constant, zero, by * float_power(x, by - one));
    const UOp flat = tg::eq(x, zero) & (constant | tg::lt(zero, e));
    const UOp of_e = tg::where(flat, zero, y * log(tg::where(flat, one, x)));
    return {dy * of_x, dy * of_e};
  }
};

UOp float_power(const UOp& x, const UOp& e) {
  static const auto gradient = make_ref<PowerGradient>();
  const UOp value = power_value(x, e);
  if (value.is(Op::Const)) return value;
  const std::array<UOp, 2> inputs = {x, e};
  return with_gradient(value, inputs, *gradient.get());
}

constexpr int64_t kLargestUnrolledPower = 64;

// Powers by a number that needs no logarithm: whole ones, and halves of them.
UOp number_power(const UOp& x, double e) {
  const double doubled = 2 * e;
  const bool small = std::abs(e) <= kLargestUnrolledPower && doubled == std::trunc(doubled);
  if (!small) return float_power(x, const_like(x, e));
  const double whole = std::trunc(std::abs(e));
  UOp y = whole_power(x, static_cast<int64_t>(whole));
  if (whole != std::abs(e)) y = whole == 0 ? tg::sqrt(x) : y * tg::sqrt(x);
  return e < 0 ? const_like(y, 1.0) / y : y;
}

UOp integer_power(const UOp& x, const Tensor& exponent) {
  const auto number = exponent.state()->number();
  if (!number || is_float(number->dtype()) || number->i64() < 0) {
    user_error<DTypeError>(
        "pow",
        fmt::format("an integer base ({}) needs a whole exponent that is a number and "
                    "not negative",
                    dtype_name(x.dtype())),
        "Hint: cast the base to float32.");
  }
  return whole_power(x, number->i64());
}

}  // namespace

Tensor Tensor::pow(const Tensor& e) const {
  const DType t = common_dtype(*this, e);
  const auto number = e.state()->number();
  if (!is_float(t)) {
    UOp x = node_as(*this, is_bool(t) ? DType::Int32 : t, "pow");
    return wrap(integer_power(x, e));
  }
  if (number && !state()->is_number()) {
    UOp x = node_as(*this, compute_float(t), "pow");
    return wrap(tg::cast(number_power(x, number->as_double()), t));
  }
  auto [x, y] = operands_as("pow", *this, e, compute_float(t));
  return wrap(tg::cast(float_power(x, y), t));
}

}  // namespace tg
