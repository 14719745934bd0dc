// Folders as the Hugging Face hub has them: config.json by the names of `transformers`, weights in
// safetensors. One table says, for each model_type, how it differs from Llama and how its weights
// are called.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/language/model_file.h"
#include "frontend/language/model_folder.h"
#include "frontend/tokenizer/tokenizer_files.h"
#include "support/check.h"
#include "tg/state.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLoadLanguageModel = "LanguageModel::load";

// Settings of training, of loading and of other programs.
constexpr auto kHarmless = std::to_array<std::string_view>({"architectures",
                                                            "attention_dropout",
                                                            "attn_pdrop",
                                                            "auto_map",
                                                            "bos_token_id",
                                                            "cache_implementation",
                                                            "classifier_dropout",
                                                            "dtype",
                                                            "embd_pdrop",
                                                            "eos_token_id",
                                                            "hidden_dropout",
                                                            "initializer_range",
                                                            "is_llama_config",
                                                            "max_window_layers",
                                                            "mlp_bias",
                                                            "n_ctx",
                                                            "n_inner",
                                                            "n_special",
                                                            "_name_or_path",
                                                            "_sliding_window_pattern",
                                                            "output_router_logits",
                                                            "pad_token_id",
                                                            "predict_special_tokens",
                                                            "pretraining_tp",
                                                            "resid_pdrop",
                                                            "router_aux_loss_coef",
                                                            "router_jitter_noise",
                                                            "sliding_window_pattern",
                                                            "summary_activation",
                                                            "summary_first_dropout",
                                                            "summary_proj_to_labels",
                                                            "summary_type",
                                                            "summary_use_proj",
                                                            "task_specific_params",
                                                            "torch_dtype",
                                                            "transformers_version",
                                                            "transformers.js_config",
                                                            "unk_token_id",
                                                            "use_cache",
                                                            "finetuning_task",
                                                            "id2label",
                                                            "label2id"});

constexpr WeightNames kLlamaNames = {
    .embedding = "model.embed_tokens",
    .final_norm = "model.norm",
    .output = "lm_head",
    .attention_norm = "model.layers.{}.input_layernorm",
    .feed_forward_norm = "model.layers.{}.post_attention_layernorm",
    .q = "model.layers.{}.self_attn.q_proj",
    .k = "model.layers.{}.self_attn.k_proj",
    .v = "model.layers.{}.self_attn.v_proj",
    .out = "model.layers.{}.self_attn.o_proj",
    .q_norm = "model.layers.{}.self_attn.q_norm",
    .k_norm = "model.layers.{}.self_attn.k_norm",
    .gate = "model.layers.{}.mlp.gate_proj",
    .up = "model.layers.{}.mlp.up_proj",
    .down = "model.layers.{}.mlp.down_proj",
    .router = "model.layers.{}.mlp.gate",
    .expert_gate = "model.layers.{}.mlp.experts.{}.gate_proj",
    .expert_up = "model.layers.{}.mlp.experts.{}.up_proj",
    .expert_down = "model.layers.{}.mlp.experts.{}.down_proj",
    .shared_gate = "model.layers.{}.mlp.shared_expert.gate_proj",
    .shared_up = "model.layers.{}.mlp.shared_expert.up_proj",
    .shared_down = "model.layers.{}.mlp.shared_expert.down_proj",
    .shared_router = "model.layers.{}.mlp.shared_expert_gate",
};

constexpr WeightNames phi3_names() {
  WeightNames n = kLlamaNames;
  n.qkv = "model.layers.{}.self_attn.qkv_proj";
  n.gate_up = "model.layers.{}.mlp.gate_up_proj";
  return n;
}

constexpr WeightNames gemma_names() {
  WeightNames n = kLlamaNames;
  n.attention_result_norm = "model.layers.{}.post_attention_layernorm";
  n.feed_forward_norm = "model.layers.{}.pre_feedforward_layernorm";
  n.feed_forward_result_norm = "model.layers.{}.post_feedforward_layernorm";
  return n;
}

constexpr WeightNames mixtral_names() {
  WeightNames n = kLlamaNames;
  n.router = "model.layers.{}.block_sparse_moe.gate";
  n.expert_gate = "model.layers.{}.block_sparse_moe.experts.{}.w1";
  n.expert_up = "model.layers.{}.block_sparse_moe.experts.{}.w3";
  n.expert_down = "model.layers.{}.block_sparse_moe.experts.{}.w2";
  return n;
}

