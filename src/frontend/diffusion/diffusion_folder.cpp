// See diffusion_folder.h.
#include "frontend/diffusion/diffusion_folder.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "frontend/diffusion/noise_step.h"
#include "frontend/language/weights.h"
#include "support/check.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

// Beyond any published network.
constexpr int64_t kMostLevels = 12, kMostUNetChannels = 1 << 15, kMostBlocks = 64,
                  kMostDiffusionSide = 1 << 13, kMostClasses = 1 << 20;

// What a network was made by, and what only kinds of it that are refused read.
constexpr auto kHarmlessForUNet = std::to_array<std::string_view>(
    {"_class_name", "_diffusers_version", "_name_or_path", "num_train_timesteps"});

// Those of thresholds count only with `thresholding`, which is refused; the others are of one
// sampler, and another may stand in its place.
constexpr auto kHarmlessForSchedules = std::to_array<std::string_view>(
    {"_class_name", "_diffusers_version", "clip_sample", "clip_sample_range",
     "dynamic_thresholding_ratio", "final_sigmas_type", "interpolation_type", "sample_max_value",
     "set_alpha_to_one", "skip_prk_steps", "tensor_format", "timestep_type", "variance_type"});

void require_kind(Settings& s, std::string_view name, std::string_view only) {
  const std::string value = s.text_or(name, only);
  if (value == only) return;
  s.fail(name, fmt::format("is \"{}\", and may be \"{}\"", value, only));
}

// One of some texts, by its place among them.
template <size_t Count>
size_t choice_among(Settings& s, std::string_view name,
                    const std::array<std::string_view, Count>& all, std::string_view otherwise) {
  const std::string value = s.text_or(name, otherwise);
  for (size_t i = 0; i < Count; ++i)
    if (value == all[i]) return i;
  s.fail(name, fmt::format("is \"{}\", which is not supported", value));
}

// ---- the network

// Which blocks of a way have attention, for as many levels as there are.
std::vector<bool> attentions_of(Settings& s, std::string_view name, std::string_view plain,
                                std::string_view with_attention, size_t levels) {
  std::vector<bool> out;
  if (!s.has(name)) s.fail(name, "is missing");
  for (const JsonPart& part : s.list(name)) {
    const std::string& kind = part.text();
    if (kind != plain && kind != with_attention) {
      s.fail(name, fmt::format("has \"{}\", and may have \"{}\" and \"{}\"", kind, plain,
                               with_attention));
    }
    out.push_back(kind == with_attention);
  }
  if (out.size() != levels)
    s.fail(name, fmt::format("are {} blocks, of {} levels", out.size(), levels));
  return out;
}

std::vector<UNetLevel> levels_of(Settings& s) {
  std::vector<UNetLevel> out;
  if (!s.has("block_out_channels")) s.fail("block_out_channels", "is missing");
  for (const JsonPart& part : s.list("block_out_channels")) {
    const double channels = part.number();
    if (channels < 2 || channels > static_cast<double>(kMostUNetChannels) ||
        !part.content().is_number_integer()) {
      part.fail(fmt::format("is {}, and may be 2 to {}", part.content().dump(), kMostUNetChannels));
    }
    out.push_back({.channels = static_cast<int64_t>(channels)});
  }
  if (out.empty() || std::ssize(out) > kMostLevels) {
    s.fail("block_out_channels",
           fmt::format("are {} levels, and may be 1 to {}", out.size(), kMostLevels));
  }
  const auto down =
      attentions_of(s, "down_block_types", "DownBlock2D", "AttnDownBlock2D", out.size());
  const auto up = attentions_of(s, "up_block_types", "UpBlock2D", "AttnUpBlock2D", out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].down_attention = down[i];
    out[i].up_attention = up[out.size() - 1 - i];
  }
  return out;
}

void require_divides(const Settings& s, std::string_view name, int64_t divisor,
                     const UNetLevel& level) {
  if (level.channels % divisor == 0) return;
  s.fail(name, fmt::format("is {}, which does not divide {} channels", divisor, level.channels));
}

