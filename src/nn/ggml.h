// Quantised elements as ggml stores them, made floats by operations on tensors, so that they fuse
// into what reads the weights. The layouts' sizes: format/ggml_type.h.
#pragma once

#include <string_view>

#include "nn/format/ggml_type.h"
#include "tg/tensor.h"

namespace tg::nn {

/// Blocks of a quantised type, uint8 [blocks, bytes of a block], as float32 [blocks, elements of a
/// block].
Tensor dequantise(const Tensor& blocks, GgmlType type);

}  // namespace tg::nn
