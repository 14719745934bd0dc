// Launches in order: their encoding into command buffers, the status of these when they have run,
// and the meaning of errors. When buffers are committed and completed: batched_queue.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/metal/messages.h"
#include "runtime/batched_queue.h"
#include "runtime/handle_launch.h"

namespace tg::metal {

/// One launch of a kernel; its numbers are the buffer behind the last.
struct Dispatch : HandleLaunch {
  std::string_view name;  ///< of the kernel, for messages
  Object* pipeline = nullptr;

  bool operator==(const Dispatch&) const = default;
};

/// A command buffer and its writer.
struct Commands {
  Owned buffer, encoder;
};

/// Thread-safe.
class Queue final : public BatchedQueue<Commands> {
 public:
  /// Throws DeviceError if the device gives no queue.
  Queue(const Objc& objc, Object* device, std::string device_name);
  /// Waits for what still runs.
  ~Queue() override { drain(); }

  /// Queued, not waited for; the device may run them side by side, after all that was launched
  /// before. Throws DeviceError if the device takes no more commands, or for what failed before.
  void launch(std::vector<Dispatch> together);
  /// The same for `kernels` kernels that `encode` writes; `at_once` hands them over. Gives a number
  /// for wait_for().
  uint64_t launch(std::string_view first_name, size_t kernels, bool at_once,
                  FunctionRef<void(Object* encoder)> encode);
  /// What is written behind this in a command buffer runs after what was written before.
  void barrier(Object* encoder) const;

 protected:
  void within(FunctionRef<void()> work) override;
  Commands begin() override;
  void hand_over(Commands& commands) override;
  State state(const Commands& commands) const override;
  void wait_until_done(const Commands& commands) const override;
  double seconds(const Commands& commands) const override;
  void fail(const Commands& commands, const std::string& kernels) const override;

 private:
  void encode(Object* encoder, const Dispatch& dispatch) const;

  const Objc& objc_;
  const std::string device_name_;
  Owned queue_;
};

}  // namespace tg::metal
