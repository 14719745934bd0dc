// See whisper_folder.h.
#include "frontend/speech/whisper_folder.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "frontend/language/model_file.h"
#include "support/check.h"
#include "tg/models/whisper.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

// Settings of training, of loading, and of what generation_config.json says again.
constexpr auto kHarmlessForSpeech = std::to_array<std::string_view>({"_name_or_path",
                                                                     "activation_dropout",
                                                                     "apply_spec_augment",
                                                                     "architectures",
                                                                     "attention_dropout",
                                                                     "begin_suppress_tokens",
                                                                     "bos_token_id",
                                                                     "classifier_proj_size",
                                                                     "decoder_layerdrop",
                                                                     "dropout",
                                                                     "dtype",
                                                                     "encoder_layerdrop",
                                                                     "forced_decoder_ids",
                                                                     "init_std",
                                                                     "is_encoder_decoder",
                                                                     "mask_feature_length",
                                                                     "mask_feature_min_masks",
                                                                     "mask_feature_prob",
                                                                     "mask_time_length",
                                                                     "mask_time_min_masks",
                                                                     "mask_time_prob",
                                                                     "max_length",
                                                                     "median_filter_width",
                                                                     "num_hidden_layers",
                                                                     "pad_token_id",
                                                                     "suppress_tokens",
                                                                     "tie_word_embeddings",
                                                                     "torch_dtype",
                                                                     "transformers_version",
                                                                     "use_cache"});

constexpr WeightNames kEncoderWeights = {
    .final_norm = "model.encoder.layer_norm",
    .attention_norm = "model.encoder.layers.{}.self_attn_layer_norm",
    .feed_forward_norm = "model.encoder.layers.{}.final_layer_norm",
    .q = "model.encoder.layers.{}.self_attn.q_proj",
    .k = "model.encoder.layers.{}.self_attn.k_proj",
    .v = "model.encoder.layers.{}.self_attn.v_proj",
    .out = "model.encoder.layers.{}.self_attn.out_proj",
    .up = "model.encoder.layers.{}.fc1",
    .down = "model.encoder.layers.{}.fc2",
};

constexpr WeightNames kDecoderWeights = {
    .embedding = "model.decoder.embed_tokens",
    .positions = "model.decoder.embed_positions",
    .final_norm = "model.decoder.layer_norm",
    .output = "proj_out",
    .attention_norm = "model.decoder.layers.{}.self_attn_layer_norm",
    .feed_forward_norm = "model.decoder.layers.{}.final_layer_norm",
    .q = "model.decoder.layers.{}.self_attn.q_proj",
    .k = "model.decoder.layers.{}.self_attn.k_proj",
    .v = "model.decoder.layers.{}.self_attn.v_proj",
    .out = "model.decoder.layers.{}.self_attn.out_proj",
    .cross_norm = "model.decoder.layers.{}.encoder_attn_layer_norm",
    .cross_q = "model.decoder.layers.{}.encoder_attn.q_proj",
    .cross_k = "model.decoder.layers.{}.encoder_attn.k_proj",
    .cross_v = "model.decoder.layers.{}.encoder_attn.v_proj",
    .cross_out = "model.decoder.layers.{}.encoder_attn.out_proj",
    .up = "model.decoder.layers.{}.fc1",
    .down = "model.decoder.layers.{}.fc2",
};

constexpr int64_t kMostWindow = 1 << 16;  // positions of a window

// What both halves have in common; their own settings begin with `half`.
DecoderConfig half_of(Settings& s, const std::string& half) {
  DecoderConfig c;
  c.family = "whisper";
  c.width = s.whole("d_model", 1, kMostWidth);
  c.layers = s.whole(half + "_layers", 1, kMostLayers);
  c.hidden = s.whole(half + "_ffn_dim", 1, kMostWidth);
  c.heads = c.kv_heads = s.whole(half + "_attention_heads", 1, kMostHeads);
  if (c.width % c.heads != 0) {
    s.fail(half + "_attention_heads",
           fmt::format("is {}, which does not divide {}", c.heads, c.width));
  }
  c.head_size = c.width / c.heads;
  c.query_scale = 1 / std::sqrt(static_cast<double>(c.head_size));
  c.norm = NormKind::Layer;
  c.norm_eps = 1e-5;
  c.activation = read_activation(s, "activation_function");
  c.is_gated = false;
  c.qkv_bias = c.out_bias = c.feed_forward_bias = true;
  c.key_bias = false;
  c.has_window.assign(static_cast<size_t>(c.layers), false);
  return c;
}

