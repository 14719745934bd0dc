// Device memory as OpenCL buffers.
#pragma once

#include "backends/opencl/platform.h"
#include "runtime/handle_allocator.h"
#include "support/forks.h"

namespace tg::opencl {

/// Copies wait for what is queued before them.
class BufferAllocator final : public HandleAllocator {
 public:
  /// `max_bytes`: of one buffer.
  BufferAllocator(const Api& api, Context* context, CommandQueue* queue, int64_t max_bytes)
      : HandleAllocator("OPENCL", max_bytes), api_(api), context_(context), queue_(queue) {}
  /// Buffers that are still in use belong to objects that live until the end of the process.
  ~BufferAllocator() override { release_cached(); }

  /// In a child of this process a call of the driver would wait for threads that are not there.
  const ForkMark opened_in;
  /// Throws DeviceError in a child.
  CommandQueue* queue() const { return opened_in.check("OPENCL"), queue_; }

 protected:
  void* create(int64_t bytes) override;
  void destroy(void* handle) override;
  void write(const BlockPlace& to, const void* from, int64_t bytes) override;
  void read(void* to, const BlockPlace& from, int64_t bytes) override;

 private:
  const Api& api_;
  Context* const context_;
  CommandQueue* const queue_;
};

}  // namespace tg::opencl
