// UNet2D of tg/models/unet.h: what is checked of its options, and the order of its blocks. What
// these compute: unet_blocks.h.
#include "tg/models/unet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "frontend/diffusion/unet_blocks.h"
#include "support/check.h"

namespace tg::models {
namespace {

void check_least(std::string_view name, int64_t value, int64_t least) {
  if (value >= least) return;
  user_error<ArgumentError>("UNet2D",
                            fmt::format("{} must be at least {}, got {}", name, least, value));
}

void check_divides(std::string_view what, int64_t divisor, int64_t channels) {
  if (channels % divisor == 0) return;
  user_error<ArgumentError>(
      "UNet2D",
      fmt::format("{} must divide the channels: {} does not divide {}", what, divisor, channels));
}

// The norms of the way up see what two levels give side by side.
void check_groups_of_levels(const UNetOptions& o) {
  for (size_t i = 0; i < o.levels.size(); ++i) {
    const int64_t mine = o.levels[i].channels;
    check_divides("groups", o.groups, mine);
    const bool has_attention = o.levels[i].down_attention || o.levels[i].up_attention ||
                               (i + 1 == o.levels.size() && o.middle_attention);
    if (has_attention && o.head_size != 0) check_divides("head_size", o.head_size, mine);
  }
  if (o.middle_attention && o.middle_groups != 0)
    check_divides("middle_groups", o.middle_groups, o.levels.back().channels);
}

UNetOptions checked_unet(UNetOptions o) {
  check_least("channels", o.channels, 1);
  if (o.out_channels == 0) o.out_channels = o.channels;
  check_least("out_channels", o.out_channels, 1);
  if (o.levels.empty()) user_error<ArgumentError>("UNet2D", "there are no levels");
  for (const UNetLevel& level : o.levels) check_least("channels of a level", level.channels, 2);
  check_least("layers", o.layers, 1);
  check_least("head_size", o.head_size, 0);
  check_least("groups", o.groups, 1);
  check_least("middle_groups", o.middle_groups, 0);
  check_least("classes", o.classes, 0);
  if (o.time_size == 0) o.time_size = 4 * o.levels[0].channels;
  check_least("time_size", o.time_size, 1);
  check_groups_of_levels(o);
  const double waves = static_cast<double>(o.levels[0].channels / 2);
  if (!(o.frequency_shift >= 0) || o.frequency_shift >= waves) {
    user_error<ArgumentError>(
        "UNet2D", fmt::format("frequency_shift must be from 0 to below {}, got {}", waves,
                              o.frequency_shift));
  }
  for (const double positive : {o.middle_scale, o.norm_eps}) {
    if (!(positive > 0) || !std::isfinite(positive)) {
      user_error<ArgumentError>(
          "UNet2D", fmt::format("middle_scale and norm_eps must be above 0, got {}", positive));
    }
  }
  return o;
}

// In float32, as where models were trained: the last time times a frequency is up to a thousand,
// and a unit of the frequency's last place shows.
std::vector<float> frequencies_of(const UNetOptions& o) {
  const int64_t waves = o.levels[0].channels / 2;
  const auto steps = static_cast<float>(static_cast<double>(waves) - o.frequency_shift);
  const auto range = static_cast<float>(-std::log(10000.0));
  std::vector<float> out;
  for (int64_t i = 0; i < waves; ++i)
    out.push_back(std::exp(range * static_cast<float>(i) / steps));
  return out;
}

// The layers of a U-Net, by the names that they are published with.
struct UNetLayers {
  explicit UNetLayers(const UNetOptions& o);
  template <typename F>
  void visit(F&& f) {
    f("conv_in", conv_in);
    f("time_embedding.linear_1", time_1);
    f("time_embedding.linear_2", time_2);
    if (classes) f("class_embedding", *classes);
    f("down_blocks", down);
    f("mid_block", middle);
    f("up_blocks", up);
    f("conv_norm_out", norm_out);
    f("conv_out", conv_out);
  }

