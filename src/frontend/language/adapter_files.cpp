// See adapter_files.h.
#include "frontend/language/adapter_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "frontend/language/model_folder.h"
#include "support/check.h"
#include "tg/state.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kPrefix = "base_model.model.", kEndOfA = ".lora_A.weight",
                           kEndOfB = ".lora_B.weight";

// Settings of training and of other programs, and what the tensors say, too.
constexpr auto kHarmlessOfAdapters = std::to_array<std::string_view>(
    {"arrow_config", "auto_mapping", "base_model_name_or_path", "corda_config",
     "ensure_weight_tying", "eva_config", "exclude_modules", "fan_in_fan_out", "inference_mode",
     "init_lora_weights", "layers_pattern", "layers_to_transform", "loftq_config", "megatron_core",
     "peft_version", "qalora_group_size", "rank_pattern", "revision", "runtime_config"});

// With these, what PEFT trains is a difference to other weights than the model's.
constexpr auto kChangeTheModel =
    std::to_array<std::string_view>({"corda", "loftq", "lora_ga", "olora", "pissa"});

void require_text(Settings& s, std::string_view name, std::string_view wanted) {
  const std::string text = s.text_or(name, wanted);
  if (text != wanted)
    s.fail(name, fmt::format("is \"{}\", and only \"{}\" is supported", text, wanted));
}

// The ends of layers that have adapters. Empty: only the tensors say it, because a text is an
// expression of Python, or because other settings leave layers out.
std::vector<std::string> read_targets(Settings& s, const json& content) {
  if (!s.has("target_modules")) s.fail("target_modules", "is missing");
  if (content["target_modules"].is_string()) {
    s.text("target_modules");
    return {};
  }
  std::vector<std::string> out;
  for (const JsonPart& part : s.list("target_modules")) out.push_back(part.text());
  const bool are_all = !s.has("layers_to_transform") && !s.has("exclude_modules");
  return are_all ? out : std::vector<std::string>();
}

// Of a new layer that has random numbers only until training begins.
void require_plain_start(const Settings& s, const json& content) {
  const auto found = content.find("init_lora_weights");
  if (found == content.end() || !found->is_string()) return;
  const auto& kind = found->get_ref<const std::string&>();
  if (std::ranges::any_of(kChangeTheModel, [&](std::string_view k) { return kind.starts_with(k); }))
    s.fail("init_lora_weights",
           fmt::format("is \"{}\", which changes the weights of the model itself", kind));
}

struct Config {
  LoraOptions options;
  std::vector<std::string> required;
};

Config read_config(std::string_view fn, const fs::path& file) {
  const json content = json_of_file(fn, file);
  Settings s(content, file.string());
  Config out;
  if (!s.has("peft_type")) s.fail("peft_type", "is missing");
  require_text(s, "peft_type", "LORA");
  require_text(s, "task_type", "CAUSAL_LM");
  require_text(s, "bias", "none");
  out.options.rank = s.whole("r", 1, kMostRank);
  out.options.alpha = s.number("lora_alpha");
  out.options.dropout = s.number_or("lora_dropout", 0);
  if (!(out.options.dropout >= 0 && out.options.dropout < 1))
    s.fail("lora_dropout", fmt::format("is {}, not at least 0 and below 1", out.options.dropout));
  out.options.rank_stabilised = s.flag_or("use_rslora", false);
  out.required = read_targets(s, content);
  require_plain_start(s, content);
  s.require_all_read(kHarmlessOfAdapters);
  return out;
}

// Takes the two tensors of each layer that has them.
class AdapterTensors {
 public:
  AdapterTensors(std::string_view fn, const nn::StateDict& tensors, const fs::path& file)
      : tensors_(tensors), source_(fn, tensors, file.string()) {}

  bool has(const AdaptableLayer& layer) const {
    return tensors_.contains(name_of(layer, kEndOfA)) || tensors_.contains(name_of(layer, kEndOfB));
  }

  Adapter::Layer take(AdaptableLayer layer, int64_t usual_rank) {
    const std::string a = name_of(layer, kEndOfA), b = name_of(layer, kEndOfB);
    const auto found = tensors_.find(a);
    const bool has_rank = found != tensors_.end() && found->second.ndim() == 2;
    const int64_t rank = has_rank ? std::max<int64_t>(found->second.size(0), 1) : usual_rank;
    Adapter::Layer out{.of = std::move(layer), .a = {}, .b = {}};
    out.a = source_.take(a, {rank, out.of.in}).cast(DType::Float32);
    out.b = source_.take(b, {out.of.out, rank}).cast(DType::Float32);
    if (const int64_t heads = out.of.heads_of_neighbours; heads > 0)
      out.b = rows_of_neighbours(out.b, heads).contiguous();
    for (const Tensor& t : {out.a, out.b}) t.is_param_().realize();
    return out;
  }

