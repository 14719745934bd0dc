// What is done to a picture before a network sees it, for all networks that see pictures: checked,
// done, and read from the files that Hugging Face puts beside models. Its parts: resample.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tg/models/image_classifier.h"

namespace tg::models {

/// Sides that a picture can have.
inline constexpr int64_t kMostPictureSide = 1 << 13;

/// ArgumentError in the name of `function` for sizes that no picture can have.
void check_preprocessing(std::string_view function, const ImagePreprocessing& preprocessing);

/// A picture, uint8 [height, width, 3], as a network sees it: float32 [3, crop, crop]. Errors in
/// the name of `function`: ShapeError and DTypeError for what is no picture, ArgumentError as
/// above.
Tensor preprocessed(std::string_view function, const Tensor& picture,
                    const ImagePreprocessing& preprocessing, const std::string& device);

/// The preprocessor_config.json of a classifier (ViTImageProcessor, ConvNextImageProcessor), in
/// which `size` is what the network sees; `usual` where there is no such file, and for what it does
/// not say. FileError in the name of `function`.
ImagePreprocessing read_classifier_preprocessing(std::string_view function,
                                                 const std::filesystem::path& file,
                                                 const ImagePreprocessing& usual);
/// That of a model with CLIPImageProcessor, in which `crop_size` is what the network sees.
/// FileError also for a setting that is not understood.
ImagePreprocessing read_clip_preprocessing(std::string_view function,
                                           const std::filesystem::path& file,
                                           const ImagePreprocessing& usual);

}  // namespace tg::models
