// See heads.h.
#include "frontend/onnx/ops/heads.h"

#include <fmt/format.h>

namespace tg::onnx {

Tensor heads_apart(const Node& n, const Tensor& x, int64_t heads) {
  n.require(x.ndim() == 3 && heads > 0 && x.size(2) % heads == 0,
            fmt::format("a tensor is not [batch, length, {} · size]", heads));
  return x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads}).permute({0, 2, 1, 3});
}

Tensor heads_joined(const Tensor& x) { return x.permute({0, 2, 1, 3}).flatten(2); }

Tensor rotated_pairs(const Node& n, const Tensor& x, const Tensor& cosines, const Tensor& sines,
                     bool interleaved) {
  const int64_t half = cosines.size(-1), turned = 2 * half;
  n.require(turned <= x.size(-1) && sines.shape() == cosines.shape(),
            "cosines and sines do not fit the size of heads");
  const Tensor part = x[{Ellipsis, Slice(0, turned)}];
  const Shape pairs = interleaved ? Shape{half, 2} : Shape{2, half};
  const int64_t axis = interleaved ? -1 : -2;
  const std::vector<Tensor> ab = part.unflatten(-1, pairs).split(1, axis);
  const Tensor a = ab[0].squeeze(axis), b = ab[1].squeeze(axis);
  const Tensor c = cosines.unsqueeze(1), s = sines.unsqueeze(1);
  const Tensor y = Tensor::stack({a * c - b * s, a * s + b * c}, axis).flatten(-2);
  if (turned == x.size(-1)) return y;
  return Tensor::cat({y, x[{Ellipsis, Slice(turned)}]}, -1);
}

}  // namespace tg::onnx