  void require_all_taken() const { source_.require_all_taken(); }

 private:
  static std::string name_of(const AdaptableLayer& layer, std::string_view end) {
    return fmt::format("{}{}{}", kPrefix, layer.name, end);
  }

  const nn::StateDict& tensors_;
  WeightSource source_;
};

// The ends of names where they say which layers are meant, else the names.
std::vector<std::string> written_targets(const Adapter& adapter, const BaseModel& base) {
  std::set<std::string> ends, names;
  for (const Adapter::Layer& l : adapter.layers) {
    ends.insert(l.of.name.substr(l.of.name.rfind('.') + 1));
    names.insert(l.of.name);
  }
  std::vector<std::string> out(ends.begin(), ends.end());
  const auto meant =
      std::ranges::count_if(base.layers, [&](const auto& l) { return is_target(l, out); });
  if (base.has_experts || meant != std::ssize(adapter.layers))
    out.assign(names.begin(), names.end());
  return out;
}

json config_of(const Adapter& adapter, const BaseModel& base) {
  const LoraOptions& o = adapter.options;
  json ranks = json::object();
  for (const Adapter::Layer& l : adapter.layers)
    if (l.a.size(0) != o.rank) ranks[l.of.name] = l.a.size(0);
  return {{"alpha_pattern", json::object()},
          {"base_model_name_or_path", base.path},
          {"bias", "none"},
          {"fan_in_fan_out", base.is_transposed},
          {"inference_mode", true},
          {"init_lora_weights", true},
          {"lora_alpha", o.alpha},
          {"lora_dropout", o.dropout},
          {"peft_type", "LORA"},
          {"r", o.rank},
          {"rank_pattern", ranks},
          {"target_modules", written_targets(adapter, base)},
          {"task_type", "CAUSAL_LM"},
          {"use_dora", false},
          {"use_rslora", o.rank_stabilised}};
}

void write_text(std::string_view fn, const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) user_error<FileError>(fn, fmt::format("\"{}\" cannot be written", file.string()));
}

}  // namespace

Adapter read_adapter(std::string_view fn, const fs::path& folder,
                     std::vector<AdaptableLayer> layers, const std::string& device) {
  const Config config = read_config(fn, folder / "adapter_config.json");
  std::error_code unknown;
  fs::path file = folder / "adapter_model.safetensors";
  if (!fs::exists(file, unknown) && fs::exists(folder / "adapter_model.bin", unknown))
    file = folder / "adapter_model.bin";
  const nn::StateDict tensors = nn::load_file(file, device).tensors;
  AdapterTensors source(fn, tensors, file);
  Adapter out{.options = config.options, .layers = {}};
  out.options.targets.clear();
  for (AdaptableLayer& l : layers) {
    if (!source.has(l) && !is_target(l, config.required)) continue;
    out.layers.push_back(source.take(std::move(l), config.options.rank));
    out.options.targets.push_back(out.layers.back().of.name);
  }
  source.require_all_taken();
  if (out.layers.empty())
    user_error<FileError>(fn, fmt::format("\"{}\" has no tensors", file.string()));
  return out;
}

void write_adapter(std::string_view fn, const fs::path& folder, const Adapter& adapter,
                   const BaseModel& base) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    user_error<FileError>(
        fn, fmt::format("\"{}\" cannot be made: {}", folder.string(), problem.message()));
  nn::StateDict tensors;
  for (const Adapter::Layer& l : adapter.layers) {
    const int64_t heads = l.of.heads_of_neighbours;
    tensors.emplace(fmt::format("{}{}{}", kPrefix, l.of.name, kEndOfA), l.a);
    tensors.emplace(fmt::format("{}{}{}", kPrefix, l.of.name, kEndOfB),
                    heads > 0 ? rows_of_halves(l.b, heads) : l.b);
  }
  nn::save(tensors, folder / "adapter_model.safetensors", {{"format", "pt"}});
  write_text(fn, folder / "adapter_config.json", config_of(adapter, base).dump(2) + "\n");
}

}  // namespace tg::models