  nn::Conv2d conv_in;
  nn::Linear time_1, time_2;
  std::optional<nn::Embedding> classes;
  std::vector<UNetBlock> down;
  UNetBlock middle;
  std::vector<UNetBlock> up;
  nn::GroupNorm norm_out;
  nn::Conv2d conv_out;

 private:
  void add_down(const UNetOptions& o, const UNetBlockSettings& s);
  void add_middle(const UNetOptions& o, UNetBlockSettings s);
  void add_up(const UNetOptions& o, const UNetBlockSettings& s);
};

UNetLayers::UNetLayers(const UNetOptions& o)
    : conv_in(o.channels, o.levels[0].channels, 3,
              {.padding = 1, .placement = {.device = o.device}}),
      time_1(o.levels[0].channels, o.time_size, {.placement = {.device = o.device}}),
      time_2(o.time_size, o.time_size, {.placement = {.device = o.device}}),
      norm_out(o.groups, o.levels[0].channels,
               {.eps = o.norm_eps, .placement = {.device = o.device}}),
      conv_out(o.levels[0].channels, o.out_channels, 3,
               {.padding = 1, .placement = {.device = o.device}}) {
  if (o.classes > 0)
    classes = nn::Embedding(o.classes, o.time_size, {.placement = {.device = o.device}});
  const UNetBlockSettings s{.time_size = o.time_size,
                            .groups = o.groups,
                            .head_size = o.head_size,
                            .eps = o.norm_eps,
                            .dropout = o.dropout,
                            .device = o.device};
  add_down(o, s);
  add_middle(o, s);
  add_up(o, s);
}

void UNetLayers::add_down(const UNetOptions& o, const UNetBlockSettings& s) {
  int64_t in = o.levels[0].channels;
  for (size_t i = 0; i < o.levels.size(); ++i) {
    const int64_t out = o.levels[i].channels;
    UNetBlock b;
    for (int64_t k = 0; k < o.layers; ++k) {
      b.residuals.emplace_back(k == 0 ? in : out, out, s);
      if (o.levels[i].down_attention) b.attentions.emplace_back(out, o.groups, s);
    }
    if (i + 1 < o.levels.size()) {
      // For both axes zeros before and after, or one number for all.
      const PerAxis padding = o.pads_end_only ? PerAxis{0, 1, 0, 1} : PerAxis{1};
      b.halving = nn::Conv2d(out, out, 3,
                             {.stride = 2, .padding = padding, .placement = {.device = o.device}});
    }
    down.push_back(std::move(b));
    in = out;
  }
}

void UNetLayers::add_middle(const UNetOptions& o, UNetBlockSettings s) {
  const int64_t channels = o.levels.back().channels;
  s.scale = o.middle_scale;
  middle.residuals.emplace_back(channels, channels, s);
  if (o.middle_attention)
    middle.attentions.emplace_back(channels, o.middle_groups == 0 ? o.groups : o.middle_groups, s);
  middle.residuals.emplace_back(channels, channels, s);
}

// A block takes what each part of the level's way down gave, the last first, and before that what
// came into the level.
void UNetLayers::add_up(const UNetOptions& o, const UNetBlockSettings& s) {
  int64_t before = o.levels.back().channels;
  for (size_t i = o.levels.size(); i-- > 0;) {
    const int64_t out = o.levels[i].channels, upper = o.levels[i == 0 ? 0 : i - 1].channels;
    UNetBlock b;
    for (int64_t k = 0; k <= o.layers; ++k) {
      const int64_t skip = k == o.layers ? upper : out;
      b.residuals.emplace_back((k == 0 ? before : out) + skip, out, s);
      if (o.levels[i].up_attention) b.attentions.emplace_back(out, o.groups, s);
    }
    if (i > 0)
      b.doubling = nn::Conv2d(out, out, 3, {.padding = 1, .placement = {.device = o.device}});
    up.push_back(std::move(b));
    before = out;
  }
}

}  // namespace

struct UNet2D::Network {
  explicit Network(UNetOptions o)
      : options(checked_unet(std::move(o))),
        layers(options),
        frequencies(frequencies_of(options), TensorOptions{.device = options.device}) {}

