// This machine's driver, and the devices that it has. What it can be asked for: driver.h.
#pragma once

#include <memory>
#include <string>

#include "backends/cuda/driver.h"
#include "backends/nvidia/facts.h"

namespace tg::cuda {

/// Opens the driver `path` and starts it. Throws DeviceError that says what to do if the file is
/// missing, the driver too old, or it has no device.
std::unique_ptr<const Driver> open_driver(const std::string& path);

/// This machine's driver, opened at the first call and kept; nullptr if it cannot be used, which
/// missing_driver_advice() explains. Thread-safe.
const Driver* find_driver();
std::string missing_driver_advice();

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string status_text(const Driver& driver, Status status);

/// The device `index` of the driver. Throws DeviceError that lists the devices if there is none.
nvidia::CudaFacts facts_of(const Driver& driver, int index);

}  // namespace tg::cuda
