// Launches in order: they are written into command buffers, which the device runs one after the
// other. What fails on the device is found when it is waited for.
#pragma once

#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/metal/objc.h"
#include "runtime/handle_allocator.h"
#include "support/function_ref.h"

namespace tg::metal {

/// One launch of a kernel.
struct Dispatch {
  std::string_view name;  ///< of the kernel, for messages
  Object* pipeline = nullptr;
  std::vector<BlockPlace> buffers;  ///< by slot
  std::vector<int64_t> numbers;     ///< the buffer behind the last: variables, then the end
  int64_t groups = 1, items = 1;

  /// Whether there is something to do.
  bool has_work() const { return numbers.back() > 0; }
  bool operator==(const Dispatch&) const = default;
};

/// Commands that were written before, to run again.
struct Recorded {
  std::string_view name;               ///< of the first kernel, for messages
  Object* commands;                    ///< an indirect command buffer
  std::span<const Range> parts;        ///< of it; each runs after the one before
  std::span<Object* const> resources;  ///< all buffers that the commands name
  std::span<Object* const> pipelines;  ///< that the device must be told of besides
};

/// Thread-safe.
class Queue {
 public:
  /// Throws DeviceError if the device gives no queue.
  Queue(const Objc& objc, Object* device, std::string device_name);
  /// Waits for what still runs.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Queued, not waited for; the device may run them side by side, after all that was launched
  /// before. Throws DeviceError if the device takes no more commands, or for what failed before.
  void launch(std::span<const Dispatch> together);
  /// The same, for all of `recorded`. Gives a number for wait_for().
  uint64_t launch(const Recorded& recorded);
  /// Hands over what is collected.
  void submit();
  /// Returns when everything has run. Throws DeviceError that names the first kernels that failed
  /// and says what to do; the queue is then empty and may be used again.
  void wait();
  /// The same for what was launched up to the launch that gave this number.
  void wait_for(uint64_t number);
  /// Waits for what `launch` launches, and says how many seconds the device worked on it; work of
  /// other threads at the same time counts too.
  double timed(FunctionRef<void()> launch);

 private:
  struct Batch {
    Owned commands;
    std::string first;  // of its kernels
    int kernels = 0;
    uint64_t number = 0;  // in the order of running
  };
  void begin();
  void encode(const Dispatch& dispatch);
  void commit();
  uint64_t status(const Batch& batch) const;
  void forget_completed();
  void wait_all();
  void count_time(const Batch& batch);
  [[noreturn]] void fail(const Batch& batch);

  const Objc& objc_;
  const std::string device_name_;
  std::mutex lock_;
  Owned queue_;
  Batch open_;     // being written
  Owned encoder_;  // its writer
  std::deque<Batch> running_;
  uint64_t last_number_ = 0;
  double seconds_ = 0;  // of all that has run
};

}  // namespace tg::metal
