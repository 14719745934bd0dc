// Runs the groups of one launch of a kernel in PTX, one after the other: each work-item until it
// waits or ends, then the next one; when all of a group wait at one barrier, or all of a warp at
// one matrix instruction, they go on. Every access is checked: that it lies in an array and is
// aligned, that it reads what was written, and that no other work-item wrote it since the last
// barrier. Registers must be written before they are read.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ptx/text.h"
#include "runner/launch.h"

namespace tg::emulator::ptx {

/// Runs `kernel`; `shared_bytes` is what the launch gives besides the declared arrays. What it did
/// wrong, with the line and the work-item, or nothing. Thread-safe.
std::string run(const Kernel& kernel, std::span<const Argument> arguments, const Shape& shape,
                int64_t shared_bytes = 0);

}  // namespace tg::emulator::ptx
