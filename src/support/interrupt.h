// Requests to stop: a hook of the program (tg/interrupt.h), and Ctrl-C as a flag. Inside an
// InterruptScope the first SIGINT only sets it, and long work calls check_interrupt() at points
// where stopping is clean. A second Ctrl-C ends the process at once, so a hang can always be left.
// The library never installs the handler by itself; programs (tg, the examples) do.
#pragma once

#include <string_view>

#include "tg/interrupt.h"

namespace tg {

/// Turns SIGINT into the flag until the end of the scope, then restores the former handler and
/// clears the flag. One scope at a time; an inner one changes nothing.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  bool installed_ = false;
};

/// True after Ctrl-C or request_interrupt(), until clear_interrupt().
bool interrupted();
/// Sets the flag, as Ctrl-C does. Safe in any thread and in signal handlers.
void request_interrupt();
void clear_interrupt();

/// Throws CancelledError when the flag is set, for example "train: interrupted (Ctrl-C)", or when
/// the hook wants it. The flag stays set, so that all threads stop. Some nanoseconds; to be called
/// where no lock is held, because a hook may wait.
void check_interrupt(std::string_view function);
/// Is this thread inside the hook?
bool in_interrupt_hook();

}  // namespace tg
