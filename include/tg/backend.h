// Backends outside the library: a shared object behind the interface of tg/plugin/tg_backend.h
// becomes a device like any other. How to write one: docs/adding-a-backend.md. The option
// TG_BACKENDS loads them without code.
#pragma once

#include <string>

#include "tg/export.h"

namespace tg {

/// Loads the backend in the shared object `path` and returns the name of its device, for DEV and
/// TensorOptions::device. A file is loaded only once. A backend stays until the process ends.
/// Throws DeviceError naming the file, and the wrong function or value: no such file, another
/// version of the interface, missing functions, a name in use. A device that cannot be used here is
/// not an error yet; opening it says why. Thread-safe.
TG_API std::string load_backend(const std::string& path);

}  // namespace tg
