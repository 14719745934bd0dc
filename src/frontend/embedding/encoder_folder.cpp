// See encoder_folder.h. One table says, for each model_type, how its settings are read and how its
// weights are called.
#include "frontend/embedding/encoder_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "frontend/language/model_file.h"
#include "support/check.h"

namespace tg::models {

/// In names of layers {} is the number of the layer. Empty: such files have no such weight.
struct EncoderNames {
  std::string_view prefix;  ///< of all names, where a model has a head for a task as well
  std::string_view words = "embeddings.word_embeddings",
                   positions = "embeddings.position_embeddings", kinds,
                   norm = "embeddings.LayerNorm";
  std::string_view q, k, v, out, attention_norm, up, down, feed_forward_norm, distances;
};

namespace {

namespace fs = std::filesystem;

// Settings of training, of loading and of heads.
constexpr auto kHarmlessForEncoders =
    std::to_array<std::string_view>({"architectures",
                                     "_name_or_path",
                                     "attention_dropout",
                                     "attention_probs_dropout_prob",
                                     "auto_map",
                                     "bos_token_id",
                                     "classifier_dropout",
                                     "directionality",
                                     "dropout",
                                     "dtype",
                                     "eos_token_id",
                                     "finetuning_task",
                                     "gradient_checkpointing",
                                     "hidden_dropout_prob",
                                     "id2label",
                                     "initializer_range",
                                     "label2id",
                                     "model_max_length",
                                     "output_past",
                                     "pad_token_id",
                                     "pooler_fc_size",
                                     "pooler_num_attention_heads",
                                     "pooler_num_fc_layers",
                                     "pooler_size_per_head",
                                     "pooler_type",
                                     "qa_dropout",
                                     "seq_classif_dropout",
                                     "sinusoidal_pos_embds",
                                     "tie_word_embeddings",
                                     "torch_dtype",
                                     "transformers_version",
                                     "unk_token_id",
                                     "use_cache"});

// Beginnings of the names of what is no part of an encoder: heads, and numbers that files repeat.
constexpr auto kNoWeights = std::to_array<std::string_view>(
    {"classifier.", "cls.", "embeddings.position_ids", "lm_head.", "pooler.", "pre_classifier.",
     "qa_outputs.", "vocab_layer_norm.", "vocab_projector.", "vocab_transform."});

constexpr EncoderNames bert_names(std::string_view prefix) {
  return {.prefix = prefix,
          .kinds = "embeddings.token_type_embeddings",
          .q = "encoder.layer.{}.attention.self.query",
          .k = "encoder.layer.{}.attention.self.key",
          .v = "encoder.layer.{}.attention.self.value",
          .out = "encoder.layer.{}.attention.output.dense",
          .attention_norm = "encoder.layer.{}.attention.output.LayerNorm",
          .up = "encoder.layer.{}.intermediate.dense",
          .down = "encoder.layer.{}.output.dense",
          .feed_forward_norm = "encoder.layer.{}.output.LayerNorm"};
}

constexpr EncoderNames mpnet_names() {
  EncoderNames n = bert_names("mpnet.");
  n.kinds = {};
  n.q = "encoder.layer.{}.attention.attn.q";
  n.k = "encoder.layer.{}.attention.attn.k";
  n.v = "encoder.layer.{}.attention.attn.v";
  n.out = "encoder.layer.{}.attention.attn.o";
  n.attention_norm = "encoder.layer.{}.attention.LayerNorm";
  n.distances = "encoder.relative_attention_bias";
  return n;
}

constexpr EncoderNames kDistilBertNames = {
    .prefix = "distilbert.",
    .q = "transformer.layer.{}.attention.q_lin",
    .k = "transformer.layer.{}.attention.k_lin",
    .v = "transformer.layer.{}.attention.v_lin",
    .out = "transformer.layer.{}.attention.out_lin",
    .attention_norm = "transformer.layer.{}.sa_layer_norm",
    .up = "transformer.layer.{}.ffn.lin1",
    .down = "transformer.layer.{}.ffn.lin2",
    .feed_forward_norm = "transformer.layer.{}.output_layer_norm"};

// ---- settings

void require_heads(const Settings& s, const EncoderConfig& c, std::string_view name) {
  if (c.width % c.heads != 0)
    s.fail(name, fmt::format("is {}, which does not divide {}", c.heads, c.width));
}

void read_bert(Settings& s, EncoderConfig& c) {
  c.vocabulary = s.whole("vocab_size", 1, kMostTokens);
  c.width = s.whole("hidden_size", 1, kMostWidth);
  c.layers = s.whole("num_hidden_layers", 1, kMostLayers);
  c.hidden = s.whole("intermediate_size", 1, kMostWidth);
  c.heads = s.whole("num_attention_heads", 1, kMostHeads);
  c.positions = s.whole("max_position_embeddings", 1, kMostPositions);
  c.norm_eps = s.positive_or("layer_norm_eps", 1e-12);
  c.activation = read_activation(s, "hidden_act");
  c.token_kinds = s.whole_or("type_vocab_size", 1, kMostWidth, 2);
  require_heads(s, c, "num_attention_heads");
  if (s.text_or("position_embedding_type", "absolute") != "absolute")
    s.fail("position_embedding_type", "may be \"absolute\" only");
  for (const char* name : {"is_decoder", "add_cross_attention"})
    if (s.flag_or(name, false)) s.fail(name, "is not supported");
}

// Positions count from behind the number of the token that fills up.
void read_roberta(Settings& s, EncoderConfig& c) {
  read_bert(s, c);
  c.pad_token = s.whole_or("pad_token_id", 0, c.vocabulary - 1, 1);
  c.first_position = c.pad_token + 1;
  if (c.longest() < 1)
    s.fail("max_position_embeddings",
           fmt::format("is {}, and the first position {}", c.positions, c.first_position));
}

void read_mpnet(Settings& s, EncoderConfig& c) {
  constexpr int64_t kMostGroups = 1 << 12;
  read_roberta(s, c);
  c.token_kinds = 0;
  c.distance_groups = s.whole_or("relative_attention_num_buckets", 4, kMostGroups, 32);
  // The group of the farthest distances is divided by the logarithm of 128 / exact ones.
  if (c.distance_groups % 4 != 0 || c.distance_groups >= 512)
    s.fail("relative_attention_num_buckets",
           fmt::format("is {}, and must be a multiple of 4 below 512", c.distance_groups));
}

void read_distilbert(Settings& s, EncoderConfig& c) {
  c.vocabulary = s.whole("vocab_size", 1, kMostTokens);
  c.width = s.whole("dim", 1, kMostWidth);
  c.layers = s.whole("n_layers", 1, kMostLayers);
  c.hidden = s.whole("hidden_dim", 1, kMostWidth);
  c.heads = s.whole("n_heads", 1, kMostHeads);
  c.positions = s.whole("max_position_embeddings", 1, kMostPositions);
  c.activation = read_activation(s, "activation");
  require_heads(s, c, "n_heads");
}

struct EncoderFamily {
  std::string_view type;
  void (*read)(Settings&, EncoderConfig&);
  EncoderNames names;
};

constexpr auto kEncoderFamilies = std::to_array<EncoderFamily>({
    {"bert", read_bert, bert_names("bert.")},
    {"camembert", read_roberta, bert_names("roberta.")},
    {"distilbert", read_distilbert, kDistilBertNames},
    {"mpnet", read_mpnet, mpnet_names()},
    {"roberta", read_roberta, bert_names("roberta.")},
    {"xlm-roberta", read_roberta, bert_names("roberta.")},
});

const EncoderFamily& encoder_family_of(Settings& s) {
  const std::string& type = s.text("model_type");
  const auto found = std::ranges::find(kEncoderFamilies, type, &EncoderFamily::type);
  if (found != kEncoderFamilies.end()) return *found;
  std::string known;
  for (const EncoderFamily& f : kEncoderFamilies)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", f.type);
  s.fail(
      "model_type",
      fmt::format("is no family of encoders that is supported: \"{}\"; they are {}", type, known));
}

// ---- weights

bool replace_ending(std::string& name, std::string_view ending, std::string_view other) {
  if (!name.ends_with(ending)) return false;
  name.replace(name.size() - ending.size(), ending.size(), other);
  return true;
}

// By the names of a bare encoder: without the prefix that it has beside a head, without heads, and
// with the norms of the first files by their later names.
nn::StateDict bare_names(nn::StateDict tensors, std::string_view prefix, const std::string& file) {
  nn::StateDict out;
  for (auto& [given, tensor] : tensors) {
    std::string name(given.starts_with(prefix) ? given.substr(prefix.size()) : given);
    if (std::ranges::any_of(kNoWeights, [&](std::string_view s) { return name.starts_with(s); }))
      continue;
    if (!replace_ending(name, ".gamma", ".weight")) replace_ending(name, ".beta", ".bias");
    if (!out.emplace(name, tensor).second) {
      user_error<FileError>(
          kLoadEncoder,
          fmt::format("\"{}\" has the tensor \"{}\" twice, by two names", file, name));
    }
  }
  return out;
}

class EncoderTaker {
 public:
  EncoderTaker(const EncoderConfig& config, const EncoderNames& names, WeightSource& source)
      : c_(config), n_(names), source_(source) {}

