// What a U-Net of diffusion is made of: residual blocks that are told the time, attention between
// places, and the blocks of a level, of which the way down, the middle and the way up are made. The
// network: unet.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tg/models/unet.h"
#include "tg/nn.h"

namespace tg::models {

/// What the blocks of one network share.
struct UNetBlockSettings {
  int64_t time_size;
  int64_t groups;
  int64_t head_size;  ///< 0: one head
  double eps;
  double dropout;
  double scale = 1;  ///< by which results are divided
  std::string device;
};

/// Two convolutions around which x is led, with the time in between.
struct TimedResidual {
  TimedResidual(int64_t in, int64_t out, const UNetBlockSettings& s);
  /// x [n, in, height, width], time [n, time_size], activated.
  Tensor operator()(const Tensor& x, const Tensor& time) const;
  template <typename F>
  void visit(F&& f) {
    f("norm1", norm1);
    f("conv1", conv1);
    f("time_emb_proj", time);
    f("norm2", norm2);
    f("conv2", conv2);
    if (shortcut) f("conv_shortcut", *shortcut);
  }

  nn::GroupNorm norm1, norm2;
  nn::Conv2d conv1, conv2;
  nn::Linear time;
  std::optional<nn::Conv2d> shortcut;
  nn::Dropout dropout;
  double scale;
};

/// Every place of a picture sees all others: [n, channels, height, width] → the same shape.
struct PlaceAttention {
  PlaceAttention(int64_t channels, int64_t groups, const UNetBlockSettings& s);
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("group_norm", norm);
    f("to_q", q);
    f("to_k", k);
    f("to_v", v);
    f("to_out.0", out);
  }

  nn::GroupNorm norm;
  nn::Linear q, k, v, out;
  int64_t heads;
  double scale;
};

/// Residual blocks, attention behind some or all of them, and a change of size at the end.
struct UNetBlock {
  template <typename F>
  void visit(F&& f) {
    f("resnets", residuals);
    f("attentions", attentions);
    if (halving) f("downsamplers.0.conv", *halving);
    if (doubling) f("upsamplers.0.conv", *doubling);
  }

  std::vector<TimedResidual> residuals;
  std::vector<PlaceAttention> attentions;  ///< as many, none, or one less in the middle
  std::optional<nn::Conv2d> halving, doubling;
};

/// Appends what each part gives to `skips`, the last of which is the block's result.
void go_down(const UNetBlock& block, const Tensor& time, std::vector<Tensor>& skips);
Tensor through_middle(const UNetBlock& block, const Tensor& x, const Tensor& time);
/// Takes one of `skips` from its end for each part.
Tensor go_up(const UNetBlock& block, const Tensor& x, const Tensor& time,
             std::vector<Tensor>& skips);

}  // namespace tg::models
