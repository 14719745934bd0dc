// Operators of com.microsoft, which ONNX Runtime's optimiser of transformers puts into models.
// Attention: microsoft_attention.cpp; quantised numbers: microsoft_quantised.cpp.
#include <cmath>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

Tensor with_bias(const Node& n, size_t bias) {
  return n.has(bias) ? n.tensor(0) + n.tensor(bias) : n.tensor(0);
}

Values fast_gelu(const Node& n) { return {with_bias(n, 1).gelu(GeluForm::Tanh)}; }
Values exact_gelu(const Node& n) { return {with_bias(n, 1).gelu(GeluForm::Erf)}; }

Values quick_gelu(const Node& n) {
  const Tensor x = n.tensor(0);
  return {x * (x * n.real("alpha", 1.702)).sigmoid()};
}

// A half that carries numbers through and a half that opens or closes the way.
Values bias_split_gelu(const Node& n) {
  const std::vector<Tensor> halves = with_bias(n, 1).chunk(2, -1);
  n.require(halves.size() == 2 && halves[0].size(-1) == halves[1].size(-1), "an odd last axis");
  return {halves[0] * halves[1].gelu(GeluForm::Erf)};
}

Values bias_add(const Node& n) { return {with_bias(n, 1) + n.tensor(2)}; }

// The sum of input, skip and bias, normalised, then its mean (0 where none is subtracted), the
// inverse of its deviation, and itself.
template <bool kCentred>
Values skip_normalization(const Node& n) {
  const size_t bias = kCentred ? 4 : 3;
  Tensor sum = n.tensor(0) + n.tensor(1);
  if (n.has(bias)) sum = sum + n.tensor(bias);
  const double eps = n.real("epsilon", 1e-12);
  const Tensor scale = n.tensor(2), wide = wide_floats(sum);
  const Tensor mean = wide.mean({.axis = -1, .keepdim = true});
  const Tensor from = kCentred ? wide - mean : wide;
  const Tensor inverse = (from.square().mean({.axis = -1, .keepdim = true}) + eps).rsqrt();
  if (!kCentred)
    return {sum.rms_norm({.weight = &scale, .eps = eps}), mean.zeros_like(), inverse, sum};
  const std::optional<Tensor> shift = n.optional_tensor(3);
  const Tensor y =
      sum.layer_norm({.weight = &scale, .bias = shift ? &*shift : nullptr, .eps = eps});
  return {y, mean, inverse, sum};
}

// Rows that stand on the first axis, before the batches, moved behind them; then the matrices
// turned.
Tensor fused_operand(const Tensor& x, bool batches, bool turned) {
  const Tensor y = batches && x.ndim() > 2 ? axis_to_end(x, 0).transpose(-1, -2) : x;
  return turned && y.ndim() > 1 ? y.transpose(-1, -2) : y;
}

Values fused_matmul(const Node& n) {
  const Tensor a = fused_operand(n.tensor(0), n.flag("transBatchA"), n.flag("transA"));
  const Tensor b = fused_operand(n.tensor(1), n.flag("transBatchB"), n.flag("transB"));
  const Tensor y = a.matmul(b);
  const double alpha = n.real("alpha", 1);
  return {(alpha == 1 ? y : y * alpha).cast(n.dtype(0))};
}

// The activation that an operator does at its end, with up to two numbers of its own.
Tensor fused_activation(const Node& n, const Tensor& x, const std::vector<double>& numbers) {
  const std::string name = n.text("activation", "");
  const auto number = [&](size_t i, double otherwise) {
    return i < numbers.size() ? numbers[i] : otherwise;
  };
  if (name.empty()) return x;
  if (name == "Relu") return x.relu();
  if (name == "Sigmoid") return x.sigmoid();
  if (name == "Tanh") return x.tanh();
  if (name == "LeakyRelu") return x.leaky_relu(number(0, 0.01));
  if (name == "Elu") return x.elu(number(0, 1));
  if (name == "Selu")
    return x.elu(number(0, 1.67326319217681884765625)) * number(1, 1.0507010221481323);
  if (name == "Softplus") return x.softplus();
  if (name == "Softsign") return x.softsign();
  if (name == "ThresholdedRelu") return (x > number(0, 1)).where(x, 0);
  if (name == "HardSigmoid") return x.hardsigmoid(number(0, 0.2), number(1, 0.5));
  if (name == "Clip") return x.clip(number(0, -INFINITY), number(1, INFINITY));
  n.unsupported("activation \"" + name + "\"");
}

