// Attention and what stands around it in language models: rotated positions, caches of keys and
// values, and the recurrences that take its place. Attention of com.microsoft:
// microsoft_attention.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/ops/heads.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// Each head of keys or values as often as heads of queries share it.
Tensor heads_shared(const Node& n, const Tensor& x, int64_t heads) {
  const int64_t own = x.size(1);
  n.require(own > 0 && heads % own == 0, "the heads of queries are no multiple of those of keys");
  return own == heads ? x : x.repeat_interleave(heads / own, 1);
}

// The square root of the scale goes to each side, so that small floats do not overflow.
Tensor attention_scores(const Node& n, const Tensor& q, const Tensor& k) {
  const double scale = n.real("scale", 1 / std::sqrt(static_cast<double>(q.size(3))));
  n.require(scale >= 0, "a negative scale");
  const Tensor root = Tensor(std::sqrt(scale)).cast(q.dtype());
  return (q * root).matmul((k * root).transpose(-1, -2)).cast(q.dtype());
}

// ---- Attention

struct AttentionInputs {
  Tensor q, k, v;    ///< [batch, heads, length, size]; keys and values with the past before them
  int64_t past = 0;  ///< length of the past
  bool packed = false;
};

AttentionInputs attention_inputs(const Node& n) {
  AttentionInputs in{n.tensor(0), n.tensor(1), n.tensor(2)};
  in.packed = in.q.ndim() == 3;
  if (in.packed) {
    const int64_t heads = n.required_integer("kv_num_heads");
    in.q = heads_apart(n, in.q, n.required_integer("q_num_heads"));
    in.k = heads_apart(n, in.k, heads);
    in.v = heads_apart(n, in.v, heads);
  }
  n.require(in.q.ndim() == 4 && in.k.ndim() == 4 && in.v.ndim() == 4,
            "queries, keys and values have three or four axes");
  n.require(n.has(4) == n.has(5), "past keys and values belong together");
  if (!n.has(4)) return in;
  n.require(!n.has(6), "nonpad_kv_seqlen is not for keys with a past");
  const Tensor past = n.tensor(4);
  n.require(past.ndim() == 4, "the past keys are not [batch, heads, length, size]");
  in.past = past.size(2);
  in.k = Tensor::cat({past, in.k}, 2);
  in.v = Tensor::cat({n.tensor(5), in.v}, 2);
  return in;
}

// The given mask over all keys: those it leaves out at its end do not count.
Tensor whole_mask(const Node& n, int64_t keys) {
  const Tensor mask = n.tensor(3);
  n.require(mask.ndim() > 0 && mask.ndim() <= 4 && mask.size(-1) <= keys,
            "the mask does not fit queries and keys");
  std::vector<std::pair<int64_t, int64_t>> pairs(static_cast<size_t>(mask.ndim()));
  pairs.back() = {0, keys - mask.size(-1)};
  if (mask.dtype() == DType::Bool) return mask.pad(pairs, Tensor(false));
  const double nothing = -std::numeric_limits<double>::infinity();
  return mask.pad(pairs, Tensor(nothing).cast(mask.dtype()));
}

// Which keys each query may see: a bool that broadcasts to the scores; none: all of them. Places
// are counted from the first key, so that the queries come after the past or end where the keys in
// use do.
std::optional<Tensor> visible_keys(const Node& n, const AttentionInputs& in) {
  const auto window = [&n](std::string_view name) {
    const int64_t size = n.integer(name, -1);
    n.require(size >= -1, "a negative window");
    return std::min(size, int64_t{1} << 40);  // a sum of places does not overflow
  };
  const int64_t left = window("left_window_size"), right = window("right_window_size");
  const Tensor key = counted(n, in.k.size(2));
  Tensor query = counted(n, in.q.size(2)).unsqueeze(1) + in.past;
  std::optional<Tensor> out;
  const auto only = [&](const Tensor& seen) { out = out ? out->logical_and(seen) : seen; };
  if (n.has(6)) {
    n.require(elements_of(n.shape(6)) == in.q.size(0), "not one nonpad_kv_seqlen for each sample");
    const Tensor used = n.tensor(6).cast(DType::Int64).reshape({-1, 1, 1, 1});
    query = query + (used - in.q.size(2));
    only(key < used);
  }
  if (n.flag("is_causal")) only(key <= query);
  if (left >= 0) only(key >= query - left);
  if (right >= 0) only(key <= query + right);
  return out;
}

