// GGUF files, by the names of llama.cpp. One table says, for each architecture, how it differs from
// Llama; weights have the same names in all of them. Quantised weights stay so in memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/language/model_file.h"
#include "support/check.h"
#include "tg/state.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr WeightNames kGgufNames = {
    .embedding = "token_embd",
    .positions = "position_embd",
    .final_norm = "output_norm",
    .output = "output",
    .attention_norm = "blk.{}.attn_norm",
    .feed_forward_norm = "blk.{}.ffn_norm",
    .attention_result_norm = "blk.{}.post_attention_norm",
    .feed_forward_result_norm = "blk.{}.post_ffw_norm",
    .q = "blk.{}.attn_q",
    .k = "blk.{}.attn_k",
    .v = "blk.{}.attn_v",
    .out = "blk.{}.attn_output",
    .q_norm = "blk.{}.attn_q_norm",
    .k_norm = "blk.{}.attn_k_norm",
    .gate = "blk.{}.ffn_gate",
    .up = "blk.{}.ffn_up",
    .down = "blk.{}.ffn_down",
    .router = "blk.{}.ffn_gate_inp",
    .expert_gate = "blk.{}.ffn_gate_exps",
    .expert_up = "blk.{}.ffn_up_exps",
    .expert_down = "blk.{}.ffn_down_exps",
    .shared_gate = "blk.{}.ffn_gate_shexp",
    .shared_up = "blk.{}.ffn_up_shexp",
    .shared_down = "blk.{}.ffn_down_shexp",
    .shared_router = "blk.{}.ffn_gate_inp_shexp",
};

// Facts for other programs, or that say what the tensors say, too.
constexpr auto kHarmlessFacts = std::to_array<std::string_view>(
    {"attention.causal", "attention.max_alibi_bias", "expert_shared_count",
     "rope.scaling.finetuned", "tensor_data_layout", "vocab_size"});
constexpr auto kOtherFacts = std::to_array<std::string_view>(
    {"general.", "tokenizer.", "quantize.", "split.", "mradermacher."});

struct GgufFamily {
  std::string_view name;
  std::string_view published = name;  // model_type of its folders
  bool has_qkv_bias = false;
  bool is_interleaved = false;  // rotary pairs are neighbours
  bool renormalises_experts = true;
  void (*adapt)(Settings&, DecoderConfig&) = nullptr;
};

json json_of(const nn::Fact& fact) {
  return std::visit(
      [](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, nn::Fact::List>) {
          json out = json::array();
          for (const nn::Fact& f : value) out.push_back(json_of(f));
          return out;
        } else {
          return json(value);
        }
      },
      fact.value);
}

// ---- families

// Of the largest model of a generation the heads are not the width together.
void scale_gemma(DecoderConfig& c, int64_t layers_of_largest) {
  c.activation = Activation::GeluTanh;
  c.norms_results = true;
  c.embedding_scale = std::sqrt(static_cast<double>(c.width));
  const int64_t size = c.layers == layers_of_largest ? c.width / c.heads : c.head_size;
  c.query_scale = 1 / std::sqrt(static_cast<double>(size));
}

void window_layers(Settings& s, DecoderConfig& c, int64_t every) {
  c.window = s.whole_or("attention.sliding_window", 1, kMostPositions, 0);
  for (int64_t i = 0; i < c.layers; ++i)
    c.has_window[static_cast<size_t>(i)] = c.window > 0 && (i + 1) % every != 0;
}

void adapt_gemma2(Settings& s, DecoderConfig& c) {
  scale_gemma(c, 46);
  c.attention_cap = s.positive_or("attn_logit_softcapping", 50);
  c.logit_cap = s.positive_or("final_logit_softcapping", 30);
  window_layers(s, c, 2);
}

void adapt_gemma3(Settings& s, DecoderConfig& c) {
  scale_gemma(c, 62);
  c.norms_queries = true;
  window_layers(s, c, s.whole_or("attention.sliding_window_pattern", 1, kMostLayers, 6));
  c.window_rotary = scaled_rotary(c.head_size, s.positive_or("rope.freq_base_swa", 10000), {});
}