  EncoderWeights all() {
    EncoderWeights out;
    out.words = weight(n_.words, {c_.vocabulary, c_.width}).realize();
    out.places = weight(n_.positions, {c_.positions, c_.width});
    if (c_.token_kinds > 0)
      out.places = out.places + weight(n_.kinds, {c_.token_kinds, c_.width})[{0}];
    out.places.realize();
    out.norm = norm(n_.norm);
    for (int64_t i = 0; i < c_.layers; ++i) out.layers.push_back(layer(fmt::to_string(i)));
    if (c_.distance_groups > 0)
      out.distances = weight(n_.distances, {c_.distance_groups, c_.heads}).realize();
    source_.require_all_taken();
    return out;
  }

 private:
  Tensor weight(std::string_view name, const Shape& shape) {
    return source_.take(fmt::format("{}.weight", name), shape).cast(DType::Float32);
  }
  Tensor bias(std::string_view name, int64_t size) {
    return source_.take(fmt::format("{}.bias", name), {size}).cast(DType::Float32);
  }
  NormWeights norm(std::string_view name) {
    return {weight(name, {c_.width}).realize(), bias(name, c_.width).realize()};
  }
  Projection projection(const std::string& name, int64_t out, int64_t in) {
    return {weight(name, {out, in}).realize(), bias(name, out).realize()};
  }

