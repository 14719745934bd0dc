// Stopping long work from outside: for programs with their own Ctrl-C, button or deadline. It takes
// effect between kernels when compiling, and between launches when running.
#pragma once

#include <functional>

#include "tg/export.h"

namespace tg {

/// Called by the library's threads while they work, each at most every 20 ms: returning true stops
/// the work of that thread's call, which throws CancelledError and leaves every tensor as it was.
/// Several threads may call it at once; it must neither compute (compiling is an ArgumentError) nor
/// throw.
using InterruptHook = std::function<bool()>;

/// Replaces the hook and returns the old one; an empty hook stops nothing. Thread-safe.
TG_API InterruptHook set_interrupt_hook(InterruptHook hook);

}  // namespace tg
