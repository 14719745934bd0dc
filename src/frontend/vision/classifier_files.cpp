// Files of weights with torchvision's names: which network they are of.
#include "frontend/vision/classifier_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "frontend/random_state_kept.h"
#include "frontend/vision/architectures.h"
#include "frontend/vision/weights_fit.h"
#include "support/check.h"

namespace tg::models {
namespace {

// ---- names

bool starts_with_all(const nn::StateDict& tensors, std::string_view prefix) {
  return !tensors.empty() && std::ranges::all_of(tensors, [&](const auto& entry) {
    return std::string_view(entry.first).starts_with(prefix);
  });
}

// Checkpoints of training programs hold the network's tensors inside of something.
nn::StateDict without_wrappers(nn::StateDict tensors) {
  for (const std::string_view wrapper : {"state_dict.", "model.", "module."}) {
    if (!starts_with_all(tensors, wrapper)) continue;
    nn::StateDict inner;
    for (auto& [name, tensor] : tensors) inner.emplace(name.substr(wrapper.size()), tensor);
    tensors = std::move(inner);
  }
  return tensors;
}

// The names that torchvision itself has given its tensors since.
std::string present_name(std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOld = {
      {{".mlp.linear_1.", ".mlp.0."}, {".mlp.linear_2.", ".mlp.3."}}};
  for (const auto& [old, now] : kOld)
    if (const size_t at = name.find(old); at != std::string::npos)
      name.replace(at, old.size(), now);
  return name;
}

// ---- which network

// Of vision transformers: from the number of places and the size of a part.
int64_t image_size_of(const nn::StateDict& tensors) {
  const int64_t tokens = size_of(tensors, "encoder.pos_embedding", 1);
  const int64_t patch = size_of(tensors, "conv_proj.weight", 3);
  if (tokens < 2) return 0;
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(tokens - 1))));
  return side * side == tokens - 1 ? side * patch : 0;
}

struct Candidate {
  const ImageArchitecture* architecture;
  ImageNetwork network;
};

Candidate made(const ImageArchitecture& a, const nn::StateDict& tensors,
               const ImageClassifierOptions& o) {
  const int64_t classes = size_of(tensors, fmt::format("{}.bias", a.last_layer), 0);
  const int64_t patch = size_of(tensors, "conv_proj.weight", 3);
  int64_t image_size = image_size_of(tensors);
  // Of another network's parts: they would not divide this picture, and do not fit in any case.
  if (!a.name.ends_with(fmt::format("_{}", patch))) image_size = 0;
  return {
      &a,
      a.make({.classes = classes > 0 ? classes : 1, .image_size = image_size, .device = o.device})};
}

// The architecture that fits; FileError about the closest if none does.
Candidate guessed(const nn::StateDict& tensors, const std::filesystem::path& file,
                  const ImageClassifierOptions& options) {
  std::string_view closest;
  std::optional<Misfit> least;
  for (const ImageArchitecture& a : known_image_architectures()) {
    if (!tensors.contains(fmt::format("{}.bias", a.last_layer))) continue;
    Candidate c = made(a, tensors, options);
    Misfit m = misfit_of(nn::state_dict(c.network), tensors);
    if (m.count() == 0) return c;
    if (least && least->count() <= m.count()) continue;
    least = std::move(m);
    closest = a.name;
  }
  if (!least)
    user_error<FileError>(
        kLoadClassifier,
        fmt::format("\"{}\" has the last layer of no known architecture", file.string()),
        "Hint: a file of weights has a tensor such as \"fc.bias\".");
  user_error<FileError>(
      kLoadClassifier,
      fmt::format("\"{}\" has the tensors of no known architecture; the closest is {}: {}",
                  file.string(), closest, described(*least)));
}

ImagePreprocessing preprocessing_of(const ImageArchitecture& a, int64_t image_size) {
  ImagePreprocessing out{.resize = a.resize, .crop = a.crop, .filter = a.filter};
  // Weights for other sizes than the first were trained on the whole picture.
  if (image_size > 0 && image_size != a.crop)
    out = {.resize = image_size, .crop = image_size, .filter = images::Filter::Bicubic};
  return out;
}

}  // namespace

nn::StateFile read_weights(const std::filesystem::path& file,
                           const ImageClassifierOptions& options) {
  std::error_code error;
  const uint64_t all = std::filesystem::file_size(file, error);
  if (error)
    user_error<FileError>(kLoadClassifier,
                          fmt::format("\"{}\": {}", file.string(), error.message()));
  uint64_t done = 0;
  nn::StateFile read = nn::load_file(file, options.device, [&](uint64_t bytes) {
    done += bytes;
    if (options.progress) options.progress(std::min(done, all), all);
  });
  if (options.progress) options.progress(all, all);
  nn::StateFile out{.tensors = {}, .facts = std::move(read.facts)};
  for (auto& [name, tensor] : without_wrappers(std::move(read.tensors))) {
    // PyTorch counts batches, which nothing of a network depends on.
    if (name.ends_with("num_batches_tracked")) continue;
    const bool is_other_float = tensor.is_floating_point() && tensor.dtype() != DType::Float32;
    out.tensors.emplace(present_name(name), is_other_float ? tensor.cast(DType::Float32) : tensor);
  }
  return out;
}

void give_weights(ImageNetwork& network, const nn::StateDict& tensors,
                  const std::filesystem::path& file, std::string_view description) {
  require_fit(kLoadClassifier, nn::state_dict(network), tensors, file, description);
  nn::load_state_dict(network, tensors);
}

LoadedClassifier load_classifier(const std::filesystem::path& path,
                                 const ImageClassifierOptions& options) {
  const RandomStateKept kept;
  const ImageArchitecture* told = options.architecture.empty()
                                      ? nullptr
                                      : &image_architecture(kLoadClassifier, options.architecture);
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    return load_hugging_face_classifier(path, options);
  const auto [tensors, facts] = read_weights(path, options);
  Candidate c = told != nullptr ? made(*told, tensors, options) : guessed(tensors, path, options);
  give_weights(c.network, tensors, path, c.architecture->name);
  LoadedClassifier out{.architecture = std::string(c.architecture->name),
                       .network = std::move(c.network),
                       .preprocessing = preprocessing_of(*c.architecture, image_size_of(tensors)),
                       .labels = {}};
  read_facts(facts, path, out);
  return out;
}

}  // namespace tg::models
