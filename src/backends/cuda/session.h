// An opened device: its context, the one stream that all launches and copies go to in order, and
// what its errors mean. Its memory: memory.h.
#pragma once

#include <memory>
#include <string>

#include "backends/cuda/platform.h"
#include "runtime/lost_device.h"
#include "tg/ir/function_ref.h"

namespace tg::cuda {

/// Thread-safe.
class Session {
 public:
  /// Destroys an object of the driver by its function `how`; the driver waits for what uses it.
  template <auto how>
  struct Destroy {
    const Session* session = nullptr;
    void operator()(auto* object) const {
      session->enter_quietly();
      (session->driver_.*how)(object);
    }
  };
  template <typename T, auto how>
  using Owned = std::unique_ptr<T, Destroy<how>>;

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

  /// Owns what the driver has made.
  template <auto how, typename T>
  Owned<T, how> own(T* object) const {
    return {object, {this}};
  }
  /// A mark that says when the stream has reached it.
  Owned<Event, &Driver::EventDestroy> make_event(uint32_t flags) const;
  void record(Event* event) const;

 private:
  const Driver& driver_;
  const int device_;
  Context* context_ = nullptr;
  Stream* stream_ = nullptr;
  mutable LostDevice lost_{"CUDA"};
};

using OwnedEvent = Session::Owned<Event, &Driver::EventDestroy>;

}  // namespace tg::cuda
