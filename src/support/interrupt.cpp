// The interrupt flag and its signal handler, which touches only lock-free atomics; and the hook,
// which threads ask at a low rate of their own.
#include "support/interrupt.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <utility>

#include "support/check.h"
#include "support/os/os.h"

namespace tg {
namespace {

std::atomic<bool> flag{false};
std::atomic<bool> handler_installed{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr auto kInterval = std::chrono::milliseconds(20);

struct HookState {
  std::mutex mutex;
  std::shared_ptr<const InterruptHook> hook;
};

// Never destroyed: work may end after static destruction began.
HookState& hook_state() {
  static HookState* const instance = new HookState;
  return *instance;
}

// Counts replacements: 0 before the first; odd while there is a hook.
std::atomic<uint64_t> hook_version{0};

thread_local bool in_hook = false;

bool ask(const InterruptHook& hook) {
  const struct Scope {
    Scope() { in_hook = true; }
    ~Scope() { in_hook = false; }
  } scope;
  return hook();
}

// Is it time for this thread to ask? The first time after a replacement it is.
bool is_time(uint64_t version) {
  thread_local uint64_t last_version = 0;
  thread_local std::chrono::steady_clock::time_point last_time;
  const auto now = std::chrono::steady_clock::now();
  if (version == last_version && now - last_time < kInterval) return false;
  last_version = version;
  last_time = now;
  return true;
}

std::shared_ptr<const InterruptHook> current_hook() {
  const std::lock_guard lock(hook_state().mutex);
  return hook_state().hook;
}

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

InterruptHook set_interrupt_hook(InterruptHook hook) {
  HookState& state = hook_state();
  std::shared_ptr<const InterruptHook> fresh;
  if (hook) fresh = std::make_shared<const InterruptHook>(std::move(hook));
  const std::lock_guard lock(state.mutex);
  state.hook.swap(fresh);
  const uint64_t next = hook_version.load() + 1;
  hook_version.store(next % 2 == (state.hook == nullptr ? 0 : 1) ? next : next + 1);
  return fresh == nullptr ? InterruptHook() : *fresh;
}

bool in_interrupt_hook() { return in_hook; }

void check_interrupt(std::string_view function) {
  if (interrupted()) [[unlikely]]
    user_error<CancelledError>(function, "interrupted (Ctrl-C)");
  const uint64_t version = hook_version.load(std::memory_order_relaxed);
  if (version % 2 == 0 || in_hook || !is_time(version)) return;
  const std::shared_ptr<const InterruptHook> hook = current_hook();
  if (hook != nullptr && ask(*hook)) user_error<CancelledError>(function, "interrupted");
}

}  // namespace tg
