// Options from inside a program: the same names and values as in the environment (docs/options.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tg/export.h"

namespace tg {

/// Sets an option for the whole process, as the environment would from now on; nullopt goes back to
/// what the environment says. Options that something was made by (a device that is open, the number
/// of threads) do not change it. Throws ArgumentError for an unknown name or a value that the
/// option does not take; nothing changes then. Thread-safe.
TG_API void set_option(std::string_view name, const std::optional<std::string>& value);

/// The value in force on this thread, as text. Throws ArgumentError for an unknown name.
TG_API std::string get_option(std::string_view name);

}  // namespace tg
