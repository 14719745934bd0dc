// The process-wide thread pool that kernels and compilation share. Workers spin for some 20
// microseconds after a job, then sleep, so that a chain of small kernels costs no system call and
// an idle program costs no power. Not a task system: the only operation is a parallel loop that
// returns when all of it is done.
#pragma once

#include <cstdint>
#include <memory>

#include "tg/ir/function_ref.h"

namespace tg {

/// Called with a range of indices and the number of the thread that runs it, in [0, size()). Two
/// ranges never run at the same time under the same number within one loop, so the number can
/// select scratch memory.
using ParallelBody = FunctionRef<void(int64_t begin, int64_t end, int worker)>;

/// A fixed set of threads; the calling thread is worker 0 and takes part.
class ThreadPool {
 public:
  /// `threads` counts the caller too; 1 runs everything inline. Threads that the system refuses are
  /// done without.
  explicit ThreadPool(int threads);
  /// Waits for a running loop of another thread, then ends the workers.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The pool of the process, made at first use and ended at exit.
  static ThreadPool& global();

  /// Threads including the caller.
  int size() const;
  /// Ends the workers and starts others; waits for a running loop. Ignored inside a loop.
  void resize(int threads);
  /// resize, unless as many threads were already asked for.
  void grow(int threads);

  /// Runs `body` over [0, count) in ranges of at least `grain` indices (the last may be shorter).
  /// Each thread starts in its own contiguous part; parts are handed out whole, or, when there are
  /// at least four grains a thread, grain by grain, and a thread that has finished its part helps
  /// the others. At most `limit` threads take part. The first exception of a body stops the loop
  /// and is thrown here. Runs inline (worker 0) inside another loop, while another thread uses the
  /// pool, in the child of a fork, and when there is no more than one grain. `grain` < 1 means 1.
  void parallel_for(int64_t count, int64_t grain, ParallelBody body, int limit = 1 << 16);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// ThreadPool::parallel_for on the process's pool with the THREADS option of the calling thread;
/// the pool grows when that asks for more threads than it has.
void parallel_for(int64_t count, int64_t grain, ParallelBody body);

/// True inside a body, where a nested loop would run inline.
bool in_parallel_loop();

}  // namespace tg
