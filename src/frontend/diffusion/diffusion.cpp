// See tg/models/diffusion.h. A step, network and all, is a recorded call for each number of
// pictures; its numbers (noise_step.h) are data, so that one recording serves all steps.
#include "tg/models/diffusion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <numbers>

#include "frontend/diffusion/diffusion_folder.h"
#include "frontend/diffusion/noise_step.h"
#include "frontend/language/memory.h"
#include "frontend/random_state_kept.h"
#include "support/check.h"
#include "tg/autograd.h"
#include "tg/jit.h"
#include "tg/training.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

// As many as fill the products; more take memory only.
constexpr int64_t kMostPicturesAtOnce = 16;
constexpr int64_t kMostPictures = 1 << 20;

int64_t numbers_of_network(UNet2D& network) {
  int64_t out = 0;
  for (const auto& [name, tensor] : nn::state_dict(network)) out += tensor.numel();
  return out;
}

// The numbers of a step as data, and back all but time, input and noise.
std::vector<float> packed_step(const NoiseStep& s) {
  return {s.time,  s.input_scale, s.from_sample, s.from_output, s.divisor,
          s.limit, s.picture,     s.sample,      s.output,      s.noise};
}

StepNumbers<Tensor> unpacked_step(const Tensor& numbers) {
  return {numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7], numbers[8]};
}

// Standard normal numbers of the places of each of some pictures, [pictures, numbers], for `keys`,
// uint64 [pictures]: Box and Muller's of two words each.
Tensor normal_numbers(const Tensor& keys, int64_t numbers) {
  const Tensor places = Tensor::arange(static_cast<double>(numbers),
                                       {.dtype = DType::UInt64, .device = keys.device()});
  const Shape shape = {keys.size(0), numbers};
  const Tensor words = places.unsqueeze(0).expand(shape).threefry(keys.unsqueeze(1).expand(shape));
  const auto unit = [](const Tensor& word) {  // of 32 bits, the uppermost 23
    return (word >> 9).cast(DType::UInt32).cast(DType::Float32) * 0x1p-23F;
  };
  const Tensor u = unit(words & int64_t{0xffffffff}), v = unit(words >> 32);
  return ((1 - u).log() * -2).sqrt() * (v * (2 * std::numbers::pi)).cos();
}

}  // namespace

struct Diffusion::State {
  // Pictures, what the network sees of them, the numbers of a step, new noise (zeros where it takes
  // none), and classes, which only networks of classes read.
  using StepCall = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                        const Tensor&)>;
  using NoiseCall = std::function<Tensor(const Tensor&)>;

  State(UNet2D net, const NoiseSchedule& noise, const PictureSize& size, uint64_t bytes);

  Shape shape_of(int64_t count) const { return {count, info.channels, info.height, info.width}; }
  Tensor stepped_by_network(const Tensor& x, const Tensor& seen, const Tensor& numbers,
                            const Tensor& noise, const Tensor& classes) const;
  Tensor drawn(const ImagineOptions& o, int64_t draw, int64_t begin, int64_t count);
  Tensor step(const NoiseStep& s, const Tensor& x, const Tensor& noise, const Tensor& classes);
  void check(const ImagineOptions& o) const;
  Tensor part(const ImagineOptions& o, const NoisePlan& plan, int64_t begin, int64_t count);

  UNet2D network;
  NoiseSchedule schedule;
  std::string device;
  DiffusionInfo info;
  std::map<int64_t, TinyJit<StepCall>> steps;    // by pictures
  std::map<int64_t, TinyJit<NoiseCall>> noises;  // by pictures
};

Diffusion::State::State(UNet2D net, const NoiseSchedule& noise, const PictureSize& size,
                        uint64_t bytes)
    : network(std::move(net)),
      schedule(noise),
      device(nn::parameters(network)[0].device()),
      info{.height = size.height,
           .width = size.width,
           .channels = network.options().channels,
           .classes = network.options().classes,
           .parameters = numbers_of_network(network),
           .weight_bytes = bytes} {}

