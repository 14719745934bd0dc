// Texts of many clients for one encoder: a thread takes what is waiting, of all requests together,
// and computes it in full rows. The encoder: tg/models/text_encoder.h.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tg/models/text_encoder.h"

namespace tg::server {

/// Counts since the queue began, and how it stands.
struct EmbeddingStats {
  int64_t waiting = 0;    ///< requests
  int64_t requests = 0;   ///< that were computed
  int64_t texts = 0;      ///< of them
  int64_t tokens = 0;     ///< of these
  int64_t cancelled = 0;  ///< requests whose clients left before they were computed
  double busy_seconds = 0;
};

/// Thread-safe.
class EmbeddingQueue {
 public:
  using Texts = std::vector<std::vector<int32_t>>;

  /// A request on its way.
  class Job {
   public:
    /// It is not computed, or no further than the next row if nobody else waits for the same rows.
    void cancel() { is_cancelled_ = true; }
    /// The vectors [texts · size], or what went wrong: BusyError if the queue has ended.
    std::future<std::vector<float>> result;

   private:
    friend class EmbeddingQueue;
    Texts texts_;
    std::promise<std::vector<float>> promise_;
    std::atomic<bool> is_cancelled_ = false;
  };

  /// Requests that wait while others are computed: `most_waiting` at most.
  EmbeddingQueue(models::TextEncoder& encoder, int64_t most_waiting);
  /// As end().
  ~EmbeddingQueue();
  EmbeddingQueue(const EmbeddingQueue&) = delete;
  EmbeddingQueue& operator=(const EmbeddingQueue&) = delete;

  /// Texts that have been checked. BusyError if too many are waiting, or after end().
  std::shared_ptr<Job> submit(Texts texts);
  /// Takes no more; computes what there is for so long, then lets it fail. Returns when the thread
  /// has ended.
  void end(std::chrono::milliseconds limit);
  EmbeddingStats stats() const;

 private:
  void work();
  std::vector<std::shared_ptr<Job>> next_jobs();
  void compute(const std::vector<std::shared_ptr<Job>>& jobs);
  std::vector<float> vectors_of(const std::vector<std::shared_ptr<Job>>& jobs);

  models::TextEncoder& encoder_;
  const size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> waiting_;
  bool is_ending_ = false;
  bool is_working_ = false;
  std::atomic<bool> is_late_ = false;  // what is being computed is to fail
  EmbeddingStats stats_;
  std::thread thread_;
};

}  // namespace tg::server
