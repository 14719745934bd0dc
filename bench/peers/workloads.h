// The work that bench/peers/run asks for, by kind and sizes; models.cpp has the networks. Which
// sizes are measured stands in shapes.py alone.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "tg/tensor.h"

namespace tg::peers {

/// Makes one call and returns when its result is complete.
using Call = std::function<void()>;

/// The call for work of this kind, inputs computed. Throws ArgumentError for kinds and numbers of
/// sizes that are unknown.
Call prepare(std::string_view kind, std::span<const int64_t> sizes);
/// The same, a call being `times` of them in a row; expressions are captured, and the device is
/// waited for once, behind the last.
Call prepare_many(int64_t times, std::string_view kind, std::span<const int64_t> sizes);
/// Does this work once, as the first in its process, and returns the seconds of the part that
/// counts.
double once(std::string_view kind, std::span<const int64_t> sizes);

/// Numbers in [−1, 1), computed.
Tensor data(const Shape& shape);
/// Computes `result` and waits for its device.
void finish(const Tensor& result);

// ---- networks
Call resnet18(int64_t batch);       ///< inference on [batch, 3, 224, 224]
Call gpt2_prefill(int64_t tokens);  ///< 124M parameters, the next word
Call gpt2_step(int64_t tokens);     ///< its loss on as many words, and all gradients
/// Forward, backward and Adam of the net of tinygrad's beautiful_mnist on one batch.
Call mnist_step(int64_t batch);
/// The same as a captured call.
Call captured_mnist_step(int64_t batch);

}  // namespace tg::peers