  void check(const Tensor& x, const Tensor& times) const;
  Tensor time_of(const Tensor& times) const;
  // `time`: activated, [n, time_size].
  Tensor result(const Tensor& x, const Tensor& time) const;

  UNetOptions options;
  UNetLayers layers;
  Tensor frequencies;
};

void UNet2D::Network::check(const Tensor& x, const Tensor& times) const {
  const Shape shape = x.shape();
  const int64_t multiple = int64_t{1} << (options.levels.size() - 1);
  if (shape.size() != 4 || shape[1] != options.channels || shape[2] % multiple != 0 ||
      shape[3] % multiple != 0) {
    user_error<ShapeError>(
        "UNet2D",
        fmt::format("pictures are [n, {}, height, width], these multiples of {}, got [{}]",
                    options.channels, multiple, fmt::join(shape, ", ")));
  }
  if (times.shape() != Shape{shape[0]}) {
    user_error<ShapeError>(
        "UNet2D", fmt::format("times of {} pictures are [{}], got [{}]", shape[0], shape[0],
                              fmt::join(times.shape(), ", ")));
  }
}

// Waves of the time, and two linear layers.
Tensor UNet2D::Network::time_of(const Tensor& times) const {
  const Tensor angles = times.cast(DType::Float32).unsqueeze(1) * frequencies.unsqueeze(0);
  Tensor waves = options.cosines_first ? Tensor::cat({angles.cos(), angles.sin()}, 1)
                                       : Tensor::cat({angles.sin(), angles.cos()}, 1);
  if (options.levels[0].channels % 2 == 1) waves = waves.pad({{0, 0}, {0, 1}});
  return layers.time_2(layers.time_1(waves).silu());
}

Tensor UNet2D::Network::result(const Tensor& pictures, const Tensor& time) const {
  std::vector<Tensor> skips = {layers.conv_in(options.centers_input ? 2 * pictures - 1 : pictures)};
  for (const UNetBlock& block : layers.down) go_down(block, time, skips);
  Tensor x = through_middle(layers.middle, skips.back(), time);
  for (const UNetBlock& block : layers.up) x = go_up(block, x, time, skips);
  return layers.conv_out(layers.norm_out(x).silu());
}

UNet2D::UNet2D(const UNetOptions& options) {
  const auto network = std::make_shared<Network>(options);
  nn::visit_tensors(network->layers,
                    [&](const std::string& name, Tensor& t) { tensors_.emplace_back(name, t); });
  network_ = network;
}

const UNetOptions& UNet2D::options() const { return network_->options; }

Tensor UNet2D::operator()(const Tensor& pictures, const Tensor& times) const {
  network_->check(pictures, times);
  if (network_->layers.classes)
    user_error<ArgumentError>("UNet2D", "the network wants the classes of pictures");
  return network_->result(pictures, network_->time_of(times).silu());
}

Tensor UNet2D::operator()(const Tensor& pictures, const Tensor& times,
                          const Tensor& classes) const {
  network_->check(pictures, times);
  if (!network_->layers.classes) user_error<ArgumentError>("UNet2D", "the network has no classes");
  if (classes.shape() != times.shape()) {
    user_error<ShapeError>("UNet2D",
                           fmt::format("classes of {} pictures are [{}], got [{}]", times.size(0),
                                       times.size(0), fmt::join(classes.shape(), ", ")));
  }
  const Tensor told = network_->time_of(times) + (*network_->layers.classes)(classes);
  return network_->result(pictures, told.silu());
}

}  // namespace tg::models
