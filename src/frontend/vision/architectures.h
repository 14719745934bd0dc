// Published networks by name, with what their pictures must be like.
#pragma once

#include <span>
#include <string_view>

#include "tg/models/image_classifier.h"
#include "tg/models/vision.h"

namespace tg::models {

struct ImageArchitecture {
  std::string_view name;
  std::string_view last_layer;  ///< its name, by which files of other networks are told apart
  ImageNetwork (*make)(const ImageNetworkOptions&);
  int64_t resize = 256, crop = 224;  ///< of torchvision's first weights of this network
  images::Filter filter = images::Filter::Bilinear;
};

std::span<const ImageArchitecture> known_image_architectures();

/// ArgumentError, in the name of `fn`, if there is none of this name.
const ImageArchitecture& image_architecture(std::string_view fn, std::string_view name);

}  // namespace tg::models
