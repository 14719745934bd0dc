// The thread pool. One atomic word, the gate, carries a job's whole life: its epoch, whether it is
// open, and how many workers are inside. A job is open while its owner still finds work; workers
// that come too late never join, so a sleeping worker delays nobody. When the owner has closed the
// gate and the count is zero, every range has run.
#include "support/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/forks.h"
#include "support/options.h"

namespace tg {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kSpinTime(20);

constexpr uint64_t kActiveMask = (1u << 20) - 1;
constexpr uint64_t kOpen = 1u << 20;
constexpr uint64_t kEpochStep = 1u << 21;

thread_local bool inside_loop = false;

void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until `ready()` or the spin time is over; returns whether it became ready.
template <typename Ready>
bool spin_until(Ready ready) {
  const auto deadline = Clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 16; ++i) {
      if (ready()) return true;
      cpu_relax();
    }
  } while (Clock::now() < deadline);
  return ready();
}

// Marks this thread as inside a loop for a scope.
class LoopMark {
 public:
  LoopMark() : outer_(inside_loop) { inside_loop = true; }
  ~LoopMark() { inside_loop = outer_; }
  LoopMark(const LoopMark&) = delete;
  LoopMark& operator=(const LoopMark&) = delete;

 private:
  bool outer_;
};

// One contiguous share of the loop, on its own cache line: `next` is claimed step by step until
// `end`.
struct alignas(64) Part {
  std::atomic<int64_t> next{0};
  int64_t end = 0;
};

// In the child of a fork the workers do not exist and the locks may be held for ever, so pools
// there only run inline.
bool is_forked_child() { return fork_generation() != 0; }

}  // namespace

struct ThreadPool::Impl {
  // The running job; written by its owner while the gate is closed.
  const ParallelBody* body = nullptr;
  const Options* job_options = nullptr;
  int64_t step = 1;
  int parts_used = 0;
  int limit = 0;
  std::vector<Part> parts;
  std::exception_ptr error;
  std::mutex error_mutex;
  std::atomic<bool> failed{false};

  std::atomic<uint64_t> gate{0};
  std::atomic<bool> stop{false};
  std::atomic<int> sleepers{0};
  std::atomic<bool> owner_sleeps{false};
  std::mutex sleep_mutex;
  std::condition_variable work_ready;
  std::condition_variable all_left;

  std::mutex submit;  // held by the owner of the running job, and while the workers change
  std::vector<std::thread> threads;
  std::atomic<int> size{1};
  std::atomic<int> requested{1};  // differs from size when the system refused threads

  void start(int wanted);
  void finish();
  void worker_main(int worker, uint64_t seen);
  bool wait_for_job(uint64_t seen);
  bool join(uint64_t& seen, int worker);
  void leave();
  void run_parts(int worker);
  void run_range(int64_t begin, int64_t end, int worker);
  void open_gate();
  void close_gate();
};

void ThreadPool::Impl::start(int wanted) {
  stop.store(false);
  requested.store(wanted);
  std::vector<Part> fresh(static_cast<size_t>(wanted));
  parts.swap(fresh);
  threads.reserve(static_cast<size_t>(wanted));
  // Read here and not by the workers, so that a job opened before they run is not missed.
  const uint64_t epoch = gate.load() / kEpochStep;
  try {
    for (int worker = 1; worker < wanted; ++worker) {
      threads.emplace_back([this, worker, epoch] { worker_main(worker, epoch); });
    }
  } catch (const std::system_error&) {
    // The system has no more threads to give; the pool works with those it got.
  }
  size.store(static_cast<int>(threads.size()) + 1);
}

void ThreadPool::Impl::finish() {
  stop.store(true);
  { const std::lock_guard lock(sleep_mutex); }
  work_ready.notify_all();
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  size.store(1);
}

// Returns false when the pool ends.
bool ThreadPool::Impl::wait_for_job(uint64_t seen) {
  const auto ready = [&] {
    const uint64_t now = gate.load();
    return stop.load() || ((now & kOpen) != 0 && now / kEpochStep != seen);
  };
  if (!spin_until(ready)) {
    std::unique_lock lock(sleep_mutex);
    // The owner opens the gate, then reads `sleepers`; this thread counts itself, then reads the
    // gate. One of the two sees the other, so no wake-up is lost.
    sleepers.fetch_add(1);
    work_ready.wait(lock, ready);
    sleepers.fetch_sub(1);
  }
  return !stop.load();
}

// Enters the job if it is still open; `seen` becomes its epoch either way, so that it is looked at
// once.
bool ThreadPool::Impl::join(uint64_t& seen, int worker) {
  uint64_t now = gate.load();
  while ((now & kOpen) != 0 && now / kEpochStep != seen) {
    if (gate.compare_exchange_weak(now, now + 1)) {
      seen = now / kEpochStep;
      if (worker < limit) return true;
      leave();
      return false;
    }
  }
  return false;
}

