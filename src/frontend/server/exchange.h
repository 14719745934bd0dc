// One answer under way: the engine's thread puts in pieces of its choices, the connection's thread
// takes them out.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tg/models/language_model.h"

namespace tg::server {

/// What came of one choice since the last piece of it.
struct ChoicePiece {
  size_t choice = 0;
  std::string text = {};
  std::vector<models::TokenLogprobs> logprobs = {};  ///< if they were asked for
  bool is_last = false;
};

/// Thread-safe.
class Exchange {
 public:
  void add(ChoicePiece piece) {
    {
      const std::scoped_lock lock(mutex_);
      if (!pieces_.empty() && pieces_.back().choice == piece.choice) {
        ChoicePiece& last = pieces_.back();
        last.text += piece.text;
        last.logprobs.insert(last.logprobs.end(), piece.logprobs.begin(), piece.logprobs.end());
        last.is_last = piece.is_last;
      } else {
        pieces_.push_back(std::move(piece));
      }
    }
    changed_.notify_all();
  }

  /// The pieces since the last call, for which it waits so long.
  std::vector<ChoicePiece> take(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [this] { return !pieces_.empty(); });
    return std::exchange(pieces_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ChoicePiece> pieces_;
};

}  // namespace tg::server
