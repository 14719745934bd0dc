// Operators of single elements: arithmetic, functions, activations, casts. Comparisons: logic.cpp.
#include <cmath>
#include <limits>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {

// Until version 7 the second operand was broadcast by attributes: its first axis stands at `axis`.
Tensor second_operand(const Node& n) {
  const Tensor b = n.tensor(1);
  if (n.version() >= 7 || !n.flag("broadcast") || !n.has_attribute("axis")) return b;
  const int64_t axis = n.axis(n.integer("axis", 0), n.rank(0));
  Shape shape = b.shape();
  const int64_t behind = n.rank(0) - axis - static_cast<int64_t>(shape.size());
  n.require(behind >= 0, "the second operand does not fit at this axis");
  shape.insert(shape.end(), static_cast<size_t>(behind), 1);
  return b.reshape(shape);
}

namespace {

Values one(Tensor t) { return {std::move(t)}; }

// Both operands have one dtype, as the standard says: nothing is promoted.
void check_same(const Node& n) {
  n.require(n.dtype(0) == n.dtype(1), "the operands have different dtypes");
}

Values div(const Node& n) {
  check_same(n);
  const Tensor a = n.tensor(0), b = second_operand(n);
  return one(a.is_floating_point() ? a.div(b) : a.div(b, Rounding::Trunc));
}

// The remainder with the divisor's sign, also where it is 0: by that of the other rounding, which
// is defined for infinite divisors.
Tensor floor_remainder(const Tensor& a, const Tensor& b) {
  const Tensor rest = a.fmod(b);
  const Tensor crossed = ((rest < 0) != (b < 0)).where(rest + b, rest);
  return (rest == 0).where(rest.copysign(b), crossed);
}

Values mod(const Node& n) {
  check_same(n);
  const Tensor a = n.tensor(0), b = n.tensor(1);
  if (n.flag("fmod")) return one(a.fmod(b));
  if (!a.is_floating_point()) return one(a.mod(b));
  n.require(n.version() >= 28, "floats need fmod = 1");
  return one(floor_remainder(a, b));
}

Values power(const Node& n) {
  const Tensor a = n.tensor(0), b = second_operand(n);
  if (a.is_floating_point()) return one(a.pow(b.cast(a.dtype())));
  // Whole powers of integers stay exact where the exponent is whole and not negative.
  if (!b.is_floating_point() && is_unsigned(b.dtype())) return one(a.pow(b).cast(a.dtype()));
  // A power that is whole but for its last bits is that whole number.
  const Tensor wide = a.cast(DType::Float64).pow(b.cast(DType::Float64)), whole = wide.round();
  const Tensor is_whole = (wide - whole).abs() <= wide.abs() * 1e-12;
  return one(is_whole.where(whole, wide.trunc()).cast(a.dtype()));
}

template <Tensor (Tensor::*F)(const Tensor&) const>
Values binary_op(const Node& n) {
  check_same(n);
  return one((n.tensor(0).*F)(second_operand(n)));
}

template <Tensor (Tensor::*F)() const>
Values unary_op(const Node& n) {
  return one((n.tensor(0).*F)());
}

template <Tensor (Tensor::*F)(const Tensor&) const>
Values variadic(const Node& n) {
  Tensor out = n.tensor(0);
  for (size_t i = 1; i < n.inputs(); ++i) out = (out.*F)(n.tensor(i));
  return one(out);
}

Values mean(const Node& n) {
  return one(variadic<&Tensor::add>(n)[0].tensor(n.device()) / static_cast<double>(n.inputs()));
}

Values clip(const Node& n) {
  Tensor x = n.tensor(0);
  if (n.version() < 11) {
    if (n.has_attribute("min")) x = x.maximum(Tensor(n.real("min", 0)).cast(x.dtype()));
    if (n.has_attribute("max")) x = x.minimum(Tensor(n.real("max", 0)).cast(x.dtype()));
    return one(x);
  }
  if (n.has(1)) x = x.maximum(n.tensor(1));
  if (n.has(2)) x = x.minimum(n.tensor(2));
  return one(x);
}

DType type_from(const Node& n, int64_t number) {
  const auto to = dtype_of_onnx(number);
  if (!to) n.unsupported("a cast to " + onnx_type_name(number));
  return *to;
}

Values cast(const Node& n) {
  const DType to = type_from(n, n.required_integer("to"));
  return one(cast_by_node(n, n.tensor(0), to));
}

Values cast_like(const Node& n) { return one(cast_by_node(n, n.tensor(0), n.dtype(1))); }

Values gelu(const Node& n) {
  const std::string form = n.text("approximate", "none");
  n.require(form == "none" || form == "tanh", "attribute \"approximate\" is neither none nor tanh");
  return one(n.tensor(0).gelu(form == "tanh" ? GeluForm::Tanh : GeluForm::Erf));
}

Values prelu(const Node& n) {
  const Tensor x = n.tensor(0);
  Tensor slope = n.tensor(1);
  // Before version 7 a vector is one slope a channel.
  if (n.version() < 7 && slope.ndim() == 1 && slope.numel() > 1 && x.ndim() > 2) {
    Shape shape(static_cast<size_t>(x.ndim()) - 1, 1);
    shape[0] = slope.numel();
    slope = slope.reshape(shape);
  }
  return one((x < 0).where(x * slope, x));
}

Values shrink(const Node& n) {
  const Tensor x = n.tensor(0);
  const double lambda = n.real("lambd", 0.5), bias = n.real("bias", 0);
  return one(
      (x < -lambda).where(x + bias, (x > lambda).where(x - bias, x.zeros_like())).cast(x.dtype()));
}

// Counts that no bit of the number survives leave 0, or what its sign fills in from the left.
Values shift(const Node& n) {
  const std::string direction = n.text("direction", "");
  n.require(direction == "LEFT" || direction == "RIGHT",
            "attribute \"direction\" is neither LEFT nor RIGHT");
  check_same(n);
  const Tensor x = n.tensor(0), count = n.tensor(1);
  const int64_t last = 8 * x.element_size() - 1;
  const Tensor inside = (count >= 0).logical_and(count <= last);
  // The last bit alone is the sign of a signed number.
  if (direction == "RIGHT" && !is_unsigned(x.dtype()))
    return one(x.rshift(inside.where(count, last)));
  const Tensor safe = inside.where(count, 0);
  const Tensor shifted = direction == "LEFT" ? x.lshift(safe) : x.rshift(safe);
  return one(inside.where(shifted, x.zeros_like()));
}

Values swish(const Node& n) {
  const Tensor x = n.tensor(0);
  return one(x * (x * n.real("alpha", 1)).sigmoid());
}

Values swi_glu(const Node& n) {
  check_same(n);
  n.require(n.shape(0) == n.shape(1), "the gate and the input have different shapes");
  return one(swish(n)[0].tensor(n.device()) * n.tensor(1));
}

Values bit_cast(const Node& n) {
  const DType to = type_from(n, n.required_integer("to"));
  const Tensor x = n.tensor(0);
  n.require(dtype_size(to) == x.element_size(), "the types have different sizes");
  return one(x.bitcast(to));
}

// ai.onnx.ml: which numbers are larger than a threshold.
Values binarizer(const Node& n) {
  const Tensor x = n.tensor(0);
  return one((x > n.real("threshold", 0)).cast(x.dtype()));
}

Values is_inf(const Node& n) {
  return one(n.tensor(0).isinf(n.flag("detect_positive", true), n.flag("detect_negative", true)));
}

Values dropout(const Node& n) {
  const Tensor x = n.tensor(0);
  const bool training =
      n.version() >= 12 ? n.has(2) && n.integer(2) != 0 : n.version() < 7 && !n.flag("is_test");
  const double ratio = n.version() >= 12 ? (n.has(1) ? n.real(1) : 0.5) : n.real("ratio", 0.5);
  const Tensor all = Tensor::full(x.shape(), Tensor(true), {.dtype = DType::Bool, .buffer = false});
  const Tensor mask = n.version() >= 10 ? all : all.cast(x.dtype());
  if (!training || ratio == 0 || n.version() < 7) return {x, mask};
  n.require(ratio > 0 && ratio < 1, "a ratio that is not in [0, 1)");
  const Tensor kept = Tensor::rand(x.shape(), {.device = x.device()}) >= ratio;
  return {kept.where(x / (1 - ratio), x.zeros_like()), kept};
}

}  // namespace

