// The definition that source_dir.h explains; TG_SOURCE_DIR is a definition of this file alone.
#include "support/source_dir.h"

namespace tg::test {

std::filesystem::path source_dir() { return TG_SOURCE_DIR; }

}  // namespace tg::test
