// See source_decoder.h.
#include "frontend/language/source_decoder.h"

#include <algorithm>

#include "tg/autograd.h"

namespace tg::models {

SourceDecoder::SourceDecoder(DecoderConfig config, DecoderWeights weights, int64_t context,
                             int64_t chunk, const std::string& device)
    : decoder_(std::move(config), std::move(weights), context, device),
      device_(device),
      chunk_(chunk),
      begin_("begin", 0, context - 1),
      count_("count", 1, chunk),
      after_chunk_(
          [this](const Tensor& x, const SymInt& at, const SymInt& n, const SymInt& source) {
            return decoder_.logits(decoder_(x, at, n, 0, source)[{n - 1}]);
          }),
      after_token_([this](const Tensor& x, const SymInt& at, const SymInt&, const SymInt& source) {
        return decoder_.logits(decoder_(x, at, 1, 0, source)[{0}]);
      }),
      after_each_([this](const Tensor& x, const SymInt& at, const SymInt& n, const SymInt& source) {
        return decoder_.logits(decoder_(x, at, n, 0, source));
      }) {}

void SourceDecoder::begin(const SymInt& source) {
  source_ = source;
  known_ = 0;
}

std::vector<float> SourceDecoder::call(TinyJit<ReadCall>& f, std::span<const int32_t> tokens) {
  std::vector<int32_t> padded(tokens.begin(), tokens.end());
  if (&f != &after_token_) padded.resize(static_cast<size_t>(chunk_), 0);
  const NoGradScope no_gradients;
  const Tensor in(padded, TensorOptions{.device = device_});
  std::vector<float> logits =
      f(decoder_.embedded(in), begin_.bind(known_), count_.bind(std::ssize(tokens)), source_)
          .to_vector<float>();
  known_ += std::ssize(tokens);
  return logits;
}

std::vector<float> SourceDecoder::read(std::span<const int32_t> tokens) {
  std::vector<float> logits;
  while (!tokens.empty()) {
    const size_t n = std::min(tokens.size(), static_cast<size_t>(chunk_));
    logits = call(n == 1 ? after_token_ : after_chunk_, tokens.first(n));
    tokens = tokens.subspan(n);
  }
  return logits;
}

std::vector<float> SourceDecoder::read_each(std::span<const int32_t> tokens) {
  std::vector<float> all;
  while (!tokens.empty()) {
    const size_t n = std::min(tokens.size(), static_cast<size_t>(chunk_));
    const std::vector<float> some = call(after_each_, tokens.first(n));
    all.insert(all.end(), some.begin(), some.end());
    tokens = tokens.subspan(n);
  }
  return all;
}

}  // namespace tg::models
