// The interrupt flag and its signal handler, which touches only lock-free atomics.
#include "support/interrupt.h"

#include <atomic>
#include <csignal>

#include "support/check.h"
#include "support/os/os.h"

namespace tg {
namespace {

std::atomic<bool> flag{false};
std::atomic<bool> handler_installed{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int signal) {
  if (flag.exchange(true)) {
    // The second request: the work does not stop, so the default action ends the process.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

InterruptScope::InterruptScope() {
  if (handler_installed.exchange(true)) return;
  installed_ = os::take_interrupts(on_interrupt);
  if (!installed_) handler_installed.store(false);
}

InterruptScope::~InterruptScope() {
  if (!installed_) return;
  os::give_back_interrupts();
  flag.store(false);
  handler_installed.store(false);
}

bool interrupted() { return flag.load(std::memory_order_relaxed); }
void request_interrupt() { flag.store(true); }
void clear_interrupt() { flag.store(false); }

void check_interrupt(std::string_view function) {
  if (interrupted()) [[unlikely]]
    user_error<CancelledError>(function, "interrupted (Ctrl-C)");
}

}  // namespace tg
