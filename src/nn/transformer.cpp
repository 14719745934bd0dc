// Attention in several heads and the layers of a transformer. Scores, masks and their softmax are
// the business of scaled_dot_product_attention.
#include <limits>

#include "nn/parameters.h"
#include "support/check.h"
#include "uop/shape.h"

namespace tg::nn {
namespace {

constexpr std::string_view kAttention = "MultiHeadAttention";

int64_t heads_of_keys(int64_t size, int64_t heads, const AttentionLayerOptions& o) {
  check_size(kAttention, "size", size);
  check_size(kAttention, "heads", heads);
  if (size % heads != 0) {
    user_error<ArgumentError>(
        kAttention, fmt::format("heads must divide the size: {} heads, size {}", heads, size));
  }
  const int64_t of_keys = o.kv_heads.value_or(heads);
  check_size(kAttention, "kv_heads", of_keys);
  if (heads % of_keys != 0) {
    user_error<ArgumentError>(
        kAttention, fmt::format("kv_heads must divide the heads: {} and {}", of_keys, heads));
  }
  check_share(kAttention, o.dropout);
  return of_keys;
}

void check_rows(const Tensor& x, std::string_view what, int64_t size) {
  if (x.ndim() >= 2 && x.size(-1) == size) return;
  user_error<ShapeError>(kAttention, fmt::format("{} must be [..., n, {}], got shape {}", what,
                                                 size, format_shape(x.shape())));
}

// What the projections of queries, keys and values read and give: rows of the packed weight.
struct Rows {
  int64_t begin, end;
};
Tensor projected(const MultiHeadAttention& layer, const Tensor& x, Rows rows) {
  const Slice part(rows.begin, rows.end);
  const Tensor y = x.matmul(layer.in_proj_weight[part].transpose());
  return layer.in_proj_bias ? y + (*layer.in_proj_bias)[part] : y;
}

// [..., n, heads · width] → [..., heads, n, width]
Tensor split_heads(const Tensor& x, int64_t heads) {
  return x.unflatten(-1, {heads, x.size(-1) / heads}).transpose(-3, -2);
}

// The mask, of which a query sees the keys up to its own place.
Tensor causal(const Tensor& mask, const Tensor& query, const Tensor& key) {
  const Sizes sizes(std::vector<SymInt>{query.sizes()[static_cast<size_t>(query.ndim() - 2)],
                                        key.sizes()[static_cast<size_t>(key.ndim() - 2)]});
  const Tensor seen =
      Tensor::full(sizes, true, {.dtype = DType::Bool, .device = query.device(), .buffer = false})
          .tril();
  if (mask.dtype() == DType::Bool) return mask & seen;
  return seen.where(mask, -std::numeric_limits<double>::infinity());
}

Tensor attended(const MultiHeadAttention& layer, const Tensor& query, const Tensor& key,
                const Tensor& value, const Tensor* mask) {
  std::optional<Tensor> both;
  if (layer.is_causal && mask != nullptr) both = causal(*mask, query, key);
  const Tensor heads = split_heads(query, layer.heads)
                           .scaled_dot_product_attention(
                               split_heads(key, layer.kv_heads), split_heads(value, layer.kv_heads),
                               {.attn_mask = both ? &*both : mask,
                                .dropout_p = layer.dropout,
                                .is_causal = layer.is_causal && mask == nullptr,
                                .enable_gqa = layer.heads != layer.kv_heads});
  return layer.out_proj(heads.transpose(-3, -2).flatten(-2));
}

AttentionLayerOptions attention_options(const TransformerLayerOptions& o, bool is_causal) {
  return {.kv_heads = o.kv_heads,
          .dropout = o.dropout,
          .is_causal = is_causal,
          .bias = o.bias,
          .placement = o.placement};
}

LayerNorm norm_of(int64_t size, const TransformerLayerOptions& o) {
  LayerNorm norm(size, {.eps = o.eps, .placement = o.placement});
  if (!o.bias) norm.bias.reset();
  return norm;
}

// x with what a part of the layer adds to it.
template <typename Part>
Tensor with_part(const Tensor& x, const LayerNorm& norm, bool norm_first, Part part) {
  return norm_first ? x + part(norm(x)) : norm(x + part(x));
}

template <typename Layer>
Tensor fed_forward(const Layer& layer, const Tensor& x) {
  const Tensor inner = layer.linear1(x);
  const Tensor active =
      layer.activation == Activation::Relu ? inner.relu() : inner.gelu(GeluForm::Erf);
  return layer.linear2(active.dropout(layer.dropout)).dropout(layer.dropout);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t size, int64_t number, const AttentionLayerOptions& o)
    : out_proj((heads_of_keys(size, number, o), size), size,
               {.bias = false, .placement = o.placement}),
      heads(number),
      kv_heads(o.kv_heads.value_or(number)),
      dropout(o.dropout),
      is_causal(o.is_causal) {
  const int64_t rows = size + 2 * (size / heads * kv_heads);
  in_proj_weight = marked(Tensor::glorot_uniform({rows, size}, o.placement), true);
  in_proj_bias = filled({rows}, 0, o.bias, o.placement);
  out_proj.bias = filled({size}, 0, o.bias, o.placement);
}

Tensor MultiHeadAttention::operator()(const Tensor& x, const Tensor* mask) const {
  const int64_t size = in_proj_weight.size(1), of_keys = size / heads * kv_heads;
  check_rows(x, "x", size);
  const auto part = projected(*this, x, {0, in_proj_weight.size(0)})
                        .split(std::vector<int64_t>{size, of_keys, of_keys}, -1);
  return attended(*this, part[0], part[1], part[2], mask);
}

Tensor MultiHeadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const Tensor* mask) const {
  const int64_t size = in_proj_weight.size(1), of_keys = size / heads * kv_heads;
  check_rows(query, "queries", size);
  check_rows(key, "keys", size);
  check_rows(value, "values", size);
  return attended(*this, projected(*this, query, {0, size}),
                  projected(*this, key, {size, size + of_keys}),
                  projected(*this, value, {size + of_keys, size + 2 * of_keys}), mask);
}

TransformerEncoderLayer::TransformerEncoderLayer(int64_t size, int64_t heads,
                                                 const TransformerLayerOptions& o)
    : self_attn(size, heads, attention_options(o, o.is_causal)),
      linear1(size, o.feedforward, {.bias = o.bias, .placement = o.placement}),
      linear2(o.feedforward, size, {.bias = o.bias, .placement = o.placement}),
      norm1(norm_of(size, o)),
      norm2(norm_of(size, o)),
      dropout(o.dropout),
      activation(o.activation),
      norm_first(o.norm_first) {}

Tensor TransformerEncoderLayer::operator()(const Tensor& x, const Tensor* mask) const {
  const Tensor y = with_part(x, norm1, norm_first,
                             [&](const Tensor& t) { return self_attn(t, mask).dropout(dropout); });
  return with_part(y, norm2, norm_first, [&](const Tensor& t) { return fed_forward(*this, t); });
}

TransformerDecoderLayer::TransformerDecoderLayer(int64_t size, int64_t heads,
                                                 const TransformerLayerOptions& o)
    : self_attn(size, heads, attention_options(o, o.is_causal)),
      multihead_attn(size, heads, attention_options(o, false)),
      linear1(size, o.feedforward, {.bias = o.bias, .placement = o.placement}),
      linear2(o.feedforward, size, {.bias = o.bias, .placement = o.placement}),
      norm1(norm_of(size, o)),
      norm2(norm_of(size, o)),
      norm3(norm_of(size, o)),
      dropout(o.dropout),
      activation(o.activation),
      norm_first(o.norm_first) {}

Tensor TransformerDecoderLayer::operator()(const Tensor& x, const Tensor& memory,
                                           const Tensor* mask, const Tensor* memory_mask) const {
  const Tensor y = with_part(x, norm1, norm_first,
                             [&](const Tensor& t) { return self_attn(t, mask).dropout(dropout); });
  const Tensor z = with_part(y, norm2, norm_first, [&](const Tensor& t) {
    return multihead_attn(t, memory, memory, memory_mask).dropout(dropout);
  });
  return with_part(z, norm3, norm_first, [&](const Tensor& t) { return fed_forward(*this, t); });
}

}  // namespace tg::nn
