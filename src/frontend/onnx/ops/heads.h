// What the attention operators of both domains share: heads of a packed tensor, and the rotation of
// their elements by positions.
#pragma once

#include "frontend/onnx/node.h"

namespace tg::onnx {

/// [batch, length, heads · size] → [batch, heads, length, size], and back.
Tensor heads_apart(const Node& n, const Tensor& x, int64_t heads);
Tensor heads_joined(const Tensor& x);

/// Pairs of elements turned by angles, x [batch, heads, length, size] by their cosines and sines
/// [batch, length, half]: elements 2i and 2i + 1 if interleaved, else i and half + i. Those behind
/// 2 · half stay.
Tensor rotated_pairs(const Node& n, const Tensor& x, const Tensor& cosines, const Tensor& sines,
                     bool interleaved);

}  // namespace tg::onnx
