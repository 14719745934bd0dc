// See weights.h.
#include "frontend/language/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/language/packed_product.h"
#include "support/check.h"
#include "tg/autograd.h"

namespace tg::models {
namespace {

constexpr size_t kShown = 4;  // names in a message

// Rows [begin, begin + count) of a weight and its bias.
Projection rows(const Projection& p, int64_t begin, int64_t count) {
  const Slice part(begin, begin + count);
  Projection out{.weight = p.weight[{part}], .is_quantised = p.is_quantised};
  if (p.bias) out.bias = (*p.bias)[{part}];
  return out;
}

// A part of the model that no gradient is asked of unless someone marks it.
Tensor frozen(const Tensor& t) { return t.is_param_(false); }

// Takes what belongs together.
class Taker {
 public:
  Taker(const DecoderConfig& config, const WeightNames& names, WeightSource& source)
      : c_(config), n_(names), source_(source) {}

  DecoderWeights all() {
    DecoderWeights out;
    out.embedding = source_.take(weight(n_.embedding), {c_.vocabulary, c_.width});
    if (c_.learned_positions)
      out.positions = source_.take(weight(n_.positions), {c_.context, c_.width});
    StackWeights stack = layers();
    out.layers = std::move(stack.layers);
    out.final_norm = std::move(stack.final_norm);
    out.distances = std::move(stack.distances);
    if (c_.ties_embeddings) {
      source_.drop(weight(n_.output));
      out.output.weight = out.embedding;
    } else {
      out.output.weight = source_.take(weight(n_.output), {c_.vocabulary, c_.width});
    }
    out.output.is_quantised = !out.output.weight.is_realized();
    return out;
  }

  StackWeights layers() {
    StackWeights out;
    for (int64_t i = 0; i < c_.layers; ++i) out.layers.push_back(layer(i));
    out.final_norm = norm(std::string(n_.final_norm), c_.width);
    if (c_.distances.count > 0) {
      out.distances = source_.take(weight(n_.distances), {c_.distances.count, c_.heads})
                          .cast(DType::Float32)
                          .realize();
    }
    return out;
  }

 private:
  static std::string weight(std::string_view name) { return fmt::format("{}.weight", name); }

  Projection projection(const std::string& name, int64_t out, int64_t in, bool has_bias) {
    Projection p;
    p.weight = source_.take(weight(name), n_.is_transposed ? Shape{in, out} : Shape{out, in});
    p.is_quantised = !p.weight.is_realized();
    if (n_.is_transposed) p.weight = p.weight.transpose();
    if (has_bias) p.bias = source_.take(name + ".bias", {out});
    return p;
  }

  // Small, and read at every position: floats.
  NormWeights norm(const std::string& name, int64_t size) {
    NormWeights out;
    out.weight = source_.take(weight(name), {size}).cast(DType::Float32);
    if (c_.norm_adds_one) out.weight = out.weight + 1;
    frozen(out.weight.realize());
    if (c_.norm == NormKind::Layer)
      out.bias = frozen(source_.take(name + ".bias", {size}).cast(DType::Float32).realize());
    return out;
  }

  LayerWeights layer(int64_t i) {
    const std::string number = fmt::to_string(i);
    const auto named = [&](std::string_view pattern) { return filled(pattern, number); };
    LayerWeights out;
    out.attention_norm = norm(named(n_.attention_norm), c_.width);
    out.feed_forward_norm = norm(named(n_.feed_forward_norm), c_.width);
    if (c_.norms_results) {
      out.attention_result_norm = norm(named(n_.attention_result_norm), c_.width);
      out.feed_forward_result_norm = norm(named(n_.feed_forward_result_norm), c_.width);
    }
    take_queries_and_keys(out, named);
    out.out = projection(named(n_.out), c_.width, c_.heads * c_.head_size, c_.out_bias);
    if (c_.norms_queries) {
      out.q_norm = norm(named(n_.q_norm), c_.head_size);
      out.k_norm = norm(named(n_.k_norm), c_.head_size);
    }
    if (c_.source_positions > 0) out.cross = cross(named);
    if (c_.experts.count > 0 && c_.experts.layers[static_cast<size_t>(i)]) {
      out.experts = experts(named);
    } else {
      out.feed_forward = feed_forward(named);
    }
    return out;
  }

