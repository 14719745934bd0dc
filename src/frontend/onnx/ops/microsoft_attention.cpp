// Attention as com.microsoft has it: from one product of the input, from queries, keys and values,
// or with fewer heads of keys than of queries, and the rotation of queries and keys by their
// places. The other operators of that domain: microsoft.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/ops/heads.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// Each with its heads apart: [batch, heads, length, size].
struct MicrosoftHeads {
  Tensor q, k, v;
};

int64_t head_count(const Node& n, std::string_view attribute) {
  const int64_t heads = n.required_integer(attribute);
  n.require(heads > 0 && heads < (int64_t{1} << 31),
            fmt::format("{} is not positive or too large", attribute));
  return heads;
}

// Shape [batch, 1, 1, 1] of one number for each sample.
Tensor for_each_sample(const Tensor& x) { return x.cast(DType::Int64).reshape({-1, 1, 1, 1}); }

// Where the mask of input `i` hides keys, broadcast to [batch, heads, queries, keys].
Tensor hidden_by_mask(const Node& n, size_t i, int64_t batch, int64_t queries, int64_t keys) {
  const Tensor mask = n.tensor(i);
  const Shape shape = mask.shape();
  if (shape == Shape{batch, keys}) return (mask <= 0).reshape({batch, 1, 1, keys});
  if (shape == Shape{batch, queries, keys}) return (mask <= 0).unsqueeze(1);
  const bool ends = shape == Shape{batch}, ends_and_starts = shape == Shape{2 * batch};
  if (!ends && !ends_and_starts) n.unsupported("a mask of this shape");
  const Tensor at = counted(n, keys);
  const Tensor behind = at >= for_each_sample(mask[Slice(0, batch)]);
  if (ends) return behind;
  return behind.logical_or(at < for_each_sample(mask[Slice(batch, 2 * batch)]));
}

// What is added to the scores [batch, heads, queries, keys] of the hidden keys: the filter value
// where the mask hides them, and the lowest number where they come later than the query, so that
// an infinite filter value hides more than the order does. The last query sees all keys, also where
// they are more than the queries: ONNX Runtime's rule.
std::optional<Tensor> microsoft_added_mask(const Node& n, size_t mask, const Tensor& scores,
                                           int64_t past) {
  const int64_t queries = scores.size(2), keys = scores.size(3);
  const DType dtype = scores.dtype();
  std::optional<Tensor> sum;
  if (n.has(mask))
    sum =
        hidden_by_mask(n, mask, scores.size(0), queries, keys)
            .where(Tensor(n.real("mask_filter_value", -10000)).cast(dtype), Tensor(0).cast(dtype));
  if (!n.flag("unidirectional")) return sum;
  const Tensor own = counted(n, queries).unsqueeze(1);
  const Tensor later = (counted(n, keys) > own + past).logical_and(own < queries - 1);
  const double lowest = dtype == DType::Float16 ? -65504 : std::numeric_limits<float>::lowest();
  return later.where(Tensor(lowest).cast(dtype), sum ? *sum : Tensor(0).cast(dtype));
}