SpeechConfig read_speech_config(Settings& s) {
  if (const std::string& type = s.text("model_type"); type != "whisper")
    s.fail("model_type", fmt::format("is \"{}\", and must be \"whisper\"", type));
  SpeechConfig out{.encoder = half_of(s, "encoder"),
                   .decoder = half_of(s, "decoder"),
                   .bins = s.whole("num_mel_bins", 1, 512),
                   .positions = s.whole("max_source_positions", 1, kMostWindow)};
  DecoderConfig& d = out.decoder;
  d.vocabulary = s.whole("vocab_size", 1, kMostTokens);
  d.context = s.whole("max_target_positions", 8, kMostWindow);
  d.source_positions = out.positions;
  d.learned_positions = d.ties_embeddings = true;
  if (s.flag_or("scale_embedding", false))
    d.embedding_scale = std::sqrt(static_cast<double>(d.width));
  if (s.flag_or("use_weighted_layer_sum", false))
    s.fail("use_weighted_layer_sum", "is not supported");
  return out;
}

std::vector<int32_t> token_list(Settings& s, std::string_view name, int64_t vocabulary) {
  std::vector<int32_t> out;
  for (const JsonPart& part : s.list(name)) {
    const int32_t id = part.token_id();
    if (id >= vocabulary) part.fail(fmt::format("is {}, of {} tokens", id, vocabulary));
    out.push_back(id);
  }
  return out;
}

// "en" of "<|en|>".
std::string language_code(const JsonPart& part, std::string_view name) {
  if (name.size() < 5 || !name.starts_with("<|") || !name.ends_with("|>"))
    part.fail(fmt::format("has \"{}\", which is no language", name));
  return std::string(name.substr(2, name.size() - 4));
}

}  // namespace

WhisperFolder::WhisperFolder(const fs::path& folder) : folder_(folder) {
  const fs::path file = folder / "config.json";
  Settings settings(json_of_file(kLoadWhisper, file), file.string());
  config_ = read_speech_config(settings);
  tokens_.start = static_cast<int32_t>(
      settings.whole("decoder_start_token_id", 0, config_.decoder.vocabulary - 1));
  tokens_.end =
      static_cast<int32_t>(settings.whole("eos_token_id", 0, config_.decoder.vocabulary - 1));
  settings.require_all_read(kHarmlessForSpeech);
  read_tokens();
  file_ = find_weights(kLoadWhisper, folder);
}

void WhisperFolder::read_tokens() {
  const fs::path file = folder_ / "generation_config.json";
  const int64_t vocabulary = config_.decoder.vocabulary;
  const nlohmann::json content = json_of_file(kLoadWhisper, file);
  Settings s(content, file.string());
  SpeechTokens& t = tokens_;
  // Settings do not name the two before it, which all published vocabularies have there.
  t.no_times = static_cast<int32_t>(s.whole("no_timestamps_token_id", 2, vocabulary - 2));
  t.no_speech = t.no_times - 1;
  t.previous = t.no_times - 2;
  t.first_time = t.no_times + 1;
  if (t.end >= t.first_time)
    s.fail("no_timestamps_token_id", fmt::format("is {}, before the end's {}", t.no_times, t.end));
  t.never = token_list(s, "suppress_tokens", vocabulary);
  t.never_first = token_list(s, "begin_suppress_tokens", vocabulary);
  if (s.has("max_initial_timestamp_index")) {
    t.latest_first_time = static_cast<int32_t>(
        t.first_time + s.whole("max_initial_timestamp_index", 0, vocabulary - 1 - t.first_time));
  }
  if (!s.flag_or("is_multilingual", s.has("lang_to_id"))) return;
  const auto token = [&](const JsonPart& part) {
    const int32_t id = part.token_id();
    if (id >= vocabulary) part.fail(fmt::format("is {}, of {} tokens", id, vocabulary));
    return id;
  };
  const JsonPart whole(content, file.string()), languages = whole["lang_to_id"];
  if (!languages.content().is_object() || languages.content().empty())
    languages.fail("is no object with languages");
  for (const auto& [name, id] : languages.content().items())
    t.languages.emplace(language_code(languages, name), token(languages[name]));
  t.transcribe = token(whole["task_to_id"]["transcribe"]);
  t.translate = token(whole["task_to_id"]["translate"]);
}

SpeechWeights WhisperFolder::weights(const std::string& device,
                                     const nn::ReadProgress& progress) const {
  WeightSource source(kLoadWhisper, nn::load_file(file_.path, device, progress).tensors,
                      file_.path.string());
  const int64_t width = config_.encoder.width;
  const auto floats = [&](std::string_view name, const Shape& shape) {
    return source.take(name, shape).cast(DType::Float32).realize();
  };
  SpeechWeights out;
  out.first = {floats("model.encoder.conv1.weight", {width, config_.bins, 3}),
               floats("model.encoder.conv1.bias", {width})};
  out.second = {floats("model.encoder.conv2.weight", {width, width, 3}),
                floats("model.encoder.conv2.bias", {width})};
  out.positions = floats("model.encoder.embed_positions.weight", {config_.positions, width});
  out.encoder = take_layers(config_.encoder, kEncoderWeights, source);
  out.decoder = take_weights(config_.decoder, kDecoderWeights, source);
  return out;
}

bool is_whisper(const fs::path& folder) { return has_model_type(folder, "whisper"); }

}  // namespace tg::models