  template <typename F>
  void take_queries_and_keys(LayerWeights& out, const F& named) {
    const int64_t q = c_.heads * c_.head_size, kv = c_.kv_heads * c_.head_size;
    if (n_.qkv.empty()) {
      out.q = projection(named(n_.q), q, c_.width, c_.qkv_bias);
      out.k = projection(named(n_.k), kv, c_.width, c_.qkv_bias && c_.key_bias);
      out.v = projection(named(n_.v), kv, c_.width, c_.qkv_bias);
      return;
    }
    const Projection all = projection(named(n_.qkv), q + 2 * kv, c_.width, c_.qkv_bias);
    out.q = rows(all, 0, q);
    out.k = rows(all, q, kv);
    out.v = rows(all, q + kv, kv);
  }

  template <typename F>
  CrossWeights cross(const F& named) {
    const int64_t size = c_.heads * c_.head_size;
    return {.norm = norm(named(n_.cross_norm), c_.width),
            .q = projection(named(n_.cross_q), size, c_.width, c_.qkv_bias),
            .k = projection(named(n_.cross_k), size, c_.width, c_.qkv_bias && c_.key_bias),
            .v = projection(named(n_.cross_v), size, c_.width, c_.qkv_bias),
            .out = projection(named(n_.cross_out), c_.width, size, c_.out_bias)};
  }

  template <typename F>
  FeedForwardWeights feed_forward(const F& named) {
    const bool bias = c_.feed_forward_bias;
    FeedForwardWeights out;
    if (c_.is_gated && !n_.gate_up.empty()) {
      const Projection both = projection(named(n_.gate_up), 2 * c_.hidden, c_.width, bias);
      out.gate = rows(both, 0, c_.hidden);
      out.up = rows(both, c_.hidden, c_.hidden);
    } else {
      if (c_.is_gated) out.gate = projection(named(n_.gate), c_.hidden, c_.width, bias);
      out.up = projection(named(n_.up), c_.hidden, c_.width, bias);
    }
    out.down = projection(named(n_.down), c_.width, c_.hidden, bias);
    return out;
  }

  // [experts, out, in]
  Tensor of_experts(const std::string& name, int64_t out, int64_t in) {
    if (name.find("{}") == std::string::npos)
      return source_.take(weight(name), {c_.experts.count, out, in});
    std::vector<Tensor> each;
    for (int64_t e = 0; e < c_.experts.count; ++e)
      each.push_back(source_.take(weight(filled(name, fmt::to_string(e))), {out, in}));
    return frozen(Tensor::stack(each).realize());
  }

  template <typename F>
  ExpertWeights experts(const F& named) {
    const ExpertsConfig& e = c_.experts;
    ExpertWeights out;
    out.router = projection(named(n_.router), e.count, c_.width, false);
    out.gate = of_experts(named(n_.expert_gate), e.hidden, c_.width);
    out.up = of_experts(named(n_.expert_up), e.hidden, c_.width);
    out.down = of_experts(named(n_.expert_down), c_.width, e.hidden);
    if (e.shared_hidden == 0) return out;
    out.shared = FeedForwardWeights{
        .gate = projection(named(n_.shared_gate), e.shared_hidden, c_.width, false),
        .up = projection(named(n_.shared_up), e.shared_hidden, c_.width, false),
        .down = projection(named(n_.shared_down), c_.width, e.shared_hidden, false)};
    // One row, which GGUF writes as a vector.
    out.shared_gate = Projection{source_.take_row(weight(named(n_.shared_router)), c_.width)};
    return out;
  }

