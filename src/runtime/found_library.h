// A library that may be missing: opened once, and kept for good. Where it is looked for, and what
// its functions are, the backends know.
#pragma once

#include <memory>
#include <string>

#include "tg/error.h"
#include "tg/ir/function_ref.h"

namespace tg {

/// What was made of a library, or why there is nothing. To be kept for good: what it made may still
/// be in use when the process ends, and drivers run threads that do not survive being closed.
template <typename T>
struct FoundLibrary {
  std::unique_ptr<const T> library;
  std::string problem;

  /// Opens `path`; without one, and where open() throws a DeviceError, there is nothing, because of
  /// `advice` or of the error.
  FoundLibrary(const std::string& path, const std::string& advice,
               FunctionRef<std::unique_ptr<const T>(const std::string& path)> open) {
    if (path.empty()) {
      problem = advice;
      return;
    }
    try {
      library = open(path);
    } catch (const DeviceError& e) {
      problem = e.what();
    }
  }
};

}  // namespace tg
