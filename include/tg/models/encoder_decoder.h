// Text to text: T5 (Raffel et al., 2020) and models of its form such as Flan-T5, which read a whole
// text and write another one: a translation, a summary, an answer. From the folders that models are
// published as (config.json, safetensors, tokenizer.json). Link `tinygrad::models`.
//
//   auto model = tg::models::EncoderDecoder::load("flan-t5-small");
//   std::cout << model.rewrite("Translate to German: How old are you?") << '\n';
//
// Models that go on with a text: language_model.h. What is read of a folder:
// docs/text-to-text.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/models/language_model.h"
#include "tg/models/tokenizer.h"
#include "tg/tensor.h"

namespace tg::models {

/// Of EncoderDecoder::load.
struct EncoderDecoderOptions {
  std::string device = {};  ///< where it computes; empty: the default device
  int64_t longest = 512;    ///< tokens of a text that is read, 1 to 65536
  int64_t context = 512;    ///< tokens of a text that is written, 1 to 65536
  /// Bytes that weights, keys and values may take; 0: what the system says is free, where it does.
  uint64_t memory = 0;
  /// Called while weights are read: bytes so far, and of all.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// What a model is.
struct EncoderDecoderInfo {
  std::string family;  ///< "t5"
  int64_t encoder_layers = 0, decoder_layers = 0;
  int64_t width = 0;          ///< numbers for each position
  int64_t vocabulary = 0;     ///< tokens
  int64_t longest = 0;        ///< tokens of a text that is read
  int64_t context = 0;        ///< tokens of a text that is written, the one that starts it included
  int32_t start = 0;          ///< the token that starts it
  uint64_t weight_bytes = 0;  ///< of its files
};

/// An encoder and a decoder with their weights, and a tokenizer if it has one. Copies are names for
/// one model; only one thread at a time may use it.
class TG_API EncoderDecoder {
 public:
  /// From a folder. FileError, naming file and key or tensor, for what is missing, damaged or not
  /// supported; ArgumentError for options out of range, or if it needs more memory than there is.
  static EncoderDecoder load(const std::filesystem::path& folder,
                             const EncoderDecoderOptions& options = {});

  const EncoderDecoderInfo& info() const;
  /// Null if there is none beside the model.
  const Tokenizer* tokenizer() const;
  /// Tokens that end what is written, as the model's files say.
  const std::vector<int32_t>& stop_tokens() const;

  /// For a text that is read, the logits after each token of one that is written (its start is the
  /// first of them): float32 [tokens, vocabulary]. ArgumentError for no tokens, too many, or one
  /// that is not in the vocabulary.
  Tensor logits(std::span<const int32_t> source, std::span<const int32_t> tokens);

  /// What the model writes for a text, without the start. `on_token` gets each token as it comes
  /// and ends the text by returning false. ArgumentError as for logits, and for options out of
  /// range; CancelledError if the program's interrupt hook asks for it, after which the model can
  /// be used as before.
  Generated generate(std::span<const int32_t> source, const GenerateOptions& options = {},
                     const std::function<bool(int32_t)>& on_token = {});

  /// The same of texts. `on_text` gets the answer piece by piece, whole characters, and ends it by
  /// returning false. ArgumentError without a tokenizer.
  std::string rewrite(std::string_view text, const GenerateOptions& options = {},
                      const std::function<bool(std::string_view)>& on_text = {});

 private:
  struct State;
  explicit EncoderDecoder(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// Whether a folder's config.json names a family of encoder–decoders of text that is supported.
/// False also for what cannot be read.
TG_API bool is_encoder_decoder(const std::filesystem::path& folder);

}  // namespace tg::models
