// An opened device: its context, the one stream that all launches and copies go to in order, and
// what its errors mean. Its memory: memory.h.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "backends/cuda/driver.h"
#include "support/function_ref.h"

namespace tg::cuda {

/// Thread-safe.
class Session {
 public:
  /// Throws DeviceError if the driver refuses the device `index`.
  Session(const Driver& driver, int index);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Driver& driver() const { return driver_; }
  Stream* stream() const { return stream_; }
  /// Makes the context that of this thread. Throws DeviceError if the device was lost: after an
  /// error that spoils the context every call fails, and the first one says why.
  void enter() const;
  /// The same for destructors: an error has nobody left to hear it.
  void enter_quietly() const { driver_.CtxSetCurrent(context_); }
  /// Throws DeviceError "CUDA: <what> failed: …" with what to do, unless it succeeded.
  void check(Status status, const std::string& what) const;
  /// Waits for all that was queued.
  void synchronize() const;
  /// Waits for what `queue` queues, and says how many seconds the device worked on it.
  double timed(FunctionRef<void()> queue) const;

 private:
  struct Mark;
  [[noreturn]] void lose(Status status, const std::string& what) const;

  const Driver& driver_;
  const int device_;
  Context* context_ = nullptr;
  Stream* stream_ = nullptr;
  mutable std::mutex lock_;
  mutable std::string lost_;  // why; guarded by lock_
  mutable std::atomic<bool> is_lost_ = false;
};

}  // namespace tg::cuda