void require_even_parts(const Settings& s, const UNetOptions& o) {
  for (size_t i = 0; i < o.levels.size(); ++i) {
    const UNetLevel& level = o.levels[i];
    require_divides(s, "norm_num_groups", o.groups, level);
    const bool is_last = i + 1 == o.levels.size();
    if (o.head_size != 0 &&
        (level.down_attention || level.up_attention || (is_last && o.middle_attention))) {
      require_divides(s, "attention_head_dim", o.head_size, level);
    }
    if (is_last && o.middle_attention && o.middle_groups != 0)
      require_divides(s, "attn_norm_num_groups", o.middle_groups, level);
  }
}

// Kinds of blocks that are not supported, each by the only one that is.
void require_usual_kinds(Settings& s) {
  require_kind(s, "_class_name", "UNet2DModel");
  require_kind(s, "time_embedding_type", "positional");
  require_kind(s, "mid_block_type", "UNetMidBlock2D");
  require_kind(s, "downsample_type", "conv");
  require_kind(s, "upsample_type", "conv");
  require_kind(s, "resnet_time_scale_shift", "default");
  choice_among(s, "act_fn", std::to_array<std::string_view>({"silu", "swish"}), "silu");
}

void read_norms_and_times(Settings& s, bool says_head_size, UNetOptions& o) {
  o.groups = s.whole_or("norm_num_groups", 1, kMostUNetChannels, 32);
  o.middle_groups = s.whole_or("attn_norm_num_groups", 1, kMostUNetChannels, 0);
  o.norm_eps = s.positive_or("norm_eps", 1e-5);
  // Where a file says null, there is one head.
  o.head_size = s.whole_or("attention_head_dim", 1, kMostUNetChannels, says_head_size ? 0 : 8);
  o.cosines_first = s.flag_or("flip_sin_to_cos", true);
  o.frequency_shift = s.number_or("freq_shift", 0);
  const int64_t waves = o.levels[0].channels / 2;
  if (!(o.frequency_shift >= 0) || o.frequency_shift >= static_cast<double>(waves)) {
    s.fail("freq_shift", fmt::format("is {}, and may be 0 to below {}", o.frequency_shift, waves));
  }
  o.time_size = s.whole_or("time_embedding_dim", 1, kMostUNetChannels * 4, 0);
}

UNetOptions read_network(Settings& s, bool says_head_size) {
  require_usual_kinds(s);
  UNetOptions o;
  o.channels = s.whole_or("in_channels", 1, kMostUNetChannels, 3);
  o.out_channels = s.whole_or("out_channels", 1, kMostUNetChannels, 3);
  if (o.channels != 1 && o.channels != 3) {
    s.fail("in_channels", fmt::format("is {}, and pictures have 1 or 3", o.channels));
  }
  if (o.out_channels != o.channels) {
    s.fail("out_channels", fmt::format("is {}, of pictures of {}", o.out_channels, o.channels));
  }
  o.levels = levels_of(s);
  o.layers = s.whole_or("layers_per_block", 1, kMostBlocks, 2);
  o.middle_attention = s.flag_or("add_attention", true);
  o.middle_scale = s.positive_or("mid_block_scale_factor", 1);
  read_norms_and_times(s, says_head_size, o);
  const int64_t padding = s.whole_or("downsample_padding", 0, 1, 1);
  o.pads_end_only = padding == 0;
  o.centers_input = s.flag_or("center_input_sample", false);
  o.dropout = s.number_or("dropout", 0);
  if (!(o.dropout >= 0) || o.dropout >= 1)
    s.fail("dropout", fmt::format("is {}, and may be 0 to below 1", o.dropout));
  o.classes = s.whole_or("num_class_embeds", 1, kMostClasses, 0);
  require_even_parts(s, o);
  return o;
}