Diffusion::Diffusion(std::shared_ptr<State> state) : state_(std::move(state)) {}

Diffusion::Diffusion(UNet2D network, const NoiseSchedule& schedule, int64_t height, int64_t width) {
  const UNetOptions& o = network.options();
  const int64_t multiple = int64_t{1} << (o.levels.size() - 1);
  for (const int64_t side : {height, width}) {
    if (side < 1 || side % multiple != 0) {
      user_error<ArgumentError>(
          "Diffusion", fmt::format("height and width must be multiples of {} for {} levels, got {}",
                                   multiple, o.levels.size(), side));
    }
  }
  if ((o.channels != 1 && o.channels != 3) || o.out_channels != o.channels) {
    user_error<ArgumentError>(
        "Diffusion", fmt::format("the network is from {} to {} channels, and pictures have 1 or 3",
                                 o.channels, o.out_channels));
  }
  const auto bytes = static_cast<uint64_t>(numbers_of_network(network)) * sizeof(float);
  state_ = std::make_shared<State>(std::move(network), schedule,
                                   PictureSize{.height = height, .width = width}, bytes);
}

Diffusion Diffusion::load(const fs::path& folder, const DiffusionOptions& o) {
  const DiffusionFolder files(folder, o.sampler);
  const RandomStateKept kept;
  UNetOptions options = files.network_options();
  options.device = o.device;
  UNet2D network(options);
  const auto bytes = static_cast<uint64_t>(numbers_of_network(network)) * sizeof(float);
  require_memory(kLoadDiffusion, folder.string(),
                 std::to_array<MemoryPart>({{"weights in float32", bytes}}), o.memory,
                 "Hint: choose a smaller model.");
  uint64_t done = 0;
  files.load_weights(network, [&](uint64_t read) {
    done += read;
    if (o.progress) o.progress(done, std::max(done, files.weight_bytes()));
  });
  return Diffusion(std::make_shared<State>(std::move(network), NoiseSchedule(files.schedule()),
                                           files.size(), files.weight_bytes()));
}

const DiffusionInfo& Diffusion::info() const { return state_->info; }
const NoiseSchedule& Diffusion::schedule() const { return state_->schedule; }
UNet2D& Diffusion::network() { return state_->network; }

// ---- noise

// What draw `draw` gives pictures `begin` and on. A picture's numbers depend on seed, draw and its
// own number only.
Tensor Diffusion::State::drawn(const ImagineOptions& o, int64_t draw, int64_t begin,
                               int64_t count) {
  if (o.noise) {
    const Tensor all = o.noise(draw);
    if (all.shape() != shape_of(o.count)) {
      user_error<ShapeError>(
          "sample", fmt::format("noise is [{}], got [{}]", fmt::join(shape_of(o.count), ", "),
                                fmt::join(all.shape(), ", ")));
    }
    return all[{Slice(begin, begin + count)}]
        .cast(DType::Float32)
        .to(device)
        .contiguous()
        .realize();
  }
  std::vector<uint64_t> blocks;
  for (int64_t i = 0; i < count; ++i)
    blocks.push_back(static_cast<uint64_t>(begin + i) << 32 | static_cast<uint64_t>(draw));
  const Tensor seed(std::vector<uint64_t>(static_cast<size_t>(count), o.seed),
                    TensorOptions{.device = device});
  const Tensor keys =
      Tensor(blocks, TensorOptions{.device = device}).threefry(seed).contiguous().realize();
  const Shape shape = shape_of(count);
  const auto f = [shape](const Tensor& k) {
    return normal_numbers(k, shape[1] * shape[2] * shape[3]).reshape(shape);
  };
  auto& call = noises.try_emplace(count, TinyJit<NoiseCall>(NoiseCall(f))).first->second;
  return call(keys);
}

// ---- steps

