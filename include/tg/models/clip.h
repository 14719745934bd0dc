// CLIP (Radford et al., 2021): an encoder of pictures and an encoder of texts whose vectors can be
// compared, so that texts say what a picture may be of. From the folders that models are published
// as (config.json, model.safetensors, preprocessor_config.json, a tokenizer). Link
// `tinygrad::models`.
//
//   auto clip = tg::models::Clip::load("clip-vit-base-patch32");
//   const std::vector<std::string> labels = {"a photo of a cat", "a photo of a dog"};
//   for (const auto& guess : clip.classify(tg::images::read("pet.jpg"), labels))
//     std::cout << guess.label << " " << guess.probability << "\n";
//
// What of a folder is read, and what is refused: docs/clip.md. Networks with classes of their own:
// image_classifier.h. Vectors of longer texts: text_encoder.h.
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
#include "tg/models/image_classifier.h"
#include "tg/models/tokenizer.h"
#include "tg/tensor.h"

namespace tg::models {

/// Of Clip::load.
struct ClipOptions {
  std::string device = {};  ///< where it computes; empty: the default device
  /// Bytes that the weights may take; 0: what the system says is free, where it does.
  uint64_t memory = 0;
  /// Called while weights are read: bytes so far, and of all.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// What a model is.
struct ClipInfo {
  int64_t text_layers = 0, image_layers = 0;
  int64_t text_width = 0, image_width = 0;  ///< numbers for each token, and part of a picture
  int64_t size = 0;                         ///< numbers of a vector
  int64_t vocabulary = 0;                   ///< tokens
  int64_t longest = 0;                      ///< tokens of a text, special ones included
  int64_t image_size = 0;                   ///< height and width of what it sees
  int64_t patch = 0;                        ///< height and width of a part
  double scale = 0;                         ///< of the cosines, in logits
  uint64_t weight_bytes = 0;                ///< of its files
};

/// Of Clip::classify.
struct ClipClassifyOptions {
  int64_t top = 5;            ///< so many labels, or fewer where there are not so many
  std::string prompt = "{}";  ///< the text of a label, which stands in place of each {}
};

/// Both encoders with their weights, and the tokenizer if there is one. Copies are names for one
/// model; only one thread at a time may use it. Vectors have length 1. A function that computes
/// them throws CancelledError if the program's interrupt hook asks for it.
class TG_API Clip {
 public:
  /// From a folder of CLIPModel. FileError, naming file and key or tensor, for what is missing,
  /// damaged or not supported; ArgumentError if it needs more memory than there is.
  static Clip load(const std::filesystem::path& folder, const ClipOptions& options = {});

  const ClipInfo& info() const;
  /// Null if there is none beside the model.
  const Tokenizer* tokenizer() const;
  const ImagePreprocessing& preprocessing() const;

  /// The tokens of a text as embed_texts() reads it: between the special ones, at most `longest`.
  /// ArgumentError without a tokenizer.
  std::vector<int32_t> tokens(std::string_view text) const;
  /// A picture, uint8 [height, width, 3], as the model sees it: float32 [3, image_size,
  /// image_size]. ShapeError and DTypeError for what is no picture.
  Tensor preprocess(const Tensor& picture) const;

  /// The vectors of texts, float32 [texts, size]. `progress` is called with the number of texts
  /// that are done. Texts do not change each other, but for the last bits of sums. ArgumentError
  /// without a tokenizer.
  Tensor embed_texts(std::span<const std::string> texts,
                     const std::function<void(int64_t done)>& progress = {});
  /// The same of texts as tokens, special ones included. The vector is that of the token for the
  /// end of texts, the first if there are several; of models that were published with the wrong
  /// number for it (2), that of the token with the largest. ArgumentError, which names the text,
  /// for none or more than `longest` tokens, one that is not in the vocabulary, and without an end.
  Tensor embed_tokens(std::span<const std::vector<int32_t>> texts,
                      const std::function<void(int64_t done)>& progress = {});

  /// The vectors of pictures of any sizes, uint8 [height, width, 3] each: float32 [pictures, size].
  /// `progress` is called with the number of pictures that are done. ShapeError and DTypeError for
  /// what is no picture.
  Tensor embed_images(std::span<const Tensor> pictures,
                      const std::function<void(int64_t done)>& progress = {});
  /// The same of what preprocess() gives: float32 [n, 3, image_size, image_size] → [n, size].
  /// ShapeError and DTypeError for others.
  Tensor embed_pixels(const Tensor& pixels);

  /// How well texts say what is in pictures: the cosines of their vectors times `scale`, lazily,
  /// float32 [n, size] and [m, size] → [n, m]. The vectors may have any length, as means of several
  /// have. A softmax over the texts makes probabilities of them. ShapeError for other shapes.
  Tensor logits(const Tensor& images, const Tensor& texts) const;

  /// The most probable of labels for a picture, the most probable first. The vectors of the labels
  /// are kept for further calls with the same. ArgumentError without labels, for less than one that
  /// is asked for, for a prompt without {}, and without a tokenizer.
  std::vector<ImageGuess> classify(const Tensor& picture, std::span<const std::string> labels,
                                   const ClipClassifyOptions& options = {});

 private:
  struct State;
  explicit Clip(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// Whether a folder's config.json says that it holds a CLIP. False also for what cannot be read.
TG_API bool is_clip(const std::filesystem::path& folder);

}  // namespace tg::models
