// The interrupt flag and its signal handler, which touches only lock-free atomics.
#include "support/interrupt.h"

#include <atomic>

#include "support/check.h"

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
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  installed_ = sigaction(SIGINT, &action, &former_) == 0;
  if (!installed_) handler_installed.store(false);
}

InterruptScope::~InterruptScope() {
  if (!installed_) return;
  sigaction(SIGINT, &former_, nullptr);
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
