// Which version of PTX a processor and an instruction need. A text states the least one, so that
// older drivers take it.
#pragma once

#include <string_view>

#include "target/matrix_unit.h"

namespace tg {

/// 70 is version 7.0: the first that knows "sm_80", "sm_90a", …; of an unknown architecture, that
/// of the newest known one below it. Throws InternalError if it is older than sm_75.
int ptx_version_of(std::string_view arch);
/// The first that has the unit's instruction.
int ptx_version_of(const MatrixUnit& unit);

}  // namespace tg
