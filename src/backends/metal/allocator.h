// Device memory as Metal buffers that host and device share.
#pragma once

#include "backends/metal/queue.h"
#include "runtime/mapped_allocator.h"

namespace tg::metal {

class BufferAllocator final : public MappedAllocator {
 public:
  /// `max_bytes`: of one buffer.
  BufferAllocator(const Objc& objc, Object* device, Queue& queue, int64_t max_bytes)
      : MappedAllocator("METAL", max_bytes), objc_(objc), device_(device), queue_(queue) {}
  ~BufferAllocator() override { release_cached(); }

 protected:
  void* create(int64_t bytes) override {
    const Pool pool(objc_);
    return objc_.new_buffer(device_, static_cast<uint64_t>(bytes), kStorageShared);
  }
  // Commands that still wait hold their buffers themselves.
  void destroy(void* handle) override { objc_.release(static_cast<Object*>(handle)); }
  void wait() override { queue_.wait(); }
  char* mapped(void* handle) const override { return objc_.contents(static_cast<Object*>(handle)); }

 private:
  const Objc& objc_;
  Object* const device_;
  Queue& queue_;
};

}  // namespace tg::metal
