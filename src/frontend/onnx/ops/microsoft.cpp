// Operators of com.microsoft, which ONNX Runtime's optimiser of transformers puts into models.
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

// The sum of input, skip and bias, normalised; the sum itself is the last output.
template <bool kCentred>
Values skip_normalization(const Node& n) {
  const size_t bias = kCentred ? 4 : 3;
  Tensor sum = n.tensor(0) + n.tensor(1);
  if (n.has(bias)) sum = sum + n.tensor(bias);
  const double eps = n.real("epsilon", 1e-12);
  if (n.wants(1) || n.wants(2)) n.unsupported("the output of mean or deviation");
  const Tensor scale = n.tensor(2);
  if (!kCentred) return {sum.rms_norm({.weight = &scale, .eps = eps}), Value(), Value(), sum};
  Tensor y = sum.layer_norm({.weight = &scale, .eps = eps});
  if (n.has(3)) y = y + n.tensor(3);
  return {y, Value(), Value(), sum};
}

Values fused_matmul(const Node& n) {
  if (n.flag("transBatchA") || n.flag("transBatchB")) n.unsupported("transBatchA or transBatchB");
  Tensor a = n.tensor(0), b = n.tensor(1);
  if (n.flag("transA") && a.ndim() > 1) a = a.transpose(-1, -2);
  if (n.flag("transB") && b.ndim() > 1) b = b.transpose(-1, -2);
  const Tensor y = a.matmul(b);
  const double alpha = n.real("alpha", 1);
  return {(alpha == 1 ? y : y * alpha).cast(n.dtype(0))};
}

// Words, positions and segments looked up, added and normalised.
Values embed_normalization(const Node& n) {
  const Tensor ids = n.tensor(0);
  n.require(ids.ndim() == 2, "the ids are not [batch, length]");
  if (n.flag("mask_index_type") || n.has(8) || n.wants(2))
    n.unsupported("position_ids, or the sum as an output,");
  Tensor sum = gather_along(n.tensor(2), ids, 0) + n.tensor(3)[Slice(0, ids.size(1))];
  if (n.has(1) && n.has(4)) sum = sum + gather_along(n.tensor(4), n.tensor(1), 0);
  const Tensor scale = n.tensor(5), shift = n.tensor(6);
  const Tensor y =
      sum.layer_norm({.weight = &scale, .bias = &shift, .eps = n.real("epsilon", 1e-12)});
  Values out{y};
  if (n.outputs() > 1) {
    const TensorOptions options{.dtype = DType::Int32, .device = n.device()};
    out.emplace_back(n.has(7) ? n.tensor(7).cast(DType::Int32).sum({.axis = 1}).cast(DType::Int32)
                              : Tensor::zeros({ids.size(0)}, options));
  }
  return out;
}

// Heads of attention: [batch, length, heads · size] to [batch, heads, length, size].
Tensor heads_of(const Tensor& x, int64_t heads) {
  return x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads}).permute({0, 2, 1, 3});
}

// Which keys count, as numbers that are added to the scores, from a mask [batch, keys] of ones.
Tensor added_mask(const Node& n, const Tensor& mask, DType dtype) {
  if (mask.ndim() != 2) n.unsupported("a mask of other than two axes");
  const Tensor hidden = (mask == 0).unsqueeze(1).unsqueeze(1);
  return hidden.where(Tensor(n.real("mask_filter_value", -10000)).cast(dtype),
                      Tensor(0).cast(dtype));
}