int64_t side_of(const JsonPart& part) {
  const double side = part.number();
  if (!part.content().is_number_integer() || side < 1 || side > kMostDiffusionSide)
    part.fail(fmt::format("is {}, and may be 1 to {}", part.content().dump(), kMostDiffusionSide));
  return static_cast<int64_t>(side);
}

// A number, or height and width.
PictureSize read_picture_size(Settings& s, bool is_list, size_t levels) {
  if (!s.has("sample_size")) s.fail("sample_size", "is missing");
  PictureSize out;
  if (is_list) {
    const std::vector<JsonPart> sides = s.list("sample_size");
    if (sides.size() != 2) s.fail("sample_size", "are not two numbers");
    out = {.height = side_of(sides[0]), .width = side_of(sides[1])};
  } else {
    out.height = out.width = s.whole("sample_size", 1, kMostDiffusionSide);
  }
  const int64_t multiple = int64_t{1} << (levels - 1);
  for (const int64_t side : {out.height, out.width}) {
    if (side % multiple != 0) {
      s.fail("sample_size", fmt::format("is {}, and must be a multiple of {} for {} levels", side,
                                        multiple, levels));
    }
  }
  return out;
}

// ---- the schedule

constexpr auto kSchedulerClasses =
    std::to_array<std::string_view>({"DDPMScheduler", "DDIMScheduler", "EulerDiscreteScheduler"});

Sampler sampler_of(Settings& s, std::optional<Sampler> wanted) {
  const std::string& kind = s.text("_class_name");
  if (wanted) return *wanted;
  for (size_t i = 0; i < kSchedulerClasses.size(); ++i)
    if (kind == kSchedulerClasses[i]) return static_cast<Sampler>(i);
  s.fail("_class_name", fmt::format("is \"{}\", which is not supported. Hint: name a sampler in "
                                    "its place: ddpm, ddim or euler",
                                    kind));
}

void read_betas(Settings& s, NoiseScheduleOptions& o) {
  o.times = s.whole_or("num_train_timesteps", 1, kMostNoiseTimes, 1000);
  constexpr auto kCurves =
      std::to_array<std::string_view>({"linear", "scaled_linear", "squaredcos_cap_v2"});
  o.curve = static_cast<BetaCurve>(choice_among(s, "beta_schedule", kCurves, "linear"));
  o.first_beta = s.positive_or("beta_start", o.first_beta);
  o.last_beta = s.positive_or("beta_end", o.last_beta);
  for (const auto& [name, beta] :
       {std::pair("beta_start", o.first_beta), std::pair("beta_end", o.last_beta)})
    if (beta >= 1) s.fail(name, fmt::format("is {}, not below 1", beta));
  if (!s.has("trained_betas")) return;
  for (const JsonPart& part : s.list("trained_betas")) {
    o.betas.push_back(part.number());
    if (!(o.betas.back() > 0) || o.betas.back() >= 1) part.fail("is not above 0 and below 1");
  }
  if (std::ssize(o.betas) != o.times)
    s.fail("trained_betas", fmt::format("are {}, of {} times", o.betas.size(), o.times));
}

// What of a schedule only one sampler reads.
void read_ends(Settings& s, NoiseScheduleOptions& o) {
  if (o.sampler == Sampler::Euler) {
    require_kind(s, "interpolation_type", "linear");
    require_kind(s, "timestep_type", "discrete");
    constexpr auto kEnds = std::to_array<std::string_view>({"zero", "sigma_min"});
    o.ends_without_noise = choice_among(s, "final_sigmas_type", kEnds, "zero") == 0;
    return;
  }
  const double clip = s.positive_or("clip_sample_range", 1);
  o.clip = s.flag_or("clip_sample", true) ? clip : 0;
  if (o.sampler == Sampler::Ddim) {
    o.ends_without_noise = s.flag_or("set_alpha_to_one", true);
    return;
  }
  // The first two are one: the logarithm is taken only to bring it back.
  constexpr auto kVariances =
      std::to_array<std::string_view>({"fixed_small", "fixed_small_log", "fixed_large"});
  o.has_large_variance = choice_among(s, "variance_type", kVariances, "fixed_small") == 2;
}

