// See forks.h. The handler in the child only writes to atomics: it may do nothing that locks.
#include "support/forks.h"

#include <atomic>
#include <mutex>

#include "support/check.h"
#include "support/os/os.h"

namespace tg {
namespace {

std::atomic<int> generation{0};
std::atomic<int> computing{0};  // threads, each as often as its marks nest
std::atomic<bool> stranded{false};
thread_local int computing_here = 0;

void after_fork_in_child() {
  generation.fetch_add(1, std::memory_order_relaxed);
  if (computing.load() > computing_here) stranded.store(true);
  computing.store(computing_here);
}

}  // namespace

int fork_generation() {
  static std::once_flag watched;
  std::call_once(watched, [] { os::watch_forks(after_fork_in_child); });
  return generation.load(std::memory_order_relaxed);
}

void ForkMark::check(std::string_view device) const {
  if (!crossed()) return;
  user_error<DeviceError>(
      device,
      "this process was forked after the device was opened, and the driver's threads stayed behind",
      "Hint: fork before the device is used, or start processes again (in Python: "
      "multiprocessing's \"spawn\").");
}

InsideLibrary::InsideLibrary() noexcept {
  fork_generation();
  ++computing_here;
  computing.fetch_add(1);
}

InsideLibrary::~InsideLibrary() {
  computing.fetch_sub(1);
  --computing_here;
}

void check_not_stranded(const char* function) {
  if (stranded.load(std::memory_order_relaxed)) {
    user_error<DeviceError>(function,
                            "this process was forked while another thread of its parent was "
                            "computing, and what that thread held stays locked",
                            "Hint: fork while nothing is computed, or start processes again (in "
                            "Python: multiprocessing's \"spawn\").");
  }
}

}  // namespace tg
