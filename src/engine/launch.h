// One launch, with what DEBUG=2 shows of it; and copies between devices. Shared by the executor of
// plans and the replay of captured calls. Internal to src/engine.
#pragma once

#include "engine/compile.h"
#include "runtime/buffer.h"

namespace tg {

/// Launches, waits, prints a line at DEBUG=2 and notes a span for PROFILE. The counters are the caller's business, but for the time.
void launch_and_report(Device& device, const ReadyKernel& kernel, std::span<void* const> pointers);

/// `bytes` from one device's memory to another's by way of the host.
void copy_between(Device& to_device, Allocation to, Device& from_device, Allocation from);

}  // namespace tg
