// Folders of Hugging Face: config.json says which network it is, and the tensors of
// model.safetensors get the names that the networks here have. What pictures must be like:
// preprocessing.h.
#include <fmt/format.h>

#include <array>

#include "frontend/language/settings.h"
#include "frontend/vision/classifier_files.h"
#include "frontend/vision/preprocessing.h"
#include "frontend/whole_file.h"
#include "support/check.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostConfigBytes = 16 << 20;
// Beyond any published network.
constexpr int64_t kMostSize = 1 << 16, kMostLayers = 1 << 8;

// Of training, of the program that wrote the file, or read elsewhere.
constexpr auto kHarmlessSettings = std::to_array<std::string_view>(
    {"_name_or_path", "architectures", "attention_probs_dropout_prob", "dtype", "encoder_stride",
     "finetuning_task", "id2label", "initializer_range", "label2id", "num_labels", "out_features",
     "out_indices", "pooler_act", "pooler_output_size", "problem_type", "stage_names",
     "torch_dtype", "transformers_version"});

nlohmann::json json_of_file(const fs::path& file) {
  return parse_json(whole_file(kLoadClassifier, file, kMostConfigBytes), file.string());
}

std::vector<std::string> labels_of(const fs::path& config) {
  const nlohmann::json content = json_of_file(config);
  const JsonPart all = JsonPart(content, config.string())["id2label"];
  std::vector<std::string> out;
  if (all.is_null() || !all.content().is_object()) return out;
  for (size_t i = 0; i < all.content().size(); ++i) out.push_back(all[fmt::to_string(i)].text());
  return out;
}

// ---- names

// Cuts the number out of "begin7rest" and leaves the rest; empty if `name` begins otherwise.
std::optional<std::string> number_behind(std::string_view begin, std::string_view& name) {
  if (!name.starts_with(begin)) return {};
  const size_t end = std::min(name.find('.', begin.size()), name.size());
  std::string number(name.substr(begin.size(), end - begin.size()));
  name.remove_prefix(end);
  return number;
}

struct Renaming {
  std::string_view from, to;
};

std::string renamed(std::string_view name, std::span<const Renaming> table) {
  for (const auto& [from, to] : table)
    if (name.starts_with(from)) return fmt::format("{}{}", to, name.substr(from.size()));
  return std::string(name);
}

