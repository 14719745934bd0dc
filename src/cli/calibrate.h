// `tg bench --calibrate`: measures what the compiler's cost model must know about a machine and
// cannot look up. Where the figures go: src/target/calibration.h.
#pragma once

#include "target/calibration.h"

namespace tg::cli {

/// Measures the default device with its own kernels, so that the figures are those that kernels
/// reach; a few seconds. Throws what the engine throws.
Calibration calibrate();

}  // namespace tg::cli