Values fused_convolution(const Node& n) {
  const std::optional<Tensor> bias = n.optional_tensor(2);
  Tensor y = convolution(n, n.tensor(0), n.tensor(1), bias ? &*bias : nullptr).cast(n.dtype(0));
  if (n.has(3)) y = y + n.tensor(3);
  return {fused_activation(n, y, n.reals("activation_params").value_or(std::vector<double>{}))};
}

Values fused_gemm(const Node& n) {
  Tensor a = n.tensor(0), b = n.tensor(1);
  n.require(a.ndim() == 2 && b.ndim() == 2, "the operands are no matrices");
  if (n.flag("transA")) a = a.T();
  if (n.flag("transB")) b = b.T();
  Tensor y = a.matmul(b) * n.real("alpha", 1);
  if (n.has(2)) y = y + n.tensor(2) * n.real("beta", 1);
  std::vector<double> numbers;
  for (const std::string_view name : {"activation_alpha", "activation_beta", "activation_gamma"})
    if (n.has_attribute(name)) numbers.push_back(n.real(name, 0));
  return {fused_activation(n, y, numbers).cast(n.dtype(0))};
}

// The words that count, which come first: int32 [batch].
Tensor word_counts(const Node& n, int64_t batch) {
  if (n.has(7)) return (n.tensor(7) == 1).cast(DType::Int32).sum({.axis = 1}).cast(DType::Int32);
  return Tensor::zeros({batch}, {.dtype = DType::Int32, .device = n.device()});
}

// Words, positions and segments looked up, added and normalised.
Values embed_normalization(const Node& n) {
  const Tensor ids = n.tensor(0);
  n.require(ids.ndim() == 2, "the ids are not [batch, length]");
  Tensor sum = gather_along(n.tensor(2), ids, 0);
  sum = sum +
        (n.has(8) ? gather_along(n.tensor(3), n.tensor(8), 0) : n.tensor(3)[Slice(0, ids.size(1))]);
  if (n.has(1) && n.has(4)) sum = sum + gather_along(n.tensor(4), n.tensor(1), 0);
  const Tensor scale = n.tensor(5), shift = n.tensor(6);
  const Tensor y =
      sum.layer_norm({.weight = &scale, .bias = &shift, .eps = n.real("epsilon", 1e-12)});
  Values out{y};
  if (n.outputs() > 1) out.emplace_back(word_counts(n, ids.size(0)));
  if (n.wants(2)) out.emplace_back(sum);
  return out;
}

// Numbers of 8, 4 or 2 bits on the last axis, several in a byte, the lowest bits first.
Tensor unpacked(const Tensor& packed, int64_t bits) {
  if (bits == 8) return packed;
  std::vector<Tensor> parts;
  for (int64_t shift = 0; shift < 8; shift += bits)
    parts.push_back(packed.rshift(shift).bitwise_and((1 << bits) - 1));
  return Tensor::stack(parts, -1).flatten(-2);
}

// Of each block, [columns, blocks], as floats.
Tensor block_zero_points(const Node& n, int64_t bits, const Shape& blocks, DType dtype) {
  if (!n.has(3)) return Tensor(int64_t{1} << (bits - 1)).cast(dtype);
  if (is_float(n.dtype(3))) return n.tensor(3).reshape(blocks).cast(dtype);
  return unpacked(n.tensor(3).reshape({blocks[0], -1}), bits)[{Slice(), Slice(0, blocks[1])}].cast(
      dtype);
}

