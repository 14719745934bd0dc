// From files to a classifier: weights by torchvision's names, folders of Hugging Face, names of
// classes. What is done with it: image_classifier.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tg/models/image_classifier.h"
#include "tg/state.h"

namespace tg::models {

/// In whose name errors are.
inline constexpr std::string_view kLoadClassifier = "ImageClassifier::load";

struct LoadedClassifier {
  std::string architecture;
  ImageNetwork network;
  ImagePreprocessing preprocessing;
  std::vector<std::string> labels;  ///< none, or one for each class
};

/// FileError, or ArgumentError for the architecture, in the name of ImageClassifier::load.
LoadedClassifier load_classifier(const std::filesystem::path& path,
                                 const ImageClassifierOptions& options);
LoadedClassifier load_hugging_face_classifier(const std::filesystem::path& folder,
                                              const ImageClassifierOptions& options);

/// Names of classes: a line for each, a JSON list, or a JSON object by number. FileError in the
/// name of `function`.
std::vector<std::string> read_labels(std::string_view function, const std::filesystem::path& file);
/// The two kinds of JSON. FileError about `place`.
std::vector<std::string> labels_of_json(const std::string& text, const std::string& place);

/// The tensors of a file, floats of all kinds as float32, and its metadata.
nn::StateFile read_weights(const std::filesystem::path& file,
                           const ImageClassifierOptions& options);
/// Takes over the metadata that save_image_network writes. FileError for what it would not write.
void read_facts(const nn::Facts& facts, const std::filesystem::path& file,
                LoadedClassifier& classifier);
/// Gives the network its weights. FileError with names, if they are not those of `description`.
void give_weights(ImageNetwork& network, const nn::StateDict& tensors,
                  const std::filesystem::path& file, std::string_view description);

}  // namespace tg::models
