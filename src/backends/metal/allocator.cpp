// See allocator.h.
#include "backends/metal/allocator.h"

#include <cstring>

namespace tg::metal {

void* BufferAllocator::create(int64_t bytes) {
  const Pool pool(objc_);
  return objc_.send<Object*>(device_, Message::NewBuffer, static_cast<uint64_t>(bytes),
                             kStorageShared);
}

// Commands that still wait hold their buffers themselves.
void BufferAllocator::destroy(void* handle) { objc_.release(static_cast<Object*>(handle)); }

char* BufferAllocator::contents(const BlockPlace& place) const {
  return objc_.send<char*>(static_cast<Object*>(place.handle), Message::Contents) + place.offset;
}

void BufferAllocator::write(const BlockPlace& to, const void* from, int64_t bytes) {
  queue_.wait();
  std::memcpy(contents(to), from, static_cast<size_t>(bytes));
}

void BufferAllocator::read(void* to, const BlockPlace& from, int64_t bytes) {
  queue_.wait();
  std::memcpy(to, contents(from), static_cast<size_t>(bytes));
}

}  // namespace tg::metal
