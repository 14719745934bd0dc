// Attention: scores, their softmax, and the mean of the values by these weights. It is a
// composition; that its kernels are fast is the scheduler's business.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr std::string_view kAttention = "scaled_dot_product_attention";

// Whether each query has a key, each key a value, and all of them axes.
void check_operands(const UOp& query, const UOp& key, const UOp& value) {
  if (query.ndim() < 1 || key.ndim() < 2 || value.ndim() < 2) {
    user_error<ShapeError>(
        kAttention,
        fmt::format("needs queries [..., n, size], keys [..., m, size] and values [..., m, "
                    "out], got {}, {} and {}",
                    text(query.shape()), text(key.shape()), text(value.shape())));
  }
  if (query.dim(query.ndim() - 1) != key.dim(key.ndim() - 1)) {
    user_error<ShapeError>(kAttention, fmt::format("queries and keys differ in size: {} and {}",
                                                   text(query.shape()), text(key.shape())));
  }
  if (key.dim(key.ndim() - 2) != value.dim(value.ndim() - 2)) {
    user_error<ShapeError>(kAttention, fmt::format("keys and values differ in number: {} and {}",
                                                   text(key.shape()), text(value.shape())));
  }
  need_plain_axis(kAttention, query, query.ndim() - 1);
  common_device(kAttention, {query, key, value});
}

// The axes before those of the matrices.
Shape leading(const UOp& x) { return {x.shape().begin(), x.shape().end() - std::min(x.ndim(), 2)}; }

// How many heads of the queries one of the keys serves.
int64_t queries_per_key(const UOp& query, const UOp& key, const UOp& value) {
  const auto heads = [](const UOp& x) { return x.ndim() > 2 ? x.dim(x.ndim() - 3) : 0; };
  if (heads(key) == 0 || heads(query) % heads(key) != 0 || heads(key) != heads(value)) {
    user_error<ShapeError>(
        kAttention,
        fmt::format("enable_gqa needs heads of queries that are a multiple of those of keys "
                    "and values, on axis -3: {}, {} and {}",
                    text(query.shape()), text(key.shape()), text(value.shape())));
  }
  return heads(query) / heads(key);
}

// Each query sees the keys up to its own place.
Tensor causal_mask(const Tensor& scores) {
  const auto sizes = scores.sizes();
  if (sizes.size() < 2) {
    user_error<ShapeError>(
        kAttention, fmt::format("is_causal needs queries [..., n, size]: the scores have shape {}",
                                text(scores.shape())));
  }
  const Sizes last(std::vector<SymInt>(sizes.end() - 2, sizes.end()));
  return Tensor::full(last, true, {.dtype = DType::Bool, .buffer = false}).tril();
}

// The softmax of what a mask leaves: of bools those that are true count, others are added. Rows of
// which nothing is left are 0, as in PyTorch, and no slope is infinite: whatever a masked score is,
// it is replaced before its exponential is taken.
Tensor masked_softmax(const Tensor& scores, const Tensor& mask) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  const ReduceOptions row = {.axis = -1, .keepdim = true};
  const bool selects = is_bool(mask.dtype());
  const Tensor wide = scores.cast(compute_float(scores.dtype()));
  const Tensor all = selects ? wide : wide + mask.cast(wide.dtype());
  const Tensor top = (selects ? mask.where(all, kNothing) : all).max(row).detach();
  const Tensor below = all - (top == kNothing).where(0, top);
  const Tensor e = (selects ? mask.where(below, kNothing) : below).exp();
  const Tensor sum = e.sum(row);
  const Tensor weights = (e * (sum == 0).where(1, sum).reciprocal()).cast(scores.dtype());
  // Said once more, where sums over keys can see it: they need no others.
  return selects ? mask.where(weights, 0) : weights;
}

}  // namespace

Tensor Tensor::scaled_dot_product_attention(const Tensor& key, const Tensor& value,
                                            const AttentionOptions& o) const {
  const UOp query = node_of(*this, kAttention), k = node_of(key, kAttention),
            v = node_of(value, kAttention);
  check_operands(query, k, v);
  if (o.is_causal && o.attn_mask != nullptr)
    user_error<ArgumentError>(kAttention, "is_causal and attn_mask exclude each other");
  if (!(o.dropout_p >= 0 && o.dropout_p <= 1)) {
    user_error<ArgumentError>(
        kAttention, fmt::format("dropout_p must lie between 0 and 1, got {}", o.dropout_p));
  }
  const int64_t times = o.enable_gqa ? queries_per_key(query, k, v) : 1;
  if (!o.enable_gqa)
    broadcast_shape(kAttention, broadcast_shape(kAttention, leading(query), leading(k)),
                    leading(v));
  const Tensor keys = o.enable_gqa ? key.repeat_interleave(times, -3) : key;
  const Tensor values = o.enable_gqa ? value.repeat_interleave(times, -3) : value;
  const auto size = static_cast<double>(query.dim(query.ndim() - 1));
  Tensor scores = matmul(keys.transpose(-2, -1)) / std::sqrt(size);
  if (o.is_causal || o.attn_mask != nullptr) {
    const Tensor mask = o.is_causal ? causal_mask(scores) : *o.attn_mask;
    UOp all = node_of(scores, kAttention), some = node_of(mask, kAttention);
    meet_extents(all, some);
    broadcast_shape(kAttention, all.shape(), some.shape());
    scores = masked_softmax(scores, mask);
  } else {
    scores = scores.softmax(-1);
  }
  return scores.cast(dtype()).dropout(o.dropout_p).matmul(values);
}

}  // namespace tg
