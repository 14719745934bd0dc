// See objects.h: layers that take or give several tensors.
#include "nn/objects.h"

namespace tg::nn {
namespace {

constexpr std::string_view kPairState = "x, or x and the two tensors of its state",
                           kState = "x, or x and its state";

const Tensor* optional_input(std::span<const Tensor> in, size_t place) {
  return place < in.size() ? &in[place] : nullptr;
}

}  // namespace

std::string_view inputs_of(const LSTMCell&) { return kPairState; }
std::string_view inputs_of(const LSTM&) { return kPairState; }
std::string_view inputs_of(const GRUCell&) { return kState; }
std::string_view inputs_of(const GRU&) { return kState; }
std::string_view inputs_of(const MultiHeadAttention&) {
  return "x or queries, keys and values, and perhaps a mask";
}
std::string_view inputs_of(const TransformerEncoderLayer&) { return "x, or x and a mask"; }
std::string_view inputs_of(const TransformerDecoderLayer&) {
  return "x and a memory, and perhaps a mask of x and one of the memory";
}

Results applied(const LSTMCell& layer, std::span<const Tensor> in) {
  if (in.size() != 1 && in.size() != 3) return {};
  const auto [output, cell] = in.size() == 1 ? layer(in[0]) : layer(in[0], {in[1], in[2]});
  return {{output, cell}};
}

Results applied(const LSTM& layer, std::span<const Tensor> in) {
  if (in.size() != 1 && in.size() != 3) return {};
  const auto [output, state] = in.size() == 1 ? layer(in[0]) : layer(in[0], {in[1], in[2]});
  return {{output, state.first, state.second}};
}

Results applied(const GRUCell& layer, std::span<const Tensor> in) {
  if (in.size() != 1 && in.size() != 2) return {};
  return {{in.size() == 1 ? layer(in[0]) : layer(in[0], in[1])}};
}

Results applied(const GRU& layer, std::span<const Tensor> in) {
  if (in.size() != 1 && in.size() != 2) return {};
  const auto [output, state] = in.size() == 1 ? layer(in[0]) : layer(in[0], in[1]);
  return {{output, state}};
}

Results applied(const MultiHeadAttention& layer, std::span<const Tensor> in) {
  if (in.empty() || in.size() > 4) return {};
  if (in.size() <= 2) return {{layer(in[0], optional_input(in, 1))}};
  return {{layer(in[0], in[1], in[2], optional_input(in, 3))}};
}

Results applied(const TransformerEncoderLayer& layer, std::span<const Tensor> in) {
  if (in.size() != 1 && in.size() != 2) return {};
  return {{layer(in[0], optional_input(in, 1))}};
}

Results applied(const TransformerDecoderLayer& layer, std::span<const Tensor> in) {
  if (in.size() < 2 || in.size() > 4) return {};
  return {{layer(in[0], in[1], optional_input(in, 2), optional_input(in, 3))}};
}

}  // namespace tg::nn
