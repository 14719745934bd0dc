// Values that are made once: the first thread that asks for a key makes its value, without a lock
// held meanwhile, and others wait for it. A value that could not be made is forgotten, so that the
// next thread tries again. A thread that makes several keys must make all of its own before it
// waits for others', or two threads may wait for each other.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "tg/error.h"

namespace tg {

/// What a thread gets whose value another one was making when it was cancelled: nothing is wrong
/// with the value, so it is to be asked for again.
struct MakerCancelled {};

template <typename Key, typename Value, typename Hash>
class SingleFlight {
  struct Slot {
    bool done = false;
    std::exception_ptr error;
    Value value;
  };

 public:
  /// A claim on one key.
  class Ticket {
   public:
    /// True if the holder must call put or fail.
    bool is_mine() const { return mine_; }

   private:
    friend class SingleFlight;
    Key key_;
    std::shared_ptr<Slot> slot_;
    bool mine_ = false;
  };

  Ticket claim(const Key& key) {
    const std::lock_guard guard(lock_);
    Ticket ticket;
    ticket.key_ = key;
    const auto [it, fresh] = slots_.try_emplace(key);
    if (fresh) it->second = std::make_shared<Slot>();
    ticket.slot_ = it->second;
    ticket.mine_ = fresh;
    return ticket;
  }

  void put(const Ticket& ticket, Value value) {
    const std::lock_guard guard(lock_);
    ticket.slot_->value = std::move(value);
    ticket.slot_->done = true;
    changed_.notify_all();
  }

  /// All who wait get `error`; the key is free again. What has its value keeps it.
  void fail(const Ticket& ticket, std::exception_ptr error) {
    const std::lock_guard guard(lock_);
    if (ticket.slot_->done) return;
    ticket.slot_->error = std::move(error);
    ticket.slot_->done = true;
    slots_.erase(ticket.key_);
    changed_.notify_all();
  }

  /// The value, when it is there. Throws what its maker failed with, but MakerCancelled if another
  /// thread did not want to make it any more.
  Value wait(const Ticket& ticket) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] { return ticket.slot_->done; });
    if (ticket.slot_->error) rethrow(ticket);
    return ticket.slot_->value;
  }

  /// Forgets all values that have been made; holders of one keep it.
  void clear() {
    const std::lock_guard guard(lock_);
    std::erase_if(slots_, [](const auto& slot) { return slot.second->done; });
  }

 private:
  [[noreturn]] static void rethrow(const Ticket& ticket) {
    try {
      std::rethrow_exception(ticket.slot_->error);
    } catch (const CancelledError&) {
      if (ticket.mine_) throw;
      throw MakerCancelled{};
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::unordered_map<Key, std::shared_ptr<Slot>, Hash> slots_;
};

}  // namespace tg
