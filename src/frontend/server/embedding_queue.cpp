// See embedding_queue.h.
#include "frontend/server/embedding_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tg/models/text_engine.h"

namespace tg::server {
namespace {

// Requests are computed together up to so many tokens, so that a client does not wait for all.
constexpr size_t kTokensAtOnce = 2048;

size_t tokens_of(const EmbeddingQueue::Texts& texts) {
  size_t out = 0;
  for (const auto& text : texts) out += text.size();
  return out;
}

}  // namespace

EmbeddingQueue::EmbeddingQueue(models::TextEncoder& encoder, int64_t most_waiting)
    : encoder_(encoder),
      most_waiting_(static_cast<size_t>(std::max<int64_t>(most_waiting, 0))),
      thread_([this] { work(); }) {}

EmbeddingQueue::~EmbeddingQueue() { end(std::chrono::milliseconds(0)); }

std::shared_ptr<EmbeddingQueue::Job> EmbeddingQueue::submit(Texts texts) {
  const auto job = std::make_shared<Job>();
  job->texts_ = std::move(texts);
  job->result = job->promise_.get_future();
  {
    const std::scoped_lock lock(mutex_);
    if (is_ending_) throw models::BusyError("the server is ending");
    // One that can begin at once does not wait.
    const size_t most = most_waiting_ + (is_working_ ? 0 : 1);
    if (waiting_.size() >= most)
      throw models::BusyError("as many requests are waiting as may wait");
    waiting_.push_back(job);
  }
  changed_.notify_all();
  return job;
}

void EmbeddingQueue::end(std::chrono::milliseconds limit) {
  std::deque<std::shared_ptr<Job>> late;
  {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, limit, [this] { return waiting_.empty() && !is_working_; });
    late.swap(waiting_);
    is_late_ = true;
  }
  for (const auto& job : late)
    job->promise_.set_exception(std::make_exception_ptr(models::BusyError("the server is ending")));
  if (thread_.joinable()) thread_.join();
}

EmbeddingStats EmbeddingQueue::stats() const {
  const std::scoped_lock lock(mutex_);
  EmbeddingStats out = stats_;
  out.waiting = std::ssize(waiting_);
  return out;
}

// Waits for requests; none after the end.
std::vector<std::shared_ptr<EmbeddingQueue::Job>> EmbeddingQueue::next_jobs() {
  std::unique_lock lock(mutex_);
  is_working_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
  std::vector<std::shared_ptr<Job>> out;
  size_t tokens = 0;
  while (!waiting_.empty()) {
    const std::shared_ptr<Job>& first = waiting_.front();
    const size_t more = tokens_of(first->texts_);
    if (!out.empty() && tokens + more > kTokensAtOnce) break;
    if (first->is_cancelled_) {
      ++stats_.cancelled;
    } else {
      tokens += more;
      out.push_back(first);
    }
    waiting_.pop_front();
  }
  is_working_ = !out.empty();
  return out;
}

void EmbeddingQueue::work() {
  while (true) {
    const auto jobs = next_jobs();
    if (!jobs.empty()) {
      compute(jobs);
      continue;
    }
    const std::scoped_lock lock(mutex_);
    if (is_ending_ && waiting_.empty()) return;
  }
}

std::vector<float> EmbeddingQueue::vectors_of(const std::vector<std::shared_ptr<Job>>& jobs) {
  Texts all;
  for (const auto& job : jobs) all.insert(all.end(), job->texts_.begin(), job->texts_.end());
  const auto go_on = [&](int64_t) {
    const bool is_wanted =
        std::ranges::any_of(jobs, [](const auto& job) { return !job->is_cancelled_; });
    if (is_late_ || !is_wanted) throw models::BusyError("the server is ending");
  };
  return encoder_.embed_tokens(all, go_on).to_vector<float>();
}

void EmbeddingQueue::compute(const std::vector<std::shared_ptr<Job>>& jobs) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<float> vectors;
  std::exception_ptr error;
  try {
    vectors = vectors_of(jobs);
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::scoped_lock lock(mutex_);
    stats_.requests += std::ssize(jobs);
    for (const auto& job : jobs) {
      stats_.texts += std::ssize(job->texts_);
      stats_.tokens += static_cast<int64_t>(tokens_of(job->texts_));
    }
    stats_.busy_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  auto next = vectors.begin();
  for (const auto& job : jobs) {
    if (error) {
      job->promise_.set_exception(error);
      continue;
    }
    const auto size = std::ssize(job->texts_) * encoder_.info().size;
    job->promise_.set_value(std::vector<float>(next, next + size));
    next += size;
  }
}

}  // namespace tg::server
