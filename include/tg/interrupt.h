// Stopping long work from outside: for programs that have a Ctrl-C, a button or a deadline of their
// own. What work notices it: compiling between kernels, running between launches.
#pragma once

#include <functional>

#include "tg/export.h"

namespace tg {

/// Asked while the library works, by the threads that do, each at most every 20 ms: true stops the
/// work of that thread's call, which throws CancelledError and leaves every tensor as it was. It
/// may be called by several threads at once; it must neither compute (compiling is an
/// ArgumentError) nor throw.
using InterruptHook = std::function<bool()>;

/// Replaces the hook and returns the former one; an empty hook stops nothing. Thread-safe.
TG_API InterruptHook set_interrupt_hook(InterruptHook hook);

}  // namespace tg