std::span<const Operator> elementwise_operators() {
  static const std::vector<Operator> rows = {
      {"Abs", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::abs>},
      {"Acos", {7, 22}, "", unary_op<&Tensor::acos>},
      {"Acosh", {9, 22}, "", unary_op<&Tensor::acosh>},
      {"Add", {1, 6, 7, 13, 14}, "axis broadcast consumed_inputs", binary_op<&Tensor::add>},
      {"Asin", {7, 22}, "", unary_op<&Tensor::asin>},
      {"Asinh", {9, 22}, "", unary_op<&Tensor::asinh>},
      {"Atan", {7, 22}, "", unary_op<&Tensor::atan>},
      {"Atanh", {9, 22}, "", unary_op<&Tensor::atanh>},
      {"BitShift", {11, 28}, "direction", shift},
      {"BitCast", {26}, "to", bit_cast},
      {"BitwiseAnd", {18}, "", binary_op<&Tensor::bitwise_and>},
      {"BitwiseNot", {18}, "", unary_op<&Tensor::bitwise_not>},
      {"BitwiseOr", {18}, "", binary_op<&Tensor::bitwise_or>},
      {"BitwiseXor", {18}, "", binary_op<&Tensor::bitwise_xor>},
      {"Cast", {6, 9, 13, 19, 21, 23, 24, 25, 28}, "to saturate round_mode", cast},
      {"CastLike", {15, 19, 21, 23, 24, 25}, "saturate round_mode", cast_like},
      {"Ceil", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::ceil>},
      {"Celu",
       {12, 28},
       "alpha",
       [](const Node& n) { return one(n.tensor(0).celu(n.real("alpha", 1))); }},
      {"Clip", {1, 6, 11, 12, 13}, "min max consumed_inputs", clip},
      {"Cos", {7, 22}, "", unary_op<&Tensor::cos>},
      {"Cosh", {9, 22}, "", unary_op<&Tensor::cosh>},
      {"Div", {1, 6, 7, 13, 14}, "axis broadcast consumed_inputs", div},
      {"Dropout", {1, 6, 7, 10, 12, 13, 22}, "ratio is_test seed consumed_inputs", dropout},
      {"Elu",
       {1, 6, 22},
       "alpha consumed_inputs",
       [](const Node& n) { return one(n.tensor(0).elu(n.real("alpha", 1))); }},
      {"Erf", {9, 13}, "", unary_op<&Tensor::erf>},
      {"Exp", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::exp>},
      {"Floor", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::floor>},
      {"Gelu", {20}, "approximate", gelu},
      {"HardSigmoid",
       {1, 6, 22},
       "alpha beta consumed_inputs",
       [](const Node& n) {
         return one(n.tensor(0).hardsigmoid(n.real("alpha", 0.2), n.real("beta", 0.5)));
       }},
      {"HardSwish", {14, 22}, "", unary_op<&Tensor::hardswish>},
      {"IsInf", {10, 20}, "detect_negative detect_positive", is_inf},
      {"IsNaN", {9, 13, 20}, "", unary_op<&Tensor::isnan>},
      {"LeakyRelu",
       {1, 6, 16},
       "alpha consumed_inputs",
       [](const Node& n) { return one(n.tensor(0).leaky_relu(n.real("alpha", 0.01))); }},
      {"Log", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::log>},
      {"Max", {1, 6, 8, 12, 13}, "consumed_inputs", variadic<&Tensor::maximum>},
      {"Mean", {1, 6, 8, 13}, "consumed_inputs", mean},
      {"Min", {1, 6, 8, 12, 13}, "consumed_inputs", variadic<&Tensor::minimum>},
      {"Mish", {18, 22}, "", unary_op<&Tensor::mish>},
      {"Mod", {10, 13, 28}, "fmod", mod},
      {"Mul", {1, 6, 7, 13, 14}, "axis broadcast consumed_inputs", binary_op<&Tensor::mul>},
      {"Neg", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::neg>},
      {"PRelu", {1, 6, 7, 9, 16}, "consumed_inputs", prelu},
      {"Pow", {1, 7, 12, 13, 15}, "axis broadcast", power},
      {"Reciprocal", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::reciprocal>},
      {"Relu", {1, 6, 13, 14}, "consumed_inputs", unary_op<&Tensor::relu>},
      {"Round", {11, 22}, "", unary_op<&Tensor::round>},
      {"Selu",
       {1, 6, 22},
       "alpha gamma consumed_inputs",
       [](const Node& n) {
         const double alpha = n.version() < 6 ? 1.6732 : 1.67326319217681884765625;
         const double gamma = n.version() < 6 ? 1.0507 : 1.05070102214813232421875;
         return one(n.tensor(0).selu(n.real("alpha", alpha), n.real("gamma", gamma)));
       }},
      {"Shrink", {9}, "lambd bias", shrink},
      {"Sigmoid", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::sigmoid>},
      {"Sign", {9, 13}, "", unary_op<&Tensor::sign>},
      {"Sin", {7, 22}, "", unary_op<&Tensor::sin>},
      {"Sinh", {9, 22}, "", unary_op<&Tensor::sinh>},
      {"Softplus", {1, 22}, "", [](const Node& n) { return one(n.tensor(0).softplus()); }},
      {"Softsign", {1, 22}, "", unary_op<&Tensor::softsign>},
      {"Sqrt", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::sqrt>},
      {"Sub", {1, 6, 7, 13, 14}, "axis broadcast consumed_inputs", binary_op<&Tensor::sub>},
      {"Sum", {1, 6, 8, 13}, "consumed_inputs", variadic<&Tensor::add>},
      {"SwiGLU", {28}, "alpha", swi_glu},
      {"Swish", {24}, "alpha", swish},
      {"Tan", {7, 22}, "", unary_op<&Tensor::tan>},
      {"Tanh", {1, 6, 13}, "consumed_inputs", unary_op<&Tensor::tanh>},
      {"ThresholdedRelu",
       {1, 10, 22},
       "alpha",
       [](const Node& n) {
         const Tensor x = n.tensor(0);
         return one((x > n.real("alpha", 1)).where(x, x.zeros_like()));
       }},
      {"ai.onnx.ml.Binarizer", {1}, "threshold", binarizer},
  };
  return rows;
}

}  // namespace tg::onnx