Values attention(const Node& n) {
  const Tensor x = n.tensor(0), weight = n.tensor(1);
  const int64_t heads = n.required_integer("num_heads");
  n.require(x.ndim() == 3 && weight.ndim() == 2 && weight.size(1) % 3 == 0 && heads > 0 &&
                weight.size(1) / 3 % heads == 0,
            "input and weight are not [batch, length, in] and [in, 3 · heads · size]");
  if (n.has(4) || n.has(6) || n.wants(1) || n.flag("do_rotary") ||
      n.has_attribute("qkv_hidden_sizes"))
    n.unsupported("past, rotary or sizes for each of q, k and v:");
  Tensor all = x.matmul(weight);
  if (n.has(2)) all = all + n.tensor(2);
  const std::vector<Tensor> parts = all.chunk(3, 2);
  const Tensor q = heads_of(parts[0], heads), k = heads_of(parts[1], heads),
               v = heads_of(parts[2], heads);
  const double scale =
      n.real("scale", 0) != 0 ? n.real("scale", 0) : 1 / std::sqrt(static_cast<double>(q.size(-1)));
  Tensor scores = q.matmul(k.transpose(-1, -2)) * scale;
  if (n.has(5)) scores = scores + n.tensor(5);
  if (n.has(3)) scores = scores + added_mask(n, n.tensor(3), scores.dtype());
  if (n.flag("unidirectional")) {
    const Tensor at = Tensor::arange(static_cast<double>(x.size(1)),
                                     {.dtype = DType::Int64, .device = n.device()});
    scores = (at.unsqueeze(0) > at.unsqueeze(1))
                 .where(Tensor(n.real("mask_filter_value", -10000)).cast(scores.dtype()), scores);
  }
  const Tensor y = scores.softmax(-1).matmul(v).permute({0, 2, 1, 3});
  return {y.reshape({x.size(0), x.size(1), weight.size(1) / 3})};
}

// A matrix in blocks of 4-bit numbers, two in a byte, the lower half first: [out, blocks, bytes].
Values matmul_n_bits(const Node& n) {
  const int64_t k = n.required_integer("K"), columns = n.required_integer("N");
  const int64_t block = n.required_integer("block_size");
  if (n.integer("bits", 4) != 4) n.unsupported("other than 4 bits");
  if (n.has(4)) n.unsupported("g_idx");
  n.require(k > 0 && columns > 0 && block >= 16 && block % 2 == 0, "sizes that are not positive");
  const int64_t blocks = (k + block - 1) / block;
  const auto halves = [](const Tensor& packed) {
    return Tensor::stack({packed.bitwise_and(15), packed.rshift(4)}, -1).flatten(-2);
  };
  const Tensor x = n.tensor(0);
  const Tensor q = halves(n.tensor(1).reshape({columns, blocks, block / 2})).cast(x.dtype());
  const Tensor scale = n.tensor(2).reshape({columns, blocks, 1});
  Tensor zero(8.0F);
  if (n.has(3) && is_float(n.dtype(3)))
    zero = n.tensor(3).reshape({columns, blocks, 1});
  else if (n.has(3))
    zero = halves(n.tensor(3).reshape({columns, -1}))[{Slice(), Slice(0, blocks)}]
               .cast(x.dtype())
               .unsqueeze(-1);
  const Tensor weight = ((q - zero.cast(x.dtype())) * scale)
                            .reshape({columns, blocks * block})[{Slice(), Slice(0, k)}];
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
      {"com.microsoft.Attention",
       {1},
       "num_heads unidirectional mask_filter_value scale do_rotary qkv_hidden_sizes "
       "past_present_share_buffer",
       attention},
      {"com.microsoft.BiasGelu", {1}, "", exact_gelu},
      {"com.microsoft.EmbedLayerNormalization",
       {1},
       "epsilon mask_index_type",
       embed_normalization},
      {"com.microsoft.FastGelu", {1}, "", fast_gelu},
      {"com.microsoft.FusedMatMul",
       {1},
       "alpha transA transB transBatchA transBatchB",
       fused_matmul},
      {"com.microsoft.Gelu", {1}, "", exact_gelu},
      {"com.microsoft.MatMulNBits", {1}, "K N bits block_size accuracy_level", matmul_n_bits},
      {"com.microsoft.QuickGelu", {1}, "alpha", quick_gelu},
      {"com.microsoft.SkipLayerNormalization", {1}, "epsilon", skip_normalization<true>},
      {"com.microsoft.SkipSimplifiedLayerNormalization", {1}, "epsilon", skip_normalization<false>},
  };
  return rows;
}

}  // namespace tg::onnx
