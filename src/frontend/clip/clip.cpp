// See tg/models/clip.h. Texts stand in rows of tokens as those of sentence encoders do
// (frontend/embedding/packing.h), pictures are computed several at once; each size of a row and
// each number of pictures is a recorded call. What the calls compute: clip_model.h.
#include "tg/models/clip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "frontend/clip/clip_model.h"
#include "frontend/embedding/packing.h"
#include "frontend/embedding/pooling.h"
#include "frontend/embedding/text_tokens.h"
#include "frontend/language/memory.h"
#include "frontend/tokenizer/tokenizer_files.h"
#include "frontend/vision/guesses.h"
#include "frontend/vision/preprocessing.h"
#include "support/check.h"
#include "tg/autograd.h"
#include "tg/jit.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

// As many as fill the products; more take memory only.
constexpr int64_t kMostAtOnce = 16;

ClipInfo clip_info(const ClipFolder& folder, double scale) {
  const ClipConfig& c = folder.config();
  return {.text_layers = c.text.layers,
          .image_layers = c.image.layers,
          .text_width = c.text.width,
          .image_width = c.image.width,
          .size = c.size,
          .vocabulary = c.text.vocabulary,
          .longest = c.text.context,
          .image_size = c.image_size,
          .patch = c.patch,
          .scale = scale,
          .weight_bytes = folder.weight_bytes()};
}

// The label in place of each {}.
std::string text_of_label(std::string_view prompt, const std::string& label) {
  constexpr std::string_view kPlace = "{}";
  std::string out;
  for (size_t at = 0; at < prompt.size();) {
    const size_t found = std::min(prompt.find(kPlace, at), prompt.size());
    out += prompt.substr(at, found - at);
    if (found < prompt.size()) out += label;
    at = found + kPlace.size();
  }
  return out;
}

}  // namespace

struct Clip::State {
  // A row of tokens: what they are, which texts they belong to, where these end.
  using TextCall = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>;
  using ImageCall = std::function<Tensor(const Tensor&)>;

  ClipConfig config;
  ClipInfo info;
  ImagePreprocessing preprocessing;
  std::optional<Tokenizer> tokenizer;
  std::string device;
  ClipModel model;
  std::map<int64_t, TinyJit<TextCall>> text_calls = {};    // by tokens of a row
  std::map<int64_t, TinyJit<ImageCall>> image_calls = {};  // by pictures
  std::vector<std::string> label_texts = {};               // of the last classification
  Tensor label_vectors = {};

  int64_t end_of(std::string_view fn, std::span<const int32_t> text, const std::string& name) const;
  std::vector<float> vectors_of_row(std::span<const std::vector<int32_t>> texts,
                                    std::span<const int64_t> ends, const PackedRow& packed);
  std::vector<float> vectors_of_pixels(const Tensor& pixels);
  Tensor on_device(const std::vector<int32_t>& numbers) const {
    return Tensor(numbers, TensorOptions{.device = device});
  }
};

Clip::Clip(std::shared_ptr<State> state) : state_(std::move(state)) {}

Clip Clip::load(const fs::path& folder, const ClipOptions& o) {
  const ClipFolder files(folder);
  require_memory(kLoadClip, folder.string(),
                 std::to_array<MemoryPart>({{"weights in float32", files.config().bytes()}}),
                 o.memory, "Hint: choose a smaller model.");
  std::optional<Tokenizer> tokenizer = tokenizer_in(folder);
  uint64_t done = 0;
  ClipWeights weights = files.weights(o.device, [&](uint64_t bytes) {
    done += bytes;
    if (o.progress) o.progress(done, std::max(done, files.weight_bytes()));
  });
  const ClipInfo info = clip_info(files, weights.scale);
  const std::string device = weights.words.device();
  return Clip(std::make_shared<State>(State{.config = files.config(),
                                            .info = info,
                                            .preprocessing = files.preprocessing(),
                                            .tokenizer = std::move(tokenizer),
                                            .device = device,
                                            .model = {files.config(), std::move(weights)}}));
}

