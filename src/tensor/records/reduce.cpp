// Records of reductions and the row functions made of them.
#include "tensor/records/call.h"

namespace tg {
namespace {

using namespace phrases;

template <typename Options>
FnParam axes() {
  return field<&Options::axis>("axis", "all axes", "axes to reduce");
}
template <typename Options>
FnParam keep() {
  return field<&Options::keepdim>("keepdim", "false", "keep reduced axes with size 1");
}
const FnParam kAxes = axes<ReduceOptions>();
const FnParam kKeep = keep<ReduceOptions>();
const FnParam kSumDtype =
    field<&ReduceOptions::dtype>("dtype", "see dtype rule", "of accumulation and result");
const FnParam kOne = {"axis", "int64_t", "-1", "the row's axis"};
const FnParam kFloat = {"dtype", "std::optional<DType>", "see dtype rule",
                        "float in which it is computed and returned"};
constexpr std::string_view kThis = "that of this tensor";
constexpr std::string_view kReduced = "without the reduced axes";
constexpr std::string_view kErrors =
    "IndexError for an axis outside the shape; ArgumentError for one named twice";
constexpr std::string_view kSum =
    "the asked one; else floats stay (small ones accumulate in float32), signed integers and "
    "bool become at least int32, unsigned at least uint32";

template <auto F>
FnRecord reduction(std::string_view name, std::string_view doc, std::string_view dtype,
                   std::string_view gradient, std::string_view example, std::string_view result,
                   std::vector<FnParam> params = {kAxes, kKeep},
                   std::string_view errors = kErrors) {
  return {.name = name,
          .doc = doc,
          .params = std::move(params),
          .shapes = kReduced,
          .dtype = dtype,
          .errors = errors,
          .gradient = gradient,
          .example = example,
          .result = result,
          .call = call<F>()};
}
constexpr std::string_view kEmpty =
    "ArgumentError for an empty axis; IndexError for an axis outside the shape";
const FnParam kCorrection =
    field<&VarOptions::correction>("correction", "1", "the divisor is n - correction");
const std::vector<FnParam> kSpread = {axes<VarOptions>(), keep<VarOptions>(), kCorrection};
const FnParam kPlace = field<&ArgOptions::axis>("axis", "the flattened tensor", "axis to search");

template <auto F>
FnRecord scan(std::string_view name, std::string_view doc, std::string_view dtype,
              std::string_view gradient, std::string_view example, std::string_view result) {
  return {.name = name,
          .doc = doc,
          .params = {{"axis", "int64_t", "0", "axis to go along"}},
          .dtype = dtype,
          .errors = kAxisError,
          .gradient = gradient,
          .example = example,
          .result = result,
          .call = call<F>()};
}

}  // namespace

FnFamily reduce_records() {
  return {
      "Reductions",
      {
          reduction<&Tensor::sum>("sum", "Sum; 0 of nothing.", kSum, "to every element",
                                  "Tensor({{1, 2}, {3, 4}}).sum({.axis = {1}})", "[3 7] int32[2]",
                                  {kAxes, kKeep, kSumDtype}),
          reduction<&Tensor::prod>("prod", "Product; 1 of nothing.", kSum,
                                   "the product of the others, right with zeros too",
                                   "Tensor{2, 3, 4}.prod()", "24 int32[]",
                                   {kAxes, kKeep, kSumDtype}),
          reduction<&Tensor::max>(
              "max", "Maximum; NaN if any is NaN; of nothing the least value, -inf of floats.",
              "that of this tensor", "shared equally among equal maxima",
              "Tensor({{1, 2}, {3, 0}}).max({.axis = {1}})", "[2 3] int32[2]", {kAxes, kKeep}),
          reduction<&Tensor::min>(
              "min", "Minimum; NaN if any is NaN; of nothing the largest value, inf of floats.",
              "that of this tensor", "shared equally among equal minima",
              "Tensor({{1, 2}, {3, 0}}).min()", "0 int32[]", {kAxes, kKeep}),
          reduction<&Tensor::mean>("mean", "Arithmetic mean; NaN of nothing.", kFloatDtype,
                                   "1/n to every element", "Tensor{1, 2}.mean()",
                                   "1.5000 float32[]"),
          reduction<&Tensor::var>("var", "Variance, sum of (x - mean)^2 over (n - correction).",
                                  kFloatDtype, kSmooth, "Tensor{1., 3.}.var()", "2. float32[]",
                                  kSpread),
          reduction<&Tensor::std>("std", "Standard deviation, the root of var.", kFloatDtype,
                                  kSmooth, "Tensor{1., 3.}.std({.correction = 0})", "1. float32[]",
                                  kSpread),
          reduction<&Tensor::var_mean>("var_mean", "The pair of var and mean.", kFloatDtype,
                                       kSmooth, "Tensor{1., 3.}.var_mean().second", "2. float32[]",
                                       kSpread),
          reduction<&Tensor::std_mean>("std_mean", "The pair of std and mean.", kFloatDtype,
                                       kSmooth, "Tensor{1., 3.}.std_mean({.correction = 0}).first",
                                       "1. float32[]", kSpread),
          reduction<&Tensor::any>("any", "One is not 0; false of nothing.", kBool, "",
                                  "Tensor{0, 2}.any()", "true bool[]"),
          reduction<&Tensor::all>("all", "None is 0; true of nothing.", kBool, "",
                                  "Tensor{0, 2}.all()", "false bool[]"),
          reduction<&Tensor::argmax>("argmax", "First place of the maximum; NaN is the largest.",
                                     "int32", "", "Tensor{1, 9, 9}.argmax()", "1 int32[]",
                                     {kPlace, keep<ArgOptions>()}, kEmpty),
          reduction<&Tensor::argmin>("argmin", "First place of the minimum; NaN is the smallest.",
                                     "int32", "", "Tensor{4, 0, 9}.argmin()", "1 int32[]",
                                     {kPlace, keep<ArgOptions>()}, kEmpty),
          {.name = "softmax",
           .doc = "exp(x) over the sum of exp(x) of its row, without overflow.",
           .params = {kOne, kFloat},
           .dtype = "the asked one; else floats stay, integers and bool become float32",
           .errors =
               "IndexError for an axis outside the shape; DTypeError unless the dtype is a float",
           .gradient = kSmooth,
           .example = "Tensor{0., 0.}.softmax()",
           .result = "[0.5000 0.5000] float32[2]",
           .call = call<&Tensor::softmax>()},
          {.name = "log_softmax",
           .doc = "Logarithm of softmax, without overflow.",
           .params = {kOne, kFloat},
           .dtype = "the asked one; else floats stay, integers and bool become float32",
           .errors =
               "IndexError for an axis outside the shape; DTypeError unless the dtype is a float",
           .gradient = kSmooth,
           .example = "Tensor{0., 0.}.log_softmax()",
           .result = "[-0.6931 -0.6931] float32[2]",
           .call = call<&Tensor::log_softmax>()},
          {.name = "softmin",
           .doc = "softmax of -x.",
           .params = {kOne, kFloat},
           .dtype = "the asked one; else floats stay, integers and bool become float32",
           .errors =
               "IndexError for an axis outside the shape; DTypeError unless the dtype is a float",
           .gradient = kSmooth,
           .example = "Tensor{0., 1.}.softmin()",
           .result = "[0.7311 0.2689] float32[2]",
           .call = call<&Tensor::softmin>()},
          reduction<&Tensor::logsumexp>("logsumexp",
                                        "Logarithm of the sum of exp(x), without overflow.",
                                        kFloatDtype, "softmax", "Tensor{1000., 1000.}.logsumexp()",
                                        "1000.6932 float32[]", {kAxes, kKeep}, kEmpty),
          {.name = "normalize",
           .doc = "Divided by its p-norm along an axis; a vector of zeros stays.",
           .params = {field<&NormalizeOptions::p>(
                          "p", "2",
                          "order of the norm; 0 counts what is not 0, infinity takes the largest"),
                      field<&NormalizeOptions::axis>("axis", "1",
                                                     "axis whose vectors get length 1"),
                      field<&NormalizeOptions::eps>("eps", "1e-12", "least divisor")},
           .dtype = kFloatDtype,
           .errors = "ArgumentError if p is NaN; IndexError for an axis outside the shape",
           .gradient = kSmooth,
           .example = "Tensor{3., 4.}.normalize({.axis = 0})",
           .result = "[0.6000 0.8000] float32[2]",
           .call = call<&Tensor::normalize>()},
      }};
}

FnFamily scan_records() {
  return {
      "Scans",
      {
          scan<&Tensor::cumsum>("cumsum", "Sum of each element and all before it.", kSum,
                                "the sum from behind", "Tensor{1, 2, 3}.cumsum()",
                                "[1 3 6] int32[3]"),
          scan<&Tensor::cumprod>("cumprod", "Product of each element and all before it.", kSum,
                                 "right with zeros too", "Tensor{1, 2, 3}.cumprod()",
                                 "[1 2 6] int32[3]"),
          scan<&Tensor::cummax>(
              "cummax",
              "The pair of the maximum so far, NaN from the first NaN on, and its latest place, "
              "int32.",
              kThis, "to the place of the maximum", "Tensor{1, 3, 2}.cummax().first",
              "[1 3 3] int32[3]"),
          scan<&Tensor::cummin>(
              "cummin",
              "The pair of the minimum so far, NaN from the first NaN on, and its latest place, "
              "int32.",
              kThis, "to the place of the minimum", "Tensor{3, 1, 2}.cummin().second",
              "[0 1 1] int32[3]"),
          scan<&Tensor::logcumsumexp>(
              "logcumsumexp",
              "Logarithm of the sum of exp of each element and all before it, without overflow.",
              kFloatDtype, kSmooth, "Tensor{1000., 1000.}.logcumsumexp()",
              "[1000.0000 1000.6932] float32[2]"),
      }};
}

}  // namespace tg
