// See t5_folder.h.
#include "frontend/rewriting/t5_folder.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "frontend/language/model_file.h"
#include "frontend/tokenizer/tokenizer_files.h"
#include "support/check.h"
#include "tg/models/encoder_decoder.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

// Settings of training, of loading and of heads, and what others say again.
constexpr auto kHarmlessForT5 = std::to_array<std::string_view>(
    {"_name_or_path", "architectures", "classifier_dropout", "dense_act_fn", "dropout_rate",
     "dtype", "gradient_checkpointing", "initializer_factor", "is_encoder_decoder", "is_gated_act",
     "n_positions", "output_past", "pad_token_id", "task_specific_params", "tokenizer_class",
     "torch_dtype", "transformers_version", "use_cache"});

constexpr WeightNames kT5Encoder = {
    .final_norm = "encoder.final_layer_norm",
    .attention_norm = "encoder.block.{}.layer.0.layer_norm",
    .feed_forward_norm = "encoder.block.{}.layer.1.layer_norm",
    .q = "encoder.block.{}.layer.0.SelfAttention.q",
    .k = "encoder.block.{}.layer.0.SelfAttention.k",
    .v = "encoder.block.{}.layer.0.SelfAttention.v",
    .out = "encoder.block.{}.layer.0.SelfAttention.o",
    .distances = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
    .gate = "encoder.block.{}.layer.1.DenseReluDense.wi_0",
    .up = "encoder.block.{}.layer.1.DenseReluDense.wi_1",
    .down = "encoder.block.{}.layer.1.DenseReluDense.wo",
};

constexpr WeightNames kT5Decoder = {
    .embedding = "shared",
    .final_norm = "decoder.final_layer_norm",
    .output = "lm_head",
    .attention_norm = "decoder.block.{}.layer.0.layer_norm",
    .feed_forward_norm = "decoder.block.{}.layer.2.layer_norm",
    .q = "decoder.block.{}.layer.0.SelfAttention.q",
    .k = "decoder.block.{}.layer.0.SelfAttention.k",
    .v = "decoder.block.{}.layer.0.SelfAttention.v",
    .out = "decoder.block.{}.layer.0.SelfAttention.o",
    .distances = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias",
    .cross_norm = "decoder.block.{}.layer.1.layer_norm",
    .cross_q = "decoder.block.{}.layer.1.EncDecAttention.q",
    .cross_k = "decoder.block.{}.layer.1.EncDecAttention.k",
    .cross_v = "decoder.block.{}.layer.1.EncDecAttention.v",
    .cross_out = "decoder.block.{}.layer.1.EncDecAttention.o",
    .gate = "decoder.block.{}.layer.2.DenseReluDense.wi_0",
    .up = "decoder.block.{}.layer.2.DenseReluDense.wi_1",
    .down = "decoder.block.{}.layer.2.DenseReluDense.wo",
};

// Copies of the embedding, and a table that the first files have without need.
constexpr auto kT5Copies = std::to_array<std::string_view>(
    {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"});

// "relu", or "gated-" and the activation: gelu is then that by tanh.
void read_feed_forward(Settings& s, DecoderConfig& c) {
  constexpr std::string_view kGated = "gated-";
  const std::string kind = s.text_or("feed_forward_proj", "relu");
  c.is_gated = kind.starts_with(kGated);
  const std::string_view name = std::string_view(kind).substr(c.is_gated ? kGated.size() : 0);
  if (name == "relu") {
    c.activation = Activation::Relu;
  } else if (name == "silu") {
    c.activation = Activation::Silu;
  } else if (name == "gelu") {
    c.activation = c.is_gated ? Activation::GeluTanh : Activation::Gelu;
  } else {
    s.fail("feed_forward_proj", fmt::format("is not supported: \"{}\"", kind));
  }
}

void read_distances(Settings& s, DecoderConfig& c) {
  constexpr int64_t kMostGroups = 1 << 12, kMostDistance = 1 << 20;
  c.distances.count = s.whole_or("relative_attention_num_buckets", 4, kMostGroups, 32);
  c.distances.farthest = s.whole_or("relative_attention_max_distance", 2, kMostDistance, 128);
  if (c.distances.count % 4 != 0 || c.distances.farthest <= c.distances.count / 2) {
    s.fail("relative_attention_num_buckets",
           fmt::format("is {}, and must be a multiple of 4 and below twice the distance {}",
                       c.distances.count, c.distances.farthest));
  }
}

// What both halves have in common.
DecoderConfig read_half(Settings& s) {
  DecoderConfig c;
  c.family = "t5";
  c.vocabulary = s.whole("vocab_size", 1, kMostTokens);
  c.width = s.whole("d_model", 1, kMostWidth);
  c.hidden = s.whole("d_ff", 1, kMostWidth);
  c.heads = c.kv_heads = s.whole("num_heads", 1, kMostHeads);
  c.head_size = s.whole("d_kv", 1, kMostWidth);
  c.layers = s.whole("num_layers", 1, kMostLayers);
  c.norm_eps = s.positive_or("layer_norm_epsilon", 1e-6);
  read_feed_forward(s, c);
  read_distances(s, c);
  return c;
}

}  // namespace

T5Folder::T5Folder(const fs::path& folder, int64_t longest) : folder_(folder) {
  const fs::path file = folder / "config.json";
  Settings s(json_of_file(kLoadEncoderDecoder, file), file.string());
  if (const std::string& type = s.text("model_type"); type != "t5")
    s.fail("model_type", fmt::format("is \"{}\", and must be \"t5\"", type));
  encoder_ = decoder_ = read_half(s);
  decoder_.layers = s.whole_or("num_decoder_layers", 1, kMostLayers, encoder_.layers);
  decoder_.has_window.assign(static_cast<size_t>(decoder_.layers), false);
  decoder_.source_positions = longest;
  decoder_.distances.is_bidirectional = false;
  decoder_.ties_embeddings = s.flag_or("tie_word_embeddings", true);
  if (decoder_.ties_embeddings)
    decoder_.output_scale = 1 / std::sqrt(static_cast<double>(decoder_.width));
  start_ =
      static_cast<int32_t>(s.whole_or("decoder_start_token_id", 0, decoder_.vocabulary - 1, 0));
  stop_ = {static_cast<int32_t>(s.whole_or("eos_token_id", 0, decoder_.vocabulary - 1, 1))};
  s.require_all_read(kHarmlessForT5);
  file_ = find_weights(kLoadEncoderDecoder, folder);
}

std::optional<Tokenizer> T5Folder::tokenizer() const { return tokenizer_in(folder_); }

T5Weights T5Folder::weights(const std::string& device, const nn::ReadProgress& progress) const {
  WeightSource source(kLoadEncoderDecoder, nn::load_file(file_.path, device, progress).tensors,
                      file_.path.string());
  for (const std::string_view name : kT5Copies) source.drop(name);
  WeightNames encoder = kT5Encoder, decoder = kT5Decoder;
  if (!encoder_.is_gated) {
    encoder.up = "encoder.block.{}.layer.1.DenseReluDense.wi";
    decoder.up = "decoder.block.{}.layer.2.DenseReluDense.wi";
  }
  T5Weights out;
  out.encoder = take_layers(encoder_, encoder, source);
  out.decoder = take_weights(decoder_, decoder, source);
  return out;
}

bool is_encoder_decoder(const fs::path& folder) { return has_model_type(folder, "t5"); }

}  // namespace tg::models
