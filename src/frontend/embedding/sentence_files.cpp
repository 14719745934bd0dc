// See sentence_files.h.
#include "frontend/embedding/sentence_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/embedding/encoder_config.h"
#include "frontend/language/model_file.h"
#include "frontend/language/model_folder.h"
#include "support/check.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModules = "sentence_transformers.models.";
constexpr size_t kMostModules = 16;

struct PoolingKey {
  std::string_view key;
  Pooling pooling;
};
// In the order in which sentence-transformers puts their results one behind the other.
constexpr auto kPoolings = std::to_array<PoolingKey>({
    {"pooling_mode_cls_token", Pooling::First},
    {"pooling_mode_max_tokens", Pooling::Max},
    {"pooling_mode_mean_tokens", Pooling::Mean},
    {"pooling_mode_mean_sqrt_len_tokens", Pooling::MeanOfRoot},
    {"pooling_mode_weightedmean_tokens", Pooling::WeightedMean},
    {"pooling_mode_lasttoken", Pooling::Last},
});

bool is_there(const fs::path& file) {
  std::error_code unknown;
  return fs::exists(file, unknown);
}

Settings settings_of(const fs::path& file) {
  return {json_of_file(kLoadEncoder, file), file.string()};
}

// A folder inside of that of the model.
fs::path inner_folder(const fs::path& folder, const JsonPart& path) {
  const fs::path inner(path.text());
  const bool leaves = inner.is_absolute() || inner.has_root_path() ||
                      std::ranges::find(inner, fs::path("..")) != inner.end();
  if (leaves) path.fail(fmt::format("leads out of the folder: \"{}\"", path.text()));
  return folder / inner;
}

void read_pooling(const fs::path& file, SentenceFiles& out) {
  Settings s = settings_of(file);
  s.whole_or("word_embedding_dimension", 1, kMostWidth, 0);
  out.poolings.clear();
  for (const PoolingKey& p : kPoolings)
    if (s.flag_or(p.key, false)) out.poolings.push_back(p.pooling);
  out.pools_prompt = s.flag_or("include_prompt", true);
  s.require_all_read({});
  if (out.poolings.empty()) s.fail("pooling_mode_mean_tokens", "nor any other mode is true");
}

VectorStep read_dense(const fs::path& folder) {
  Settings s = settings_of(folder / "config.json");
  VectorStep out{.folder = folder,
                 .in = s.whole("in_features", 1, kMostWidth),
                 .out = s.whole("out_features", 1, kMostWidth),
                 .has_bias = s.flag_or("bias", true)};
  const std::string kind = s.text_or("activation_function", "torch.nn.modules.activation.Tanh");
  out.has_tanh = kind.ends_with(".Tanh");
  if (!out.has_tanh && !kind.ends_with(".Identity"))
    s.fail("activation_function", fmt::format("is not supported: \"{}\"", kind));
  s.require_all_read({});
  return out;
}

void read_modules(const fs::path& folder, SentenceFiles& out) {
  const fs::path file = folder / "modules.json";
  const nlohmann::json content = json_of_file(kLoadEncoder, file);
  const JsonPart whole(content, file.string());
  const std::vector<JsonPart> modules = whole.items();
  if (modules.empty() || modules.size() > kMostModules)
    whole.fail(fmt::format("has {} modules, and may have 1 to {}", modules.size(), kMostModules));
  bool has_pooling = false;
  for (size_t i = 0; i < modules.size(); ++i) {
    const JsonPart type = modules[i]["type"];
    const fs::path inner = inner_folder(folder, modules[i]["path"]);
    const std::string& name = type.text();
    const std::string kind = name.starts_with(kModules) ? name.substr(kModules.size()) : name;
    if (i == 0 || kind == "Transformer") {
      if (i != 0 || kind != "Transformer")
        type.fail("is not \"Transformer\" first, and only there");
      out.encoder = inner;
    } else if (kind == "Pooling") {
      if (has_pooling || i != 1) type.fail("is \"Pooling\", which comes second");
      has_pooling = true;
      read_pooling(inner / "config.json", out);
    } else if (kind == "Normalize") {
      out.steps.push_back({.normalises = true});
    } else if (kind == "Dense") {
      out.steps.push_back(read_dense(inner));
    } else {
      type.fail(fmt::format("is a module that is not supported: \"{}\"", name));
    }
  }
  if (!has_pooling) whole.fail("has no module \"Pooling\"");
}

void read_encoder_settings(const fs::path& file, SentenceFiles& out) {
  Settings s = settings_of(file);
  out.longest = s.whole_or("max_seq_length", 1, kMostPositions, 0);
  if (s.flag_or("do_lower_case", false))
    s.fail("do_lower_case", "is true, which is supported by the tokenizer's normalizer only");
  s.require_all_read({});
}

void read_prompts(const fs::path& file, SentenceFiles& out) {
  const nlohmann::json content = json_of_file(kLoadEncoder, file);
  const JsonPart whole(content, file.string());
  const JsonPart prompts = whole["prompts"], usual = whole["default_prompt_name"];
  if (!prompts.is_null()) {
    if (!prompts.content().is_object()) prompts.fail("is no object");
    for (const auto& [name, text] : prompts.content().items())
      out.prompts.emplace(name, prompts[name].text());
  }
  if (usual.is_null()) return;
  const auto found = out.prompts.find(usual.text());
  if (found == out.prompts.end()) usual.fail(fmt::format("is no prompt: \"{}\"", usual.text()));
  out.prompt = found->second;
}

}  // namespace

SentenceFiles read_sentence_files(const fs::path& folder) {
  SentenceFiles out{.encoder = folder};
  if (is_there(folder / "modules.json")) read_modules(folder, out);
  const fs::path own = out.encoder / "sentence_bert_config.json";
  if (is_there(own)) read_encoder_settings(own, out);
  const fs::path prompts = folder / "config_sentence_transformers.json";
  if (is_there(prompts)) read_prompts(prompts, out);
  return out;
}

fs::path folder_of_encoder(const fs::path& folder) {
  const fs::path file = folder / "modules.json";
  const nlohmann::json content = json_of_file(kLoadEncoder, file);
  const JsonPart whole(content, file.string());
  const std::vector<JsonPart> modules = whole.items();
  if (modules.empty()) whole.fail("has no modules");
  return inner_folder(folder, modules[0]["path"]);
}

Projection step_weights(const VectorStep& step, const std::string& device) {
  const WeightsFile file = find_weights(kLoadEncoder, step.folder);
  WeightSource source(kLoadEncoder, nn::load_file(file.path, device).tensors, file.path.string());
  const auto floats = [](const Tensor& t) { return t.cast(DType::Float32).realize(); };
  Projection out{floats(source.take("linear.weight", {step.out, step.in})), {}};
  if (step.has_bias) out.bias = floats(source.take("linear.bias", {step.out}));
  source.require_all_taken();
  return out;
}

}  // namespace tg::models
