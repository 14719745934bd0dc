// Which version of the library is running.
#pragma once

#include <string_view>

#include "tg/export.h"

namespace tg {

/// The version of the library that is linked, for example "0.1.0".
TG_API std::string_view version();

}  // namespace tg
