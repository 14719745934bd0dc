// See adapter.h.
#include "frontend/language/adapter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/check.h"

namespace tg::models {
namespace {

constexpr std::string_view kAllLayers = "all-linear";

// Finds what belongs together in one layer of the decoder.
class LayerList {
 public:
  LayerList(const DecoderConfig& config, const WeightNames& names, std::string number,
            std::vector<AdaptableLayer>& out)
      : config_(config), names_(names), number_(std::move(number)), out_(out) {}

  void add_attention(LayerWeights& w) {
    if (names_.qkv.empty()) {
      const bool neighbours = config_.rotary.is_interleaved;
      add(names_.q, {&w.q}, neighbours ? config_.heads : 0);
      add(names_.k, {&w.k}, neighbours ? config_.kv_heads : 0);
      add(names_.v, {&w.v});
    } else {
      add(names_.qkv, {&w.q, &w.k, &w.v});
    }
    add(names_.out, {&w.out});
  }

  void add_feed_forward(FeedForwardWeights& w) {
    if (w.gate && !names_.gate_up.empty()) {
      add(names_.gate_up, {&*w.gate, &w.up});
    } else {
      if (w.gate) add(names_.gate, {&*w.gate});
      add(names_.up, {&w.up});
    }
    add(names_.down, {&w.down});
  }

  // Experts themselves have none: their weights are one tensor.
  void add_experts(ExpertWeights& w) {
    add(names_.router, {&w.router});
    if (!w.shared) return;
    add(names_.shared_gate, {&*w.shared->gate});
    add(names_.shared_up, {&w.shared->up});
    add(names_.shared_down, {&w.shared->down});
    add(names_.shared_router, {&*w.shared_gate});
  }

 private:
  void add(std::string_view name, std::vector<Projection*> parts, int64_t heads = 0) {
    AdaptableLayer layer{
        .name = filled(name, number_), .parts = std::move(parts), .heads_of_neighbours = heads};
    layer.in = layer.parts.front()->weight.size(1);
    for (const Projection* p : layer.parts) layer.out += p->weight.size(0);
    out_.push_back(std::move(layer));
  }

  const DecoderConfig& config_;
  const WeightNames& names_;
  std::string number_;
  std::vector<AdaptableLayer>& out_;
};

void check(std::string_view fn, const LoraOptions& o) {
  if (o.rank < 1 || o.rank > kMostRank)
    user_error<ArgumentError>(fn, fmt::format("rank must be 1 to {}, got {}", kMostRank, o.rank));
  if (!std::isfinite(o.alpha))
    user_error<ArgumentError>(fn, fmt::format("alpha must be finite, got {}", o.alpha));
  if (!(o.dropout >= 0 && o.dropout < 1))
    user_error<ArgumentError>(
        fn, fmt::format("dropout must be at least 0 and below 1, got {}", o.dropout));
}

// The last parts of names, each once.
std::string ends_of(const std::vector<AdaptableLayer>& layers) {
  std::set<std::string> ends;
  for (const AdaptableLayer& l : layers) ends.insert(l.name.substr(l.name.rfind('.') + 1));
  return fmt::format("{}", fmt::join(ends, ", "));
}

Tensor swapped_rows(const Tensor& x, int64_t heads, int64_t first, int64_t second) {
  const int64_t rows = x.size(0);
  return x.reshape({heads, first, second, x.numel() / rows}).transpose(1, 2).reshape(x.shape());
}

// scale · b · a of a part, [out, in].
Tensor difference(const LowRank& l) {
  return l.b[{Slice(l.begin, l.begin + l.count)}].matmul(l.a) * l.scale;
}

}  // namespace

std::vector<AdaptableLayer> adaptable_layers(Decoder& decoder, const WeightNames& names) {
  std::vector<AdaptableLayer> out;
  std::vector<LayerWeights>& layers = decoder.layer_weights();
  for (size_t i = 0; i < layers.size(); ++i) {
    LayerList list(decoder.config(), names, fmt::to_string(i), out);
    list.add_attention(layers[i]);
    if (layers[i].feed_forward) list.add_feed_forward(*layers[i].feed_forward);
    if (layers[i].experts) list.add_experts(*layers[i].experts);
  }
  return out;
}

bool is_target(const AdaptableLayer& layer, const std::vector<std::string>& targets) {
  return std::ranges::any_of(targets, [&](const std::string& t) {
    return t == kAllLayers || layer.name == t || layer.name.ends_with("." + t);
  });
}

Adapter new_adapter(std::string_view fn, std::vector<AdaptableLayer> layers,
                    const LoraOptions& options, const std::string& device) {
  check(fn, options);
  for (const std::string& target : options.targets) {
    if (std::ranges::any_of(layers, [&](const auto& l) { return is_target(l, {target}); }))
      continue;
    user_error<ArgumentError>(fn, fmt::format("no layer of the model is called \"{}\"", target),
                              fmt::format("Hint: it has {}.", ends_of(layers)));
  }
  if (options.targets.empty())
    user_error<ArgumentError>(fn, "no targets are named",
                              fmt::format("Hint: the model has {}.", ends_of(layers)));
  std::erase_if(layers, [&](const auto& l) { return !is_target(l, options.targets); });
  Adapter out{.options = options, .layers = {}};
  for (AdaptableLayer& l : layers) {
    // As PEFT: uniform to ±1/√in.
    const Tensor a =
        Tensor::kaiming_uniform({options.rank, l.in}, {.a = std::sqrt(5.0), .device = device});
    const Tensor b = Tensor::zeros({l.out, options.rank}, {.device = device});
    a.is_param_().realize();
    b.is_param_().realize();
    out.layers.push_back({.of = std::move(l), .a = a, .b = b});
  }
  return out;
}

void attach(const Adapter& adapter) {
  const LoraOptions& o = adapter.options;
  for (const Adapter::Layer& l : adapter.layers) {
    const auto rank = static_cast<double>(l.a.size(0));
    const double scale = o.alpha / (o.rank_stabilised ? std::sqrt(rank) : rank);
    int64_t begin = 0;
    for (Projection* p : l.of.parts) {
      const int64_t count = p->weight.size(0);
      p->adapter = LowRank{
          .a = l.a, .b = l.b, .begin = begin, .count = count, .scale = scale, .dropout = o.dropout};
      begin += count;
    }
  }
}

void detach(const Adapter& adapter) {
  for (const Adapter::Layer& l : adapter.layers)
    for (Projection* p : l.of.parts) p->adapter.reset();
}

void merge(std::string_view fn, const Adapter& adapter) {
  for (const Adapter::Layer& l : adapter.layers) {
    if (std::ranges::none_of(l.of.parts, [](const Projection* p) { return p->is_quantised; }))
      continue;
    user_error<ArgumentError>(
        fn,
        fmt::format("the weights of {} are quantised: what is added to them would be rounded to "
                    "their few bits",
                    l.of.name),
        "Hint: keep the adapter beside them, or load the model in float16.");
  }
  for (const Adapter::Layer& l : adapter.layers) {
    for (Projection* p : l.of.parts) {
      const Tensor sum = p->weight.cast(DType::Float32) + difference(*p->adapter);
      p->weight = sum.cast(p->weight.dtype()).realize().is_param_(false);
      p->adapter.reset();
    }
  }
}

Tensor rows_of_halves(const Tensor& x, int64_t heads) {
  return swapped_rows(x, heads, x.size(0) / heads / 2, 2);
}

Tensor rows_of_neighbours(const Tensor& x, int64_t heads) {
  return swapped_rows(x, heads, 2, x.size(0) / heads / 2);
}

}  // namespace tg::models