void adapt_qwen3(Settings&, DecoderConfig& c) { c.norms_queries = true; }

void adapt_phi3(Settings& s, DecoderConfig& c) {
  c.window = s.whole_or("attention.sliding_window", 1, kMostPositions, 0);
  c.has_window.assign(c.has_window.size(), c.window > 0);
}

void adapt_gpt2(Settings&, DecoderConfig& c) {
  c.norm = NormKind::Layer;
  c.activation = Activation::GeluTanh;
  c.is_gated = false;
  c.learned_positions = true;
  c.rotary = c.window_rotary = {};
}

constexpr auto kGgufFamilies = std::to_array<GgufFamily>({
    {.name = "gemma2", .adapt = adapt_gemma2},
    {.name = "gemma3", .published = "gemma3_text", .adapt = adapt_gemma3},
    {.name = "gpt2", .has_qkv_bias = true, .adapt = adapt_gpt2},
    {.name = "llama", .is_interleaved = true},
    {.name = "phi3", .adapt = adapt_phi3},
    {.name = "qwen2", .has_qkv_bias = true},
    {.name = "qwen2moe",
     .published = "qwen2_moe",
     .has_qkv_bias = true,
     .renormalises_experts = false},
    {.name = "qwen3", .adapt = adapt_qwen3},
    {.name = "qwen3moe", .published = "qwen3_moe", .adapt = adapt_qwen3},
});

// ---- the file

class GgufModel final : public ModelFile {
 public:
  GgufModel(const fs::path& file, int64_t context)
      : file_(file), info_(nn::gguf_info(file)), context_(context) {
    read_family();
    Settings settings(own_facts(), fmt::format("{}: {}", file_.string(), family_->name));
    read_sizes(settings);
    read_rotary(settings);
    read_experts(settings);
    if (family_->adapt != nullptr) family_->adapt(settings, config_);
    settings.require_all_read(kHarmlessFacts);
    choose_names();
    if (info_.facts.contains("tokenizer.ggml.model"))
      tokenizer_ = Tokenizer::from_facts(info_.facts, file_.string());
  }

  const DecoderConfig& config() const override { return config_; }
  uint64_t weight_bytes() const override { return info_.bytes; }

  DecoderWeights weights(const std::string& device, const nn::ReadProgress& progress) override {
    WeightSource source("LanguageModel::load", nn::gguf_load(file_, device, progress).tensors,
                        file_.string());
    apply_factors(source);
    return take_weights(config_, names_, source);
  }

  // Mixtral is a Llama with experts here.
  WeightNames published_names() const override {
    const bool is_mixtral = family_->name == "llama" && config_.experts.count > 0;
    return hugging_face_names(is_mixtral ? "mixtral" : family_->published);
  }

  std::optional<Tokenizer> tokenizer() const override { return tokenizer_; }

  // Those that end a turn have names of their own in some files.
  std::vector<int32_t> stop_tokens() const override {
    std::vector<int32_t> out;
    const auto add = [&](int64_t id) {
      const bool fits = id >= 0 && id < config_.vocabulary;
      const auto token = static_cast<int32_t>(fits ? id : 0);
      if (fits && std::ranges::find(out, token) == out.end()) out.push_back(token);
    };
    for (const char* name : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
      const auto found = info_.facts.find(fmt::format("tokenizer.ggml.{}", name));
      const auto* id =
          found == info_.facts.end() ? nullptr : std::get_if<int64_t>(&found->second.value);
      if (id != nullptr) add(*id);
    }
    if (tokenizer_) {
      for (const char* name : {"<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>"})
        if (const auto id = tokenizer_->id_of(name)) add(*id);
    }
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view fact, std::string_view problem) const {
    user_error<FileError>(fmt::format("{}: {}", file_.string(), fact), problem);
  }

  bool has_tensor(std::string_view name) const { return info_.shapes.contains(name); }