constexpr WeightNames kGpt2Names = {
    .embedding = "transformer.wte",
    .positions = "transformer.wpe",
    .final_norm = "transformer.ln_f",
    .output = "lm_head",
    .attention_norm = "transformer.h.{}.ln_1",
    .feed_forward_norm = "transformer.h.{}.ln_2",
    .qkv = "transformer.h.{}.attn.c_attn",
    .out = "transformer.h.{}.attn.c_proj",
    .up = "transformer.h.{}.mlp.c_fc",
    .down = "transformer.h.{}.mlp.c_proj",
    .is_transposed = true,
};

// ---- what families share

// Both layouts of transformers: rope_theta beside rope_scaling, or all in rope_parameters.
Rotary read_rotary(Settings& s, const DecoderConfig& c, int64_t context) {
  const bool together = s.has("rope_parameters");
  Settings& theta_place = together ? s.inner("rope_parameters") : s;
  const double theta = theta_place.positive_or("rope_theta", 10000);
  const double share = (together && theta_place.has("partial_rotary_factor") ? theta_place : s)
                           .positive_or("partial_rotary_factor", 1);
  const auto size = static_cast<int64_t>(static_cast<double>(c.head_size) * std::min(share, 1.0));
  if (size < 2 || size % 2 != 0)
    s.fail(s.has("partial_rotary_factor") ? "partial_rotary_factor" : "head_dim",
           fmt::format("gives {} elements of a head to turn, not an even number", size));
  const std::string name = together ? "rope_parameters" : "rope_scaling";
  const auto original = static_cast<double>(
      s.whole_or("original_max_position_embeddings", 1, kMostPositions, c.context));
  RotaryScaling scaling;
  if (s.has(name))
    scaling =
        read_rotary_scaling(s.inner(name), usual_context(context, c.context), c.context, original);
  if (scaling.kind == RotaryScaling::Kind::LongRope &&
      scaling.factors.size() != static_cast<size_t>(size / 2))
    s.fail(name, fmt::format("has {} factors for {} pairs", scaling.factors.size(), size / 2));
  return scaled_rotary(size, theta, scaling);
}

// The layers that see a window only: those that layer_types says, or those that `otherwise(layer)`
// says.
template <typename F>
void read_windows(Settings& s, DecoderConfig& c, const F& otherwise) {
  c.window = s.whole_or("sliding_window", 1, kMostPositions, 0);
  const auto types = s.list("layer_types");
  if (!types.empty() && static_cast<int64_t>(types.size()) != c.layers)
    s.fail("layer_types", fmt::format("has {} layers of {}", types.size(), c.layers));
  for (int64_t i = 0; i < c.layers; ++i) {
    bool has = c.window > 0 && otherwise(i);
    if (!types.empty()) {
      const JsonPart& type = types[static_cast<size_t>(i)];
      if (type.text() != "sliding_attention" && type.text() != "full_attention")
        type.fail(fmt::format("is a kind of layer that is not supported: \"{}\"", type.text()));
      has = type.text() == "sliding_attention";
      if (has && c.window == 0) s.fail("sliding_window", "is missing");
    }
    c.has_window[static_cast<size_t>(i)] = has;
  }
}

void read_sizes(Settings& s, DecoderConfig& c) {
  c.vocabulary = s.whole("vocab_size", 1, kMostTokens);
  c.width = s.whole("hidden_size", 1, kMostWidth);
  c.layers = s.whole("num_hidden_layers", 1, kMostLayers);
  c.hidden = s.whole("intermediate_size", 1, kMostWidth);
  c.heads = s.whole("num_attention_heads", 1, kMostHeads);
  c.kv_heads = s.whole_or("num_key_value_heads", 1, kMostHeads, c.heads);
  c.context = s.whole("max_position_embeddings", 1, kMostPositions);
  if (c.heads % c.kv_heads != 0)
    s.fail("num_key_value_heads",
           fmt::format("is {}, which does not divide {}", c.kv_heads, c.heads));
  if (!s.has("head_dim") && c.width % c.heads != 0)
    s.fail("num_attention_heads", fmt::format("is {}, which does not divide {}", c.heads, c.width));
  c.head_size = s.whole_or("head_dim", 2, kMostWidth, c.width / c.heads);
  c.has_window.assign(static_cast<size_t>(c.layers), false);
}

void read_llama(Settings& s, DecoderConfig& c, int64_t context) {
  read_sizes(s, c);
  c.norm_eps = s.positive_or("rms_norm_eps", 1e-6);
  c.activation =
      read_activation(s, s.has("hidden_activation") ? "hidden_activation" : "hidden_act");
  s.text_or("hidden_act", "");
  c.qkv_bias = c.out_bias = s.flag_or("attention_bias", false);
  c.feed_forward_bias = s.flag_or("mlp_bias", false);
  c.ties_embeddings = s.flag_or("tie_word_embeddings", false);
  c.query_scale = 1 / std::sqrt(static_cast<double>(c.head_size));
  c.rotary = read_rotary(s, c, context);
  c.window_rotary = c.rotary;
  if (s.flag_or("rope_interleaved", false)) s.fail("rope_interleaved", "is not supported");
}

