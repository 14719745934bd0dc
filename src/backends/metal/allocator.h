// Device memory as Metal buffers that host and device share.
#pragma once

#include "backends/metal/queue.h"

namespace tg::metal {

/// Copies wait for what is queued before them and are then copies of the host.
class BufferAllocator final : public HandleAllocator {
 public:
  /// `max_bytes`: of one buffer.
  BufferAllocator(const Objc& objc, Object* device, Queue& queue, int64_t max_bytes)
      : HandleAllocator("METAL", max_bytes), objc_(objc), device_(device), queue_(queue) {}
  ~BufferAllocator() override { release_cached(); }

 protected:
  void* create(int64_t bytes) override;
  void destroy(void* handle) override;
  void write(const BlockPlace& to, const void* from, int64_t bytes) override;
  void read(void* to, const BlockPlace& from, int64_t bytes) override;

 private:
  char* contents(const BlockPlace& place) const;

  const Objc& objc_;
  Object* const device_;
  Queue& queue_;
};

}  // namespace tg::metal
