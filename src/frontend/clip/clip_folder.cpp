// See clip_folder.h.
#include "frontend/clip/clip_folder.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "frontend/language/model_file.h"
#include "frontend/vision/preprocessing.h"
#include "support/check.h"
#include "tg/models/clip.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

// Settings of training and of texts that are made, which the first files have all of; and what the
// files with weights say again.
constexpr auto kHarmlessForClip = std::to_array<std::string_view>({"_name_or_path",
                                                                   "architectures",
                                                                   "attention_dropout",
                                                                   "bos_token_id",
                                                                   "chunk_size_feed_forward",
                                                                   "diversity_penalty",
                                                                   "dropout",
                                                                   "dtype",
                                                                   "encoder_no_repeat_ngram_size",
                                                                   "eos_token_id",
                                                                   "id2label",
                                                                   "initializer_factor",
                                                                   "initializer_range",
                                                                   "label2id",
                                                                   "length_penalty",
                                                                   "logit_scale_init_value",
                                                                   "max_length",
                                                                   "min_length",
                                                                   "model_type",
                                                                   "no_repeat_ngram_size",
                                                                   "num_beam_groups",
                                                                   "num_beams",
                                                                   "num_return_sequences",
                                                                   "pad_token_id",
                                                                   "prefix",
                                                                   "problem_type",
                                                                   "projection_dim",
                                                                   "repetition_penalty",
                                                                   "return_dict",
                                                                   "sep_token_id",
                                                                   "temperature",
                                                                   "text_config",
                                                                   "tie_word_embeddings",
                                                                   "top_k",
                                                                   "top_p",
                                                                   "torch_dtype",
                                                                   "transformers_version",
                                                                   "typical_p",
                                                                   "vision_config"});

constexpr WeightNames kTextWeights = {
    .final_norm = "text_model.final_layer_norm",
    .attention_norm = "text_model.encoder.layers.{}.layer_norm1",
    .feed_forward_norm = "text_model.encoder.layers.{}.layer_norm2",
    .q = "text_model.encoder.layers.{}.self_attn.q_proj",
    .k = "text_model.encoder.layers.{}.self_attn.k_proj",
    .v = "text_model.encoder.layers.{}.self_attn.v_proj",
    .out = "text_model.encoder.layers.{}.self_attn.out_proj",
    .up = "text_model.encoder.layers.{}.mlp.fc1",
    .down = "text_model.encoder.layers.{}.mlp.fc2",
};

constexpr WeightNames kImageWeights = {
    .final_norm = "vision_model.post_layernorm",
    .attention_norm = "vision_model.encoder.layers.{}.layer_norm1",
    .feed_forward_norm = "vision_model.encoder.layers.{}.layer_norm2",
    .q = "vision_model.encoder.layers.{}.self_attn.q_proj",
    .k = "vision_model.encoder.layers.{}.self_attn.k_proj",
    .v = "vision_model.encoder.layers.{}.self_attn.v_proj",
    .out = "vision_model.encoder.layers.{}.self_attn.out_proj",
    .up = "vision_model.encoder.layers.{}.mlp.fc1",
    .down = "vision_model.encoder.layers.{}.mlp.fc2",
};

// Numbers that files repeat.
constexpr auto kNoClipWeights = std::to_array<std::string_view>(
    {"text_model.embeddings.position_ids", "vision_model.embeddings.position_ids"});

constexpr int64_t kMostClipTokens = 1 << 16;  // of a text

// What CLIPTextConfig and CLIPVisionConfig have where a file says nothing.
struct UsualHalf {
  int64_t width, hidden, layers, heads;
};
constexpr UsualHalf kUsualText = {.width = 512, .hidden = 2048, .layers = 12, .heads = 8};
constexpr UsualHalf kUsualImage = {.width = 768, .hidden = 3072, .layers = 12, .heads = 12};

// The settings of a half. Where a file has them twice, those of the first kind count, as
// `transformers` reads it.
Settings& half_settings(Settings& s, std::string_view half) {
  const std::string name = fmt::format("{}_config", half), first = name + "_dict";
  if (s.has(first)) return s.inner(first);
  if (!s.has(name)) s.fail(name, "is missing");
  return s.inner(name);
}

DecoderConfig read_half(Settings& s, const UsualHalf& usual) {
  DecoderConfig c;
  c.family = "clip";
  c.width = s.whole_or("hidden_size", 1, kMostWidth, usual.width);
  c.hidden = s.whole_or("intermediate_size", 1, kMostWidth, usual.hidden);
  c.layers = s.whole_or("num_hidden_layers", 1, kMostLayers, usual.layers);
  c.heads = c.kv_heads = s.whole_or("num_attention_heads", 1, kMostHeads, usual.heads);
  if (c.width % c.heads != 0) {
    s.fail("num_attention_heads", fmt::format("is {}, which does not divide {}", c.heads, c.width));
  }
  c.head_size = c.width / c.heads;
  c.query_scale = 1 / std::sqrt(static_cast<double>(c.head_size));
  c.norm = NormKind::Layer;
  c.norm_eps = s.positive_or("layer_norm_eps", 1e-5);
  c.activation = s.has("hidden_act") ? read_activation(s, "hidden_act") : Activation::QuickGelu;
  c.is_gated = false;
  c.qkv_bias = c.out_bias = c.feed_forward_bias = true;
  c.has_window.assign(static_cast<size_t>(c.layers), false);
  return c;
}

