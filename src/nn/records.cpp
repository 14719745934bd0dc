// See records.h. A layer's "shape" and "dtype" are those of what it computes; an optimiser's say
// what it changes.
#include "nn/records.h"

#include "nn/record_parts.h"

namespace tg {

template <>
inline constexpr std::string_view kOptionsOf<nn::ConvLayerOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::ConvTransposeLayerOptions> =
    "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::BatchNormLayerOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::NormLayerOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::RmsNormLayerOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::EmbeddingOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::SgdOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::AdamOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::AdamWOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::LambOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::LarsOptions> = "field of the options";
template <>
inline constexpr std::string_view kOptionsOf<nn::MuonOptions> = "field of the options";

}  // namespace tg

namespace tg::nn {
namespace {

constexpr std::string_view kChannels =
    "ArgumentError for sizes below 1, for groups that do not divide both numbers of channels, and "
    "for a kernel with other axes";
constexpr std::string_view kInPlace = "every parameter keeps its own";
constexpr std::string_view kRates =
    "ArgumentError for no parameters, a learning rate or decay that is negative or not finite, and "
    "shares outside [0, 1); DTypeError for parameters that are no floats";

const FnParam kModel = {"model", "a model, or std::vector<Tensor>", "",
                        "whose parameters are changed"};
template <typename Options>
FnParam rate() {
  return field<&Options::lr>("lr", "0.001", "size of a step");
}

template <typename Options>
std::vector<FnParam> conv_params(bool one_axis) {
  constexpr bool kTransposed = std::is_same_v<Options, ConvTransposeLayerOptions>;
  std::vector<FnParam> p = {
      kIn,
      kOut,
      one_axis ? size("kernel", "length of the window")
               : FnParam{"kernel", "PerAxis", "", "one number, or {height, width}", "elements"},
      field<&Options::groups>("groups", "1", "channel groups that do not mix"),
      field<&Options::stride>("stride", "1", "step of the window", "elements"),
      field<&Options::dilation>("dilation", "1", "distance of neighbouring taps", "elements"),
      field<&Options::padding>(
          "padding", "0", kTransposed ? "cut off the result's border" : "zeros around the input",
          "elements")};
  if constexpr (kTransposed) {
    p.push_back(field<&Options::output_padding>("output_padding", "0", "more at the result's end",
                                                "elements"));
  }
  p.insert(p.end(), {bias<Options>(), dtype<Options>(), device<Options>()});
  return p;
}

FnFamily layer_records() {
  constexpr std::string_view kSame = "that of the input";
  return {
      "Layers",
      {
          layer(make<Linear, int64_t, int64_t, LinearOptions>(), "Linear",
                "x times the transposed weight [out, in], plus bias [out]. Starts uniform "
                "in +-1/sqrt(in).",
                {kIn, kOut, bias<LinearOptions>(), dtype<LinearOptions>(), device<LinearOptions>()},
                "[..., in] gives [..., out]", kSizes,
                "nn::Linear(3, 2)(Tensor::ones({4, 3})).shape()", "[4,2]"),
          layer(make<Conv1d, int64_t, int64_t, int64_t, Conv1dOptions>(), "Conv1d",
                "Cross-correlation with a learned kernel [out, in / groups, length]. "
                "Starts uniform in +-1/sqrt(in / groups * length).",
                conv_params<Conv1dOptions>(true), "[batch, in, length] gives [batch, out, ...]",
                kChannels, "nn::Conv1d(1, 2, 3)(Tensor::ones({1, 1, 8})).shape()", "[1,2,6]"),
          layer(make<Conv2d, int64_t, int64_t, PerAxis, Conv2dOptions>(), "Conv2d",
                "Cross-correlation with a learned kernel [out, in / groups, height, "
                "width]. Starts uniform in +-1/sqrt(in / groups * area).",
                conv_params<Conv2dOptions>(false),
                "[batch, in, height, width] gives [batch, out, ...]", kChannels,
                "nn::Conv2d(1, 2, 3, {.padding = 1})(Tensor::ones({1, 1, 8, 8})).shape()",
                "[1,2,8,8]"),
          layer(make<ConvTranspose1d, int64_t, int64_t, int64_t, ConvTransposeLayerOptions>(),
                "ConvTranspose1d",
                "The transpose of a convolution, with a learned kernel [in, out "
                "/ groups, length]. Starts uniform in +-1/sqrt(out / groups * "
                "length).",
                conv_params<ConvTransposeLayerOptions>(true),
                "[batch, in, length] gives [batch, out, ...]", kChannels,
                "nn::ConvTranspose1d(1, 2, 3)(Tensor::ones({1, 1, 8})).shape()", "[1,2,10]"),
          layer(make<ConvTranspose2d, int64_t, int64_t, PerAxis, ConvTransposeLayerOptions>(),
                "ConvTranspose2d",
                "The transpose of a convolution, with a learned kernel [in, out "
                "/ groups, height, width]. Starts uniform in +-1/sqrt(out / "
                "groups * area).",
                conv_params<ConvTransposeLayerOptions>(false),
                "[batch, in, height, width] gives [batch, out, ...]", kChannels,
                "nn::ConvTranspose2d(1, 2, 2, {.stride = 2})(Tensor::ones({1, 1, 4, 4})).shape()",
                "[1,2,8,8]"),
          layer(make<BatchNorm, int64_t, BatchNormLayerOptions>(), "BatchNorm",
                "Normalises each channel: by this batch inside a TrainingScope, which "
                "also moves the running statistics, else by those.",
                {size("channels", "length of axis 1"), eps<BatchNormLayerOptions>(),
                 field<&BatchNormLayerOptions::momentum>(
                     "momentum", "0.1", "share of each batch in the running statistics"),
                 affine<BatchNormLayerOptions>(), dtype<BatchNormLayerOptions>(),
                 device<BatchNormLayerOptions>()},
                kSame, kSizes, "nn::BatchNorm(2, {.eps = 0})(Tensor({{1., 2.}}))",
                "[[1. 2.]] float32[1,2]"),
          layer(make<LayerNorm, Shape, NormLayerOptions>(), "LayerNorm",
                "Normalises the last axes of each element to mean 0 and variance 1, "
                "then scales and shifts.",
                {{"shape", "Shape, or int64_t", "", "sizes of the last axes", "elements"},
                 eps<NormLayerOptions>(),
                 affine<NormLayerOptions>(),
                 dtype<NormLayerOptions>(),
                 device<NormLayerOptions>()},
                kSame, kSizes, "nn::LayerNorm(2, {.eps = 0})(Tensor({{1., 3.}}))",
                "[[-1.  1.]] float32[1,2]"),
          layer(make<LayerNorm2d, int64_t, NormLayerOptions>(), "LayerNorm2d",
                "LayerNorm over the channels of each place.",
                {size("channels", "length of axis 1"), eps<NormLayerOptions>(),
                 affine<NormLayerOptions>(), dtype<NormLayerOptions>(), device<NormLayerOptions>()},
                "[batch, channels, height, width], as the input", kSizes,
                "nn::LayerNorm2d(2)(Tensor::ones({1, 2, 3, 3})).shape()", "[1,2,3,3]"),
          layer(make<GroupNorm, int64_t, int64_t, NormLayerOptions>(), "GroupNorm",
                "Normalises each group of channels of each element, then scales and "
                "shifts by channel.",
                {size("groups", "number of groups"), size("channels", "length of axis 1"),
                 eps<NormLayerOptions>(), affine<NormLayerOptions>(), dtype<NormLayerOptions>(),
                 device<NormLayerOptions>()},
                kSame, "ArgumentError for sizes below 1, and unless the groups divide the channels",
                "nn::GroupNorm(1, 2, {.eps = 0})(Tensor({{1., 3.}}))", "[[-1.  1.]] float32[1,2]"),
          layer(make<InstanceNorm, int64_t, NormLayerOptions>(), "InstanceNorm",
                "GroupNorm with a group for every channel.",
                {size("channels", "length of axis 1"), eps<NormLayerOptions>(),
                 affine<NormLayerOptions>(), dtype<NormLayerOptions>(), device<NormLayerOptions>()},
                kSame, kSizes,
                "nn::InstanceNorm(1, {.eps = 0})(Tensor({{1., 3.}}).reshape({1, 1, 2}))",
                "[[[-1.  1.]]] float32[1,1,2]"),
          layer(make<RMSNorm, int64_t, RmsNormLayerOptions>(), "RMSNorm",
                "Divides the last axis by the root of its mean square, then scales.",
                {size("size", "length of the last axis"),
                 field<&RmsNormLayerOptions::eps>("eps", "1e-6", "added to the mean square"),
                 affine<RmsNormLayerOptions>(), dtype<RmsNormLayerOptions>(),
                 device<RmsNormLayerOptions>()},
                kSame, kSizes, "nn::RMSNorm(2, {.eps = 0})(Tensor({{1., 7.}}))",
                "[[0.2000 1.4000]] float32[1,2]"),
          layer(make<Embedding, int64_t, int64_t, EmbeddingOptions>(), "Embedding",
                "A row of a learned table [entries, size] for each integer; negative "
                "ones count from the end, those outside give zeros. Starts as "
                "glorot_uniform.",
                {size("entries", "rows of the table"), size("size", "length of a row"),
                 dtype<EmbeddingOptions>(), device<EmbeddingOptions>()},
                "[...] gives [..., size]", kSizes,
                "nn::Embedding(10, 4)(Tensor({{1, 2, 3}})).shape()", "[1,3,4]"),
          layer(make<Dropout, double>(), "Dropout",
                "Tensor::dropout: zeroes elements and scales the rest inside a "
                "TrainingScope, else changes nothing.",
                {{"p", "double", "0.5", "share that is zeroed", "probability"}}, kSame,
                "ArgumentError for p outside [0, 1]", "nn::Dropout(0.5)(Tensor{1., 2.})",
                "[1. 2.] float32[2]"),
      }};
}

// An optimiser of parameters, with options.
template <typename O, typename Options>
FnCall optimise() {
  return call<[](const std::vector<Tensor>& parameters, const Options& options) {
    return OptimizerOf<O>(std::make_unique<O>(parameters, options));
  }>();
}

FnRecord optimizer(FnCall call, std::string_view name, std::string_view doc,
                   std::vector<FnParam> params, std::string_view example, std::string_view result,
                   std::string_view errors = kRates) {
  return {.name = name,
          .doc = doc,
          .params = std::move(params),
          .shapes = kInPlace,
          .dtype = kInPlace,
          .errors = errors,
          .example = example,
          .result = result,
          .call = std::move(call)};
}

template <typename Options>
FnParam beta1() {
  return field<&Options::beta1>("beta1", "0.9", "decay of the mean of gradients");
}
template <typename Options>
FnParam beta2() {
  return field<&Options::beta2>("beta2", "0.999", "decay of the mean of their squares");
}

FnFamily optimizer_records() {
  return {
      "Optimisers",
      {
          optimizer(
              optimise<SGD, SgdOptions>(), "SGD",
              "g += decay * p; b = momentum * b + g; p -= rate * b (nesterov: rate * "
              "(g + momentum * b)).",
              {kModel, rate<SgdOptions>(),
               field<&SgdOptions::momentum>("momentum", "0", "share of the last direction kept"),
               field<&SgdOptions::weight_decay>("weight_decay", "0",
                                                "times the parameter, added to the gradient"),
               field<&SgdOptions::nesterov>("nesterov", "false", "look ahead along the momentum")},
              "const Tensor p = Tensor{1.0}.is_param_();\n"
              "nn::SGD optimizer({p}, {.lr = 0.25});\n"
              "optimizer.step((p * 2).sum());\n"
              "p",
              "[0.5000] float32[1]"),
          optimizer(
              optimise<Adam, AdamOptions>(), "Adam",
              "Steps along mean over root of mean square of the gradients (Kingma and "
              "Ba, 2015), decay apart.",
              {kModel, rate<AdamOptions>(), beta1<AdamOptions>(), beta2<AdamOptions>(),
               field<&AdamOptions::eps>("eps", "1e-8", "added to the root of the mean square"),
               field<&AdamOptions::weight_decay>("weight_decay", "0",
                                                 "times rate and parameter, subtracted from it")},
              "const Tensor p = Tensor{1.0}.is_param_();\n"
              "nn::Adam optimizer({p}, {.lr = 0.25});\n"
              "optimizer.step((p * 2).sum());\n"
              "p",
              "[0.7500] float32[1]"),
          optimizer(
              optimise<AdamW, AdamWOptions>(), "AdamW",
              "Adam whose weight decay is on unless it is set to 0 (Loshchilov and "
              "Hutter, 2019).",
              {kModel, rate<AdamWOptions>(), beta1<AdamWOptions>(), beta2<AdamWOptions>(),
               field<&AdamWOptions::eps>("eps", "1e-8", "added to the root of the mean square"),
               field<&AdamWOptions::weight_decay>("weight_decay", "0.01",
                                                  "times rate and parameter, subtracted from it")},
              "const Tensor p = Tensor{1.0}.is_param_();\n"
              "nn::AdamW optimizer({p}, {.lr = 0.25, .weight_decay = 1});\n"
              "optimizer.step((p * 2).sum());\n"
              "p",
              "[0.5000] float32[1]"),
          optimizer(
              optimise<LAMB, LambOptions>(), "LAMB",
              "Adam's direction plus decay, scaled for each parameter to the length "
              "of the parameter (You et al., 2020).",
              {kModel, rate<LambOptions>(), beta1<LambOptions>(), beta2<LambOptions>(),
               field<&LambOptions::eps>("eps", "1e-6", "added to the root of the mean square"),
               field<&LambOptions::weight_decay>("weight_decay", "0",
                                                 "times the parameter, added to the direction")},
              "const Tensor p = Tensor{1.0}.is_param_();\n"
              "nn::LAMB optimizer({p}, {.lr = 0.25});\n"
              "optimizer.step((p * 2).sum());\n"
              "p",
              "[0.7500] float32[1]"),
          optimizer(
              optimise<LARS, LarsOptions>(), "LARS",
              "SGD with the gradient of each parameter scaled by trust * |p| / (|g| + "
              "decay * |p|) (You, Gitman and Ginsburg, 2017).",
              {kModel, rate<LarsOptions>(),
               field<&LarsOptions::momentum>("momentum", "0.9", "share of the last direction kept"),
               field<&LarsOptions::weight_decay>("weight_decay", "1e-4",
                                                 "times the parameter, added to the gradient"),
               field<&LarsOptions::nesterov>("nesterov", "false", "look ahead along the momentum"),
               field<&LarsOptions::trust>("trust", "0.001",
                                          "share of the parameter's length a step may take")},
              "const Tensor p = Tensor{1.0}.is_param_();\n"
              "nn::LARS optimizer({p}, {.lr = 1, .weight_decay = 0, .trust = 0.25});\n"
              "optimizer.step((p * 2).sum());\n"
              "p",
              "[0.7500] float32[1]"),
          optimizer(
              optimise<Muon, MuonOptions>(), "Muon",
              "The momentum of each matrix is replaced by the nearest orthogonal one, "
              "by a Newton-Schulz iteration (Jordan et al., 2024); parameters of one "
              "axis follow their momentum.",
              {kModel, rate<MuonOptions>(),
               field<&MuonOptions::momentum>("momentum", "0.95",
                                             "share of the last direction kept"),
               field<&MuonOptions::weight_decay>("weight_decay", "0.1",
                                                 "times rate and parameter, subtracted from it"),
               field<&MuonOptions::nesterov>("nesterov", "true", "look ahead along the momentum"),
               field<&MuonOptions::steps>("steps", "5", "iterations")},
              "const Tensor p = Tensor{1.0}.is_param_();\n"
              "nn::Muon optimizer({p}, {.lr = 0.125, .momentum = 0.5, .weight_decay = "
              "0});\n"
              "optimizer.step((p * 2).sum());\n"
              "p",
              "[0.6250] float32[1]",
              "as SGD; ArgumentError for a negative decay or less than one iteration"),
          optimizer(FnCall{}, "OptimizerGroup", "Several optimisers that take one step together.",
                    {{"optimizers", "std::vector<Optimizer*>", "", "with parameters of their own"}},
                    "const Tensor p = Tensor{1.0}.is_param_();\n"
                    "nn::SGD sgd({p}, {.lr = 0.25});\n"
                    "nn::OptimizerGroup group({&sgd});\n"
                    "group.step((p * 2).sum());\n"
                    "p",
                    "[0.5000] float32[1]",
                    "ArgumentError for none, and for a parameter that two of them hold"),
      }};
}

}  // namespace

const std::vector<FnFamily>& families() {
  static const std::vector<FnFamily> all = {layer_records(), sequence_layer_records(),
                                            optimizer_records(), scheduler_records(),
                                            training_records()};
  return all;
}

}  // namespace tg::nn
