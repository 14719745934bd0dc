// See speech_model.h.
#include "frontend/speech/speech_model.h"

#include "tg/autograd.h"

namespace tg::models {
namespace {

constexpr int64_t kReadAtOnce = 32;  // of the text that went before

// Over the frames: x [1, in, n] to [1, width, n / step].
Tensor convolved(const Projection& p, const Tensor& x, int64_t step) {
  return x.conv2d(p.weight, {.bias = &*p.bias, .stride = {step}, .padding = {1}})
      .gelu(GeluForm::Erf)
      .contiguous();
}

}  // namespace

SpeechModel::SpeechModel(const SpeechConfig& config, SpeechWeights weights)
    : device_(weights.positions.device()),
      first_(std::move(weights.first)),
      second_(std::move(weights.second)),
      positions_(std::move(weights.positions)),
      encoder_(config.encoder, std::move(weights.encoder)),
      decoder_(config.decoder, std::move(weights.decoder), config.decoder.context, kReadAtOnce,
               device_),
      hear_([this](const Tensor& features) {
        const Tensor states = encoded(features).contiguous();
        decoder_.see(states, positions_.size(0));
        return states;
      }) {}

Tensor SpeechModel::encoded(const Tensor& features) const {
  const Tensor x = convolved(second_, convolved(first_, features.unsqueeze(0), 1), 2);
  return encoder_((x.squeeze(0).transpose() + positions_).contiguous());
}

Tensor SpeechModel::hear(const Tensor& features) {
  const NoGradScope no_gradients;
  forget();
  return hear_(features);
}

}  // namespace tg::models
