// Sentence embeddings: encoders of BERT's family that make a vector of a text, such that texts of
// like meaning have vectors of like direction. Link `tinygrad::models`.
//
//   auto encoder = tg::models::TextEncoder::load("all-MiniLM-L6-v2");
//   const std::vector<std::string> texts = {"A cat sleeps.", "A kitten naps.", "Taxes are due."};
//   const tg::Tensor x = encoder.embed(texts);             // [3, 384]
//   std::cout << x.matmul(x.transpose()) << '\n';          // cosines: these vectors have length 1
//
// Which models there are, and what of a folder is refused: docs/embeddings.md. Models that go on
// with a text: language_model.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/models/tokenizer.h"
#include "tg/tensor.h"

namespace tg::models {

/// Of TextEncoder::load.
struct TextEncoderOptions {
  std::string device = {};  ///< where it computes; empty: the default device
  /// Tokens of a text, of which the others are cut off; 0: as the model's files say. More than the
  /// model was made for is an ArgumentError.
  int64_t longest = 0;
  /// What is put before each text that is embedded; none named: the model's own, most have none.
  std::optional<std::string> prompt = {};
  /// Bytes that the weights may take; 0: what the system says is free, where it does.
  uint64_t memory = 0;
  /// Called while weights are read: bytes so far, and of all.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// What an encoder is.
struct TextEncoderInfo {
  std::string family;  ///< "bert", "distilbert", …
  int64_t layers = 0;
  int64_t width = 0;                                ///< numbers for each token
  int64_t size = 0;                                 ///< numbers for each text
  int64_t vocabulary = 0;                           ///< tokens
  int64_t longest = 0;                              ///< tokens of a text, special ones included
  bool normalises = false;                          ///< vectors have length 1
  std::string prompt = {};                          ///< what is put before each text
  std::map<std::string, std::string> prompts = {};  ///< that the model knows, by name
  uint64_t weight_bytes = 0;                        ///< of its files
};

/// An encoder with its weights and its tokenizer if it has one. Copies are names for one encoder;
/// only one thread at a time may use it.
class TG_API TextEncoder {
 public:
  /// From a folder with config.json and model.safetensors or model.safetensors.index.json, of the
  /// families bert, roberta, xlm-roberta, camembert, distilbert and mpnet. The files that
  /// sentence-transformers puts beside them say how tokens become a vector; without them it is the
  /// mean of all. FileError, naming file and key or tensor, for what is missing, damaged or not
  /// supported; ArgumentError for options out of range, or if it needs more memory than there is.
  static TextEncoder load(const std::filesystem::path& folder,
                          const TextEncoderOptions& options = {});

  const TextEncoderInfo& info() const;
  /// Null if there is none beside the model.
  const Tokenizer* tokenizer() const;

  /// The tokens of a text as embed() reads it: with the prompt and special tokens, at most
  /// `longest` of them. ArgumentError without a tokenizer.
  std::vector<int32_t> tokens(std::string_view text) const;

  /// The vectors of texts, float32 [texts, size]. `progress` is called with the number of texts
  /// that are done. Texts do not change each other, but for the last bits of sums. CancelledError
  /// if the program's interrupt hook asks for it; ArgumentError without a tokenizer.
  Tensor embed(std::span<const std::string> texts,
               const std::function<void(int64_t done)>& progress = {});

  /// The same of texts as tokens, special ones included; no tokens are a vector of zeros.
  /// ArgumentError, which names the text, for more than `longest`, or one that is not in the
  /// vocabulary.
  Tensor embed_tokens(std::span<const std::vector<int32_t>> texts,
                      const std::function<void(int64_t done)>& progress = {});

  /// What the last layer makes of a text's tokens, before pooling: float32 [tokens, width].
  /// ArgumentError as of embed_tokens, and for no tokens.
  Tensor hidden(std::span<const int32_t> tokens);

  /// Compiles what texts of up to 512 tokens need, so that the first ones do not wait for it.
  void warm_up();

 private:
  struct State;
  explicit TextEncoder(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// Whether a folder's config.json names a family of encoders that is supported. False also for what
/// cannot be read.
TG_API bool is_text_encoder(const std::filesystem::path& folder);

}  // namespace tg::models