const ClipInfo& Clip::info() const { return state_->info; }
const ImagePreprocessing& Clip::preprocessing() const { return state_->preprocessing; }
const Tokenizer* Clip::tokenizer() const {
  return state_->tokenizer ? &*state_->tokenizer : nullptr;
}

// ---- texts

std::vector<int32_t> Clip::tokens(std::string_view text) const {
  return tokens_within("Clip", tokenizer(), text, state_->info.longest);
}

// The place of the token whose vector is the text's.
int64_t Clip::State::end_of(std::string_view fn, std::span<const int32_t> text,
                            const std::string& name) const {
  check_tokens(fn, text, name, info.longest, info.vocabulary);
  if (text.empty()) user_error<ArgumentError>(fn, fmt::format("{} has no tokens", name));
  const auto found = config.ends_with_largest ? std::ranges::max_element(text)
                                              : std::ranges::find(text, config.end);
  if (found == text.end()) {
    user_error<ArgumentError>(
        fn, fmt::format("{} lacks the token {}, which ends a text", name, config.end));
  }
  return found - text.begin();
}

// [texts of the row, size]
std::vector<float> Clip::State::vectors_of_row(std::span<const std::vector<int32_t>> texts,
                                               std::span<const int64_t> ends,
                                               const PackedRow& packed) {
  const int64_t row = row_of(packed, info.longest);
  std::vector<int32_t> tokens, positions, of, last;
  for (size_t i = 0; i < packed.texts.size(); ++i) {
    const size_t number = packed.texts[i];
    last.push_back(static_cast<int32_t>(std::ssize(tokens) + ends[number]));
    for (size_t k = 0; k < texts[number].size(); ++k) {
      tokens.push_back(texts[number][k]);
      positions.push_back(static_cast<int32_t>(k));
      of.push_back(static_cast<int32_t>(i));
    }
  }
  tokens.resize(static_cast<size_t>(row), 0);
  positions.resize(static_cast<size_t>(row), 0);
  of.resize(static_cast<size_t>(row), -1);
  last.resize(static_cast<size_t>(texts_of(row)), 0);
  const auto f = [this](const Tensor& x, const Tensor& of, const Tensor& last) {
    return model.texts(x, of, last);
  };
  auto& call = text_calls.try_emplace(row, TinyJit<TextCall>(TextCall(f))).first->second;
  // Outside the call: a recording is played without asking the program's interrupt hook.
  const Tensor x = model.embedded(on_device(tokens), on_device(positions));
  return call(x, on_device(of), on_device(last)).to_vector<float>();
}

Tensor Clip::embed_texts(std::span<const std::string> texts,
                         const std::function<void(int64_t)>& progress) {
  std::vector<std::vector<int32_t>> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back(tokens(text));
  return embed_tokens(all, progress);
}

Tensor Clip::embed_tokens(std::span<const std::vector<int32_t>> texts,
                          const std::function<void(int64_t)>& progress) {
  State& s = *state_;
  std::vector<int64_t> ends;
  for (size_t i = 0; i < texts.size(); ++i)
    ends.push_back(s.end_of("embed_tokens", texts[i], fmt::format("text {}", i)));
  const NoGradScope no_gradients;
  const auto of_row = [&](const PackedRow& row) { return s.vectors_of_row(texts, ends, row); };
  return {row_by_row(texts, s.info.size, of_row, progress),
          {std::ssize(texts), s.info.size},
          {.device = s.device}};
}

// ---- pictures

Tensor Clip::preprocess(const Tensor& picture) const {
  return preprocessed("preprocess", picture, state_->preprocessing, state_->device);
}

// [pictures, size] of at most kMostAtOnce. A call for 1, 2, 4, … pictures serves fewer as well.
std::vector<float> Clip::State::vectors_of_pixels(const Tensor& pixels) {
  const int64_t n = pixels.size(0);
  const auto at_once = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
  const auto f = [this](const Tensor& x) { return model.images(x); };
  auto& call = image_calls.try_emplace(at_once, TinyJit<ImageCall>(ImageCall(f))).first->second;
  const Tensor all = pixels.to(device).pad({{0, at_once - n}, {0, 0}, {0, 0}, {0, 0}});
  const NoGradScope no_gradients;
  std::vector<float> out = call(all.contiguous().realize()).to_vector<float>();
  out.resize(static_cast<size_t>(n * info.size));
  return out;
}

