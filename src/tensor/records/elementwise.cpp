// Records of functions of one operand and of activations.
#include "tensor/records/record.h"

namespace tg {
namespace {

using namespace phrases;

FnRecord unary(std::string_view name, std::string_view doc, std::string_view dtype,
               std::string_view gradient, std::string_view example, std::string_view result) {
  return {.name = name,
          .doc = doc,
          .dtype = dtype,
          .gradient = gradient,
          .example = example,
          .result = result};
}
constexpr std::string_view kOwn = "that of this tensor";

}  // namespace

FnFamily elementwise_records() {
  return {
      "Elementwise functions",
      {
          unary("neg", "Negation; bool: not.", kOwn, kSmooth, "-Tensor{1, -2}", "[-1  2] int32[2]"),
          unary("abs", "Size without sign.", kOwn, "the sign; 0 at 0", "Tensor{-3, 2}.abs()",
                "[3 2] int32[2]"),
          unary("sign", "-1, 0 or 1; NaN stays.", kOwn, "zero", "Tensor{-3, 0, 2}.sign()",
                "[-1  0  1] int32[3]"),
          unary("square", "x * x.", kOwn, kSmooth, "Tensor{-3, 2}.square()", "[9 4] int32[2]"),
          unary("sqrt", "Square root; NaN below 0.", kFloatDtype, kSmooth, "Tensor{4, 9}.sqrt()",
                "[2. 3.] float32[2]"),
          unary("rsqrt", "1 / square root.", kFloatDtype, kSmooth, "Tensor{4, 16}.rsqrt()",
                "[0.5000 0.2500] float32[2]"),
          unary("reciprocal", "1 / x.", kFloatDtype, kSmooth, "Tensor{2, 4}.reciprocal()",
                "[0.5000 0.2500] float32[2]"),
          unary("exp", "e to the power x.", kFloatDtype, kSmooth, "Tensor{0., 1.}.exp()",
                "[1.0000 2.7183] float32[2]"),
          unary("exp2", "2 to the power x.", kFloatDtype, kSmooth, "Tensor{0, 3}.exp2()",
                "[1. 8.] float32[2]"),
          unary("log", "Natural logarithm; -inf at 0, NaN below.", kFloatDtype, kSmooth,
                "Tensor{1., 10.}.log()", "[0.0000 2.3026] float32[2]"),
          unary("log2", "Logarithm to base 2; -inf at 0, NaN below.", kFloatDtype, kSmooth,
                "Tensor{1, 8}.log2()", "[0. 3.] float32[2]"),
          unary("log10", "Logarithm to base 10; -inf at 0, NaN below.", kFloatDtype, kSmooth,
                "Tensor{1., 50.}.log10()", "[0.0000 1.6990] float32[2]"),
          unary("sin", "Sine of radians.", kFloatDtype, kSmooth, "Tensor{0., 1.}.sin()",
                "[0.0000 0.8415] float32[2]"),
          unary("cos", "Cosine of radians.", kFloatDtype, kSmooth, "Tensor{0.5, 1.}.cos()",
                "[0.8776 0.5403] float32[2]"),
          unary("tan", "Tangent of radians.", kFloatDtype, kSmooth, "Tensor{0.5, 1.}.tan()",
                "[0.5463 1.5574] float32[2]"),
          unary("trunc", "Rounded towards 0.", kOwn, "zero", "Tensor{-1.5, 1.5}.trunc()",
                "[-1.  1.] float32[2]"),
          unary("floor", "Rounded down.", kOwn, "zero", "Tensor{-1.5, 1.5}.floor()",
                "[-2.  1.] float32[2]"),
          unary("ceil", "Rounded up.", kOwn, "zero", "Tensor{-1.5, 1.5}.ceil()",
                "[-1.  2.] float32[2]"),
          unary("round", "Rounded to the nearest whole number, halves to the even one.", kOwn,
                "zero", "Tensor{1.5, 2.5}.round()", "[2. 2.] float32[2]"),
          unary("isnan", "Is NaN.", kBool, "", "Tensor{1., 2.}.log().isnan()",
                "[false false] bool[2]"),
          unary("isinf", "Is plus or minus infinity.", kBool, "", "Tensor{0., 2.}.log().isinf()",
                "[ true false] bool[2]"),
          unary("isfinite", "Is neither NaN nor infinite.", kBool, "",
                "Tensor{0., 2.}.log().isfinite()", "[false  true] bool[2]"),
          {.name = "cast",
           .doc = "Values converted; floats truncate to integers, integers wrap.",
           .params = {{"dtype", "DType", "", "the new element type"}},
           .dtype = "the given one",
           .errors = "DTypeError for a dtype without storage",
           .gradient = "cast back, between floats",
           .example = "Tensor{1.7, -1.7}.cast(DType::Int32)",
           .result = "[ 1 -1] int32[2]"},
          {.name = "bitcast",
           .doc = "The same bits read as another dtype of the same size.",
           .params = {{"dtype", "DType", "", "the new element type"}},
           .dtype = "the given one",
           .errors = "DTypeError if the sizes differ",
           .example = "Tensor{1.}.bitcast(DType::Int32)",
           .result = "[1065353216] int32[1]"},
      }};
}

FnFamily activation_records() {
  return {"Activations",
          {
              unary("relu", "max(x, 0); NaN stays NaN.", kOwn, "1 above 0, else 0 (0 at 0)",
                    "Tensor{-1., 0., 2.}.relu()", "[0. 0. 2.] float32[3]"),
              unary("relu6", "min(max(x, 0), 6).", kOwn, "1 between, half at 6, else 0",
                    "Tensor{-1., 3., 9.}.relu6()", "[0. 3. 6.] float32[3]"),
              {.name = "leaky_relu",
               .doc = "x, or slope * x below 0.",
               .params = {{"slope", "double", "0.01", "below 0"}},
               .dtype = kFloatDtype,
               .gradient = "1, or the slope below 0",
               .example = "Tensor{-1., 2.}.leaky_relu(0.5)",
               .result = "[-0.5000  2.0000] float32[2]"},
              unary("sigmoid", "1 / (1 + exp(-x)), exact in both tails.", kFloatDtype, kSmooth,
                    "Tensor{0., 2.}.sigmoid()", "[0.5000 0.8808] float32[2]"),
              unary("tanh", "Hyperbolic tangent, exact near 0 and in both tails.", kFloatDtype,
                    kSmooth, "Tensor{0., 1.}.tanh()", "[0.0000 0.7616] float32[2]"),
              unary("silu", "x * sigmoid(x).", kFloatDtype, kSmooth, "Tensor{0., 1.}.silu()",
                    "[0.0000 0.7311] float32[2]"),
              unary("gelu", "x * sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)), the tanh form.",
                    kFloatDtype, kSmooth, "Tensor{0., 1.}.gelu()", "[0.0000 0.8412] float32[2]"),
              unary("quick_gelu", "x * sigmoid(1.702 x).", kFloatDtype, kSmooth,
                    "Tensor{0., 1.}.quick_gelu()", "[0.0000 0.8458] float32[2]"),
              unary("softplus", "log(1 + exp(x)) without overflow.", kFloatDtype, kSmooth,
                    "Tensor{0., 100.}.softplus()", "[  0.6931 100.0000] float32[2]"),
          }};
}

}  // namespace tg
