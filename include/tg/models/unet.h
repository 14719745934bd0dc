// The U-Net of diffusion models: a network from pictures with noise and the times of that noise to
// what the noise is, as `UNet2DModel` of `diffusers` has it (Ho et al., 2020). An ordinary model of
// nn.h (state dict, optimisers, files), whose tensors have the names that they are published with.
// Link `tinygrad::models`.
//
//   tg::models::UNet2D net({.channels = 1, .levels = {{32}, {64, true, true}}, .groups = 8});
//   tg::nn::Adam adam(net);
//   const tg::models::NoiseSchedule schedule;
//   tg::TrainingScope training;
//   const tg::Tensor noisy = schedule.add_noise(pictures, noise, times);
//   adam.step((net(noisy, times) - schedule.target(pictures, noise, times)).square().mean());
//
// How much noise there is at which time: noise_schedule.h. Published models, and pictures of them:
// diffusion.h. Details: docs/diffusion.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/tensor.h"

namespace tg::models {

/// A level of a U-Net, from the full size of pictures down: each has half the height and width of
/// the one before it.
struct UNetLevel {
  int64_t channels = 0;
  bool down_attention = false;  ///< attention behind each residual block on the way down
  bool up_attention = false;    ///< the same on the way up
};

/// Of UNet2D.
struct UNetOptions {
  int64_t channels = 3;      ///< of pictures
  int64_t out_channels = 0;  ///< of the result; 0: those of pictures
  std::vector<UNetLevel> levels = {{64}, {128}, {256, true, true}};
  int64_t layers = 2;     ///< residual blocks of a level on the way down; one more on the way up
  int64_t head_size = 8;  ///< channels of a head of attention; 0: one head
  int64_t groups = 32;    ///< of the group normalisations
  int64_t middle_groups = 0;  ///< of the one before the attention in the middle; 0: `groups`
  bool middle_attention = true;
  double middle_scale = 1;  ///< by which what the parts of the middle give is divided
  double norm_eps = 1e-5;   ///< added to the variances
  /// Of the waves that tell the time: cosines before sines, and what is subtracted from their
  /// number in the exponents of their frequencies.
  bool cosines_first = true;
  double frequency_shift = 0;
  int64_t time_size = 0;  ///< numbers that tell the time; 0: four times the first level's channels
  int64_t classes = 0;    ///< of pictures, if it is to be told theirs
  bool pads_end_only = false;  ///< a picture that is halved gets zeros on its right and lower sides
                               ///< only, instead of all sides
  bool centers_input = false;  ///< pictures from 0 to 1 become such from −1 to 1
  double dropout = 0;          ///< share of the numbers of a block that are zeroed while training
  std::string device = {};     ///< empty: the default device
};

/// Residual blocks with group normalisation on each level, on the way down and again on the way up,
/// where what the way down gave is appended; attention between all places of some levels. Copies
/// are names for one network. Dropout follows TrainingScope.
class TG_API UNet2D {
 public:
  /// ArgumentError for no levels, numbers below 1, groups that do not divide channels, and heads
  /// that do not.
  explicit UNet2D(const UNetOptions& options = {});

  const UNetOptions& options() const;

  /// Lazily: pictures with noise, float32 [n, channels, height, width], and the time of each, [n]
  /// of any dtype, → [n, out_channels, height, width]. Height and width are multiples of 2 for
  /// every level but the first. ShapeError for others, ArgumentError for a network of classes.
  Tensor operator()(const Tensor& pictures, const Tensor& times) const;
  /// The same with the class of each picture, integers [n]. ArgumentError without classes.
  Tensor operator()(const Tensor& pictures, const Tensor& times, const Tensor& classes) const;

  template <typename F>
  void visit(F&& f) {
    for (auto& [name, tensor] : tensors_) f(name, tensor);
  }

 private:
  struct Network;
  std::shared_ptr<const Network> network_;
  std::vector<std::pair<std::string, Tensor>> tensors_;
};

}  // namespace tg::models