  EncoderLayerWeights layer(const std::string& number) {
    const auto named = [&](std::string_view pattern) { return filled(pattern, number); };
    std::vector<Tensor> weights, biases;
    for (const std::string_view part : {n_.q, n_.k, n_.v}) {
      weights.push_back(weight(named(part), {c_.width, c_.width}));
      biases.push_back(bias(named(part), c_.width));
    }
    EncoderLayerWeights out;
    out.qkv = {Tensor::cat(weights).realize(), Tensor::cat(biases).realize()};
    out.out = projection(named(n_.out), c_.width, c_.width);
    out.attention_norm = norm(named(n_.attention_norm));
    out.up = projection(named(n_.up), c_.hidden, c_.width);
    out.down = projection(named(n_.down), c_.width, c_.hidden);
    out.feed_forward_norm = norm(named(n_.feed_forward_norm));
    return out;
  }

  const EncoderConfig& c_;
  const EncoderNames& n_;
  WeightSource& source_;
};

}  // namespace

bool is_encoder_family(std::string_view type) {
  return std::ranges::find(kEncoderFamilies, type, &EncoderFamily::type) != kEncoderFamilies.end();
}

EncoderFolder::EncoderFolder(const fs::path& folder) {
  const fs::path file = folder / "config.json";
  Settings settings(json_of_file(kLoadEncoder, file), file.string());
  const EncoderFamily& family = encoder_family_of(settings);
  names_ = &family.names;
  config_.family = family.type;
  family.read(settings, config_);
  settings.require_all_read(kHarmlessForEncoders);
  file_ = find_weights(kLoadEncoder, folder);
}

EncoderWeights EncoderFolder::weights(const std::string& device,
                                      const nn::ReadProgress& progress) const {
  const std::string file = file_.path.string();
  WeightSource source(
      kLoadEncoder,
      bare_names(nn::load_file(file_.path, device, progress).tensors, names_->prefix, file), file);
  return EncoderTaker(config_, *names_, source).all();
}

}  // namespace tg::models
