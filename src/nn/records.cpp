// See records.h. A layer's "shape" and "dtype" are those of what it computes; an optimiser's say
// what it changes.
#include "nn/records.h"

namespace tg::nn {
namespace {

constexpr std::string_view kPromoted = "the promoted dtype of input and parameters";
constexpr std::string_view kSmooth = "to the input and to every parameter";
constexpr std::string_view kSizes = "ArgumentError for sizes below 1";
constexpr std::string_view kChannels =
    "ArgumentError for sizes below 1, for groups that do not divide both numbers of channels, and "
    "for a kernel with other axes";
constexpr std::string_view kInPlace = "every parameter keeps its own";
constexpr std::string_view kRates =
    "ArgumentError for no parameters, a learning rate or decay that is negative or not finite, and "
    "shares outside [0, 1); DTypeError for parameters that are no floats";

FnParam field(std::string_view name, std::string_view default_value, std::string_view meaning,
              std::string_view unit = "") {
  return {name, "field of the options", default_value, meaning, unit};
}
FnParam size(std::string_view name, std::string_view meaning) {
  return {name, "int64_t", "", meaning, "elements"};
}
const FnParam kIn = size("in", "features or channels that come in");
const FnParam kOut = size("out", "features or channels that come out");
const FnParam kPlacement = field("placement", "float32, default device", "of the parameters");
const FnParam kBias = field("bias", "true", "add a learned shift");
const FnParam kAffine = field("affine", "true", "learn a scale, and a shift where there is one");
const FnParam kEps = field("eps", "1e-5", "added to the variance");
const FnParam kModel = {"model", "a model, or std::vector<Tensor>", "",
                        "whose parameters are changed"};
const FnParam kRate = field("learning_rate", "0.001", "size of a step");

std::vector<FnParam> conv_params(bool one_axis, bool transposed) {
  std::vector<FnParam> p = {
      kIn,
      kOut,
      one_axis ? size("kernel", "length of the window")
               : FnParam{"kernel", "PerAxis", "", "one number, or {height, width}", "elements"},
      field("groups", "1", "channel groups that do not mix"),
      field("stride", "1", "step of the window", "elements"),
      field("dilation", "1", "distance of neighbouring taps", "elements"),
      field("padding", "0", transposed ? "cut off the result's border" : "zeros around the input",
            "elements")};
  if (transposed) p.push_back(field("output_padding", "0", "more at the result's end", "elements"));
  p.insert(p.end(), {kBias, kPlacement});
  return p;
}

FnRecord layer(std::string_view name, std::string_view doc, std::vector<FnParam> params,
               std::string_view shapes, std::string_view errors, std::string_view example,
               std::string_view result) {
  return {.name = name,
          .doc = doc,
          .params = std::move(params),
          .shapes = shapes,
          .dtype = kPromoted,
          .errors = errors,
          .gradient = kSmooth,
          .example = example,
          .result = result};
}

FnFamily layer_records() {
  constexpr std::string_view kSame = "that of the input";
  return {
      "Layers",
      {
          layer("Linear",
                "x times the transposed weight [out, in], plus bias [out]. Starts uniform "
                "in +-1/sqrt(in).",
                {kIn, kOut, kBias, kPlacement}, "[..., in] gives [..., out]", kSizes,
                "nn::Linear(3, 2)(Tensor::ones({4, 3})).shape()", "[4,2]"),
          layer("Conv1d",
                "Cross-correlation with a learned kernel [out, in / groups, length]. "
                "Starts uniform in +-1/sqrt(in / groups * length).",
                conv_params(true, false), "[batch, in, length] gives [batch, out, ...]", kChannels,
                "nn::Conv1d(1, 2, 3)(Tensor::ones({1, 1, 8})).shape()", "[1,2,6]"),
          layer("Conv2d",
                "Cross-correlation with a learned kernel [out, in / groups, height, "
                "width]. Starts uniform in +-1/sqrt(in / groups * area).",
                conv_params(false, false), "[batch, in, height, width] gives [batch, out, ...]",
                kChannels,
                "nn::Conv2d(1, 2, 3, {.padding = 1})(Tensor::ones({1, 1, 8, 8})).shape()",
                "[1,2,8,8]"),
          layer("ConvTranspose1d",
                "The transpose of a convolution, with a learned kernel [in, out "
                "/ groups, length]. Starts uniform in +-1/sqrt(out / groups * "
                "length).",
                conv_params(true, true), "[batch, in, length] gives [batch, out, ...]", kChannels,
                "nn::ConvTranspose1d(1, 2, 3)(Tensor::ones({1, 1, 8})).shape()", "[1,2,10]"),
          layer("ConvTranspose2d",
                "The transpose of a convolution, with a learned kernel [in, out "
                "/ groups, height, width]. Starts uniform in +-1/sqrt(out / "
                "groups * area).",
                conv_params(false, true), "[batch, in, height, width] gives [batch, out, ...]",
                kChannels,
                "nn::ConvTranspose2d(1, 2, 2, {.stride = 2})(Tensor::ones({1, 1, 4, 4})).shape()",
                "[1,2,8,8]"),
          layer("BatchNorm",
                "Normalises each channel: by this batch inside a TrainingScope, which "
                "also moves the running statistics, else by those.",
                {size("channels", "length of axis 1"), kEps,
                 field("momentum", "0.1", "share of each batch in the running statistics"), kAffine,
                 kPlacement},
                kSame, kSizes, "nn::BatchNorm(2, {.eps = 0})(Tensor({{1., 2.}}))",
                "[[1. 2.]] float32[1,2]"),
          layer("LayerNorm",
                "Normalises the last axes of each element to mean 0 and variance 1, "
                "then scales and shifts.",
                {{"shape", "Shape, or int64_t", "", "sizes of the last axes", "elements"},
                 kEps,
                 kAffine,
                 kPlacement},
                kSame, kSizes, "nn::LayerNorm(2, {.eps = 0})(Tensor({{1., 3.}}))",
                "[[-1.  1.]] float32[1,2]"),
          layer("LayerNorm2d", "LayerNorm over the channels of each place.",
                {size("channels", "length of axis 1"), kEps, kAffine, kPlacement},
                "[batch, channels, height, width], as the input", kSizes,
                "nn::LayerNorm2d(2)(Tensor::ones({1, 2, 3, 3})).shape()", "[1,2,3,3]"),
          layer("GroupNorm",
                "Normalises each group of channels of each element, then scales and "
                "shifts by channel.",
                {size("groups", "number of groups"), size("channels", "length of axis 1"), kEps,
                 kAffine, kPlacement},
                kSame, "ArgumentError for sizes below 1, and unless the groups divide the channels",
                "nn::GroupNorm(1, 2, {.eps = 0})(Tensor({{1., 3.}}))", "[[-1.  1.]] float32[1,2]"),
          layer("InstanceNorm", "GroupNorm with a group for every channel.",
                {size("channels", "length of axis 1"), kEps, kAffine, kPlacement}, kSame, kSizes,
                "nn::InstanceNorm(1, {.eps = 0})(Tensor({{1., 3.}}).reshape({1, 1, 2}))",
                "[[[-1.  1.]]] float32[1,1,2]"),
          layer("RMSNorm", "Divides the last axis by the root of its mean square, then scales.",
                {size("size", "length of the last axis"),
                 field("eps", "1e-6", "added to the mean square"), kAffine, kPlacement},
                kSame, kSizes, "nn::RMSNorm(2, {.eps = 0})(Tensor({{1., 7.}}))",
                "[[0.2000 1.4000]] float32[1,2]"),
          layer("Embedding",
                "A row of a learned table [entries, size] for each integer; negative "
                "ones count from the end, those outside give zeros. Starts as "
                "glorot_uniform.",
                {size("entries", "rows of the table"), size("size", "length of a row"), kPlacement},
                "[...] gives [..., size]", kSizes,
                "nn::Embedding(10, 4)(Tensor({{1, 2, 3}})).shape()", "[1,3,4]"),
          layer("Dropout",
                "Tensor::dropout: zeroes elements and scales the rest inside a "
                "TrainingScope, else changes nothing.",
                {{"p", "double", "0.5", "share that is zeroed", "probability"}}, kSame,
                "ArgumentError for p outside [0, 1]", "nn::Dropout(0.5)(Tensor{1., 2.})",
                "[1. 2.] float32[2]"),
          layer("LSTMCell",
                "One step of a long short-term memory: x and a pair (output, cell) give "
                "the next pair; without one it starts from zeros. Starts uniform in "
                "+-1/sqrt(hidden).",
                {kIn, size("hidden", "features of the state"), kBias, kPlacement},
                "[batch, in] gives a pair of [batch, hidden]", kSizes,
                "nn::LSTMCell(3, 2)(Tensor::ones({4, 3})).first.shape()", "[4,2]"),
      }};
}

FnRecord optimizer(std::string_view name, std::string_view doc, std::vector<FnParam> params,
                   std::string_view example, std::string_view result,
                   std::string_view errors = kRates) {
  return {.name = name,
          .doc = doc,
          .params = std::move(params),
          .shapes = kInPlace,
          .dtype = kInPlace,
          .errors = errors,
          .example = example,
          .result = result};
}

FnFamily optimizer_records() {
  const FnParam beta1 = field("beta1", "0.9", "decay of the mean of gradients");
  const FnParam beta2 = field("beta2", "0.999", "decay of the mean of their squares");
  return {
      "Optimisers",
      {
          optimizer("SGD",
                    "g += decay * p; b = momentum * b + g; p -= rate * b (nesterov: rate * "
                    "(g + momentum * b)).",
                    {kModel, kRate, field("momentum", "0", "share of the last direction kept"),
                     field("weight_decay", "0", "times the parameter, added to the gradient"),
                     field("nesterov", "false", "look ahead along the momentum")},
                    "stepped<nn::SGD>({.learning_rate = 0.25})", "[0.5000] float32[1]"),
          optimizer("Adam",
                    "Steps along mean over root of mean square of the gradients (Kingma and "
                    "Ba, 2015), decay apart.",
                    {kModel, kRate, beta1, beta2,
                     field("eps", "1e-8", "added to the root of the mean square"),
                     field("weight_decay", "0", "times rate and parameter, subtracted from it")},
                    "stepped<nn::Adam>({.learning_rate = 0.25})", "[0.7500] float32[1]"),
          optimizer("AdamW",
                    "Adam whose weight decay is on unless it is set to 0 (Loshchilov and "
                    "Hutter, 2019).",
                    {kModel, kRate, beta1, beta2,
                     field("eps", "1e-8", "added to the root of the mean square"),
                     field("weight_decay", "0.01", "times rate and parameter, subtracted from it")},
                    "stepped<nn::AdamW>({.learning_rate = 0.25, .weight_decay = 1})",
                    "[0.5000] float32[1]"),
          optimizer("LAMB",
                    "Adam's direction plus decay, scaled for each parameter to the length "
                    "of the parameter (You et al., 2020).",
                    {kModel, kRate, beta1, beta2,
                     field("eps", "1e-6", "added to the root of the mean square"),
                     field("weight_decay", "0", "times the parameter, added to the direction")},
                    "stepped<nn::LAMB>({.learning_rate = 0.25})", "[0.7500] float32[1]"),
          optimizer("LARS",
                    "SGD with the gradient of each parameter scaled by trust * |p| / (|g| + "
                    "decay * |p|) (You, Gitman and Ginsburg, 2017).",
                    {kModel, kRate, field("momentum", "0.9", "share of the last direction kept"),
                     field("weight_decay", "1e-4", "times the parameter, added to the gradient"),
                     field("nesterov", "false", "look ahead along the momentum"),
                     field("trust", "0.001", "share of the parameter's length a step may take")},
                    "stepped<nn::LARS>({.learning_rate = 1, .weight_decay = 0, .trust = 0.25})",
                    "[0.7500] float32[1]"),
          optimizer("Muon",
                    "The momentum of each matrix is replaced by the nearest orthogonal one, "
                    "by a Newton-Schulz iteration (Jordan et al., 2024); parameters of one "
                    "axis follow their momentum.",
                    {kModel, kRate, field("momentum", "0.95", "share of the last direction kept"),
                     field("weight_decay", "0.1", "times rate and parameter, subtracted from it"),
                     field("nesterov", "true", "look ahead along the momentum"),
                     field("steps", "5", "iterations")},
                    "stepped<nn::Muon>({.learning_rate = 0.125, .momentum = 0.5, .weight_decay = "
                    "0})",
                    "[0.6250] float32[1]",
                    "as SGD; ArgumentError for a negative decay or less than one iteration"),
          optimizer("OptimizerGroup", "Several optimisers that take one step together.",
                    {{"optimizers", "std::vector<Optimizer*>", "", "with parameters of their own"}},
                    "grouped_step()", "[0.5000] float32[1]",
                    "ArgumentError for none, and for a parameter that two of them hold"),
      }};
}

}  // namespace

const std::vector<FnFamily>& families() {
  static const std::vector<FnFamily> all = {layer_records(), optimizer_records()};
  return all;
}

}  // namespace tg::nn
