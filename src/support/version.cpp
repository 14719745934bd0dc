// The version, which CMakeLists.txt at the root declares.
#include "tg/version.h"

namespace tg {

std::string_view version() { return TG_VERSION; }

}  // namespace tg
