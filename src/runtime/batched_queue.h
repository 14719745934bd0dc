// Launches in order, on devices to which handing one over costs as much as several kernels: they
// are written into batches (command buffers), which the device runs one after the other. What fails
// on the device is found when it is waited for. What commands are, the backend knows.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tg/ir/function_ref.h"

namespace tg {

/// `Commands` can be moved, and owns what the device needs to run a batch. Thread-safe.
template <typename Commands>
class BatchedQueue {
 public:
  /// A batch is handed over at `most_kernels` kernels at the latest, and at the first when the
  /// device has nothing to do.
  explicit BatchedQueue(int most_kernels) : most_kernels_(most_kernels) {}
  virtual ~BatchedQueue() = default;
  BatchedQueue(const BatchedQueue&) = delete;
  BatchedQueue& operator=(const BatchedQueue&) = delete;

  /// Hands over what is collected.
  void submit() {
    alone([&] { hand_over_open(); });
  }
  /// Returns when everything has run. Throws what fail() throws of the first batch that failed; the
  /// queue is then empty and may be used again.
  void wait() {
    alone([&] { wait_all(); });
  }
  /// The same for what was written up to the call of write() that gave this number.
  void wait_for(uint64_t number) {
    alone([&] {
      while (!running_.empty() && running_.front().number <= number) {
        wait_until_done(running_.front().commands);
        forget_done();
      }
    });
  }
  /// Waits for what `launch` launches, and says how many seconds the device worked on it; work of
  /// other threads at the same time counts too.
  double timed(FunctionRef<void()> launch) {
    const auto seconds_so_far = [&] {
      double seconds = 0;
      alone([&] {
        wait_all();
        seconds = seconds_;
      });
      return seconds;
    };
    const double before = seconds_so_far();
    launch();
    return seconds_so_far() - before;
  }

 protected:
  enum class State : uint8_t { Running, Done, Failed };

  /// Lets `encode` write `kernels` kernels behind all that was written before; `is_first`: nothing
  /// stands in its batch yet. `at_once`: hands the batch over. Gives a number for wait_for().
  /// Throws for what failed before.
  uint64_t write(std::string_view first_name, int kernels, bool at_once,
                 FunctionRef<void(const Commands& commands, bool is_first)> encode) {
    uint64_t number = 0;
    alone([&] {
      forget_done();
      if (!open_) open_.emplace(begin(), std::string(first_name), 0, ++last_number_);
      encode(open_->commands, open_->kernels == 0);
      open_->kernels += kernels;
      number = open_->number;
      if (at_once || open_->kernels >= most_kernels_ || running_.empty()) hand_over_open();
    });
    return number;
  }
  /// For destructors: returns when everything has run or failed.
  void drain() {
    alone([&] {
      hand_over_open();
      for (const Batch& b : running_) wait_until_done(b.commands);
      running_.clear();
    });
  }

  /// Calls `work`, which calls the functions below.
  virtual void within(FunctionRef<void()> work) { work(); }
  virtual Commands begin() = 0;
  virtual void hand_over(Commands& commands) = 0;
  virtual State state(const Commands& commands) const = 0;
  virtual void wait_until_done(const Commands& commands) const = 0;
  /// How long the device worked on what is done.
  virtual double seconds(const Commands& commands) const = 0;
  /// Throws a DeviceError; `kernels` says which of them may have failed.
  virtual void fail(const Commands& commands, const std::string& kernels) const = 0;

 private:
  struct Batch {
    Batch(Commands c, std::string first_name, int count, uint64_t n)
        : commands(std::move(c)), first(std::move(first_name)), kernels(count), number(n) {}
    Commands commands;
    std::string first;  // of its kernels
    int kernels;
    uint64_t number;  // in the order of running
  };

  void alone(FunctionRef<void()> work) {
    const std::lock_guard guard(lock_);
    within(work);
  }
  void hand_over_open() {
    if (!open_) return;
    hand_over(open_->commands);
    running_.push_back(std::move(*open_));
    open_.reset();
  }
  void forget_done() {
    while (!running_.empty()) {
      const State s = state(running_.front().commands);
      if (s == State::Running) return;
      if (s == State::Failed) wait_all();
      seconds_ += seconds(running_.front().commands);
      running_.pop_front();
    }
  }
  void wait_all() {
    hand_over_open();
    const std::deque<Batch> waited = std::exchange(running_, {});
    for (const Batch& b : waited) {
      wait_until_done(b.commands);
      seconds_ += seconds(b.commands);
    }
    for (const Batch& b : waited) {
      if (state(b.commands) == State::Failed) fail(b.commands, kernels_of(b));
    }
  }
  static std::string kernels_of(const Batch& batch) {
    if (batch.kernels < 2) return batch.first;
    return fmt::format("{} or one of the {} behind it", batch.first, batch.kernels - 1);
  }

  const int most_kernels_;
  std::mutex lock_;
  std::optional<Batch> open_;  // being written
  std::deque<Batch> running_;
  uint64_t last_number_ = 0;
  double seconds_ = 0;  // of all that has run
};

}  // namespace tg