// A matrix in blocks of small numbers, [columns, blocks, bytes], each block with a scale and a zero
// point; g_idx names the block of each row whose scale and zero point count.
Values matmul_n_bits(const Node& n) {
  const int64_t k = n.required_integer("K"), columns = n.required_integer("N");
  const int64_t block = n.required_integer("block_size"), bits = n.integer("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8) n.unsupported("other than 2, 4 or 8 bits");
  if (n.integer("weight_prepacked", 0) != 0) n.unsupported("weight_prepacked");
  n.require(k > 0 && k < (int64_t{1} << 40) && columns > 0 && columns < (int64_t{1} << 40) &&
                block >= 16 && block % 8 == 0 && block < (int64_t{1} << 31),
            "sizes that are not positive or too large");
  const int64_t blocks = (k + block - 1) / block;
  const Tensor x = n.tensor(0);
  const Tensor q = unpacked(n.tensor(1).reshape({columns, blocks, block * bits / 8}), bits)
                       .reshape({columns, blocks * block})[{Slice(), Slice(0, k)}]
                       .cast(x.dtype());
  const Shape shape{columns, blocks};
  const auto for_rows = [&](const Tensor& v) {
    if (v.ndim() == 0) return v;
    if (n.has(4)) return gather_along(v, n.tensor(4), 1);
    return v.repeat_interleave(block, 1)[{Slice(), Slice(0, k)}];
  };
  const Tensor zero = for_rows(block_zero_points(n, bits, shape, x.dtype()));
  const Tensor weight = (q - zero) * for_rows(n.tensor(2).reshape(shape));
  Tensor y = x.matmul(weight.T());
  if (n.has(5)) y = y + n.tensor(5);
  return {y.cast(x.dtype())};
}

// ONNX Runtime also writes these without a domain, or with its own.
Values simplified_normalization(const Node& n) {
  const Tensor scale = n.tensor(1);
  if (n.axis(n.integer("axis", -1), n.rank(0)) != n.rank(0) - 1)
    n.unsupported("another axis than the last");
  return {n.tensor(0).rms_norm({.weight = &scale, .eps = n.real("epsilon", 1e-5)})};
}

}  // namespace

std::span<const Operator> microsoft_operators() {
  static const std::vector<Operator> rows = {
      {"SimplifiedLayerNormalization", {1}, "axis epsilon stash_type", simplified_normalization},
      {"com.microsoft.BiasAdd", {1}, "", bias_add},
      {"com.microsoft.BiasGelu", {1}, "", exact_gelu},
      {"com.microsoft.BiasSplitGelu", {1}, "", bias_split_gelu},
      {"com.microsoft.EmbedLayerNormalization",
       {1},
       "epsilon mask_index_type",
       embed_normalization},
      {"com.microsoft.FastGelu", {1}, "", fast_gelu},
      {"com.microsoft.FusedConv",
       {1},
       "activation activation_params auto_pad dilations group kernel_shape pads strides",
       fused_convolution},
      {"com.microsoft.FusedGemm",
       {1},
       "activation activation_alpha activation_beta activation_gamma alpha beta transA transB",
       fused_gemm},
      {"com.microsoft.FusedMatMul",
       {1},
       "alpha transA transB transBatchA transBatchB",
       fused_matmul},
      {"com.microsoft.Gelu", {1}, "", exact_gelu},
      {"com.microsoft.MatMulNBits",
       {1},
       "K N bits block_size accuracy_level weight_prepacked",
       matmul_n_bits},
      {"com.microsoft.QuickGelu", {1}, "alpha", quick_gelu},
      {"com.microsoft.SkipLayerNormalization", {1}, "epsilon", skip_normalization<true>},
      {"com.microsoft.SkipSimplifiedLayerNormalization", {1}, "epsilon", skip_normalization<false>},
  };
  return rows;
}

}  // namespace tg::onnx