double score_scale(const Node& n, const Tensor& q) {
  const double given = n.real("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(q.size(-1)));
}

// The scores with bias and mask, [batch, heads, queries, keys]; the first `past` keys are older
// than all queries.
Tensor microsoft_scores(const Node& n, const MicrosoftHeads& x, size_t mask, size_t bias,
                        int64_t past) {
  Tensor scores = x.q.matmul(x.k.transpose(-1, -2)) * score_scale(n, x.q);
  std::optional<Tensor> added = microsoft_added_mask(n, mask, scores, past);
  if (n.has(bias)) {
    n.require(n.rank(bias) == 4, "attention_bias is not [batch, heads, queries, keys]");
    added = added ? n.tensor(bias) + *added : n.tensor(bias);
  }
  return added ? scores + *added : scores;
}

// The columns of weight and bias that belong to q, k and v.
std::vector<int64_t> qkv_sizes(const Node& n, int64_t columns, int64_t heads) {
  const auto given = n.integers("qkv_hidden_sizes");
  const std::vector<int64_t> sizes =
      given && !given->empty() ? *given : std::vector<int64_t>(3, columns / 3);
  n.require(sizes.size() == 3 && sizes[0] == sizes[1] && sizes[0] > 0 && sizes[0] <= columns &&
                sizes[2] > 0 && sizes[2] == columns - 2 * sizes[0],
            "qkv_hidden_sizes are not the parts of the columns of the weight");
  n.require(sizes[0] % heads == 0 && sizes[2] % heads == 0, "sizes that are no multiple of heads");
  return sizes;
}

Values microsoft_attention(const Node& n) {
  const Tensor x = n.tensor(0), weight = n.tensor(1);
  const int64_t heads = head_count(n, "num_heads");
  n.require(x.ndim() == 3 && weight.ndim() == 2 && weight.size(0) == x.size(2),
            "input and weight are not [batch, length, in] and [in, columns]");
  if (n.flag("do_rotary")) n.unsupported("do_rotary");
  if (n.flag("past_present_share_buffer")) n.unsupported("past_present_share_buffer");
  Tensor all = x.matmul(weight);
  if (n.has(2)) all = all + n.tensor(2);
  const std::vector<Tensor> parts = all.split(qkv_sizes(n, weight.size(1), heads), 2);
  MicrosoftHeads qkv{heads_apart(n, parts[0], heads), heads_apart(n, parts[1], heads),
                     heads_apart(n, parts[2], heads)};
  if (n.has(4)) {
    const Tensor past = n.tensor(4);
    n.require(past.ndim() == 5 && past.size(0) == 2, "past is not [2, batch, heads, length, size]");
    qkv.k = Tensor::cat({past[0], qkv.k}, 2);
    qkv.v = Tensor::cat({past[1], qkv.v}, 2);
  }
  const Tensor y =
      microsoft_scores(n, qkv, 3, 5, qkv.k.size(2) - x.size(1)).softmax(-1).matmul(qkv.v);
  Values out{heads_joined(y)};
  if (n.wants(1)) out.emplace_back(Tensor::stack({qkv.k, qkv.v}));
  return out;
}

// [batch, length, heads, parts, size] → the heads of one part.
Tensor packed_part(const Tensor& x, int64_t part) {
  return x[{Slice(), Slice(), Slice(), part}].permute({0, 2, 1, 3});
}

// Of the inputs query, key and value, packed together or not.
MicrosoftHeads separate_heads(const Node& n, int64_t heads) {
  const Tensor q = n.tensor(0);
  if (q.ndim() == 5) {
    n.require(q.size(2) == heads && q.size(3) == 3, "query is not [batch, length, heads, 3, size]");
    return {packed_part(q, 0), packed_part(q, 1), packed_part(q, 2)};
  }
  const Tensor k = n.tensor(1), split = heads_apart(n, q, heads);
  if (k.ndim() == 5) {
    n.require(k.size(2) == heads && k.size(3) == 2, "key is not [batch, length, heads, 2, size]");
    return {split, packed_part(k, 0), packed_part(k, 1)};
  }
  if (k.ndim() == 4) {
    n.require(k.size(1) == heads && n.rank(2) == 4,
              "key and value are not [batch, heads, length, size]");
    return {split, k, n.tensor(2)};
  }
  return {split, heads_apart(n, k, heads), heads_apart(n, n.tensor(2), heads)};
}

// The part of `bias` that belongs to x, from `begin` on, as [heads, 1, size].
Tensor with_head_bias(const Tensor& x, const Tensor& bias, int64_t begin) {
  const int64_t heads = x.size(1), size = x.size(3);
  return x + bias[Slice(begin, begin + heads * size)].reshape({heads, 1, size});
}

Values multi_head_attention(const Node& n) {
  const int64_t heads = head_count(n, "num_heads");
  if (n.has(8) || n.has(9)) n.unsupported("a buffer that past and present share");
  MicrosoftHeads x = separate_heads(n, heads);
  if (n.has(3)) {
    const int64_t width = heads * x.q.size(3), last = heads * x.v.size(3);
    n.require(n.shape(3) == Shape{2 * width + last}, "bias has not one number for each column");
    const Tensor bias = n.tensor(3);
    x.q = with_head_bias(x.q, bias, 0);
    if (!n.has(1) || n.rank(1) != 4) {  // keys and values of a cache have theirs already
      x.k = with_head_bias(x.k, bias, width);
      x.v = with_head_bias(x.v, bias, 2 * width);
    }
  }
  const int64_t fresh = x.k.size(2);
  if (n.has(6)) {
    x.k = Tensor::cat({n.tensor(6), x.k}, 2);
    x.v = Tensor::cat({n.tensor(7), x.v}, 2);
  }
  const Tensor scores = microsoft_scores(n, x, 4, 5, x.k.size(2) - fresh);
  return {heads_joined(scores.softmax(-1).matmul(x.v)), x.k, x.v, scores};
}

// The attribute scale changes nothing in ONNX Runtime either.
Values microsoft_rotary_embedding(const Node& n) {
  const Tensor x = n.tensor(0), cosines = n.tensor(2), sines = n.tensor(3);
  if (n.flag("is_packed_batching")) n.unsupported("is_packed_batching");
  n.require((x.ndim() == 3 || x.ndim() == 4) && cosines.ndim() == 2,
            "input and cosines have not 3 or 4, and 2 axes");
  const bool apart = x.ndim() == 4;
  const int64_t named = n.integer("num_heads", 0), size = named > 0 ? 0 : 2 * cosines.size(1);
  n.require(apart || named > 0 || (named == 0 && size > 0 && size <= x.size(2)),
            "num_heads does not fit");
  const Tensor split = apart ? x : heads_apart(n, x, named > 0 ? named : x.size(2) / size);
  Tensor places = n.tensor(1).cast(DType::Int64);
  if (places.ndim() == 1) {
    n.require(places.numel() == 1, "position_ids has one axis and more than one number");
    places = (places + counted(n, split.size(2))).unsqueeze(0);
  }
  const Tensor y = rotated_pairs(n, split, gather_along(cosines, places, 0),
                                 gather_along(sines, places, 0), n.flag("interleaved"));
  return {apart ? y : heads_joined(y)};
}

// Where the queries of GroupQueryAttention stand. Each sample has its own number of keys; only its
// bound is known to the host.
struct GroupedPlaces {
  int64_t keys;    // of the present state
  bool first;      // there is no past
  Tensor lengths;  // keys of each sample with the new ones, [batch, 1]
  Tensor before;   // keys before the new ones, [batch, 1]
  Tensor places;   // of the queries, [batch, queries]
};

GroupedPlaces grouped_places(const Node& n, int64_t queries) {
  const int64_t total = n.integer(6), past = n.has(3) ? n.shape(3).at(2) : 0;
  n.require(total >= queries && total < (int64_t{1} << 31),
            "total_sequence_length is less than the number of queries or too large");
  const bool first = total == queries;
  const Tensor lengths = n.tensor(5).cast(DType::Int64).reshape({-1, 1}) + 1;
  const Tensor before = first ? lengths.zeros_like() : lengths - queries;
  return {std::max(total, past), first, lengths, before, before + counted(n, queries)};
}

// The past of input `i` with the new keys or values behind each sample's own.
Tensor appended(const Node& n, size_t i, const Tensor& x, const GroupedPlaces& s) {
  const int64_t batch = x.size(0), heads = x.size(1), size = x.size(3), added = x.size(2);
  const Shape whole{batch, heads, s.keys, size};
  if (s.first) return x.pad_to(whole);
  n.require(n.has(i) && n.rank(i) == 4, "past is missing or is not [batch, heads, length, size]");
  const Tensor at = counted(n, s.keys) - s.before;  // the place among the new ones
  const auto for_heads = [&](const Tensor& t) { return t.reshape({batch, 1, s.keys, 1}); };
  const Tensor from =
      for_heads(at.clip(0, added - 1)).expand({batch, heads, s.keys, size}).cast(DType::Int32);
  const Tensor fresh = added == 1 ? x : x.gather(2, from);
  const Tensor rest = for_heads(at < added).where(fresh, Tensor(0).cast(x.dtype()));
  return for_heads(at < 0).where(n.tensor(i).pad_to(whole), rest);
}

// Which keys a query of GroupQueryAttention sees: bool, [batch, 1, queries, keys].
Tensor seen_keys(const Node& n, const GroupedPlaces& s) {
  const Tensor own = s.places.unsqueeze(1).unsqueeze(-1), at = counted(n, s.keys);
  if (!n.flag("causal", true)) return at < for_each_sample(s.lengths);
  const int64_t window = n.integer("local_window_size", -1);
  n.require(window == -1 || window > 0, "local_window_size is neither -1 nor positive");
  const Tensor seen = at <= own;
  return window == -1 ? seen : seen.logical_and(at > own - window);
}

// Softmax over the seen keys and, if there is one, a sink of a score of its own that takes its
// share and gives nothing.
Tensor grouped_weights(const Node& n, const Tensor& scores, const Tensor& seen) {
  const Tensor kept = seen.where(scores, Tensor(-INFINITY).cast(scores.dtype()));
  if (!n.flag("smooth_softmax") && !n.has(11)) return kept.softmax(-1);
  const Shape one{scores.size(0), scores.size(1), scores.size(2), 1};
  const Tensor sink =
      n.has(11) ? n.tensor(11).reshape({1, -1, 1, 1})
                : Tensor::zeros({1, 1, 1, 1}, {.dtype = scores.dtype(), .device = n.device()});
  const Tensor all = Tensor::cat({kept, sink.cast(scores.dtype()).expand(one)}, -1);
  return all.softmax(-1)[{Ellipsis, Slice(0, scores.size(3))}];
}

MicrosoftHeads grouped_heads(const Node& n, int64_t heads, int64_t pairs) {
  const Tensor q = n.tensor(0);
  n.require(heads % pairs == 0, "num_heads is no multiple of kv_num_heads");
  if (n.has(1))
    return {heads_apart(n, q, heads), heads_apart(n, n.tensor(1), pairs),
            heads_apart(n, n.tensor(2), pairs)};
  const std::vector<Tensor> parts =
      heads_apart(n, q, heads + 2 * pairs).split({heads, pairs, pairs}, 1);
  return {parts[0], parts[1], parts[2]};
}

void refuse_cache_forms(const Node& n) {
  for (const std::string_view kind : {"k_quant_type", "v_quant_type"})
    if (n.text(kind, "NONE") != "NONE") n.unsupported(kind);
  if (n.has(12) || n.has(13)) n.unsupported("a quantised cache");
  if (n.has(14) || n.has(15)) n.unsupported("a norm of queries and keys");
  if (n.has(16)) n.unsupported("query_seqlens");
  if (n.flag("sliding_window_cache")) n.unsupported("sliding_window_cache");
  if (n.integer("qk_output", 0) != 0) n.unsupported("qk_output");
}

// Queries and keys turned by their places: the queries' own, or those of position_ids, of which the
// first alone counts where there is no past.
void turn_grouped(const Node& n, MicrosoftHeads& x, const GroupedPlaces& s) {
  Tensor places = s.places;
  if (n.has(9)) {
    const Tensor given = n.tensor(9).cast(DType::Int64);
    places = s.first ? s.places + given.flatten()[Slice(0, 1)] : given;
  }
  const Tensor cosines = gather_along(n.tensor(7), places, 0),
               sines = gather_along(n.tensor(8), places, 0);
  const bool interleaved = n.flag("rotary_interleaved");
  x.q = rotated_pairs(n, x.q, cosines, sines, interleaved);
  x.k = rotated_pairs(n, x.k, cosines, sines, interleaved);
}

Values group_query_attention(const Node& n) {
  const int64_t heads = head_count(n, "num_heads"), pairs = head_count(n, "kv_num_heads");
  refuse_cache_forms(n);
  MicrosoftHeads x = grouped_heads(n, heads, pairs);
  const GroupedPlaces s = grouped_places(n, x.q.size(2));
  if (n.flag("do_rotary")) turn_grouped(n, x, s);
  const Tensor k = appended(n, 3, x.k, s), v = appended(n, 4, x.v, s);
  const auto shared = [&](const Tensor& t) { return t.repeat_interleave(heads / pairs, 1); };
  Tensor scores = x.q.matmul(shared(k).transpose(-1, -2)) * score_scale(n, x.q);
  if (const double cap = n.real("softcap", 0); cap > 0) scores = (scores / cap).tanh() * cap;
  if (n.has(10)) scores = scores + n.tensor(10).pad_to({-1, -1, -1, s.keys});
  const Tensor y = grouped_weights(n, scores, seen_keys(n, s)).matmul(shared(v));
  return {heads_joined(y), k, v};
}

}  // namespace

std::span<const Operator> microsoft_attention_operators() {
  static const std::vector<Operator> rows = {
      {"com.microsoft.Attention",
       {1},
       "num_heads unidirectional mask_filter_value scale do_rotary rotary_embedding_dim "
       "qkv_hidden_sizes past_present_share_buffer",
       microsoft_attention},
      {"com.microsoft.GroupQueryAttention",
       {1},
       "num_heads kv_num_heads scale softcap local_window_size do_rotary rotary_interleaved causal "
       "smooth_softmax qk_output k_quant_type v_quant_type kv_cache_bit_width qk_norm_epsilon "
       "q_norm_epsilon k_norm_epsilon sliding_window_cache",
       group_query_attention},
      {"com.microsoft.MultiHeadAttention",
       {1},
       "num_heads unidirectional mask_filter_value scale",
       multi_head_attention},
      {"com.microsoft.RotaryEmbedding",
       {1},
       "num_heads rotary_embedding_dim interleaved is_packed_batching scale",
       microsoft_rotary_embedding},
  };
  return rows;
}

}  // namespace tg::onnx
