// Normalisation layers as functions. Between rounding the input and rounding the result, small
// floats are computed in float32: differences from a mean lose no digits, and processors without
// bfloat16 round once instead of after every step.
#include <initializer_list>

#include "tensor/ops.h"
#include "tg/autograd.h"

namespace tg {
namespace {

using namespace ops_detail;

// `t` of [n] as [1, n, 1…], the channel axis of an input.
Tensor per_channel(std::string_view fn, const Tensor& t, std::string_view what, const Shape& shape,
                   int axis) {
  const Dim n = shape[static_cast<size_t>(axis)];
  if (t.shape() != Shape{n}) {
    user_error<ShapeError>(fn, fmt::format("{} must have shape [{}], got {} (input {})", what, n,
                                           text(t.shape()), text(shape)));
  }
  Shape column(shape.size(), 1);
  column[static_cast<size_t>(axis)] = n;
  return t.reshape(column);
}

// `t`, which must have the shape of the normalised axes, beside the whole input.
Tensor fitted(std::string_view fn, const Tensor& t, std::string_view what, const Shape& s,
              std::span<const int64_t> axes) {
  Shape expected, aligned(s.size(), 1);
  for (int64_t a : axes) {
    expected.push_back(s[static_cast<size_t>(a)]);
    aligned[static_cast<size_t>(a)] = s[static_cast<size_t>(a)];
  }
  if (t.shape() != expected) {
    user_error<ShapeError>(fn, fmt::format("{} must have shape {}, got {} (input {})", what,
                                           text(expected), text(t.shape()), text(s)));
  }
  return t.reshape(aligned);
}

// running ← (1 − momentum)·running + momentum·now, in place.
void update_running(const Tensor& running, const Tensor& now, double momentum) {
  const Tensor next =
      running * (1 - momentum) + now.reshape(running.shape()).cast(running.dtype()) * momentum;
  running.assign(next);
}

// The dtype that the input has together with the tensors that are there.
DType with_operands(const Tensor& x, std::initializer_list<const Tensor*> others) {
  DType t = least_float(x.dtype());
  for (const Tensor* other : others) {
    if (other != nullptr) t = promote(t, other->dtype());
  }
  return t;
}

}  // namespace

Tensor Tensor::batch_norm(const BatchNormOptions& o) const {
  const Shape s = shape();
  const int axis = axis_of("batch_norm", o.axis, s);
  const bool training = o.training.value_or(is_training());
  if (!training && (o.running_mean == nullptr || o.running_var == nullptr)) {
    user_error<ArgumentError>("batch_norm", "needs running_mean and running_var when not training",
                              "Hint: open a TrainingScope or pass {.training = true}.");
  }
  const DType result =
      training ? with_operands(*this, {o.weight, o.bias})
               : with_operands(*this, {o.running_mean, o.running_var, o.weight, o.bias});
  const Tensor x = cast(compute_float(result));
  std::vector<int64_t> others;
  int64_t count = 1;
  for (int i = 0; i < static_cast<int>(s.size()); ++i) {
    if (i == axis) continue;
    others.push_back(i);
    count *= s[static_cast<size_t>(i)];
  }
  Tensor mean, var;
  if (training) {
    // [1, n, 1…]; a tensor of one axis is a batch of one.
    mean = others.empty() ? x : x.mean({.axis = others, .keepdim = true});
    var = others.empty() ? x.zeros_like()
                         : (x - mean).square().mean({.axis = others, .keepdim = true});
    if (o.running_mean != nullptr) {
      per_channel("batch_norm", *o.running_mean, "running_mean", s, axis);
      update_running(*o.running_mean, mean.detach(), o.momentum);
    }
    if (o.running_var != nullptr) {
      per_channel("batch_norm", *o.running_var, "running_var", s, axis);
      const double unbiased =
          static_cast<double>(count) / static_cast<double>(std::max<int64_t>(1, count - 1));
      update_running(*o.running_var, var.detach() * unbiased, o.momentum);
    }
  } else {
    mean = per_channel("batch_norm", *o.running_mean, "running_mean", s, axis).cast(x.dtype());
    var = per_channel("batch_norm", *o.running_var, "running_var", s, axis).cast(x.dtype());
  }
  Tensor scale = (var + o.eps).rsqrt();
  if (o.weight != nullptr) scale = scale * per_channel("batch_norm", *o.weight, "weight", s, axis);
  Tensor y = (x - mean) * scale;
  if (o.bias != nullptr) y = y + per_channel("batch_norm", *o.bias, "bias", s, axis);
  return y.cast(result);
}

Tensor Tensor::layer_norm(const LayerNormOptions& o) const {
  const Shape s = shape();
  const auto axes = axes_of("layer_norm", o.axis, s);
  const DType result = with_operands(*this, {o.weight, o.bias});
  const Tensor x = cast(compute_float(result));
  const Tensor centred = x - x.mean({.axis = axes, .keepdim = true});
  const Tensor var = centred.square().mean({.axis = axes, .keepdim = true});
  Tensor y = centred * (var + o.eps).rsqrt();
  if (o.weight != nullptr) y = y * fitted("layer_norm", *o.weight, "weight", s, axes);
  if (o.bias != nullptr) y = y + fitted("layer_norm", *o.bias, "bias", s, axes);
  return y.cast(result);
}

Tensor Tensor::rms_norm(const RmsNormOptions& o) const {
  const Shape s = shape();
  const auto axes = axes_of("rms_norm", o.axis, s);
  const DType t = least_float(dtype());
  const Tensor x = cast(compute_float(t));
  const Tensor y = (x * (x.square().mean({.axis = axes, .keepdim = true}) + o.eps).rsqrt()).cast(t);
  return o.weight != nullptr ? y * fitted("rms_norm", *o.weight, "weight", s, axes) : y;
}

Tensor Tensor::group_norm(int64_t groups, const GroupNormOptions& o) const {
  const Shape s = shape();
  if (s.size() < 2 || groups < 1 || s[1] % groups != 0) {
    user_error<ArgumentError>(
        "group_norm", fmt::format("groups must divide the channels of [batch, channels, ...]: {} "
                                  "groups, shape {}",
                                  groups, text(s)));
  }
  const Dim members = s[0] * groups;
  const DType result = with_operands(*this, {o.weight, o.bias});
  const Tensor rows = cast(compute_float(result))
                          .reshape({s[0], groups, members == 0 ? 0 : tg::numel(s) / members});
  Tensor y = rows.layer_norm({.eps = o.eps}).reshape(s);
  if (o.weight != nullptr) y = y * per_channel("group_norm", *o.weight, "weight", s, 1);
  if (o.bias != nullptr) y = y + per_channel("group_norm", *o.bias, "bias", s, 1);
  return y.cast(result);
}

}  // namespace tg