// ---- families

void read_mistral(Settings& s, DecoderConfig& c, int64_t context) {
  read_llama(s, c, context);
  read_windows(s, c, [](int64_t) { return true; });
}

void read_qwen(Settings& s, DecoderConfig& c, int64_t context) {
  read_llama(s, c, context);
  const int64_t first = s.whole_or("max_window_layers", 0, kMostLayers, 0);
  const bool has_windows = s.flag_or("use_sliding_window", false);
  read_windows(s, c, [&](int64_t i) { return has_windows && i >= first; });
}

void read_qwen2(Settings& s, DecoderConfig& c, int64_t context) {
  read_qwen(s, c, context);
  c.qkv_bias = s.flag_or("qkv_bias", true);
}

void read_qwen3(Settings& s, DecoderConfig& c, int64_t context) {
  read_qwen(s, c, context);
  c.norms_queries = true;
}

void read_expert_layers(Settings& s, DecoderConfig& c) {
  const int64_t step = s.whole_or("decoder_sparse_step", 1, kMostLayers, 1);
  std::vector<bool>& has = c.experts.layers;
  for (int64_t i = 0; i < c.layers; ++i) has.push_back((i + 1) % step == 0);
  for (const JsonPart& p : s.list("mlp_only_layers")) {
    const int32_t layer = p.token_id();
    if (layer < c.layers) has[static_cast<size_t>(layer)] = false;
  }
}

void read_experts(Settings& s, DecoderConfig& c, std::string_view count, std::string_view hidden) {
  c.experts.count = s.whole(count, 1, kMostExperts);
  c.experts.used = s.whole("num_experts_per_tok", 1, c.experts.count);
  c.experts.hidden = s.whole(hidden, 1, kMostWidth);
  c.experts.renormalises = s.flag_or("norm_topk_prob", false);
  read_expert_layers(s, c);
}

void read_qwen2_moe(Settings& s, DecoderConfig& c, int64_t context) {
  read_qwen2(s, c, context);
  read_experts(s, c, "num_experts", "moe_intermediate_size");
  c.experts.shared_hidden = s.whole("shared_expert_intermediate_size", 1, kMostWidth);
}

void read_qwen3_moe(Settings& s, DecoderConfig& c, int64_t context) {
  read_qwen3(s, c, context);
  read_experts(s, c, "num_experts", "moe_intermediate_size");
}

void read_mixtral(Settings& s, DecoderConfig& c, int64_t context) {
  read_mistral(s, c, context);
  read_experts(s, c, "num_local_experts", "intermediate_size");
  c.experts.renormalises = true;
}

void read_gemma2(Settings& s, DecoderConfig& c, int64_t context) {
  read_llama(s, c, context);
  c.ties_embeddings = s.flag_or("tie_word_embeddings", true);
  c.norm_adds_one = c.norms_results = true;
  c.embedding_scale = std::sqrt(static_cast<double>(c.width));
  c.query_scale = 1 / std::sqrt(s.positive("query_pre_attn_scalar"));
  c.attention_cap = s.positive_or("attn_logit_softcapping", 0);
  c.logit_cap = s.positive_or("final_logit_softcapping", 0);
  read_windows(s, c, [](int64_t i) { return i % 2 == 0; });
}

void read_gemma3(Settings& s, DecoderConfig& c, int64_t context) {
  read_gemma2(s, c, context);
  c.norms_queries = true;
  const int64_t every = s.whole_or("sliding_window_pattern", 1, kMostLayers, 6);
  if (!s.has("layer_types")) read_windows(s, c, [&](int64_t i) { return (i + 1) % every != 0; });
  c.window_rotary = scaled_rotary(c.head_size, s.positive_or("rope_local_base_freq", 10000), {});
}

void read_phi3(Settings& s, DecoderConfig& c, int64_t context) { read_mistral(s, c, context); }