int64_t whole_number(const std::string& text) {
  constexpr size_t kMostDigits = 4;
  if (text.empty() || text.size() > kMostDigits ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  return std::stoll(text);
}

std::string resnet_name(std::string_view name) {
  constexpr auto kOutside =
      std::to_array<Renaming>({{"resnet.embedder.embedder.convolution.", "conv1."},
                               {"resnet.embedder.embedder.normalization.", "bn1."},
                               {"classifier.1.", "fc."}});
  std::string_view rest = name;
  const auto stage = number_behind("resnet.encoder.stages.", rest);
  if (!stage) return renamed(name, kOutside);
  const auto block = number_behind(".layers.", rest);
  if (!block) return std::string(name);
  const std::string place = fmt::format("layer{}.{}.", whole_number(*stage) + 1, *block);
  constexpr auto kShortcut = std::to_array<Renaming>(
      {{".shortcut.convolution.", "downsample.0."}, {".shortcut.normalization.", "downsample.1."}});
  const auto layer = number_behind(".layer.", rest);
  if (!layer) return place + renamed(rest, kShortcut);
  const int64_t number = whole_number(*layer) + 1;
  const std::string conv = fmt::format("conv{}.", number), bn = fmt::format("bn{}.", number);
  const auto inside = std::to_array<Renaming>({{".convolution.", conv}, {".normalization.", bn}});
  return place + renamed(rest, inside);
}

std::string vit_name(std::string_view name) {
  constexpr auto kOutside =
      std::to_array<Renaming>({{"vit.embeddings.cls_token", "class_token"},
                               {"vit.embeddings.position_embeddings", "encoder.pos_embedding"},
                               {"vit.embeddings.patch_embeddings.projection.", "conv_proj."},
                               {"vit.layernorm.", "encoder.ln."},
                               {"classifier.", "heads.head."}});
  constexpr auto kInside =
      std::to_array<Renaming>({{".attention.attention.query.", "self_attention.query."},
                               {".attention.attention.key.", "self_attention.key."},
                               {".attention.attention.value.", "self_attention.value."},
                               {".attention.output.dense.", "self_attention.out_proj."},
                               {".intermediate.dense.", "mlp.0."},
                               {".output.dense.", "mlp.3."},
                               {".layernorm_before.", "ln_1."},
                               {".layernorm_after.", "ln_2."}});
  std::string_view rest = name;
  const auto layer = number_behind("vit.encoder.layer.", rest);
  if (!layer) return renamed(name, kOutside);
  return fmt::format("encoder.layers.encoder_layer_{}.{}", *layer, renamed(rest, kInside));
}

template <typename Name>
nn::StateDict with_names(const nn::StateDict& tensors, const Name& name_of) {
  nn::StateDict out;
  for (const auto& [name, tensor] : tensors) out.emplace(name_of(name), tensor);
  return out;
}

// Queries, keys and values, which are three tensors there and one here.
void join_projections(nn::StateDict& tensors, int64_t layers) {
  for (int64_t i = 0; i < layers; ++i) {
    const std::string place = fmt::format("encoder.layers.encoder_layer_{}.self_attention.", i);
    for (const std::string_view kind : {"weight", "bias"}) {
      std::vector<Tensor> parts;
      for (const std::string_view part : {"query", "key", "value"}) {
        const auto found = tensors.find(fmt::format("{}{}.{}", place, part, kind));
        if (found != tensors.end() && found->second.ndim() == (kind == "bias" ? 1 : 2))
          parts.push_back(found->second);
      }
      if (parts.size() != 3 || parts[0].shape() != parts[1].shape() ||
          parts[0].shape() != parts[2].shape())
        continue;  // what is missing is told with all the rest
      for (const std::string_view part : {"query", "key", "value"})
        tensors.erase(fmt::format("{}{}.{}", place, part, kind));
      tensors.emplace(fmt::format("{}in_proj_{}", place, kind), Tensor::cat(parts));
    }
  }
}

int64_t classes_of_bias(const nn::StateDict& tensors, std::string_view name) {
  const auto found = tensors.find(name);
  return found != tensors.end() && found->second.ndim() == 1 ? found->second.size(0) : 1;
}

// ---- networks

void require_text(Settings& s, std::string_view name, std::string_view wanted) {
  const std::string value = s.text_or(name, wanted);
  if (value != wanted)
    s.fail(name, fmt::format("is \"{}\", and only \"{}\" is supported", value, wanted));
}

void require_colours(Settings& s) {
  if (s.whole_or("num_channels", 1, kMostSize, 3) != 3) s.fail("num_channels", "is not 3");
}

ResNetOptions resnet_settings(Settings& s) {
  ResNetOptions out;
  require_colours(s);
  require_text(s, "hidden_act", "relu");
  out.has_bottleneck = s.text_or("layer_type", "bottleneck") == "bottleneck";
  if (!out.has_bottleneck) require_text(s, "layer_type", "basic");
  out.strides_first = s.flag_or("downsample_in_bottleneck", false);
  if (s.flag_or("downsample_in_first_stage", false))
    s.fail("downsample_in_first_stage", "is not supported");
  if (s.whole_or("embedding_size", 1, kMostSize, 64) != 64)
    s.fail("embedding_size", "is not 64, as in published networks");
  int64_t width = out.has_bottleneck ? 256 : 64;
  for (const JsonPart& part : s.list("hidden_sizes")) {
    if (part.number() != static_cast<double>(width))
      part.fail(fmt::format("is not {}, as in published networks", width));
    width *= 2;
  }
  if (s.has("depths"))
    out.blocks.clear();
  else
    out.blocks = {3, 4, 6, 3};
  for (const JsonPart& part : s.list("depths")) {
    const double n = part.number();
    if (!(n >= 1 && n <= static_cast<double>(kMostLayers))) part.fail("is no number of layers");
    out.blocks.push_back(static_cast<int64_t>(n));
  }
  if (out.blocks.size() != 4) s.fail("depths", "are not four numbers");
  return out;
}

VisionTransformerOptions vit_settings(Settings& s) {
  VisionTransformerOptions out;
  require_colours(s);
  require_text(s, "hidden_act", "gelu");
  out.image_size = s.whole_or("image_size", 1, kMostPictureSide, 224);
  out.patch = s.whole_or("patch_size", 1, kMostPictureSide, 16);
  out.layers = s.whole_or("num_hidden_layers", 1, kMostLayers, 12);
  out.heads = s.whole_or("num_attention_heads", 1, kMostSize, 12);
  out.width = s.whole_or("hidden_size", 1, kMostSize, 768);
  out.feedforward = s.whole_or("intermediate_size", 1, kMostSize, 3072);
  out.norm_eps = s.positive_or("layer_norm_eps", 1e-12);
  out.dropout = s.number_or("hidden_dropout_prob", 0);
  if (!(out.dropout >= 0 && out.dropout <= 1)) s.fail("hidden_dropout_prob", "is no share");
  if (!s.flag_or("qkv_bias", true)) s.fail("qkv_bias", "is false, which is not supported");
  if (out.image_size % out.patch != 0)
    s.fail("patch_size", fmt::format("is {}, which does not divide {}", out.patch, out.image_size));
  if (out.width % out.heads != 0)
    s.fail("num_attention_heads",
           fmt::format("is {}, which does not divide {}", out.heads, out.width));
  return out;
}

}  // namespace

LoadedClassifier load_hugging_face_classifier(const fs::path& folder,
                                              const ImageClassifierOptions& options) {
  const fs::path config = folder / "config.json", file = folder / "model.safetensors";
  Settings s(json_of_file(config), config.string());
  const std::string type = s.text("model_type");
  const fs::path pictures = folder / "preprocessor_config.json";
  if (type == "resnet") {
    ResNetOptions o = resnet_settings(s);
    s.require_all_read(kHarmlessSettings);
    const nn::StateDict tensors = with_names(read_weights(file, options).tensors, resnet_name);
    o.classes = classes_of_bias(tensors, "fc.bias");
    o.device = options.device;
    ImageNetwork network = resnet(o);
    give_weights(network, tensors, file, "its config.json");
    return {type, std::move(network), read_classifier_preprocessing(kLoadClassifier, pictures, {}),
            labels_of(config)};
  }
  if (type != "vit")
    s.fail("model_type", fmt::format("is \"{}\"; supported are resnet and vit", type));
  VisionTransformerOptions o = vit_settings(s);
  s.require_all_read(kHarmlessSettings);
  nn::StateDict tensors = with_names(read_weights(file, options).tensors, vit_name);
  join_projections(tensors, o.layers);
  o.classes = classes_of_bias(tensors, "heads.head.bias");
  o.device = options.device;
  ImageNetwork network = vision_transformer(o);
  give_weights(network, tensors, file, "its config.json");
  const ImagePreprocessing usual{
      .resize = 0, .crop = o.image_size, .mean = {0.5, 0.5, 0.5}, .std = {0.5, 0.5, 0.5}};
  return {type, std::move(network), read_classifier_preprocessing(kLoadClassifier, pictures, usual),
          labels_of(config)};
}

}  // namespace tg::models
