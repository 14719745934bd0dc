// Attention of a decoder: queries against the keys of all positions so far, which a cache keeps.
// See decoder.h.
#include <limits>

#include "frontend/language/decoder_step.h"

namespace tg::models {
namespace {

// x [n, heads, size], whose first elements are turned by the angles [n, 1, pairs] of their
// positions.
Tensor turned(const Tensor& x, const Rotary& rotary, const Tensor& cosines, const Tensor& sines) {
  const auto pairs = static_cast<int64_t>(rotary.frequencies.size());
  const auto part = [&](int64_t first, int64_t last) { return x[{Ellipsis, Slice(first, last)}]; };
  const SymInt n = x.sizes()[0];
  const int64_t heads = x.size(1), size = x.size(2);
  std::vector<Tensor> out;
  if (rotary.is_interleaved) {
    const Tensor both = part(0, 2 * pairs).reshape({n, heads, pairs, 2});
    const Tensor a = both[{Ellipsis, 0}], b = both[{Ellipsis, 1}];
    const Tensor mixed = Tensor::stack({a * cosines - b * sines, b * cosines + a * sines}, -1);
    out.push_back(mixed.reshape({n, heads, 2 * pairs}));
  } else {
    const Tensor a = part(0, pairs), b = part(pairs, 2 * pairs);
    out = {a * cosines - b * sines, b * cosines + a * sines};
  }
  if (2 * pairs < size) out.push_back(part(2 * pairs, size));
  return out.size() == 1 ? out[0] : Tensor::cat(out, -1);
}

}  // namespace

Tensor Decoder::attention(const LayerWeights& w, size_t layer, const Tensor& x,
                          const Step& step) const {
  const DecoderConfig& c = config_;
  const bool has_window = c.has_window[layer];
  const auto heads_of = [&](const Projection& p, int64_t heads) {
    return projected(p, x).reshape({step.count, heads, c.head_size});
  };
  Tensor q = heads_of(w.q, c.heads), k = heads_of(w.k, c.kv_heads);
  const Tensor v = heads_of(w.v, c.kv_heads);
  if (w.q_norm) {
    q = normalised(c, *w.q_norm, q);
    k = normalised(c, *w.k_norm, k);
  }
  if (const Rotary& r = has_window ? c.window_rotary : c.rotary; !r.frequencies.empty()) {
    const RotaryTable& table = has_window ? window_rotary_ : rotary_;
    const Tensor cosines = step.of(table.cosines).unsqueeze(1);
    const Tensor sines = step.of(table.sines).unsqueeze(1);
    q = turned(q, r, cosines, sines);
    k = turned(k, r, cosines, sines);
  }
  const Tensor mixed = step.texts > 0         ? attended_by_texts(layer, q, k, v, step)
                       : step.rows != nullptr ? attended_by_rows(layer, q, k, v, step)
                                              : attended_by_text(layer, q, k, v, step);
  return projected(w.out, mixed.reshape({step.count, c.heads * c.head_size}));
}

// Queries and keys after rotation, and values, [count, heads or kv heads, head size] each: to
// [count, kv heads, heads of each, head size].
Tensor Decoder::attended_by_text(size_t layer, const Tensor& q, const Tensor& k, const Tensor& v,
                                 const Step& step) const {
  const DecoderConfig& c = config_;
  const LayerCache& cache = caches_[layer];
  const Slice mine(step.begin, step.end), seen(0, step.end);
  cache.keys.set({step.slot, Slice(), mine}, k.transpose(0, 1));
  cache.values.set({step.slot, Slice(), mine}, v.transpose(0, 1));
  // Several heads of queries share one of keys: [kv heads, group, count, size].
  const int64_t group = c.heads / c.kv_heads;
  const Tensor queries =
      q.reshape({step.count, c.kv_heads, group, c.head_size}).permute({1, 2, 0, 3});
  const Tensor keys = cache.keys[{step.slot, Slice(), seen}].unsqueeze(1);
  Tensor products = queries.matmul(keys.transpose(-1, -2));
  const Tensor row = step.positions.unsqueeze(1), column = places_[{seen}].unsqueeze(0);
  if (bias_of_distance_) {
    // Of what is later than a row, which it does not see, any bias.
    const Tensor distance = (column - row).minimum(0) + (bias_of_distance_->size(0) - 1);
    const Tensor bias = (*bias_of_distance_)[distance].permute({2, 0, 1});
    products = products + bias.reshape({c.kv_heads, group, step.count, step.end});
  }
  const Tensor weights = weights_of(products, row, column, layer);
  const Tensor values = cache.values[{step.slot, Slice(), seen}].unsqueeze(1);
  return weights.matmul(values).permute({2, 0, 1, 3});
}

// The same where each row reads the text in its slot. Rows are stored one by one: as one
// assignment by index tensors they would copy the whole cache.
Tensor Decoder::attended_by_rows(size_t layer, const Tensor& q, const Tensor& k, const Tensor& v,
                                 const Step& step) const {
  const DecoderConfig& c = config_;
  const LayerCache& cache = caches_[layer];
  const Rows& rows = *step.rows;
  const Tensor new_keys = k.contiguous(), new_values = v.contiguous();
  for (size_t i = 0; i < rows.slot_of.size(); ++i) {
    const std::vector<IndexItem> place = {rows.slot_of[i], Slice(), rows.position_of[i]};
    const auto row = static_cast<int64_t>(i);
    cache.keys.set(place, new_keys[{row}]);
    cache.values.set(place, new_values[{row}]);
  }
  const Slice seen(0, rows.seen);
  const auto of_rows = [&](const Tensor& t) {
    return t[{rows.slots}][{Slice(), Slice(), seen}];  // [n, kv heads, seen, size]
  };
  const Tensor queries = q.reshape({step.count, c.kv_heads, c.heads / c.kv_heads, c.head_size});
  const Tensor products = queries.matmul(of_rows(cache.keys).transpose(-1, -2));
  const Tensor row = step.positions.reshape({step.count, 1, 1, 1}), column = places_[{seen}];
  return weights_of(products, row, column, layer).matmul(of_rows(cache.values));
}

// The same of whole texts, which see nothing but themselves.
Tensor Decoder::attended_by_texts(size_t layer, const Tensor& q, const Tensor& k, const Tensor& v,
                                  const Step& step) const {
  const DecoderConfig& c = config_;
  const int64_t texts = step.texts, length = q.size(0) / texts, group = c.heads / c.kv_heads;
  const auto of_heads = [&](const Tensor& t,
                            int64_t shared) {  // [texts, kv heads, …, length, size]
    return t.reshape({texts, length, c.kv_heads, shared, c.head_size}).permute({0, 2, 3, 1, 4});
  };
  const Tensor products = of_heads(q, group).matmul(of_heads(k, 1).transpose(-1, -2));
  const Tensor place = places_[{Slice(0, length)}];
  const Tensor weights = weights_of(products, place.unsqueeze(1), place.unsqueeze(0), layer);
  return weights.matmul(of_heads(v, 1)).permute({0, 3, 1, 2, 4});
}

void Decoder::see(const Tensor& states, const SymInt& count) const {
  const DecoderConfig& c = config_;
  const Tensor seen = states[{Slice(0, count)}];
  const auto heads_of = [&](const Projection& p) {
    return projected(p, seen).reshape({count, c.heads, c.head_size}).transpose(0, 1);
  };
  for (size_t i = 0; i < sources_.size(); ++i) {
    const CrossWeights& w = *weights_.layers[i].cross;
    const std::vector<IndexItem> place = {Slice(), Slice(0, count)};
    sources_[i].keys.set(place, heads_of(w.k));
    sources_[i].values.set(place, heads_of(w.v));
  }
}

// What tokens make of the source: [count, width].
Tensor Decoder::attended_to_source(const CrossWeights& w, size_t layer, const Tensor& x,
                                   const Step& step) const {
  const DecoderConfig& c = config_;
  const std::vector<IndexItem> seen = {Slice(), Slice(0, step.source)};
  const Tensor queries = projected(w.q, normalised(c, w.norm, x))
                             .reshape({step.count, c.heads, c.head_size})
                             .transpose(0, 1);
  const Tensor products = queries.matmul(sources_[layer].keys[seen].transpose(-1, -2));
  const Tensor mixed = (products * c.query_scale).softmax(-1).matmul(sources_[layer].values[seen]);
  return projected(w.out, mixed.transpose(0, 1).reshape({step.count, c.heads * c.head_size}));
}

// Scores and weights of the keys at the positions `column` for queries at the positions `row`.
Tensor Decoder::weights_of(const Tensor& products, const Tensor& row, const Tensor& column,
                           size_t layer) const {
  const DecoderConfig& c = config_;
  Tensor scores = products * c.query_scale;
  if (c.attention_cap != 0) scores = (scores / c.attention_cap).tanh() * c.attention_cap;
  Tensor visible = column <= row;
  if (c.has_window[layer]) visible = visible & (column > row - c.window);
  const double nothing = -std::numeric_limits<double>::infinity();
  return visible.where(scores, nothing).softmax(-1);
}

}  // namespace tg::models