  const DecoderConfig& c_;
  const WeightNames& n_;
  WeightSource& source_;
};

// Stored in between: the first product is small, and what it is made of is read once.
Tensor added(const LowRank& l, const Tensor& x) {
  const Tensor in = l.dropout > 0 ? x.dropout(l.dropout) : x;
  const Tensor rows = l.b[{Slice(l.begin, l.begin + l.count)}];
  return in.matmul(l.a.transpose()).contiguous().matmul(rows.transpose()) * l.scale;
}

}  // namespace

std::string filled(std::string_view pattern, std::string_view number) {
  std::string out(pattern);
  if (const size_t at = out.find("{}"); at != std::string::npos) out.replace(at, 2, number);
  return out;
}

Tensor projected(const Projection& p, const Tensor& x) {
  const bool is_packed = p.is_quantised || p.weight.dtype() != DType::Float32;
  Tensor product = is_packed && is_grad_enabled()
                       ? product_with_packed(x, p.weight)
                       : x.matmul(p.weight.cast(DType::Float32).transpose());
  if (p.adapter) product = product + added(*p.adapter, x);
  return p.bias ? product + p.bias->cast(DType::Float32) : product;
}

Tensor activated(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::Silu:
      return x.silu();
    case Activation::Gelu:
      return x.gelu(GeluForm::Erf);
    case Activation::GeluTanh:
      return x.gelu(GeluForm::Tanh);
    case Activation::QuickGelu:
      return x.quick_gelu();
    case Activation::Relu:
      return x.relu();
  }
  return x;
}

Tensor normalised(const DecoderConfig& config, const NormWeights& w, const Tensor& x) {
  if (config.norm == NormKind::Rms)
    return x.rms_norm({.weight = &w.weight, .eps = config.norm_eps});
  return x.layer_norm({.weight = &w.weight, .bias = &*w.bias, .eps = config.norm_eps});
}

Tensor fed_forward(const DecoderConfig& config, const FeedForwardWeights& w, const Tensor& x) {
  const Tensor up = projected(w.up, x);
  if (!w.gate) return projected(w.down, activated(config.activation, up));
  // Stored: one kernel of two products of quantised weights would be many times slower.
  return projected(w.down, activated(config.activation, projected(*w.gate, x)).contiguous() * up);
}

WeightSource::WeightSource(std::string_view fn, nn::StateDict tensors, std::string file)
    : fn_(fn), tensors_(std::move(tensors)), file_(std::move(file)) {}

bool WeightSource::has(std::string_view name) const { return tensors_.contains(name); }

Tensor WeightSource::take(std::string_view name, const Shape& shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail(name, "is missing");
  Tensor out = found->second;
  if (out.shape() != shape) {
    fail(name, fmt::format("has the shape [{}], and the settings ask for [{}]",
                           fmt::join(out.shape(), ", "), fmt::join(shape, ", ")));
  }
  if (!out.is_floating_point())
    fail(name, fmt::format("has elements of {}, which are no floats", dtype_name(out.dtype())));
  tensors_.erase(found);
  return frozen(out);
}

Tensor WeightSource::take_row(std::string_view name, int64_t size) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end() && found->second.ndim() == 1)
    return take(name, {size}).reshape({1, size});
  return take(name, {1, size});
}

void WeightSource::require_all_taken() const {
  if (tensors_.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_)
    if (names.size() < kShown) names.push_back(fmt::format("\"{}\"", name));
  const size_t more = tensors_.size() - names.size();
  user_error<FileError>(
      fn_, fmt::format("\"{}\" has tensors that a model of its settings does not: {}{}", file_,
                       fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

void WeightSource::drop(std::string_view name) {
  if (const auto found = tensors_.find(name); found != tensors_.end()) tensors_.erase(found);
}

void WeightSource::fail(std::string_view name, std::string_view problem) const {
  user_error<FileError>(fn_, fmt::format("\"{}\": the tensor \"{}\" {}", file_, name, problem));
}

DecoderWeights take_weights(const DecoderConfig& config, const WeightNames& names,
                            WeightSource& source) {
  DecoderWeights out = Taker(config, names, source).all();
  source.require_all_taken();
  return out;
}

StackWeights take_layers(const DecoderConfig& config, const WeightNames& names,
                         WeightSource& source) {
  return Taker(config, names, source).layers();
}

}  // namespace tg::models
