// Backends that live outside the library: a shared object behind the interface of
// tg/plugin/tg_backend.h becomes a device like any other. How to write one:
// docs/adding-a-backend.md. Option TG_BACKENDS loads them without a line of code.
#pragma once

#include <string>

#include "tg/export.h"

namespace tg {

/// Loads the backend in the shared object `path` and gives the name of its device, which DEV and
/// TensorOptions::device then take. A file that was loaded before is not loaded again. A backend
/// stays until the process ends. Throws DeviceError naming the file, and the function or the value
/// that is wrong: no such file, another version of the interface, functions that are missing, a
/// name that is taken. A device that cannot be used here is no error yet; opening it says why.
/// Thread-safe.
TG_API std::string load_backend(const std::string& path);

}  // namespace tg
