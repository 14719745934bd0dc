// Layers: parameters and how they start. What they compute is the business of Tensor's functions.
// Layers of sequences: recurrent.cpp, transformer.cpp.
#include <cmath>
#include <string_view>

#include "nn/parameters.h"
#include "support/check.h"
#include "tg/nn.h"

namespace tg::nn {
namespace {

// One number for both axes, or {height, width}.
std::vector<int64_t> kernel_of(std::string_view layer, const PerAxis& kernel) {
  std::vector<int64_t> k = kernel.list;
  if (k.size() == 1) k.push_back(k[0]);
  if (k.size() != 2) {
    user_error<ArgumentError>(
        layer, fmt::format("the kernel needs one number or two (height, width), got {}", k.size()));
  }
  check_size(layer, "the kernel's height", k[0]);
  check_size(layer, "the kernel's width", k[1]);
  return k;
}

std::vector<int64_t> one_axis(std::string_view layer, int64_t kernel) {
  check_size(layer, "the kernel", kernel);
  return {kernel};
}

void check_groups(std::string_view layer, int64_t in, int64_t out, int64_t groups) {
  check_size(layer, "in", in);
  check_size(layer, "out", out);
  check_size(layer, "groups", groups);
  if (in % groups != 0 || out % groups != 0) {
    user_error<ArgumentError>(
        layer, fmt::format("groups must divide both numbers of channels: {} groups, {} in, {} "
                           "out",
                           groups, in, out));
  }
}

// [first, second, kernel…] and its number of elements without the first axis.
std::pair<Shape, double> weight_shape(int64_t first, int64_t second,
                                      const std::vector<int64_t>& kernel) {
  Shape shape = {first, second};
  auto fan = static_cast<double>(second);
  for (int64_t k : kernel) {
    shape.push_back(k);
    fan *= static_cast<double>(k);
  }
  return {shape, fan};
}

}  // namespace

Linear::Linear(int64_t in, int64_t out, const LinearOptions& o) {
  check_size("Linear", "in", in);
  check_size("Linear", "out", out);
  weight = parameter({out, in}, in, o.placement);
  if (o.bias) bias = parameter({out}, in, o.placement);
}

Tensor Linear::operator()(const Tensor& x) const {
  const Tensor y = x.matmul(weight.transpose());
  return bias ? y + *bias : y;
}

Conv::Conv(std::string_view layer, int64_t in, int64_t out, const std::vector<int64_t>& kernel,
           const ConvLayerOptions& o)
    : groups(o.groups), stride(o.stride), dilation(o.dilation), padding(o.padding) {
  check_groups(layer, in, out, groups);
  const auto [shape, fan] = weight_shape(out, in / groups, kernel);
  weight = parameter(shape, fan, o.placement);
  if (o.bias) bias = parameter({out}, fan, o.placement);
}

Tensor Conv::operator()(const Tensor& x) const {
  return x.conv2d(weight, {.bias = pointer_to(bias),
                           .groups = groups,
                           .stride = stride,
                           .dilation = dilation,
                           .padding = padding});
}

Conv1d::Conv1d(int64_t in, int64_t out, int64_t kernel, const Conv1dOptions& o)
    : Conv("Conv1d", in, out, one_axis("Conv1d", kernel), o) {}

Conv2d::Conv2d(int64_t in, int64_t out, const PerAxis& kernel, const Conv2dOptions& o)
    : Conv("Conv2d", in, out, kernel_of("Conv2d", kernel), o) {}

ConvTranspose::ConvTranspose(std::string_view layer, int64_t in, int64_t out,
                             const std::vector<int64_t>& kernel, const ConvTransposeLayerOptions& o)
    : groups(o.groups),
      stride(o.stride),
      dilation(o.dilation),
      padding(o.padding),
      output_padding(o.output_padding) {
  check_groups(layer, in, out, groups);
  const auto [shape, fan] = weight_shape(in, out / groups, kernel);
  weight = parameter(shape, fan, o.placement);
  if (o.bias) bias = parameter({out}, fan, o.placement);
}

Tensor ConvTranspose::operator()(const Tensor& x) const {
  return x.conv_transpose2d(weight, {.bias = pointer_to(bias),
                                     .groups = groups,
                                     .stride = stride,
                                     .dilation = dilation,
                                     .padding = padding,
                                     .output_padding = output_padding});
}

ConvTranspose1d::ConvTranspose1d(int64_t in, int64_t out, int64_t kernel,
                                 const ConvTransposeLayerOptions& o)
    : ConvTranspose("ConvTranspose1d", in, out, one_axis("ConvTranspose1d", kernel), o) {}

ConvTranspose2d::ConvTranspose2d(int64_t in, int64_t out, const PerAxis& kernel,
                                 const ConvTransposeLayerOptions& o)
    : ConvTranspose("ConvTranspose2d", in, out, kernel_of("ConvTranspose2d", kernel), o) {}

BatchNorm::BatchNorm(int64_t channels, const BatchNormLayerOptions& o)
    : eps(o.eps), momentum(o.momentum) {
  check_size("BatchNorm", "channels", channels);
  weight = filled({channels}, 1, o.affine, o.placement);
  bias = filled({channels}, 0, o.affine, o.placement);
  running_mean = marked(Tensor::zeros({channels}, o.placement), false);
  running_var = marked(Tensor::ones({channels}, o.placement), false);
}

Tensor BatchNorm::operator()(const Tensor& x) const {
  // Copies name the same values, which the function may update.
  Tensor mean = running_mean, var = running_var;
  return x.batch_norm({.weight = pointer_to(weight),
                       .bias = pointer_to(bias),
                       .running_mean = &mean,
                       .running_var = &var,
                       .momentum = momentum,
                       .eps = eps});
}

LayerNorm::LayerNorm(const Shape& shape, const NormLayerOptions& o)
    : weight(filled(shape, 1, o.affine, o.placement)),
      bias(filled(shape, 0, o.affine, o.placement)),
      axes(static_cast<int64_t>(shape.size())),
      eps(o.eps) {
  check_size("LayerNorm", "the number of axes", axes);
  for (int64_t d : shape) check_size("LayerNorm", "each size", d);
}

Tensor LayerNorm::operator()(const Tensor& x) const {
  std::vector<int64_t> last;
  for (int64_t i = -axes; i < 0; ++i) last.push_back(i);
  return x.layer_norm(
      {.axis = last, .weight = pointer_to(weight), .bias = pointer_to(bias), .eps = eps});
}

Tensor LayerNorm2d::operator()(const Tensor& x) const {
  return LayerNorm::operator()(x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
}

GroupNorm::GroupNorm(int64_t number, int64_t channels, const NormLayerOptions& o)
    : weight(filled({channels}, 1, o.affine, o.placement)),
      bias(filled({channels}, 0, o.affine, o.placement)),
      groups(number),
      eps(o.eps) {
  check_size("GroupNorm", "channels", channels);
  check_size("GroupNorm", "groups", groups);
  if (channels % groups != 0) {
    user_error<ArgumentError>(
        "GroupNorm",
        fmt::format("groups must divide the channels: {} groups, {} channels", groups, channels));
  }
}

Tensor GroupNorm::operator()(const Tensor& x) const {
  return x.group_norm(groups, {.weight = pointer_to(weight), .bias = pointer_to(bias), .eps = eps});
}

RMSNorm::RMSNorm(int64_t size, const RmsNormLayerOptions& o)
    : weight(filled({size}, 1, o.affine, o.placement)), eps(o.eps) {
  check_size("RMSNorm", "size", size);
}

Tensor RMSNorm::operator()(const Tensor& x) const {
  return x.rms_norm({.weight = pointer_to(weight), .eps = eps});
}

Embedding::Embedding(int64_t entries, int64_t size, const EmbeddingOptions& o) {
  check_size("Embedding", "entries", entries);
  check_size("Embedding", "size", size);
  weight = marked(Tensor::glorot_uniform({entries, size}, o.placement), true);
}

Tensor Embedding::operator()(const Tensor& index) const { return weight[index]; }

Dropout::Dropout(double share) : p(share) { check_share("Dropout", p); }

Tensor Dropout::operator()(const Tensor& x) const { return x.dropout(p); }

}  // namespace tg::nn