void ThreadPool::Impl::leave() {
  const uint64_t before = gate.fetch_sub(1);
  if ((before & kOpen) == 0 && (before & kActiveMask) == 1 && owner_sleeps.load()) {
    const std::lock_guard lock(sleep_mutex);
    all_left.notify_one();
  }
}

void ThreadPool::Impl::worker_main(int worker, uint64_t seen) {
  inside_loop = true;
  while (wait_for_job(seen)) {
    if (!join(seen, worker)) continue;
    detail::set_options_override(job_options);
    run_parts(worker);
    detail::set_options_override(nullptr);
    leave();
  }
}

void ThreadPool::Impl::run_range(int64_t begin, int64_t end, int worker) {
  try {
    (*body)(begin, end, worker);
  } catch (...) {
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::current_exception();
    failed.store(true, std::memory_order_relaxed);
  }
}

void ThreadPool::Impl::run_parts(int worker) {
  for (int i = 0; i < parts_used; ++i) {
    Part& part = parts[static_cast<size_t>((worker + i) % parts_used)];
    // Claims never overflow: each thread adds `step` at most once past the end, and step ≤ count.
    while (part.next.load(std::memory_order_relaxed) < part.end) {
      const int64_t begin = part.next.fetch_add(step, std::memory_order_relaxed);
      if (begin >= part.end || failed.load(std::memory_order_relaxed)) break;
      run_range(begin, part.end - begin > step ? begin + step : part.end, worker);
    }
  }
}

void ThreadPool::Impl::open_gate() {
  gate.store((gate.load() & ~(kEpochStep - 1)) + kEpochStep + kOpen);
  if (sleepers.load() > 0) {
    { const std::lock_guard lock(sleep_mutex); }
    work_ready.notify_all();
  }
}

void ThreadPool::Impl::close_gate() {
  gate.fetch_and(~kOpen);
  const auto empty = [&] { return (gate.load() & kActiveMask) == 0; };
  if (spin_until(empty)) return;
  std::unique_lock lock(sleep_mutex);
  owner_sleeps.store(true);
  all_left.wait(lock, empty);
  owner_sleeps.store(false);
}

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>()) {
  fork_generation();  // from now on forks are counted
  impl_->start(std::max(1, threads));
}

ThreadPool::~ThreadPool() {
  if (inside_loop || is_forked_child()) {
    // exit() was called from a body, or this is a fork's child: joining or destroying a condition
    // variable with waiters would hang. The process is ending, so the memory goes with it.
    static std::vector<Impl*> abandoned;
    abandoned.push_back(impl_.release());
    return;
  }
  const std::lock_guard lock(impl_->submit);
  impl_->finish();
}

ThreadPool& ThreadPool::global() {
  static ThreadPool pool(options().thread_count());
  return pool;
}

int ThreadPool::size() const { return impl_->size.load(); }

void ThreadPool::resize(int threads) {
  threads = std::max(1, threads);
  if (inside_loop || is_forked_child()) return;
  const std::lock_guard lock(impl_->submit);
  if (threads == impl_->requested.load()) return;
  impl_->finish();
  impl_->start(threads);
}

void ThreadPool::grow(int threads) {
  if (threads > impl_->requested.load()) resize(threads);
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, ParallelBody body, int limit) {
  if (count <= 0) return;
  grain = std::clamp<int64_t>(grain, 1, count);
  const int64_t grains = count / grain + (count % grain != 0);
  const bool alone = grains == 1 || limit <= 1 || inside_loop || size() == 1 || is_forked_child();
  std::unique_lock lock(impl_->submit, std::defer_lock);
  if (alone || !lock.try_lock()) {
    const LoopMark mark;
    return body(0, count, 0);
  }
  Impl& pool = *impl_;
  const int64_t helpers = std::min(limit, size());
  const int64_t parts = std::min(helpers, grains);
  pool.body = &body;
  pool.job_options = detail::current_options_override();
  pool.limit = static_cast<int>(helpers);
  pool.parts_used = static_cast<int>(parts);
  pool.step = grains >= 4 * helpers ? grain : (grains / parts + 1) * grain;
  pool.error = nullptr;
  pool.failed.store(false, std::memory_order_relaxed);
  for (int64_t p = 0; p < parts; ++p) {
    Part& part = pool.parts[static_cast<size_t>(p)];
    // The first grains % parts shares hold one grain more; computed so that nothing overflows.
    const int64_t first = grains / parts * p + std::min(p, grains % parts);
    const int64_t last = first + grains / parts + (p < grains % parts);
    part.next.store(first * grain, std::memory_order_relaxed);
    part.end = last == grains ? count : last * grain;
  }
  pool.open_gate();
  {
    const LoopMark mark;
    pool.run_parts(0);
  }
  pool.close_gate();
  if (pool.error) std::rethrow_exception(std::exchange(pool.error, nullptr));
}

void parallel_for(int64_t count, int64_t grain, ParallelBody body) {
  const int threads = options().thread_count();
  ThreadPool& pool = ThreadPool::global();
  if (count > 1) pool.grow(threads);
  pool.parallel_for(count, grain, body, threads);
}

bool in_parallel_loop() { return inside_loop; }

}  // namespace tg
