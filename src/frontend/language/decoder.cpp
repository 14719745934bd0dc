// See decoder.h. Attention: attention.cpp.
#include "frontend/language/decoder.h"

#include "frontend/language/decoder_step.h"

namespace tg::models {
namespace {

// The places of the `count` largest of the last axis, int32 [rows, count]; of equal ones the first.
// All pairs are compared: for some hundred experts one kernel, where sorting takes many.
Tensor largest(const Tensor& x, int64_t count) {
  const int64_t n = x.size(-1);
  const Tensor place = Tensor::arange(static_cast<double>(n), {.device = x.device()});
  const Tensor mine = x.unsqueeze(-1), other = x.unsqueeze(-2);
  const Tensor is_first = place.reshape({1, n}) < place.reshape({n, 1});
  const Tensor rank =
      ((other > mine) | ((other == mine) & is_first)).sum({.axis = -1, .dtype = DType::Int32});
  const Tensor wanted =
      Tensor::arange(static_cast<double>(count), {.device = x.device()}).reshape({count, 1});
  const Tensor found = (rank.unsqueeze(-2) == wanted).where(place, 0);
  return found.sum({.axis = -1, .dtype = DType::Int32});
}

}  // namespace

Decoder::Decoder(DecoderConfig config, DecoderWeights weights, int64_t context,
                 const std::string& device, int64_t slots)
    : config_(std::move(config)), weights_(std::move(weights)) {
  const Shape shape = {slots, config_.kv_heads, context, config_.head_size};
  for (int64_t i = 0; i < config_.layers; ++i) {
    const auto room = [&] { return Tensor::zeros(shape, {.device = device}).realize(); };
    caches_.push_back({room(), room()});
  }
  const Shape of_source = {config_.heads, config_.source_positions, config_.head_size};
  for (int64_t i = 0; i < config_.layers && config_.source_positions > 0; ++i) {
    const auto room = [&] { return Tensor::zeros(of_source, {.device = device}).realize(); };
    sources_.push_back({room(), room()});
  }
  if (config_.distances.count > 0) {
    bias_of_distance_ =
        bias_of_distances(*weights_.distances, config_.distances, 1 - context, 1, device);
    bias_of_distance_->is_param_(false);
  }
  places_ = Tensor::arange(static_cast<double>(context), {.device = device});
  if (!config_.rotary.frequencies.empty()) {
    rotary_ = rotary_table(config_.rotary, context, device);
    window_rotary_ = rotary_table(config_.window_rotary, context, device);
  }
}

Tensor Decoder::embedded(const Tensor& tokens) const {
  const Tensor x = weights_.embedding[tokens].cast(DType::Float32);
  return config_.embedding_scale == 1 ? x : x * config_.embedding_scale;
}

Tensor Decoder::operator()(const Tensor& embedded, const SymInt& begin, const SymInt& count,
                           const SymInt& slot, const SymInt& source) const {
  const SymInt end = begin + count;
  return layers(embedded[{Slice(0, count)}], {.count = count,
                                              .positions = places_[{Slice(begin, end)}],
                                              .begin = begin,
                                              .end = end,
                                              .slot = slot,
                                              .source = source});
}

Tensor Decoder::rows(const Tensor& embedded, const Rows& rows) const {
  return layers(embedded, {.count = embedded.size(0),
                           .positions = rows.positions,
                           .begin = 0,
                           .end = 0,
                           .slot = 0,
                           .rows = &rows});
}

Tensor Decoder::texts(const Tensor& embedded) const {
  const int64_t texts = embedded.size(0), length = embedded.size(1);
  const Tensor positions =
      places_[{Slice(0, length)}].unsqueeze(0).expand({texts, length}).reshape({texts * length});
  const Tensor x =
      layers(embedded.reshape({texts * length, config_.width}), {.count = texts * length,
                                                                 .positions = positions,
                                                                 .begin = 0,
                                                                 .end = 0,
                                                                 .slot = 0,
                                                                 .texts = texts});
  return x.reshape(embedded.shape());
}

void Decoder::copy(const SymInt& from, const SymInt& to, const SymInt& count) const {
  const Slice first(0, count);
  for (const LayerCache& cache : caches_) {
    for (const Tensor& t : {cache.keys, cache.values})
      t.set({to, Slice(), first}, t[{from, Slice(), first}].contiguous());
  }
}

void Decoder::clear(const SymInt& slot) const {
  for (const LayerCache& cache : caches_) {
    for (const Tensor& t : {cache.keys, cache.values}) {
      t.set({slot}, Tensor(0.0F));
      t.realize();
    }
  }
}

Tensor Decoder::layers(Tensor x, const Step& step) const {
  if (weights_.positions) x = x + step.of(*weights_.positions).cast(DType::Float32);
  for (size_t i = 0; i < weights_.layers.size(); ++i) {
    const LayerWeights& w = weights_.layers[i];
    Tensor a = attention(w, i, normalised(config_, w.attention_norm, x), step);
    if (w.attention_result_norm) a = normalised(config_, *w.attention_result_norm, a);
    x = (x + a).contiguous();
    if (w.cross) x = (x + attended_to_source(*w.cross, i, x, step)).contiguous();
    const Tensor y = normalised(config_, w.feed_forward_norm, x);
    Tensor f = w.experts ? experts(*w.experts, y) : fed_forward(config_, *w.feed_forward, y);
    if (w.feed_forward_result_norm) f = normalised(config_, *w.feed_forward_result_norm, f);
    x = (x + f).contiguous();
  }
  return x;
}

Tensor Decoder::logits(const Tensor& hidden) const {
  Tensor x = normalised(config_, weights_.final_norm, hidden);
  if (config_.output_scale != 1) x = x * config_.output_scale;
  const Tensor out = projected(weights_.output, x);
  return config_.logit_cap == 0 ? out : (out / config_.logit_cap).tanh() * config_.logit_cap;
}

Tensor Decoder::experts(const ExpertWeights& w, const Tensor& x) const {
  const ExpertsConfig& e = config_.experts;
  const SymInt rows = x.sizes()[0];
  const Tensor scores = projected(w.router, x).softmax(-1).contiguous();
  const Tensor chosen = largest(scores, e.used).contiguous();
  Tensor shares = scores.gather(-1, chosen);
  if (e.renormalises) shares = shares / shares.sum({.axis = -1, .keepdim = true});
  // [rows · used, 1, width] by the weights of the experts chosen.
  const Tensor which = chosen.reshape({rows * e.used});
  const auto by = [&](const Tensor& experts, const Tensor& in) {
    return in.matmul(experts[which].cast(DType::Float32).transpose(-1, -2));
  };
  const Tensor each = x.unsqueeze(1)
                          .expand({rows, e.used, config_.width})
                          .reshape({rows * e.used, 1, config_.width});
  const Tensor hidden =
      activated(config_.activation, by(w.gate, each)).contiguous() * by(w.up, each);
  const Tensor results = by(w.down, hidden).reshape({rows, e.used, config_.width});
  Tensor out = (results * shares.unsqueeze(-1)).sum({.axis = 1});
  if (w.shared) {
    out = out + fed_forward(config_, *w.shared, x) * projected(*w.shared_gate, x).sigmoid();
  }
  return out;
}

}  // namespace tg::models