// What is added to the scores: 0, −∞ for keys that do not count, or the numbers of a mask.
std::optional<Tensor> attention_bias(const Node& n, const AttentionInputs& in) {
  std::optional<Tensor> seen = visible_keys(n, in);
  Tensor added = Tensor(0).cast(in.q.dtype());
  const bool masked = n.has(3), adds = masked && n.dtype(3) != DType::Bool;
  if (!seen && !masked) return {};
  if (adds) added = whole_mask(n, in.k.size(2)).cast(in.q.dtype());
  if (adds && !seen) return added;
  if (masked && !adds) {
    const Tensor mask = whole_mask(n, in.k.size(2));
    seen = seen ? seen->logical_and(mask) : mask;
  }
  const double nothing = -std::numeric_limits<double>::infinity();
  return seen->where(added, Tensor(nothing).cast(in.q.dtype()));
}

// A query that sees no key has shares of 0, not of NaN.
Tensor attention_shares(const Node& n, const Tensor& scores, const std::optional<Tensor>& bias) {
  const DType precision = type_attribute(n, "softmax_precision", scores.dtype());
  n.require(is_float(precision), "softmax_precision is no float");
  if (!bias) return scores.cast(precision).softmax(-1).cast(scores.dtype());
  const Tensor most = bias->max({.axis = -1, .keepdim = true});
  const Tensor blind = most == -std::numeric_limits<double>::infinity();
  const Tensor zero = Tensor(0).cast(precision);
  const Tensor finite = blind.where(zero, (scores + *bias).cast(precision));
  return blind.where(zero, finite.softmax(-1)).cast(scores.dtype());
}

Values scaled_attention(const Node& n) {
  const AttentionInputs in = attention_inputs(n);
  const int64_t mode = n.integer("qk_matmul_output_mode", 0), heads = in.q.size(1);
  n.require(mode >= 0 && mode <= 3, "qk_matmul_output_mode is not 0, 1, 2 or 3");
  std::vector<Tensor> stages{attention_scores(n, in.q, heads_shared(n, in.k, heads))};
  const double cap = n.real("softcap", 0);
  stages.push_back(cap > 0 ? (stages[0] / cap).tanh() * cap : stages[0]);
  const std::optional<Tensor> bias = attention_bias(n, in);
  stages.push_back(bias ? stages[1] + *bias : stages[1]);
  stages.push_back(attention_shares(n, stages[1], bias));
  const Tensor y = stages[3].matmul(heads_shared(n, in.v, heads)).cast(in.q.dtype());
  return {in.packed ? heads_joined(y) : y, in.k, in.v, stages[static_cast<size_t>(mode)]};
}

// ---- FlexAttention

// What a subgraph of one input and one output makes of the tensor.
Tensor modified(const Node& n, std::string_view name, const Tensor& x) {
  if (!n.has_attribute(name)) return x;
  const Graph& graph = n.graph(name);
  n.require(graph.inputs.size() == 1 && graph.outputs.size() == 1,
            "a subgraph has not one input and one output");
  const Tensor y = n.run(graph, {x})[0].tensor(n.device());
  n.require(y.shape() == x.shape(), "a subgraph changes the shape");
  return y.cast(x.dtype());
}

Values flex_attention(const Node& n) {
  const Tensor q = n.tensor(0);
  n.require(q.ndim() == 4 && n.rank(1) == 4 && n.rank(2) == 4,
            "queries, keys and values have four axes");
  const Tensor k = heads_shared(n, n.tensor(1), q.size(1));
  const Tensor v = heads_shared(n, n.tensor(2), q.size(1));
  const DType usual = q.element_size() < 4 ? DType::Float32 : q.dtype();
  const DType precision = type_attribute(n, "softmax_precision", usual);
  n.require(is_float(precision), "softmax_precision is no float");
  const Tensor scores = attention_scores(n, q, k).cast(precision);
  const Tensor shares = modified(n, "score_mod", scores).softmax(-1);
  return {modified(n, "prob_mod", shares).matmul(v.cast(precision)).cast(v.dtype())};
}

