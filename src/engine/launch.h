// One launch: a kernel or a batch of them, with what DEBUG=2 and PROFILE show of it; and copies
// between devices. Shared by the executor of plans and the replay of captured calls. Internal to
// src/engine.
#pragma once

#include "engine/compile.h"
#include "runtime/buffer.h"

namespace tg {

/// The byte that fills memory under CHECK before a kernel writes it.
inline constexpr int kPoison = 0xA5;

/// Runs kernels that do not depend on each other as one launch. Counting is the caller's business.
void launch(Device& device, std::span<const Call> calls);

/// Runs them one after the other, waits for each, and prints a line or notes a span for it: what a
/// kernel costs shows when it has the device for itself, by the device's clock (Device::timed).
/// `kernels` are those of `calls`. The counters are the caller's business, but for the time.
void launch_and_report(Device& device, std::span<const Call> calls,
                       std::span<const ReadyKernelRef> kernels);

/// The contents of `from` into `to`, as many bytes as both have. Memory that the host sees is
/// copied from and to directly; between two devices whose memory it does not see, in pieces by way
/// of the host. Waits for what was launched on both.
void copy_between(Device& to_device, Allocation to, Device& from_device, Allocation from);

}  // namespace tg
