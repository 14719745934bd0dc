// One launch, with what DEBUG=2 and PROFILE show of it; and copies between devices. Shared by the
// executor of plans and the replay of captured calls. Internal to src/engine.
#pragma once

#include "engine/compile.h"
#include "runtime/buffer.h"

namespace tg {

/// Launches, waits, and prints a line or notes a span. The counters are the caller's business, but
/// for the time.
void launch_and_report(Device& device, const ReadyKernel& kernel, std::span<void* const> pointers,
                       std::span<const int64_t> values);

/// `bytes` from one device's memory to another's by way of the host.
void copy_between(Device& to_device, Allocation to, Device& from_device, Allocation from);

}  // namespace tg