void read_gpt2(Settings& s, DecoderConfig& c, int64_t) {
  c.vocabulary = s.whole("vocab_size", 1, kMostTokens);
  c.width = s.whole("n_embd", 1, kMostWidth);
  c.layers = s.whole("n_layer", 1, kMostLayers);
  c.heads = c.kv_heads = s.whole("n_head", 1, kMostHeads);
  c.context = s.whole("n_positions", 1, kMostPositions);
  c.hidden = s.whole_or("n_inner", 1, kMostWidth, 4 * c.width);
  if (c.width % c.heads != 0)
    s.fail("n_head", fmt::format("is {}, which does not divide {}", c.heads, c.width));
  c.head_size = c.width / c.heads;
  c.has_window.assign(static_cast<size_t>(c.layers), false);
  c.norm = NormKind::Layer;
  c.norm_eps = s.positive_or("layer_norm_epsilon", 1e-5);
  c.activation = read_activation(s, "activation_function");
  c.is_gated = false;
  c.qkv_bias = c.out_bias = c.feed_forward_bias = true;
  c.learned_positions = true;
  c.ties_embeddings = s.flag_or("tie_word_embeddings", true);
  c.query_scale =
      s.flag_or("scale_attn_weights", true) ? 1 / std::sqrt(static_cast<double>(c.head_size)) : 1;
  for (const char* name : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
    if (s.flag_or(name, false)) s.fail(name, "is not supported");
  s.flag_or("reorder_and_upcast_attn", false);  // what is computed in float32 anyway
}

struct Family {
  std::string_view type;
  void (*read)(Settings&, DecoderConfig&, int64_t context);
  WeightNames names;
};

constexpr auto kFamilies = std::to_array<Family>({
    {"gemma2", read_gemma2, gemma_names()},
    {"gemma3_text", read_gemma3, gemma_names()},
    {"gpt2", read_gpt2, kGpt2Names},
    {"llama", read_llama, kLlamaNames},
    {"mistral", read_mistral, kLlamaNames},
    {"mixtral", read_mixtral, mixtral_names()},
    {"phi3", read_phi3, phi3_names()},
    {"qwen2", read_qwen2, kLlamaNames},
    {"qwen2_moe", read_qwen2_moe, kLlamaNames},
    {"qwen3", read_qwen3, kLlamaNames},
    {"qwen3_moe", read_qwen3_moe, kLlamaNames},
});

const Family& family_of(Settings& s) {
  const std::string& type = s.text("model_type");
  const auto found = std::ranges::find(kFamilies, type, &Family::type);
  if (found != kFamilies.end()) return *found;
  std::string known;
  for (const Family& f : kFamilies) known += fmt::format("{}{}", known.empty() ? "" : ", ", f.type);
  s.fail("model_type",
         fmt::format("is a family that is not supported: \"{}\"; supported are {}", type, known));
}

// ---- the folder

// A number, or a list of numbers.
void add_stop_tokens(const fs::path& file, std::vector<int32_t>& out) {
  const nlohmann::json content = json_of_file(kLoadLanguageModel, file);
  const JsonPart ids = JsonPart(content, file.string())["eos_token_id"];
  if (ids.is_null()) return;
  if (!ids.content().is_array()) return out.push_back(ids.token_id());
  for (const JsonPart& id : ids.items()) out.push_back(id.token_id());
}

class HuggingFaceFolder final : public ModelFile {
 public:
  HuggingFaceFolder(const fs::path& folder, int64_t context) : folder_(folder) {
    const fs::path file = folder / "config.json";
    Settings settings(json_of_file(kLoadLanguageModel, file), file.string());
    const Family& family = family_of(settings);
    names_ = family.names;
    config_.family = family.type;
    family.read(settings, config_, context);
    settings.require_all_read(kHarmless);
    file_ = find_weights(kLoadLanguageModel, folder);
  }

  const DecoderConfig& config() const override { return config_; }
  uint64_t weight_bytes() const override { return file_.bytes; }

  DecoderWeights weights(const std::string& device, const nn::ReadProgress& progress) override {
    WeightSource source(kLoadLanguageModel, nn::load_file(file_.path, device, progress).tensors,
                        file_.path.string());
    return take_weights(config_, names_, source);
  }

  WeightNames published_names() const override { return names_; }
  std::optional<Tokenizer> tokenizer() const override { return tokenizer_in(folder_); }

  std::vector<int32_t> stop_tokens() const override {
    std::vector<int32_t> out;
    std::error_code unknown;
    if (fs::exists(folder_ / "generation_config.json", unknown))
      add_stop_tokens(folder_ / "generation_config.json", out);
    if (out.empty()) add_stop_tokens(folder_ / "config.json", out);
    return out;
  }

 private:
  fs::path folder_;
  WeightsFile file_;
  DecoderConfig config_;
  WeightNames names_;
};

}  // namespace

WeightNames hugging_face_names(std::string_view model_type) {
  const auto found = std::ranges::find(kFamilies, model_type, &Family::type);
  if (found == kFamilies.end())
    user_error<FileError>(
        kLoadLanguageModel,
        fmt::format("folders of the family \"{}\" are not supported", model_type));
  return found->names;
}

std::unique_ptr<ModelFile> open_hugging_face(const fs::path& folder, int64_t context) {
  return std::make_unique<HuggingFaceFolder>(folder, context);
}

}  // namespace tg::models