  void read_family() {
    const auto found = info_.facts.find("general.architecture");
    const auto* name =
        found == info_.facts.end() ? nullptr : std::get_if<std::string>(&found->second.value);
    if (name == nullptr) fail("general.architecture", "is missing");
    const auto family = std::ranges::find(kGgufFamilies, *name, &GgufFamily::name);
    if (family == kGgufFamilies.end()) {
      std::string known;
      for (const GgufFamily& f : kGgufFamilies)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", f.name);
      fail(
          "general.architecture",
          fmt::format("is a family that is not supported: \"{}\"; supported are {}", *name, known));
    }
    family_ = &*family;
    config_.family = *name;
  }

  // The facts about the architecture, without its name before them.
  json own_facts() const {
    json out = json::object();
    const std::string prefix = fmt::format("{}.", family_->name);
    for (const auto& [name, fact] : info_.facts) {
      if (name.starts_with(prefix)) {
        out[name.substr(prefix.size())] = json_of(fact);
      } else if (std::ranges::none_of(kOtherFacts,
                                      [&](std::string_view p) { return name.starts_with(p); })) {
        fail(name, "is a setting that is not supported here");
      }
    }
    return out;
  }

  void read_sizes(Settings& s) {
    DecoderConfig& c = config_;
    c.context = s.whole("context_length", 1, kMostPositions);
    c.width = s.whole("embedding_length", 1, kMostWidth);
    c.layers = s.whole("block_count", 1, kMostLayers);
    c.heads = s.whole("attention.head_count", 1, kMostHeads);
    c.kv_heads = s.whole_or("attention.head_count_kv", 1, kMostHeads, c.heads);
    c.hidden = s.whole_or("feed_forward_length", 0, kMostWidth, 0);
    if (c.heads % c.kv_heads != 0)
      s.fail("attention.head_count_kv",
             fmt::format("is {}, which does not divide {}", c.kv_heads, c.heads));
    if (!s.has("attention.key_length") && c.width % c.heads != 0)
      s.fail("attention.head_count",
             fmt::format("is {}, which does not divide {}", c.heads, c.width));
    c.head_size = s.whole_or("attention.key_length", 2, kMostWidth, c.width / c.heads);
    if (s.whole_or("attention.value_length", 1, kMostWidth, c.head_size) != c.head_size)
      s.fail("attention.value_length", "is not attention.key_length, which is not supported");
    c.norm_eps =
        s.positive(s.has("attention.layer_norm_epsilon") ? "attention.layer_norm_epsilon"
                                                         : "attention.layer_norm_rms_epsilon");
    c.has_window.assign(static_cast<size_t>(c.layers), false);
    c.query_scale = 1 / std::sqrt(static_cast<double>(c.head_size));
    const auto table = info_.shapes.find("token_embd.weight");
    if (table == info_.shapes.end() || table->second.size() != 2)
      fail("token_embd.weight", "is no tensor of two axes");
    c.vocabulary = table->second[0];
    c.ties_embeddings = !has_tensor("output.weight");
    c.qkv_bias = family_->has_qkv_bias || has_tensor("blk.0.attn_q.bias") ||
                 has_tensor("blk.0.attn_qkv.bias");
    c.out_bias = has_tensor("blk.0.attn_output.bias");
    c.feed_forward_bias = has_tensor("blk.0.ffn_down.bias");
  }

  void read_rotary(Settings& s) {
    DecoderConfig& c = config_;
    const int64_t size = s.whole_or("rope.dimension_count", 2, c.head_size, c.head_size);
    if (size % 2 != 0) s.fail("rope.dimension_count", fmt::format("is odd: {}", size));
    using Kind = RotaryScaling::Kind;
    RotaryScaling scaling;
    const std::string kind = s.text_or("rope.scaling.type", "none");
    original_context_ = static_cast<double>(
        s.whole_or("rope.scaling.original_context_length", 1, kMostPositions, c.context));
    scaling.original_context = original_context_;
    if (kind == "linear" || kind == "yarn") {
      scaling.kind = kind == "linear" ? Kind::Linear : Kind::Yarn;
      scaling.factor = s.positive("rope.scaling.factor");
    } else if (kind == "longrope") {
      s.positive_or("rope.scaling.factor", 1);  // follows from the contexts
    } else if (kind != "none") {
      s.fail("rope.scaling.type", fmt::format("is a scaling that is not supported: \"{}\"", kind));
    }
    scaling.fast = s.positive_or("rope.scaling.yarn_beta_fast", 32);
    scaling.slow = s.positive_or("rope.scaling.yarn_beta_slow", 1);
    if (s.has("rope.scaling.attn_factor")) magnitude_ = s.positive("rope.scaling.attn_factor");
    scaling.magnitude = magnitude_;
    c.rotary = scaled_rotary(size, s.positive_or("rope.freq_base", 10000), scaling);
    c.rotary.is_interleaved = family_->is_interleaved;
    c.window_rotary = c.rotary;
  }

