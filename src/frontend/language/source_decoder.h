// The second half of an encoder–decoder at work, as recorded calls: tokens are read, each after
// those before it and with a look at the states of the first half. Whose states those are:
// frontend/speech, encoder_decoder.cpp. The graph: decoder.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/language/decoder.h"
#include "tg/jit.h"

namespace tg::models {

/// Only one thread at a time may use it.
class SourceDecoder {
 public:
  /// Room for `context` tokens, of which `chunk` are read at once where there are several.
  SourceDecoder(DecoderConfig config, DecoderWeights weights, int64_t context, int64_t chunk,
                const std::string& device);
  SourceDecoder(const SourceDecoder&) = delete;
  SourceDecoder& operator=(const SourceDecoder&) = delete;

  const DecoderConfig& config() const { return decoder_.config(); }
  /// Tokens int32 [n] as rows of the embedding, float32 [n, width].
  Tensor embedded(const Tensor& tokens) const { return decoder_.embedded(tokens); }
  /// Part of a recorded call: the first `count` of the states [n, width] are what tokens look at.
  void see(const Tensor& states, const SymInt& count) const { decoder_.see(states, count); }
  /// Begins a text. `source`: how many states there are, of the same kind in all calls, a number
  /// or a bound variable.
  void begin(const SymInt& source);

  /// Goes on with the text, up to the context: the logits [vocabulary] after the last token.
  std::vector<float> read(std::span<const int32_t> tokens);
  /// The same after each of them, [tokens, vocabulary].
  std::vector<float> read_each(std::span<const int32_t> tokens);
  /// How many tokens of the text were read.
  int64_t known() const { return known_; }

 private:
  using ReadCall =
      std::function<Tensor(const Tensor&, const SymInt&, const SymInt&, const SymInt&)>;
  std::vector<float> call(TinyJit<ReadCall>& f, std::span<const int32_t> tokens);

  Decoder decoder_;
  std::string device_;
  int64_t chunk_;
  Variable begin_, count_;
  TinyJit<ReadCall> after_chunk_, after_token_, after_each_;
  SymInt source_ = 0;
  int64_t known_ = 0;
};

}  // namespace tg::models
