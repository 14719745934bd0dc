// One answer under way: the engine's thread puts in pieces of the text, the connection's thread
// takes them out.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tg::server {

/// Thread-safe.
class Exchange {
 public:
  void add(std::string_view text) {
    {
      const std::scoped_lock lock(mutex_);
      text_ += text;
    }
    changed_.notify_all();
  }
  void end() {
    {
      const std::scoped_lock lock(mutex_);
      has_ended_ = true;
    }
    changed_.notify_all();
  }

  /// The text since the last call, for which it waits so long; and whether there is no more.
  std::pair<std::string, bool> take(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [this] { return has_ended_ || !text_.empty(); });
    return {std::exchange(text_, {}), has_ended_};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool has_ended_ = false;
};

}  // namespace tg::server
