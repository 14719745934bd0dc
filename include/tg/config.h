// Options set by the program: the same names and values as in the environment (docs/options.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tg/export.h"

namespace tg {

/// Sets an option for the whole process, as the environment would from now on; nullopt goes back to
/// the environment's value. It does not change what already exists (an open device, the number of
/// threads). Throws ArgumentError for an unknown name or a value that the option does not accept;
/// nothing changes then. Thread-safe.
TG_API void set_option(std::string_view name, const std::optional<std::string>& value);

/// The value in force on this thread, as text. Throws ArgumentError for an unknown name.
TG_API std::string get_option(std::string_view name);

}  // namespace tg
