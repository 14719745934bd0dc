// What the tests of detectors share: a tiny YOLOv8 as ultralytics saves one, and what ultralytics
// makes of it (tests/reference/detection, made by make_detection.py there).
#pragma once

#include <filesystem>
#include <string>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/state.h"

namespace tg::models {

inline std::filesystem::path detection_reference(const std::string& name) {
  return test::source_dir() / "tests/reference/detection" / name;
}

/// Its tensors by the names of its state dict, without "model." before them.
inline nn::StateDict tiny_detector_tensors() {
  constexpr size_t kPrefix = 6;
  nn::StateDict out;
  for (const auto& [name, tensor] :
       nn::detail::load_modules(detection_reference("tiny.pt")).tensors)
    out.emplace(name.substr(kPrefix), tensor);
  return out;
}

}  // namespace tg::models
