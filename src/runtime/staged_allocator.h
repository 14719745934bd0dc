// Memory of devices that know blocks by address and copy from ordinary memory of the host only
// while the host waits. Copies go through memory that the device reads and writes by itself, in two
// halves: one is filled or emptied while the device copies the other. How memory is made and copies
// are queued is the backend's business; what is kept and handed out again: handle_allocator.h.
#pragma once

#include "runtime/handle_allocator.h"

namespace tg {

/// Handles are addresses. Copies to the device are queued, and do not wait; those from it wait for
/// all that was queued before. Thread-safe.
class StagedAllocator : public HandleAllocator {
 public:
  using HandleAllocator::HandleAllocator;

  static constexpr int64_t kHalf = int64_t{4} << 20;  ///< bytes

 protected:
  /// The memory of half 0 or 1, when the last copy of it is done; made at the first call.
  virtual char* take(size_t half) = 0;
  /// Queues a copy of the first `bytes` bytes of half `half`, whose memory this is, to the device.
  virtual void queue_write(uint64_t to, size_t half, const char* memory, int64_t bytes) = 0;
  /// The same from the device.
  virtual void queue_read(char* memory, size_t half, uint64_t from, int64_t bytes) = 0;

  uint64_t address_of(void* handle) const final { return reinterpret_cast<uint64_t>(handle); }
  void write(const BlockPlace& to, const void* from, int64_t bytes) final;
  void read(void* to, const BlockPlace& from, int64_t bytes) final;

 private:
  std::mutex lock_;  // of both halves
};

}  // namespace tg