Tensor Diffusion::State::stepped_by_network(const Tensor& x, const Tensor& seen,
                                            const Tensor& numbers, const Tensor& noise,
                                            const Tensor& classes) const {
  const Tensor times = numbers[0].reshape({1}).expand({x.size(0)});
  const Tensor y = info.classes > 0 ? network(seen, times, classes) : network(seen, times);
  return stepped(unpacked_step(numbers), x, y) + noise * numbers[9];
}

Tensor Diffusion::State::step(const NoiseStep& s, const Tensor& x, const Tensor& noise,
                              const Tensor& classes) {
  const auto f = [this](const Tensor& in, const Tensor& seen, const Tensor& numbers,
                        const Tensor& more, const Tensor& labels) {
    return stepped_by_network(in, seen, numbers, more, labels);
  };
  auto& call = steps.try_emplace(x.size(0), TinyJit<StepCall>(StepCall(f))).first->second;
  const Tensor numbers(packed_step(s), TensorOptions{.device = device});
  // Outside the call: a recording is played without asking the program's interrupt hook.
  const Tensor seen = x * numbers[1];
  return call(x, seen, numbers, noise, classes);
}

void Diffusion::State::check(const ImagineOptions& o) const {
  if (o.count < 1 || o.count > kMostPictures) {
    user_error<ArgumentError>("sample",
                              fmt::format("count must be 1 to {}, got {}", kMostPictures, o.count));
  }
  if (info.classes == 0 && o.class_label)
    user_error<ArgumentError>("sample", "the model has no classes");
  if (info.classes == 0) return;
  if (!o.class_label) {
    user_error<ArgumentError>("sample",
                              fmt::format("the model wants one of {} classes", info.classes),
                              "Hint: give class_label.");
  }
  if (*o.class_label < 0 || *o.class_label >= info.classes) {
    user_error<ArgumentError>("sample", fmt::format("class_label must be 0 to {}, got {}",
                                                    info.classes - 1, *o.class_label));
  }
}

// So many pictures, from the number `begin` on.
Tensor Diffusion::State::part(const ImagineOptions& o, const NoisePlan& plan, int64_t begin,
                              int64_t count) {
  const int64_t parts = (o.count + kMostPicturesAtOnce - 1) / kMostPicturesAtOnce;
  const auto of_part = std::ssize(plan.steps);
  const Tensor classes =
      Tensor::full({count}, o.class_label.value_or(0), {.dtype = DType::Int32, .device = device})
          .contiguous()
          .realize();
  Tensor x = (drawn(o, 0, begin, count) * plan.start).realize();
  const Tensor none = x.zeros_like().contiguous().realize();
  for (int64_t i = 0; i < of_part; ++i) {
    const NoiseStep& s = plan.steps[static_cast<size_t>(i)];
    x = step(s, x, s.noise == 0 ? none : drawn(o, i + 1, begin, count), classes);
    if (o.on_step) o.on_step(begin / kMostPicturesAtOnce * of_part + i + 1, parts * of_part, x);
  }
  return x;
}

Tensor Diffusion::sample(const ImagineOptions& o) {
  State& s = *state_;
  s.check(o);
  const NoisePlan plan = s.schedule.plan(o.steps, o.eta);
  const NoGradScope no_gradients;
  const TrainingScope no_training(false);
  std::vector<Tensor> parts;
  for (int64_t begin = 0; begin < o.count; begin += kMostPicturesAtOnce)
    parts.push_back(s.part(o, plan, begin, std::min(kMostPicturesAtOnce, o.count - begin)));
  return parts.size() == 1 ? parts[0] : Tensor::cat(parts).realize();
}

Tensor Diffusion::generate(const ImagineOptions& o) {
  const Tensor numbers = sample(o);
  const NoGradScope no_gradients;
  return ((numbers / 2 + 0.5F).clamp(0, 1).permute({0, 2, 3, 1}) * 255)
      .round()
      .cast(DType::UInt8)
      .contiguous()
      .realize();
}

}  // namespace tg::models
