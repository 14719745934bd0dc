// Memory of devices that share it with the host, as blocks whose bytes the host finds by their
// handle. How blocks are made is the backend's business; what is kept and handed out again:
// handle_allocator.h.
#pragma once

#include "runtime/handle_allocator.h"

namespace tg {

/// Copies wait for what is queued before them and are then copies of the host.
class MappedAllocator : public HandleAllocator {
 public:
  using HandleAllocator::HandleAllocator;

 protected:
  /// Returns when all that was queued is done.
  virtual void wait() = 0;
  /// Where the host has the first byte of a block.
  virtual char* mapped(void* handle) const = 0;

  void write(const BlockPlace& to, const void* from, int64_t bytes) final;
  void read(void* to, const BlockPlace& from, int64_t bytes) final;
};

}  // namespace tg
