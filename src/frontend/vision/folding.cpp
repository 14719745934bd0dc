// Batch normalisations as parts of convolutions: `folded` of tg/models/vision.h.
#include <fmt/format.h>

#include "support/check.h"
#include "tg/models/vision.h"

namespace tg::models {

nn::Conv2d folded(const nn::Conv2d& conv, const nn::BatchNorm& norm) {
  const int64_t channels = conv.weight.size(0);
  if (norm.running_mean.shape() != Shape{channels})
    user_error<ShapeError>(
        "folded", fmt::format("the convolution has {} channels, and the normalisation {}", channels,
                              norm.running_mean.numel()));
  // Small numbers, so they are computed in float32 or better.
  const DType dtype = conv.weight.dtype();
  const auto wide = [](const Tensor& t) {
    return t.dtype() == DType::Float64 ? t : t.cast(DType::Float32);
  };
  Tensor scale = (wide(norm.running_var) + norm.eps).rsqrt();
  if (norm.weight) scale = scale * wide(*norm.weight);
  Tensor shift = -wide(norm.running_mean);
  if (conv.bias) shift = shift + wide(*conv.bias);
  shift = shift * scale;
  if (norm.bias) shift = shift + wide(*norm.bias);
  Shape of_weight(conv.weight.shape().size(), 1);
  of_weight[0] = channels;
  nn::Conv2d out = conv;
  out.weight = (wide(conv.weight) * scale.reshape(Sizes(of_weight))).cast(dtype);
  out.bias = shift.cast(dtype);
  return out;
}

}  // namespace tg::models
