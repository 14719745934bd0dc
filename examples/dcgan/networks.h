// The two networks of a deep convolutional GAN (Radford, Metz and Chintala, 2016), for digits of 28
// x 28: one draws pictures from random numbers, the other tells them from real ones.
#pragma once

#include <cstdint>

#include "tg/tg.h"

namespace dcgan {

/// How many numbers a picture is made of.
inline constexpr int64_t kCodes = 64;

struct Generator {
  /// `width`: channels of the last layer but one.
  explicit Generator(int64_t width)
      : start(kCodes, 2 * width, 7, {.bias = false}),
        norm1(2 * width),
        grow(2 * width, width, 4, {.stride = {2}, .padding = {1}, .bias = false}),
        norm2(width),
        draw(width, 1, 4, {.stride = {2}, .padding = {1}}) {}

  /// Random numbers [n, kCodes] → pictures [n, 1, 28, 28] from −1, black, to 1, white.
  tg::Tensor operator()(const tg::Tensor& codes) const {
    const tg::Tensor x = norm1(start(codes.reshape({-1, kCodes, 1, 1}))).relu();  // 7 x 7
    return draw(norm2(grow(x)).relu()).tanh();                                    // 14, 28
  }

  template <typename F>
  void visit(F&& f) {
    f("start", start), f("norm1", norm1);
    f("grow", grow), f("norm2", norm2);
    f("draw", draw);
  }

  tg::nn::ConvTranspose2d start;
  tg::nn::BatchNorm norm1;
  tg::nn::ConvTranspose2d grow;
  tg::nn::BatchNorm norm2;
  tg::nn::ConvTranspose2d draw;
};

struct Discriminator {
  explicit Discriminator(int64_t width)
      : look(1, width, 4, {.stride = {2}, .padding = {1}}),
        shrink(width, 2 * width, 4, {.stride = {2}, .padding = {1}, .bias = false}),
        norm(2 * width),
        judge(2 * width, 1, 7) {}

  /// [n, 1, 28, 28] → [n]: above 0 for pictures that it takes for real ones, before the sigmoid.
  tg::Tensor operator()(const tg::Tensor& pictures) const {
    const tg::Tensor x = look(pictures).leaky_relu(0.2);  // 14 x 14
    return judge(norm(shrink(x)).leaky_relu(0.2)).reshape({-1});
  }

  template <typename F>
  void visit(F&& f) {
    f("look", look);
    f("shrink", shrink), f("norm", norm);
    f("judge", judge);
  }

  tg::nn::Conv2d look, shrink;
  tg::nn::BatchNorm norm;
  tg::nn::Conv2d judge;
};

}  // namespace dcgan
