// Attention of a decoder: queries against the keys of all positions so far, which a cache keeps.
// See decoder.h.
#include <limits>

#include "frontend/language/decoder_step.h"

namespace tg::models {
namespace {

// x [n, heads, size], whose first elements are turned by the angles [n, pairs] of their positions.
Tensor turned(const Tensor& x, const Rotary& rotary, const RotaryTable& table, const SymInt& begin,
              const SymInt& end) {
  const auto pairs = static_cast<int64_t>(rotary.frequencies.size());
  const Tensor cosines = table.cosines[{Slice(begin, end)}].unsqueeze(1);
  const Tensor sines = table.sines[{Slice(begin, end)}].unsqueeze(1);
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
    q = normalised(*w.q_norm, q);
    k = normalised(*w.k_norm, k);
  }
  if (const Rotary& r = has_window ? c.window_rotary : c.rotary; !r.frequencies.empty()) {
    const RotaryTable& table = has_window ? window_rotary_ : rotary_;
    q = turned(q, r, table, step.begin, step.end);
    k = turned(k, r, table, step.begin, step.end);
  }
  const LayerCache& cache = caches_[layer];
  const Slice mine(step.begin, step.end), seen(0, step.end);
  cache.keys.set({Slice(), mine}, k.transpose(0, 1));
  cache.values.set({Slice(), mine}, v.transpose(0, 1));
  // Several heads of queries share one of keys: [kv heads, group, count, size].
  const int64_t group = c.heads / c.kv_heads;
  const Tensor queries =
      q.reshape({step.count, c.kv_heads, group, c.head_size}).permute({1, 2, 0, 3});
  const Tensor keys = cache.keys[{Slice(), seen}].unsqueeze(1);
  const Tensor values = cache.values[{Slice(), seen}].unsqueeze(1);
  Tensor scores = queries.matmul(keys.transpose(-1, -2)) * c.query_scale;
  if (c.attention_cap != 0) scores = (scores / c.attention_cap).tanh() * c.attention_cap;
  const Tensor row = step.mine.unsqueeze(1), column = places_[{seen}].unsqueeze(0);
  Tensor visible = column <= row;
  if (has_window) visible = visible & (column > row - c.window);
  const double nothing = -std::numeric_limits<double>::infinity();
  const Tensor weights = visible.where(scores, nothing).softmax(-1);
  const Tensor mixed = weights.matmul(values).permute({2, 0, 1, 3});
  return projected(w.out, mixed.reshape({step.count, c.heads * c.head_size}));
}

}  // namespace tg::models
