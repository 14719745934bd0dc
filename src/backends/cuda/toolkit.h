// Where NVIDIA's toolkit keeps its libraries, which are opened at run time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tg/error.h"

namespace tg::cuda {

/// The first of the libraries `names` in the toolkit of option CUDA_PATH; without it where the
/// loader looks, then in /usr/local/cuda. Empty if there is none.
std::string find_toolkit_library(std::span<const std::string_view> names);
/// What to do when none was found; `name` is that of the library.
std::string missing_toolkit_advice(std::string_view name);

/// A `T` made of the path of such a library, or why there is none. To be kept for good: what it
/// made may still be in use when the process ends.
template <typename T>
struct FoundInToolkit {
  std::unique_ptr<const T> library;
  std::string problem;

  explicit FoundInToolkit(std::span<const std::string_view> names) {
    const std::string path = find_toolkit_library(names);
    if (path.empty()) {
      problem = missing_toolkit_advice(names.front());
      return;
    }
    try {
      library = std::make_unique<const T>(path);
    } catch (const DeviceError& e) {
      problem = e.what();
    }
  }
};

}  // namespace tg::cuda