  void read_experts(Settings& s) {
    ExpertsConfig& e = config_.experts;
    e.count = s.whole_or("expert_count", 0, kMostExperts, 0);
    if (e.count == 0) return;
    e.used = s.whole("expert_used_count", 1, e.count);
    e.hidden = s.whole_or("expert_feed_forward_length", 1, kMostWidth, config_.hidden);
    e.renormalises = s.flag_or("expert_weights_norm", family_->renormalises_experts);
    if (s.whole_or("expert_gating_func", 0, 255, 1) != 1)
      s.fail("expert_gating_func", "is another than softmax, which is not supported");
    for (int64_t i = 0; i < config_.layers; ++i)
      e.layers.push_back(has_tensor(fmt::format("blk.{}.ffn_gate_inp.weight", i)));
    const auto shared = info_.shapes.find("blk.0.ffn_up_shexp.weight");
    const int64_t rows =
        shared == info_.shapes.end() || shared->second.empty() ? 0 : shared->second[0];
    e.shared_hidden = s.whole_or("expert_shared_feed_forward_length", 0, kMostWidth, rows);
  }

  // What is in one tensor in some files.
  void choose_names() {
    names_ = kGgufNames;
    if (has_tensor("blk.0.attn_qkv.weight")) names_.qkv = "blk.{}.attn_qkv";
    if (config_.is_gated && !has_tensor("blk.0.ffn_gate.weight") && config_.experts.count == 0)
      names_.gate_up = "blk.{}.ffn_up";
  }

  // Numbers that divide the frequencies, one for each pair.
  void apply_factors(WeightSource& source) {
    Rotary& r = config_.rotary;
    const auto pairs = static_cast<int64_t>(r.frequencies.size());
    const bool is_long =
        static_cast<double>(usual_context(context_, config_.context)) > original_context_;
    const std::string_view used = source.has("rope_freqs.weight") ? "rope_freqs.weight"
                                  : is_long                       ? "rope_factors_long.weight"
                                                                  : "rope_factors_short.weight";
    if (!source.has(used)) return;
    const auto factors = source.take(used, {pairs}).to_vector<double>();
    for (size_t i = 0; i < factors.size(); ++i) {
      if (!(factors[i] > 0)) source.fail(used, fmt::format("has the factor {}", factors[i]));
      r.frequencies[i] /= factors[i];
    }
    if (used != "rope_freqs.weight") {
      RotaryScaling s{.factor = static_cast<double>(config_.context) / original_context_,
                      .original_context = original_context_};
      r.magnitude = magnitude_.value_or(long_rope_magnitude(s));
      source.drop(is_long ? "rope_factors_short.weight" : "rope_factors_long.weight");
    }
    if (config_.family != "gemma3") config_.window_rotary = r;
  }

  fs::path file_;
  nn::GgufInfo info_;
  int64_t context_;
  const GgufFamily* family_ = nullptr;
  DecoderConfig config_;
  WeightNames names_;
  std::optional<Tokenizer> tokenizer_;
  double original_context_ = 0;
  std::optional<double> magnitude_;
};

}  // namespace

std::unique_ptr<ModelFile> open_gguf(const fs::path& file, int64_t context) {
  return std::make_unique<GgufModel>(file, context);
}

}  // namespace tg::models
