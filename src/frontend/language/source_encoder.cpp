// See source_encoder.h.
#include "frontend/language/source_encoder.h"

namespace tg::models {
namespace {

void make_floats(Projection& p) {
  p.weight = p.weight.cast(DType::Float32).realize();
  if (p.bias) p.bias = p.bias->cast(DType::Float32).realize();
}

}  // namespace

SourceEncoder::SourceEncoder(DecoderConfig config, StackWeights weights)
    : config_(std::move(config)), weights_(std::move(weights)) {
  for (LayerWeights& w : weights_.layers) {
    FeedForwardWeights& f = *w.feed_forward;
    for (Projection* p : {&w.q, &w.k, &w.v, &w.out, &f.up, &f.down}) make_floats(*p);
    if (f.gate) make_floats(*f.gate);
  }
}

Tensor SourceEncoder::operator()(Tensor x, const std::optional<Tensor>& added) const {
  for (const LayerWeights& w : weights_.layers) {
    const Tensor y = normalised(config_, w.attention_norm, x).contiguous();
    x = (x + attention(w, y, added)).contiguous();
    const Tensor z = normalised(config_, w.feed_forward_norm, x).contiguous();
    x = (x + fed_forward(config_, *w.feed_forward, z)).contiguous();
  }
  return normalised(config_, weights_.final_norm, x);
}

Tensor SourceEncoder::attention(const LayerWeights& w, const Tensor& x,
                                const std::optional<Tensor>& added) const {
  const DecoderConfig& c = config_;
  std::vector<SymInt> joined = x.sizes(), divided = joined;
  joined.back() = c.heads * c.head_size;
  divided.back() = c.heads;
  divided.emplace_back(c.head_size);
  const auto heads_of = [&](const Projection& p) {  // [..., heads, n, head size]
    return projected(p, x).reshape(Sizes(divided)).transpose(-2, -3);
  };
  Tensor scores = heads_of(w.q).matmul(heads_of(w.k).transpose(-1, -2)) * c.query_scale;
  if (added) scores = scores + *added;
  const Tensor mixed = scores.softmax(-1).matmul(heads_of(w.v));
  return projected(w.out, mixed.transpose(-2, -3).reshape(Sizes(joined)));
}

}  // namespace tg::models
