// From a file of weights to a detector: whose tensors they are, which size of network, the names of
// its classes. What is done with it: object_detector.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/detection/yolov8.h"

namespace tg::models {

/// In whose name errors are.
inline constexpr std::string_view kLoadDetector = "ObjectDetector::load";

struct LoadedDetector {
  std::string architecture;
  YoloSizes sizes;
  YoloV8 network;  ///< with its normalisations folded
  std::vector<std::string> labels;
};

/// FileError in the name of ObjectDetector::load.
LoadedDetector load_detector(const std::filesystem::path& file,
                             const ObjectDetectorOptions& options);

}  // namespace tg::models
