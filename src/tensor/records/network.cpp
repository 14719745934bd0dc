// Records of products, convolutions, pools, normalisation and losses.
#include "tensor/records/call.h"

namespace tg {
namespace {

using namespace phrases;

const std::vector<FnParam> kPool = {
    field<&PoolOptions::kernel_size>(
        "kernel_size", "{2, 2}", "size of the window, a number for each pooled axis", "elements"),
    field<&PoolOptions::stride>("stride", "the window's size", "step of the window", "elements"),
    field<&PoolOptions::dilation>("dilation", "1", "distance of neighbouring taps", "elements"),
    field<&PoolOptions::padding>(
        "padding", "0", "border: one number, one an axis, or (before, after) for each", "elements"),
    field<&PoolOptions::ceil_mode>("ceil_mode", "false",
                                   "also a last window that hangs over the end"),
    field<&PoolOptions::count_include_pad>("count_include_pad", "true",
                                           "avg: padding counts in the divisor")};
constexpr std::string_view kWindow =
    "ShapeError for a window larger than the padded input; ArgumentError for numbers that do "
    "not fit the axes";
const FnParam kTarget = {"target", "Tensor", "", "what should come out"};
const FnParam kReduction = field<&LossOptions::reduction>(
    "reduction", "Mean", "None, Mean or Sum of the elements' losses");
const FnParam kSmoothing = field<&LossOptions::label_smoothing>(
    "label_smoothing", "0", "share of the target spread over all classes", "probability");
const FnParam kIgnore = field<&LossOptions::ignore_index>("ignore_index", "none",
                                                          "label of elements that do not count");
const FnParam kWeight =
    field<&LossOptions::weight>("weight", "none", "a weight for each class, [classes]");
constexpr std::string_view kScalar = "[]; without reduction that of the elements' losses";
constexpr std::string_view kLabels =
    "DTypeError unless labels are integers; ShapeError if shapes do not fit; ArgumentError for "
    "label_smoothing outside [0, 1]";
constexpr std::string_view kPairs = "ShapeError if the shapes differ";

}  // namespace

FnFamily product_records() {
  return {
      "Products, convolutions, pools",
      {
          {.name = "matmul",
           .doc = "Matrix product of the last two axes; a vector is a row on the left, a "
                  "column on the right. "
                  "Small floats accumulate in float32.",
           .params = {{"other", "Tensor", "", "[..., k, n] or [k]"}},
           .shapes = "[..., m, k] @ [..., k, n] gives [..., m, n]; leading axes broadcast",
           .dtype = kPromoted,
           .errors = "ShapeError if the inner sizes differ, a side is a scalar, or leading "
                     "axes cannot be broadcast",
           .gradient = kSmooth,
           .example = "Tensor({{1, 2}, {3, 4}}).matmul(Tensor({{1, 0}, {1, 1}}))",
           .result = "[[3 2]\n [7 4]] int32[2,2]",
           .call = call<&Tensor::matmul>()},
          {.name = "dot",
           .doc = "Another name of matmul.",
           .params = {{"other", "Tensor", "", "as of matmul"}},
           .shapes = "as matmul",
           .dtype = kPromoted,
           .errors = "as matmul",
           .gradient = kSmooth,
           .example = "Tensor{1, 2}.dot(Tensor{3, 4})",
           .result = "11 int32[]",
           .call = call<&Tensor::dot>()},
          {.name = "einsum",
           .doc = "Einstein summation of one or more operands, from left to right. A letter "
                  "twice in one operand is its diagonal; without \"->\" the letters that stand "
                  "once remain, in alphabetical order, after what the ellipses stand for.",
           .params = {{"formula", "std::string", "",
                       "letters name axes, \"...\" axes that are broadcast: \"ij,jk->ik\""},
                      {"operands", "std::vector<Tensor>", "", "one for each term"}},
           .shapes = "the axes that stand after \"->\"",
           .dtype = kPromoted,
           .errors = "ArgumentError for a formula that does not fit the operands; ShapeError if "
                     "sizes of a letter cannot be broadcast",
           .gradient = kSmooth,
           .example = "Tensor::einsum(\"ij,j->i\", {Tensor({{1, 2}, {3, 4}}), Tensor{1, 10}})",
           .result = "[21 43] int32[2]",
           .call = call<&Tensor::einsum>()},
          {.name = "linear",
           .doc = "x @ weight + bias; a weight of one axis multiplies elementwise.",
           .params = {{"weight", "Tensor", "", "[in, out] or [in]"},
                      {"bias", "const Tensor*", "none", "[out]"}},
           .shapes = "[..., in] gives [..., out]",
           .dtype = kPromoted,
           .errors = "as matmul and add",
           .gradient = kSmooth,
           .example = "Tensor{1, 2}.linear(Tensor({{1, 0}, {1, 1}}))",
           .result = "[3 2] int32[2]",
           .call = call<&Tensor::linear>()},
          {.name = "conv2d",
           .doc = "Cross-correlation with a window, over any number of spatial axes.",
           .params = {{"weight", "Tensor", "", "[out, in / groups, kernel...]"},
                      field<&ConvOptions::bias>("bias", "none", "[out]"),
                      field<&ConvOptions::groups>("groups", "1", "channel groups that do not mix"),
                      field<&ConvOptions::stride>("stride", "1", "step of the window", "elements"),
                      field<&ConvOptions::dilation>("dilation", "1",
                                                    "distance of neighbouring taps", "elements"),
                      field<&ConvOptions::padding>(
                          "padding", "0",
                          "zeros around: one number, one an axis, or (before, after) for each",
                          "elements")},
           .shapes = "[batch, in, spatial...] gives [batch, out, (size + padding - dilation "
                     "(kernel - 1) - 1) / stride + 1, ...]",
           .dtype = kPromoted,
           .errors = "ShapeError if channels, axes or bias do not fit or the window is larger "
                     "than the padded input; "
                     "ArgumentError for groups that do not divide the channels and for numbers "
                     "that do not fit the axes",
           .gradient = kSmooth,
           .example = "Tensor::ones({1, 1, 3, 3}).conv2d(Tensor::ones({1, 1, 2, 2}))",
           .result = "[[[[4. 4.]\n   [4. 4.]]]] float32[1,1,2,2]",
           .call = call<&Tensor::conv2d>()},
          {.name = "conv_transpose2d",
           .doc = "The transpose of a convolution, over any number of spatial axes.",
           .params = {{"weight", "Tensor", "", "[in, out / groups, kernel...]"},
                      field<&ConvTransposeOptions::bias>("bias", "none", "[out]"),
                      field<&ConvTransposeOptions::groups>("groups", "1",
                                                           "channel groups that do not mix"),
                      field<&ConvTransposeOptions::stride>(
                          "stride", "1", "distance of the input's elements in the result",
                          "elements"),
                      field<&ConvTransposeOptions::dilation>(
                          "dilation", "1", "distance of neighbouring taps", "elements"),
                      field<&ConvTransposeOptions::padding>(
                          "padding", "0", "cut off the result's border, as in conv2d", "elements"),
                      field<&ConvTransposeOptions::output_padding>(
                          "output_padding", "0", "more elements at the result's end", "elements")},
           .shapes = "[batch, in, spatial...] gives [batch, out, (size - 1) stride + dilation "
                     "(kernel - 1) + 1 - padding + output_padding, ...]",
           .dtype = kPromoted,
           .errors = "ShapeError if channels, axes or bias do not fit; ArgumentError for groups "
                     "that do not divide the channels, for output_padding that is not below "
                     "stride or dilation, and for numbers that do not fit the axes",
           .gradient = kSmooth,
           .example = "Tensor({{1., 2.}}).reshape({1, 1, 2}).conv_transpose2d("
                      "Tensor::ones({1, 1, 2}))",
           .result = "[[[1. 3. 2.]]] float32[1,1,3]",
           .call = call<&Tensor::conv_transpose2d>()},
          {.name = "max_pool2d",
           .doc = "Largest of each window of the last axes.",
           .params = kPool,
           .shapes = "pooled axes as those of conv2d",
           .errors = kWindow,
           .gradient = "shared equally among equal maxima",
           .example = "Tensor({{1, 2}, {3, 4}}).max_pool2d()",
           .result = "[[4]] int32[1,1]",
           .call = call<&Tensor::max_pool2d>()},
          {.name = "avg_pool2d",
           .doc = "Mean of each window of the last axes.",
           .params = kPool,
           .shapes = "pooled axes as those of conv2d",
           .dtype = kFloatDtype,
           .errors = kWindow,
           .gradient = kSmooth,
           .example = "Tensor({{1, 2}, {3, 4}}).avg_pool2d()",
           .result = "[[2.5000]] float32[1,1]",
           .call = call<&Tensor::avg_pool2d>()},
          {.name = "max_pool2d_with_indices",
           .doc = "The pair of max_pool2d and the first place of each maximum, int32, among all "
                  "elements of the pooled axes: what max_unpool2d takes. NaN is the largest.",
           .params = kPool,
           .shapes = "pooled axes as those of conv2d",
           .errors = kWindow,
           .gradient = "shared equally among equal maxima",
           .example = "Tensor({{1, 2}, {4, 3}}).max_pool2d_with_indices().second",
           .result = "[[2]] int32[1,1]",
           .call = call<&Tensor::max_pool2d_with_indices>()},
          {.name = "max_unpool2d",
           .doc = "The inverse of max_pool2d: each value at its place, 0 elsewhere.",
           .params = {{"indices", "Tensor", "", "a place for each value, of max_pool2d_with_indices"},
                      field<&UnpoolOptions::kernel_size>(
                          "kernel_size", "{2, 2}", "size of the window, a number for each axis",
                          "elements"),
                      field<&UnpoolOptions::stride>("stride", "the window's size",
                                                    "step of the window", "elements"),
                      field<&UnpoolOptions::dilation>("dilation", "1",
                                                      "distance of neighbouring taps", "elements"),
                      field<&UnpoolOptions::padding>("padding", "0",
                                                     "border: one number, or one an axis",
                                                     "elements"),
                      field<&UnpoolOptions::output_size>(
                          "output_size", "what the numbers say",
                          "sizes of the result, of which the last count", "elements")},
           .shapes = "[..., windows...] gives [..., sizes...]",
           .errors = "ShapeError unless there is a place for each value; ArgumentError for numbers "
                     "that do not fit the axes, or an axis of variable size; DTypeError unless "
                     "indices are integers",
           .gradient = "of each place to its value",
           .example = "Tensor({{5.}}).max_unpool2d(Tensor({{2}}))",
           .result = "[[0. 0.]\n [5. 0.]] float32[2,2]",
           .call = call<&Tensor::max_unpool2d>()},
          {.name = "scaled_dot_product_attention",
           .doc = "softmax(this @ key^T / sqrt(size)) @ value, this being the queries. A row of the "
                  "scores in which nothing counts is NaN.",
           .params = {{"key", "Tensor", "", "[..., m, size]"},
                      {"value", "Tensor", "", "[..., m, out]"},
                      field<&AttentionOptions::attn_mask>(
                          "attn_mask", "none",
                          "bool: which keys count for a query; numbers: added to the scores; "
                          "broadcast to [..., n, m]"),
                      field<&AttentionOptions::dropout_p>(
                          "dropout_p", "0", "share of the weights dropped while training",
                          "probability"),
                      field<&AttentionOptions::is_causal>(
                          "is_causal", "false", "a query sees the keys up to its own place"),
                      field<&AttentionOptions::enable_gqa>(
                          "enable_gqa", "false",
                          "each head of keys and values, axis -3, serves several neighbouring ones "
                          "of the queries")},
           .shapes = "[..., n, size] gives [..., n, out]",
           .dtype = "that of this tensor and the values, promoted",
           .errors = "ShapeError if the shapes do not fit; ArgumentError for is_causal with a mask, "
                     "or dropout_p outside [0, 1]",
           .gradient = kSmooth,
           .example = "Tensor({{0.}}).scaled_dot_product_attention(Tensor({{1.}, {2.}}), "
                      "Tensor({{1.}, {3.}}))",
           .result = "[[2.]] float32[1,1]",
           .call = call<&Tensor::scaled_dot_product_attention>()},
      }};
}

FnFamily norm_records() {
  return {
      "Normalisation",
      {
          {.name = "batch_norm",
           .doc = "(x - mean) / sqrt(var + eps) * weight + bias for each channel. While training "
                  "with this "
                  "batch's statistics, and the running ones are updated in place; else with the "
                  "running ones.",
           .params = {field<&BatchNormOptions::weight>("weight", "none", "scale, [channels]"),
                      field<&BatchNormOptions::bias>("bias", "none", "shift, [channels]"),
                      field<&BatchNormOptions::running_mean>("running_mean", "none", "[channels]"),
                      field<&BatchNormOptions::running_var>(
                          "running_var", "none", "[channels]; updated with the unbiased estimate"),
                      field<&BatchNormOptions::training>("training", "as TrainingScope says",
                                                         "use this batch's statistics"),
                      field<&BatchNormOptions::momentum>(
                          "momentum", "0.1", "share of this batch in the running statistics"),
                      field<&BatchNormOptions::eps>("eps", "1e-5", "added to the variance"),
                      field<&BatchNormOptions::axis>("axis", "1", "the channels' axis")},
           .dtype = kPromoted,
           .errors = "ArgumentError without running statistics when not training; ShapeError for "
                     "parameters that are not [channels]",
           .gradient = kSmooth,
           .example = "Tensor({{1.}, {3.}}).batch_norm({.training = true, .eps = 0})",
           .result = "[[-1.]\n [ 1.]] float32[2,1]",
           .call = call<&Tensor::batch_norm>()},
          {.name = "layer_norm",
           .doc = "(x - mean) / sqrt(var + eps) * weight + bias over the named axes.",
           .params = {field<&LayerNormOptions::axis>("axis", "-1", "axes normalised together"),
                      field<&LayerNormOptions::weight>("weight", "none",
                                                       "scale, of the axes' shape"),
                      field<&LayerNormOptions::bias>("bias", "none", "shift, of the axes' shape"),
                      field<&LayerNormOptions::eps>("eps", "1e-5", "added to the variance")},
           .dtype = kPromoted,
           .errors = "ShapeError for parameters of another shape; IndexError for an axis outside "
                     "the shape",
           .gradient = kSmooth,
           .example = "Tensor{1., 3.}.layer_norm({.eps = 0})",
           .result = "[-1.  1.] float32[2]",
           .call = call<&Tensor::layer_norm>()},
          {.name = "rms_norm",
           .doc = "x / sqrt(mean of x^2 + eps) * weight over the named axes.",
           .params = {field<&RmsNormOptions::axis>("axis", "-1", "axes normalised together"),
                      field<&RmsNormOptions::weight>("weight", "none", "scale, of the axes' shape"),
                      field<&RmsNormOptions::eps>("eps", "1e-6", "added to the mean of squares")},
           .dtype = kPromoted,
           .errors = "ShapeError for a weight of another shape; IndexError for an axis outside the "
                     "shape",
           .gradient = kSmooth,
           .example = "Tensor{1., 7.}.rms_norm({.eps = 0})",
           .result = "[0.2000 1.4000] float32[2]",
           .call = call<&Tensor::rms_norm>()},
          {.name = "group_norm",
           .doc = "Each group of channels of each sample normalised to mean 0 and variance 1, then "
                  "scaled and shifted by channel.",
           .params = {{"groups", "int64_t", "",
                       "number of groups; as many as channels: instance "
                       "norm"},
                      field<&GroupNormOptions::weight>("weight", "none", "scale, [channels]"),
                      field<&GroupNormOptions::bias>("bias", "none", "shift, [channels]"),
                      field<&GroupNormOptions::eps>("eps", "1e-5", "added to the variance")},
           .dtype = kPromoted,
           .errors =
               "ArgumentError for groups that do not divide the channels (axis 1); ShapeError "
               "for parameters that are not [channels]",
           .gradient = kSmooth,
           .example = "Tensor({{1., 3.}}).group_norm(1, {.eps = 0})",
           .result = "[[-1.  1.]] float32[1,2]",
           .call = call<&Tensor::group_norm>()},
      }};
}

FnFamily loss_records() {
  return {
      "Losses",
      {
          {.name = "cross_entropy",
           .doc = "-log softmax at the label; classes stand on axis 1 (axis 0 of a vector).",
           .params = {{"target", "Tensor", "",
                       "integer labels [batch, ...], or probabilities of this shape"},
                      kReduction,
                      kSmoothing,
                      kIgnore,
                      kWeight},
           .shapes = kScalar,
           .dtype = kFloatDtype,
           .errors = kLabels,
           .gradient = kSmooth,
           .example = "Tensor({{0., 0.}}).cross_entropy(Tensor{1})",
           .result = "0.6931 float32[]",
           .call = call<&Tensor::cross_entropy>()},
          {.name = "sparse_categorical_crossentropy",
           .doc = "-log softmax at the label; classes stand on the last axis.",
           .params = {{"target", "Tensor", "",
                       "integer labels [...]; of scores [classes] labels of any shape"},
                      kReduction,
                      kSmoothing,
                      kIgnore,
                      kWeight},
           .shapes = kScalar,
           .dtype = kFloatDtype,
           .errors = kLabels,
           .gradient = kSmooth,
           .example = "Tensor({{0., 0.}}).sparse_categorical_crossentropy(Tensor{1})",
           .result = "0.6931 float32[]",
           .call = call<&Tensor::sparse_categorical_crossentropy>()},
          {.name = "nll_loss",
           .doc = "-x at the label: cross-entropy of log-probabilities; classes stand on axis 1.",
           .params = {{"target", "Tensor", "", "integer labels [batch, ...]"},
                      kReduction,
                      kIgnore,
                      kWeight},
           .shapes = kScalar,
           .errors = kLabels,
           .gradient = kSmooth,
           .example = "Tensor({{-1., -2.}}).nll_loss(Tensor{1})",
           .result = "2. float32[]",
           .call = call<&Tensor::nll_loss>()},
          {.name = "binary_crossentropy",
           .doc = "-(y log x + (1 - y) log(1 - x)) for probabilities x in (0, 1).",
           .params = {kTarget, kReduction},
           .shapes = kScalar,
           .dtype = kFloatDtype,
           .errors = kPairs,
           .gradient = kSmooth,
           .example = "Tensor{0.5, 0.5}.binary_crossentropy(Tensor{0., 1.})",
           .result = "0.6931 float32[]",
           .call = call<&Tensor::binary_crossentropy>()},
          {.name = "binary_crossentropy_logits",
           .doc = "The same for logits, without overflow.",
           .params = {kTarget, kReduction},
           .shapes = kScalar,
           .dtype = kFloatDtype,
           .errors = kPairs,
           .gradient = kSmooth,
           .example = "Tensor{0., 0.}.binary_crossentropy_logits(Tensor{0., 1.})",
           .result = "0.6931 float32[]",
           .call = call<&Tensor::binary_crossentropy_logits>()},
      }};
}

}  // namespace tg