Tensor Clip::embed_images(std::span<const Tensor> pictures,
                          const std::function<void(int64_t)>& progress) {
  State& s = *state_;
  std::vector<float> out;
  for (size_t begin = 0; begin < pictures.size(); begin += kMostAtOnce) {
    std::vector<Tensor> prepared;
    const auto part = pictures.subspan(begin);
    for (const Tensor& picture : part.first(std::min<size_t>(part.size(), kMostAtOnce)))
      prepared.push_back(preprocessed("embed_images", picture, s.preprocessing, s.device));
    const std::vector<float> vectors = s.vectors_of_pixels(Tensor::stack(prepared));
    out.insert(out.end(), vectors.begin(), vectors.end());
    if (progress) progress(static_cast<int64_t>(begin + prepared.size()));
  }
  return {out, {std::ssize(pictures), s.info.size}, {.device = s.device}};
}

Tensor Clip::embed_pixels(const Tensor& pixels) {
  State& s = *state_;
  const Shape shape = pixels.shape();
  if (shape.size() != 4 || shape[1] != 3 || shape[2] != s.info.image_size ||
      shape[3] != s.info.image_size || shape[0] == 0) {
    user_error<ShapeError>("embed_pixels", fmt::format("pictures are [n, 3, {0}, {0}], got [{1}]",
                                                       s.info.image_size, fmt::join(shape, ", ")));
  }
  if (pixels.dtype() != DType::Float32) {
    user_error<DTypeError>("embed_pixels",
                           fmt::format("pictures are float32, got {}", dtype_name(pixels.dtype())),
                           "Hint: preprocess() makes them of uint8.");
  }
  std::vector<float> out;
  for (int64_t begin = 0; begin < shape[0]; begin += kMostAtOnce) {
    const int64_t end = std::min(begin + kMostAtOnce, shape[0]);
    const std::vector<float> vectors = s.vectors_of_pixels(pixels[{Slice(begin, end)}]);
    out.insert(out.end(), vectors.begin(), vectors.end());
  }
  return {out, {shape[0], s.info.size}, {.device = s.device}};
}

// ---- both

Tensor Clip::logits(const Tensor& images, const Tensor& texts) const {
  const int64_t size = state_->info.size;
  for (const Tensor& vectors : {images, texts}) {
    if (vectors.ndim() != 2 || vectors.size(1) != size) {
      user_error<ShapeError>("logits", fmt::format("vectors are [n, {}], got [{}]", size,
                                                   fmt::join(vectors.shape(), ", ")));
    }
  }
  return of_length_one(images).matmul(of_length_one(texts).transpose()) * state_->info.scale;
}

std::vector<ImageGuess> Clip::classify(const Tensor& picture, std::span<const std::string> labels,
                                       const ClipClassifyOptions& o) {
  check_top("classify", o.top);
  if (labels.empty()) user_error<ArgumentError>("classify", "there are no labels");
  if (o.prompt.find("{}") == std::string::npos) {
    user_error<ArgumentError>("classify", fmt::format("the prompt \"{}\" lacks {{}}", o.prompt),
                              "Hint: a label stands in its place, as in \"a photo of a {}\".");
  }
  State& s = *state_;
  std::vector<std::string> texts;
  for (const std::string& label : labels) texts.push_back(text_of_label(o.prompt, label));
  if (texts != s.label_texts) {
    s.label_vectors = embed_texts(texts);
    s.label_texts = std::move(texts);
  }
  const Tensor vector = embed_images({&picture, 1});
  return guesses_of(logits(vector, s.label_vectors).to_vector<float>(), labels, o.top);
}

}  // namespace tg::models