void read_text_half(Settings& s, ClipConfig& out) {
  // The number that the first models were published with, whichever token ends their texts.
  constexpr int64_t kWrongEnd = 2, kUsualEnd = 49407;
  out.text = read_half(s, kUsualText);
  out.text.vocabulary = s.whole_or("vocab_size", 1, kMostTokens, 49408);
  out.text.context = s.whole_or("max_position_embeddings", 1, kMostClipTokens, 77);
  const int64_t end = s.whole_or("eos_token_id", 0, kMostTokens - 1, kUsualEnd);
  out.ends_with_largest = end == kWrongEnd;
  if (!out.ends_with_largest && end >= out.text.vocabulary)
    s.fail("eos_token_id", fmt::format("is {}, of {} tokens", end, out.text.vocabulary));
  out.end = static_cast<int32_t>(end);
}

void read_image_half(Settings& s, ClipConfig& out) {
  out.image = read_half(s, kUsualImage);
  if (s.whole_or("num_channels", 1, kMostWidth, 3) != 3) s.fail("num_channels", "is not 3");
  out.image_size = s.whole_or("image_size", 1, kMostPictureSide, 224);
  out.patch = s.whole_or("patch_size", 1, kMostPictureSide, 32);
  if (out.patch > out.image_size) {
    s.fail("patch_size",
           fmt::format("is {}, and pictures have {} pixels a side", out.patch, out.image_size));
  }
}

ClipConfig read_clip_config(const fs::path& file) {
  Settings s(json_of_file(kLoadClip, file), file.string());
  if (const std::string& type = s.text("model_type"); type != "clip")
    s.fail("model_type", fmt::format("is \"{}\", and must be \"clip\"", type));
  ClipConfig out;
  out.size = s.whole_or("projection_dim", 1, kMostWidth, 512);
  read_text_half(half_settings(s, "text"), out);
  read_image_half(half_settings(s, "vision"), out);
  s.require_all_read(kHarmlessForClip);
  return out;
}

ImagePreprocessing read_clip_pictures(const fs::path& file, int64_t image_size) {
  const ImagePreprocessing usual{.resize = image_size,
                                 .crop = image_size,
                                 .filter = images::Filter::Bicubic,
                                 .mean = {0.48145466, 0.4578275, 0.40821073},
                                 .std = {0.26862954, 0.26130258, 0.27577711},
                                 .crop_rounds_down = true};
  const ImagePreprocessing out = read_clip_preprocessing(kLoadClip, file, usual);
  if (out.crop != image_size) {
    user_error<FileError>(kLoadClip,
                          fmt::format("\"{}\" makes pictures of {} pixels a side, and the model "
                                      "sees {}",
                                      file.string(), out.crop, image_size));
  }
  return out;
}

uint64_t numbers_of(const DecoderConfig& c) {
  const int64_t layer = 4 * c.width * c.width + 2 * c.width * c.hidden + 9 * c.width + c.hidden;
  return static_cast<uint64_t>(c.layers * layer);
}

}  // namespace

uint64_t ClipConfig::bytes() const {
  const int64_t tables = (text.vocabulary + text.context + size) * text.width +
                         (3 * patch * patch + 1 + patches() + size) * image.width;
  return (numbers_of(text) + numbers_of(image) + static_cast<uint64_t>(tables)) * sizeof(float);
}

ClipFolder::ClipFolder(const fs::path& folder)
    : config_(read_clip_config(folder / "config.json")),
      preprocessing_(read_clip_pictures(folder / "preprocessor_config.json", config_.image_size)),
      file_(find_weights(kLoadClip, folder)) {}

ClipWeights ClipFolder::weights(const std::string& device, const nn::ReadProgress& progress) const {
  WeightSource source(kLoadClip, nn::load_file(file_.path, device, progress).tensors,
                      file_.path.string());
  const auto floats = [&](std::string_view name, const Shape& shape) {
    return source.take(name, shape).cast(DType::Float32).realize();
  };
  const ClipConfig& c = config_;
  const int64_t text = c.text.width, image = c.image.width;
  ClipWeights out;
  out.words = floats("text_model.embeddings.token_embedding.weight", {c.text.vocabulary, text});
  out.text_positions =
      floats("text_model.embeddings.position_embedding.weight", {c.text.context, text});
  out.text = take_layers(c.text, kTextWeights, source);
  out.text_projection = {floats("text_projection.weight", {c.size, text})};
  out.patches =
      floats("vision_model.embeddings.patch_embedding.weight", {image, 3, c.patch, c.patch});
  out.first = floats("vision_model.embeddings.class_embedding", {image});
  out.image_positions =
      floats("vision_model.embeddings.position_embedding.weight", {1 + c.patches(), image});
  // Misspelled where the weights were published.
  out.image_norm = {floats("vision_model.pre_layrnorm.weight", {image}),
                    floats("vision_model.pre_layrnorm.bias", {image})};
  out.image = take_layers(c.image, kImageWeights, source);
  out.image_projection = {floats("visual_projection.weight", {c.size, image})};
  out.scale = std::exp(static_cast<double>(floats("logit_scale", {}).item<float>()));
  if (!std::isfinite(out.scale)) source.fail("logit_scale", "is the logarithm of no number");
  for (const std::string_view name : kNoClipWeights) source.drop(name);
  source.require_all_taken();
  return out;
}

bool is_clip(const fs::path& folder) { return has_model_type(folder, "clip"); }

}  // namespace tg::models
