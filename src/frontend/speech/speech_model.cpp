// See speech_model.h.
#include "frontend/speech/speech_model.h"

#include <algorithm>

#include "tg/autograd.h"

namespace tg::models {
namespace {

constexpr int64_t kChunk = 4;  // tokens of a prompt: start, language, task, no times

// Over the frames: x [1, in, n] to [1, width, n / step].
Tensor convolved(const Projection& p, const Tensor& x, int64_t step) {
  return x.conv2d(p.weight, {.bias = &*p.bias, .stride = {step}, .padding = {1}})
      .gelu(GeluForm::Erf)
      .contiguous();
}

}  // namespace

SpeechModel::SpeechModel(const SpeechConfig& config, SpeechWeights weights)
    : config_(config),
      device_(weights.positions.device()),
      first_(std::move(weights.first)),
      second_(std::move(weights.second)),
      positions_(std::move(weights.positions)),
      encoder_(config.encoder, std::move(weights.encoder)),
      decoder_(config.decoder, std::move(weights.decoder), config.decoder.context, device_),
      begin_("begin", 0, config.decoder.context - 1),
      count_("count", 1, kChunk),
      hear_([this](const Tensor& features) {
        const Tensor states = encoded(features).contiguous();
        decoder_.see(states, config_.positions);
        return states;
      }),
      after_chunk_([this](const Tensor& x, const SymInt& at, const SymInt& n) {
        return decoder_.logits(decoder_(x, at, n, 0, config_.positions)[{n - 1}]);
      }),
      after_token_([this](const Tensor& x, const SymInt& at, const SymInt&) {
        return decoder_.logits(decoder_(x, at, 1, 0, config_.positions)[{0}]);
      }),
      after_each_([this](const Tensor& x, const SymInt& at, const SymInt& n) {
        return decoder_.logits(decoder_(x, at, n, 0, config_.positions));
      }) {}

Tensor SpeechModel::encoded(const Tensor& features) const {
  const Tensor x = convolved(second_, convolved(first_, features.unsqueeze(0), 1), 2);
  return encoder_((x.squeeze(0).transpose() + positions_).contiguous());
}

Tensor SpeechModel::hear(const Tensor& features) {
  const NoGradScope no_gradients;
  known_ = 0;
  return hear_(features);
}

std::vector<float> SpeechModel::call(TinyJit<ReadCall>& f, std::span<const int32_t> tokens) {
  std::vector<int32_t> padded(tokens.begin(), tokens.end());
  if (&f != &after_token_) padded.resize(kChunk, 0);
  const NoGradScope no_gradients;
  const Tensor in(padded, TensorOptions{.device = device_});
  std::vector<float> logits = f(decoder_.embedded(in), begin_.bind(known_),
                                count_.bind(static_cast<int64_t>(tokens.size())))
                                  .to_vector<float>();
  known_ += static_cast<int64_t>(tokens.size());
  return logits;
}

std::vector<float> SpeechModel::read(std::span<const int32_t> tokens) {
  std::vector<float> logits;
  while (!tokens.empty()) {
    const size_t n = std::min(tokens.size(), size_t{kChunk});
    logits = call(n == 1 ? after_token_ : after_chunk_, tokens.first(n));
    tokens = tokens.subspan(n);
  }
  return logits;
}

std::vector<float> SpeechModel::read_each(std::span<const int32_t> tokens) {
  std::vector<float> all;
  while (!tokens.empty()) {
    const size_t n = std::min(tokens.size(), size_t{kChunk});
    const std::vector<float> some = call(after_each_, tokens.first(n));
    all.insert(all.end(), some.begin(), some.end());
    tokens = tokens.subspan(n);
  }
  return all;
}

}  // namespace tg::models