// ---- positions and caches

// Sines or cosines of each position, for all heads: [batch, length, size / 2].
Tensor rotation(const Node& n, size_t i, int64_t half) {
  Tensor table = n.tensor(i);
  if (n.has(3)) table = gather_along(table, n.tensor(3), 0);
  n.require(table.ndim() == 3 && table.size(2) == half,
            "the sines or cosines are not half as many as the numbers that are rotated");
  return table;
}

Values rotary_embedding(const Node& n) {
  const bool packed = n.rank(0) == 3;
  const Tensor x =
      packed ? heads_apart(n, n.tensor(0), n.required_integer("num_heads")) : n.tensor(0);
  n.require(x.ndim() == 4, "the input has three or four axes");
  const int64_t wanted = n.integer("rotary_embedding_dim", 0);
  const int64_t size = wanted == 0 ? x.size(3) : wanted;
  n.require(size > 0 && size <= x.size(3) && size % 2 == 0,
            "the number of numbers that are rotated is odd or outside the head");
  const Tensor y = rotated_pairs(n, x, rotation(n, 1, size / 2), rotation(n, 2, size / 2),
                                 n.flag("interleaved"));
  return {packed ? heads_joined(y) : y};
}

// New elements written into a cache, each sample of the batch from its own place on.
Values tensor_scatter(const Node& n) {
  const Tensor cache = n.tensor(0), update = n.tensor(1);
  const int64_t axis = n.axis(n.integer("axis", -2), cache.ndim());
  const int64_t size = cache.size(axis),
                count = update.ndim() == cache.ndim() ? update.size(axis) : -1;
  Shape like = cache.shape();
  like[static_cast<size_t>(axis)] = count;
  n.require(axis > 0, "the axis is that of the batch");
  n.require(update.shape() == like && count <= size, "the update does not fit the cache");
  const std::string mode = n.text("mode", "linear");
  n.require(mode == "linear" || mode == "circular", "unknown mode \"" + mode + "\"");
  if (count == 0) return {cache};
  Shape column(static_cast<size_t>(cache.ndim()), 1), row = column;
  column[0] = cache.size(0);
  row[static_cast<size_t>(axis)] = size;
  Tensor from = counted(n, size).reshape(row);
  if (n.has(2)) from = from - n.tensor(2).cast(DType::Int64).reshape(column);
  if (mode == "circular") from = from.mod(size);
  const Tensor written = (from >= 0).logical_and(from < count);
  const Tensor at = written.where(from, 0).expand(cache.shape());
  return {written.where(update.gather(axis, at), cache)};
}

// ---- convolutions and recurrences with a state

// Each channel with its own kernel, over its past and present alone.
Values causal_conv(const Node& n) {
  const Tensor x = n.tensor(0), weight = n.tensor(1);
  n.require(x.ndim() == 3 && weight.ndim() == 3 && weight.size(0) == x.size(1) &&
                weight.size(1) == 1 && weight.size(2) > 0,
            "input and weight are not [batch, channels, length] and [channels, 1, k]");
  const std::string activation = n.text("activation", "none");
  n.require(activation == "none" || activation == "silu" || activation == "swish",
            "unknown activation \"" + activation + "\"");
  const int64_t past = weight.size(2) - 1;
  const Tensor whole =
      n.has(3) ? Tensor::cat({n.tensor(3), x}, 2) : x.pad({{0, 0}, {0, 0}, {past, 0}});
  n.require(whole.size(2) == past + x.size(2), "the past is not [batch, channels, k − 1]");
  const std::optional<Tensor> bias = n.optional_tensor(2);
  Tensor y =
      whole.conv2d(weight, {.bias = bias ? &*bias : nullptr, .groups = x.size(1)}).cast(x.dtype());
  if (activation != "none") y = y.cast(DType::Float32).silu().cast(x.dtype());
  return {y, whole[{Slice(), Slice(), Slice(x.size(2))}]};
}

// The rule of LinearAttention and its inputs, [batch, heads, length, …].
struct LinearSetup {
  Tensor q, k, v, state = {};  ///< state: [batch, heads of keys, size of keys, size of values]
  std::optional<Tensor> decay = {}, rate = {};
};

