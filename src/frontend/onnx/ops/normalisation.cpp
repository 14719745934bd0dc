// Normalisations.
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// A vector, one number a channel, as [C, 1, …] beside [N, C, …].
Tensor per_channel(const Tensor& v, int64_t rank) {
  Shape shape(static_cast<size_t>(std::max<int64_t>(rank - 1, 1)), 1);
  shape[0] = v.numel();
  return v.reshape(shape);
}

Values batch_normalization(const Node& n) {
  const Tensor x = n.tensor(0);
  const double eps = n.real("epsilon", 1e-5), momentum = n.real("momentum", 0.9);
  const bool training =
      n.version() >= 14 ? n.flag("training_mode") : n.version() < 7 && !n.flag("is_test");
  if (n.version() < 9 && !n.flag("spatial", true)) n.unsupported("spatial = 0");
  if (training && n.version() < 7) n.unsupported("is_test = 0");
  Tensor mean = n.tensor(3), var = n.tensor(4);
  Values out(1);
  if (training) {
    std::vector<int64_t> axes;
    for (int64_t i = 0; i < x.ndim(); ++i)
      if (i != 1) axes.push_back(i);
    const auto [v, m] = x.cast(mean.dtype()).var_mean({.axis = axes, .correction = 0});
    out.push_back((mean * momentum + m * (1 - momentum)).cast(mean.dtype()));
    out.push_back((var * momentum + v * (1 - momentum)).cast(var.dtype()));
    mean = m;
    var = v;
  }
  const int64_t rank = x.ndim();
  const Tensor centred = x - per_channel(mean, rank);
  const Tensor scale = per_channel(n.tensor(1) * (var + eps).rsqrt(), rank);
  out[0] = (centred * scale + per_channel(n.tensor(2), rank)).cast(x.dtype());
  return out;
}

Values instance_normalization(const Node& n) {
  const Tensor x = n.tensor(0);
  n.require(x.ndim() >= 3, "fewer than three axes");
  std::vector<int64_t> axes(static_cast<size_t>(x.ndim()) - 2);
  std::iota(axes.begin(), axes.end(), 2);
  const Tensor y = x.layer_norm({.axis = axes, .eps = n.real("epsilon", 1e-5)});
  return {(y * per_channel(n.tensor(1), x.ndim()) + per_channel(n.tensor(2), x.ndim()))
              .cast(x.dtype())};
}

std::vector<int64_t> axes_from(const Node& n, int64_t rank) {
  std::vector<int64_t> axes(static_cast<size_t>(rank - n.axis(n.integer("axis", -1), rank)));
  std::iota(axes.begin(), axes.end(), rank - static_cast<int64_t>(axes.size()));
  return axes;
}

Values layer_normalization(const Node& n) {
  const Tensor x = n.tensor(0), wide = dtype_size(x.dtype()) < 4 ? x.cast(DType::Float32) : x;
  const auto [var, mean] =
      wide.var_mean({.axis = axes_from(n, x.ndim()), .keepdim = true, .correction = 0});
  const Tensor inverse = (var + n.real("epsilon", 1e-5)).rsqrt();
  Tensor y = ((wide - mean) * inverse).cast(x.dtype()) * n.tensor(1);
  if (n.has(2)) y = y + n.tensor(2);
  return {y, mean, inverse};
}

Values rms_normalization(const Node& n) {
  const Tensor x = n.tensor(0), wide = dtype_size(x.dtype()) < 4 ? x.cast(DType::Float32) : x;
  const Tensor squares = wide.square().mean({.axis = axes_from(n, x.ndim()), .keepdim = true});
  return {(wide * (squares + n.real("epsilon", 1e-5)).rsqrt()).cast(x.dtype()) * n.tensor(1)};
}

Values group_normalization(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t groups = n.required_integer("num_groups");
  n.require(x.ndim() >= 2 && groups > 0 && x.size(1) % groups == 0,
            "channels that are no multiple of num_groups");
  const Tensor y = x.group_norm(groups, {.eps = n.real("epsilon", 1e-5)});
  Tensor scale = n.tensor(1), bias = n.tensor(2);
  if (n.version() < 21) {  // one number a group
    scale = scale.repeat_interleave(x.size(1) / groups, 0);
    bias = bias.repeat_interleave(x.size(1) / groups, 0);
  }
  return {(y * per_channel(scale, x.ndim()) + per_channel(bias, x.ndim())).cast(x.dtype())};
}

// Of each element's neighbours among the channels.
Values lrn(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t size = n.required_integer("size");
  n.require(size > 0 && size < 65536 && x.ndim() >= 2, "size is not positive");
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(x.ndim()));
  pads[1] = {(size - 1) / 2, size - 1 - (size - 1) / 2};
  const Tensor sums = x.square().pad(pads).unfold(1, size, 1).sum({.axis = -1});
  const double share = n.real("alpha", 1e-4) / static_cast<double>(size);
  return {(x / (sums * share + n.real("bias", 1)).pow(n.real("beta", 0.75))).cast(x.dtype())};
}

Values mean_variance(const Node& n) {
  const Tensor x = n.tensor(0);
  const auto axes = n.axes(n.integers("axes").value_or(std::vector<int64_t>{0, 2, 3}), x.ndim());
  const auto [var, mean] = x.var_mean({.axis = axes, .keepdim = true, .correction = 0});
  return {(x - mean) / (var.sqrt() + 1e-9)};
}

Values lp_normalization(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer("axis", -1), x.ndim()), p = n.integer("p", 2);
  n.require(p == 1 || p == 2, "p is neither 1 nor 2");
  // A row of zeros stays one.
  const Tensor some = (x != 0).any({.axis = axis, .keepdim = true});
  const Tensor y =
      some.where(x, x.ones_like()).normalize({.p = static_cast<double>(p), .axis = axis, .eps = 0});
  return {some.where(y, x.zeros_like())};
}

}  // namespace

std::span<const Operator> normalisation_operators() {
  static const std::vector<Operator> rows = {
      {"BatchNormalization",
       {1, 6, 7, 9, 14, 15},
       "epsilon momentum training_mode is_test spatial consumed_inputs",
       batch_normalization},
      {"GroupNormalization", {18, 21}, "epsilon num_groups stash_type", group_normalization},
      {"InstanceNormalization", {1, 6, 22}, "epsilon consumed_inputs", instance_normalization},
      {"LRN", {1, 13}, "alpha beta bias size", lrn},
      {"LayerNormalization", {17}, "axis epsilon stash_type", layer_normalization},
      {"LpNormalization", {1, 22}, "axis p", lp_normalization},
      {"MeanVarianceNormalization", {9, 13}, "axes", mean_variance},
      {"RMSNormalization", {23}, "axis epsilon stash_type", rms_normalization},
  };
  return rows;
}

}  // namespace tg::onnx