NoiseScheduleOptions read_schedule(Settings& s, std::optional<Sampler> wanted) {
  NoiseScheduleOptions o;
  o.sampler = sampler_of(s, wanted);
  read_betas(s, o);
  constexpr auto kPredictions =
      std::to_array<std::string_view>({"epsilon", "sample", "v_prediction"});
  o.prediction =
      static_cast<Prediction>(choice_among(s, "prediction_type", kPredictions, "epsilon"));
  constexpr auto kSpacings = std::to_array<std::string_view>({"leading", "trailing", "linspace"});
  o.spacing = static_cast<TimeSpacing>(choice_among(
      s, "timestep_spacing", kSpacings, o.sampler == Sampler::Euler ? "linspace" : "leading"));
  o.offset = s.whole_or("steps_offset", 0, o.times, 0);
  read_ends(s, o);
  s.require_all_read(kHarmlessForSchedules);
  return o;
}

// ---- the folder

// Where a part's files are: in a folder of its name, or, as the first models were published, beside
// model_index.json.
fs::path part_folder(const fs::path& folder, std::string_view part) {
  std::error_code unknown;
  const fs::path own = folder / part;
  return fs::is_directory(own, unknown) ? own : folder;
}

void require_pipeline(const fs::path& folder) {
  const fs::path file = folder / "model_index.json";
  Settings s(json_of_file(kLoadDiffusion, file), file.string());
  const std::string& kind = s.text("_class_name");
  if (kind == "DDPMPipeline" || kind == "DDIMPipeline") return;
  s.fail("_class_name",
         fmt::format("is \"{}\", and may be \"DDPMPipeline\" and \"DDIMPipeline\"", kind));
}

// Attention as it was called before it had to do with texts.
std::string renamed_attention(std::string name) {
  constexpr auto kRenamed =
      std::to_array<std::pair<std::string_view, std::string_view>>({{".query.", ".to_q."},
                                                                    {".key.", ".to_k."},
                                                                    {".value.", ".to_v."},
                                                                    {".proj_attn.", ".to_out.0."}});
  if (name.find("attentions.") == std::string::npos) return name;
  for (const auto& [old, present] : kRenamed)
    if (const size_t at = name.find(old); at != std::string::npos)
      return name.replace(at, old.size(), present);
  return name;
}

}  // namespace

DiffusionFolder::DiffusionFolder(const fs::path& folder, std::optional<Sampler> sampler) {
  require_pipeline(folder);
  const fs::path unet = part_folder(folder, "unet"), file = unet / "config.json";
  const nlohmann::json content = json_of_file(kLoadDiffusion, file);
  Settings s(content, file.string());
  network_ = read_network(s, content.contains("attention_head_dim"));
  const bool has_two_sides = content.contains("sample_size") && content["sample_size"].is_array();
  size_ = read_picture_size(s, has_two_sides, network_.levels.size());
  s.require_all_read(kHarmlessForUNet);
  const fs::path steps = part_folder(folder, "scheduler") / "scheduler_config.json";
  Settings of_steps(json_of_file(kLoadDiffusion, steps), steps.string());
  schedule_ = read_schedule(of_steps, sampler);
  file_ = find_weights(kLoadDiffusion, unet, "diffusion_pytorch_model");
}

void DiffusionFolder::load_weights(UNet2D& network, const nn::ReadProgress& progress) const {
  nn::StateDict tensors;
  for (auto& [name, tensor] : nn::load_file(file_.path, network.options().device, progress).tensors)
    tensors.insert_or_assign(renamed_attention(name), tensor);
  WeightSource source(kLoadDiffusion, std::move(tensors), file_.path.string());
  nn::StateDict weights;
  for (const auto& [name, tensor] : nn::state_dict(network))
    weights.emplace(name, source.take(name, tensor.shape()).cast(DType::Float32));
  source.require_all_taken();
  nn::load_state_dict(network, weights);
}

}  // namespace tg::models