// Numbers for each head and place, or for each number of the keys too: [batch, heads, length, …].
Tensor per_head(const Node& n, size_t i, int64_t heads, DType dtype) {
  const Tensor x = n.tensor(i).cast(dtype);
  return heads_apart(n, x, x.ndim() == 3 && x.size(2) == 1 ? 1 : heads);
}

LinearSetup linear_setup(const Node& n) {
  const int64_t queries = n.required_integer("q_num_heads"),
                keys = n.required_integer("kv_num_heads");
  const std::string rule = n.text("update_rule", "gated_delta");
  n.require(rule == "linear" || rule == "gated" || rule == "delta" || rule == "gated_delta",
            "unknown update_rule \"" + rule + "\"");
  const bool gated = rule.starts_with("gated"), delta = rule.ends_with("delta");
  n.require(gated == n.has(4), gated ? "decay is missing" : "decay is not for this update_rule");
  n.require(delta == n.has(5), delta ? "beta is missing" : "beta is not for this update_rule");
  const DType dtype = n.dtype(0) == DType::Float64 ? DType::Float64 : DType::Float32;
  const auto part = [&](size_t i, int64_t heads) {
    return heads_apart(n, n.tensor(i).cast(dtype), heads);
  };
  LinearSetup s{part(0, queries), part(1, keys), part(2, keys)};
  const Shape shape{s.k.size(0), keys, s.k.size(3), s.v.size(3)};
  s.state = n.has(3) ? n.tensor(3).cast(dtype)
                     : Tensor::zeros(shape, {.dtype = dtype, .device = n.device()});
  n.require(s.state.shape() == shape, "the past state is not [batch, heads, keys, values]");
  n.require(queries % keys == 0, "the heads of queries are no multiple of those of keys");
  if (gated) s.decay = per_head(n, 4, keys, dtype);
  if (delta) s.rate = per_head(n, 5, keys, dtype);
  return s;
}

// The state after one more place: what it has forgotten, and the outer product of key and value;
// of the latter, by the delta rules, only what the state does not know already.
Tensor next_state(const LinearSetup& s, const Tensor& before, int64_t t) {
  const auto at = [t](const Tensor& x) { return x[{Slice(), Slice(), t}]; };
  const Tensor key = at(s.k).unsqueeze(-1);
  Tensor kept = before, value = at(s.v);
  if (s.decay) kept = kept * at(*s.decay).exp().unsqueeze(-1);
  if (s.rate) value = at(*s.rate) * (value - (kept * key).sum({.axis = 2}));
  return kept + key * value.unsqueeze(2);
}

Values linear_attention(const Node& n) {
  const LinearSetup s = linear_setup(n);
  const double given = n.real("scale", 0);
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(s.q.size(3)));
  Tensor state = s.state;
  std::vector<Tensor> out;
  for (int64_t t = 0; t < s.q.size(2); ++t) {
    // Stored, so that no kernel repeats the places before.
    state = next_state(s, state, t).contiguous();
    const Tensor query = s.q[{Slice(), Slice(), t}].unsqueeze(-1);
    out.push_back((heads_shared(n, state, s.q.size(1)) * query).sum({.axis = 2}) * scale);
  }
  n.require(!out.empty(), "no places");
  const Tensor y = heads_joined(Tensor::stack(out, 2)).cast(n.dtype(0));
  return {y, state.cast(n.has(3) ? n.dtype(3) : n.dtype(0))};
}

}  // namespace

std::span<const Operator> attention_operators() {
  static const std::vector<Operator> rows = {
      {"Attention",
       {23, 24, 25},
       "is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode "
       "right_window_size scale softcap softmax_precision",
       scaled_attention},
      {"CausalConvWithState", {27}, "activation", causal_conv},
      {"LinearAttention",
       {27},
       "chunk_size kv_num_heads q_num_heads scale update_rule",
       linear_attention},
      {"RotaryEmbedding", {23}, "interleaved num_heads rotary_embedding_dim", rotary_embedding},
      {"TensorScatter", {24}, "axis mode", tensor_scatter},
      {"ai.onnx.preview.FlexAttention",
       {1},
       "prob_mod scale score_mod softmax_precision",
       flex_attention},
  };
  return rows;
}

}  // namespace tg::onnx
